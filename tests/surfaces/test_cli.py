import subprocess
import sys

import pytest

from apexgp import __version__, minimum_sample_size
from apexgp.errors import AccuracyWarning
from apexgp.question_base.model_settings import ModelSettings
from apexgp.questions import minimum


def test_no_traceback_reaches_the_user(run, pairs, monkeypatch):
    def broken(*_args, **_settings):
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(ModelSettings, "build_model", broken)
    code, _, err = run("forecast", pairs)
    assert code == 1
    assert "ZeroDivisionError: boom" in err
    assert "Traceback" not in err
    monkeypatch.setenv("APEXGP_TRACEBACK", "1")
    assert "Traceback" in run("forecast", pairs)[2]


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error(pairs):
    sizes = " ".join(f"--at {n}" for n in range(400, 1400))  # more than a pipe holds
    command = f"{sys.executable} -m apexgp forecast {pairs} --published --json {sizes} | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_version(run):
    assert run("--version") == (0, f"apexgp {__version__}\n", "")


def test_warnings_are_notes_for_a_reader(run, pairs, monkeypatch):
    import warnings

    def warning(*arguments, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for _ in range(2):
                warnings.warn("The nodes are few.", AccuracyWarning, stacklevel=1)
                warnings.warn("divide by zero encountered in divide", RuntimeWarning, stacklevel=1)
        return minimum_sample_size(*arguments, **settings)

    monkeypatch.setattr(minimum, "minimum_sample_size", warning)
    code, _, err = run("minimum", "--prevalence", 0.2, "--parameters", 12, "--r2", 0.15)
    assert (code, err) == (0, "Note: The nodes are few.\n")
