"""The service behind its endpoints: use cases here, and the wings domain (pure), aws (calls), web (events, answers)."""

__version__ = "0.9.0"
