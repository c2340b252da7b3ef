"""Backtests: every figure again by hand, and curves or methods that fail."""

import csv
import math

import numpy as np
import pytest

from apexgp import METHODS, APExGP, Backtest, LearningCurve, LeastSquares, backtest, metrics
from apexgp.errors import DataError, RequestError, WouldOverwriteError

SIZES = np.array([60.0, 94, 147, 230, 360, 564])
FIGURES = ("error", "bias", "likelihood", "coverage_80", "coverage_95", "crps")
GP = APExGP("power_law")


def curve(seed, limit=0.88, sizes=SIZES, **about):
    rng = np.random.default_rng(seed)
    table = (limit - 1.5 * sizes**-0.5)[:, None] + rng.normal(0, 0.01, (1, 3)) + rng.normal(0, 0.01, (len(sizes), 3))
    return LearningCurve(sizes, table, **about)


def pilot_of(whole, kept):
    """Rows of the `kept` smallest sizes, and the mean scores at the others."""
    sizes = np.unique(whole.sizes)
    small = whole.sizes <= sizes[kept - 1]
    pilot = LearningCurve(
        whole.sizes[small],
        whole.scores[small],
        None if whole.split is None else whole.split[small],
        direction=whole.direction,
    )
    truth = np.array([whole.scores[whole.sizes == n].mean() for n in sizes[kept:]])
    return pilot, sizes[kept:], truth


def test_a_perfect_curve_is_held_by_intervals_that_end_at_one():
    result = backtest(LearningCurve(SIZES, [1.0] * len(SIZES)), {"gp": GP})
    (pooled,), by_size = result.pooled, result.by_size
    assert [one.upper_95 for one in by_size] == [1.0] * 2
    assert [one.within_95 for one in by_size] == [True] * 2
    assert pooled.coverage_95 == 1
    assert "-0.0000" not in str(backtest(LearningCurve(SIZES, [1.0] * len(SIZES)), ["arctan"]))


@pytest.mark.slow
@pytest.mark.parametrize(("holdout", "kept"), [(None, 4), (1, 5), (2, 4), (3, 3)])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_figures_are_those_of_the_public_functions(holdout, kept, direction):
    whole = curve(1)
    if direction == "lower":
        whole = LearningCurve(whole.sizes, 1 - whole.scores, whole.split, direction="lower")
    result = backtest(whole, {"gp": GP, "law": LeastSquares("power_law")}, holdout)
    assert isinstance(result, Backtest)
    found = {score.method: score for score in result.by_curve}
    pilot, sizes, truth = pilot_of(whole, kept)

    forecast = APExGP("power_law").fit(pilot).forecast(sizes, of="same_splits")
    assert found["gp"].error == pytest.approx(np.abs(forecast.mean - truth).mean(), rel=1e-9)
    assert found["gp"].bias == pytest.approx((forecast.mean - truth).mean(), rel=1e-9)
    assert found["gp"].crps == pytest.approx(metrics.crps(forecast, truth), rel=1e-9)
    within = forecast.cdf(truth + 0.01) - forecast.cdf(truth - 0.01)
    assert found["gp"].likelihood == pytest.approx(within.mean(), rel=1e-9)
    for level, coverage in ((0.8, found["gp"].coverage_80), (0.95, found["gp"].coverage_95)):
        low, high = forecast.interval(level)
        assert coverage == ((low <= truth) & (truth <= high)).mean()
    assert (found["gp"].curves, found["gp"].failed) == (1, None)

    predicted = LeastSquares("power_law").fit(pilot).predict(sizes)
    assert found["law"].error == pytest.approx(np.abs(predicted - truth).mean(), rel=1e-9)
    assert found["law"].bias == pytest.approx((predicted - truth).mean(), rel=1e-9)
    # Without a distribution the CRPS reduces to the absolute error.
    assert found["law"].crps == found["law"].error
    assert all(math.isnan(getattr(found["law"], name)) for name in ("likelihood", "coverage_80", "coverage_95"))
    assert (found["law"].curves, found["law"].failed) == (1, None)


