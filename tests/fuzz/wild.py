"""Curves that nobody would draw: asked what to measure next, and fitted beside others."""

import numpy as np
from hypothesis import strategies as st

from apexgp import APExGP, LearningCurve, design_pilot
from apexgp.estimators import fit_together
from fuzz.surface import proper

SAME = 1e-6  # how far a curve's own numbers may move with the company that it keeps


@st.composite
def wild_curve(draw):
    """Few sizes, few splits of which some are missing, and scores that jump from one end to the other."""
    sizes = sorted(draw(st.lists(st.integers(10, 3000), min_size=3, max_size=7, unique=True)))
    splits = draw(st.integers(1, 3))
    kinds = [st.sampled_from([0.0, 1.0]), st.sampled_from([0, 1, 0.5, 0.999, 1e-9]), st.floats(0, 1)]
    score = draw(st.sampled_from(kinds))
    rows = [(size, split) for size in sizes for split in range(splits) if split == 0 or draw(st.integers(0, 4))]
    scores = [draw(score) for _ in rows]
    return LearningCurve([size for size, _ in rows], scores, [split for _, split in rows])


def told(curve):
    return f"{curve.sizes.tolist()} {curve.scores.tolist()} {curve.split.tolist()}"


@st.composite
def wild_design(draw):
    curve, budget = draw(wild_curve()), draw(st.integers(1, 16))

    def act():
        found = design_pilot(APExGP().fit(curve), budget, confirm=1)
        assert np.isfinite([one.risk for one in found.designs]).all()
        assert all(0 <= width <= 1 for one in found.designs for width in one.widths)

    return f"{told(curve)} {budget}", act, None


@st.composite
def batch(draw):
    curves = draw(st.lists(wild_curve(), min_size=2, max_size=5))
    at = [draw(st.sampled_from([10_000, 36_000]))]

    def act():
        for curve, shared in zip(curves, fit_together(APExGP(), curves), strict=True):
            own = APExGP().fit(curve).forecast(at)
            proper(own)
            alone, beside = (np.array([f.mean, *f.interval(0.95)]) for f in (own, shared.forecast(at)))
            assert np.abs(alone - beside).max() <= SAME, (told(curve), alone.tolist(), beside.tolist())

    return " | ".join(map(told, curves)), act, None
