"""What is fitted: the methods of the paper, in three columns, each task once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from apexgp import APExGP, Forecast, LeastSquares

from .data import SPLITS_AVERAGED, Results, Task

Column = Literal["remade", "written", "default"]

COLUMNS: dict[str, str] = {
    "printed": "printed",
    "remade": "remade",
    "written": "as written",
    "default": "our default",
}
"""Columns of every table, and how they are called."""

METHODS = {
    "power_law": "power law",
    "gp_power_law": "GP power law",
    "arctan": "arctan",
    "gp_arctan": "GP arctan",
    "gp_power_law_without_priors": "GP power law, no priors",
    "baseline": "uniform baseline",
}
"""Methods by their names in the files of printed numbers, and how they are called."""


def estimator(column: Column, method: str, task: Task) -> APExGP | LeastSquares:
    """Set up a method.

    The released code trains with a ceiling of 1 everywhere. The text states 0.95 for the head CTs, and our default is
    given what it states.
    """
    if column == "default":
        return APExGP(ceiling=task.ceiling)
    written = column == "written"
    ceiling = task.ceiling if written else 1.0
    mean = "arctan" if "arctan" in method else "power_law"
    if not method.startswith("gp"):
        return LeastSquares(mean, ceiling=ceiling)
    model = APExGP.as_written(mean, ceiling) if written else APExGP.as_published(mean, ceiling)
    return model.set_params(priors="flat") if method.endswith("without_priors") else model


@dataclass(frozen=True)
class Fits:
    """Every method fitted to every pilot, when it is first asked for."""

    results: Results

    @cache  # noqa: B019 - a run has one of these
    def _fitted(self, column: Column, method: str, task: Task) -> APExGP | LeastSquares:
        return estimator(column, method, task).fit(self.results.pilot(task))

    def model(self, column: Column, method: str, task: Task) -> APExGP | LeastSquares:
        """A fitted model; our default is one method, whichever of the paper's stands in the row."""
        return self._fitted(column, "" if column == "default" else method, task)

    def expected(self, column: Column, method: str, task: Task, sizes: ArrayLike) -> np.ndarray:
        """The curve of which errors are measured: what a method forecasts as the mean score.

        That of the paper's own methods is taken before the cut to [0, 1], as in the released code.
        """
        model = self.model(column, method, task)
        if not model.has_distribution:
            return model.predict(sizes)
        forecast = model.forecast(sizes, of="same_splits")
        return forecast.mean if column == "default" else forecast.location

    def of_the_same_splits(self, column: Column, method: str, task: Task, sizes: ArrayLike) -> Forecast:
        """Forecast of what the pilot's own splits score with more data."""
        return self.model(column, method, task).forecast(sizes, of="same_splits")

    def of_new_splits(self, column: Column, method: str, task: Task, sizes: Sequence[int]) -> Forecast:
        """Forecast of the mean over three other splits."""
        return self.model(column, method, task).forecast(sizes, n_splits=SPLITS_AVERAGED)


def interval_kind(column: Column) -> Literal["equal_tailed", "hdi"]:
    """The text speaks of highest density; the released code has equal tails, and so have we."""
    return "hdi" if column == "written" else "equal_tailed"
