import csv
import json
import re
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB

import apexgp
from apexgp import TunedLogistic, collect_curves, read
from apexgp.errors import FewTestCasesWarning
from conftest import interrupted, require

DATA = load_breast_cancer()
COLUMNS = "size,score,split,train_score,n_test,task,metric,direction,unit,test_share,n_features,n_classes\n"


@pytest.fixture
def table(tmp_path):
    """Eight features, two rows a patient."""
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["patient", *(f"f{i}" for i in range(8)), "diagnosis"])
        for i, (x, y) in enumerate(zip(DATA.data, DATA.target, strict=True)):
            writer.writerow([f"p{i // 2}", *x[:8], DATA.target_names[y]])
    return path


@pytest.fixture
def collect(run, table, tmp_path):
    def collect(*arguments, label="diagnosis", group=("--group", "patient"), out=tmp_path / "curve.csv"):
        quick = ("--estimator", "logistic-head", "--jobs", 1)
        return run("collect", table, "--label", label, *group, *quick, "--out", out, *arguments)

    return collect


@pytest.mark.slow
def test_from_a_table_to_a_forecast(run, collect, tmp_path):
    code, out, err = collect("--sizes", "60,94,147,230", "--splits", 2)
    assert code == 0
    assert err.startswith("Note: The test sets are small: 19 positive and 3")
    assert err.count("\n") == 1
    assert "AUROC of malignant" in out
    assert f"Next: apexgp forecast {tmp_path / 'curve.csv'}" in out
    curve = read(tmp_path / "curve.csv").curve
    assert (len(curve), sorted(set(curve.sizes))) == (8, [60, 94, 147, 230])
    assert (tmp_path / "curve.csv").read_text().startswith(COLUMNS)
    code, out, _ = run("forecast", tmp_path / "curve.csv", "--at", 460, "--json")
    assert code == 0
    pilot = json.loads(out)["pilot"]
    assert [pilot[name] for name in ("scores", "metric", "metric_name", "unit")] == [8, "auroc", "AUROC", "rows"]


@pytest.mark.slow
def test_the_same_command_goes_on_and_another_is_refused(collect, tmp_path):
    settings = ("--sizes", "60,94", "--splits", 2)
    assert collect(*settings)[0] == 0
    curve, runs = tmp_path / "curve.csv", tmp_path / "curve.runs.csv"
    first, lines = curve.read_text(), runs.read_text().splitlines()
    curve.unlink()
    runs.write_text("\n".join(lines[:-2]) + "\n" + lines[-2][:20])  # one fit lost, one torn
    assert collect(*settings)[0] == 0
    assert curve.read_text() == first
    assert collect(*settings)[0] == 0  # the curve that came from these fits may be renewed
    code, _, err = collect(*settings, "--seed", 1)
    assert code == 1
    assert "curve.runs.csv holds the fits of another run (seed: 0, now 1). It was left untouched." in err
    curve.write_text("mine")
    code, _, err = collect(*settings)
    assert code == 1
    assert "curve.csv exists" in err
    assert curve.read_text() == "mine"
    assert collect(*settings, "--force")[0] == 0
    assert curve.read_text() == first


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["random-forest", "gradient-boosting", "sklearn.naive_bayes:GaussianNB"])
def test_other_classifiers_and_metrics(collect, tmp_path, estimator):
    settings = ("--sizes", "100", "--splits", "1", "--metric", "auroc", "--metric", "accuracy")
    code, out, _ = collect("--estimator", estimator, *settings)
    assert code == 0
    assert "accuracy of malignant" in out
    assert read(tmp_path / "curve.csv", metric="accuracy").curve.scores[0] > 0.7


