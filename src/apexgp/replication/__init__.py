"""The paper's experiment on embeddings of one's own: a configuration file a data set, curves, forecasts, tables."""
