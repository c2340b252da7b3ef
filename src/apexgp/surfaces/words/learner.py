"""The kind of learner whose priors a forecast takes, in words."""

from __future__ import annotations

from collections.abc import Iterable

from ...estimators import APExGP
from ...learners import LEARNERS
from ...model.beliefs import kind_matters_with_training_scores
from .phrases import listed

__all__ = ["kind_sentence", "moved_for"]


def moved_for(models: Iterable[APExGP]) -> str:
    """For which kinds the calibrated priors were moved, as part of a sentence; empty where for none."""
    kinds = dict.fromkeys(model.learner_ for model in models if _is_moved(model))
    if not kinds:
        return ""
    return f", and moved to what curves of {listed([LEARNERS[kind] for kind in kinds if kind])} do"


def kind_sentence(model: APExGP) -> list[str]:
    """Whose priors they are, where a kind of learner was named."""
    if model.learner_ is None:
        return []
    if not _is_moved(model):
        return [f"Beside training scores, the kind of learner ({LEARNERS[model.learner_]}) adds nothing."]
    return [f"The priors are those for {LEARNERS[model.learner_]}."]


def _is_moved(model: APExGP) -> bool:
    kind = model.learner_
    return kind is not None and (model.curve_.train_scores is None or kind_matters_with_training_scores(kind))
