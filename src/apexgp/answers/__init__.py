"""One question a file; each answer is a frozen dataclass, computed from probabilities that a forecast gives."""
