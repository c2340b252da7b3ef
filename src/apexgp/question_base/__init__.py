"""What questions share: settings of pilots and models, documents and their schemas, sentences, citations, pictures."""
