"""`make verify`: check from outside whether an installation keeps its promises."""
