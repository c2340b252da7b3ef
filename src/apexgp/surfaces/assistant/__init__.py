"""The questions as tools of a Model Context Protocol server, over standard input and output."""
