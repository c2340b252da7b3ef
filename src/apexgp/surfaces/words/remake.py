"""The lines of Python and of shell that make a report again from its data."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping, Sequence

from ...estimators import APExGP
from ...model.beliefs import Beliefs
from ...model.paper_priors import PUBLISHED, WRITTEN
from ...questions.design import DesignAnswer
from ...questions.reach import Reach
from ...questions.report import ReportQuestion

__all__ = [
    "REPORT_DATA",
    "design_in_python",
    "design_in_shell",
    "made_by_options",
    "made_in_python",
    "plainly",
    "report_in_python",
    "report_in_shell",
    "sizes_as_options",
]

# A name of its own: the data of a report are not the whole of the file that they were read from.
REPORT_DATA, _REPORT = "report_data.csv", "report.html"
_WIDTH = 80  # characters of a line
_IMPORTED = {
    "apexgp": ("APExGP", "LearningCurve", "read_curves", "write_report"),
    "apexgp.priors": ("Beliefs", "PositiveNormal", "Variant"),
}
_TYPED = {"mean", "ceiling", "floor", "noise", "learner", "precision", "priors", "seed"}  # settings that are options
_OPTIONS = {"cost_per_example": "--cost"}  # where the option has another name than the argument


def report_in_python(models: Mapping[str, APExGP], asked: ReportQuestion) -> str:
    """Python that fits the same models to the file and writes the same report."""
    makers = {name: made_in_python(model) for name, model in models.items()}
    maker, metrics = next(iter(makers.values())), {model.curve_.metric for model in models.values()}
    fitted = "model" if len(models) == 1 else "models"
    if len(models) == 1:
        lines = [f'model = {maker}.fit(LearningCurve.from_csv("{REPORT_DATA}"))']
    elif len(metrics) == 1 and len(set(makers.values())) == 1:
        lines = [f'curves = read_curves("{REPORT_DATA}")']
        lines.append(f"models = {{name: {maker}.fit(curve) for name, curve in curves.items()}}")
    else:
        read = f'    {{!r}}: {{}}.fit(read_curves("{REPORT_DATA}", metric={{!r}})[{{!r}}]),'
        every = [read.format(name, makers[name], model.curve_.metric, name) for name, model in models.items()]
        lines = ["models = {", *every, "}"]
    arguments = [f"{name}={_literal(value)}" for name, value in asked.arguments().items()]
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


def report_in_shell(models: Mapping[str, APExGP], asked: ReportQuestion) -> str | None:
    """The command that does the same, or None where the command line has no words for it."""
    settings = [made_by_options(model) for model in models.values()]
    if any(own != settings[0] for own in settings) or settings[0] is None:
        return None
    if len({model.curve_.metric for model in models.values()}) > 1:
        return None
    words = ["apexgp", "report", REPORT_DATA, *sizes_as_options(asked.forecast.at)]
    for name, value in asked.arguments().items():
        if name not in ("sizes", "times"):
            words += [_OPTIONS.get(name, "--" + name.replace("_", "-")), plainly(value)]
    return _continued([*words, *settings[0], "--out", _REPORT])


def sizes_as_options(at: Reach) -> list[str]:
    """Sizes and multiples as they are typed on the command line."""
    written = [*map(plainly, at.sizes), *(f"{plainly(number)}x" for number in at.times)]
    return [part for one in written for part in ("--at", one)]


def design_in_python(answer: DesignAnswer) -> str:
    """Python that asks a fitted `model` what to measure next."""
    asked = answer.question.arguments(answer.model)
    call = _call("design_pilot", ["model", *(f"{name}={_literal(value)}" for name, value in asked.items())])
    return f"from apexgp import design_pilot\n\nfound = {call}\nprint(found)\n"


def design_in_shell(
    answer: DesignAnswer, file: str, task: str | None = None, metric: str | None = None, priors: str | None = None
) -> str | None:
    """The command that does the same, or None where the command line has no words for the model.

    A file with several tasks or metrics takes the name of one; `priors` are as for `made_by_options`.
    """
    settings = made_by_options(answer.model, priors)
    if settings is None:
        return None
    words = ["apexgp", "design", file]
    words += ([] if metric is None else ["--metric", metric]) + ([] if task is None else ["--task", task])
    for name, value in answer.question.arguments(answer.model).items():
        if name != "seed":  # which is among the settings
            every = value if isinstance(value, list) else [value]
            words += [part for one in every for part in (f"--{name}", plainly(one))]
    return shlex.join([*words, *settings])


def _changed(model: APExGP) -> dict[str, object]:
    """Settings that are not those by default."""
    defaults = {name: parameter.default for name, parameter in inspect.signature(APExGP).parameters.items()}
    return {name: value for name, value in model.get_params(deep=False).items() if value != defaults[name]}


def made_in_python(model: APExGP) -> str:
    """The model as Python makes it."""
    if model.inference == "map" and model.variant in (PUBLISHED, WRITTEN):
        name = "as_published" if model.variant == PUBLISHED else "as_written"
        made = f"APExGP.{name}({model.mean!r}, ceiling={model.ceiling!r})"
        rest = {key: value for key, value in _changed(model).items() if key in ("seed", "floor") or value == "flat"}
        return f"{made}.set_params({_arguments(rest)})" if rest else made
    return f"APExGP({_arguments(_changed(model))})"


def _arguments(settings: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_literal(value)}" for name, value in settings.items())


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, Beliefs):
        return f"Beliefs.from_dict({value.to_dict()!r})"
    return plainly(value) if isinstance(value, float) else repr(value)


def _call(function: str, arguments: Sequence[str]) -> str:
    """A call on one line, or, where that would be long, with a line for each argument."""
    short = f"{function}({', '.join(arguments)})"
    return short if len(short) <= _WIDTH else "\n".join([f"{function}(", *(f"    {one}," for one in arguments), ")"])


def _continued(words: Sequence[str]) -> str:
    """A command, broken before an option where it would be long."""
    lines = [""]
    for word in words:
        if word.startswith("--") and len(lines[-1]) > _WIDTH - 20:
            lines.append("   ")
        lines[-1] += f" {shlex.quote(word)}"
    return " \\\n".join(lines).removeprefix(" ")


def made_by_options(model: APExGP, priors: str | None = None) -> list[str] | None:
    """The model as options of the command line; None where there are none for it.

    `priors` is what a file with the model's own priors is called, where the reader has one.
    """
    changed = _changed(model)
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
    return words + [part for name, value in changed.items() for part in (f"--{name}", plainly(value))]


def plainly(value: object) -> str:
    """A value as it is typed on the command line."""
    if not isinstance(value, (int, float)):
        return str(value)
    short = f"{value:.15g}"
    return short if float(short) == value else repr(float(value))
