"""Reading tables in tests."""

from apexgp import read


def read_with_notes(source, **said):
    """The curves of a table, and what was noted of how it was read."""
    reading = read(source, **said)
    return reading.curves, reading.notes
