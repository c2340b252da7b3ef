"""Numbers that may not change unasked: forecasts and answers saved before the code was rearranged.

`reference/forecasts.json` holds curves and what every method said about them. A change of the model changes it, and is
then made on purpose: `python tests/test_numbers.py` writes it anew.

Processors round differently, and a search or an adaptive integral passes that on: regressions are held to the sixth
digit (their parameters, of which a flat curve says little, to the fourth), optima to the third, integrals to what their
own error allows. Which nodes are kept, and so whole drawn curves,
may hang on a rounding.
"""

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from apexgp import (
    FAMILIES,
    APExGP,
    LearningCurve,
    LeastSquares,
    backtest,
    compare_models,
    forecast_many,
    plan_collection,
    simulate_collection,
)
from apexgp.errors import DataError

pytestmark = pytest.mark.slow

PATH = Path(__file__).parent / "reference" / "forecasts.json"
SAVED = json.loads(PATH.read_text())
CURVES = {name: LearningCurve(**rows) for name, rows in SAVED["curves"].items()}
MODELS = {
    "auto": partial(APExGP, "auto"),
    "power_law": partial(APExGP, "power_law"),
    "arctan": partial(APExGP, "arctan"),
    "burr": partial(APExGP, "burr"),
    "ceiling and floor": partial(APExGP, "auto", ceiling=0.98, floor=0.1, seed=3),
    "noise": partial(APExGP, "burr", noise=0.02),
    "paper priors": partial(APExGP, "power_law", priors="paper"),
    "published": APExGP.as_published,
    "published arctan": partial(APExGP.as_published, "arctan"),
    "written": APExGP.as_written,
    "written arctan": partial(APExGP.as_written, "arctan"),
    **{f"least squares {family}": partial(LeastSquares, family) for family in FAMILIES},
}


# As above, where lower is better.
OF_ERRORS = {"ceiling and floor": partial(APExGP, "auto", ceiling=0.9, floor=0.02, seed=3)}


def made(name, curve):
    return (MODELS | OF_ERRORS if curve.direction == "lower" else MODELS)[name]()


def asked(curve):
    return [float(curve.sizes.min()), *(curve.largest * np.array([1.0, 2, 10, 50]))]


def said_by(model, curve):
    """What a fitted model says, as plain lists."""
    at = asked(curve)
    said = {"predict": model.predict(at).tolist(), "parameters": model.parameters_}
    if model.has_distribution:
        for of in ("new_splits", "same_splits", "expected"):
            forecast = model.forecast(at, of=of)
            said[of] = [forecast.mean, forecast.std, forecast.location, *forecast.quantile([0.025, 0.5, 0.975])]
            said[of] = [values.tolist() for values in said[of]]
        said["drawn"] = model.sample_curves(3, at, seed=1).tolist()
        target = float(model.forecast([3 * curve.largest], of="expected").mean[0])
        said["required"] = [model.required_size(target, 0.6).size, model.required_size(target, 0.6).prob_reachable]
    return said


def said_of_several():
    first = CURVES["three splits"]
    tilt = 0.02 * np.repeat([-0.5, -0.125, 0.25, 0.625, 1.0], 3)
    second = LearningCurve(first.sizes, first.scores + tilt, first.split)
    (pair,) = compare_models({"first": first, "second": second}, [360, 1000, 5000]).pairs
    plan = plan_collection(APExGP().fit(first), 0.86, cost_per_example=12, penalty=50_000)
    run = simulate_collection(CURVES["wide span"], 0.9, APExGP("power_law"), 4, rounds=2)
    return {
        "compare": [pair.prob_first_better.tolist(), pair.difference.tolist()],
        "plan": [list(plan.sizes), plan.expected_cost],
        "backtest": {s.method: [s.error, s.crps] for s in backtest(CURVES["wide span"]).pooled},
        "batch": [f.median.tolist() for f in forecast_many([first, second, CURVES["flat"]], [1000, 5000])],
        "simulate": list(run.sizes),
    }


EXACT, OPTIMUM, INTEGRAL = {"rel": 2e-6, "abs": 2e-7}, {"rel": 2e-3, "abs": 2e-4}, {"rel": 0.05, "abs": 0.01}
PARAMETERS = {"rel": 1e-4, "abs": 1e-6}


def tolerance(model):
    if not isinstance(model, APExGP):
        return EXACT
    return OPTIMUM if model.inference == "map" else INTEGRAL


def same(now, saved, within, where=""):
    if isinstance(saved, dict):
        assert set(now) >= set(saved), where
        for name in saved:
            if within is not INTEGRAL or name not in ("drawn", "parameters"):
                known = PARAMETERS if within is EXACT and name == "parameters" else within
                same(now[name], saved[name], known, f"{where} {name}")
    elif isinstance(saved, list):
        assert len(now) == len(saved), where
        for i, (new, old) in enumerate(zip(now, saved, strict=True)):
            same(new, old, within, f"{where} {i}")
    elif saved is None:
        assert not np.isfinite(now), where
    else:
        assert now == pytest.approx(saved, **within), where


@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@pytest.mark.parametrize("name", SAVED["models"])
def test_a_model_says_what_it_said(name):
    for curve, saved in SAVED["models"][name].items():
        model = made(name, CURVES[curve]).fit(CURVES[curve])
        same(said_by(model, CURVES[curve]), saved, tolerance(model), curve)


def test_answers_about_several_curves_are_what_they_were():
    same(said_of_several(), SAVED["several"], INTEGRAL)


def rounded(value):
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return (float(f"{value:.9g}") if np.isfinite(value) else None) if isinstance(value, float) else value


def main():
    models = {name: {} for name in MODELS}
    for name in MODELS:
        for curve, rows in CURVES.items():
            try:
                models[name][curve] = said_by(made(name, rows).fit(rows), rows)
            except DataError:
                continue  # too few sizes for the family
    content = {"curves": SAVED["curves"], "models": models, "several": said_of_several()}
    PATH.write_text(json.dumps(rounded(content), separators=(",", ":")) + "\n")


if __name__ == "__main__":
    sys.exit(main())
