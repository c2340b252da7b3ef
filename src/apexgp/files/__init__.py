"""Files: written whole or not at all, one writer at a time, values as JSON has them."""
