"""The scikit-learn contract, over every estimator, and what each promises."""

import inspect
import json
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import optimize
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import apexgp
from apexgp import APExGP, LearningCurve, LeastSquares
from apexgp.errors import (
    AccuracyWarning,
    ConvergenceWarning,
    DataError,
    NoForecastError,
    ReproducibilityWarning,
    RequestError,
)
from apexgp.estimators import fit_together
from apexgp.inference.rounds import COARSEST, FINEST, TOLERATED
from apexgp.priors import PUBLISHED, WRITTEN, Beliefs, Variant
from apexgp.required import CONFIDENCE
from conftest import REPOSITORY
from small_pilots import SCORES, SIZES

NEW = [720, 5000]

ESTIMATORS = {
    "default": APExGP(),
    "burr": APExGP("burr", floor=0.3, noise=0.01),
    "paper-priors": APExGP("power_law", priors="paper", variant=WRITTEN),
    "published": APExGP.as_published(),
    "published-arctan": APExGP.as_published("arctan", ceiling=0.95),
    "flat": APExGP("power_law", inference="map", priors="flat"),
    "written": APExGP.as_written(),
    "written-arctan": APExGP.as_written("arctan"),
    "Arctan": LeastSquares("arctan", ceiling=0.9),
    "PowerLaw": LeastSquares("power_law"),
    "MahmoodArctan": LeastSquares("mahmood_arctan"),
    "MahmoodLogarithm": LeastSquares("mahmood_logarithm"),
    "MahmoodPowerLaw": LeastSquares("mahmood_power_law", ceiling=0.95),
    "MahmoodRoot": LeastSquares("mahmood_root"),
    "Mmf4": LeastSquares("mmf4"),
    "PiecewisePowerLaw": LeastSquares("piecewise_power_law", ceiling=0.95),
    "Pow4": LeastSquares("pow4", ceiling=0.9),
    "Wbl4": LeastSquares("wbl4"),
}
SEARCHED = [name for name in ESTIMATORS if name not in ("default", "burr", "paper-priors")]
REGRESSIONS = [name for name, model in ESTIMATORS.items() if not isinstance(model, APExGP)]


@pytest.fixture(params=ESTIMATORS)
def model(request):
    return clone(ESTIMATORS[request.param])


@pytest.fixture(params=SEARCHED)
def searched(request):
    """Estimators that look for one best set of parameters."""
    return clone(ESTIMATORS[request.param])


@pytest.fixture(params=REGRESSIONS)
def regression(request):
    """Curves by least squares."""
    return clone(ESTIMATORS[request.param])


@pytest.mark.slow
def test_keeps_the_estimator_contract(model):
    settings = model.get_params()
    assert model.fit(SIZES, SCORES) is model
    assert model.get_params() == settings
    copy = clone(model)
    assert not hasattr(copy, "parameters_")
    assert repr(copy) == repr(model)
    assert copy.set_params(ceiling=0.97).ceiling == 0.97
    tags = get_tags(model).input_tags
    assert tags.one_d_array  # sizes, not a table of features: the checks of check_estimator are not for it
    assert not tags.two_d_array


def test_must_be_fitted_first(model):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict(NEW)
    with pytest.raises(NotFittedError):
        model.save("anywhere.json")


@pytest.mark.slow
def test_pairs_curves_and_tables_give_the_same(model):
    sizes, splits = np.tile(SIZES, 2), np.repeat(["a", "b"], 5)
    scores = np.concatenate([SCORES, np.array(SCORES) + 0.01])
    expected = model.fit(sizes, scores, split=splits).predict(NEW)
    np.testing.assert_array_equal(model.fit(LearningCurve(sizes, scores, splits)).predict(NEW), expected)
    np.testing.assert_array_equal(model.fit(SIZES, scores.reshape(2, 5).T).predict(NEW), expected)
    np.testing.assert_array_equal(model.fit(sizes[::-1], scores[::-1], splits[::-1]).predict(NEW), expected)


@pytest.mark.slow
def test_replicates_count_through_their_mean(searched):
    model = searched
    sizes, scores = np.repeat(SIZES, 3), np.repeat(SCORES, 3) + np.tile([-0.01, 0.0, 0.01], 5)
    np.testing.assert_allclose(model.fit(sizes, scores).predict(NEW), model.fit(SIZES, SCORES).predict(NEW), atol=1e-6)


def turned(model):
    """The same settings for error rates."""
    return clone(model).set_params(ceiling=1 - model.floor, floor=1 - model.ceiling)


@pytest.mark.slow
def test_an_error_rate_gives_the_mirror_image(model):
    higher = model.fit(SIZES, SCORES).predict(NEW)
    lower = turned(model).fit(LearningCurve(SIZES, 1 - np.array(SCORES), direction="lower")).predict(NEW)
    np.testing.assert_allclose(lower, 1 - higher, atol=1e-6)


