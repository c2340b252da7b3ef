"""Scores that do not lie in [0, 1]: their maps, and the laws that forecasts on any scale keep."""

import io
from math import e, inf, log

import numpy as np
import pytest

from apexgp import (
    APExGP,
    LearningCurve,
    LeastSquares,
    backtest,
    compare_models,
    design_pilot,
    metrics,
    plan_collection,
    read,
)
from apexgp.errors import DataError, RequestError
from apexgp.reading.names import known_metric
from apexgp.scale import Scale, check_range, format_range

SIZES = np.array([60, 94, 147, 230, 360])
SPLIT = np.tile([1, 2], 5)
LOSSES = np.array([0.83, 0.80, 0.75, 0.71, 0.66, 0.67, 0.61, 0.60, 0.57, 0.56])
SCALES = [
    Scale(),
    Scale(-1.0, 1.0),
    Scale(0.0, 100.0),
    Scale(0.0, inf, unit=0.7),
    Scale(-inf, 1.0, unit=2.0),
    Scale(1.0, inf, unit=3.0, logarithmic=True),
]


def curve(scores=LOSSES, **about):
    return LearningCurve(np.repeat(SIZES, 2), scores, SPLIT, **about)


@pytest.fixture(scope="module")
def loss():
    return APExGP().fit(curve(metric="log loss"))


@pytest.fixture(scope="module")
def forecast(loss):
    return loss.forecast([720, 3600])


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: format_range(scale.range))
def test_a_scale_is_a_rising_map_with_its_inverse_and_slope(scale):
    inside = np.linspace(0.001, 0.999, 401)
    scores = scale.outside(inside)
    assert (np.diff(scores) > 0).all()
    assert ((scores > scale.lower) & (scores < scale.upper)).all()
    np.testing.assert_allclose(scale.inside(scores), inside, atol=1e-12)
    np.testing.assert_allclose(scale.inside(scores, turned=True), 1 - inside, atol=1e-12)
    np.testing.assert_allclose(scale.outside(1 - inside, turned=True), scores, rtol=1e-9, atol=1e-9)
    numeric = (scale.outside(inside + 1e-6) - scale.outside(inside - 1e-6)) / 2e-6
    np.testing.assert_allclose(scale.stretch(inside), numeric, rtol=1e-4)
    np.testing.assert_allclose(scale.log_slope(scores), -np.log(scale.stretch(inside)), rtol=1e-9, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["new_splits", "same_splits", "expected"])
def test_the_unit_of_a_loss_does_not_matter(loss, of):
    bits = APExGP().fit(curve(LOSSES / log(2), metric="log loss"))
    nats, others = loss.forecast([720, 3600], of=of), bits.forecast([720, 3600], of=of)
    for p in (0.025, 0.5, 0.9):
        np.testing.assert_allclose(others.quantile(p) * log(2), nats.quantile(p), rtol=1e-6)
    np.testing.assert_allclose(others.mean * log(2), nats.mean, rtol=1e-6)
    assert bits.required_size(0.5 / log(2)).size == loss.required_size(0.5).size


@pytest.mark.parametrize(
    ("sizes", "losses"), [([200], [0.5]), ([200, 200, 200], [0.5, 0.45, 0.6]), ([100, 200], [0.7, 0.5])]
)
def test_the_unit_of_a_loss_does_not_matter_from_one_size_or_two(sizes, losses):
    nats, bits = (
        APExGP().fit(LearningCurve(sizes, np.array(losses) / unit, metric="log loss")) for unit in (1.0, log(2))
    )
    one, other = (model.forecast([400, 4000]) for model in (nats, bits))
    for p in (0.025, 0.5, 0.9):
        np.testing.assert_allclose(other.quantile(p) * log(2), one.quantile(p), rtol=1e-6)
    assert bits.required_size(0.4 / log(2)).median == nats.required_size(0.4).median


