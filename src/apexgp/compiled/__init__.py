"""Inner loops in C."""
