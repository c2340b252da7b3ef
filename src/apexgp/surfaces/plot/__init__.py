"""Pictures, one per file for every answer, in one look; a display holds arrays and computes nothing when it draws."""