@pytest.mark.slow
def test_parameters_have_the_papers_names(model):
    parameters = model.fit(SIZES, SCORES).parameters_
    if isinstance(model, APExGP):
        assert {"theta1", "theta2", "epsilon", "tau", "sigma", "lambda"} <= set(parameters)
    else:
        assert set(parameters) in (
            {"theta1", "theta2", "epsilon"},
            {"theta1", "theta2", "theta3"},
            {"a", "b", "c", "d"},
            {"a", "b", "c", "N"},
        )


@pytest.mark.slow
def test_saving_and_loading_gives_the_same_numbers(model, tmp_path):
    path = tmp_path / "model.json"
    curve = LearningCurve(SIZES, SCORES, ["a"] * 5, metric="auroc", task="liver", unit="groups")
    model.fit(curve).save(path)
    again = type(model).load(path)
    assert again.get_params() == model.get_params()
    assert again.parameters_ == model.parameters_
    assert (again.curve_.metric, again.curve_.task, again.curve_.split.tolist()) == ("auroc", "liver", ["a"] * 5)
    assert again.curve_.unit == "groups"
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SEARCHED if name not in REGRESSIONS])
def test_seeds_give_the_same_optimum(name):
    first = clone(ESTIMATORS[name]).fit(SIZES, SCORES)
    value, prediction = first.objective_, first.predict(NEW)
    assert first.set_params(seed=5).fit(SIZES, SCORES).objective_ == pytest.approx(value, abs=1e-5)
    np.testing.assert_allclose(first.predict(NEW), prediction, atol=1e-3)


@pytest.mark.slow
def test_the_written_method_finds_its_optimum_from_any_seed(rng):
    # Without a floor under the noise the posterior has several optima.
    for _ in range(12):
        scores = 0.8 - 0.2 * (np.array(SIZES) / 60) ** rng.uniform(-0.9, -0.1) + rng.normal(0, 0.01, 5)
        values = [
            APExGP("power_law", "map", "paper", variant=WRITTEN, seed=seed).fit(SIZES, scores).objective_
            for seed in range(3)
        ]
        assert np.ptp(values) < 1e-3


def test_seeds_move_an_integral_by_little():
    ends = [np.stack(APExGP(seed=seed).fit(SIZES, SCORES).forecast(NEW).interval()) for seed in (0, 100, 200)]
    width = ends[0][1] - ends[0][0]
    assert (np.ptp(ends, axis=0) < 0.1 * width).all()


def test_the_default_is_full_bayes_with_one_mean():
    model = APExGP().fit(SIZES, SCORES)
    assert (model.mean, model.inference, model.priors) == ("burr", "bayes", "calibrated")
    assert set(model.weights_) == {"burr"}
    assert set(APExGP("auto").fit(SIZES, SCORES).weights_) == {"power_law", "arctan", "burr"}
    assert sum(model.weights_.values()) == pytest.approx(1)
    assert model.effective_size_ > 100
    assert np.isfinite(model.log_evidence_)
    assert not hasattr(model, "objective_")


def test_the_average_lies_between_its_parts():
    auto = APExGP().fit(SIZES, SCORES)
    parts = {mean: APExGP(mean).fit(SIZES, SCORES) for mean in auto.weights_}
    expected = sum(weight * parts[mean].forecast(NEW).mean for mean, weight in auto.weights_.items())
    np.testing.assert_allclose(auto.forecast(NEW).mean, expected, rtol=1e-9)
    evidence = np.array([parts[mean].log_evidence_ for mean in auto.weights_])
    np.testing.assert_allclose(list(auto.weights_.values()), np.exp(evidence) / np.exp(evidence).sum(), rtol=1e-9)


def test_summary_has_median_and_interval_of_every_parameter():
    model = APExGP("power_law").fit(SIZES, SCORES)
    (parameters,) = model.summary(0.8).values()
    assert set(parameters) == {"theta1", "theta2", "epsilon", "tau", "sigma", "lambda"}
    assert all(low < median < high for median, low, high in parameters.values())
    assert all(
        w[1] < n[1] < n[2] < w[2]
        for w, n in zip(model.summary(0.95)["power_law"].values(), parameters.values(), strict=True)
    )
    assert model.parameters_ == {name: median for name, (median, _, _) in parameters.items()}
    with pytest.raises(RequestError, match="has no posterior"):
        APExGP.as_published().fit(SIZES, SCORES).summary()


