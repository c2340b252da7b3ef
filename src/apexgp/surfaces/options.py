"""Options that commands share, in groups: each is declared here once, with what it is for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .._check import some
from ..curve import LearningCurve, read_curves
from ..errors import RequestError
from ..estimators import APExGP
from ..model.means import MEANS
from .command import Sets

__all__ = ["BayesOptions", "Columns", "Confidence", "CurveFile", "MethodOptions", "ModelOptions", "sizes_asked_for"]

Confidence = Annotated[float, typer.Option(help="Probability with which the target should be met.")]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """How to read a file of measured scores."""

    size_column: Annotated[str, typer.Option(help="Column that holds the training-set sizes."), Sets("size")] = "size"
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores; repeat for a table with one column a split.  [default: score]",
            show_default=False,
        ),
        Sets("score"),
    ] = None
    split_column: Annotated[str, typer.Option(help="Column that names the split."), Sets("split")] = "split"
    metric: Annotated[
        str | None, typer.Option(help="Name of the score, or which of those in the column metric to use.")
    ] = None
    # The library's argument `task` is the column; to take one of its entries is the command line's own affair.
    task: Annotated[str | None, typer.Option(help="Which of the tasks in the column task to use."), Sets()] = None
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The scores are error rates."), Sets("direction")
    ] = False
    unit: Annotated[
        str | None,
        typer.Option(
            help="What a size counts: rows or groups.  [default: what the file says, or rows]", show_default=False
        ),
    ] = None

    def curves_of(self, path: Path) -> dict[str | None, LearningCurve]:
        """Read the curves of a file, or the one of them that was asked for."""
        columns = self.score_column or ["score"]
        curves = read_curves(
            path,
            size=self.size_column,
            score=columns[0] if len(columns) == 1 else columns,
            split=self.split_column,
            metric=self.metric,
            direction="lower" if self.lower_is_better else None,
            unit=self.unit,  # type: ignore[arg-type]
        )
        if self.task is None:
            return curves
        if self.task not in curves:
            raise RequestError(f"{path} has no task {self.task!r}; found {some([str(name) for name in curves], 20)}.")
        return {self.task: curves[self.task]}

    def only_curve_of(self, path: Path) -> LearningCurve:
        """Read the only curve of a file."""
        curves = self.curves_of(path)
        if len(curves) > 1:
            names = some([str(name) for name in curves], 20)
            raise RequestError(f"{path} holds {len(curves)} tasks ({names}). Choose one with --task.")
        (curve,) = curves.values()
        return curve


@dataclass(frozen=True, kw_only=True)
class CurveFile(Columns):
    """A file of measured scores."""

    pairs: Annotated[Path, typer.Argument(help="CSV file with the columns size, score and, if known, split.")]

    def curves(self) -> dict[str | None, LearningCurve]:
        """Read every curve."""
        return self.curves_of(self.pairs)

    def only_curve(self) -> LearningCurve:
        """Read the only curve."""
        return self.only_curve_of(self.pairs)


@dataclass(frozen=True, kw_only=True)
class MethodOptions:
    """What a method can be told, whichever it is."""

    ceiling: Annotated[float, typer.Option(help="Highest score that is possible at all.")] = 1.0
    floor: Annotated[float, typer.Option(help="Chance level, for instance 0.5 for AUROC.")] = 0.0
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0


@dataclass(frozen=True, kw_only=True)
class BayesOptions(MethodOptions):
    """What a model that knows how sure it is can be told."""

    noise: Annotated[float | None, typer.Option(help="Standard deviation that you expect of a single score.")] = None
    mean: Annotated[
        str | None,
        typer.Option(
            help=f"Shape of the curve: {', '.join(MEANS)}, or auto for their average.  [default: mmf]",
            show_default=False,
        ),
    ] = None

    def model(self) -> APExGP:
        """The model that the options describe."""
        return APExGP(self.mean or "mmf", ceiling=self.ceiling, floor=self.floor, noise=self.noise, seed=self.seed)


@dataclass(frozen=True, kw_only=True)
class ModelOptions(BayesOptions):
    """What a model can be told, the published one among them."""

    published: Annotated[bool, typer.Option("--published", help="Use the method of the paper as it was published.")] = (
        False
    )

    def model(self) -> APExGP:
        """The model that the options describe."""
        if not self.published:
            return super().model()
        if self.floor or self.noise is not None:
            raise RequestError("--published knows neither --floor nor --noise.")
        model: APExGP = APExGP.as_published(self.mean or "power_law", self.ceiling).set_params(seed=self.seed)
        return model


def sizes_asked_for(at: Sequence[str], largest: float) -> list[float]:
    """Sizes as people write them: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot."""
    return [_size(text, largest) for text in at]


def _size(text: str, largest: float) -> float:
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"wants a training-set size such as 20000, 20k or 10x, got {text!r}.", argument="sizes")
    unit = {"": 1.0, "k": 1e3, "m": 1e6, "x": largest}[match[2].lower()]
    return float(match[1]) * unit
