"""Run the command as `python -m secret_cli`."""

from .main import main

main()
