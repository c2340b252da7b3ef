"""The record that reports quote: the numbers of docs/calibration.md, of the pilots most like the one at hand."""

import re

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.reach import Reach
from apexgp.questions.record import Design, Record, records, the_record
from apexgp.surfaces.words.record import record_words
from conftest import REPOSITORY, require

QUOTING = ("README.md", "docs/calibration.md", "docs/study.md")


def printed():
    """Rows of the default model on the page on calibration: what is forecast, name, figures at 80 and 95 %, curves."""
    page = (REPOSITORY / "docs" / "calibration.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\|.*\|$", page.partition("## Where it falls short")[0], re.MULTILINE):
        cells = [cell.strip() for cell in line[1:-1].split("|")]
        if len(cells) != 8 or not re.match(r"\.\d", cells[1]):
            continue
        quantity, _, rest = cells[0].partition(", ")
        of, name = (quantity.strip("`"), rest) if quantity.startswith("`") else ("new_splits", cells[0])
        name = name.removesuffix(", default").strip("*")
        figures = [[float(x) for x in cells[i].split("(")[0].split()] for i in (3, 4, 7)]
        yield of, name, *figures


def test_page_and_data_agree():
    kept = {(one.of, one.name): one for one in records()}
    seen = set()
    for of, name, covers_80, covers_95, curves in printed():
        if (of, name) in kept:
            one = kept[of, name]
            assert (list(one.covers[80]), list(one.covers[95]), list(one.curves)) == (covers_80, covers_95, curves), (
                name
            )
            seen.add((of, name))
    # All that is forecast by default is on the page; of the rest some.
    assert {key for key in kept if key[0] == "new_splits"} <= seen
    assert {of for of, _ in seen} == {"new_splits", "expected", "same_splits"}


def test_documents_quote_one_record():
    """What is said of the main protocol in several places is said alike."""
    pages = {name: " ".join((REPOSITORY / name).read_text(encoding="utf-8").split()) for name in QUOTING}
    for name, page in pages.items():
        assert re.search(r"531 (real|AUROC) curves of 75 tasks", page), name
    (kept,) = (one for one in records() if one.name == "all draws")
    held = " ".join(f"{figure:.0f}" for figure in kept.covers[95])
    assert f"Over three draws of the pilots the default's 95 % intervals cover {held} %" in pages["README.md"]
    figures = r"draw 7 \| (\S+ \S+ \S+) \| (\S+ \S+ \S+) .*?\) \| (\S+) (\S+) (\S+) \("
    first = re.search(figures, pages["docs/calibration.md"])
    rounded = " ".join(f"{float(figure):.0f}" for figure in first.groups()[2:])
    row = f"| **full Bayes, calibrated (the default)** | {first[1]} | {first[2]} | {rounded} |"
    assert row in pages["README.md"]


def test_every_design_of_the_benchmark_is_there(monkeypatch, tmp_path):
    pd = require("pandas")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    import pilots
    import record

    for of in ("new_splits", "expected", "same_splits"):
        names = {one.name for one in records() if one.of == of} - {record.PROTOCOL}
        assert names == {design.name for design in pilots.DESIGNS}
    for one in records():
        told = record.described(record.design_of(one.name))
        own = one.design
        assert told == {
            "metric": own.metric,
            "largest": own.largest,
            "sizes": own.sizes,
            "splits": own.splits,
            "kind": own.kind,
            "training_scores": "known" if own.training_scores else "unknown",
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
        (curve(sizes=9, largest=500), "AUROC 16-362 x 10, 3 splits"),
        (curve(largest=100), "AUROC 16-91 x 6, 3 splits"),
        (curve(largest=20_000), "AUROC 512-2896 x 6, 3 splits"),
        (curve(splits=8), "AUROC 64-362 x 6, 10 splits"),
        (curve(splits=1), "AUROC 64-362 x 6, 1 split"),
        (curve(splits=1, largest=20_000, sizes=3, metric="error rate"), "AUROC 64-362 x 6, 1 split"),
        (curve(metric="error rate"), "accuracy 64-362 x 6, 3 splits"),
        (unlabelled(), "AUROC 64-362 x 6, 1 split, unlabelled"),
        (unlabelled(metric="accuracy", sizes=4), "accuracy 64-362 x 6, 1 split, unlabelled"),
        (
            curve(splits=1, averaged_over=25, metric="acc", sizes=28, largest=2000),
            "mean accuracy 19-2896 x 30, means only",
        ),
        (curve(splits=1, averaged_over=5), "AUROC 64-362 x 6, means only"),
    ],
)
def test_the_most_similar_pilots_are_taken(pilot, name):
    design = Design.of_curve(pilot)
    nearest = min(
        (one for one in records() if one.of == "new_splits"),
        key=lambda one: (design.distance(one.design), -one.curves[0]),
    )
    assert nearest.name == name


@pytest.fixture(scope="module")
def model():
    return APExGP().fit(curve())


def test_says_what_was_asked_about(model):
    def told(level=0.95, **asked):
        answer = ForecastQuestion(level=level, **asked).answer(model)
        return record_words(the_record(answer), model.curve_, level)

    assert (
        "95 % intervals covered 94, 94 and 91 % of the later scores at up to 2, 2 to 10 and more than 10 times"
        in told()
    )
    near = told(at=Reach(times=(3.0, 5.0)))
    assert "covered 94 % of the later scores at 2 to 10 times the largest size (1,582 pilots)" in near
    assert "80 % intervals covered 80, 80 and 77 % of" in told(0.8)
    assert "80 % intervals covered 80, 80 and 77 %, and their 95 % intervals covered 94, 94 and 91 % of" in told(0.9)
    assert the_record(ForecastQuestion(of="expected").answer(model)).tried.of == "expected"
    other = curve(sizes=3, largest=3000, metric="f1")
    tried = next(one for one in records() if one.name == "all draws")
    words = record_words(Record(tried, Design.of_curve(other), (0,), of_this_model=True), other, 0.95)
    assert words.endswith("This pilot differs in the score (F1), the number of sizes (3) and the largest size (3,000).")


@pytest.mark.slow
def test_other_models_have_no_record():
    for model in (APExGP.as_published(), APExGP("auto"), APExGP(priors="paper")):
        assert the_record(ForecastQuestion().answer(model.fit([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79]))) is None