@pytest.mark.parametrize(
    ("of_curve", "of_loss"),
    [
        (curve(1 - LOSSES, metric="R2"), lambda loss: 1 - loss),
        (curve(LOSSES / log(2), metric="log loss"), lambda loss: loss / log(2)),
        (curve(-LOSSES, metric="neg_log_loss"), lambda loss: -loss),
        (curve(metric="log loss").upward, curve(metric="log loss").as_upward),
    ],
    ids=["R2", "bits", "minus", "as engines see it"],
)
def test_the_error_of_a_probability_is_asked_for_on_the_scale_of_the_scores(loss, of_curve, of_loss):
    sizes, scores = np.array([720.0, 3600.0]), np.array([0.48, 0.4])
    error = loss.posterior.standard_error(sizes, scores, "expected")
    assert ((error > 0.002) & (error < 0.05)).all()
    other = APExGP().fit(of_curve).posterior.standard_error(sizes, of_loss(scores), "expected")
    np.testing.assert_allclose(other, error, rtol=1e-5)


@pytest.mark.slow
def test_the_error_of_a_probability_is_what_seeds_differ_by():
    made = [APExGP(seed=seed).fit(curve(metric="log loss")) for seed in range(12)]
    chances = np.array([model.forecast([720, 3600], of="expected").cdf([0.48, 0.4]) for model in made])
    told = np.array([model.posterior.standard_error([720, 3600], [0.48, 0.4], "expected") for model in made])
    ratio = told.mean(axis=0) / chances.std(axis=0, ddof=1)
    assert ((ratio > 0.5) & (ratio < 2)).all()


def test_the_error_of_ends_is_on_the_scale_of_the_scores(loss):
    """A share of the width does not change with the unit, but with a map that is not straight."""
    bits = APExGP().fit(curve(LOSSES / log(2), metric="log loss"))
    assert bits.end_error_ == pytest.approx(loss.end_error_, rel=1e-5)
    assert APExGP().fit(curve(metric="log loss").upward).end_error_ != pytest.approx(loss.end_error_, rel=1e-3)


def test_the_error_of_a_probability_takes_lists_and_one_score_for_all_sizes(loss):
    told = loss.posterior.standard_error([720, 3600], [0.48, 0.48], "expected")
    np.testing.assert_array_equal(loss.posterior.standard_error(np.array([720, 3600]), 0.48, "expected"), told)
    with pytest.raises(RequestError, match=r"scores must be one number, or one for each of the 2 sizes"):
        loss.posterior.standard_error([720, 3600], [0.48, 0.4, 0.3], "expected")
    with pytest.raises(RequestError, match="not NaN"):
        loss.posterior.standard_error([720], [np.nan], "expected")
    with pytest.raises(RequestError, match="of must be one of"):
        loss.posterior.standard_error([720], 0.48, "all")


def test_r2_is_one_minus_a_loss(forecast):
    r2 = APExGP().fit(curve(1 - LOSSES, metric="R2"))
    other = r2.forecast([720, 3600])
    np.testing.assert_allclose(other.mean, 1 - forecast.mean, rtol=1e-9)
    np.testing.assert_allclose(other.quantile([0.05, 0.5]), 1 - forecast.quantile([0.95, 0.5]), rtol=1e-7)
    assert other.locations.min() >= -1  # on the scale of the engine


def test_what_scikit_learn_has_turned_round_is_the_loss_with_a_minus(forecast):
    other = APExGP().fit(curve(-LOSSES, metric="neg_log_loss")).forecast([720, 3600])
    np.testing.assert_allclose(other.mean, -forecast.mean, rtol=1e-9)


