"""Shared by all questions: settings of tables and models, documents, schemas, sentences, citations, pictures."""
