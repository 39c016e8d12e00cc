"""`make verify`: whether an installation keeps its promises, as far as that shows from outside."""
