import re

import pytest

from apexgp import read
from conftest import REPOSITORY, require


@pytest.mark.slow
def test_demo_compares_the_forecast_with_the_truth_and_leaves_what_to_go_on_with(run, tmp_path, monkeypatch):
    require("matplotlib")
    require("jinja2")
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--seed", 1)
    assert (code, err) == (0, "")
    assert "The truth: trained on 1,300 examples" in out
    assert "the interval from" in out
    left = re.findall(r"^  (apexgp-demo/\S+) ", out, re.MULTILINE)
    assert left == ["apexgp-demo/pairs.csv", "apexgp-demo/curve.png", "apexgp-demo/report.html"]
    assert all((tmp_path / name).stat().st_size > 100 for name in left)
    # What it says to type next works as it stands.
    (line,) = re.findall(r"^  apexgp (forecast .*)$", out, re.MULTILINE)
    assert run(*line.split())[0] == 0
    assert read(left[0]).curve.metric_name == "accuracy"
    code, _, err = run("demo")
    assert code == 1
    assert "pairs.csv exists" in err
    assert run("demo", "--seed", 1, "--force")[1] == out


@pytest.mark.slow
def test_demo_without_extras_says_what_would_make_the_rest(run, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    code, out, err = run("demo", "--out", tmp_path / "left")
    assert (code, err) == (0, "")
    assert "report.html" not in out
    assert "pip install 'apexgp[report]'" in out


def test_make_demo_installs_what_the_next_commands_of_the_readme_need():
    rule = re.search(
        r"^\.venv/installed:.*?\[([\w,]+)\]", (REPOSITORY / "Makefile").read_text(), re.MULTILINE | re.DOTALL
    )
    extras = {name: re.findall(r"[\w]+", value) for name, value in _extras()}
    found, wanted = set(), rule[1].split(",")
    while wanted:
        found.add(name := wanted.pop())
        wanted += [other for other in extras.get(name, []) if other in extras and other not in found]
    assert {"plot", "xlsx", "report", "web"} <= found


def _extras():
    table = (
        (REPOSITORY / "pyproject.toml").read_text().partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    )
    return re.findall(r"^(\w+) = \[(.*?)\]$", table, re.MULTILINE)
