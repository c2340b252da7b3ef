"""Functions of groups as commands: options spread out in order, errors in the command's own words."""

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from apexgp import (
    APExGP,
    ForecastRecord,
    StopRule,
    backtest,
    collect_curves,
    collect_scores,
    compare_models,
    design_pilot,
    embed_images,
    forecast_many,
    learn_beliefs,
    minimum_evaluation_size,
    minimum_sample_size,
    plan_collection,
    predictive_check,
    read,
    sensitivity,
    write_report,
)
from apexgp.collect.labelled import read_labelled
from apexgp.curve import TableOptions
from apexgp.errors import DataError, Fault, RequestError
from apexgp.experiment import run_experiment, write_experiment
from apexgp.priors import write_priors
from apexgp.question_base.sizes import SizeSpec
from apexgp.questions.report import ReportQuestion
from apexgp.surfaces.cli import app, list_commands, load_command
from apexgp.surfaces.command import SetsArgument, build_command, build_options_vocabulary
from apexgp.surfaces.commands.report import report
from apexgp.surfaces.reproduce import write_report_python, write_report_shell

SHOWN = typer.main.get_command(app).commands


@dataclass(frozen=True, kw_only=True)
class Named:
    name: Annotated[str, typer.Option(help="A name."), SetsArgument("label")] = "nobody"


@dataclass(frozen=True, kw_only=True)
class Greeting(Named):
    file: Annotated[Path, typer.Argument()]
    loud: Annotated[bool, typer.Option("--shout")] = False

    def __post_init__(self):
        if self.loud and self.name == "nobody":
            raise RequestError("must be given to shout.", argument="label")


TOO_FEW = DataError(
    "is too few.",
    argument="n_times",
    remedy=("See {}, {} and {}.", ("loud", True), ("label", "a b"), "x"),
    where="a file, line 3",
    faults=[Fault(3, "score", "is too few.")],
)


def greet(
    *,
    times: Annotated[int, typer.Option(help="How often."), SetsArgument("n_times", "count")] = 1,
    greeting: Greeting,
) -> None:
    """Greet."""
    if times < 1:
        raise TOO_FEW
    if times > 9:
        raise RequestError("n_times and times in a text stay as they are.")
    typer.echo(f"{greeting.name} {times} {greeting.loud} {greeting.file}")


@pytest.fixture
def invoke():
    small = typer.Typer()
    small.command()(build_command(greet))
    return lambda *arguments: CliRunner().invoke(small, [*map(str, arguments)])


def test_a_group_is_spread_out_in_its_place_and_built_again(invoke):
    assert list(inspect.signature(build_command(greet)).parameters) == ["times", "name", "file", "loud"]
    assert invoke("f", "--name", "ann", "--times", 2, "--shout").output == "ann 2 True f\n"
    assert invoke("f").output == "nobody 1 False f\n"
    assert "A name." in invoke("--help").output


def test_errors_leave_with_options_for_arguments(invoke):
    problem = invoke("f", "--times", 0).exception
    assert problem is TOO_FEW  # with all that it carries
    assert str(problem) == "a file, line 3: --times is too few. See --shout, --name 'a b' and x=...."
    assert (problem.argument, problem.to_set[0], problem.faults[0].line) == ("n_times", ("loud", True), 3)
    assert str(invoke("f", "--shout").exception) == "--name must be given to shout."  # by the group itself
    assert str(invoke("f", "--times", 10).exception) == "n_times and times in a text stay as they are."


def test_an_argument_goes_by_the_name_of_its_option():
    assert build_options_vocabulary(greet).words == {
        "n_times": "--times",
        "count": "--times",
        "label": "--name",
        "loud": "--shout",
    }


def test_a_flag_is_set_by_its_name_alone():
    assert build_options_vocabulary(greet).setting("loud", "very") == "--shout"
    assert build_options_vocabulary(greet).setting("count", 3) == "--times 3"


