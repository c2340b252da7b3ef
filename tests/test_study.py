"""The study of docs/study.md and docs/failures.md in small, on made-up curves in the files of the two databases."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from conftest import REPOSITORY
from small_databases import write_problems

LEARNERS = ("LogisticRegression", "QuadraticDiscriminantAnalysis")
TASKS = ("3", "31", "44")
FEW = ["default", "published", "ls-power_law", "last-score"]


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """Curves of two learners on three tasks; one of them guesses, and leaps after the pilot."""
    rng = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("data")
    (folder / "lcdb").mkdir()
    sizes = np.round(16 * 2 ** (np.arange(15) / 2)).astype(int)
    runs, means = [], []
    for task in TASKS:
        for learner in LEARNERS:
            curve = 0.9 - rng.uniform(0.2, 0.3) * (sizes / 16) ** -rng.uniform(0.3, 0.6)
            if task == TASKS[0] and learner == LEARNERS[1]:
                curve = np.where(sizes <= 362, 0.5, 0.9)
            for seed in range(20):
                noise = 0.0 if curve[0] == 0.5 else rng.normal(0, 0.01) + rng.normal(0, 0.01, len(sizes))
                scores = np.clip(curve + noise, 0, 1).round(4)
                runs += [(task, learner, f"{seed}_0", n, y, 500) for n, y in zip(sizes, scores, strict=True)]
            anchors = np.ceil(16 * 2 ** (np.arange(40) / 4)).astype(int)
            mean = np.interp(np.log(anchors), np.log(sizes), curve)
            means += [(task, learner, n, y, 0.002) for n, y in zip(anchors, mean, strict=True)]
    columns = ["task", "learner", "seed", "size", "auroc", "n_test"]
    pd.DataFrame(runs, columns=columns).to_csv(folder / "lcdb" / "lcdb_dev.csv.gz", index=False)
    for metric in ("auroc", "accuracy"):
        columns = ["task", "learner", "seed", "size", "test", "n_test"]
        table = pd.DataFrame(runs, columns=columns).assign(train=1.0)
        table.to_csv(folder / "lcdb" / f"lcdb_dev_{metric}_with_train.csv.gz", index=False)
    columns = ["data_set", "learner", "size", "accuracy", "standard_error"]
    pd.DataFrame(means, columns=columns).to_csv(folder / "lcdb" / "lcdb11_dev.csv.gz", index=False)
    write_problems(folder, TASKS)
    return folder


@pytest.fixture(scope="module")
def study(databases):
    """The command, as `python -m study` runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("APEXGP_DATA", str(databases))
        patch.syspath_prepend(str(REPOSITORY / "benchmarks"))
        from study.__main__ import main

        yield lambda *words: main([str(word) for word in words])


@pytest.fixture(scope="module")
def made(study, tmp_path_factory):
    """Records of a few methods."""
    folder = tmp_path_factory.mktemp("records")
    study("run", "--out", folder, "--methods", *FEW, "--draws", 7, "--curves", 1)
    return folder


@pytest.fixture
def records(made, tmp_path):
    """A copy of them to spoil."""
    return shutil.copytree(made, tmp_path / "records")


@pytest.mark.slow
def test_a_stopped_run_goes_on_where_it_was(study, records):
    whole = (records / "published.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (records / "published.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:50])
    study("run", "--out", records, "--methods", "published", "--draws", 7, "--curves", 1)
    again = (records / "published.jsonl").read_bytes()

    def untimed(content):
        return [{**json.loads(line), "seconds": 0} for line in content.splitlines()]

    assert untimed(again) == untimed(whole)
    study("run", "--out", records, "--methods", "published", "--draws", 7, "--curves", 1)
    assert (records / "published.jsonl").read_bytes() == again


@pytest.mark.slow
def test_rows_of_other_priors_are_not_mixed(study, records, tmp_path):
    from calibrate import CALIBRATED, FOLDS

    folds = tmp_path / "folds.json"
    content = {"fold": {task: 0 for task in TASKS}, "beliefs": [CALIBRATED.to_dict()] * FOLDS}
    folds.write_text(json.dumps(content))
    with pytest.raises(SystemExit, match="was made with other priors"):
        study("run", "--out", records, "--methods", "default", "--folds", folds, "--draws", 7, "--curves", 0)


