"""Mathematics that knows nothing of learning curves."""
