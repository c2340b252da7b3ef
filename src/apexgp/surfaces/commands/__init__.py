"""The commands, one a file: parse, one call to the library, print."""
