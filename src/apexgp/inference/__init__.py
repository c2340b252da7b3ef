"""Numbers from a model and pairs. One loop each; the mean is an argument."""