def test_the_same_splits_are_forecast():
    # With large split effects, to go on with the same splits is not to draw new ones.
    whole = curve(3)
    (score,) = backtest(whole, {"gp": GP}).by_curve
    pilot, sizes, truth = pilot_of(whole, 4)
    model = APExGP("power_law").fit(pilot)
    same, new = (metrics.crps(model.forecast(sizes, of=of), truth) for of in ("same_splits", "new_splits"))
    assert score.crps == pytest.approx(same, rel=1e-9)
    assert abs(same - new) > 1e-5


@pytest.mark.slow
def test_pooled_figures_are_means_over_curves_in_order_of_the_crps():
    curves = {f"task {i}": curve(i, limit) for i, limit in enumerate((0.95, 0.85, 0.8))}
    result = backtest(curves, {"law": LeastSquares("power_law"), "gp": GP, "published": APExGP.as_published()})
    assert [(s.task, s.method) for s in result.by_curve] == [
        (task, method) for task in curves for method in ("law", "gp", "published")
    ]
    for pooled in result.pooled:
        own = [score for score in result.by_curve if score.method == pooled.method]
        assert (pooled.curves, pooled.task, pooled.failed) == (3, None, None)
        for name in FIGURES:
            mean = np.mean([getattr(score, name) for score in own])
            assert getattr(pooled, name) == pytest.approx(mean, nan_ok=True)
    crps = [score.crps for score in result.pooled]
    assert crps == sorted(crps)
    text = repr(result)
    assert text.startswith("Backtest on 3 curves")
    for pooled in result.pooled:
        assert any(pooled.method in line and f"{pooled.crps:.4f}" in line for line in text.splitlines())
    assert "nan" not in text


def test_several_curves_may_come_as_a_list():
    named, nameless = curve(1, task="lung"), curve(2)
    found = backtest([named, nameless], {"law": LeastSquares("power_law")})
    assert [score.task for score in found.by_curve] == ["lung", 1]
    assert backtest(named, {"law": LeastSquares("power_law")}).by_curve[0].task == "lung"
    assert found.by_curve[0].error == backtest(named, {"law": LeastSquares("power_law")}).by_curve[0].error


class Broken(LeastSquares):
    """A method that some data are too much for."""

    def fit(self, curve):
        if curve.scores.max() > 0.8:
            raise DataError("too good to be true")
        return super().fit(curve)


def test_what_fails_is_reported_and_spoils_nothing():
    good, other, short = curve(1, 0.95), curve(2, 0.8), curve(3, sizes=SIZES[:3])
    methods = {"broken": Broken(), "law": LeastSquares("power_law")}
    result = backtest({"good": good, "short": short, "other": other}, methods)
    by = {(s.task, s.method): s for s in result.by_curve}
    assert len(by) == 6
    for method in methods:
        failed = by["short", method]
        assert "3 different sizes; holding out 1 and keeping 3 to fit takes 4" in failed.failed
        assert failed.curves == 0
        assert all(math.isnan(getattr(failed, name)) for name in FIGURES)
    assert by["good", "broken"].failed == "too good to be true"
    assert by["other", "broken"].error == by["other", "law"].error
    pooled = {score.method: score for score in result.pooled}
    alone = backtest({"good": good, "other": other}, {"law": LeastSquares("power_law")}).pooled[0]
    assert (pooled["law"].error, pooled["law"].curves) == (alone.error, 2)
    assert pooled["law"].failed.startswith("1 of 3 curves: The curve has 3 different sizes")
    assert (pooled["broken"].error, pooled["broken"].curves) == (by["other", "law"].error, 1)
    assert pooled["broken"].failed == "2 of 3 curves: too good to be true"


def test_what_fails_everywhere_comes_last():
    result = backtest(curve(1, 0.95), {"broken": Broken(), "law": LeastSquares("power_law")})
    assert [score.method for score in result.pooled] == ["law", "broken"]
    assert (result.pooled[1].curves, result.pooled[1].failed) == (0, "too good to be true")
    assert math.isnan(result.pooled[1].crps)
    result = backtest(curve(1, sizes=SIZES[:3]), {"law": LeastSquares("power_law")})
    assert result.pooled[0].curves == 0


