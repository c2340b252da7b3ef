"""Hostile input to everything that a person can reach, and a tally of what became of it.

`make fuzz` runs as many inputs as asked; `test_fuzz.py` a few of each class in CI.
"""
