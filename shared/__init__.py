"""The service behind its endpoints; pyproject.toml has the layers."""

__version__ = "1.0.0"
