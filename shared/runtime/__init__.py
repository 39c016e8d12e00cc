"""The process: its settings, deadline and metrics."""