def test_a_coefficient_is_forecast_as_its_image_in_the_unit_interval():
    scores = 0.9 - LOSSES
    coefficient = APExGP().fit(curve(scores, metric="MCC"))
    plain = APExGP().fit(curve((scores + 1) / 2, metric="AUROC"))
    ours, theirs = coefficient.forecast([720, 3600]), plain.forecast([720, 3600])
    np.testing.assert_allclose(ours.mean, 2 * theirs.mean - 1, rtol=1e-9)
    np.testing.assert_allclose(ours.std, 2 * theirs.std, rtol=1e-9)
    np.testing.assert_allclose(ours.quantile([0.1, 0.9]), 2 * theirs.quantile([0.1, 0.9]) - 1, atol=1e-9)
    np.testing.assert_array_equal(ours.locations, theirs.locations)
    assert coefficient.required_size(0.4).size == plain.required_size(0.7).size
    truth = np.array([0.35, 0.45])
    np.testing.assert_allclose(metrics.crps(ours, truth), 2 * metrics.crps(theirs, (truth + 1) / 2), rtol=1e-5)


def test_a_perplexity_is_forecast_through_its_logarithm(forecast):
    model = APExGP().fit(curve(np.exp(LOSSES), metric="perplexity"))
    other = model.forecast([720, 3600])
    np.testing.assert_allclose(
        other.quantile([0.05, 0.5, 0.95]), np.exp(forecast.quantile([0.05, 0.5, 0.95])), rtol=1e-7
    )
    np.testing.assert_array_equal(other.mean, other.median)
    assert (other.centre, np.isinf(other.std).all()) == ("median", True)
    assert any("medians are given instead" in caution for caution in other.cautions)
    truth = np.array([0.52, 0.45])
    assert metrics.crps(other, np.exp(truth)) == pytest.approx(float(metrics.crps(forecast, truth)), rel=1e-5)


def test_figures_of_a_loss_follow_from_its_distribution(forecast):
    # Each size on its own: the quantiles at many levels stand for the distribution.
    levels = (np.arange(4000) + 0.5) / 4000
    draws = forecast.quantile(levels)
    np.testing.assert_allclose(forecast.mean, draws.mean(axis=0), rtol=1e-3)
    np.testing.assert_allclose(forecast.std, draws.std(axis=0), rtol=0.05)
    truth = np.array([0.52, 0.40])
    between = ((2 * levels - 1)[:, None] * draws).mean(axis=0)  # half of E|x - x'|
    energy = np.abs(draws - truth).mean(axis=0) - between
    np.testing.assert_allclose(metrics.crps(forecast, truth, axis=()), energy, rtol=0.01, atol=2e-5)
    slope = (forecast.cdf(truth + 1e-5) - forecast.cdf(truth - 1e-5)) / 2e-5
    np.testing.assert_allclose(forecast.pdf(truth), slope, rtol=1e-4)
    np.testing.assert_allclose(forecast.log_pdf(truth), np.log(slope), atol=1e-3)
    lower, upper = forecast.interval(0.8, "hdi")
    np.testing.assert_allclose(forecast.prob_between(lower, upper), 0.8, atol=1e-6)
    assert (upper - lower <= np.subtract(*forecast.interval(0.8)[::-1]) + 1e-9).all()
    assert forecast.sample(1000, seed=1).min() >= 0


def test_a_target_of_a_loss_is_met_from_below(loss):
    found = loss.required_size(0.5, 0.7)
    by_size = loss.forecast([found.size], of="expected").cdf(0.5)
    assert float(by_size[0]) == pytest.approx(0.7, abs=0.01)
    assert plan_collection(loss, 0.5, 1.0, 1e4).prob_met[-1] > loss.forecast([360], of="expected").cdf(0.5)[0]
    assert loss.sample_curves(50, [720], seed=3).min() > 0
    with pytest.raises(RequestError, match=r"must be a score at least 0 and below inf, got -0\.1"):
        loss.required_size(-0.1)


@pytest.mark.slow
def test_other_methods_work_on_the_scale_of_the_scores(loss):
    drawn = LeastSquares("power_law").fit(loss.curve_)
    assert drawn.predict([360])[0] == pytest.approx(0.565, abs=0.02)
    assert drawn.required_size(0.5).size > 360
    judged = backtest(loss.curve_, {"power_law": LeastSquares(), "apexgp": APExGP()})
    assert all(0 < score.crps < 0.1 for score in judged.pooled)
    found = design_pilot(loss, 2, at=3600, confirm=0)
    assert found.widths_now[0] == pytest.approx(np.subtract(*loss.forecast([3600], of="expected").interval()[::-1])[0])


