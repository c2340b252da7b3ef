"""Fixtures for all tests."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture
def rng():
    return np.random.default_rng(20231109)


def require(module):
    """Import what an extra brings, or skip; where everything must be installed, fail."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        reason = f"{module} is not installed"
        if os.environ.get("APEXGP_REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture
def run(capfd, monkeypatch):
    """Call the command as the shell does: exit code, standard output, standard error."""
    from apexgp.surfaces import cli

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["apexgp", *map(str, arguments)])
        try:
            cli.main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        out, err = capfd.readouterr()
        return code, out, err

    return run


@pytest.fixture(scope="session")
def shared_data():
    """The folder of third-party measurements; never part of the repository."""
    folder = Path(os.environ.get("APEXGP_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        reason = f"no third-party data at {folder} (set APEXGP_DATA to the folder that holds tufts/ and lcdb/)"
        if os.environ.get("APEXGP_REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def tufts(shared_data):
    """Read the authors' own results: `tufts("short")` maps each label to its LearningCurve."""
    return lambda extent: read_tufts(shared_data / "tufts", extent)


_LABELS = {
    "ChestX-ray14": ("Atelectasis", "Effusion", "Infiltration"),
    "Chest_X-Ray": ("Bacterial", "Viral"),
    "BUSI": ("Normal", "Benign", "Malignant"),
    "TMED-2": ("PLAX", "PSAX", "A4C", "A2C"),
    "OASIS-3": ("Alzheimer's",),
    "Pilot": ("WMD", "CBI"),
}


def read_tufts(folder, extent):
    import csv

    from apexgp import LearningCurve

    curves = {}
    for dataset, labels in _LABELS.items():
        path = folder / f"{dataset}_{extent}_range.csv"
        if not path.exists():
            continue
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        table = np.array([np.array(row["test_auroc"].strip("[]").split(), float) for row in rows])
        sizes = [int(row["n"]) for row in rows]
        splits = [row["random_state"] for row in rows]
        for label, scores in zip(labels, table.T, strict=True):
            curves[label] = LearningCurve(sizes, scores, splits, metric="auroc", task=label)
    return curves
