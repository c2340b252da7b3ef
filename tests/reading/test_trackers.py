"""What trackers of experiments export: JSON, MLflow, Weights & Biases, folders of Hugging Face's Trainer."""

import csv
import json
import sys

import pytest

from apexgp import read
from apexgp.errors import DataError, MissingExtraError
from conftest import require
from readings import read_with_notes

SIZES, SCORES, SEEDS = [60, 60, 120, 120], [0.66, 0.674, 0.701, 0.712], [0, 1, 0, 1]
ROWS = list(zip(SIZES, SEEDS, SCORES, strict=True))


def is_the_pilot(curve, metric="AUROC"):
    assert curve.sizes.tolist() == SIZES
    assert curve.scores.tolist() == SCORES
    assert curve.split.tolist() == SEEDS
    assert curve.metric_name == metric
    return True


def lines(records):
    return "".join(f"{json.dumps(record)}\n" for record in records)


FLAT = [{"n_train": n, "seed": seed, "val_auc": score, "lr": 1e-3} for n, seed, score in ROWS]
NESTED = [
    {"params": {"n_train": n, "seed": seed}, "metrics": {"val_auc": score, "val_loss": 2.1}} for n, seed, score in ROWS
]
COLUMNS = {name: [record[name] for record in FLAT] for name in FLAT[0]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FLAT),
        json.dumps(FLAT, indent=2),
        "\ufeff" + json.dumps(FLAT),
        json.dumps(NESTED),
        json.dumps({"experiment": "pilot", "runs": FLAT}),
        json.dumps({f"run {i}": record for i, record in enumerate(FLAT)}),
        json.dumps(COLUMNS),
        json.dumps({"columns": list(COLUMNS), "data": [list(record.values()) for record in FLAT]}),
        json.dumps({name: dict(enumerate(own)) for name, own in COLUMNS.items()}),  # as pandas writes a frame
        lines(FLAT),
        lines(NESTED),
        "\n".join(lines(NESTED).splitlines()) + "\n\n",
    ],
)
def test_json_in_all_its_shapes(tmp_path, text):
    path = tmp_path / "runs.json"
    path.write_text(text, encoding="utf-8")
    assert is_the_pilot(read(path).curve)


def test_pandas_and_this_package_write_json_that_is_read(tmp_path):
    pandas = pytest.importorskip("pandas")
    for orient in ("records", "columns", "split", "index"):
        pandas.DataFrame(FLAT).to_json(tmp_path / "frame.json", orient=orient)
        assert is_the_pilot(read(tmp_path / "frame.json").curve), orient


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"n": 60, "auc": 0.7}, {"n": 90', "neither valid JSON nor JSON lines: "),
        ('{"n": 60, "auc": 0.7}\n{"n": 90, "auc": }\n', "neither valid JSON nor JSON lines: line 2 is not an object"),
        ('{"n": 60, "auc": 0.7}\n[1, 2]\n', r"line 2: expected an object such as \{\"n\": 60"),
        ("[[60, 0.7], [90, 0.8]]", "holds a list, but not of objects"),
        ("[]", "holds a list, but not of objects"),
        ("{}", "contains no run with a score"),
        (
            '{"n": 60, "auc": 0.7}\n{"n": 90, "auc": "soon"}\n',
            "line 2, column 'auc': expected a number, got 'soon'",
        ),
        ('[{"n": 60, "auc": 0.7}, {"auc": 0.8}]', "record 2, column 'n': the cell is empty"),
        ('{"a":' * 30 + "1" + "}" * 30, "nested more than 20 levels deep"),
        ("[" * 100_000, "neither valid JSON nor JSON lines"),
    ],
)
def test_json_that_cannot_be_used_is_explained(tmp_path, text, message):
    path = tmp_path / "runs.json"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read(path).curve


