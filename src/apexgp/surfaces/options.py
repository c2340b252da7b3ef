"""Options that commands share, in groups: each is declared here once, with what it is for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import typer

from ..answers.required import CONFIDENCE
from ..curve import read_curves_and_notes
from ..errors import RequestError
from ..estimators import APExGP
from ..forecast import LEVEL, Quantity
from ..inference.sampler import TOLERATED
from ..learners import LEARNERS, UNKNOWN, check_learner
from ..model.beliefs import CALIBRATED, Beliefs, adapt_to_kind, read_priors
from ..model.means import DEFAULT_MEAN, MEANS
from ..questions.forecast import ForecastQuestion
from ..questions.reach import Reach
from ..reading.cells import number_in
from ..reading.source import TableSettings
from ..repeated.many import DEFAULT_TIMES
from .command import Sets

__all__ = [
    "BayesOptions",
    "Confidence",
    "ForecastOptions",
    "MethodOptions",
    "ModelOptions",
    "StudyOptions",
    "among",
    "as_multiples",
    "numbers_in",
    "reach_of",
    "share_option",
]


def among(*words: str) -> Callable[[str], list[str]]:
    """Words that a shell can complete an option's value with."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def as_multiples(times: Sequence[float]) -> str:
    """Multiples of the largest size, as an option's help names them."""
    return " ".join(f"{number:g}x" for number in times)


def share_option(*names: str, help: str, **more: Any) -> Any:
    """An option that takes a score or a probability as people write it: 0.82 or 82%."""
    return typer.Option(*names, help=help, parser=_share, metavar="<float>", **more)


def _share(value: str | float) -> float:
    text = str(value).strip()
    try:
        return number_in(text, decimal_comma=False)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number. Write it as 0.82 or 82%.") from None


def numbers_in(argument: str, text: str, separator: str) -> list[float]:
    """Numbers with a sign between them, as an option takes them."""
    try:
        return [float(part) for part in text.split(separator)]
    except ValueError:
        raise RequestError(f"must be numbers separated by {separator!r}, got {text!r}.", argument=argument) from None


_UNITS = {"k": 1e3, "m": 1e6}

Confidence = Annotated[float, share_option(help="Probability with which the target should be reached.")]


@dataclass(frozen=True, kw_only=True)
class ForecastOptions:
    """What is asked of a forecast."""

    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size to forecast, or a multiple of the largest in the file such as 10x. Repeat for "
            "several, or separate them by commas.",
            show_default=as_multiples(DEFAULT_TIMES),
        ),
        Sets("sizes", "times", "to"),
    ] = None
    target: Annotated[
        float | None, share_option(help="Score to reach: say how many examples it takes.", show_default=False)
    ] = None
    confidence: Confidence = CONFIDENCE
    of: Annotated[
        str,
        typer.Option(
            help="What to forecast: new_splits, same_splits (the pilot's, continued) or expected.",
            autocompletion=among(*get_args(Quantity)),
        ),
    ] = "new_splits"
    level: Annotated[
        float, share_option(help="Probability that the interval should cover the score."), Sets("level", "levels")
    ] = LEVEL

    def question(self) -> ForecastQuestion:
        """The question that the options ask, which checks them."""
        return ForecastQuestion(
            at=reach_of(self.at),
            target=self.target,
            confidence=self.confidence,
            of=cast(Quantity, self.of),
            level=self.level,
        )


@dataclass(frozen=True, kw_only=True)
class StudyOptions(ForecastOptions):
    """The same for a study that has to state both of its sizes: for development and for evaluation."""

    prevalence: Annotated[
        float | None,
        share_option(
            help="Share of patients with the outcome: with --target, also say how many it takes to evaluate the model.",
            show_default=False,
        ),
    ] = None
    cstatistic: Annotated[
        float | None,
        share_option(
            help="The C statistic (AUROC) to evaluate for.",
            show_default="the target, where the scores are AUROCs",
        ),
    ] = None

    def question(self) -> ForecastQuestion:
        """The question that the options ask, which checks them."""
        return replace(super().question(), prevalence=self.prevalence, cstatistic=self.cstatistic)


@dataclass(frozen=True, kw_only=True)
class MethodOptions:
    """What a method can be told, whichever it is."""

    ceiling: Annotated[
        float,
        share_option(help="Highest possible score; where lower is better, the chance level of the error rate."),
    ] = 1.0
    floor: Annotated[
        float,
        share_option(
            help="Chance level, for instance 0.5 for AUROC; where lower is better, the lowest possible error rate."
        ),
    ] = 0.0
    seed: Annotated[int, typer.Option(help="Seed of the search.")] = 0