def test_methods_go_by_name():
    whole = curve(1)
    by_name = backtest(whole, ["power_law", "arctan"])
    assert {score.method for score in by_name.pooled} == {"power_law", "arctan"}
    by_hand = backtest(whole, {"power_law": LeastSquares("power_law"), "arctan": METHODS["arctan"]()})
    assert repr(by_name.by_curve) == repr(by_hand.by_curve)
    assert [score.method for score in backtest(whole, "power_law").pooled] == ["power_law"]
    assert METHODS["power_law"]() is not METHODS["power_law"]()  # fitting one changes no other


@pytest.mark.slow
def test_every_method_is_judged_by_default():
    result = backtest(curve(1, sizes=np.append(SIZES, [883, 1383, 2166])))  # six are left for six parameters
    assert {score.method for score in result.pooled} == set(METHODS)
    assert all(score.failed is None for score in result.pooled)


@pytest.mark.slow
def test_processes_do_not_change_the_figures():
    curves = {i: curve(i) for i in range(3)}
    one, two = (backtest(curves, {"gp": GP, "law": LeastSquares("power_law")}, n_jobs=jobs) for jobs in (1, 2))
    assert repr(one.by_curve) == repr(two.by_curve)
    assert repr(one) == repr(two)


def test_figures_are_written_and_not_overwritten(tmp_path):
    path = tmp_path / "figures.csv"
    result = backtest({"x": curve(1), "short": curve(1, sizes=SIZES[:3])}, {"law": LeastSquares("power_law")})
    result.to_csv(path)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["task"] for row in rows] == ["x", "short"]
    assert float(rows[0]["error"]) == result.by_curve[0].error
    assert float(rows[0]["crps"]) == result.by_curve[0].crps
    assert math.isnan(float(rows[0]["coverage_95"]))
    assert "holding out 1" in rows[1]["failed"]
    before = path.read_text()
    with pytest.raises(WouldOverwriteError):
        backtest(curve(2), {"law": LeastSquares("power_law")}).to_csv(path)
    assert path.read_text() == before
    backtest(curve(2), {"law": LeastSquares("power_law")}).to_csv(path, overwrite=True)
    assert path.read_text() != before


def test_bad_requests_are_explained():
    whole = curve(1)
    with pytest.raises(RequestError, match=r"There is no method cubic, spline; choose from apexgp, apexgp_published, "):
        backtest(whole, ["power_law", "cubic", "spline"])
    with pytest.raises(RequestError, match="There is no method apex-gp"):
        backtest(whole, "apex-gp")
    with pytest.raises(RequestError, match="The method 'line' must be an estimator of curves, got str"):
        backtest(whole, {"line": "power_law"})
    with pytest.raises(RequestError, match="methods is empty"):
        backtest(whole, [])
    with pytest.raises(RequestError, match="methods is empty"):
        backtest(whole, {})
    for holdout in (0, 1.5):
        with pytest.raises(RequestError, match="holdout must be a whole number"):
            backtest(whole, ["power_law"], holdout)
    with pytest.raises(DataError, match="must be a LearningCurve, or several, got none"):
        backtest([], ["power_law"])
    assert "holding out 4 and keeping 3 to fit takes 7" in backtest(whole, ["power_law"], 4).pooled[0].failed


@pytest.mark.parametrize("nothing", [["no curve"], "curve.csv", 5, [1, 2]])
def test_what_is_no_curve_is_refused(nothing):
    with pytest.raises(DataError, match="curve must be a LearningCurve, or several, got"):
        backtest(nothing)


def test_other_bad_requests_are_explained():
    with pytest.raises(RequestError, match=r"must be a mapping, such as \{'mine': LeastSquares\(\)\}"):
        backtest(curve(1), LeastSquares("power_law"))
    with pytest.raises(RequestError, match="n_jobs must be a number of processes other than 0"):
        backtest(curve(1), ["power_law"], n_jobs=0)
