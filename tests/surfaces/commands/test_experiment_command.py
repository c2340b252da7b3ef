import json
import sys

import numpy as np
import pytest

from apexgp import read
from apexgp.errors import RequestError, WouldOverwriteError
from apexgp.experiment import Experiment, run_experiment, write_experiment
from apexgp.plot import ExperimentDisplay
from apexgp.questions.experiment.folder import name_pictures
from apexgp.replication.configuration import shipped_experiments
from conftest import interrupted, require
from documents import faults
from small_experiment import CONFIGURATION, embeddings

FILES = {"runs.csv", "tables.md", "curves.csv", "figures.csv", "dense.csv", "experiment.json", "experiment.toml"}
TABLES = {"rmse_short.csv", "rmse_long.csv", "likelihood.csv", "coverage.csv", "dense_coverage_95.csv"}


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("small.npz", **embeddings())
    (tmp_path / "small.toml").write_text(CONFIGURATION.replace(", 5000", ""))
    return tmp_path / "small.toml"


def test_without_an_argument_those_that_ship_are_listed(run):
    code, out, err = run("experiment")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[:-1]] == list(shipped_experiments())
    assert run("experiment", "--list")[1] == out
    code, out, err = run("experiment", "--json")
    assert (code, out) == (1, "")
    assert err.startswith("Error: --json and --methods-text need an experiment to run.")


def test_one_that_ships_is_written_out_to_be_edited(run, small):
    code, out, _ = run("experiment", "tmed2", "--write", "mine.toml")
    assert code == 0
    assert "Next: apexgp experiment mine.toml" in out
    assert Experiment.read("mine.toml").text == Experiment.read("tmed2").text
    code, _, err = run("experiment", "tmed2", "--write", "mine.toml")
    assert code == 1
    assert "mine.toml exists. Name another file, or allow overwriting with --force." in err
    code, _, err = run("experiment", "--write", "other.toml")
    assert code == 1
    assert err.startswith("Error: --write needs an experiment to write: name one of busi, ")


@pytest.mark.slow
def test_everything_is_in_the_folder(run, small, tmp_path):
    code, out, err = run("experiment", small, "--jobs", 1)
    assert code == 0
    assert [line.split(":")[0] for line in err.splitlines()] == ["Note"]  # few test cases
    folder = tmp_path / "small-experiment"
    require("matplotlib")
    assert {path.name for path in folder.iterdir()} == FILES | TABLES | {"Illness.png"}
    assert (folder / "Illness.png").read_bytes().startswith(b"\x89PNG")
    facts = json.loads((folder / "experiment.json").read_text())
    assert faults(facts, "experiment") == []
    assert facts["sentence"] in out
    assert facts["fits"] == 2 * 6 + 6
    assert facts["experiment"]["dense"] == {"sizes": [150], "runs": 6, "group": 2, "levels": [0.95]}
    assert "| Small | Illness |" in (folder / "tables.md").read_text()
    assert read(folder / "curves.csv").curves["ill"].largest == 280
    assert set(facts.pop("files")) == (FILES | TABLES | {"Illness.png"}) - {"runs.csv"}
    assert json.loads(run("experiment", small, "--jobs", 1, "--json")[1]) == facts  # again, from the record
    assert "apexgp" in run("experiment", small, "--jobs", 1, "--methods-text")[1]


def test_a_folder_with_other_things_is_left_alone(run, small, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "tables.md").write_text("mine")
    code, _, err = run("experiment", small, "--jobs", 1, "--out", "mine")
    assert code == 1
    assert "mine holds tables.md and no runs.csv, so no experiment was started there. Name another folder." in err
    assert (tmp_path / "mine" / "tables.md").read_text() == "mine"


