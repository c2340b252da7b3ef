"""The lines of Python and of shell that give the numbers of the page again."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable

from ...curve import LearningCurve
from ...questions.forecast import ForecastAnswer, ForecastQuestion
from ...questions.plan import PlanAnswer
from ...reading.score_details import BY_SCORE
from ...reading.score_range import range_and_direction
from .remake import made_by_options, made_in_python, plainly, sizes_as_options

__all__ = ["MEASUREMENTS", "PRIORS", "answer_in_python", "answer_in_shell"]

MEASUREMENTS = "measurements.csv"
PRIORS = "priors.json"
"""Files of the reader's: what the page saves, and the priors that it was given."""
_WIDTH = 100


def answer_in_python(answer: ForecastAnswer, planned: PlanAnswer | None) -> str:
    """Python that holds the measurements and prints the forecast, the required size and the plan."""
    asked, required, made = answer.question, answer.required, made_in_python(answer.model)
    names = [
        *("APExGP", "LearningCurve"),
        *(["minimum_evaluation_size"] if answer.evaluation is not None else []),
        *(["plan_collection"] if planned is not None else []),
    ]
    quantity = "" if asked.of == "new_splits" else f", of={asked.of!r}"
    lines = [
        f"from apexgp import {', '.join(names)}",
        *(["from apexgp.priors import Beliefs"] if "Beliefs" in made else []),
        "",
        *_curve_lines(answer.model.curve_),
        f"model = {made}.fit(curve)",
        "",
        f"forecast = model.forecast([{', '.join(map(plainly, answer.sizes))}]{quantity})",
        f"lower, upper = forecast.interval({asked.level!r})",
        "for size, mean, low, high in zip(forecast.sizes, forecast.mean, lower, upper):",
        '    print(f"size {size:,.10g}: {mean:.3f} expected, {low:.3f} to {high:.3f}")',
    ]
    if required is not None:
        lines += [
            "",
            f"required = model.required_size({required.target!r}, confidence={required.confidence!r})",
            "print(required)",
        ]
    if (found := answer.evaluation) is not None:
        lines += ["", f"print(minimum_evaluation_size({found.prevalence!r}, {found.cstatistic!r}))"]
    if planned is not None:
        plan = planned.question
        costs = f"{plan.target!r}, {plan.cost_per_example!r}, {plan.penalty!r}, rounds={plan.rounds}"
        lines += ["", f"plan = plan_collection(model, {costs})", "print(plan)"]
    return "\n".join(lines) + "\n"


def _curve_lines(curve: LearningCurve) -> Iterable[str]:
    yield "curve = LearningCurve("
    yield from _argument("sizes", map(plainly, curve.sizes.tolist()))
    yield from _argument("scores", map(repr, curve.scores.tolist()))
    if curve.split is not None:
        yield from _argument("split", map(repr, curve.split.tolist()))
    for name in BY_SCORE:
        if (values := getattr(curve, name)) is not None:
            yield from _argument(
                name, (plainly(value) if value == value else 'float("nan")' for value in values.tolist())
            )
    between, direction = range_and_direction(curve.metric, curve.scores)
    defaults = {
        "metric": "score",
        "task": None,
        "direction": direction,
        "unit": "rows",
        "averaged_over": None,
        "test_share": None,
        "learner": None,
    }
    for name, default in defaults.items():
        if getattr(curve, name) != default:
            yield f"    {name}={getattr(curve, name)!r},"
    if curve.range != between:
        ends = (f'float("{end}")' if math.isinf(end) else plainly(end) for end in curve.range)
        yield f"    range=({', '.join(ends)}),"
    yield ")"


def _argument(name: str, values: Iterable[str]) -> Iterable[str]:
    """A list, on as many lines as it needs."""
    line, lines = "", []
    for value in values:
        if line and len(line) + len(value) + 10 > _WIDTH:
            lines.append(line)
            line = ""
        line += f"{value}, "
    lines.append(line)
    if len(lines) == 1:
        return [f"    {name}=[{line.removesuffix(', ')}],"]
    return [f"    {name}=[", *(f"        {line.rstrip()}" for line in lines), "    ],"]


def answer_in_shell(answer: ForecastAnswer, planned: PlanAnswer | None) -> str:
    """The commands that print the same, from the measurements as the page saves them."""
    asked, usual = answer.question, ForecastQuestion()
    settings = made_by_options(answer.model, PRIORS) or []
    target = [] if asked.target is None else ["--target", plainly(asked.target)]
    changed = [
        part
        for name in ("confidence", "of", "level")
        if getattr(asked, name) != getattr(usual, name) and (name != "confidence" or target)
        for part in (f"--{name}", plainly(getattr(asked, name)))
    ]
    study = [
        part
        for name in ("prevalence", "cstatistic")
        if getattr(asked, name) is not None
        for part in (f"--{name}", plainly(getattr(asked, name)))
    ]
    lines = [["apexgp", "forecast", MEASUREMENTS, *sizes_as_options(asked.at), *target, *study, *changed, *settings]]
    if planned is not None:
        plan = planned.question
        values = {"cost": plan.cost_per_example, "penalty": plan.penalty, "rounds": plan.rounds}
        costs = [part for name, value in values.items() for part in (f"--{name}", plainly(value))]
        lines.append(["apexgp", "plan", MEASUREMENTS, *target, *costs, *settings])
    return "\n".join(map(shlex.join, lines)) + "\n"