def test_what_is_forecast_decides_the_noise():
    rng = np.random.default_rng(0)
    table = np.array(SCORES)[:, None] + rng.normal(0, 0.03, 3) + rng.normal(0, 0.005, (5, 3))
    model = APExGP("power_law").fit(SIZES, table)
    stds = {of: model.forecast([500], of=of).std[0] for of in ("new_splits", "same_splits", "expected")}
    assert stds["same_splits"] < stds["expected"] < stds["new_splits"]
    fewer, more = (model.forecast([500], n_splits=n).std[0] for n in (1, 100))
    assert more < stds["new_splits"] < fewer
    assert model.forecast([500], n_splits=3).std[0] == stds["new_splits"]
    assert more == pytest.approx(stds["expected"], rel=0.05)
    published = APExGP.as_published().fit(SIZES, table)
    expected, plain, one = (published.forecast([500], **k).std[0] for k in ({"of": "expected"}, {}, {"n_splits": 1}))
    assert expected < plain < one


def test_split_labels_matter():
    rng = np.random.default_rng(1)
    table = np.array(SCORES)[:, None] + rng.normal(0, 0.03, 3) + rng.normal(0, 0.003, (5, 3))
    labelled = APExGP("power_law").fit(SIZES, table)
    unlabelled = APExGP("power_law").fit(np.repeat(SIZES, 3), table.ravel())
    # A split that is lucky at one size is lucky at all: the level is known no better than three splits tell.
    assert labelled.forecast([500], of="expected").std[0] > 1.2 * unlabelled.forecast([500], of="expected").std[0]
    np.testing.assert_array_equal(
        unlabelled.forecast([500], of="same_splits").std, unlabelled.forecast([500], of="new_splits").std
    )


@pytest.mark.slow
def test_own_beliefs_have_their_effect():
    plain = APExGP().fit(SIZES, SCORES).forecast([20000])
    assert APExGP(ceiling=0.82).fit(SIZES, SCORES).forecast([20000]).mean < plain.mean
    quiet, noisy = (APExGP(noise=n).fit(SIZES, SCORES).forecast([500]) for n in (0.001, 0.05))
    assert quiet.std < noisy.std
    low = [0.52, 0.53, 0.55, 0.54, 0.56]
    assert (
        APExGP(floor=0.5).fit(SIZES, low).forecast([400]).quantile(0.01)
        > APExGP().fit(SIZES, low).forecast([400]).quantile(0.01) - 0.02
    )


def test_baselines_refuse_to_forecast(regression):
    if regression.family != "piecewise_power_law":
        with pytest.raises(NoForecastError, match=r"predict\(sizes\) .* APExGP\(.*\) for a forecast"):
            regression.fit(SIZES, SCORES).forecast(NEW)


@pytest.mark.slow
def test_a_curve_needs_as_many_sizes_as_parameters(regression):
    three = SIZES[:3], SCORES[:3]
    if "theta1" in regression.fit(SIZES, SCORES).parameters_:
        assert regression.fit(*three).converged_
    else:
        with pytest.raises(DataError, match=r"has 4 parameters and needs .* 4 or more .* got 3 \(60, 94, 147\)"):
            regression.fit(*three)


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_crossing_is_the_least_size_that_reaches_a_level(regression, direction):
    scores = np.array(SCORES) if direction == "higher" else 1 - np.array(SCORES)
    best = regression.ceiling
    if direction == "lower":
        regression = turned(regression)
    regression.fit(LearningCurve(SIZES, scores, direction=direction))

    def curve(n):
        value = regression.predict([n])[0]
        return value if direction == "higher" else 1 - value

    for level in (0.6, 0.7, 0.77, 0.78):
        root = optimize.brentq(lambda t, level=level: curve(np.exp(t)) - level, 0, np.log(1e15), xtol=1e-14)
        assert regression._find_crossing(level) == pytest.approx(np.exp(root), rel=1e-8)
    assert regression._find_crossing(0.0) == regression._find_crossing(-1.0) == 1.0
    assert regression._find_crossing(curve(1)) == 1.0
    assert regression._find_crossing(1.001) == math.inf
    assert regression._find_crossing(best + 1e-9) == math.inf


def test_a_flat_curve_reaches_only_what_it_has(regression):
    regression.set_params(ceiling=1.0).fit(SIZES, [0.7] * 5)
    assert regression._find_crossing(0.69) == 1.0
    assert regression._find_crossing(0.71) == math.inf


def test_an_unsettled_regression_warns_without_naming_a_seed(monkeypatch):
    import apexgp.point_estimates.least_squares as engine

    quick = engine.minimise
    monkeypatch.setattr(engine, "minimise", lambda *a, **k: quick(*a, **k, max_iterations=1))
    with pytest.warns(ConvergenceWarning, match=r"The search stopped after 1 steps .*\(see parameters_\)\.$"):
        LeastSquares("pow4").fit(SIZES, SCORES)


