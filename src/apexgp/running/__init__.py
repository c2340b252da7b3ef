"""Work in other processes, programs of others, and what a terminal shows meanwhile."""
