"""The rules for pushes. Pure: the standard library and cryptography only; no clock, no logging."""
