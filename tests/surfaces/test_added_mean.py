"""A mean that is added by the recipe of ARCHITECTURE.md, to a copy of the package, is found wherever a user would look.

It has formula and priors of the power law, so its forecasts are known.
"""

import json
import re

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from apexgp import APExGP, read
from apexgp.priors import CALIBRATED, write_priors
from conftest import REPOSITORY, pilot_table, require
from copied_package import call_in, copy_package
from serving import TABLE, send, serving

pytestmark = pytest.mark.slow  # processes start

TWIN = '''

class TwinMean(Mean):
    """(1 - eps) - theta1 x^theta2: the power law once more."""

    name = "twin"
    label = "twin power"
    citation = "Twin T. Curves That Look Alike. Journal of Twins 2026;1:1-2."
    parameters = (Parameter("theta1", 0.0, inf, (0.01, 0.5)), Parameter("theta2", -1.0, 0.0, (-0.9, -0.1)))
    shapes = PowerLawMean.shapes
    share = PowerLawMean.share
    paper_shapes = (Uniform(0.0, 1.0),)
    scalable = True

    def drop(self, x: FloatArray, *theta: Any) -> Any:
        """theta1 x^theta2."""
        theta1, theta2 = theta
        return theta1 * np.exp(theta2 * np.log(x))

    def solve_theta(self, last: FloatArray, drop: Any, *shape: Any) -> tuple[Any, ...]:
        """The shape is the exponent, -theta2."""
        (exponent,) = shape
        return drop * np.exp(exponent * np.log(last)), -exponent

    def rescale_theta(self, unit: float, *theta: float) -> tuple[float, ...]:
        """theta1 (x / u)^theta2 = (theta1 u^-theta2) x^theta2."""
        theta1, theta2 = theta
        return theta1 * unit**-theta2, theta2
'''
CITATION = "Twin T. Curves That Look Alike."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a pilot, and with a copy of the package that has one more mean."""
    folder = tmp_path_factory.mktemp("twin")
    package = copy_package(folder)
    with (package / "model" / "means.py").open("a", encoding="utf-8") as file:
        file.write(TWIN)
    (folder / "pairs.csv").write_text(pilot_table())
    return folder


@pytest.fixture
def call(folder):
    """Run the copy in a process of its own: what it prints."""

    return lambda *words: call_in(folder, *words)


def command(*words):
    return ("-m", "apexgp", *words)


def build_forecast_rows(document):
    return [(row["size"], row["mean"], row["lower"], row["upper"]) for row in document["forecast"]]


def test_the_laws_of_means_cover_it(call):
    laws = REPOSITORY / "tests" / "model" / "test_means.py"
    said = call("-m", "pytest", laws, "-q", "-p", "no:cacheprovider", "-k", "twin")
    assert re.search(r"^[6-9] passed", said, re.MULTILINE), said
    call("-m", "pytest", laws, "-q", "-p", "no:cacheprovider", "-k", "auto or priors")


def test_the_command_line_offers_it_and_forecasts_with_it(call):
    assert "power_law, arctan, burr, twin, or auto" in " ".join(call(*command("forecast", "--help")).split())
    twin, known = (
        json.loads(call(*command("forecast", "pairs.csv", "--mean", mean, "--json"))) for mean in ("twin", "power_law")
    )
    # Compiled code knows the one by its name, NumPy does the other: they differ in last digits.
    np.testing.assert_allclose(build_forecast_rows(twin), build_forecast_rows(known), rtol=1e-9)
    assert twin["fit"]["weights"] == {"twin": 1.0}
    assert "with a twin power mean" in twin["methods_text"]
    assert CITATION in twin["methods_text"]
    assert CITATION not in known["methods_text"]
    schema = json.loads(call(*command("schema", "forecast")))
    assert not list(Draft202012Validator(schema).iter_errors(twin))


def test_an_average_includes_it_only_if_it_says_so(call, folder):
    forecast = command("forecast", "pairs.csv", "--mean", "auto", "--json")
    left_out = json.loads(call(*forecast))
    own = APExGP("auto").fit(read(folder / "pairs.csv").curve)
    assert left_out["fit"]["weights"] == pytest.approx(own.weights_)
    assert [mean for _, mean, _, _ in build_forecast_rows(left_out)] == pytest.approx(
        own.forecast([row["size"] for row in left_out["forecast"]]).mean
    )
    code = (
        "from apexgp.model.means import TwinMean; TwinMean.averaged = True\n"
        "import sys; from apexgp.surfaces.cli import main; sys.argv[0] = 'apexgp'; main()"
    )
    averaged = json.loads(call("-c", code, *forecast[2:]))
    assert averaged["fit"]["weights"]["twin"] == pytest.approx(averaged["fit"]["weights"]["power_law"])
    assert re.search(r"means weighted by their evidence \(power law .* and twin power ", averaged["methods_text"])


def test_priors_learnt_before_it_was_written_still_serve(call, folder):
    write_priors(CALIBRATED, folder / "priors.json")
    assert "twin" not in (folder / "priors.json").read_text()
    given, shipped = (
        json.loads(call(*command("forecast", "pairs.csv", "--mean", "twin", "--json", *options)))
        for options in (("--priors", "priors.json"), ())
    )
    assert build_forecast_rows(given) == build_forecast_rows(shipped)


def test_the_page_and_its_interface_offer_it(folder):
    with serving(PYTHONPATH=str(folder)) as (_, _, address):
        page = send(address, "/")[2].decode()
        described = send(address, "/openapi.json")[2]
        status, _, answer = send(address, "/api/forecast", {"table": TABLE, "mean": "twin"})
    assert '<option value="twin">twin power</option>' in page
    for request in ("ForecastRequest", "PageRequest", "ReportRequest"):
        (choices, _) = described["components"]["schemas"][request]["properties"]["mean"]["anyOf"]
        assert choices["enum"] == ["power_law", "arctan", "burr", "twin", "auto"]
    assert (status, answer["fit"]["weights"]) == (200, {"twin": 1.0})


def test_the_tools_of_an_assistant_offer_it(call):
    require("mcp")
    code = (
        "import json; from apexgp.surfaces.assistant.tools import load_tool\n"
        "print(json.dumps(load_tool('forecast', with_files=False).input_schema))"
    )
    assert "twin" in json.loads(call("-c", code))["properties"]["mean"]["anyOf"][0]["enum"]


def test_a_sensitivity_analysis_tries_it(call):
    document = json.loads(call(*command("sensitivity", "pairs.csv", "--mean", "power_law", "--json")))
    effects = {row["name"]: row["effect"] for row in document["changes"]}
    assert effects["twin-power curve"] == pytest.approx(0.0, abs=1e-9)


def test_a_report_names_and_cites_it(call, folder):
    call(*command("report", "pairs.csv", "--mean", "twin", "--out", "report.html"))
    report = (folder / "report.html").read_text()
    assert "with a twin power mean" in report
    assert CITATION in report
