"""What the words of an answer mean, for readers who do not forecast learning curves every day."""

from __future__ import annotations

__all__ = ["GLOSSARY"]

GLOSSARY = {
    "Pilot": "The scores measured so far, on which everything here rests.",
    "Split": (
        "One random division of the data into training and test cases. Training again on another split shows how much "
        "of a score is luck."
    ),
    "Learner": (
        "The method that is trained, such as a linear model or a forest. Learning curves of one kind of learner are "
        "alike, so naming the kind says something about a curve before it is measured."
    ),
    "Model": "One classifier, trained on one split with one training-set size.",
    "Fitted": "Of a method: adjusted to the scores it was given to learn from.",
    "Task": "What the classifier is to predict, such as one diagnosis. Every task has its own learning curve.",
    "Ceiling": "The highest score possible at all; below 1 where the labels themselves are sometimes wrong.",
    "Interval": "A 95 % interval contains the true value with a probability of 95 %, if the assumptions hold.",
    "Spread": (
        "Standard deviation of the scores of several splits at one size: how far they typically lie from their mean."
    ),
    "Backtest": (
        "A trial on known scores: the largest sizes are held out, forecast by a method and compared with what was "
        "measured. Error is how far off it was, bias how far too high (+) or too low (-); 95 % coverage is the share "
        "of those scores that its 95 % intervals cover."
    ),
    "Likelihood": (
        "In a backtest: the probability that a method assigned to within 0.01 of the score later measured. Higher is "
        "better."
    ),
    "CRPS": (
        "Continuous ranked probability score: how far a forecast was from what was measured, with credit for knowing "
        "how uncertain it was. In units of the score; lower is better."
    ),
}
"""Words by their meaning."""