# What each command calls, and the arguments of it that no option sets.
READING = (read, APExGP)
CALLED = {
    "forecast": (*READING, APExGP.forecast, APExGP.required_size, forecast_many),
    "read": (read,),
    "collect": (read_labelled, collect_curves),
    "run": (collect_scores, StopRule),
    "embed": (embed_images,),
    "datasets": (),
    "plan": (*READING, plan_collection),
    "design": (*READING, design_pilot),
    "compare": (*READING, compare_models),
    "backtest": (read, backtest, APExGP.required_size),
    "learn": (read, learn_beliefs, write_priors),
    "record": (read, ForecastRecord.add_measured, ForecastRecord.reliability),
    "sensitivity": (*READING, sensitivity),
    "check": (*READING, predictive_check),
    "report": (*READING, write_report),
    "minimum": (minimum_sample_size, minimum_evaluation_size),
    "experiment": (run_experiment, write_experiment),
    "schema": (),
    "serve": (),
    "mcp": (),
    "demo": (),
}
WITHOUT_OPTION = {
    "forecast": {"source", "inference", "variant", "self", "n_splits", "curves", "model", "n_jobs"},
    "read": {"source"},
    "collect": {"path", "X", "param_grid", "progress", "sample_weight"},
    "run": {"train", "progress", "after", "stop", "model"},
    "embed": {"folder", "progress"},
    "datasets": set(),
    "plan": {"source", "inference", "variant", "model", "of"},
    "design": {"source", "inference", "variant", "model"},
    "compare": {"source", "inference", "variant", "model", "curves"},
    "backtest": {"source", "curve", "self", "of", "progress"},
    "learn": {"source", "path", "curves", "progress", "beliefs"},
    "record": {"source", "self", "curves", "date"},
    "sensitivity": {"source", "inference", "variant", "model", "n_jobs"},
    "check": {"source", "inference", "variant", "model"},
    "report": {"source", "path", "inference", "variant", "model", "progress"},
    "minimum": set(),
    "experiment": {"experiment", "results", "progress", "result", "folder", "pictures"},
    "schema": set(),
    "serve": set(),
    "mcp": set(),
    "demo": set(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", list_commands())
def test_every_argument_of_the_library_has_an_option_that_is_there(name):
    options = build_options_vocabulary(load_command(name)).words
    there = {option for parameter in SHOWN[name].load().params for option in parameter.opts if option.startswith("--")}
    assert set(options.values()) <= there
    arguments = {argument for called in CALLED[name] for argument in inspect.signature(called).parameters}
    if read in CALLED[name]:
        arguments = arguments - {"settings"} | set(TableOptions.__annotations__)
    assert arguments - set(options) == WITHOUT_OPTION[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", list_commands())
def test_defaults_are_no_part_of_the_help_that_requests_quote(name):
    helps = [parameter.help or "" for parameter in SHOWN[name].load().params]
    assert not [text for text in helps if "default" in text]


def test_every_command_is_listed():
    assert list(list_commands()) == list(SHOWN) == list(CALLED)


@pytest.mark.slow
@pytest.mark.parametrize("name", list_commands())
def test_the_list_has_the_help_that_a_command_gives(name):
    assert SHOWN[name].get_short_help_str() == SHOWN[name].load().get_short_help_str()
    assert SHOWN[name].help == inspect.getdoc(load_command(name))
    assert SHOWN[name].load().name == name


def test_the_line_that_makes_a_report_again_has_the_options_of_the_command():
    model = APExGP.as_published().fit([60, 94, 147, 230, 360], [0.66, 0.705, 0.722, 0.755, 0.768])
    asked = ReportQuestion(
        at=SizeSpec((500.0,), (2.0,)),
        of="expected",
        level=0.5,
        target=0.7,
        confidence=0.5,
        prevalence=0.2,
        cstatistic=0.8,
        cost_per_example=2,
        penalty=9,
        rounds=2,
        budget=3,
        available=500,
        title="A title",
        author="A. Author",
        project="A project",
    )
    taken = set(inspect.signature(write_report).parameters) - {"model", "path", "overwrite", "progress"}
    assert {name for name in taken if f"{name}=" in write_report_python({"": model}, asked)} == taken
    written = set(re.findall(r"--[\w-]+", write_report_shell({"": model}, asked)))
    options = build_options_vocabulary(report).words
    assert written - {"--published", "--mean", "--out"} == {options[name] for name in taken}
