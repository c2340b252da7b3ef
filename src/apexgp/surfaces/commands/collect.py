"""The command `apexgp collect`."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from ...collect.capabilities import check_classifier
from ...collect.fit_plan import FitPlan
from ...collect.labelled import MappedScans, read_labelled
from ...collect.logistic import LogisticHead
from ...collect.prepare import Prepared
from ...collect.runner import run_fits
from ...collect.slices import SliceHead
from ...collect.tuned import TunedLogistic
from ...errors import ClassesLeftOutWarning, RequestError
from ..command import SetsArgument, parse_numbers
from ..curve_output import CurveOutput, print_curve
from ..recording import RecordOptions
from ..workers import WorkerOptions, show_all_warnings

__all__ = ["collect"]

_ESTIMATORS = ("logistic", "random-forest", "gradient-boosting", "logistic-head", "slice-head")


def collect(
    *,
    data: Annotated[
        Path, typer.Argument(help="Table (CSV), or embeddings (.npy, .npz, folder of scans), with one row per case.")
    ],
    label: Annotated[
        list[str],
        typer.Option(help="Column (or array of an .npz file) that holds the classes. Repeat for several tasks."),
        SetsArgument("label", "y"),
    ],
    group: Annotated[
        str | None,
        typer.Option(help="Column that says which rows belong together, such as a patient identifier."),
        SetsArgument("group", "groups"),
    ] = None,
    labels: Annotated[Path | None, typer.Option(help="CSV file with the labels and groups of the embeddings.")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="Column that is not a feature. Repeat for several.")] = None,
    estimator: Annotated[
        str | None,
        typer.Option(
            help=f"Classifier: {', '.join(_ESTIMATORS)} (the paper's two), or your own as module:object.",
            show_default="logistic; slice-head for scans",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="auroc, accuracy, balanced_accuracy, average_precision or a scorer of scikit-learn. Repeat for "
            "several.",
            show_default="auroc",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Training-set sizes separated by commas, or paper for 60,94,147,230,360.",
            show_default="5 to 10, evenly spaced on a log scale, up to the whole training set",
        ),
    ] = None,
    splits: Annotated[int, typer.Option(help="Number of random splits."), SetsArgument("n_splits")] = 3,
    ratio: Annotated[str, typer.Option(help="Shares of train, validation and test.")] = "8:1:1",
    multiclass: Annotated[
        str, typer.Option(help="With several classes: one_vs_rest (one curve per class) or macro (one curve).")
    ] = "one_vs_rest",
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="Which of several labels or classes to measure. Repeat for several.",
            show_default="all",
        ),
        SetsArgument("tasks"),
    ] = None,
    by_group: Annotated[
        bool, typer.Option("--by-group", help="Let a size count whole groups, such as patients, instead of rows.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the splits, subsets and classifiers.")] = 0,
    workers: WorkerOptions,
    kept: RecordOptions,
    files: CurveOutput,
) -> None:
    """Measure a pilot curve: train on growing subsets of labelled data, tune on validation, score on test."""
    kept.check_name()
    given = read_labelled(data, label, group, labels=labels, drop=drop or ())
    for note in given.notes:
        typer.echo(note, err=True)
    called = estimator or ("slice-head" if isinstance(given.X, MappedScans) else "logistic")
    classifier = _build_classifier(called)
    check_classifier(classifier)  # here, while it is not yet wrapped in what prepares its data
    with show_all_warnings(), workers.at_work() as n_jobs:
        warnings.simplefilter("ignore", ClassesLeftOutWarning)  # it stands among the notes, too
        plan = FitPlan.build(
            Prepared(classifier, given.categorical) if given.needs_preparation else classifier,
            given.X,
            given.y,
            groups=given.groups,
            sizes=None if sizes is None else sizes if sizes == "paper" else parse_numbers("sizes", sizes, ","),
            n_splits=splits,
            metric=metric or "auroc",
            param_grid=None,
            seed=seed,
            ratio=parse_numbers("ratio", ratio, ":"),  # type: ignore[arg-type]
            multiclass=multiclass,
            by_group=by_group,
            tasks=task,
            names=given.names,
            categorical=given.categorical,
            estimator_name=called,
            embedded=data.suffix.lower() in (".npy", ".npz"),
        )
        for note in plan.notes:
            typer.echo(note, err=True)
        with files.going_on():
            curves = run_fits(plan, n_jobs=n_jobs, results=files.fits, progress=True)
    files.write(curves)
    for (measured, name), curve in curves.items():
        print_curve(curve, measured, name)
    files.say_where(curves)
    kept.record_measured(curves)
    if curves.failed:
        raise typer.Exit(1)


def _build_classifier(name: str) -> Any:
    if name == "logistic":
        return TunedLogistic()
    if name == "logistic-head":
        return LogisticHead()
    if name == "slice-head":
        return SliceHead()
    if name == "random-forest":
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(n_estimators=300)
    if name == "gradient-boosting":
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier()
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise RequestError(
            f"must be one of {', '.join(_ESTIMATORS)}, or your own as module:object, got {name!r}.",
            argument="estimator",
        )
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # as `python -m` does; a script on the path would not see the user's folder
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as problem:
        raise RequestError(f"{name} was not found: {problem}.", argument="estimator") from None
    except (Exception, SystemExit) as problem:  # the user's own module
        raise RequestError(
            f"{name}: {module} failed to import ({type(problem).__name__}: {problem}).", argument="estimator"
        ) from problem
    try:
        return found() if isinstance(found, type) else found
    except Exception as problem:  # the user's own class
        raise RequestError(
            f"{name} cannot be created without arguments ({type(problem).__name__}: {problem}). Create one in "
            f"{module}, as in mine = {attribute}(...), and name that: {module}:mine.",
            argument="estimator",
        ) from None