def piecewise_pilot(rng, count=24, noise=0.01):
    sizes = np.geomspace(30, 3000, count)
    u = np.log(sizes / 300)
    truth = 1 - np.exp(-1.2 - 0.35 * u - 0.08 * np.minimum(u, 0) ** 2)
    return sizes, truth, truth + rng.normal(0, noise, count)


def test_the_delta_method_agrees_with_differences_by_the_published_parameters(rng):
    sizes, _, scores = piecewise_pilot(rng)
    model = LeastSquares("piecewise_power_law").fit(sizes, scores)
    at = np.array([100.0, 3000, 30000])

    def curve(n, a, b, c, N):
        u = np.log(n / N)
        return 1 - np.exp(a + b * u + c * np.minimum(u, 0) ** 2)

    values = np.array([model.parameters_[k] for k in ("a", "b", "c", "N")])

    def jacobian(n):
        steps = 1e-6 * np.diag(np.abs(values))
        return np.stack([(curve(n, *(values + h)) - curve(n, *(values - h))) / (2 * h.sum()) for h in steps], axis=1)

    noise = ((scores - curve(sizes, *values)) ** 2).sum() / (len(sizes) - 4)
    outer = np.linalg.inv(jacobian(sizes).T @ jacobian(sizes))
    variance = noise * np.einsum("qi,ij,qj->q", jacobian(at), outer, jacobian(at))
    expected = model.forecast(at, of="expected")
    np.testing.assert_allclose(expected.scales[0], np.sqrt(variance), rtol=1e-4)
    np.testing.assert_allclose(expected.locations[0], model.predict(at))
    np.testing.assert_allclose(model.forecast(at).scales[0], np.sqrt(variance + noise), rtol=1e-4)
    np.testing.assert_array_equal(model.forecast(at, of="same_splits").scales, model.forecast(at).scales)
    errors = LeastSquares("piecewise_power_law").fit(LearningCurve(sizes, 1 - scores, direction="lower")).forecast(at)
    np.testing.assert_allclose(errors.locations, 1 - model.forecast(at).locations, atol=1e-6)
    np.testing.assert_allclose(errors.scales, model.forecast(at).scales, rtol=1e-3)


@pytest.mark.slow
def test_with_the_switch_at_the_last_size_forecasts_scatter_as_the_interval_says(rng):
    sizes, at = np.geomspace(64, 724, 8), np.array([1448.0, 10000])
    u = np.log(sizes / sizes[-1])
    truth = 1 - np.exp(np.log(0.2) - 0.3 * u + 0.041 * u**2)
    found, told = [], []
    while len(found) < 80:
        model = LeastSquares("piecewise_power_law").fit(sizes, truth + rng.normal(0, 0.004, 8))
        if model.parameters_["N"] > 0.999 * sizes[-1]:
            forecast = model.forecast(at, of="expected")
            found.append(forecast.locations[0])
            told.append(forecast.scales[0])
    ratio = np.sqrt(np.mean(np.square(told), axis=0)) / np.std(found, axis=0)
    assert ((ratio > 0.7) & (ratio < 1.5)).all()


@pytest.mark.slow
def test_delta_method_intervals_hold_what_they_promise(rng):
    held = {"expected": [], "new_splits": []}
    for _ in range(150):
        sizes, truth, scores = piecewise_pilot(rng)
        model = LeastSquares("piecewise_power_law").fit(sizes, scores)
        goals = {"expected": truth, "new_splits": truth + rng.normal(0, 0.01, len(truth))}
        for of, goal in goals.items():
            low, high = model.forecast(sizes, of=of).interval(0.95)
            held[of].append(((low <= goal) & (goal <= high)).mean())
    assert np.mean(held["expected"]) == pytest.approx(0.95, abs=0.04)
    assert np.mean(held["new_splits"]) == pytest.approx(0.95, abs=0.02)


def test_a_switch_that_the_pilot_does_not_determine_leaves_the_interval_finite(rng):
    sizes = np.geomspace(30, 3000, 9)
    # A plain power law: its two parts agree wherever they meet. And a flat curve, where even the slope is at its bound.
    for scores in (1 - 0.9 * sizes**-0.2, 1 - 0.9 * sizes**-0.2 + rng.normal(0, 0.003, 9), np.full(9, 0.7)):
        forecast = LeastSquares("piecewise_power_law").fit(sizes, scores).forecast([6000])
        assert 0 < forecast.std[0] < 0.1


