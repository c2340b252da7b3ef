"""Signs: numbers read off a pilot that priors may go by, `PILOT_FEATURES` of `model.beliefs`; one function for all.

A sign is 0 where it is not known, so that what is not known moves no prior.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..curve import LearningCurve
from ..learners import IMPROVE_WITH_FEATURES, LEARNERS
from ..model.beliefs import PILOT_FEATURES, Beliefs, is_moved_by
from ..reading.names import known_metric

__all__ = ["FACTS", "find_moving_facts", "signs_of"]

_TYPICAL_SIZE = 362.0
_LEARNT_SIZES = (-2.1, 3.2)  # logarithms: pilots that end at 45 to 8,880 examples
_TYPICAL_TEST = 500.0  # cases, at an accuracy of 0.8
_SEPARABLE = 0.995  # training scores above it: the classifier tells its own training rows apart
_NEAR_THE_TOP, _TOP = 0.05, 3.0  # room above the pilot below which it is near the top; how near counts, at most
_FEW_FEATURES, _MANY_FEATURES = np.log(0.07), np.log(0.6)  # per example of the largest size
_ENOUGH_PER_CLASS, _FEWEST_PER_CLASS = 10.0, 2.5  # examples of a class; the sign's largest value, a logarithm
_LEFT_BESIDE_TRAINING_SCORES = 0.5  # of what a kind of learner does: they tell much of it

_HITS = ("accuracy", "error rate")  # metrics that count right or wrong answers
_OF_POSITIVES = ("average precision", "AUPRC", "F1")  # metrics whose chance level is low where positives are rare


def signs_of(curve: LearningCurve, ceiling: float) -> dict[str, float]:
    """Signs of a curve on which higher is better.

    * `size`: log(largest size / 362), held within what priors were learnt from.
    * `one_size`, `two_sizes`: whether there are so few that there is no trend, or next to none.
    * `accuracy`: 1 for accuracies and error rates, 0 for what is called otherwise; `precision` for average precision
      and F1; `low` how far such a score is below 0.5, as a share of that.
    * `top`: how near the pilot has come to the ceiling, log(0.05 / room), between 0 and 3.
    * `single`: every size has one score, whose noise cannot be seen, unless it is known to be a mean over so many runs.
    * `several`: and it is a mean over an unknown number of them.
    * `test_known`, `test_noise`: whether the number of test cases is known, and the logarithm of the standard deviation
      that an accuracy has on so many, sqrt(p (1 - p) / n), against that of 0.8 on 500 cases.
    * `gap_known`, `gap`, `separable`: whether training scores at the largest size are known; which part of the room
      above the test score they are above it, (train - test) / (ceiling - test); whether they are perfect.
    * `linear` and the other kinds of learner: 1 where the curve is of that kind; a half beside training scores.
    * `few_features`, `many_features`: for kinds that go on improving until examples outnumber features, where the
      number d of these is known: from 0.07 to 0.6 features per example of the largest size, on the scale of log d,
      `many_features` goes from 0 to 1, and `few_features` is the rest.
    * `few_per_class`: where the number of classes is known, log(10 / examples per class) at the largest size, between 0
      and 2.5.
    * `always`: 1. What it does to a prior is how far that was moved by what was learnt from other curves.
    """
    signs = dict.fromkeys(PILOT_FEATURES, 0.0) | {"always": 1.0}
    signs["size"] = float(np.clip(np.log(curve.largest / _TYPICAL_SIZE), *_LEARNT_SIZES))
    sizes = len(curve.replicates.sizes)
    signs |= {"one_size": float(sizes == 1), "two_sizes": float(sizes == 2)}
    last = curve.sizes == curve.largest
    level = float(curve.scores[last].mean())
    known = known_metric(curve.metric)
    signs["accuracy"] = float(known is not None and any(part in known.name for part in _HITS))
    if known is not None and known.name in _OF_POSITIVES:
        signs |= {"precision": 1.0, "low": max(1 - 2 * level, 0.0)}
    signs["top"] = float(np.clip(np.log(_NEAR_THE_TOP / max(ceiling - level, 1e-9)), 0.0, _TOP))
    signs |= _signs_of_noise(curve, level)
    if curve.train_scores is not None and np.isfinite(curve.train_scores[last]).any():
        told = last & np.isfinite(curve.train_scores)
        train, test = float(curve.train_scores[told].mean()), float(curve.scores[told].mean())
        gap = (train - test) / max(ceiling - test, 0.002)
        signs |= {"gap_known": 1.0, "gap": float(np.clip(gap, -0.5, 1.0)), "separable": float(train > _SEPARABLE)}
    return signs | _signs_of_problem(curve, bool(signs["gap_known"]))


FACTS = ("train_scores", "n_test", "learner", "n_features", "n_classes")
"""Attributes of a curve that priors may go by beside its scores."""


def find_moving_facts(curve: LearningCurve, beliefs: Beliefs, ceiling: float) -> tuple[str, ...]:
    """Find the facts about a curve that priors go by: those without which they would not be the same."""

    def effects(of: LearningCurve) -> dict[str, float]:
        return {name: value for name, value in signs_of(of, ceiling).items() if is_moved_by(beliefs, name)}

    known: list[dict[str, Any]] = [{name: None} for name in FACTS if getattr(curve, name) is not None]
    whole = effects(curve) if known else {}
    return tuple(name for less in known for name in less if effects(replace(curve, **less)) != whole)


def _signs_of_noise(curve: LearningCurve, level: float) -> dict[str, float]:
    signs: dict[str, float] = {}
    if (curve.replicates.count == 1).all() and curve.known_run_count == 1:
        signs |= {"single": 1.0, "several": float(curve.is_mean_of_unknown_count)}
    if curve.n_test is not None and np.isfinite(curve.n_test).any():
        spread = max(level * (1 - level), 0.01) / 0.16
        cases = float(np.nanmedian(curve.n_test)) / _TYPICAL_TEST
        signs |= {"test_known": 1.0, "test_noise": 0.5 * float(np.log(spread / cases))}
    return signs


def _signs_of_problem(curve: LearningCurve, gap_known: bool) -> dict[str, float]:
    signs: dict[str, float] = {}
    kind = curve.learner
    if kind in LEARNERS:
        signs[kind] = _LEFT_BESIDE_TRAINING_SCORES if gap_known else 1.0
    if kind in IMPROVE_WITH_FEATURES and curve.n_features is not None:
        per_example = np.log(curve.n_features / curve.largest)
        many = float(np.clip((per_example - _FEW_FEATURES) / (_MANY_FEATURES - _FEW_FEATURES), 0.0, 1.0))
        signs |= {"few_features": 1 - many, "many_features": many}
    if curve.n_classes is not None:
        per_class = curve.largest / curve.n_classes
        signs["few_per_class"] = float(np.clip(np.log(_ENOUGH_PER_CLASS / per_class), 0.0, _FEWEST_PER_CLASS))
    return signs
