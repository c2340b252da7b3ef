"""What a pilot shows that priors may go by, as numbers: `PILOT_FEATURES` of `model.beliefs`, one function for all.

A sign is 0 where it is not known, so that what is not known moves no prior.
"""

from __future__ import annotations

import numpy as np

from ..curve import LearningCurve
from ..model.beliefs import PILOT_FEATURES
from ..reading.known_metrics import known_metric

__all__ = ["signs_of"]

_TYPICAL_SIZE = 362.0
_LEARNT_SIZES = (-1.75, 3.2)  # logarithms: pilots that end at 63 to 8,880 examples
_FEW_SIZES = 6
_TYPICAL_TEST = 500.0  # cases, at an accuracy of 0.8
_SEPARABLE = 0.995  # training scores above it: the classifier tells its own training rows apart

_HITS = ("accuracy", "error rate")  # metrics that count right or wrong answers


def signs_of(curve: LearningCurve, ceiling: float) -> dict[str, float]:
    """Signs of a curve on which higher is better.

    * `size`: log(largest size / 362), held within what priors were learnt from.
    * `accuracy`: 1 for accuracies and error rates, 0 for what is called otherwise.
    * `single`: every size has one score, whose noise cannot be seen, unless it is known to be a mean over runs.
    * `unlabelled`: and nobody says whether it is that of one run or a mean over many.
    * `dense`: how many sizes such an unlabelled pilot has, log(sizes / 6), at least 0. The more there are, the likelier
      is one run that goes on, or means, rather than a run whose luck another would not share.
    * `test_known`, `test_noise`: whether the number of test cases is known, and the logarithm of the standard deviation
      that an accuracy has on so many, sqrt(p (1 - p) / n), against that of 0.8 on 500 cases.
    * `gap_known`, `gap`, `separable`: whether training scores at the largest size are known; which part of the room
      above the test score they are above it, (train - test) / (ceiling - test); whether they are perfect.
    * `always`: 1. What it does to a prior is how far that was moved by what was learnt from other curves.
    """
    signs = dict.fromkeys(PILOT_FEATURES, 0.0) | {"always": 1.0}
    signs["size"] = float(np.clip(np.log(curve.largest / _TYPICAL_SIZE), *_LEARNT_SIZES))
    known = known_metric(curve.metric)
    signs["accuracy"] = float(known is not None and any(part in known.name for part in _HITS))
    single = bool((curve.replicates.count == 1).all()) and curve.averaged_over in (None, 1)
    signs["single"] = float(single)
    if single and curve.split is None and curve.averaged_over is None:
        signs |= {"unlabelled": 1.0, "dense": max(float(np.log(len(curve) / _FEW_SIZES)), 0.0)}
    last = curve.sizes == curve.largest
    level = float(curve.scores[last].mean())
    if curve.n_test is not None and np.isfinite(curve.n_test).any():
        spread = max(level * (1 - level), 0.01) / 0.16
        cases = float(np.nanmedian(curve.n_test)) / _TYPICAL_TEST
        signs |= {"test_known": 1.0, "test_noise": 0.5 * float(np.log(spread / cases))}
    if curve.train_scores is not None and np.isfinite(curve.train_scores[last]).any():
        told = last & np.isfinite(curve.train_scores)
        train, test = float(curve.train_scores[told].mean()), float(curve.scores[told].mean())
        gap = (train - test) / max(ceiling - test, 0.002)
        signs |= {"gap_known": 1.0, "gap": float(np.clip(gap, -0.5, 1.0)), "separable": float(train > _SEPARABLE)}
    return signs
