"""The domain of the secret-sharing service and its two doors, the store and the files."""

__version__ = "0.5.0"