@pytest.mark.slow
def test_losses_are_compared_in_any_unit():
    one, two = curve(metric="log loss"), curve(LOSSES * np.repeat([1.15, 1.1, 1.0, 0.95, 0.9], 2), metric="log loss")
    bits = {name: curve(c.scores / log(2), metric="log loss") for name, c in {"one": one, "two": two}.items()}
    (pair,) = compare_models({"one": one, "two": two}, [360, 1440]).pairs
    (other,) = compare_models(bits, [360, 1440]).pairs
    np.testing.assert_allclose(other.prob_first_better, pair.prob_first_better, atol=1e-6)
    np.testing.assert_allclose(other.difference * log(2), pair.difference, rtol=1e-6)
    assert (pair.difference > -0.02).all()
    assert (pair.prob_first_better < 0.5).all()


@pytest.mark.parametrize(
    ("name", "between", "lower"),
    [
        ("MCC", (-1, 1), False),
        ("matthews_corrcoef", (-1, 1), False),
        ("Cohen's kappa", (-1, 1), False),
        ("R", (-1, 1), False),
        ("Gini", (-1, 1), False),
        ("Spearman", (-1, 1), False),
        ("log_loss", (0, inf), True),
        ("cross-entropy", (0, inf), True),
        ("RMSE", (0, inf), True),
        ("mean absolute error", (0, inf), True),
        ("MAE", (0, inf), True),
        ("Brier score", (0, inf), True),
        ("perplexity", (1, inf), True),
        ("R2", (-inf, 1), False),
        ("d2_log_loss_score", (-inf, 1), False),
        ("AUROC", (0, 1), False),
        ("error rate", (0, 1), True),
        ("top-1 error", (0, 1), True),
        ("Misclassification rate", (0, 1), True),
        ("WER", (0, inf), True),
        ("cer", (0, inf), True),
    ],
)
def test_known_metrics_know_their_range_and_direction(name, between, lower):
    known = known_metric(name)
    assert (known.range, known.lower_is_better) == (between, lower)
    made = LearningCurve([60, 120], [1.0, 1.0], metric=name)
    assert (made.range, made.direction) == (between, "lower" if lower else "higher")


def test_a_range_that_is_stated_goes_before_that_of_the_metric():
    made = LearningCurve([60, 120], [66.1, 70.2], metric="accuracy", range=(0, 100))
    assert (made.range, made.direction) == ((0.0, 100.0), "higher")
    assert "range=(0, 100)" in repr(made)
    ended = LearningCurve([60, 120], [3.0, 2.0], range="0 to inf")
    assert (ended.range, ended.direction) == ((0.0, inf), "lower")  # it has one end, and is best there
    assert LearningCurve([60, 120], [3.0, 2.0], range=(0, inf), direction="higher").direction == "higher"
    assert LearningCurve([60, 120], [-3.0, 2.0], range=(-inf, 5)).direction == "higher"


@pytest.mark.parametrize("said", [(1, 0), (0, 0), (-inf, inf), (0,), "low to high", 3, (0, np.nan), ()])
def test_what_is_no_range_is_refused(said):
    with pytest.raises(RequestError, match="range must"):
        check_range(said)


