"""How long work runs: in how many processes, with a bar that shows how far it has come."""
