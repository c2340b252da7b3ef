"""The commands that decide: plan, compare, backtest, minimum."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from sklearn.base import clone

from .._files import refuse_to_overwrite
from ..answers.minimum import minimum_sample_size
from ..answers.plan import plan_collection
from ..answers.required import RequiredSize
from ..curve import LearningCurve
from ..errors import DataError, RequestError
from ..estimators import METHODS, CurveEstimator
from ..repeated.backtest import backtest as run_backtest
from ..repeated.backtest import methods_named
from ..repeated.compare import compare_models
from .facts import backtest_facts, compare_facts, minimum_facts, plan_facts
from .options import (
    AsJson,
    Ceiling,
    Confidence,
    Floor,
    LowerIsBetter,
    MeanShape,
    MethodsText,
    Metric,
    Noise,
    Pairs,
    Published,
    ScoreColumn,
    Seed,
    SizeColumn,
    SplitColumn,
    Task,
    model_of,
    one_of,
    options_for_arguments,
    read_file,
    size_of,
)
from .output import one_output, present
from .words import required_words

__all__ = ["backtest", "compare", "minimum", "plan"]


def plan(
    pairs: Pairs,
    target: Annotated[float, typer.Option(help="Score to reach.")],
    cost: Annotated[float, typer.Option(help="What a labelled example costs.")],
    penalty: Annotated[float, typer.Option(help="What it costs not to reach the target, in the same currency.")],
    rounds: Annotated[int, typer.Option(help="How often one can collect.")] = 3,
    start: Annotated[
        int | None,
        typer.Option(help="Examples at hand.  [default: the largest size in the file]", show_default=False),
    ] = None,
    ceiling: Ceiling = 1.0,
    floor: Floor = 0.0,
    noise: Noise = None,
    mean: MeanShape = None,
    published: Published = False,
    as_json: AsJson = False,
    methods_text: MethodsText = False,
    size_column: SizeColumn = "size",
    score_column: ScoreColumn = None,
    split_column: SplitColumn = "split",
    metric: Metric = None,
    task: Task = None,
    lower_is_better: LowerIsBetter = False,
    seed: Seed = 0,
) -> None:
    """Plan how many examples to collect, round by round, when labels and a missed target cost money.

    After each round, measure, add the scores to the file and plan again with the rounds that are left.
    """
    one_output(as_json, methods_text)
    curves = read_file(pairs, size_column, score_column, split_column, metric, task, lower_is_better)
    model = model_of(mean, published, ceiling, floor, noise, seed).fit(one_of(curves, pairs))
    with options_for_arguments():
        found = plan_collection(model, target, cost, penalty, rounds, start)
    facts = plan_facts(model, found)
    rows, before = [], found.start
    for number, (size, met) in enumerate(zip(found.sizes, found.prob_met, strict=True), start=1):
        rows.append(
            [str(number), f"{size - before:,}", f"{size:,}", f"{(size - before) * cost:,.0f}", f"{100 * met:.1f} %"]
        )
        before = size
    present(
        facts,
        ["round", "collect", "to have", "cost", "target met by then"],
        rows,
        as_json=as_json,
        methods_text=methods_text,
    )


def compare(
    files: Annotated[
        list[Path], typer.Argument(help="CSV files, one for each model, with the columns size, score and split.")
    ],
    at: Annotated[
        list[str] | None,
        typer.Option(
            help="Training-set size, or a multiple of the largest in the files such as 10x. Repeat for several.  "
            "[default: 1x 2x 10x]",
            show_default=False,
        ),
    ] = None,
    ceiling: Ceiling = 1.0,
    floor: Floor = 0.0,
    noise: Noise = None,
    mean: MeanShape = None,
    as_json: AsJson = False,
    methods_text: MethodsText = False,
    size_column: SizeColumn = "size",
    score_column: ScoreColumn = None,
    split_column: SplitColumn = "split",
    metric: Metric = None,
    task: Task = None,
    lower_is_better: LowerIsBetter = False,
    seed: Seed = 0,
) -> None:
    """Say which model will be better with more data.

    Scores of the same split (equal labels) are paired.
    """
    one_output(as_json, methods_text)
    if len(files) < 2:
        raise RequestError("compare wants two or more files, one for each model.")
    names = _names(files)
    curves = {
        name: one_of(read_file(path, size_column, score_column, split_column, metric, task, lower_is_better), path)
        for name, path in names.items()
    }
    largest = max(curve.largest for curve in curves.values())
    sizes = [size_of(text, largest) for text in at or ("1x", "2x", "10x")]
    model = model_of(mean, False, ceiling, floor, noise, seed)
    facts = compare_facts(compare_models(curves, sizes, model))
    rows = [
        [f"{pair['first']} beats {pair['second']}", f"{size:,.10g}", f"{100 * chance:.0f} %", f"{gap:+.3f}"]
        for pair in facts["pairs"]
        for size, chance, gap in zip(pair["sizes"], pair["prob_first_better"], pair["difference"], strict=True)
    ]
    present(
        facts, ["which", "size", "probability", "expected difference"], rows, as_json=as_json, methods_text=methods_text
    )


def backtest(
    pairs: Pairs,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Method to judge: {', '.join(METHODS)}. Repeat for several.  [default: all]", show_default=False
        ),
    ] = None,
    holdout: Annotated[
        int | None,
        typer.Option(help="How many of the largest sizes to hold out.  [default: a third]", show_default=False),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(help="Score to reach: say what each method, fitted to all sizes, asks for.", show_default=False),
    ] = None,
    confidence: Confidence = 0.8,
    ceiling: Ceiling = 1.0,
    floor: Floor = 0.0,
    jobs: Annotated[int, typer.Option(help="Processes for a file with several tasks; -1 takes all cores.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write figures of every curve and method to this CSV file.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite that file if it exists.")] = False,
    as_json: AsJson = False,
    methods_text: MethodsText = False,
    size_column: SizeColumn = "size",
    score_column: ScoreColumn = None,
    split_column: SplitColumn = "split",
    metric: Metric = None,
    task: Task = None,
    lower_is_better: LowerIsBetter = False,
    seed: Seed = 0,
) -> None:
    """Judge every method on your own curve: fit the smaller sizes, compare with the larger ones.

    A file with several tasks is pooled.
    """
    one_output(as_json, methods_text)
    if out is not None:
        refuse_to_overwrite(out, force)
    curves = read_file(pairs, size_column, score_column, split_column, metric, task, lower_is_better)
    chosen = _chosen(method, {"ceiling": ceiling, "floor": floor, "seed": seed})
    required = None if target is None else _required(one_of(curves, pairs), chosen, target, confidence)
    with options_for_arguments():
        result = run_backtest(curves, chosen, holdout, n_jobs=jobs)
    if not any(score.curves for score in result.pooled):
        raise DataError(f"{pairs}: {result.pooled[0].failed}")
    if out is not None:
        result.to_csv(out, overwrite=force)
    facts = backtest_facts(result, required)
    header = ["method", "error", "bias", "likelihood", "80 % holds", "95 % holds", "CRPS"]
    header += [] if target is None else [f"examples for {target:g}"]
    largest = max(curve.largest for curve in curves.values())
    rows = []
    for score in facts["methods"]:
        figures = [score[name] for name in ("error", "bias", "likelihood", "coverage_80", "coverage_95", "crps")]
        formats = (".4f", "+.4f", ".3f", ".2f", ".2f", ".4f")
        row = [score["method"], *("-" if v is None else f"{v:{f}}" for v, f in zip(figures, formats, strict=True))]
        if required is not None:
            answer = required[score["method"]]
            row.append("-" if isinstance(answer, str) else required_words(answer, largest))
        rows.append(row)
    present(facts, header, rows, as_json=as_json, methods_text=methods_text)


def minimum(
    prevalence: Annotated[float, typer.Option(help="Share of patients with the outcome.")],
    parameters: Annotated[int, typer.Option(help="Coefficients that are considered for the model.")],
    r2: Annotated[float, typer.Option("--r2", help="Cox and Snell's R2 that the model is expected to reach.")],
    nagelkerke: Annotated[bool, typer.Option("--nagelkerke", help="The R2 is Nagelkerke's.")] = False,
    margin: Annotated[float, typer.Option(help="Half-width of the interval for the overall risk.")] = 0.05,
    shrinkage: Annotated[float, typer.Option(help="Expected shrinkage of the coefficients.")] = 0.9,
    optimism: Annotated[float, typer.Option(help="Difference between apparent and true Nagelkerke's R2.")] = 0.05,
    error: Annotated[float, typer.Option(help="Mean absolute error of the predicted risks.")] = 0.05,
    as_json: AsJson = False,
    methods_text: MethodsText = False,
) -> None:
    """Say how many patients a prediction model with a yes-or-no outcome needs at least (Riley et al. 2020)."""
    one_output(as_json, methods_text)
    with options_for_arguments():
        found = minimum_sample_size(
            prevalence,
            parameters,
            r2,
            nagelkerke=nagelkerke,
            margin=margin,
            shrinkage=shrinkage,
            optimism=optimism,
            error=error,
        )
    facts = minimum_facts(found)
    rows = [[name.replace("_", " "), f"{n:,}"] for name, n in facts["minimum"]["criteria"].items()]
    present(facts, ["criterion", "patients"], rows, as_json=as_json, methods_text=methods_text)


def _chosen(names: list[str] | None, settings: dict[str, float]) -> dict[str, CurveEstimator]:
    """The methods that were asked for, each with those of the settings that it knows."""
    chosen = methods_named(names or list(METHODS))
    for method in chosen.values():
        known = method.get_params(deep=False)
        method.set_params(**{name: value for name, value in settings.items() if name in known})
    return chosen


def _required(
    curve: LearningCurve, methods: dict[str, CurveEstimator], target: float, confidence: float
) -> dict[str, RequiredSize | str]:
    """What each method, fitted to the whole curve, asks for, or why it does not say."""
    found: dict[str, RequiredSize | str] = {}
    for name, method in methods.items():
        try:
            found[name] = clone(method).fit(curve).required_size(target, confidence)
        except DataError as problem:
            found[name] = str(problem)
    return found


def _names(files: list[Path]) -> dict[str, Path]:
    """Names of models: those of the files, as short as they can be told apart."""
    twice = [str(path) for i, path in enumerate(files) if path in files[:i]]
    if twice:
        raise RequestError(f"{twice[0]} is named twice; compare wants one file for each model.")
    stems = {path.stem: path for path in files}
    return stems if len(stems) == len(files) else {str(path): path for path in files}
