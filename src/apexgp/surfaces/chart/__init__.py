"""The picture of a forecast as SVG, for the report and the page, and in characters: text, with no drawing library."""
