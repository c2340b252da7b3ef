"""Options that commands share, in groups: each is declared here once, with what it is for."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import typer

from .._check import some
from ..curve import LearningCurve, curves_and_notes
from ..errors import RequestError
from ..estimators import METHODS, APExGP, CurveEstimator
from ..model.means import MEANS
from ..reading.cells import number_in
from ..reading.source import TableSettings
from ..repeated.backtest import methods_named
from .command import Sets

__all__ = [
    "BayesOptions",
    "Columns",
    "Confidence",
    "CurveFile",
    "CurveFileIfAny",
    "MethodOptions",
    "ModelOptions",
    "among",
    "share_option",
    "sizes_and_times",
    "sizes_asked_for",
    "sizes_to_design",
]


def share_option(*names: str, help: str, **more: Any) -> Any:
    """An option that takes a score or a probability as people write it: 0.82 or 82%."""
    return typer.Option(*names, help=help, parser=_share, metavar="<float>", **more)


def _share(value: str | float) -> float:
    text = str(value).strip()
    try:
        return number_in(text, decimal_comma=False)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no number. Write it as 0.82 or 82%.") from None


Confidence = Annotated[float, share_option(help="Probability with which the target should be met.")]


@dataclass(frozen=True, kw_only=True)
class Columns:
    """How to read a file of measured scores."""

    size_column: Annotated[
        str | None,
        typer.Option(
            help="Column that holds the training-set sizes.  [default: size, n, training examples or the like]",
            show_default=False,
        ),
        Sets("size"),
    ] = None
    score_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores; repeat for a table with one column a split, or write a pattern such as "
            "'fold*'.  [default: score, AUC, accuracy or the like]",
            show_default=False,
        ),
        Sets("score"),
    ] = None
    split_column: Annotated[
        str | None,
        typer.Option(
            help="Column that names the split.  [default: split, fold, seed or the like, if any]", show_default=False
        ),
        Sets("split"),
    ] = None
    metric: Annotated[
        str | None, typer.Option(help="Name of the score, or which of those in the column metric to use.")
    ] = None
    task_column: Annotated[
        str | None,
        typer.Option(
            help="Column that names the task.  [default: task, dataset, model or the like, if any]", show_default=False
        ),
        Sets("task"),
    ] = None
    # To take one of that column's entries is the surfaces' own affair: messages of theirs call it chosen_task.
    task: Annotated[str | None, typer.Option(help="Which of the tasks in that column to use."), Sets("chosen_task")] = (
        None
    )
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The scores are error rates."), Sets("direction")
    ] = False
    unit: Annotated[
        str | None,
        typer.Option(
            help="What a size counts: rows or groups.  [default: what the file says, or rows]", show_default=False
        ),
    ] = None
    train_column: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that holds the scores on the training examples; repeat for a table with one column a split.  "
            "[default: train_score, train AUC or the like, if any]",
            show_default=False,
        ),
        Sets("train_score", "train_scores"),
    ] = None
    sd_column: Annotated[
        str | None,
        typer.Option(
            help="Column that holds the standard deviation of the runs behind each score.  [default: score_sd, sd or "
            "the like, if any]",
            show_default=False,
        ),
        Sets("score_sd"),
    ] = None
    n_test: Annotated[
        str | None,
        typer.Option(
            help="How many test cases are behind a score: a number, or a column.  [default: n_test, test cases or the "
            "like, if any]",
            show_default=False,
        ),
    ] = None
    averaged_over: Annotated[
        str | None,
        typer.Option(
            help="How many runs each score is the mean of: a number, or a column.  [default: averaged_over, n_runs or "
            "the like, if any]",
            show_default=False,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(help="Sheet of an .xlsx workbook: its name or number.  [default: the first]", show_default=False),
    ] = None

    @property
    def wanted(self) -> TableSettings:
        """What the options say of a table."""
        return TableSettings(
            size=self.size_column,
            score=_one_or_several(self.score_column),
            split=self.split_column,
            task=self.task_column,
            metric=self.metric,
            direction="lower" if self.lower_is_better else None,
            unit=self.unit,
            sheet=self.sheet,
            train_score=_one_or_several(self.train_column),
            score_sd=self.sd_column,
            n_test=self.n_test,
            averaged_over=self.averaged_over,
        )

    def curves_of(self, path: Path) -> dict[str | None, LearningCurve]:
        """Read the curves of a file, or the one of them that was asked for; - is standard input."""
        curves, notes = curves_and_notes(sys.stdin.buffer if str(path) == "-" else path, self.wanted)
        for note in notes:
            typer.echo(f"Note: {note}", err=True)
        if self.task is None:
            return curves
        if self.task not in curves:
            raise RequestError(f"{path} has no task {self.task!r}; found {some([str(name) for name in curves], 20)}.")
        return {self.task: curves[self.task]}

    def only_curve_of(self, path: Path) -> LearningCurve:
        """Read the only curve of a file."""
        return _only(self.curves_of(path), path)


def _only(curves: dict[str | None, LearningCurve], path: Path) -> LearningCurve:
    if len(curves) > 1:
        names = some([str(name) for name in curves], 20)
        raise RequestError(
            f"{path} holds {len(curves)} tasks ({names}).", remedy=("Choose one with {}.", "chosen_task")
        )
    (curve,) = curves.values()
    return curve


def _one_or_several(names: list[str] | None) -> str | list[str] | None:
    """A column by its name, where only one is named: several are splits."""
    return names[0] if names and len(names) == 1 else names


@dataclass(frozen=True, kw_only=True)
class CurveFile(Columns):
    """A file of measured scores."""

    pairs: Annotated[
        Path,
        typer.Argument(
            help="Table (CSV or .xlsx) with the columns size, score and, if known, split; - is standard input.",
            allow_dash=True,
        ),
    ]

    def curves(self) -> dict[str | None, LearningCurve]:
        """Every curve."""
        return self._curves

    def only_curve(self) -> LearningCurve:
        """The only curve."""
        return _only(self._curves, self.pairs)

    @cached_property
    def _curves(self) -> dict[str | None, LearningCurve]:
        return self.curves_of(self.pairs)  # once: standard input cannot be read again


@dataclass(frozen=True, kw_only=True)
class CurveFileIfAny(Columns):
    """A file of measured scores, where there is one already."""

    pairs: Annotated[
        Path | None,
        typer.Argument(
            help="Table (CSV or .xlsx) with the columns size, score and, if known, split; - is standard input. Leave "
            "it out before the first pilot.",
            allow_dash=True,
            show_default=False,
        ),
    ] = None

    def only_curve(self) -> LearningCurve | None:
        """The only curve, if there is a file."""
        if self.pairs is None and self.lower_is_better:
            raise RequestError("--lower-is-better goes with a file of scores.")
        return None if self.pairs is None else self.only_curve_of(self.pairs)


@dataclass(frozen=True, kw_only=True)
class MethodOptions:
    """What a method can be told, whichever it is."""

    ceiling: Annotated[
        float,
        share_option(
            help="Highest score that is possible at all; with --lower-is-better, the chance level of the error rate."
        ),
    ] = 1.0
    floor: Annotated[
        float,
        share_option(
            help="Chance level, for instance 0.5 for AUROC; with --lower-is-better, the lowest error rate that is "
            "possible at all."
        ),
    ] = 0.0
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0

    def methods(self, names: Sequence[str] | None) -> dict[str, CurveEstimator]:
        """The methods of these names, all where there are none, each with those of the options that it knows."""
        chosen = methods_named(names or list(METHODS))
        for method in chosen.values():
            known = method.get_params(deep=False)
            method.set_params(**{name: value for name, value in asdict(self).items() if name in known})
        return chosen


@dataclass(frozen=True, kw_only=True)
class BayesOptions(MethodOptions):
    """What a model that knows how sure it is can be told."""

    noise: Annotated[float | None, typer.Option(help="Standard deviation that you expect of a single score.")] = None
    mean: Annotated[
        str | None,
        typer.Option(
            help=f"Shape of the curve: {', '.join(MEANS)}, or auto for their average.  [default: mmf]",
            show_default=False,
            autocompletion=among(*MEANS, "auto"),
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
        if self.noise is not None:
            raise RequestError("--published knows no --noise.")
        made: APExGP = APExGP.as_published(self.mean or "power_law", self.ceiling, self.floor)
        model: APExGP = made.set_params(seed=self.seed)
        return model


def among(*words: str) -> Callable[[str], list[str]]:
    """Words that a shell can complete an option's value with."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def sizes_and_times(at: Sequence[str]) -> tuple[list[float], list[float]]:
    """Sizes as people write them, apart from multiples of a pilot that is not known yet."""
    texts = [one for text in at for one in _apart(text, "sizes")]
    multiples = [text for text in texts if text.strip().lower().endswith("x")]
    sizes = [text for text in texts if text not in multiples]
    return [_size(text, 1.0, "sizes") for text in sizes], [_size(text, 1.0, "sizes") for text in multiples]