@pytest.mark.slow
def test_tables_say_what_the_rows_hold(study, records, capsys):
    capsys.readouterr()
    study("tables", "--out", records)
    printed = capsys.readouterr().out
    first = printed.partition("## Beside")[0].splitlines()
    titles = [line.split(" | ")[0].strip("|* ") for line in first if line.startswith("|")][2:]
    assert titles == [
        "full Bayes, calibrated (the default)",
        "published MAP, power law",
        "least squares, power law, residual interval",
        "the last score goes on",
    ]
    rows = [json.loads(line) for line in (records / "published.jsonl").read_text().splitlines()[1:]]
    near = [
        np.mean([value for value, where in zip(row["crps"], row["horizon"], strict=True) if where == "<=2x"])
        for row in rows
        if row["sample"] == "draw 7"
    ]
    assert f"{np.mean(near):.4f}".removeprefix("0") == first[4].split(" | ")[1].split()[0]
    assert "95 % intervals within 1.5 points at every horizon:" in printed
    for heading in ("By shape", "By learner", "By design of the pilot", "For the README"):
        assert f"## {heading}" in printed


@pytest.mark.slow
def test_methods_are_compared_on_the_draw_that_all_were_run_on(study):
    from study.tables import first_draw

    rows = pd.DataFrame({"method": ["auto", "auto", "default", "domhan"], "sample": ["draw 1", *["draw 7"] * 3]})
    assert first_draw(rows).method.tolist() == ["auto", "default", "domhan"]


@pytest.mark.slow
def test_the_picture_of_reliability_shows_every_method(study, records):
    study("picture", "--out", records, "--to", records / "reliability.png")
    assert (records / "reliability.png").read_bytes().startswith(b"\x89PNG")


def test_an_honest_forecast_is_reliable_at_every_level(study):
    from study.picture import LEVELS, reliability

    pit = (np.arange(4000) + 0.5) / 4000
    rows = pd.DataFrame({"pit": pit, "sample": "draw 7", "curve": np.arange(4000) % 10})
    np.testing.assert_allclose(reliability(rows), LEVELS, atol=1e-3)


@pytest.mark.slow
def test_a_leap_out_of_guessing_is_the_worst_forecast_and_was_announced(study, records, capsys):
    capsys.readouterr()
    study("failures", "--out", records, "--to", records / "worst.png")
    printed = capsys.readouterr().out
    worst = next(line for line in printed.splitlines() if line.startswith("| 1 |"))
    assert "QuadraticDiscriminantAnalysis, task 3" in worst
    assert "no better than guessing" in worst
    assert "exactly equal scores" in worst
    assert (records / "worst.png").read_bytes().startswith(b"\x89PNG")


def test_shapes(study):
    from apexgp import LearningCurve
    from study.samples import shape

    sizes = np.geomspace(16, 2048, 15)
    assert shape(LearningCurve(sizes, 0.9 - 0.4 * (sizes / 16) ** -0.5)) == "well-behaved"
    assert shape(LearningCurve(sizes, np.where(sizes < 300, 0.5, 0.9))) == "wakes late"
    assert shape(LearningCurve(sizes, np.linspace(0.8, 0.7, 15))) == "falls"


@pytest.mark.slow
def test_outside_methods_give_forecasts(study, tmp_path):
    few = ["sklearn-gp", "domhan", "bootstrap", "piecewise"]
    study("run", "--out", tmp_path, "--methods", *few, "--draws", 7, "--every", 3, "--curves", 0)
    for name in few:
        rows = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text().splitlines()[1:]]
        assert rows
        assert all(np.isfinite(row["log_score"]).all() and np.greater(row["width_95"], 0).all() for row in rows)


@pytest.mark.slow
def test_speed_is_told_beside_the_default(study, capsys):
    study("speed", "--curves", 1, "--methods", "default", "published", "last-score")
    printed = capsys.readouterr().out
    assert "(the default)** | " in printed
    assert "| 1.00 |" in printed
    assert "## Growth with curves" in printed


@pytest.mark.slow
def test_a_batch_tells_its_memory(study, capsys):
    import batch

    batch.run(20, "burr", "this process", n_jobs=1)
    printed = capsys.readouterr().out
    assert "| 100% | 20 |" in printed
    assert "0 of 20 curves without a forecast" in printed


def test_the_page_has_every_method_and_the_columns_that_are_printed(study):
    import scoring
    from study.methods import known_methods

    page = (REPOSITORY / "docs" / "study.md").read_text(encoding="utf-8")
    table = page.partition("## All methods")[2].partition("\n\nWhat the program says")[0].strip().splitlines()
    table = [line for line in table if line.startswith("|")]
    assert "\n".join(table[:2]) == scoring.head("method")
    known = known_methods(None).values()
    assert [line.split(" | ")[0][2:] for line in table[2:]] == [
        own.title for own in known if own.every == 1 and not own.brought
    ]


def test_the_page_of_failures_names_the_cautions_that_are_counted(study):
    from study.failures import OF_THE_SCORES

    page = (REPOSITORY / "docs" / "failures.md").read_text(encoding="utf-8")
    rows = {line.split(" | ")[0][2:] for line in page.partition("Each by itself")[2].splitlines()}
    assert set(OF_THE_SCORES) - {"all perfect: a leak?"} <= rows  # no pilot here was perfect throughout