def test_with_one_size_before_the_switch_the_interval_is_that_of_a_power_law_through_the_others(rng):
    sizes = np.geomspace(30, 3000, 9)
    scores = 1 - 0.9 * sizes**-0.2 + rng.normal(0, 0.003, 9)
    scores[0] -= 0.03
    model = LeastSquares("piecewise_power_law").fit(sizes, scores)
    assert model.parameters_["N"] == pytest.approx(sizes[1])
    (a, b), _ = optimize.curve_fit(lambda n, a, b: 1 - a * n**b, sizes[1:], scores[1:], [1, -0.2], ftol=1e-14)
    at = np.array([100.0, 6000])
    noise = ((scores[1:] - 1 + a * sizes[1:] ** b) ** 2).sum() / (9 - 4)
    slopes, wanted = (np.stack([n**b, a * n**b * np.log(n)], axis=1) for n in (sizes[1:], at))
    variance = noise * np.einsum("qi,ij,qj->q", wanted, np.linalg.inv(slopes.T @ slopes), wanted)
    np.testing.assert_allclose(model.forecast(at, of="expected").scales[0], np.sqrt(variance), rtol=1e-3)


def test_the_piecewise_law_says_when_it_cannot_forecast():
    model = LeastSquares("piecewise_power_law").fit(SIZES[:4], SCORES[:4])
    assert np.isfinite(model.predict(NEW)).all()
    with pytest.raises(NoForecastError, match=r"has 4 parameters, and the pilot has 4 .* Add a size"):
        model.forecast(NEW)
    with pytest.raises(RequestError, match="'new_splits', 'same_splits', 'expected', got 'mean'"):
        model.fit(SIZES, SCORES).forecast(NEW, of="mean")
    assert "more than 50 times the largest pilot size" in " ".join(model.forecast([20000]).cautions)
    assert "falls as the training set grows" in " ".join(model.fit(SIZES, SCORES[::-1]).forecast([720]).cautions)


def test_predict_is_the_mean_of_the_forecast():
    model = APExGP().fit(SIZES, SCORES)
    np.testing.assert_array_equal(model.predict(NEW), model.forecast(NEW).mean)
    assert model.forecast(720).mean.shape == (1,)


def test_ceiling_bounds_the_curve_but_not_the_score():
    model = APExGP.as_published(ceiling=0.8).fit(SIZES, SCORES)
    assert model.parameters_["epsilon"] >= 0.2 - 1e-12
    assert model.forecast([1e12]).location[0] <= 0.8 + 1e-9
    assert model.forecast([1e12]).quantile(0.999)[0] > 0.8


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
def test_the_best_mean_may_touch_the_ceiling_but_not_pass_it(model):
    model.set_params(ceiling=0.768).fit(np.repeat(SIZES, 3), np.repeat(SCORES, 3))
    if getattr(model, "family", None) in ("power_law", "arctan") or getattr(model, "inference", None) == "map":
        assert model.parameters_["epsilon"] == pytest.approx(0.232)
    if not isinstance(model, APExGP):
        assert (model.predict([1, 360, 1e12]) <= 0.768).all()
    assert np.isfinite(model.predict(NEW)).all()
    with pytest.raises(DataError, match=r"ceiling is 0.7, but the pilot reaches 0.768 .* at size 360"):
        model.set_params(ceiling=0.7).fit(SIZES, SCORES)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ceiling": 95}, "at most 1, got 95. Write 0.95"),
        ({"ceiling": 0}, "above 0"),
        ({"ceiling": np.nan}, "finite"),
    ],
)
def test_bad_settings_are_explained_at_fit(model, settings, message):
    with pytest.raises(RequestError, match=message):
        model.set_params(**settings).fit(SIZES, SCORES)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"mean": "linear"}, "'auto', 'power_law', 'arctan', 'burr', got 'linear'"),
        ({"inference": "mcmc"}, "inference must be one of 'bayes', 'map'"),
        ({"priors": None}, "priors must be one of 'calibrated', 'paper', 'flat', got None"),
        ({"priors": "flat"}, "needs inference='map'"),
        ({"inference": "map"}, "Try APExGP.as_published"),
        ({"inference": "map", "priors": "paper", "mean": "burr"}, "'power_law' or 'arctan'"),
        ({"floor": 0.9}, "the mean score at size 60 is 0.66"),
        ({"floor": -0.1}, "floor must be at least 0"),
        ({"floor": 0.96, "ceiling": 0.95}, "below the ceiling 0.95"),
        ({"noise": 0}, "noise must be above 0"),
        ({"noise": 0.01, "priors": "paper"}, "noise needs priors='calibrated'"),
        ({"variant": "published"}, "variant must be an apexgp.priors.Variant"),
    ],
)
def test_bad_choices_are_explained_at_fit(settings, message):
    with pytest.raises((RequestError, DataError), match=message):
        APExGP(**settings).fit(SIZES, SCORES)


