"""`apexgp design`: sentence, table, JSON, picture, and one clear line for what cannot be."""

import json

import pytest
from typer.testing import CliRunner

from apexgp import APExGP, design_pilot
from apexgp.errors import RequestError
from apexgp.plot import DesignDisplay
from apexgp.surfaces.cli import app
from conftest import require

pyplot = require("matplotlib.pyplot")

TABLE = "size,AUROC,split\n" + "".join(
    f"{size},{score + shift:.3f},{split}\n"
    for split, shift in (("a", 0.0), ("b", 0.01), ("c", -0.01))
    for size, score in zip((60, 94, 147, 230, 360), (0.66, 0.70, 0.73, 0.75, 0.77), strict=True)
)


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "curve.csv").write_text(TABLE)
    return lambda *arguments: CliRunner().invoke(app, ["design", *map(str, arguments)])


@pytest.mark.slow
def test_after_a_pilot(invoke, tmp_path):
    done = invoke("curve.csv", "--budget", 6, "--at", "10x", "--target", 0.82, "--confirm", 1, "--plot", "next.png")
    assert done.exit_code == 0, done.output
    assert "3,600 examples reach a mean AUROC of 0.82 with a probability of " in done.output
    assert (
        "Measuring more may change that: with 6 models to train and up to 720 examples, the best option is "
        in done.output
    )
    assert "that it settles the question is " in done.output
    assert "nothing more" in done.output
    assert "right about 0.82 at 3,600" in done.output
    assert "Without more examples than the pilot's 360, not much would change." in done.output
    assert (tmp_path / "next.png").stat().st_size > 10_000


@pytest.mark.slow
def test_before_any_pilot(invoke, tmp_path):
    done = invoke("--budget", 30, "--at", 20000, "--confirm", 0, "--plot", "first.svg")
    assert done.exit_code == 0, done.output
    assert "With 30 models to train and up to 2,000 examples, train " in done.output
    assert " new split" not in done.output
    assert "at 20,000 examples is then expected to be 0." in done.output
    assert "Caution: Nothing has been measured yet" in done.output
    assert (tmp_path / "first.svg").exists()


@pytest.mark.slow
def test_facts(invoke):
    facts = json.loads(invoke("curve.csv", "--budget", 6, "--at", "3600,7200", "--confirm", 0, "--json").stdout)
    assert facts["pilot"]["metric_name"] == "AUROC"
    assert facts["question"]["at"] == [3600, 7200]
    assert facts["question"]["unit"] == "fits"
    assert len(facts["now"]["widths"]) == 2
    first = facts["designs"][0]
    assert first["rank"] == 1
    assert first["widths"][1] < facts["now"]["widths"][1]
    assert len(first["grid_widths"]) == len(facts["question"]["grid"])
    assert facts["designs"][facts["best_at_hand"] - 1]["sizes"][-1] <= 360
    assert facts["sentence"]


@pytest.mark.slow
def test_facts_before_any_pilot(invoke):
    before = json.loads(invoke("--budget", 9, "--at", 5000, "--confirm", 0, "--json").stdout)
    assert before["pilot"] is None
    assert before["best_at_hand"] is None


@pytest.mark.slow
def test_a_paragraph_for_a_paper(invoke):
    text = invoke("curve.csv", "--budget", 6, "--confirm", 0, "--methods-text").output
    assert "preposterior analysis" in text
    assert "Chaloner K, Verdinelli I." in text
    assert "within a budget of 6 models to train" in text
    assert "refitting" not in text
    near = ("--at", 720)  # farther out, more scores at the pilot's own sizes do not help
    tried = " ".join(invoke("curve.csv", "--budget", 6, "--confirm", 1, "--methods-text", *near).output.split())
    assert "of them, the best" in tried
    assert "the best without more data among them, were judged by refitting" in tried
    before = invoke("--budget", 6, "--at", 3000, "--confirm", 0, "--methods-text").output
    assert "Before any measurement" in before


@pytest.mark.slow
def test_hours(invoke, tmp_path):
    done = invoke("curve.csv", "--budget", "30min", "--fit-seconds", 60, "--example-seconds", 0.5, "--confirm", 0)
    assert done.exit_code == 0, done.output
    assert ": with 30 minutes and up to 720 examples, the best option is " in done.output
    assert "models   hours   expected error" in done.output
    missing = invoke("curve.csv", "--budget", "5h").exception
    assert "--budget in hours needs the time that a fit takes." in str(missing)
    # The record that collect leaves beside its curve is found there.
    (tmp_path / "curve.runs.csv").write_text("no record")
    assert "is not a record" in str(invoke("curve.csv", "--budget", "5h").exception)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["curve.csv", "--budget", "0.5"], "--budget must pay for one more fit"),
        (["curve.csv", "--budget", "many"], "--budget must be a number of fits such as 12, or hours such as 5h"),
        (["curve.csv", "--budget", "12", "--sizes", "6000", "--available", "5000"], "say so with --available 6000."),
        (["curve.csv", "--budget", "12", "--available", "100"], "--available must be at least 360"),
        (["curve.csv", "--budget", "12", "--splits", "0"], "--splits must be a whole number of at least 1"),
        (["curve.csv", "--budget", "1h", "--fit-seconds", "-3"], "must not be negative"),
        (["curve.csv", "--budget", "1h", "--fit-seconds", "0"], "one of them above 0"),
        (["curve.csv", "--budget", "12", "--fit-seconds", "3"], "--budget must be in hours"),
        (["curve.csv", "--budget", "12", "--at", "soon"], "--at must be a training-set size"),
        (["--budget", "12", "--at", "10x"], "--at must be sizes: without a pilot"),
        (["--budget", "12"], "--at must give the training-set sizes"),
        (["--budget", "12", "--at", "999", "--lower-is-better"], "--lower-is-better applies to a file"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(invoke, arguments, words):
    done = invoke(*arguments)
    assert done.exit_code == 1
    assert words in str(done.exception)
    assert "\n" not in str(done.exception)


@pytest.mark.slow
def test_the_picture_shows_what_is_known_now_and_after():
    model = APExGP("power_law").fit([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81])
    found = design_pilot(model, 4, at=[1800, 3600], target=0.85, confirm=0)
    display = DesignDisplay.from_design(found, model).plot()
    words = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert f"expected after {found.words(found.best)}" in words
    assert {"95 % interval now", "target 0.85", "measure here", "size that matters"} <= set(words)
    now, after = (band.get_paths()[0].get_extents() for band in display.ax_.collections[:2])
    assert after.height < now.height
    assert repr(display) == f"DesignDisplay(score, {found.words(found.best)}, to {display.sizes[-1]:,.10g} examples)"
    first = DesignDisplay.from_design(design_pilot(None, 9, at=5000, confirm=0)).plot()
    assert first.ax_.get_ylabel() == "expected width of the 95 % interval"
    pyplot.close("all")
    with pytest.raises(RequestError, match="found must be a result of"):
        DesignDisplay.from_design(model)
