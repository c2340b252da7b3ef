"""Curves of every structure, fitted by every model that compiled code knows; none of them looks like a real one."""

import warnings
from dataclasses import replace
from unittest.mock import patch

import numpy as np

import apexgp.inference.compiled_integral as compiled_integral
from apexgp import APExGP, LearningCurve
from apexgp.errors import ApexError, ApexWarning
from apexgp.estimators import fit_together
from apexgp.inference.rounds import ROUNDS
from apexgp.learners import LEARNERS

_SIZES = (1, 1, 2, 3, 3, 4, 5, 5, 6, 8, 12, 23, 24, 25, 40)
_SPLITS = (1, 1, 1, 2, 3, 3, 5, 10, 50)
_LARGEST = (1e2, 1e4, 1e4, 1e6, 1e9, 1e15)

# Few nodes, for speed, and so few points that some run out of them.
_ROUNDS = ROUNDS._replace(
    first=256, searching=256, least=512, least_where_hard=1024, least_where_uneven=2048, most=2048, more_where_hard=2
)
_POINTS = 2048


def make_wild_curve(rng):
    """Make a curve: ragged or not, with labels, without, or of means; scores rise, jump, stand still or are perfect."""
    splits, largest = int(rng.choice(_SPLITS)), rng.choice(_LARGEST)
    sizes = np.unique(np.round(np.exp(rng.uniform(0, np.log(largest), rng.choice(_SIZES)))))
    shape = len(sizes), splits
    noise = 10.0 ** rng.uniform(-6, -0.5) * rng.normal(size=shape)
    scores = [
        rng.uniform(0.5, 1) - rng.uniform(0, 0.5) * (sizes[:, None] / sizes[0]) ** -rng.uniform(0, 1) + noise,
        np.full(shape, rng.choice([0.0, 0.5, 1.0, rng.random()])),
        rng.choice([0.0, 1.0], shape),
        rng.random(shape),
        1 - 10.0 ** rng.uniform(-12, 0, shape),
        rng.choice([1e-9, 0.5, 0.999], shape),
    ][rng.choice(6, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])].clip(0, 1)
    rows, columns = np.indices(shape).reshape(2, -1)
    if rng.random() < 0.3:  # ragged
        kept = rng.random(rows.size) < rng.uniform(0.3, 1)
        kept[0] = True
        rows, columns = rows[kept], columns[kept]
    facts = {
        "metric": rng.choice(["auroc", "error rate", "log loss", "mcc"], p=[0.7, 0.1, 0.1, 0.1]),
        "learner": rng.choice([None, *LEARNERS]),
        "n_test": rng.choice([None, 1, 50, 10**6]),
        "n_features": rng.choice([None, 1, 10**5]),
        "n_classes": rng.choice([None, 2, 1000]),
    }
    if rng.random() < 0.2:
        facts |= {"averaged_over": rng.choice([2, 5, 1000]), "score_sd": rng.choice([None, 0.0, 0.02, 0.5])}
    facts = {name: value.item() if isinstance(value, np.generic) else value for name, value in facts.items()}
    return LearningCurve(sizes[rows], scores[rows, columns], columns if rng.random() < 0.6 else None, **facts)


def fit_wild_curve(seed):
    """Fit one of the curves with any settings, and forecast; gives whether it was accepted."""
    rng = np.random.default_rng([37, seed])
    settings = APExGP(
        mean=str(rng.choice(["auto", "burr", "power_law"], p=[0.1, 0.5, 0.4])),
        ceiling=float(rng.choice([1.0, 0.97], p=[0.9, 0.1])),
        floor=float(rng.choice([0.0, 0.3], p=[0.9, 0.1])),
        noise=rng.choice([None, None, 1e-6, 0.01, 0.5]),
        precision=rng.choice([0.1, 0.05, None], p=[0.7, 0.2, 0.1]),
        seed=int(rng.integers(4)),
    )
    with warnings.catch_warnings(), patch.multiple(compiled_integral, ROUNDS=_ROUNDS, _FEWEST_POINTS=_POINTS):
        warnings.simplefilter("ignore", ApexWarning)
        try:
            curve = make_wild_curve(rng)
            engine = settings._build_checked_engine(curve.direction, curve.scale)
            found = fit_together(settings, [curve], replace(engine, roughly=True) if rng.random() < 0.5 else engine)[0]
            if isinstance(found, ApexError):
                raise found
            forecast = found.forecast(curve.largest * np.array([1.0, 2.0, 50.0]))
        except ApexError:
            return False
        ends = np.array(forecast.quantile([0.025, 0.5, 0.975]))
        assert np.isfinite(ends).all(), (seed, ends)
        assert (np.diff(ends, axis=0) >= 0).all(), (seed, ends)
    return True
