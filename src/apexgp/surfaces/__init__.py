"""Command line, page, assistant, reports and charts. No maths here; everything is asked of the library."""
