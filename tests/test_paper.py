"""The published method against the numbers that the paper prints."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares
from apexgp.metrics import coverage, rmse

pytestmark = pytest.mark.slow

REFERENCE = Path(__file__).parent / "reference"
LARGEST_PILOT_SIZE = 360


def printed(name):
    lines = (REFERENCE / name).read_text().splitlines()
    assert lines[0].startswith("# Harvey et al. 2023")
    return [
        (row.pop("range"), row.pop("label"), {method: float(value) for method, value in row.items()})
        for row in csv.DictReader(lines[1:])
    ]


METHODS = {
    "power_law": partial(LeastSquares, "power_law"),
    "arctan": partial(LeastSquares, "arctan"),
    "gp_power_law": lambda: APExGP.as_published("power_law"),
    "gp_arctan": lambda: APExGP.as_published("arctan"),
}


@pytest.fixture(scope="module")
def fitted(tufts):
    """Maps (range, label, method) to the fitted model, the held-out sizes and the mean scores there."""
    cases = {}
    for extent in ("short", "long"):
        for label, curve in tufts(extent).items():
            means = curve.replicates
            later = means.sizes > LARGEST_PILOT_SIZE
            pilot = curve.sizes <= LARGEST_PILOT_SIZE
            small = LearningCurve(curve.sizes[pilot], curve.scores[pilot], curve.split[pilot])
            for method, make in METHODS.items():
                cases[extent, label, method] = make().fit(small), means.sizes[later], means.mean[later]
    return cases


def _cells(name):
    return [
        pytest.param(extent, label, method, value, id=f"{extent}-{label}-{method}")
        for extent, label, row in printed(name)
        for method, value in row.items()
    ]


def test_there_are_96_cells_of_rmse_and_48_of_coverage():
    assert len(_cells("rmse.csv")) == 96
    assert len(_cells("single_point_coverage.csv")) == 48


@pytest.mark.parametrize(("extent", "label", "method", "value"), _cells("rmse.csv"))
def test_rmse_is_the_printed_one(fitted, extent, label, method, value):
    model, sizes, scores = fitted[extent, label, method]
    location = model.forecast(sizes).location if method.startswith("gp") else model.predict(sizes)
    ours = 100 * rmse(location, scores)
    if (extent, label, method) == ("long", "Infiltration", "gp_arctan"):
        assert ours == pytest.approx(value, abs=0.15)  # moves with the authors' unseeded prior
    elif (extent, label, method) == ("long", "Atelectasis", "power_law"):
        assert value - 0.15 <= ours < value  # their optimiser stopped on a flat ridge
    else:
        assert ours == pytest.approx(value, abs=0.03)


def test_single_point_coverage_is_the_printed_one_in_45_of_48_cells(fitted):
    same = []
    for extent, label, row in printed("single_point_coverage.csv"):
        for method, value in row.items():
            model, sizes, scores = fitted[extent, label, method]
            ours = 100 * coverage(model.forecast(sizes), scores, 0.95)
            same.append(abs(ours - value) < 0.05)
    assert sum(same) >= 45


def test_the_fits_settle(fitted):
    assert all(model.converged_ for model, _, _ in fitted.values())


def test_the_noise_sits_on_the_hidden_floor_in_every_task(fitted):
    # What makes the published intervals wide enough, though the text does not mention it.
    taus = [model.parameters_["tau"] for (_, _, method), (model, _, _) in fitted.items() if method.startswith("gp")]
    assert np.allclose(taus, 0.01, atol=1e-9)
