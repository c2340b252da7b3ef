"""Priors of one's own, for `APExGP(priors=...)`, and the constants of the paper's two variants."""

from .model.beliefs import CALIBRATED, Beliefs, ElicitedSigma, paper_beliefs, read_priors, write_priors
from .model.distributions import Beta, LogitNormal, LogNormal, Normal, Prior, Uniform
from .model.learnt import Learnt
from .model.paper_priors import PUBLISHED, WRITTEN, PositiveNormal, Variant

__all__ = [
    "CALIBRATED",
    "PUBLISHED",
    "WRITTEN",
    "Beliefs",
    "Beta",
    "ElicitedSigma",
    "Learnt",
    "LogNormal",
    "LogitNormal",
    "Normal",
    "PositiveNormal",
    "Prior",
    "Uniform",
    "Variant",
    "paper_beliefs",
    "read_priors",
    "write_priors",
]