def sizes_asked_for(at: Sequence[str], largest: float, argument: str = "sizes") -> list[float]:
    """Sizes as people write them: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot.

    One text may hold several, with commas between them. Errors are about the `argument` that is set so.
    """
    return [_size(one, largest, argument) for text in at for one in _apart(text, argument)]


def sizes_to_design(argument: str, texts: Sequence[str] | None, largest: float | None) -> list[float] | None:
    """Sizes as people write them, beside the `largest` of a pilot where there is one."""
    if not texts:
        return None
    if largest is None and any("x" in text.lower() for text in texts):
        raise RequestError("must be sizes: without a pilot there is nothing to be a multiple of.", argument=argument)
    return sizes_asked_for(texts, largest or 1.0, argument)


def _apart(text: str, argument: str) -> list[str]:
    """The sizes in a text; a comma that may part thousands as well as sizes is refused."""
    if re.fullmatch(r"\s*[1-9]\d{0,2}(,\d{3})+\s*", text):
        joined = text.replace(",", "").strip()
        if re.search(r",0", text):
            return [joined]  # no size begins with a nought
        parts = text.strip().replace(",", ", ")
        raise RequestError(
            f"can be read as {joined} or as {parts}. Write {joined}, or '{parts}' with spaces.", argument=argument
        )
    return [one for one in text.split(",") if one.strip()] or [text]


def _size(text: str, largest: float, argument: str) -> float:
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"wants a training-set size such as 20000, 20k or 10x, got {text!r}.", argument=argument)
    unit = {"": 1.0, "k": 1e3, "m": 1e6, "x": largest}[match[2].lower()]
    return float(match[1]) * unit
