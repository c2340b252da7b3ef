"""Choosing the next measurements: designs of a pilot, judged by how much they are expected to tell."""
