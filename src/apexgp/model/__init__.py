"""Curve shapes, kernel and priors as values. Imports numpy and scipy; never sees data."""
