"""The lines of Python and of shell that give the numbers of the page again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...answers.plan import CollectionPlan
from ...answers.required import RequiredSize
from ...curve import LearningCurve
from ...estimators import APExGP
from ...reading.score_details import BY_SCORE
from .remake import made_by_options, made_in_python, plainly

__all__ = ["MEASUREMENTS", "python_lines", "shell_lines"]

MEASUREMENTS = "measurements.csv"
_WIDTH = 100


def python_lines(
    model: APExGP,
    sizes: Sequence[float],
    required: RequiredSize | None,
    plan: CollectionPlan | None,
    *,
    of: str,
    level: float,
) -> str:
    """Python that holds the measurements and prints the forecast, the required size and the plan."""
    names = ["APExGP", "LearningCurve", *(["plan_collection"] if plan is not None else [])]
    quantity = "" if of == "new_splits" else f", of={of!r}"
    lines = [
        f"from apexgp import {', '.join(names)}",
        "",
        *_curve_lines(model.curve_),
        f"model = {made_in_python(model)}.fit(curve)",
        "",
        f"forecast = model.forecast([{_listed(sizes)}]{quantity})",
        f"lower, upper = forecast.interval({level!r})",
        "for size, mean, low, high in zip(forecast.sizes, forecast.mean, lower, upper):",
        '    print(f"{size:,.10g} examples: {mean:.3f} expected, {low:.3f} to {high:.3f}")',
    ]
    if required is not None:
        lines += [
            "",
            f"required = model.required_size({required.target!r}, confidence={required.confidence!r})",
            "print(required)",
        ]
    if plan is not None:
        costs = f"{plan.target!r}, {plan.cost_per_example!r}, {plan.penalty!r}, rounds={len(plan.sizes)}"
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
    defaults = {"metric": "score", "task": None, "direction": "higher", "unit": "rows", "averaged_over": None}
    for name, default in defaults.items():
        if getattr(curve, name) != default:
            yield f"    {name}={getattr(curve, name)!r},"
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


def _listed(sizes: Iterable[float]) -> str:
    return ", ".join(map(plainly, sizes))


def shell_lines(model: APExGP, asked: Mapping[str, Any], plans: bool) -> str:
    """The commands that print the same, from the measurements as the page saves them."""
    settings = made_by_options(model) or []
    target = ["--target", plainly(asked["target"])] if asked["target"] is not None else []
    sizes = [part for size in asked["at"] or () for part in ("--at", size)]
    changed = [
        part
        for name, default in (("confidence", 0.8), ("of", "new_splits"), ("level", 0.95))
        if asked[name] != default and (name != "confidence" or target)
        for part in (f"--{name}", plainly(asked[name]))
    ]
    lines = [["apexgp", "forecast", MEASUREMENTS, *sizes, *target, *changed, *settings]]
    if plans:
        costs = [part for name in ("cost", "penalty", "rounds") for part in (f"--{name}", plainly(asked[name]))]
        lines.append(["apexgp", "plan", MEASUREMENTS, *target, *costs, *settings])
    return "\n".join(map(shlex.join, lines)) + "\n"
