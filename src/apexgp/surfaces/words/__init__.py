"""Answers in plain words: a sentence that a grant panel understands, and a paragraph for a paper's methods section."""