@pytest.mark.parametrize(
    ("scores", "about", "asked"),
    [
        ([2.79, 2.31], {}, r"must lie in \[0, 1\], got 2\.79, 2\.31\. What was measured\? .* range=\(0, inf\)"),
        ([-0.3, 0.2], {}, r"must lie in \[0, 1\], got -0\.3\. What was measured\?"),
        ([66.1, 70.2], {}, r"Are these percentages\? Divide by 100: 66\.1 becomes 0\.661\. .* range=\(0, 100\)"),
        ([66.1, 70.2], {"metric": "accuracy"}, r"Are these percentages\?"),
        ([1.2, 0.9], {"metric": "MCC"}, r"\[-1, 1\], as MCC does, got 1\.2\. If something else was measured"),
        ([-0.5, 0.4], {"metric": "log loss"}, r"\[0, inf\), as log loss does, got -0\.5"),
        ([0.5, 2.0], {"range": (-1, 1)}, r"\[-1, 1\], as the range says, got 2\.$"),
    ],
)
def test_scores_that_cannot_be_are_a_question(scores, about, asked):
    with pytest.raises(DataError, match=asked) as refused:
        LearningCurve([60, 120], scores, **about)
    assert ("percentages" in str(refused.value)) == (max(scores) > 20)


def test_a_curve_of_any_range_survives_a_file_and_a_saved_model(tmp_path, loss):
    made = curve(LOSSES * 100, range=(0, inf), direction="lower", metric="wobble")
    made.to_csv(tmp_path / "curve.csv")
    back = read(tmp_path / "curve.csv").curve
    assert (back.range, back.direction, back.metric) == ((0.0, inf), "lower", "wobble")
    np.testing.assert_array_equal(back.scores, made.scores)
    loss.save(tmp_path / "model.json")
    again = APExGP.load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.forecast([720]).mean, loss.forecast([720]).mean)
    with pytest.raises(DataError, match=r"a curve has one range, got \[0, inf\).*; \[0, 100\] was asked for"):
        read(tmp_path / "curve.csv", range=(0, 100)).curve


def test_details_of_scores_are_on_their_scale():
    told = curve(metric="log loss", train_scores=np.full(10, 1.7), score_sd=0.9, averaged_over=3)
    upward = told.upward
    np.testing.assert_allclose(upward.train_scores, np.exp(-1.7 / told.scale.unit))
    shift = 1e-6
    moved = np.abs(told.as_upward(LOSSES + shift) - told.as_upward(LOSSES)) / shift
    np.testing.assert_allclose(upward.score_sd, 0.9 * moved, rtol=1e-4)
    with pytest.raises(DataError, match=r"train_scores must lie in \[0, inf\), got -1"):
        curve(metric="log loss", train_scores=np.full(10, -1.0))
    table = "n,MCC,train MCC,sd\n60,0.1,0.9,1.2\n120,-0.2,0.8,1.1\n"
    beside = read(io.StringIO(table)).curve
    assert (beside.train_scores.tolist(), beside.score_sd.tolist()) == ([0.9, 0.8], [1.2, 1.1])


def test_a_curve_can_be_taken_away():
    made = curve(metric="log loss", task="a")
    frame = made.to_frame()
    assert list(frame.columns) == ["size", "score", "split", "task", "metric", "direction", "unit"]
    assert read(frame).curve.scores.tolist() == LOSSES.tolist()
    assert made.to_dict()["score"] == LOSSES.tolist()
    assert made._repr_html_().count("<tr>") == 6


def test_all_losses_of_nothing_and_a_single_wild_one_are_forecast():
    perfect = APExGP().fit(curve(np.zeros(10), metric="RMSE")).forecast([720])
    assert perfect.mean[0] < 0.1
    wild = LOSSES.copy()
    wild[3] = 1e6
    assert np.isfinite(APExGP().fit(curve(wild, metric="RMSE")).forecast([720]).quantile([0.01, 0.99])).all()
    assert curve(np.full(10, e), metric="perplexity").scale.unit == pytest.approx(2.0)


def test_noise_that_is_expected_is_on_the_scale_of_the_scores():
    nats, bits = (
        APExGP(noise=0.2 / unit).fit(curve(LOSSES / unit, metric="log loss")).forecast([720]) for unit in (1, log(2))
    )
    np.testing.assert_allclose(bits.quantile(0.9) * log(2), nats.quantile(0.9), rtol=1e-6)
    assert nats.std > 1.2 * APExGP(noise=0.02).fit(curve(metric="log loss")).forecast([720]).std
    with pytest.raises(RequestError, match=r"noise must be at most the range, as scores lie in \[-1, 1\]"):
        APExGP(noise=3).fit(curve(0.9 - LOSSES, metric="MCC"))


