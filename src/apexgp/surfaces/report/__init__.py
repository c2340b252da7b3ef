"""The report: one HTML file with everything that there is to say about a forecast, to open offline and to print."""
