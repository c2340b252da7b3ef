"""Questions as things: each holds what is asked, checked, with its defaults, and answers it for every surface."""