def test_bounds_are_on_the_scale_of_the_scores():
    best = APExGP(floor=0.5).fit(curve(metric="log loss"))
    assert best.sample_curves(200, [1e5], seed=0).mean() > 0.5
    with pytest.raises(RequestError, match=r"The target 0\.4 is better than 0\.5, the best possible score"):
        best.required_size(0.4)
    with pytest.raises(DataError, match=r"The floor is 0\.6, but the pilot reaches 0\.56"):
        APExGP(floor=0.6).fit(curve(metric="log loss"))
    with pytest.raises(DataError, match=r"The ceiling is 0\.7, but the mean score at size 60 is 0\.81"):
        APExGP(ceiling=0.7).fit(curve(metric="log loss"))
    with pytest.raises(RequestError, match=r"ceiling must be above -1 and at most 1, got 3"):
        APExGP(ceiling=3).fit(curve(0.9 - LOSSES, metric="MCC"))


def test_a_metric_that_is_asked_for_is_read_beside_others():
    table = "n,accuracy,MCC,loss\n60,0.8,0.1,1.2\n120,0.9,-0.2,1.1\n"
    for metric, scores in ((None, [0.8, 0.9]), ("mcc", [0.1, -0.2]), ("loss", [1.2, 1.1])):
        assert read(io.StringIO(table), metric=metric).curve.scores.tolist() == scores


def test_per_cents_become_fractions_and_have_no_other_range():
    assert read(io.StringIO("n,score\n60,71\n120,80\n"), range=(0, 100)).curve.scores.tolist() == [71, 80]
    with pytest.raises(
        RequestError, match=r"per_cent turns the scores into fractions of 1, .* their range is \[0, 100\]"
    ):
        read(io.StringIO("n,score\n60,71\n120,80\n"), range=(0, 100), per_cent=True).curve
    with pytest.raises(DataError, match=r"71% is 0\.71, but the range is \[0, 100\]"):
        read(io.StringIO("n,score\n60,71%\n120,80%\n"), range=(0, 100)).curve
    with pytest.raises(DataError, match=r"Or say so with per_cent=True.*; if they are something else, .* range=\.\.\."):
        read(io.StringIO("n,score\n60,71\n120,80\n")).curve


@pytest.mark.parametrize("ends", [np.array([1 + 2j]), [np.complex128(1 + 2j), 1.0], [np.array([1 + 2j]), 1.0]])
def test_complex_ends_are_refused_in_our_words(ends):
    with pytest.raises(DataError, match="must be"):
        LearningCurve([10, 20, 40], [0.1, 0.2, 0.3], range=ends)


@pytest.mark.parametrize(
    ("scale", "width", "decimals"),
    [
        (Scale(), inf, 3),
        (Scale(), 0.02, 3),
        (Scale(), 0.0004, 4),  # 0.9995, and 0.0002 to each side
        (Scale(), 0.0, 3),
        (Scale(-1.0, 1.0), inf, 3),
        (Scale(0.0, 100.0), inf, 1),
        (Scale(0.0, 100.0), 0.02, 3),
        (Scale(0.0, 10.0), inf, 2),
        (Scale(0.0, inf, unit=2 * 12.55), inf, 1),
        (Scale(0.0, inf, unit=2 * 0.01234), inf, 4),
        (Scale(0.0, inf, unit=2 * 1534.0), inf, 0),
        (Scale(-inf, 0.0, unit=2 * 12.55), inf, 1),
        (Scale(-inf, 1.0, unit=2 * 0.95), inf, 3),  # an R2 of 0.05
        (Scale(1.0, inf, unit=2 * log(25.0), logarithmic=True), inf, 1),
    ],
)
def test_digits_of_a_score_follow_its_scale_and_the_width_of_its_interval(scale, width, decimals):
    assert scale.count_decimals(width) == decimals
