"""What a person sees: pictures and the command line. No maths here; everything is asked of the library."""
