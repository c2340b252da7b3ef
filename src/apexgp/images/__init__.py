"""Pictures and scans to embeddings. What the extra `images` brings is imported where it is used."""
