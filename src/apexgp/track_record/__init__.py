"""A record of forecasts and later scores: a file of JSON lines, and how often intervals covered the scores."""
