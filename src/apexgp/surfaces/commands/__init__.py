"""The commands, one per file: parse, one call to the library, print."""
