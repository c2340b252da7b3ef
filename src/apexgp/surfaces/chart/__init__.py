"""The picture of a forecast as SVG, for the report and the page: plain text made of facts, with no drawing library."""
