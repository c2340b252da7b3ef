"""docs/images.md from nothing to the forecast, as it is written there."""

import io
import re
import shlex
from contextlib import redirect_stdout

import numpy as np
import pytest

from apexgp import read
from conftest import REPOSITORY, require

PAGE = (REPOSITORY / "docs" / "images.md").read_text(encoding="utf-8")


def number_in(text, pattern):
    return [float(value) for value in re.search(pattern, text).groups()]


@pytest.mark.slow
def test_the_tutorial_runs_and_its_forecast_holds_the_truth(run, tmp_path, monkeypatch):
    require("torch")
    require("transformers").utils.logging.disable_progress_bar()
    monkeypatch.chdir(tmp_path)
    tutorial = PAGE.partition("## Tutorial")[2].partition("\n## ")[0]
    printed = io.StringIO()
    for language, block in re.findall(r"```(python|sh)\n(.*?)```", tutorial, re.DOTALL):
        if language == "python":
            with redirect_stdout(printed):
                exec(compile(block, "docs/images.md", "exec"), {})
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            assert program == "apexgp"
            jobs = ["--jobs", "1"] if arguments[0] == "collect" else []  # the numbers are the same with any
            code, _, err = run(*arguments, *jobs)
            assert code == 0, err
    pilot, truth = read("pilot.csv").curve, read("truth.csv").curve
    assert pilot.largest == 360
    assert np.load("embeddings.npz")["X"].shape == (1797, 48)
    measured, low, high = number_in(printed.getvalue(), r"measured (0\S+), forecast (0\S+) to (0\S+)")
    assert measured == pytest.approx(truth.scores.mean(), abs=1e-3)
    assert low <= measured <= high
    assert pilot.scores.mean() < measured
    shown = number_in(tutorial, r"measured (0\S+), forecast (0\S+) to (0\S+)")
    assert shown == pytest.approx([measured, low, high], abs=0.02)  # another processor, another last digit


@pytest.mark.slow
def test_every_option_that_the_page_names_is_there(run):
    known = "".join(run(command, "--help")[1] for command in ("embed", "collect", "forecast"))
    for option in set(re.findall(r"--[a-z][a-z-]+", PAGE)):
        assert option in known or option == "--help", option
