"""Run the command line as `python -m apexgp`."""

from .surfaces.cli import main

main()