def test_a_record_does_not_make_other_files_ours(run, small, tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("runs.csv", "tables.md"):
        (tmp_path / "mine" / name).write_text("mine")
    (tmp_path / "mine" / "experiment.json").write_text('{"files": ["tables.md"]}')
    code, _, err = run("experiment", small, "--jobs", 1, "--out", "mine")
    assert code == 1
    assert "mine holds experiment.json beside runs.csv, but no experiment.json of an experiment that lists it" in err
    assert (tmp_path / "mine" / "tables.md").read_text() == "mine"


@pytest.mark.slow
def test_files_of_the_run_before_do_not_stay_and_others_do(run, small, tmp_path):
    folder, outside = tmp_path / "small-experiment", tmp_path / "outside.txt"
    assert run("experiment", small, "--jobs", 1)[0] == 0
    (folder / "notes.txt").write_text("mine")
    outside.write_text("mine")
    facts = json.loads((folder / "experiment.json").read_text())
    facts["files"] += ["../outside.txt", "runs.csv", str(outside), ".", 5]  # whatever somebody wrote there
    (folder / "experiment.json").write_text(json.dumps(facts))
    assert run("experiment", small, "--jobs", 1, "--no-dense")[0] == 0
    left = {path.name for path in folder.iterdir()}
    assert left - {"Illness.png"} == (FILES | TABLES | {"notes.txt"}) - {"dense.csv", "dense_coverage_95.csv"}
    assert outside.exists()
    (folder / "dense.csv").write_text("mine")
    code, _, err = run("experiment", small, "--jobs", 1)
    assert code == 1
    assert (
        "holds dense.csv, which no experiment wrote. Move it elsewhere, or name another folder; the fits are in"
    ) in err
    assert (folder / "dense.csv").read_text() == "mine"


@pytest.mark.slow
def test_the_configuration_in_the_folder_runs_again(run, small, tmp_path):
    small.write_text(small.read_text().split("[dense]")[0])
    assert run("experiment", small, "--jobs", 1, "--out", "first")[0] == 0
    code, _, err = run("experiment", "first/experiment.toml", "--jobs", 1, "--out", "again")
    assert code == 0, err
    assert (tmp_path / "again" / "tables.md").read_text() == (tmp_path / "first" / "tables.md").read_text()
    (tmp_path / "small.npz").rename(tmp_path / "moved.npz")
    assert run("experiment", small, "--jobs", 1, "--out", "other", "--embeddings", "moved.npz")[0] == 0
    assert Experiment.read("other/experiment.toml").embeddings.resolve() == tmp_path.resolve() / "moved.npz"


@pytest.mark.slow
def test_other_data_in_the_same_folder_are_refused(run, small):
    assert run("experiment", small, "--jobs", 1, "--no-dense")[0] == 0
    np.savez("other.npz", **embeddings(seed=1))
    code, _, err = run("experiment", small, "--jobs", 1, "--no-dense", "--embeddings", "other.npz")
    assert code == 1
    assert "holds the fits of another run" in err
    assert "Start in another folder with --out other" in err


def test_what_cannot_begin_leaves_no_folder(run, small, tmp_path):
    code, _, err = run("experiment", small, "--jobs", 1, "--embeddings", "none.npz")
    assert code == 1
    assert err.endswith("none.npz. Create them with apexgp embed, or name existing ones with --embeddings.\n")
    assert not (tmp_path / "small-experiment").exists()


def test_a_wrong_line_names_key_and_file(run, small):
    small.write_text(CONFIGURATION.replace("number = 2", "nubmer = 2"))
    code, _, err = run("experiment", "small.toml")
    assert code == 1
    assert err == "Error: small.toml: splits.nubmer is not a key of the configuration. Did you mean splits.number?\n"


@pytest.mark.slow
def test_interrupted_it_says_so_and_goes_on_to_the_same_tables(run, small, tmp_path):
    small.write_text(CONFIGURATION.replace(", 5000", "").split("[dense]")[0].replace("number = 2", "number = 12"))
    command = [sys.executable, "-m", "apexgp", "experiment", str(small), "--jobs", "1"]
    record = tmp_path / "small-experiment" / "runs.csv"
    code, err = interrupted(command, lambda: record.exists() and record.read_text().count("\n") >= 25, cwd=tmp_path)
    assert code == 130
    assert "Stopped. The finished fits are in small-experiment/runs.csv; the same command resumes from there." in err
    assert not (tmp_path / "small-experiment" / "tables.md").exists()
    assert run("experiment", small, "--jobs", 1)[0] == 0
    assert run("experiment", small, "--jobs", 1, "--out", "afresh")[0] == 0
    made = [(tmp_path / folder / "tables.md").read_text() for folder in ("small-experiment", "afresh")]
    assert made[0] == made[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_on_a_dask_cluster_the_tables_are_the_same(run, small, tmp_path):
    distributed = require("distributed")
    assert run("experiment", small, "--jobs", 1, "--out", "here")[0] == 0
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        code, _, err = run("experiment", small, "--dask", cluster.scheduler_address, "--out", "there")
    assert code == 0, err
    assert (tmp_path / "there" / "tables.md").read_text() == (tmp_path / "here" / "tables.md").read_text()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_written_and_drawn_from_python(small, tmp_path):
    require("matplotlib")
    result = run_experiment(small, dense=False, progress=False)
    write_experiment(result, tmp_path / "out", pictures=False)
    assert not list((tmp_path / "out").glob("*.png"))
    with pytest.raises(WouldOverwriteError):
        write_experiment(result, tmp_path / "out", pictures=False)
    display = ExperimentDisplay.from_result(result, "Illness")
    assert list(display.panels) == ["gp_power_law", "gp_arctan", "apexgp"]
    assert [ax.get_title() for ax in display.plot().ax_] == ["GP pow", "GP arc", "apexgp"]
    with pytest.raises(RequestError, match="task must be among Illness, got 'Health'"):
        ExperimentDisplay.from_result(result, "Health")


def test_names_of_pictures_are_files_and_differ():
    assert name_pictures(["a/b", "a b", "A_B", "../..", "..", "é"]) == {
        "a/b": "a_b.png",
        "a b": "a_b_2.png",
        "A_B": "A_B_3.png",
        "../..": "task.png",
        "..": "task_2.png",
        "é": "task_3.png",
    }