def test_an_estimator_from_the_folder_one_is_in(collect, tmp_path, monkeypatch):
    (tmp_path / "my_models.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\nstump = DecisionTreeClassifier(max_depth=1)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert collect("--estimator", "my_models:stump", "--sizes", "60", "--splits", 1)[0] == 0
    assert "DecisionTreeClassifier" not in (tmp_path / "curve.csv").read_text()
    assert "max_depth=1," in (tmp_path / "curve.runs.csv").read_text()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_embeddings_and_several_classes(run, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    (tmp_path / "labels.csv").write_text("species\n" + "\n".join(f"kind {label}" for label in y) + "\n")
    arguments = ["--label", "species", "--labels", tmp_path / "labels.csv", "--sizes", "20,40,80", "--splits", "1"]
    code, out, err = run("collect", tmp_path / "X.npy", *arguments, "--jobs", "1", "--out", tmp_path / "c.csv")
    assert code == 0
    assert "5 positive and 10 negative cases of 'kind 0', and 2 more tasks have few" in err
    assert "--task 'kind 0'" in out
    settings = {"sizes": [20, 40, 80], "n_splits": 1, "progress": False}
    expected = collect_curves(TunedLogistic(), X.astype(np.float32), y, **settings)
    text = (tmp_path / "c.csv").read_text()
    assert text.startswith(COLUMNS)
    scores = [float(line.split(",")[1]) for line in text.splitlines()[1:]]
    assert scores == [score for curve in expected.values() for score in curve.scores]
    code, out, _ = run("forecast", tmp_path / "c.csv")
    assert code == 0
    assert out.startswith("3 tasks, each forecast on its own (AUROC).")
    assert (
        "has no task 'kind 9'; found kind 0, kind 1, kind 2"
        in run("forecast", tmp_path / "c.csv", "--task", "kind 9")[2]
    )
    assert run("forecast", tmp_path / "c.csv", "--task", "kind 1")[0] == 0


@pytest.mark.slow
def test_what_was_done_and_left_out_is_said(run, tmp_path):
    rows = [f"{i % 17},{'ab'[i % 2]},same,{i % 3 > 0}" for i in range(200)]
    (tmp_path / "d.csv").write_text("number,letter,constant,y\n" + "\n".join(rows) + "\n")
    arguments = ("--label", "y", "--sizes", "60,5000", "--jobs", 1, "--out", tmp_path / "c.csv")
    code, _, err = run("collect", tmp_path / "d.csv", *arguments)
    assert code == 0
    assert "the same value: constant" in err
    assert "categories (one-hot): letter" in err
    assert "Note: The sizes 5000 are beyond the 160 rows" in err


@pytest.mark.slow
def test_failed_fits_end_with_1_and_are_named(run, tmp_path, monkeypatch):
    (tmp_path / "moody.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Moody(GaussianNB):\n"
        "    def fit(self, X, y):\n"
        "        if len(X) == 60:\n"
        "            raise ValueError('not today')\n"
        "        return super().fit(X, y)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    np.savez(tmp_path / "d.npz", X=DATA.data, y=DATA.target)
    code, out, err = run(
        "collect", "d.npz", "--label", "y", "--estimator", "moody:Moody", "--sizes", "60,94", "--jobs", 1
    )
    assert code == 1
    assert "Note: 3 of 6 fits failed" in err
    assert "3 with ValueError: not today" in err
    assert "The curve is in curve.csv" in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sizes", "many"], "--sizes must be numbers separated by ',', got 'many'"),
        (["--ratio", "8-1-1"], "--ratio must be numbers separated by ':'"),
        (["--ratio", "8:1"], "--ratio must be three numbers"),
        (["--sizes", "1.5"], "--sizes must be whole numbers, got 1.5"),
        (["--splits", "0"], "--splits must be a whole number of at least 1"),
        (["--metric", "auc"], "--metric must be one of 'auroc'"),
        (
            ["--estimator", "svm"],
            "--estimator must be one of logistic, random-forest, gradient-boosting, logistic-head, slice-head, or",
        ),
        (["--estimator", "no_such_module:thing"], "was not found: No module named 'no_such_module'"),
        (["--estimator", "math:nothing"], "was not found"),
        (["--estimator", "math:pi"], "--estimator must be a scikit-learn classifier, got 3.14"),
        (["--multiclass", "both"], "--multiclass must be one of"),
        (["--results", "no/such/folder/r.csv"], "does not exist"),
    ],
)
def test_faults_of_the_request_end_with_1_and_one_sentence(collect, arguments, message):
    code, out, err = collect(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert message in err


@pytest.mark.slow
def test_faults_of_the_data_end_with_1(collect, tmp_path):
    assert (
        "Leave it out with --drop patient, or, if it says whose the rows are, name it with --group patient."
        in collect(group=())[2]
    )
    assert "--label must contain classes, got numbers such as" in collect("--drop", "diagnosis", label="f0")[2]
    code, _, err = collect("--results", tmp_path / "curve.csv")
    assert code == 1
    assert "are the same file" in err
    assert list(tmp_path.glob("*.csv")) == [tmp_path / "data.csv"]


@pytest.mark.slow
def test_ctrl_c_says_how_to_go_on(table, tmp_path):
    command = [sys.executable, "-m", "apexgp", "collect", table, "--label", "diagnosis", "--group", "patient"]
    command += ["--jobs", "1", "--splits", "200", "--out", tmp_path / "curve.csv"]
    record = tmp_path / "curve.runs.csv"
    code, err = interrupted(command, lambda: record.exists() and record.read_text().count("\n") > 16)
    assert code == 130
    assert "Stopped. The finished fits are in" in err
    assert "Traceback" not in err
    assert record.read_text().endswith("\n")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_on_a_dask_cluster(collect, tmp_path):
    distributed = require("distributed")
    settings = ("--sizes", "60,94", "--splits", 1)
    assert collect(*settings)[0] == 0
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        more = ("--dask", cluster.scheduler_address, "--results", tmp_path / "dask.csv")
        code, _, err = collect(*settings, *more, out=tmp_path / "dask_curve.csv")
    assert code == 0, err
    assert (tmp_path / "dask_curve.csv").read_text() == (tmp_path / "curve.csv").read_text()


def test_without_the_extra_dask_is_named(collect, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, _, err = collect("--dask", "tcp://nowhere:1")
    assert code == 1
    assert "pip install 'apexgp[distributed]'" in err


@pytest.mark.slow
def test_one_more_size_renews_the_curve_that_the_command_made(collect, tmp_path):
    curve = tmp_path / "curve.csv"
    assert collect("--sizes", "60,94", "--splits", 2)[0] == 0
    first = curve.read_text().splitlines()
    assert collect("--sizes", "60,94,147", "--splits", 2)[0] == 0
    assert set(first) < set(curve.read_text().splitlines())
    curve.write_text("\n".join(first) + "\n")  # as when the run that went further was killed before its end
    assert collect("--sizes", "60,94,147", "--splits", 2)[0] == 0
    assert set(first) < set(curve.read_text().splitlines())
    curve.write_text(curve.read_text().replace("60,0.", "60,0.0", 1))  # no longer what the fits say
    code, _, err = collect("--sizes", "60,94,147,230", "--splits", 2)
    assert code == 1
    assert "exists" in err
    assert "60,0.0" in curve.read_text()


@pytest.mark.slow
def test_two_classes_of_ones_own_never_mix(collect, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two_of_mine.py").write_text(
        "from sklearn.naive_bayes import GaussianNB\n"
        "class A(GaussianNB): pass\n"
        "class B(GaussianNB):\n"
        "    def predict(self, X): return 1 - super().predict(X)\n"
    )
    settings = ("--metric", "accuracy", "--splits", 1)
    assert collect("--estimator", "two_of_mine:A", "--sizes", "60,94", *settings)[0] == 0
    code, _, err = collect("--estimator", "two_of_mine:B", "--sizes", "60,94,147", *settings)
    assert code == 1
    kind, fault = err.splitlines()
    assert kind.startswith("Kind of learner: naive_bayes (B)")
    assert "(estimator: two_of_mine:A, now two_of_mine:B)" in fault


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--jobs", 0), "--jobs must be a number of processes other than 0"),
        (("--ratio", "1e308:1e308:1e308", "--sizes", 5000), "All sizes are beyond"),
        (("--ratio", "1e308:0:1e-300"), "--ratio must leave something for every part"),
        (("--results", "/dev/null"), "is a device. Only ordinary files"),
        (("--estimator", "sklearn.pipeline:Pipeline"), "cannot be created without arguments .*:mine"),
        (("--estimator", "broken_module:x"), "broken_module failed to import .ZeroDivisionError"),
        (("--estimator", "leaving_module:x"), "leaving_module failed to import .SystemExit"),
        (("--splits", "9" * 310), "--splits must be a whole number of at most 1,000"),
    ],
)
def test_hostile_requests_end_with_1_and_one_sentence(collect, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken_module.py").write_text("1 / 0\n")
    (tmp_path / "leaving_module.py").write_text("raise SystemExit('bye')\n")
    code, out, err = collect(*arguments)
    assert (code, out) == (1, "")
    assert re.search(message, err), err
    assert err.startswith("Error: ")
    assert err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("out", [".", "..", "/", "/dev/null", "/proc/curve.csv", "no/such/curve.csv"])
def test_a_curve_that_cannot_be_written_is_noticed_before_any_fit(run, table, tmp_path, out):
    record = tmp_path / "fits.csv"
    code, _, err = run("collect", table, "--label", "diagnosis", "--out", out, "--results", record)
    assert code == 1
    assert "Only ordinary files" in err or "folder" in err
    assert not record.exists()


@pytest.mark.filterwarnings("default")  # as in a person's terminal
def test_what_numpy_warns_of_is_no_note(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "warning_module.py").write_text(
        "import numpy as np\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Warns(GaussianNB):\n"
        "    def fit(self, X, y):\n"
        "        np.array([1.0]) / 0\n"
        "        return super().fit(X, y)\n"
    )
    np.savez(tmp_path / "data.npz", X=DATA.data, label=DATA.target)
    arguments = ("--label", "label", "--estimator", "warning_module:Warns", "--sizes", "60", "--splits", 1, "--jobs", 1)
    code, _, err = run("collect", tmp_path / "data.npz", *arguments)
    assert (code, err) == (0, "")


BAYES = ("--estimator", "sklearn.naive_bayes:GaussianNB", "--jobs", 1, "--splits", 1)


@pytest.mark.slow
def test_the_sizes_and_why_are_said_before_the_fits(run, tmp_path):
    np.savez(tmp_path / "data.npz", X=DATA.data[:, :3], y=DATA.target)
    code, _, err = run("collect", tmp_path / "data.npz", "--label", "y", *BAYES, "--out", tmp_path / "c.csv")
    assert code == 0
    assert err == (
        "10 sizes, evenly spaced on a log scale, from 20 (5 or more cases of each class) up to the 455 rows of the "
        "smallest training set.\n"
    )
    assert (tmp_path / "c.runs.csv").exists()
    paper = ("--sizes", "paper", "--out", tmp_path / "d.csv")
    code, _, err = run("collect", tmp_path / "data.npz", "--label", "y", *BAYES, *paper)
    assert (code, err) == (0, "")
    assert sorted(set(read(tmp_path / "d.csv").curve.sizes)) == [60, 94, 147, 230, 360]


@pytest.mark.slow
def test_another_estimator_in_the_same_folder_is_named_in_one_line(collect, tmp_path):
    settings = ("--sizes", "60", "--splits", 1)
    assert collect(*settings, "--estimator", "logistic-head")[0] == 0
    code, _, err = collect(*settings, "--estimator", "gradient-boosting")
    assert code == 1
    assert err.splitlines()[-1] == (
        f"Error: {tmp_path / 'curve.runs.csv'} holds the fits of another run (estimator: logistic-head, now "
        "gradient-boosting). It was left untouched. Start another curve with --out other.csv, or go back to those "
        "settings."
    )
    # What it advises works; where the record was named, both names are needed.
    assert collect(*settings, "--estimator", "gradient-boosting", out=tmp_path / "other.csv")[0] == 0
    named = (*settings, "--estimator", "gradient-boosting", "--results", tmp_path / "curve.runs.csv")
    assert "with --out other.csv --results other.runs.csv, or" in collect(*named)[2]


@pytest.mark.slow
def test_several_classes_as_one_curve_with_the_default_estimator(run, tmp_path):
    X, y = load_iris(return_X_y=True)
    np.savez(tmp_path / "iris.npz", X=X, y=y)
    arguments = ("collect", tmp_path / "iris.npz", "--label", "y", "--multiclass", "macro", "--jobs", 1, "--splits", 1)
    assert run(*arguments, "--sizes", "30,120", "--out", tmp_path / "macro.csv")[0] == 0
    assert read(tmp_path / "macro.csv").curve.scores.min() > 0.9
    code, out, err = run(*arguments, "--estimator", "logistic-head", "--out", tmp_path / "head.csv")
    assert (code, out) == (1, "")
    assert err == (
        "Error: --estimator cannot be LogisticHead: it handles two classes only, and there are 3 here. Try "
        "--multiclass one_vs_rest, one curve per class, or another classifier.\n"
    )
    assert not (tmp_path / "head.runs.csv").exists()


@pytest.mark.slow
def test_several_labels_are_several_tasks(run, tmp_path):
    X, large = DATA.data[:, 1:4], (DATA.data[:, 0] > 15).astype(int)
    np.savez(tmp_path / "two.npz", X=X, cancer=DATA.target, large=large)
    np.savez(tmp_path / "wide.npz", X=X, y=np.stack([DATA.target, large], 1))
    more = (*BAYES, "--sizes", "60,94")
    by_name = ("--label", "cancer", "--label", "large")
    code, out, _ = run("collect", tmp_path / "two.npz", *by_name, *more, "--out", tmp_path / "two.csv")
    assert code == 0
    assert "AUROC of large" in out
    assert "--task cancer" in out
    assert run("collect", tmp_path / "wide.npz", "--label", "y", *more, "--out", tmp_path / "wide.csv")[0] == 0
    two, wide = (read(tmp_path / f"{name}.csv").curves for name in ("two", "wide"))
    assert (list(two), list(wide)) == (["cancer", "large"], ["y[0]", "y[1]"])
    assert {(curve.n_features, curve.n_classes) for curve in (*two.values(), *wide.values())} == {(3, 2)}
    with pytest.warns(FewTestCasesWarning):
        alone = collect_curves(GaussianNB(), X, large, sizes=[60, 94], n_splits=1, progress=False).only
    assert two["large"].scores.tolist() == wide["y[1]"].scores.tolist() == alone.scores.tolist()
    lines = [f"{x[0]},{x[1]},{y},{z}" for x, y, z in zip(X, DATA.target, large, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,cancer,large", *lines]) + "\n")
    assert run("collect", tmp_path / "t.csv", *by_name, *more, "--out", tmp_path / "c.csv")[0] == 0
    assert list(read(tmp_path / "c.csv").curves) == ["cancer", "large"]


def test_each_file_is_checked_once_and_the_curve_again_when_it_is_written(collect, calls_of):
    checks = calls_of(apexgp.files.writing, "_find_kind")
    assert collect("--sizes", "60", "--splits", 1)[0] == 0
    assert [path.name for (path,) in checks] == ["curve.csv", "curve.runs.csv", "curve.csv"]


@pytest.mark.parametrize("out", [".", "/"])
def test_a_folder_is_no_file_for_the_curve(collect, out):
    code, _, err = collect(out=out)
    assert code == 1
    assert f"{out} is a folder. Name a file in it." in err
