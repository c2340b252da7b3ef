"""The record that reports quote: the numbers of docs/calibration.md, of the pilots most like the one at hand."""

import re
from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.question_base.sizes import SizeSpec
from apexgp.questions.calibration import (
    CoverageRecord,
    PilotShape,
    TriedPilots,
    describe_record,
    find_record,
    load_tried_pilots,
)
from apexgp.questions.forecast import ForecastQuestion
from conftest import REPOSITORY, require

QUOTING = ("README.md", "docs/calibration.md", "docs/study.md")


def page_of_calibration():
    return (REPOSITORY / "docs" / "calibration.md").read_text(encoding="utf-8")


def printed():
    """Rows of the default model on the page on calibration: what is forecast, name, figures at 80 and 95 %, curves."""
    titles: list[str] = []
    for line in page_of_calibration().partition("## Where it falls short")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if "80 % covers (z)" in cells:
            titles = cells
        if not cells or len(cells) != len(titles) or not re.match(r"\.\d", cells[1]):
            continue
        quantity, _, rest = cells[0].partition(", ")
        of, name = (quantity.strip("`"), rest) if quantity.startswith("`") else ("new_splits", cells[0])
        name = name.removesuffix(", default").strip("*")
        shown = [cells[titles.index(title)] for title in ("80 % covers (z)", "95 % covers (z)", "curves")]
        yield of, name, *([float(x.replace("-", "nan")) for x in cell.split("(")[0].split()] for cell in shown)


def test_page_and_data_agree():
    kept = {(one.of, one.name): one for one in load_tried_pilots()}
    seen = set()
    for of, name, covers_80, covers_95, curves in printed():
        if (of, name) in kept:
            one = kept[of, name]
            held = [*one.covers[80], *one.covers[95], *one.curves]
            assert held == pytest.approx([*covers_80, *covers_95, *curves], nan_ok=True), name
            seen.add((of, name))
    # All that is forecast by default is on the page; of the rest some.
    assert {key for key in kept if key[0] == "new_splits"} <= seen
    assert {of for of, _ in seen} == {"new_splits", "expected", "same_splits"}


@pytest.mark.parametrize(
    ("said", "name", "level", "horizon"),
    [
        (r"the 95 % intervals for AUROC cover (\d+) %", "all draws", 95, 2),
        (r"its 80 % intervals for AUROC cover (\d+) %", "AUROC 64-362 x 6, 1 split", 80, 0),
        (r"\(80 % intervals cover (\d+) %\)", "AUROC 64-362 x 6, means only, called means", 80, 0),
        (
            r"undercover beyond 10 times the pilot: (\d+) %",
            "mean accuracy 19-362 x 18, means only, called means",
            95,
            2,
        ),
    ],
)
def test_where_it_falls_short_is_what_the_record_says(said, name, level, horizon):
    (figure,) = re.findall(said, page_of_calibration().partition("## Where it falls short")[2].partition("\n## ")[0])
    (kept,) = (one for one in load_tried_pilots() if (one.name, one.of) == (name, "new_splits"))
    assert float(figure) == pytest.approx(kept.covers[level][horizon], abs=0.5)


def test_documents_quote_one_record():
    """What is said of the main protocol in several places is said alike."""
    pages = {name: " ".join((REPOSITORY / name).read_text(encoding="utf-8").split()) for name in QUOTING}
    for name, page in pages.items():
        assert re.search(r"531 (real|AUROC) curves of 75 tasks", page), name
    (kept,) = (one for one in load_tried_pilots() if one.name == "all draws")
    held = " ".join(f"{figure:.0f}" for figure in kept.covers[95])
    assert f"Over three draws of the pilots the default's 95 % intervals cover {held} %" in pages["README.md"]
    cells = re.search(r"\| draw 7, default \| (.*?) \|\n", page_of_calibration())[1].split(" | ")
    held = " ".join(f"{float(figure):.0f}" for figure in cells[-4].partition(" (")[0].split())
    row = f"| **full Bayes, calibrated (the default)** | {cells[0]} | {cells[1]} | {held} |"
    assert row in pages["README.md"]


