"""What the words of an answer mean, for readers who do not forecast learning curves every day."""

from __future__ import annotations

__all__ = ["GLOSSARY"]

GLOSSARY = {
    "Pilot": "The scores that were measured so far, on which everything here rests.",
    "Split": "One random division of the data into cases to train on and cases to test on. Training again on another "
    "split shows how much of a score is luck.",
    "Model": "One classifier, trained on one split with one training-set size.",
    "Fitted": "Of a method: adjusted to the scores that it was given to learn from.",
    "Task": "What the classifier is to tell, such as one diagnosis. Every task has a learning curve of its own.",
    "Ceiling": "The highest score that is possible at all; below 1 where the labels themselves are sometimes wrong.",
    "Interval": "A 95 % interval holds the true value with a probability of 95 %, if the assumptions are right.",
    "Spread": "Standard deviation of the scores of several splits at one size: how far they usually are from their "
    "mean.",
    "Backtest": "A trial on what is known: the largest sizes are hidden from a method, forecast by it, and compared. "
    "Error is how far it was off, bias how far too high (+) or too low (-); 95 % holds: the share of the scores within "
    "its 95 % intervals.",
    "Likelihood": "In a backtest: the probability that a method gave to within 0.01 of the score that was then "
    "measured. Higher is better.",
    "CRPS": "Continuous ranked probability score: how far a forecast was from what came, with credit for knowing how "
    "uncertain it was. In units of the score; lower is better.",
}
"""Words by their meaning."""
