"""The recipes of ARCHITECTURE.md: a family, a metric, a question and a command, written into a copy of the package.

Each is one file, or one piece of text at the end of one, and is found wherever a user would look. A mean has a file of
its own, `test_added_mean.py`.
"""

import json

import pytest
from jsonschema import Draft202012Validator

from apexgp import APExGP, read
from conftest import document_in, pilot_table, require
from copied_package import call_in, copy_package
from serving import TABLE, send, serving

pytestmark = pytest.mark.slow  # processes start

FAMILY = '''"""A family that is the logarithm once more."""

from __future__ import annotations

from .mahmood import MahmoodLogarithmFamily


class OtherLogarithmFamily(MahmoodLogarithmFamily):
    """theta1 log(n) + theta2, under another name."""

    name = "other_logarithm"
'''

METRIC = '''

def median_error(predicted: ArrayLike, y: ArrayLike, *, axis: Axis = None) -> FloatArray:
    """Median absolute error of predicted scores."""
    return np.median(np.abs(_subtract(predicted, y)), axis=axis)


__all__.append("median_error")
'''

QUESTION = '''"""What a multiple of the data would add to the score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from .._check import check_positive
from ..estimators import APExGP
from ..question_base.citations import list_sources
from ..question_base.documents import WithMethodsText, word_answer
from ..question_base.model_documents import ModelFacts, describe_model
from ..question_base.model_settings import ModelQuestion
from ..question_base.question import Cells, QuestionAnswer
from ..question_base.wording import describe_pilot_and_method
from ..settings import Setting

__all__ = ["GainAnswer", "GainDocument", "GainQuestion"]


@dataclass(frozen=True, kw_only=True)
class GainQuestion(ModelQuestion):
    """Say how much more data would add to the score."""

    factor: Annotated[float, Setting("How many times the data.", control="Times the data", above=0)] = 2.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", check_positive("factor", self.factor))

    def answer(self, model: APExGP) -> GainAnswer:
        """Ask a fitted model."""
        now, later = model.forecast([model.curve_.largest, self.factor * model.curve_.largest], of="expected").mean
        return GainAnswer(self, model, float(later - now))


@dataclass(frozen=True, eq=False)
class GainAnswer(QuestionAnswer):
    """The gain, and the model that says so."""

    question: GainQuestion
    model: APExGP
    gain: float

    def document(self) -> GainDocument:
        """The gain."""
        sentence = f"With {self.question.factor:g} times the data, expect {self.gain:+.3f}."
        text = f"{describe_pilot_and_method(self.model)} {sentence}"
        return {
            "schema": "urn:apexgp:gain:1",
            **describe_model(self.model),
            "factor": self.question.factor,
            "gain": self.gain,
            **word_answer(sentence, text, (), list_sources(self.model)),
        }

    def table(self) -> Cells:
        """One row."""
        return ["times the data", "gain"], [[f"{self.question.factor:g}", f"{self.gain:+.3f}"]]


class GainDocument(ModelFacts, WithMethodsText):
    """`apexgp gain --json`."""

    schema: Literal["urn:apexgp:gain:1"]
    factor: float
    gain: float
    """Expected score with so much more data, minus that with the data at hand."""
'''