def test_every_design_of_the_benchmark_is_there(monkeypatch, tmp_path):
    pd = require("pandas")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    import record

    for of in ("new_splits", "expected", "same_splits"):
        names = {one.name for one in load_tried_pilots() if one.of == of} - {record.PROTOCOL}
        assert names == set(record.DESIGNS)
    for one in load_tried_pilots():
        told = record.described(record.design_of(one.name))
        own = one.design
        assert told == {
            "metric": own.metric,
            "largest": own.largest,
            "sizes": own.sizes,
            "splits": own.splits,
            "kind": own.kind,
            "told": "yes" if own.told else "no",
        }
    # What the benchmark writes takes the place of what is there, and leaves the rest.
    copy, before = tmp_path / "calibration.csv", record.FILE.read_text()
    copy.write_text(before)
    table = pd.read_csv(copy)
    record.write(copy, table[table.pilots == record.PROTOCOL].sample(frac=1, random_state=0).sort_values("times"))
    assert sorted(copy.read_text().splitlines()) == sorted(before.splitlines())
    record.write(copy, table[table.pilots == record.PROTOCOL].assign(curves=7))
    assert (pd.read_csv(copy).curves == 7).sum() == 3


def curve(sizes=6, largest=362, splits=3, metric="auc", **about):
    at = np.geomspace(max(largest / 2 ** ((sizes - 1) / 2), 10), largest, sizes).round()
    scores = 0.8 - 0.5 * at[:, None] ** -0.4 + 0.005 * np.cos(np.arange(sizes * splits)).reshape(sizes, splits)
    return LearningCurve(at, scores, metric=metric, **about)


def unlabelled(**settings):
    labelled = curve(splits=1, **settings)
    return LearningCurve(labelled.sizes, labelled.scores, metric=labelled.metric)


@pytest.mark.parametrize(
    ("pilot", "name"),
    [
        (curve(), "all draws"),  # of two samples of one design, the larger
        (curve(sizes=3), "AUROC 181-362 x 3, 3 splits"),
        (curve(sizes=2), "AUROC 256-362 x 2, 3 splits"),
        (curve(sizes=1), "AUROC 362 x 1, 3 splits"),
        (curve(sizes=1, n_features=30), "AUROC 362 x 1, 3 splits, told"),
        (curve(sizes=9, largest=500), "AUROC 16-362 x 10, 3 splits"),
        (curve(largest=100), "AUROC 16-91 x 6, 3 splits"),
        (curve(largest=20_000), "AUROC 512-2896 x 6, 3 splits"),
        (curve(splits=8), "AUROC 64-362 x 6, 10 splits"),
        (curve(splits=1), "AUROC 64-362 x 6, 1 split"),
        (curve(splits=1, sizes=1), "AUROC 362 x 1, 1 split"),
        (curve(splits=1, learner="linear"), "AUROC 64-362 x 6, 1 split, told"),
        (curve(splits=1, learner="unknown"), "AUROC 64-362 x 6, 1 split"),
        (curve(splits=1, largest=20_000, sizes=4, metric="error rate"), "accuracy 64-362 x 6, 1 split, unlabelled"),
        (curve(metric="error rate"), "accuracy 64-362 x 6, 3 splits"),
        (curve(metric="error rate", n_classes=3), "accuracy 64-362 x 6, 3 splits, told"),
        (unlabelled(), "AUROC 64-362 x 6, 1 split"),
        (unlabelled(metric="accuracy", sizes=4), "accuracy 64-362 x 6, 1 split, unlabelled"),
        (
            unlabelled(metric="average precision", sizes=5, largest=100),
            "average precision 11-64 x 6, 1 split, unlabelled",
        ),
        (
            curve(splits=1, averaged_over=25, metric="acc", sizes=28, largest=2000),
            "mean accuracy 19-2896 x 30, means only, called means",
        ),
        (curve(splits=1, averaged_over=5), "AUROC 64-362 x 6, means only, called means"),
        (curve(splits=1, averaged_over="several"), "AUROC 64-362 x 6, means only, called means"),
    ],
)
def test_the_most_similar_pilots_are_taken(pilot, name):
    design = PilotShape.of_curve(pilot)
    nearest = min(
        (one for one in load_tried_pilots() if one.of == "new_splits"),
        key=lambda one: (design.distance(one.design), -one.curves[0]),
    )
    assert nearest.name == name


@pytest.fixture(scope="module")
def model():
    return APExGP().fit(curve())