def test_bad_forecasts_are_explained():
    model = APExGP("power_law").fit(SIZES, SCORES)
    with pytest.raises(RequestError, match="'new_splits', 'same_splits', 'expected', got 'mean'"):
        model.forecast([720], of="mean")
    with pytest.raises(RequestError, match="n_splits applies to"):
        model.forecast([720], of="expected", n_splits=3)
    with pytest.raises(RequestError, match="at least 1"):
        model.forecast([720], n_splits=0)


@pytest.mark.parametrize("name", [*SEARCHED, "paper-priors"])
def test_methods_that_need_a_trend_say_how_many_sizes_they_need(name):
    for sizes, got in (([60, 60, 94], r"2 \(60, 94\)"), ([60, 60, 60], r"1 \(60\)")):
        with pytest.raises(DataError, match=rf"needs scores at 3 or more different sizes.*got {got}"):
            clone(ESTIMATORS[name]).fit(sizes, [0.7, 0.7, 0.8])
    with pytest.raises(DataError, match=r"2 or more different sizes.*got 1 \(60\)"):
        APExGP("arctan").fit([60], [0.7])


@pytest.mark.slow
def test_bad_data_are_explained(model):
    with pytest.raises(DataError, match="sizes is empty"):
        model.fit([], [])
    with pytest.raises(RequestError, match="Scores are missing"):
        model.fit(SIZES)
    with pytest.raises(RequestError, match="pass it on its own"):
        model.fit(LearningCurve(SIZES, SCORES), SCORES)
    with pytest.raises(RequestError, match="at least 1, got 0"):
        model.fit(SIZES, SCORES).predict([0])


@pytest.mark.slow
@pytest.mark.parametrize(
    "scores",
    [
        [0.7] * 5,
        [1.0] * 5,
        [0.0] * 5,
        [0.8, 0.75, 0.7, 0.65, 0.6],
        [0.9, 0.95, 0.98, 0.99, 1.0],
        [0.5, 0.9, 0.4, 0.8, 0.6],
    ],
    ids=["equal", "perfect", "zero", "falling", "to-perfect", "wild"],
)
@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
@pytest.mark.parametrize("unit", [1.0, 1e9], ids=["", "sizes-to-1e12"])
def test_hard_curves_get_an_answer(model, scores, unit):
    sizes = np.array(SIZES) * unit
    if isinstance(model, APExGP):
        model.set_params(floor=0.0)
    predicted = model.set_params(ceiling=1.0).fit(sizes, scores).predict(sizes[-1] * np.array([1, 2, 50]))
    assert getattr(model, "converged_", True)
    assert ((predicted >= 0) & (predicted <= 1)).all()
    # What is falling is not expected to fall much further (a run that falls evenly may have been lucky, less and less),
    # and a constant stays where it is.
    assert predicted[-1] >= min(scores) - 0.1


@pytest.mark.slow
def test_cautions_say_why_not_to_believe():
    def cautions(scores, at=720, sizes=SIZES):
        return " ".join(APExGP.as_published().fit(sizes, scores).forecast([at]).cautions)

    assert cautions(SCORES) == ""
    assert "falls as the training set grows" in cautions(SCORES[::-1])
    assert "only 3 different sizes" in cautions(SCORES[:3], sizes=SIZES[:3])
    assert "only 2.5 times its smallest" in cautions(SCORES[:4], sizes=[60, 90, 120, 150])
    assert "All scores are perfect" in cautions([1.0] * 5)
    assert "is 0.002 short of perfect" in cautions([0.998, 0.9985, 0.998, 0.9975, 0.998])
    assert "Only 0.012 is left above it" in cautions([0.988, 0.9885, 0.988, 0.9875, 0.988])
    assert "had risen by more than 0.02 at their largest size" in cautions([0.888, 0.8885, 0.888, 0.8875, 0.888])
    assert "Some scores are perfect" in cautions([0.9, 0.95, 0.97, 0.99, 1.0])
    assert "more than 50 times the largest pilot size (360)" in cautions(SCORES, at=20000)
    wild = np.array(SCORES)[:, None] + [-0.15, 0.0, 0.15]
    assert "differ by a standard deviation of 0.15" in cautions(wild)
    assert "Caution: " in repr(APExGP.as_published().fit(SIZES, SCORES[::-1]).forecast([720]))


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_where_there_is_no_room_nobody_asks_how_far_the_curve_will_rise(direction):
    perfect = 1.0 if direction == "higher" else 0.0
    curve = LearningCurve(SIZES, [perfect] * len(SIZES), direction=direction)
    perfect_scores, single_runs = APExGP().fit(curve).forecast([10_000]).cautions
    assert "All scores are perfect" in perfect_scores
    assert "counts as one run" in single_runs


