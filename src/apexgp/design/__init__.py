"""What to measure next: designs of a pilot, judged by what they are expected to tell."""
