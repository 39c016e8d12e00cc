"""The process: settings, deadline, metrics and garbage collection."""