@dataclass(frozen=True, kw_only=True)
class BayesOptions(MethodOptions):
    """What a model that knows how sure it is can be told."""

    noise: Annotated[float | None, typer.Option(help="Standard deviation you expect a single score to have.")] = None
    learner: Annotated[
        str | None,
        typer.Option(
            help=f"Kind of learner, whose priors are used: {', '.join(LEARNERS)}, or {UNKNOWN}.",
            show_default="what the file says in its column learner, if it does",
            autocompletion=among(*LEARNERS, UNKNOWN),
        ),
    ] = None
    precision: Annotated[
        float | None,
        typer.Option(
            help="Numerical precision of the ends of 95 % intervals, as a share of their width; halving it takes four "
            "times as long.",
            show_default=f"{TOLERATED:g}",
        ),
    ] = None
    mean: Annotated[
        str | None,
        typer.Option(
            help=f"Shape of the curve: {', '.join(MEANS)}, or auto for an average weighted by evidence.",
            show_default=DEFAULT_MEAN,
            autocompletion=among(*MEANS, "auto"),
        ),
    ] = None
    priors: Annotated[
        Path | None,
        typer.Option(help="Priors written by apexgp learn, instead of the shipped ones.", show_default=False),
    ] = None
    related: Annotated[
        Path | None,
        typer.Option(
            help="Table of related whole curves, such as last year's: priors are learnt from them first.",
            show_default=False,
        ),
    ] = None

    def model(self) -> APExGP:
        """The model that the options describe."""
        return APExGP(
            self.mean or DEFAULT_MEAN,
            ceiling=self.ceiling,
            floor=self.floor,
            noise=self.noise,
            learner=None if self.related is not None else self.learner,
            precision=self.precision,
            seed=self.seed,
            priors=self._priors(),
        )

    def _priors(self) -> Beliefs | Literal["calibrated"]:
        """Priors of a file, those learnt from related curves, or the shipped ones."""
        kind = None if self.learner is None or check_learner(self.learner) == UNKNOWN else self.learner
        if kind is not None and self.priors is not None:
            raise RequestError("moves the shipped priors, not those of a file.", argument="learner")
        held = None if self.priors is None else read_priors(self.priors)
        if self.related is None:
            return "calibrated" if held is None else held
        from ..learning.learn import learn_from_related
        from .words.learn import learnt_line

        start = CALIBRATED if kind is None else adapt_to_kind(kind)
        curves, notes = read_curves_and_notes(self.related, TableSettings())
        for note in notes:
            typer.echo(f"Note: {note}", err=True)
        learnt = learn_from_related(curves, None, start if held is None else held, self.seed)
        typer.echo(f"Note: {learnt_line(learnt)}", err=True)
        return learnt


@dataclass(frozen=True, kw_only=True)
class ModelOptions(BayesOptions):
    """What a model can be told, the published one among them."""

    published: Annotated[bool, typer.Option("--published", help="Use the paper's method as published.")] = False

    def model(self) -> APExGP:
        """The model that the options describe."""
        if not self.published:
            return super().model()
        if self.noise is not None:
            raise RequestError("--published does not take --noise.")
        if self.precision is not None:
            raise RequestError("--published does not take --precision.")
        if self.learner is not None:
            raise RequestError("--published does not take --learner.")
        if self.priors is not None or self.related is not None:
            raise RequestError(f"--published does not take {'--related' if self.priors is None else '--priors'}.")
        made: APExGP = APExGP.as_published(self.mean or "power_law", self.ceiling, self.floor)
        model: APExGP = made.set_params(seed=self.seed)
        return model


def reach_of(texts: Sequence[str] | None, argument: str = "sizes") -> Reach:
    """Sizes as people write them: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot.

    One text may hold several, with commas between them. Errors are about the `argument` that is set so.
    """
    sizes: list[float] = []
    times: list[float] = []
    for text in (one for given in texts or () for one in _apart(given, argument)):
        number, unit = _size(text, argument)
        (times if unit == "x" else sizes).append(number * _UNITS.get(unit, 1.0))
    return Reach.checked(sizes or None, times or None, arguments=(argument, argument))


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


def _size(text: str, argument: str) -> tuple[float, str]:
    if re.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+", text.strip()):  # thousands, as much of Europe writes them
        whole = text.strip().replace(".", "")
        if text.count(".") == 1:
            either = f"{float(text):g} or as {whole}"
            raise RequestError(f"can be read as {either}. Write {whole} if that is meant.", argument=argument)
        text = whole
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"must be a training-set size such as 20000, 20k or 10x, got {text!r}.", argument=argument)
    return float(match[1]), match[2].lower()