def test_says_what_was_asked_about(model):
    def told(level=0.95, **asked):
        answer = ForecastQuestion(level=level, **asked).answer(model)
        return describe_record(find_record(answer), model.curve_, level)

    tried = next(one for one in load_tried_pilots() if one.name == "all draws")
    at_80, at_95 = ("{:.0f}, {:.0f} and {:.0f}".format(*tried.covers[held]) for held in (80, 95))
    where = "of the later scores at up to 2, 2 to 10 and more than 10 times"
    assert f"95 % intervals covered {at_95} % {where}" in told()
    near = told(at=SizeSpec(times=(3.0, 5.0)))
    held = f"covered {tried.covers[95][1]:.0f} % of the later scores at 2 to 10 times the largest size"
    assert f"{held} ({tried.curves[1]:,} pilots)" in near
    assert f"80 % intervals covered {at_80} % of" in told(0.8)
    assert f"80 % intervals covered {at_80} %, and their 95 % intervals covered {at_95} % of" in told(0.9)
    assert find_record(ForecastQuestion(of="expected").answer(model)).tried.of == "expected"
    other = curve(sizes=3, largest=3000, metric="f1")
    words = describe_record(CoverageRecord(tried, PilotShape.of_curve(other), (0,)), other, 0.95)
    assert words.endswith("This pilot differs in the score (F1), the number of sizes (3) and the largest size (3,000).")


@pytest.mark.parametrize(
    ("pilot", "differences"),
    [
        (curve(largest=360), None),
        (curve(sizes=5), "the number of sizes (5)"),
        (curve(splits=2), "the scores per size (2 splits)"),
        (curve(sizes=5, splits=2), "the number of sizes (5) and the scores per size (2 splits)"),
        (curve(largest=500), "the largest size (500)"),
        (curve(metric="macro AUROC"), "the score (macro AUROC)"),
        (curve(splits=1), "the scores per size (one run per size)"),
    ],
)
def test_every_difference_is_said(pilot, differences):
    (tried,) = (one for one in load_tried_pilots() if one.name == "all draws")
    words = describe_record(CoverageRecord(tried, PilotShape.of_curve(pilot), (0,)), pilot, 0.95)
    said = "This pilot is of that kind." if differences is None else f"This pilot differs in {differences}."
    assert words.endswith(f"pilots). {said}")


def test_says_what_is_known_and_how_many_runs_are_behind_a_score():
    def told(pilot, **of_design):
        shape = {"metric": "AUROC", "largest": 362.0, "sizes": 6, "splits": 1.0, "kind": "single", "told": False}
        tried = TriedPilots("", "new_splits", PilotShape(**shape | of_design), {95: (94.0,) * 3}, (100,) * 3)
        return describe_record(CoverageRecord(tried, PilotShape.of_curve(pilot), (0,)), pilot, 0.95)

    words = told(curve(splits=1, n_classes=2))
    assert "AUROC at 6 sizes up to 362: one run per size. Forecast" in words
    assert words.endswith("differs in training scores or facts of learner and problem (known here).")
    words = told(curve(sizes=1), sizes=1, splits=3.0, kind="labelled", told=True)
    assert "AUROC at one size, 362: 3 splits, with training scores or facts of learner and problem. Forecast" in words
    assert words.endswith("differs in training scores or facts of learner and problem (unknown here).")
    means = {"splits": 25.0, "kind": "means"}
    assert told(curve(splits=1, averaged_over="several"), **means).endswith("This pilot is of that kind.")
    assert told(curve(splits=1, averaged_over=5), **means).endswith(
        "differs in the scores per size (the mean of 5 runs per size)."
    )
    assert told(curve(splits=1, averaged_over="several")).endswith("(the mean of several runs per size).")


def test_pilots_that_nobody_followed_so_far_are_not_quoted(model, monkeypatch):
    own = PilotShape.of_curve(model.curve_)
    near = TriedPilots("near", "new_splits", own, {80: (80.0,) * 3, 95: (95.0,) * 3}, (100, 100, 0))
    far = replace(near, name="far", design=replace(own, sizes=2), curves=(100, 100, 1))
    monkeypatch.setattr("apexgp.questions.calibration.load_tried_pilots", lambda: (near, far))
    for times, name in ((3.0, "near"), (20.0, "far")):
        answer = ForecastQuestion(at=SizeSpec(times=(times,))).answer(model)
        assert find_record(answer).tried.name == name


@pytest.mark.slow
def test_other_models_have_no_record():
    for model in (APExGP.as_published(), APExGP("auto"), APExGP(priors="paper")):
        assert find_record(ForecastQuestion().answer(model.fit([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79]))) is None
