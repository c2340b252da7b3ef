"""The lines of Python and of shell that give an answer's numbers again, from the settings that were changed."""

from __future__ import annotations

import inspect
import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..curve import LearningCurve
from ..estimators import APExGP
from ..model.beliefs import Beliefs
from ..model.paper_priors import PUBLISHED, WRITTEN
from ..question_base.model_settings import BayesSettings
from ..question_base.question import Question
from ..question_base.sizes import SizeSpec, write_number
from ..questions.design import BUDGET, DesignAnswer
from ..questions.forecast import ForecastAnswer, ForecastQuestion
from ..questions.plan import PlanAnswer
from ..questions.report import ReportQuestion
from ..reading.names import range_and_direction
from ..reading.score_details import BY_SCORE
from ..settings import list_changes, list_settings

__all__ = [
    "MEASUREMENTS",
    "PRIORS",
    "REPORT_DATA",
    "list_model_options",
    "list_options",
    "write_design_python",
    "write_design_shell",
    "write_forecast_python",
    "write_forecast_shell",
    "write_report_python",
    "write_report_shell",
]


MEASUREMENTS = "measurements.csv"
PRIORS = "priors.json"
"""Files of the reader's: what the page saves, and the priors that it was given."""
# A name of its own: the data of a report are not the whole of the file that they were read from.
REPORT_DATA, _REPORT = "report_data.csv", "report.html"
_WIDTH = 80  # characters of a line
_IMPORTED = {
    "apexgp": ("APExGP", "LearningCurve", "read", "write_report"),
    "apexgp.priors": ("Beliefs", "PositiveNormal", "Variant"),
}
_TYPED = {"priors", *(one.field for one in list_settings(BayesSettings))}  # arguments of a model that are options
_LIST_WIDTH = 100  # characters of a line of a list


def list_options(question: Question, asked: type[Question] | None = None) -> list[str]:
    """The options that ask a question again, as they are typed: one for each setting that is not at its default.

    Of a question with further settings, those that `asked` has, too.
    """
    words = []
    known = {one.field for one in list_settings(asked or type(question))}
    for setting, value in list_changes(question):
        if setting.field not in known:
            continue
        written = setting.write(value)
        every = written if isinstance(written, list) else [written]
        words += [part for one in every for part in ([setting.option] if one is True else [setting.option, _type(one)])]
    return words


def _list_arguments(question: Question) -> dict[str, Any]:
    """Changed settings as arguments of a function of the library; sizes and their multiples have one each."""
    arguments: dict[str, Any] = {}
    for setting, value in list_changes(question):
        if isinstance(value, SizeSpec):
            named = dict(zip(setting.arguments, (list(value.sizes), list(value.times)), strict=False))
            arguments |= {name: numbers for name, numbers in named.items() if numbers}
        else:
            arguments[setting.field] = value
    return arguments


