"""The service behind its endpoints; pyproject.toml has the layers."""

__version__ = "0.9.0"
