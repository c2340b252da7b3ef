"""Write a report."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from ..._check import check_bool, check_mapping, format_value
from ..._extras import import_extra
from ...errors import ApexError, RequestError
from ...estimators import APExGP
from ...estimators.contract import check_is_fitted
from ...files.writing import check_writable, write_text
from ...forecast import LEVEL, Quantity
from ...question_base.sizes import SizeSpec
from ...questions.plan import ROUNDS
from ...questions.report import ReportQuestion
from ...required import CONFIDENCE
from ...running.terminal import progress_bar
from .page import build_report_page

__all__ = ["answer_report", "write_report"]


def write_report(
    model: APExGP | Mapping[Any, APExGP | ApexError],
    path: str | os.PathLike[str],
    sizes: ArrayLike | None = None,
    *,
    times: ArrayLike | None = None,
    target: float | None = None,
    confidence: float = CONFIDENCE,
    prevalence: float | None = None,
    cstatistic: float | None = None,
    of: Quantity = "new_splits",
    level: float = LEVEL,
    cost_per_example: float | None = None,
    penalty: float | None = None,
    rounds: int = ROUNDS,
    budget: float | None = None,
    available: float | None = None,
    title: str | None = None,
    author: str | None = None,
    project: str | None = None,
    overwrite: bool = False,
    progress: bool = True,
) -> None:
    """Write everything there is to say about a forecast as one HTML file, which works offline and prints well.

    It contains the answers in words, a chart, the forecasts, the size that a target takes, a plan, whether measuring
    more would change the decision, what the answer depends on, a predictive check, a backtest on the pilot, cautions,
    assumptions, the data, and the code that reproduces it. Needs `pip install 'apexgp[report]'`.

    Parameters
    ----------
    model
        A fitted model, or a mapping from names of tasks to such models: a summary, and a section on each. An error in
        place of a model is reported as the reason why there is none.
    path
        The file.
    sizes
        Training-set sizes to forecast.
    times
        More of them, as multiples of a pilot's largest size; 2, 10 and 50 where neither is given.
    target, confidence
        Score to reach, and the probability with which it should be, as for `APExGP.required_size`.
    prevalence, cstatistic
        With a target, for a report on one task: share of patients with the outcome, and the C statistic (AUROC) that
        the model is expected to have, by default the target where the scores are AUROCs. They add how many patients it
        takes to evaluate the model, as for `minimum_evaluation_size`.
    of
        What is forecast, as for `APExGP.forecast`. A target refers to the true expected score, whatever is forecast.
    level
        Probability that the intervals should cover the score.
    cost_per_example, penalty, rounds
        Costs to plan by, as for `plan_collection`.
    budget, available
        Number of fits, and most examples available for training, for the advice on what to measure next, as for
        `design_pilot`. By default 12 fits, where the model can judge them (the published one cannot); 0 for no advice.
    title, author, project
        Lines above the answers; without a title, what they are about.
    overwrite
        Whether the file may exist.
    progress
        Show a progress bar, where there is a terminal and the work takes more than a moment.
    """
    check_writable(path, overwrite)
    check_bool("progress", progress)
    question = ReportQuestion(
        at=SizeSpec.build(sizes, times, arguments=("sizes", "times")),
        of=of,
        level=level,
        target=target,
        confidence=confidence,
        prevalence=prevalence,
        cstatistic=cstatistic,
        cost_per_example=cost_per_example,
        penalty=penalty,
        rounds=rounds,
        budget=budget,
        available=available,
        title=title,
        author=author,
        project=project,
    )
    answer_report(question, model, path, overwrite=overwrite, progress=progress)


def answer_report(
    question: ReportQuestion,
    model: APExGP | Mapping[Any, APExGP | ApexError],
    path: str | os.PathLike[str],
    *,
    overwrite: bool,
    progress: bool = True,
) -> None:
    """Put a question to a fitted model, or to each of several, and write the report."""
    import_extra("jinja2", "write_report", "report")
    models, failed = _sort_out(model)
    if question.prevalence is not None and len(models) > 1:
        raise RequestError(
            f"applies to one task, whose outcome it describes; there are {len(models)}.", argument="prevalence"
        )
    answers = {}
    with progress_bar("tasks", len(models), shown=progress) as advance:
        for name, one in models.items():
            answers[name] = question.answer(one)
            advance()
    write_text(path, build_report_page(answers, failed, question), overwrite=overwrite)


def _sort_out(model: APExGP | Mapping[Any, APExGP | ApexError]) -> tuple[dict[str, APExGP], dict[str, str]]:
    """Fitted models by the names of their tasks, and what became of the others."""
    given = check_mapping("model", model) if isinstance(model, Mapping) else {None: model}
    models: dict[str, APExGP] = {}
    failed: dict[str, str] = {}
    for key, one in given.items():
        name = "" if key is None else format_value(key) if not isinstance(key, str) else key
        if isinstance(one, ApexError):
            failed[name] = str(one)
            continue
        if not isinstance(one, APExGP):
            raise RequestError(
                f"must be a fitted APExGP, or a mapping to such models, got {format_value(one)}.", argument="model"
            )
        check_is_fitted(one)
        models[name] = one
    if not models:
        reasons = "; ".join(failed.values())
        raise RequestError(f"There is no fitted model to report on{f': {reasons}' if reasons else '.'}")
    if len(models) + len(failed) == 1:
        models = dict(zip([""], models.values(), strict=True))  # one task needs no name but its own
    return models, failed
