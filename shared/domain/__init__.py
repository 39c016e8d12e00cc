"""What a push is and what may be done to it. Pure: the standard library and cryptography, no clock, nothing logged."""