def write_forecast_python(answer: ForecastAnswer, planned: PlanAnswer | None) -> str:
    """Python that holds the measurements and prints the forecast, the required size and the plan."""
    asked, required, made = answer.question, answer.required, _make_in_python(answer.model)
    names = [
        *("APExGP", "LearningCurve"),
        *(["minimum_evaluation_size"] if answer.evaluation is not None else []),
        *(["plan_collection"] if planned is not None else []),
    ]
    form = f",.{answer.decimals}f"
    quantity = "" if asked.of == "new_splits" else f", of={asked.of!r}"
    lines = [
        f"from apexgp import {', '.join(names)}",
        *(["from apexgp.priors import Beliefs"] if "Beliefs" in made else []),
        "",
        *_curve_lines(answer.model.curve_),
        f"model = {made}.fit(curve)",
        "",
        f"forecast = model.forecast([{', '.join(map(_type, answer.sizes))}]{quantity})",
        f"lower, upper = forecast.interval({asked.level!r})",
        "for size, mean, low, high in zip(forecast.sizes, forecast.mean, lower, upper):",
        f'    print(f"size {{size:,.10g}}: {{mean:{form}}} expected, {{low:{form}}} to {{high:{form}}}")',
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
    yield from _argument("sizes", map(_type, curve.sizes.tolist()))
    yield from _argument("scores", map(repr, curve.scores.tolist()))
    if curve.split is not None:
        yield from _argument("split", map(repr, curve.split.tolist()))
    for name in BY_SCORE:
        if (values := getattr(curve, name)) is not None:
            yield from _argument(
                name, (_type(value) if value == value else 'float("nan")' for value in values.tolist())
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
        "n_features": None,
        "n_classes": None,
    }
    for name, default in defaults.items():
        if getattr(curve, name) != default:
            yield f"    {name}={getattr(curve, name)!r},"
    if curve.range != between:
        ends = (f'float("{end}")' if math.isinf(end) else _type(end) for end in curve.range)
        yield f"    range=({', '.join(ends)}),"
    yield ")"


def _argument(name: str, values: Iterable[str]) -> Iterable[str]:
    """A list, on as many lines as it needs."""
    line, lines = "", []
    for value in values:
        if line and len(line) + len(value) + 10 > _LIST_WIDTH:
            lines.append(line)
            line = ""
        line += f"{value}, "
    lines.append(line)
    if len(lines) == 1:
        return [f"    {name}=[{line.removesuffix(', ')}],"]
    return [f"    {name}=[", *(f"        {line.rstrip()}" for line in lines), "    ],"]


def write_forecast_shell(answer: ForecastAnswer, planned: PlanAnswer | None) -> str:
    """The commands that print the same, from the measurements as the page saves them."""
    settings = list_model_options(answer.model, PRIORS) or []
    lines = [["apexgp", "forecast", MEASUREMENTS, *list_options(answer.question, ForecastQuestion), *settings]]
    if planned is not None:
        lines.append(["apexgp", "plan", MEASUREMENTS, *list_options(planned.question), *settings])
    return "\n".join(map(shlex.join, lines)) + "\n"


def write_report_python(models: Mapping[str, APExGP], asked: ReportQuestion) -> str:
    """Python that fits the same models to the file and writes the same report."""
    makers = {name: _make_in_python(model) for name, model in models.items()}
    maker, metrics = next(iter(makers.values())), {model.curve_.metric for model in models.values()}
    fitted = "model" if len(models) == 1 else "models"
    if len(models) == 1:
        lines = [f'model = {maker}.fit(read("{REPORT_DATA}").curve)']
    elif len(metrics) == 1 and len(set(makers.values())) == 1:
        lines = [f'curves = read("{REPORT_DATA}").curves']
        lines.append(f"models = {{name: {maker}.fit(curve) for name, curve in curves.items()}}")
    else:
        each = f'    {{!r}}: {{}}.fit(read("{REPORT_DATA}", metric={{!r}}).curves[{{!r}}]),'
        every = [each.format(name, makers[name], model.curve_.metric, name) for name, model in models.items()]
        lines = ["models = {", *every, "}"]
    arguments = [f"{name}={_literal(value)}" for name, value in _list_arguments(asked).items()]
    lines.append(_call("write_report", [fitted, f'"{_REPORT}"', *arguments]))
    code = "\n".join(lines)
    return "\n".join([*_imports(code), "", code])


def _imports(code: str) -> list[str]:
    """Imports of the names that the code uses."""
    found = []
    for module, names in _IMPORTED.items():
        used = [name for name in names if re.search(rf"\b{name}\b", code)]
        if used:
            found.append(f"from {module} import {', '.join(used)}")
    return found


def write_report_shell(models: Mapping[str, APExGP], asked: ReportQuestion) -> str | None:
    """The command that does the same, or None where the command line has no words for it."""
    settings = [list_model_options(model) for model in models.values()]
    if any(own != settings[0] for own in settings) or settings[0] is None:
        return None
    if len({model.curve_.metric for model in models.values()}) > 1:
        return None
    return _break_lines(["apexgp", "report", REPORT_DATA, *list_options(asked), *settings[0], "--out", _REPORT])


def write_design_python(answer: DesignAnswer) -> str:
    """Python that asks a fitted `model` what to measure next."""
    asked = {"budget": answer.question.budget, **_list_arguments(answer.question)}
    asked |= {"seed": answer.model.seed} if answer.model.seed else {}
    call = _call("design_pilot", ["model", *(f"{name}={_literal(value)}" for name, value in asked.items())])
    return f"from apexgp import design_pilot\n\nfound = {call}\nprint(found)\n"


def write_design_shell(
    answer: DesignAnswer, file: str, task: str | None = None, metric: str | None = None, priors: str | None = None
) -> str | None:
    """The command that does the same, or None where the command line has no words for the model.

    A file with several tasks or metrics takes the name of one; `priors` are as for `list_model_options`.
    """
    settings = list_model_options(answer.model, priors)
    if settings is None:
        return None
    words = ["apexgp", "design", file]
    words += ([] if metric is None else ["--metric", metric]) + ([] if task is None else ["--task", task])
    budget = [] if answer.question.budget != BUDGET else ["--budget", _type(BUDGET)]  # which the command asks for
    words += [*budget, *list_options(answer.question)]
    return shlex.join([*words, *settings])


def _list_model_changes(model: APExGP) -> dict[str, object]:
    """Settings that are not those by default."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(APExGP).parameters.items()}
    return {name: value for name, value in model.get_params(deep=False).items() if value != defaults[name]}


def _make_in_python(model: APExGP) -> str:
    """The model as Python makes it."""
    if model.inference == "map" and model.variant in (PUBLISHED, WRITTEN):
        name = "as_published" if model.variant == PUBLISHED else "as_written"
        made = f"APExGP.{name}({model.mean!r}, ceiling={model.ceiling!r})"
        rest = {
            key: value
            for key, value in _list_model_changes(model).items()
            if key in ("seed", "floor") or value == "flat"
        }
        return f"{made}.set_params({_arguments(rest)})" if rest else made
    return f"APExGP({_arguments(_list_model_changes(model))})"


def _arguments(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_literal(value)}" for name, value in settings.items())


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Beliefs):
        return f"Beliefs.from_dict({value.to_dict()!r})"
    return _type(value) if isinstance(value, float) else repr(value)


def _call(function: str, arguments: Sequence[str]) -> str:
    """A call on one line, or, where that would be long, with a line for each argument."""
    short = f"{function}({', '.join(arguments)})"
    return short if len(short) <= _WIDTH else "\n".join([f"{function}(", *(f"    {one}," for one in arguments), ")"])


def _break_lines(words: Sequence[str]) -> str:
    """A command, broken before an option where it would be long."""
    lines = [""]
    for word in words:
        if word.startswith("--") and len(lines[-1]) > _WIDTH - 20:
            lines.append("   ")
        lines[-1] += f" {shlex.quote(word)}"
    return " \\\n".join(lines).removeprefix(" ")


def list_model_options(model: APExGP, priors: str | None = None) -> list[str] | None:
    """The model as options of the command line; None where there are none for it.

    `priors` is what a file with the model's own priors is called, where the reader has one.
    """
    changed = _list_model_changes(model)
    if isinstance(model.priors, Beliefs) and priors is not None:
        changed["priors"] = priors
    words = []
    if model.inference == "map":
        if model.variant != PUBLISHED or model.priors != "paper":
            return None
        words, changed = ["--published"], changed | {"mean": model.mean}
        for name in ("inference", "priors"):
            changed.pop(name, None)
    if set(changed) - _TYPED or isinstance(changed.get("priors"), Beliefs):
        return None
    return words + [part for name, value in changed.items() for part in (f"--{name}", _type(value))]


def _type(value: object) -> str:
    """A value as it is typed on the command line."""
    return write_number(value) if isinstance(value, int | float) else str(value)