COMMAND = '''"""The command `apexgp greet`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["greet"]


def greet(*, name: Annotated[str, typer.Option(help="Whom to greet.")] = "everyone") -> None:
    """Greet somebody."""
    typer.echo(f"Good day, {name}.")
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a pilot, and with a copy of the package that has one more of each."""
    folder = tmp_path_factory.mktemp("recipes")
    package = copy_package(folder)
    (package / "model" / "families" / "other.py").write_text(FAMILY)
    (package / "questions" / "gain.py").write_text(QUESTION)
    (package / "surfaces" / "commands" / "greet.py").write_text(COMMAND)
    with (package / "metrics.py").open("a", encoding="utf-8") as file:
        file.write(METRIC)
    (folder / "pairs.csv").write_text(pilot_table())
    return folder


@pytest.fixture(scope="module")
def gain(folder):
    model = APExGP().fit(read(folder / "pairs.csv").curve)
    return lambda factor: (
        float(model.forecast([factor * 564.0], of="expected").mean[0])
        - float(model.forecast([564.0], of="expected").mean[0])
    )


def test_a_family_is_a_method_of_backtests(folder):
    said = call_in(folder, "-m", "apexgp", "backtest", "--help")
    assert "other_logarithm" in " ".join(said.split()).replace(" ", "")
    methods = ("--method", "other_logarithm", "--method", "mahmood_logarithm")
    document = json.loads(call_in(folder, "-m", "apexgp", "backtest", "pairs.csv", *methods, "--json"))
    errors = {row["method"]: row["error"] for row in document["methods"]}
    assert errors["other_logarithm"] == pytest.approx(errors["mahmood_logarithm"])
    code = "from apexgp import FAMILIES, LeastSquares; print(*FAMILIES, LeastSquares('other_logarithm'))"
    assert "other_logarithm LeastSquares(" in call_in(folder, "-c", code)


def test_a_metric_is_a_name_of_its_module(folder):
    code = "from apexgp import metrics as m; print('median_error' in dir(m), m.median_error([1, 2, 9], [1, 1, 1]))"
    assert call_in(folder, "-c", code).split() == ["True", "1.0"]


def test_a_command_is_listed_and_run(folder):
    assert "greet        Greet somebody." in call_in(folder, "-m", "apexgp", "--help")
    assert call_in(folder, "-m", "apexgp", "greet", "--name", "Ada").strip() == "Good day, Ada."


def test_a_question_is_a_command_with_a_schema(folder, gain):
    assert "gain         Say how much more data would add to the score." in call_in(folder, "-m", "apexgp", "--help")
    said = " ".join(call_in(folder, "-m", "apexgp", "gain", "--help").split())
    assert "--factor <float> How many times the data. [default: 2.0]" in said
    document = json.loads(call_in(folder, "-m", "apexgp", "gain", "pairs.csv", "--factor", 3, "--json"))
    assert document["gain"] == pytest.approx(gain(3))
    schema = json.loads(call_in(folder, "-m", "apexgp", "schema", "gain"))
    assert not list(Draft202012Validator(schema).iter_errors(document))
    assert schema["properties"]["gain"]["description"].startswith("Expected score with so much more data")
    printed = call_in(folder, "-m", "apexgp", "gain", "pairs.csv")
    assert f"With 2 times the data, expect {gain(2):+.3f}." in printed
    assert "How to cite:" in call_in(folder, "-m", "apexgp", "gain", "pairs.csv", "--methods-text")


def test_a_question_that_is_asked_wrongly_is_refused_in_the_words_of_its_option(folder):
    refused = call_in(folder, "-m", "apexgp", "gain", "pairs.csv", "--factor", 0, code=1)
    assert "--factor must be" in refused


def test_a_question_has_a_path_and_controls_on_the_page(folder):
    with serving(PYTHONPATH=str(folder)) as (_, _, address):
        page = send(address, "/")[2].decode()
        described = send(address, "/openapi.json")[2]
        status, _, answer = send(address, "/api/gain", {"table": TABLE, "factor": 3.0})
        refused = send(address, "/api/gain", {"table": TABLE, "factor": -1.0})
    assert '<label for="gain-factor">Times the data</label>' in page
    assert "<summary>Say how much more data would add to the score.</summary>" in page
    factor = described["components"]["schemas"]["GainRequest"]["properties"]["factor"]
    assert (factor["default"], factor["exclusiveMinimum"]) == (2.0, 0)
    assert described["components"]["schemas"]["GainDocument"]["properties"]["gain"]
    assert (status, answer["factor"]) == (200, 3.0)
    assert (refused[0], refused[2]["error"]["argument"]) == (422, "factor")


def test_a_question_is_a_tool_of_an_assistant(folder):
    require("mcp")
    code = (
        "import json; from apexgp.surfaces.assistant.tools import list_tools, load_tool\n"
        "tool = load_tool('gain', with_files=False)\n"
        "print(json.dumps([list_tools(), tool.about, tool.input_schema, tool.output_schema]))"
    )
    tools, about, takes, gives = json.loads(call_in(folder, "-c", code))
    assert "gain" in tools
    assert about == "Say how much more data would add to the score."
    assert takes["properties"]["factor"]["description"] == "How many times the data."
    assert gives["$id"] == "urn:apexgp:gain:1"


def test_a_question_is_a_section_of_a_report(folder, gain):
    call_in(folder, "-m", "apexgp", "report", "pairs.csv", "--budget", 0, "--out", "report.html")
    report = (folder / "report.html").read_text()
    assert f"With 2 times the data, expect {gain(2):+.3f}." in report
    assert document_in(report)["others"]["gain"]["gain"] == pytest.approx(gain(2))