def test_a_forecast_from_prior_experience_says_so():
    flat = APExGP().fit([60, 80, 100, 120], [0.6, 0.62, 0.61, 0.63])
    assert any("The pilot says little" in caution for caution in flat.forecast([6000]).cautions)
    noise = np.random.default_rng(0).normal(0, 0.005, (12, 5))
    known = APExGP().fit(np.geomspace(20, 20000, 12), 0.8 - 0.3 * np.geomspace(1, 1000, 12)[:, None] ** -0.9 + noise)
    assert not any("The pilot says little" in caution for caution in known.forecast([200000]).cautions)


def test_ends_that_are_not_known_warn(monkeypatch):
    import apexgp.inference.compiled_integral as compiled

    monkeypatch.setattr(compiled, "ROUNDS", compiled.ROUNDS._replace(first=64, most_searching=2, most=32))
    with pytest.warns(AccuracyWarning, match="of their width"):
        APExGP(precision=0.002).fit(SIZES, SCORES)


@pytest.mark.slow
def test_a_finer_precision_is_reached_and_kept_over_seeds():
    at = SIZES[-1] * np.array([2.0, 10.0, 50.0])

    def scatter(precision):
        models = [APExGP(precision=precision, seed=seed).fit(SIZES, SCORES) for seed in range(6)]
        assert all(model.end_error_ <= 1.25 * precision for model in models)
        ends = np.array([model.forecast(at, of="expected").interval(0.95) for model in models])
        return (ends.std(axis=0, ddof=1) / np.ptp(ends, axis=1).mean(axis=0)).max()

    fine = scatter(0.004)
    assert fine < 2 * 0.004
    assert fine < scatter(0.1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"precision": 0.5}, "between 0.001 and 0.1"),
        ({"precision": -1}, "precision"),
        ({"precision": "fine"}, "precision"),
        ({"precision": 0.01, "mean": "power_law", "inference": "map", "priors": "paper"}, "inference='bayes'"),
    ],
)
def test_a_precision_that_cannot_be_meant_is_refused(settings, message):
    with pytest.raises(RequestError, match=message):
        APExGP(**settings).fit(SIZES, SCORES)


def test_texts_state_the_precision_that_is_the_default():
    assert f"between {FINEST:g} and {COARSEST:g}. By default {TOLERATED:g}." in APExGP.__doc__
    as_percentage = f"{100 * TOLERATED:g} % of the"
    for page, words in (
        ("cli.md", f"[default: ({TOLERATED:g})]"),
        ("method.md", as_percentage),
        ("promises.md", as_percentage),
    ):
        assert words in " ".join((REPOSITORY / "docs" / page).read_text(encoding="utf-8").split()), page


@pytest.mark.parametrize("estimator", [APExGP, LeastSquares])
def test_a_target_is_met_with_the_same_confidence_by_default(estimator):
    assert inspect.signature(estimator.required_size).parameters["confidence"].default is CONFIDENCE


def test_an_unsettled_search_warns(monkeypatch):
    import apexgp.point_estimates.map as engine

    quick = engine.minimise
    monkeypatch.setattr(engine, "minimise", lambda *a, **k: quick(*a, **k, max_iterations=2))
    with pytest.warns(ConvergenceWarning, match="without settling"):
        model = APExGP.as_published().fit(SIZES, SCORES)
    assert not model.converged_
    assert model.parameters_


def test_a_custom_variant_is_saved_and_loaded(tmp_path):
    variant = Variant(2.0, 0.02, PUBLISHED.lambda_prior, 0.05, True)
    APExGP("power_law", "map", "paper", variant=variant).fit(SIZES, SCORES).save(tmp_path / "m.json")
    assert APExGP.load(tmp_path / "m.json").variant == variant