def test_lists_are_named_where_they_are_left_out(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_text(lines({**record, "history": [0.1, 0.2]} for record in FLAT))
    curves, notes = read_with_notes(path)
    assert is_the_pilot(curves[None])
    assert f"{path}: did not use the lists under 'history'." in notes


def table(path, header, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def test_mlflow_exported_runs(tmp_path):
    header = ["Run ID", "Name", "Status", "params.n_train", "params.seed", "params.model", "metrics.val_auc"]
    rows = [[f"{i}f3a9", f"bold-{i}", "FINISHED", n, seed, "resnet", score] for i, (n, seed, score) in enumerate(ROWS)]
    rows.append(["4f3a9", "bold-4", "FAILED", 240, 0, "resnet", ""])
    rows.append(["5f3a9", "bold-5", "RUNNING", 240, 1, "resnet", 0.31])
    path = table(tmp_path / "runs.csv", [*header, "metrics.train_auc"], [[*row, 0.99] for row in rows])
    curves, notes = read_with_notes(path)
    assert is_the_pilot(curves["resnet"])
    assert set(curves["resnet"].train_scores) == {0.99}
    said = " ".join(notes)
    assert "'params.n_train' as the sizes; 'metrics.val_auc' as the scores; 'params.seed' as the splits" in said
    assert "left out 2 unfinished runs: line 6 (FAILED), 7 (RUNNING)." in said
    assert is_the_pilot(read(path, "n_train", "val_auc", "seed", task="model").curves["resnet"])  # without their prefix


def test_weights_and_biases_exported_runs(tmp_path):
    header = [
        "Name",
        "State",
        "Notes",
        "User",
        "Tags",
        "Created",
        "Runtime",
        "Sweep",
        "lr",
        "n_train",
        "seed",
        "val_auc",
    ]
    rows = [
        [f"sunny-{i}", "finished", "-", "me", "", "2026-05-04T10:00:00.000Z", "34", "", 1e-3, *row]
        for i, row in enumerate(ROWS)
    ]
    rows.append(["sunny-4", "crashed", "-", "me", "", "2026-05-04T10:00:00.000Z", "34", "", 1e-3, 240, 0, 0.2])
    curves, notes = read_with_notes(table(tmp_path / "wandb.csv", header, rows))
    assert is_the_pilot(curves[None])
    assert "left out an unfinished run: line 6 (crashed)." in " ".join(notes)


def test_weights_and_biases_runs_as_its_guide_exports_them(tmp_path):
    rows = [
        [i, {"val_auc": score, "_wandb": {"runtime": 3}, "x": float("nan")}, {"n_train": n, "seed": seed}, f"run-{i}"]
        for i, (n, seed, score) in enumerate(ROWS)
    ]
    curve = read(table(tmp_path / "project.csv", ["", "summary", "config", "name"], rows)).curve
    assert is_the_pilot(curve)


def trained(folder, score, size=None, *, state=False):
    """What the Trainer leaves in the folder of a run."""
    folder.mkdir(parents=True)
    if state:
        history = [
            {"epoch": 1.0, "loss": 0.61, "step": 10},
            {"epoch": 1.0, "eval_accuracy": 0.1, "eval_loss": 0.8, "eval_runtime": 0.2, "step": 10},
            {"epoch": 2.0, "eval_accuracy": score, "eval_loss": 0.6, "eval_runtime": 0.2, "step": 20},
            {"epoch": 2.0, "step": 20, "train_loss": 0.5, "train_runtime": 3.1},
        ]
        (folder / "trainer_state.json").write_text(json.dumps({"best_metric": score, "log_history": history}))
    else:
        found = {"epoch": 3.0, "eval_accuracy": score, "eval_loss": 0.5, "eval_samples": 872, "train_loss": 0.4}
        (folder / "all_results.json").write_text(json.dumps(found | ({} if size is None else {"train_samples": size})))


@pytest.mark.parametrize(
    "name",
    [
        "n{n}_seed{seed}",
        "n={n}/seed={seed}",
        "size-{n}/run-{seed}",
        "bert-base_n_train_{n}_lr5e-5_s{seed}",
        "{n}/{seed}",
        "train{n}-fold{seed}",
    ],
)
@pytest.mark.parametrize("state", [False, True])
def test_folders_of_the_trainer_by_their_names(tmp_path, name, state):
    for n, seed, score in ROWS:
        run = tmp_path / name.format(n=n, seed=seed)
        trained(run / "checkpoint-20" if state else run, score, state=state)
        if state:
            trained(run / "checkpoint-10", 0.05, state=True)  # an earlier one
    (tmp_path / "logs").mkdir()
    curves, notes = read_with_notes(tmp_path)
    assert is_the_pilot(curves[None], "accuracy")
    file = "trainer_state.json" if state else "all_results.json"
    assert f"read {file} of 4 runs, with sizes and seeds from the names of their folders." in " ".join(notes)
    assert ("used the last evaluation" in " ".join(notes)) == state


def test_the_size_of_a_run_may_stand_in_its_results(tmp_path):
    for n, seed, score in ROWS:
        trained(tmp_path / f"seed{seed}" / f"part {'ab'[n > 60]}", score, n)
    curve = read(tmp_path).curve
    assert sorted(zip(curve.sizes, curve.scores, strict=True)) == sorted(zip(SIZES, SCORES, strict=True))
    trained(tmp_path / "n90_seed1", 0.7, 80)
    _, notes = read_with_notes(tmp_path)
    assert "give different sizes; the name was used: n90_seed1 (80)." in " ".join(notes)


def test_folders_that_cannot_be_used_are_explained(tmp_path):
    with pytest.raises(DataError, match=r"is a folder without all_results\.json, trainer_state\.json or summary\.json"):
        read(tmp_path).curve
    trained(tmp_path / "first", 0.7)
    with pytest.raises(
        DataError, match=r"the size of the training set is neither .*: first\. Name folders as in n60_seed1"
    ):
        read(tmp_path).curve
    (tmp_path / "first" / "all_results.json").write_text("{")
    with pytest.raises(DataError, match=r"all_results\.json cannot be read: "):
        read(tmp_path).curve


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A real local store of MLflow with one experiment."""
    mlflow = require("mlflow")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "mlruns").as_uri())
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    client = mlflow.MlflowClient((tmp_path / "mlruns").as_uri())
    experiment = client.create_experiment("pilot")
    for n, seed, score in [*ROWS, (240, 0, 0.31)]:
        run = client.create_run(experiment).info.run_id
        client.log_param(run, "n_train", n)
        client.log_param(run, "seed", seed)
        client.log_param(run, "lr", 0.001)
        client.log_metric(run, "val_auc", 0.5, step=1)
        client.log_metric(run, "val_auc", score, step=2)
        client.set_terminated(run, "FAILED" if n == 240 else "FINISHED")
    return client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of MLflow itself
def test_experiments_of_a_local_mlflow_store(store):
    curves, notes = read_with_notes("mlflow:pilot")
    assert is_the_pilot(curves[None])
    said = " ".join(notes)
    assert "mlflow:pilot: read the column 'params.n_train' as the sizes; 'metrics.val_auc' as the scores" in said
    assert "left out an unfinished run: record 5 (FAILED)." in said
    assert is_the_pilot(read("mlflow:pilot", "n_train", "val_auc", "seed").curve)
    with pytest.raises(DataError, match=r"has no experiment 'pilots'; found .*pilot.*MLFLOW_TRACKING_URI"):
        read("mlflow:pilots").curve
    store.create_experiment("empty")
    with pytest.raises(DataError, match="The experiment 'empty' has no run"):
        read("mlflow:empty").curve


def test_without_mlflow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingExtraError, match=r"Reading mlflow:pilot needs mlflow: pip install 'apexgp\[mlflow\]'"):
        read("mlflow:pilot").curve


@pytest.mark.slow
def test_the_trainer_itself_writes_such_a_state(tmp_path):
    callbacks = pytest.importorskip("transformers.trainer_callback")
    for n, seed, score in ROWS:
        folder = tmp_path / f"n{n}_seed{seed}"
        folder.mkdir()
        state = callbacks.TrainerState(log_history=[{"eval_accuracy": score, "step": 5}], best_metric=score)
        state.save_to_json(str(folder / "trainer_state.json"))
    assert is_the_pilot(read(tmp_path).curve, "accuracy")
