"""What was forecast, and what was measured later: a file of JSON lines, and how often intervals covered that."""
