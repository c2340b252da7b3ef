"""`collect_scores`: learning curves of any training function of a size and a seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, get_args

from numpy.typing import ArrayLike

from .._check import check_bool, check_choice, check_list, check_text, check_whole_number, format_some, format_value
from ..curve import Direction
from ..errors import RequestError
from ..files.writing import check_writable
from ..reading.files import one_line
from ..reading.known_metrics import UNNAMED
from ..reading.measure import unit_label
from ..running.processes import check_n_jobs
from ..scale import Range, check_range, range_to_text
from .curves import CurveSet
from .fit_record import DIRECTION, ESTIMATOR_NAME, PARTS, RANGE, FitKey, FitRecord, FitRow
from .identity import describe_training
from .outcome import INPUT_KEYS, NoScoreError, is_number, to_outcome
from .runner import AfterScore, FitCall, StopCondition, run_fits
from .sizes import MOST_SPLITS, SizeChoice, SizeLimits

__all__ = ["TrainFunction", "TrainingPlan", "collect_scores"]

TrainFunction = Callable[[int, int], Any]
"""A function of the number of training examples and the seed."""

_OUTCOME = "outcome"  # key of a row until it gets the columns of the record


def collect_scores(
    train: TrainFunction,
    sizes: ArrayLike | str,
    n_splits: int = 3,
    *,
    metric: str | Sequence[str] | None = None,
    direction: Direction | None = None,
    range: Range | None = None,
    unit: str = "rows",
    n_jobs: int | None = None,
    results: str | os.PathLike[str] | None = None,
    progress: bool = True,
    after: AfterScore | None = None,
    stop: StopCondition | None = None,
) -> CurveSet:
    """Measure a learning curve of anything that can be trained.

    Where `collect_curves` divides labelled data and fits a classifier, here your own function does both. The rest is
    the same: the largest sizes come first, each score is recorded before the next is measured, an interrupted run
    resumes, a fit that raises is recorded as failed and retried the next time, and fits run in processes or on a Dask
    cluster.

    Parameters
    ----------
    train : function of (n, seed)
        Trains on `n` examples and returns the score on held-out ones: a number, or a mapping from names of metrics to
        numbers, or an object (or mapping) with the attributes `test` and, if known, `train`, `validation`, `seconds`
        and `n_test`, the scores numbers or such mappings. `seed` is 0 to `n_splits` - 1, the same at every size: let it
        determine which examples are held out and, of the others, which come first, so that the training sets of a split
        are nested.
    sizes : sequence of int or "paper"
        Numbers of training examples.
    n_splits : int
        Number of splits, at each size.
    metric : str or list of str, optional
        What the score is called; of a mapping, which of its numbers are scores. By default those whose names are those
        of metrics (auc, val_loss), all of them where no name is; and "score" for a number without a name. What was left
        out is in the record, and mentioned in `notes`.
    direction : {"higher", "lower"}, optional
        Whether higher or lower scores are better; by default what the name of a metric says.
    range : pair of numbers, optional
        The lowest and the highest value that a score can take, for all metrics; by default what the name of a metric
        says, as for `LearningCurve`. It may also be given later: the scores are recorded whatever they are.
    unit : str
        What a size counts, as worded in answers, such as "patients"; "rows" are training examples.
    n_jobs : int, optional
        Number of processes, as for `collect_curves`.
    results : path, optional
        CSV file to which each score is appended as soon as it is known. A call with the same function resumes from it:
        finished fits are kept, failed ones retried. Sizes and splits may be added.
    progress : bool
        Show a progress bar, where there is a terminal.
    after : function of a CurveSet, optional
        Called with the curves so far after each new score, for instance to forecast.
    stop : function of a CurveSet, optional
        Asked after every score, and before the first if some exist already, whether that is enough: `Enough` stops when
        a forecast is narrow enough or a target question is settled. Splits are then measured one after the other, each
        from its largest size down. Fits in progress are abandoned.

    Returns
    -------
    CurveSet
        Mapping from (None, metric) to LearningCurve, with `.only` for a single one, and `.fits`, the table of fits.

    Warns
    -----
    FailedFitsWarning
        Some fits raised errors, or returned no score.

    Examples
    --------
    >>> def train(n, seed):
    ...     return 0.9 - 0.8 * n**-0.5 + 0.01 * seed
    >>> collect_scores(train, [50, 100, 200], metric="auroc").only
    LearningCurve(9 scores at 3 sizes from 50 to 200, 3 splits, metric='auroc')
    """
    n_jobs, progress = check_n_jobs(n_jobs), check_bool("progress", progress)
    record = None if results is None else check_writable(results, overwrite=True)
    if not callable(train):
        raise RequestError(f"must be a function of (n, seed), got {format_value(train)}.", argument="train")
    for name, function in (("after", after), ("stop", stop)):
        if function is not None and (isinstance(function, type) or not callable(function)):
            raise RequestError(f"must be a function of the curves so far, got {format_value(function)}.", argument=name)
    plan = TrainingPlan.build(
        train,
        sizes,
        n_splits,
        metric=metric,
        direction=direction,
        score_range=range,
        unit=unit,
        identity={
            ESTIMATOR_NAME: getattr(train, "__qualname__", type(train).__name__),
            "train": describe_training(train),
        },
        by_split=stop is not None,
    )
    return run_fits(plan, n_jobs=n_jobs, results=record, progress=progress, after=after, stop=stop)


@dataclass(frozen=True)
class TrainingPlan:
    """A run of a training function: the `RunPlan` of `collect_scores` and `apexgp run`.

    Attributes
    ----------
    fits : list of (size, split)
        In the order in which to start them.
    """

    train: TrainFunction
    fits: list[tuple[int, int]]
    settings: dict[str, Any]
    unnamed: str
    accepts_other_metrics: bool = field(default=True, init=False)

    @classmethod
    def build(
        cls,
        train: TrainFunction,
        sizes: ArrayLike | str,
        n_splits: int,
        *,
        metric: str | Sequence[str] | None,
        direction: Direction | None,
        score_range: Range | str | None,
        unit: str,
        identity: Mapping[str, Any],
        by_split: bool = False,
    ) -> TrainingPlan:
        """Check the settings of `collect_scores`, whose `range` is `score_range` here, and list the fits.

        `identity` holds settings that identify the function in the record; `by_split` measures one split after another.
        """
        splits = range(check_whole_number("n_splits", n_splits, least=1, most=MOST_SPLITS))
        metrics = _check_metric_names(metric)
        if direction is not None:
            check_choice("direction", direction, get_args(Direction))
        unit = unit_label(unit, RequestError)
        wanted_sizes = SizeChoice.from_request(sizes, SizeLimits(1, 2**53 - 1, 1.0, unit)).sizes
        fits = [(size, split) for size in reversed(wanted_sizes) for split in splits]  # the longest first
        stated = None if score_range is None else range_to_text(check_range(score_range))
        settings = {"metrics": metrics, **identity, DIRECTION: direction, RANGE: stated, "unit": unit}
        unnamed = UNNAMED if metrics is None else metrics[0]
        return cls(train, sorted(fits, key=lambda fit: fit[1]) if by_split else fits, settings, unnamed)

    def make_notes(self, rows: Sequence[FitRow]) -> tuple[str, ...]:
        """Note on numbers that were not taken for scores, where the caller named no metrics."""
        if self.settings["metrics"] is not None:
            return ()
        found = (row["parameters"].items() for row in rows)
        unread = {name: None for pairs in found for name, value in pairs if is_number(value) and name not in INPUT_KEYS}
        if not unread:
            return ()
        pronoun = "it" if len(unread) == 1 else "them"
        return (
            f"Not read as {'a score' if len(unread) == 1 else 'scores'}, judging by name: "
            f"{format_some(list(unread))}. The record has {pronoun}; to measure {pronoun}, name the metrics.",
        )

    def list_calls(self) -> list[FitCall]:
        """Function calls that make the fits, in the order in which to start them."""
        return [self._make_call(size, split) for size, split in self.fits]

    def _make_call(self, size: int, split: int) -> FitCall:
        which = FitKey(size, split, None)._asdict()
        row: FitRow = {**which, "parameters": {}, "test_cases": None, "seconds": 0.0, "error": ""}
        return FitCall(row, train_once, (row, self.train, self.unnamed))

    def to_record_row(self, row: FitRow, record: FitRecord) -> FitRow:
        """Put the scores into the columns of the record, which the first score names."""
        row = dict(row)
        outcome = row.pop(_OUTCOME, None)
        wanted: list[str] | None = self.settings["metrics"]
        if outcome is not None and not record.metrics:
            record.name_metrics(wanted or outcome.likely_metrics)
        scores: FitRow = {f"{part}_{name}": None for name in record.metrics for part in PARTS}
        if outcome is None:
            return scores | row
        missing = [name for name in record.metrics if name not in outcome.metrics]
        if missing:
            received = format_some([f"{name} = {value:g}" for name, value in outcome.scores["test"].items()])
            return scores | row | {"error": f"no {format_some(missing)}, only {received}"}
        for part, own in outcome.scores.items():
            scores |= {f"{part}_{name}": own[name] for name in record.metrics if name in own}
        others = {name: own for name, own in outcome.scores["test"].items() if name not in record.metrics}
        return row | scores | {"parameters": {**outcome.extras, **others}}


def train_once(row: FitRow, train: TrainFunction, unnamed: str) -> FitRow:
    """Call the training function; an exception, or a result that is no score, becomes the row's error."""
    start = perf_counter()
    found = dict(row)
    try:
        outcome = to_outcome(train(row["size"], row["split"]), row["size"], row["split"], unnamed)
        found |= {_OUTCOME: outcome, "test_cases": outcome.n_test}
    except NoScoreError as problem:
        found["error"] = one_line(str(problem))
    except (Exception, SystemExit) as problem:  # another person's function: what it raises is the fit's record
        found["error"] = one_line(f"{type(problem).__name__}: {problem}")
    else:
        found["seconds"] = outcome.seconds
    if not found["seconds"]:
        found["seconds"] = round(perf_counter() - start, 4)
    return found


def _check_metric_names(metric: str | Sequence[str] | None) -> list[str] | None:
    if metric is None:
        return None
    wanted = "one or more different names of metrics"
    names = [metric] if isinstance(metric, str) else check_list("metric", metric, wanted)
    names = [check_text("metric", name, wanted) for name in names]
    if not names or len(set(names)) < len(names) or not all(name and name.isprintable() for name in names):
        raise RequestError(f"must be {wanted}, got {format_value(metric)}.", argument="metric")
    return names
