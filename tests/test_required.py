"""How many examples reach a target: by hand-made probabilities, by counting drawn curves, by closed forms."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, ndtr, ndtri
from sklearn.exceptions import NotFittedError

import apexgp
from apexgp import APExGP, LearningCurve, LeastSquares, RequiredSize
from apexgp.errors import RequestError
from apexgp.required import CERTAIN, KNOWN, UNLIMITED, add_errors, remember, required_size, success_of

SIZES = [60, 94, 147, 230, 360]
SCORES = np.array([0.66, 0.705, 0.722, 0.755, 0.768])
SPLITS = SCORES[:, None] + [-0.012, 0.003, 0.009] + 0.004 * np.cos(np.arange(15.0)).reshape(5, 3)
PILOT = np.array([60.0, 94, 147, 230, 360])
PIECEWISE, MMF4 = partial(LeastSquares, "piecewise_power_law"), partial(LeastSquares, "mmf4")
TARGETS = np.linspace(0.5, 0.97, 12)
CONFIDENCES = np.linspace(0.02, 0.98, 12)


@pytest.fixture(scope="module")
def bayes():
    return APExGP("power_law").fit(SIZES, SPLITS)


@pytest.fixture(scope="module")
def published():
    return APExGP.as_published().fit(SIZES, SCORES)


@pytest.fixture(scope="module", params=["bayes", "published", "piecewise"])
def model(request, bayes, published):
    if request.param == "piecewise":
        return LeastSquares("piecewise_power_law").fit(SIZES, SCORES)
    return {"bayes": bayes, "published": published}[request.param]


def log_normal(centre, spread, most=1.0):
    """F of a requirement that is log-normal, and infinite with probability 1 - most."""
    return lambda sizes: most * ndtr((np.log(sizes) - math.log(centre)) / spread)


# The engine, on probabilities made by hand.


def test_the_contract_names_what_an_answer_holds(bayes):
    answer = bayes.required_size(0.8, confidence=0.7)
    assert isinstance(answer, RequiredSize)
    assert (answer.target, answer.confidence) == (0.8, 0.7)
    assert isinstance(answer.size, int)
    assert isinstance(answer.median, int)
    low, high = answer.interval
    assert low <= answer.median <= answer.size <= high
    assert 0 < answer.prob_now < answer.prob_reachable <= 1
    assert answer.already_met is False
    with pytest.raises(AttributeError):
        answer.size = 3


@pytest.mark.slow
@settings(max_examples=200, derandomize=True)
@given(st.floats(1, 1e6), st.floats(0.02, 5), st.floats(0.05, 1), st.floats(0.01, 0.99))
def test_a_log_normal_requirement_has_its_quantiles_for_an_answer(centre, spread, most, confidence):
    answer = required_size(log_normal(centre, spread, most), PILOT, 0.9, confidence)
    assert answer.prob_reachable == pytest.approx(most)
    assert answer.prob_now == log_normal(centre, spread, most)(360.0)

    def least(level):
        if level > most:
            return math.inf
        return max(60, centre * math.exp(spread * ndtri(level / most)))

    asked = (answer.size, answer.median, *answer.interval)
    for found, level in zip(asked, (confidence, 0.5, 0.1, 0.9), strict=True):
        if abs(level - most) < 1e-6:
            continue
        expected = least(level)
        if expected > 1e14:
            assert found > 1e13
        else:
            assert expected * (1 - 3e-7) <= found <= expected * (1 + 3e-7) + 1


def test_where_the_probability_dips_the_last_crossing_counts():
    def success(sizes):
        # Above 0.8 at 400 to 5,000 examples, below until 40,000, and above for good from there.
        log = np.log(sizes)
        bump = expit(40 * (log - math.log(400))) - expit(40 * (log - math.log(5000)))
        return np.clip(0.95 * (bump + expit(40 * (log - math.log(40_000)))), 0, 1)

    answer = required_size(success, PILOT, 0.9, 0.8)
    assert answer.size == pytest.approx(40_000, rel=0.05)
    assert success(answer.size) >= 0.8 > success(answer.size - 1)
    assert answer.already_met is False


def test_a_curve_that_falls_below_the_target_again_never_reaches_it_for_good():
    answer = required_size(lambda sizes: np.where(sizes < 1000, 0.9, 0.3), PILOT, 0.9, 0.8)
    assert answer.size == math.inf
    assert answer.median == math.inf
    assert answer.interval == (60, math.inf)
    assert answer.prob_reachable == 0.3
    assert answer.already_met is True  # by its word: at the pilot


def test_certainty_and_impossibility():
    always = required_size(np.ones_like, PILOT, 0.9, 0.8)
    assert (always.size, always.median, always.interval) == (60, 60, (60, 60))
    assert (always.prob_now, always.prob_reachable, always.already_met) == (1, 1, True)
    never = required_size(np.zeros_like, PILOT, 0.9, 0.8)
    assert (never.size, never.median, never.interval) == (math.inf, math.inf, (math.inf, math.inf))
    assert (never.prob_now, never.prob_reachable, never.already_met) == (0, 0, False)


@pytest.mark.slow
@pytest.mark.parametrize("step", [61, 100.5, 359.9, 360, 360.5, 361, 999, 1080, 1081, 54_321, 7_654_321])
@pytest.mark.parametrize(("before", "after"), [(0.0, 1.0), (0.02, 0.95), (0.0, 0.9), (0.3, 0.90000001)])
def test_a_step_is_found_wherever_it_is(step, before, after):
    answer = required_size(lambda sizes: np.where(sizes < step, before, after), PILOT, 0.9, 0.8)
    for found in (answer.size, answer.median, answer.interval[1]):
        assert math.ceil(step * (1 - 2e-7)) <= found <= math.ceil(step * (1 + 2e-7))
    assert answer.interval[0] == (60 if before > 0.1 else answer.median)
    assert answer.already_met is (step <= 360)


@pytest.mark.slow
@settings(max_examples=60, derandomize=True)
@given(st.lists(st.tuples(st.floats(1, 17), st.floats(0.01, 3), st.floats(0.05, 1)), min_size=1, max_size=5))
def test_the_size_is_the_least_with_enough_probability(parts):
    total = sum(part[2] for part in parts)

    def success(sizes):
        return sum(w * ndtr((np.log(sizes) - c) / s) for c, s, w in parts) / (1.1 * total)

    before = 0
    for confidence in (0.05, 0.3, 0.5, 0.7, 0.9):
        size = required_size(success, PILOT, 0.9, confidence).size
        assert before <= size < math.inf
        assert success(size * (1 + 2e-7)) >= confidence
        if size > 60:
            assert success((size - 1) * (1 - 2e-7)) < confidence
        before = size


def test_the_probability_is_dear_and_asked_for_seldom():
    asked, truth = [], log_normal(900, 0.7)

    def success(sizes):
        asked.append(sizes)
        return truth(sizes)

    required_size(remember(success), PILOT, 0.9, 0.8)
    assert len(asked) <= 10
    grid, later = asked[0], np.concatenate(asked[1:])
    assert not np.isclose(later[:, None], grid, rtol=1e-9).any()  # what is known is not asked for again


def test_sizes_beyond_all_counting_are_told_from_never():
    answer = required_size(log_normal(1e60, 3), PILOT, 0.9, 0.8)
    assert answer.size == pytest.approx(1e60 * math.exp(3 * ndtri(0.8)), rel=1e-4)
    assert required_size(log_normal(1e299, 3), PILOT, 0.9, 0.8).size > 1e290


# Models.


@pytest.mark.slow
def test_more_is_never_had_for_less(model, rng):
    table = np.array([[model.required_size(t, c).size for c in CONFIDENCES] for t in TARGETS])
    assert (np.sort(table, axis=0) == table).all()  # not by differences: inf - inf
    assert (np.sort(table, axis=1) == table).all()
    assert np.isfinite(table).any()
    assert (table > 360).any()
    for _ in range(60):
        (t1, t2), (c1, c2) = np.sort(rng.uniform(0.3, 0.99, 2)), np.sort(rng.uniform(0.01, 0.99, 2))
        easy, hard = model.required_size(t1, c1), model.required_size(t2, c2)
        assert easy.size <= hard.size
        assert easy.median <= hard.median
        assert easy.prob_reachable >= hard.prob_reachable


@pytest.mark.slow
@pytest.mark.parametrize("of", ["expected", "new_splits", "same_splits"])
def test_the_probability_at_the_size_is_the_confidence(model, of):
    beyond = 0
    for target in (0.7, 0.78, 0.8, 0.83):
        for confidence in (0.2, 0.5, 0.8, 0.9):
            answer = model.required_size(target, confidence, of=of)
            if answer.size > 1e6:
                continue
            later = answer.size * np.array([1, 1.1, 1.5, 2, 5, 20, 100, 1e4])
            # Answers may rest on more integrals than forecasts do.
            within = 1e-6 + 4 * model._fit.standard_error(later, np.full(8, target), of)
            assert (model.forecast(later, of=of).prob_at_least(target) >= confidence - within).all()
            if answer.size > 360:
                beyond += 1
                before = model.forecast([answer.size - 1], of=of).prob_at_least(target)[0]
                assert before < confidence + within[0]
            assert answer.already_met is (answer.prob_now >= confidence)
            now = model.forecast([360], of=of).prob_at_least(target)[0]
            (error,) = model._fit.standard_error(np.array([360.0]), np.array([target]), of)
            assert answer.prob_now == pytest.approx(now, abs=1e-6 + 4 * error)
    assert beyond >= 4


@pytest.mark.slow
@pytest.mark.parametrize("of", ["expected", "new_splits", "same_splits"])
def test_probabilities_agree_with_counting_drawn_curves(bayes, published, of):
    draws, sizes = 20_000, np.array([360.0, 700, 2000, 20_000])
    for one in (bayes, published):
        curves = one.sample_curves(draws, sizes, seed=5, of=of)
        for target in (0.76, 0.8, 0.83):
            probability = success_of(one, target, of)(sizes)
            counted = (curves >= target).mean(axis=0)
            error = np.sqrt(probability * (1 - probability) / draws)
            assert (np.abs(counted - probability) <= 4.5 * error + 1e-9).all()
            answer = one.required_size(target, 0.5, of=of)
            if 360 < answer.size < 1e9:
                reached = one.sample_curves(draws, [answer.size], seed=6, of=of) >= target
                assert reached.mean() == pytest.approx(0.5, abs=4.5 * 0.5 / math.sqrt(draws))


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{"noise": 1e-4}, {}])
def test_nearly_without_noise_the_answer_is_the_inverse_of_the_curve(settings):
    sizes = np.geomspace(50, 5000, 12)
    table = np.repeat((0.9 - 1.5 * sizes**-0.5)[:, None], 3, axis=1)
    model = APExGP("power_law", **settings).fit(sizes, table)
    for target, within in ((0.87, 0.02), (0.88, 0.05), (0.885, 0.1)):
        answer, exact = model.required_size(target), (1.5 / (0.9 - target)) ** 2
        assert answer.median == pytest.approx(exact, rel=0.01)
        assert answer.size == pytest.approx(exact, rel=within)
        assert answer.interval == pytest.approx((exact, exact), rel=2.5 * within)
    assert model.required_size(0.87).already_met
    assert not model.required_size(0.88).already_met


def test_what_no_amount_of_data_reaches_is_an_answer(model):
    assert model.required_size(1.0).size == math.inf
    if getattr(model, "family", None) == "piecewise_power_law":
        return  # whose limit is 1
    answer = model.required_size(0.995, confidence=0.95)
    assert answer.size == math.inf
    assert answer.prob_reachable < 0.95
    assert answer.interval[1] == math.inf
    assert answer.already_met is False


@pytest.mark.slow
def test_the_reachable_share_is_the_limit_of_the_probability(model):
    for target in (0.75, 0.8, 0.85, 0.9, 0.95):
        limit = model.required_size(target).prob_reachable
        far = model.forecast([1e12, 1e30, 1e100, 1e250], of="expected").prob_at_least(target)
        # Slow curves are still rising at 1e12, and what departs from them is still reverting.
        assert (np.abs(np.diff(np.append(far, limit))) < 0.05).all()
        (error,) = model._fit.standard_error(np.array([1e250]), np.array([target]), "expected")
        assert far[-1] == pytest.approx(limit, abs=2e-3 + 4 * error)


def test_what_the_pilot_reaches_is_already_met(model):
    answer = model.required_size(0.7, confidence=0.8)
    assert answer.already_met is True
    assert 60 <= answer.size <= 360
    assert answer.prob_now >= 0.8
    low = model.required_size(0.3)
    assert low.size == low.median == 60  # nothing is said about sizes below the pilot's


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda: APExGP("power_law"), APExGP.as_published, LeastSquares, MMF4, PIECEWISE])
def test_error_rates_mirror_accuracies(make):
    up = make().fit(LearningCurve(SIZES, SCORES))
    down = make().fit(LearningCurve(SIZES, 1 - SCORES, direction="lower"))
    for target in (0.7, 0.78, 0.8, 0.875, 0.97):
        a, b = up.required_size(target), down.required_size(1 - target)
        assert b.target == 1 - target
        assert (a.size, a.median, *a.interval) == pytest.approx((b.size, b.median, *b.interval), rel=1e-4, abs=1)
        assert (a.prob_now, a.prob_reachable) == pytest.approx((b.prob_now, b.prob_reachable), abs=1e-6)
        assert a.already_met == b.already_met


def test_a_better_error_rate_takes_more(rng):
    model = APExGP("power_law").fit(LearningCurve(SIZES, 1 - SCORES, direction="lower"))
    sizes = [model.required_size(target).size for target in (0.3, 0.25, 0.22, 0.2, 0.1)]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) > 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 0.95}, r"The target 0.95 is better than 0.9, the best possible score .* change the ceiling"),
        ({"target": 90}, r"above 0 and at most 1, got 90\. Write 0\.9 for 90 %"),
        ({"target": 0}, "target must be a score above 0 and at most 1, got 0"),
        ({"target": -0.1}, "above 0 and at most 1"),
        ({"target": 1.2}, "above 0 and at most 1"),
        ({"target": math.nan}, "target must be one finite number"),
        ({"target": math.inf}, "target must be one finite number"),
        ({"target": [0.8, 0.9]}, "target must be one finite number"),
        ({"target": "high"}, "target must be real numbers, got 'high'"),
        ({"target": 0.8, "confidence": 0}, "confidence must be strictly between 0 and 1, got 0"),
        ({"target": 0.8, "confidence": 1}, "confidence must be strictly between 0 and 1, got 1"),
        ({"target": 0.8, "confidence": 80}, r"got 80\. Write 0\.8 for 80 %"),
        ({"target": 0.8, "confidence": math.nan}, "confidence must be one finite number"),
    ],
)
@pytest.mark.parametrize("make", [APExGP.as_published, LeastSquares, PIECEWISE])
def test_bad_questions_are_explained(make, arguments, message):
    model = make(ceiling=0.9).fit(SIZES, SCORES)
    with pytest.raises(RequestError, match=message):
        model.required_size(**arguments)


def test_bad_questions_about_error_rates_are_explained():
    model = APExGP.as_published(floor=0.1).fit(LearningCurve(SIZES, 1 - SCORES, direction="lower"))
    with pytest.raises(RequestError, match=r"0.05 is better than 0.1, the best possible score .* change the floor"):
        model.required_size(0.05)
    with pytest.raises(RequestError, match="at least 0 and below 1, got 1"):
        model.required_size(1.0)
    with pytest.raises(RequestError, match="'new_splits', 'same_splits', 'expected', got 'all'"):
        model.required_size(0.2, of="all")
    # The bound itself may be asked for, whatever 1 - 0.1 is in binary.
    assert model.required_size(0.1).size > 360
    assert APExGP.as_published(ceiling=0.9).fit(SIZES, SCORES).required_size(0.9).size > 360


@pytest.mark.parametrize("make", [APExGP, APExGP.as_published, LeastSquares, PIECEWISE])
def test_an_unfitted_model_says_so(make):
    with pytest.raises(NotFittedError):
        make().required_size(0.8)


def test_cautions_are_about_the_answer(published):
    assert published.required_size(0.78).cautions == ()
    limit = published.required_size(0.84).prob_reachable
    answers = (published.required_size(0.84, confidence=share * limit) for share in np.linspace(0.5, 0.9, 81))
    far = next(answer for answer in answers if 50 * 360 < answer.size < 100 * 360)
    assert f"{far.size_in_words} is more than 50 times the largest pilot size (360)" in far.cautions[0]


# What the integral does not know.


def test_an_infinite_size_has_no_relative_error(bayes, published):
    by_curve = LeastSquares("power_law").fit(SIZES, SCORES)
    for one in (bayes, published, by_curve):
        never = one.required_size(0.995, confidence=0.95)
        assert never.size == math.inf
        assert math.isnan(never.relative_error)
        assert never.to_dict()["relative_error"] == [None]
        assert never == one.required_size(0.995, confidence=0.95)
    assert 0 < bayes.required_size(0.8).relative_error < 1
    assert published.required_size(0.8).relative_error == 0  # nothing is random


def test_where_the_probability_does_not_rise_the_error_is_unbounded():
    found = replace(required_size(log_normal(900, 0.7), PILOT, 0.9, 0.8), size=5000)
    for error, relative_error in ((0.01, math.inf), (0.0, 0.0)):
        answer, _ = add_errors(found, np.zeros_like, lambda sizes, error=error: np.full(len(sizes), error), PILOT)
        assert answer.relative_error == relative_error
    never, exactness = add_errors(replace(found, size=math.inf), np.zeros_like, np.zeros_like, PILOT)
    assert math.isnan(never.relative_error)
    assert exactness.excess == 0


@pytest.mark.parametrize("error", [0.001, 0.01, 0.03])
def test_errors_and_ranges_are_those_of_the_closed_form(error):
    """F is log-normal: its levels are crossed at known sizes, and its slope is known."""
    success = log_normal(900, 0.7)
    found = required_size(success, PILOT, 0.9, 0.8)
    answer, exactness = add_errors(found, success, lambda sizes: np.full(len(sizes), error), PILOT)
    slope = math.exp(-0.5 * ndtri(0.8) ** 2) / (0.7 * math.sqrt(2 * math.pi))
    assert answer.relative_error == pytest.approx(error / slope, rel=0.01)
    assert exactness.excess == pytest.approx(2 * answer.relative_error / KNOWN)
    assert answer.is_known == (2 * answer.relative_error <= KNOWN)
    assert not answer.is_open
    ends = [900 * math.exp(0.7 * ndtri(0.8 + sign * CERTAIN * error)) for sign in (-1, 1)]
    assert answer.size_range == pytest.approx(ends, rel=0.02)


def test_whether_any_size_suffices_is_open_where_the_limit_is_within_three_errors():
    def success(sizes):
        return 0.81 * log_normal(900, 0.7)(sizes)

    for error, is_open in ((0.003, False), (0.004, True)):
        for confidence in (0.8, 0.82):
            asked = required_size(success, PILOT, 0.9, confidence)
            answer, exactness = add_errors(asked, success, lambda sizes, error=error: np.full(len(sizes), error), PILOT)
            assert answer.is_open == is_open
            assert answer.is_out_of_reach == (confidence == 0.82 and not is_open)
            assert (exactness.excess > 1) or not is_open
            if is_open:
                assert "or more" in answer.size_in_words
                assert "if any number does" in str(answer)


def find_limit(model, target):
    """The probability with unlimited data, as exactly as answers may know it."""
    pooled = model._fit.pool_integrals(model._fit.most_integrals).whole
    return 1 - float(pooled.node_weights @ pooled.chances([UNLIMITED], [target], "expected")[:, 0])


def undecided(answer):
    return any("is not decided" in caution for caution in answer.cautions)


def test_it_is_said_where_another_seed_may_decide_otherwise(bayes, published):
    limit = find_limit(bayes, 0.85)
    for confidence in (limit - 1e-4, limit + 1e-4):
        answer = bayes.required_size(0.85, confidence)
        assert undecided(answer)
        assert answer.is_open
        assert "if any number does" in str(answer)
    assert not undecided(bayes.required_size(0.85, limit - 0.1))
    assert not undecided(bayes.required_size(0.85, limit + 0.1))
    exact = published.required_size(0.85).prob_reachable
    assert not undecided(published.required_size(0.85, exact - 1e-9))  # nothing is random


@pytest.mark.slow
def test_seeds_do_not_contradict_each_other_whether_any_size_suffices():
    models = [APExGP(seed=seed).fit([60, 120, 240], [0.65, 0.7, 0.74]) for seed in range(5)]
    answers = [model.required_size(0.8, find_limit(models[0], 0.8)) for model in models]
    assert sum(map(undecided, answers)) >= 4
    assert len({answer.is_out_of_reach for answer in answers if not answer.is_open}) < 2
    assert max(answer.size_range[0] for answer in answers) <= min(answer.size_range[1] for answer in answers)


FLAT = {
    "small": LearningCurve([30, 60, 120], [[0.70, 0.72], [0.74, 0.75], [0.77, 0.76]]),
    "readme": LearningCurve(SIZES, SCORES),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FLAT)
def test_seeds_agree_where_the_probability_hardly_rises(name):
    """Single integrals gave sizes that differed by half."""
    models = [APExGP(seed=seed).fit(FLAT[name]) for seed in range(4)]
    target = round(float(models[0].forecast([10 * FLAT[name].largest], of="expected").quantile(0.2)[0]), 3)
    answers = [model.required_size(target) for model in models]
    assert max(answer.size_range[0] for answer in answers) <= min(answer.size_range[1] for answer in answers)
    assert all(answer.size_range[0] <= answer.size <= answer.size_range[1] for answer in answers)
    again = APExGP(seed=3).fit(FLAT[name]).required_size(target)
    assert again == answers[3]


def test_sizes_that_are_no_plan_are_printed_without_digits():
    far = RequiredSize(
        0.8, 0.8, 2.9e20, 700, (444, 3e30), 0.81, 0.1, already_met=False, size_range=(2.9e20, 2.9e20), largest=240
    )
    assert str(far).startswith("Required size: it takes more than 24,000 examples to reach 0.8")
    assert far.in_words(far.size) == "more than 24,000"
    assert "e+" not in str(far)
    assert not far.is_realistic
    assert far.to_dict()["size"] == [2.9e20]
    assert "largest" not in far.to_dict()
    near = replace(far, size=24_000, interval=(444, 24_001), size_range=(24_000, 24_000))
    assert near.is_realistic
    assert near.in_words(near.size) == "24,000"
    assert near.in_words(near.interval[1]) == "more than 24,000"
    assert math.isinf(far.rounded_size)
    assert near.to_dict()["rounded_size"] == [24_000]


def test_a_share_is_no_target_on_a_scale_of_per_cent():
    model = APExGP().fit(LearningCurve(SIZES, 100 * np.array(SCORES), range=(0, 100)))
    with pytest.raises(RequestError, match=r"lies on a scale from 0 to 100, got 0\.93\. Write 93 for 93 %\."):
        model.required_size(0.93)


def test_a_forecast_beside_a_required_size_rests_on_the_same_integrals():
    """Those of the table of a forecast: the size itself reaches the target there, however flat the probability is."""
    model = APExGP().fit(FLAT["readme"])
    target = round(float(model.forecast([10 * 360], of="expected").quantile(0.2)[0]), 3)
    found = model.required_size(target)
    beside = model._forecast_behind(found, np.array([float(found.size), found.size - 1.0]))
    assert (beside.prob_at_least(target) >= 0.8).tolist() == [True, False]


def test_cautions_do_not_name_a_size_that_is_no_plan(published):
    limit = published.required_size(0.85).prob_reachable
    far = published.required_size(0.85, limit - 1e-6)
    assert 100 * 360 < far.size < math.inf
    assert not any("times the largest pilot size" in caution for caution in far.cautions)


# Curves by least squares.


@pytest.mark.parametrize("confidence", [0.1, 0.8, 0.99])
def test_a_power_law_is_inverted_in_closed_form(confidence):
    sizes = np.geomspace(50, 1500, 8)
    model = LeastSquares("power_law").fit(sizes, 0.92 - 1.1 * sizes**-0.45)
    for target in (0.88, 0.9, 0.91, 0.918):
        answer = model.required_size(target, confidence)
        exact = (1.1 / (0.92 - target)) ** (1 / 0.45)
        assert answer.size == pytest.approx(exact, rel=1e-3)
        assert model.predict([answer.size * (1 + 1e-6)])[0] >= target > model.predict([answer.size - 1.01])[0]
        assert answer.median == answer.size
        assert answer.interval == (answer.size, answer.size)
        assert (answer.prob_reachable, answer.prob_now, answer.already_met) == (1.0, 0.0, False)
    never = model.required_size(0.93, confidence)
    assert (never.size, never.median, never.interval) == (math.inf, math.inf, (math.inf, math.inf))
    assert (never.prob_reachable, never.already_met) == (0.0, False)
    met = model.required_size(0.8, confidence)
    assert met.size == math.ceil((1.1 / (0.92 - 0.8)) ** (1 / 0.45))
    assert (met.already_met, met.prob_now) == (True, 1.0)
    assert model.required_size(0.1).size == 50


def test_a_correction_asks_the_curve_for_more():
    sizes = np.geomspace(50, 1500, 8)
    model = LeastSquares("power_law").fit(sizes, 0.92 - 1.1 * sizes**-0.45)
    answers = [model.required_size(0.88, correction=c) for c in (0.0, 0.01, 0.02, 0.03, 0.05, 0.2)]
    found = [answer.size for answer in answers]
    assert found[1] == model.required_size(0.89).size
    assert found[:4] == sorted(set(found[:4]))
    assert found[4:] == [math.inf, math.inf]
    assert answers[2].target == 0.88
    errors = LeastSquares("power_law").fit(LearningCurve(sizes, 0.08 + 1.1 * sizes**-0.45, direction="lower"))
    assert errors.required_size(0.12, correction=0.01).size == pytest.approx(found[1], rel=1e-4)
    for bad, message in ((-0.01, "must not be negative, got -0.01"), (math.nan, "one finite number")):
        with pytest.raises(RequestError, match=message):
            model.required_size(0.88, correction=bad)


@pytest.mark.slow
@pytest.mark.parametrize("family", apexgp.FAMILIES)
def test_every_curve_reaches_the_target_at_the_size_it_asks_for(family):
    model = LeastSquares(family).fit([*SIZES, 500], [*SCORES, 0.777])
    for target in (0.7, 0.77, 0.785, 0.8):
        size = model.required_size(target, correction=1e-15).size
        if size < 1e9:
            assert model.predict([size * (1 + 1e-6)])[0] >= target - 1e-9
            if size > 60:
                assert model.predict([size - 1.001])[0] < target
        else:
            assert model.predict([1e8])[0] < target


def test_the_piecewise_law_answers_by_its_forecast_where_it_has_one():
    model = LeastSquares("piecewise_power_law").fit(SIZES, SCORES)
    answer = model.required_size(0.78, confidence=0.9)
    assert model.forecast([answer.size], of="expected").prob_at_least(0.78)[0] == pytest.approx(0.9, abs=0.01)
    assert answer.interval[0] < answer.median < answer.size == answer.interval[1]
    corrected = model.required_size(0.78, confidence=0.9, correction=0.005)
    assert corrected.size == corrected.median
    assert model.predict([corrected.size])[0] == pytest.approx(0.785, abs=1e-4)
    few = LeastSquares("piecewise_power_law").fit(SIZES[:4], SCORES[:4]).required_size(0.76)
    assert few.size == few.median == few.interval[0]
    assert few.prob_reachable == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("make", [partial(APExGP, "power_law"), APExGP.as_published, PIECEWISE])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_the_search_asks_for_probabilities_alone(make, direction, calls_of):
    """Many evaluations of F, but no curve is built or checked again, and cautions are told once."""
    higher = direction == "higher"
    model = make().fit(LearningCurve(SIZES, SCORES if higher else 1 - SCORES, direction=direction))
    asked = calls_of(type(model._fit), "predict")
    told = calls_of(type(model._fit), "cautions")
    of_pilot = calls_of(apexgp.estimators.base, "find_pilot_cautions")
    built = calls_of(LearningCurve, "__init__")
    for target in (0.8, 0.79, 0.8):  # the last is known already
        model.required_size(target if higher else 1 - target)
    assert len(asked) >= 10
    assert len(told) == 2
    assert len(of_pilot) == 1
    assert not built