def test_files_that_hold_no_such_model_are_explained(tmp_path):
    path = tmp_path / "m.json"
    LeastSquares("power_law").fit(SIZES, SCORES).save(path)
    with pytest.raises(
        RequestError, match=r"of class LeastSquares, not APExGP\. Read it with apexgp.LeastSquares.load"
    ):
        APExGP.load(path)
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match="not a model saved by apexgp"):
        APExGP.load(tmp_path / "other.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DataError, match="not a saved model"):
        APExGP.load(tmp_path / "broken.json")
    with pytest.raises(DataError, match="There is no file"):
        APExGP.load(tmp_path / "none.json")


def test_saves_what_was_fitted_and_numpys_numbers(tmp_path):
    model = APExGP("power_law", ceiling=np.float32(0.9), seed=np.int64(3)).fit(SIZES, SCORES)
    expected = model.predict(NEW)
    model.set_params(ceiling=0.8).save(tmp_path / "m.json")
    np.testing.assert_array_equal(APExGP.load(tmp_path / "m.json").predict(NEW), expected)
    (tmp_path / "old.json").write_text('{"format": "apexgp-model", "estimator": "APExGP"}')
    with pytest.raises(DataError, match="damaged, or was saved by a newer apexgp"):
        APExGP.load(tmp_path / "old.json")
    with pytest.raises(DataError, match="cannot be read"):
        APExGP.load(tmp_path)


def test_a_model_that_no_longer_gives_its_numbers_warns(tmp_path):
    path = tmp_path / "m.json"
    APExGP().fit(SIZES, SCORES).save(path)
    content = json.loads(path.read_text())
    content["parameters"]["theta2"] = -0.9
    path.write_text(json.dumps(content))
    with pytest.warns(ReproducibilityWarning, match="different fitted parameters"):
        APExGP.load(path)


def test_beliefs_of_ones_own_are_saved_and_read(tmp_path):
    beliefs = replace(apexgp.priors.CALIBRATED, lam=apexgp.priors.LogNormal(0.5, 0.2))
    model = APExGP("power_law", priors=beliefs).fit(SIZES, SCORES)
    assert model.parameters_ != APExGP("power_law").fit(SIZES, SCORES).parameters_
    model.save(tmp_path / "model.json")
    again = APExGP.load(tmp_path / "model.json")
    assert again.priors == beliefs
    assert again.parameters_ == model.parameters_


@pytest.mark.parametrize(
    "beliefs", [apexgp.priors.CALIBRATED, apexgp.priors.paper_beliefs(WRITTEN)], ids=["calibrated", "paper"]
)
def test_beliefs_survive_json(beliefs):
    assert Beliefs.from_dict(json.loads(json.dumps(beliefs.to_dict()))) == beliefs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "about", "asks"),
    [
        ([0.34, 0.30, 0.28, 0.25, 0.24], {}, True),
        ([0.34, 0.30, 0.28, 0.25, 0.24], {"direction": "lower"}, False),
        ([0.84, 0.80, 0.78, 0.75, 0.74], {}, False),
        ([0.34, 0.30, 0.28, 0.25, 0.24], {"direction": "higher"}, False),
        ([0.84, 0.80, 0.78, 0.75, 0.74], {"metric": "brier_score", "direction": "higher"}, False),
        ([0.84, 0.80, 0.78, 0.75, 0.74], {"metric": "our_test_error"}, False),
        ([0.84, 0.80, 0.78, 0.75, 0.74], {"metric": "auroc"}, False),
        ([0.66, 0.70, 0.72, 0.75, 0.76], {"metric": "error"}, False),
        ([0.30, 0.34, 0.31, 0.35, 0.33], {}, False),
    ],
)
def test_what_may_be_a_loss_asks_whether_lower_is_better(scores, about, asks):
    model = APExGP.as_published().fit(LearningCurve(SIZES, scores, **about))
    said = [caution for caution in model.forecast([720]).cautions if "Is lower better?" in caution]
    assert len(said) == asks
    assert all("say so with direction='lower';" in caution for caution in said)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [partial(APExGP, "burr"), APExGP.as_published, partial(LeastSquares, "arctan")],
    ids=["bayes", "map", "regression"],
)
def test_ceiling_and_floor_point_the_way_of_the_curve(make):
    errors = LearningCurve(SIZES, 1 - np.array(SCORES), direction="lower")
    upward, downward = make(ceiling=0.8, floor=0.5).fit(SIZES, SCORES), make(ceiling=0.5, floor=0.2).fit(errors)
    assert downward.predict([720, 9000]) == pytest.approx(1 - upward.predict([720, 9000]))
    assert downward.predict([10**7]) >= 0.2 - 0.02
    (again,) = fit_together(make(ceiling=0.5, floor=0.2), [errors])
    assert again.predict([9000]) == pytest.approx(downward.predict([9000]))
    with pytest.raises(DataError, match=r"The floor is 0\.3, but the pilot reaches 0\.232 on average at size 360"):
        make(floor=0.3).fit(errors)
    (refused,) = fit_together(make(floor=0.3), [errors])
    assert "floor" in str(refused)


def test_an_error_rate_worse_than_chance_is_refused():
    errors = LearningCurve(SIZES, 1 - np.array(SCORES), direction="lower")
    with pytest.raises(DataError, match=r"ceiling is 0\.2, but the mean score at size 60 is 0\.34\. Give a ceiling"):
        APExGP(ceiling=0.2).fit(errors)


def test_cautions_are_those_of_the_last_fit(calls_of):
    counted = calls_of(apexgp.estimators.base, "find_pilot_cautions")
    model = APExGP.as_published().fit(SIZES, SCORES)
    assert model.forecast([400]).cautions == model.forecast([400], of="expected").cautions
    assert len(counted) == 1
    narrow = model.fit([60, 70, 80], [0.66, 0.67, 0.68]).forecast([100]).cautions
    assert "only 3 different sizes" in narrow[0]
    assert len(counted) == 2
