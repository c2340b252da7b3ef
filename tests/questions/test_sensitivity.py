"""Sensitivity: rows are the answers of models fitted one by one, in order of what they change."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, Sensitivity, sensitivity
from apexgp.errors import RequestError
from apexgp.model.distributions import LogNormal, ScaledPrior
from apexgp.priors import CALIBRATED
from apexgp.required import success_of

SIZES = [60, 94, 147, 230, 360, 564]
AT, TARGET = [1000.0, 5640.0], 0.8


def pilot(**about):
    rng = np.random.default_rng(4)
    table = (0.9 - 0.9 * np.array(SIZES) ** -0.32)[:, None] + rng.normal(0, 0.01, 3) + rng.normal(0, 0.006, (6, 3))
    return LearningCurve(SIZES, table, ["a", "b", "c"], metric="auroc", **about)


@pytest.fixture(scope="module")
def model():
    return APExGP(seed=2).fit(pilot())


@pytest.fixture(scope="module")
def found(model):
    return sensitivity(model, AT, target=TARGET)


def row_of(found, name):
    (row,) = [row for row in found.rows if row.name == name]
    return row


def same(row, other, at, within=1e-9):
    """Whether a row says what a model that was fitted by itself says; of changed models, from one integral."""
    integrals = other._fit.most_integrals if row.kind == "none" else 1
    forecast, required = other.forecast(AT), other._required_size_within(integrals, TARGET, 0.8, "expected")
    np.testing.assert_allclose(row.mean, forecast.mean, atol=within)
    np.testing.assert_allclose([row.lower, row.upper], forecast.interval(0.95), atol=10 * within)
    assert row.required.size == pytest.approx(required.size, rel=max(100 * within, 1e-6))
    assert row.required.prob_reachable == pytest.approx(required.prob_reachable, abs=10 * within)
    chance = other.forecast([at], of="expected").prob_at_least(TARGET)[0]
    if row.kind == "none":  # by the integrals behind the size
        chance = other._forecast_behind(required, np.array([at])).prob_at_least(TARGET)[0]
    assert row.prob_target == pytest.approx(chance, abs=10 * within)


def without(curve, gone):
    kept = ~gone
    return LearningCurve(curve.sizes[kept], curve.scores[kept], curve.split[kept], metric=curve.metric)


@pytest.mark.slow
def test_the_unchanged_row_is_the_models_own_answer(model, found):
    assert isinstance(found, Sensitivity)
    same(found.unchanged, model, at=found.compared_at)
    assert found.unchanged.effect == 0
    assert found.compared_at == model.required_size(TARGET).size
    assert found.unchanged.prob_target == pytest.approx(0.8, abs=0.001)


def moved_b(factor):
    shares = {name: replace(share, b=share.b * factor) for name, share in CALIBRATED.shares.items()}
    return APExGP(priors=replace(CALIBRATED, shares=shares), seed=2)


ALONE = {
    "more left to gain": lambda: moved_b(0.5),
    "less left to gain": lambda: moved_b(2.0),
    "noisier scores": lambda: APExGP(
        priors=replace(CALIBRATED, tau_e=LogNormal(2 * CALIBRATED.tau_e.median, CALIBRATED.tau_e.spread)), seed=2
    ),
    "smaller departures": lambda: APExGP(
        priors=replace(CALIBRATED, sigma=LogNormal(CALIBRATED.sigma.median / 2, CALIBRATED.sigma.spread)), seed=2
    ),
    "paper's priors": lambda: APExGP(priors="paper", seed=2),
    "published method": APExGP.as_published,
    "arctan curve": lambda: APExGP("arctan", seed=2),
    "average of curves": lambda: APExGP("auto", seed=2),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_another_model_answers_as_it_does_when_fitted_alone(found, name):
    same(row_of(found, name), ALONE[name]().fit(pilot()), at=found.compared_at)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["without size 60", "without size 564", "without split a", "without split c"])
def test_less_data_answers_as_it_does_when_fitted_alone(found, name):
    curve = pilot()
    _, what, which = name.split()
    gone = curve.sizes == float(which) if what == "size" else curve.split == which
    # Fitted together they share nodes up to rounding, which the choice of proposals makes a little larger.
    same(row_of(found, name), APExGP(seed=2).fit(without(curve, gone)), at=found.compared_at, within=2e-4)


@pytest.mark.slow
def test_ceilings_lie_between_what_should_be_reached_and_what_was_said_to_be_possible(found):
    limits = [float(row.name.split()[1]) for row in found.rows if row.kind == "limit"]
    assert sorted(limits) == [0.9, 0.95]  # a half and a quarter of the way from 1 down to the target
    same(row_of(found, "ceiling 0.95"), APExGP(ceiling=0.95, seed=2).fit(pilot()), at=found.compared_at)
    lower = APExGP(ceiling=0.97).fit(pilot())
    assert "ceiling 1" in [row.name for row in sensitivity(lower, AT).rows]


@pytest.mark.slow
def test_what_is_forecast_is_changed_too(model, found):
    names = {row.name: row for row in found.rows if row.kind == "question"}
    assert set(names) == {"mean over new splits", "same splits continued", "true expected score"}
    np.testing.assert_allclose(names["true expected score"].mean, model.forecast(AT, of="expected").mean)
    for name, of in (("mean over new splits", "new_splits"), ("same splits continued", "same_splits")):
        assert names[name].required.size == model.required_size(TARGET, of=of).size
    # Without a target it is the forecast alone, and that of the question itself is no change.
    assert "mean over new splits" not in [row.name for row in sensitivity(model, AT).rows]


@pytest.mark.slow
@pytest.mark.parametrize("target", [TARGET, None])
def test_what_moves_the_answer_most_comes_first(model, target):
    found = sensitivity(model, AT, target=target)
    effects = [abs(row.effect) for row in found.answered]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > 0
    for row in found.answered:
        now = row.mean[-1] if target is None else row.prob_target
        then = found.unchanged.mean[-1] if target is None else found.unchanged.prob_target
        assert row.effect == now - then


def test_a_prior_that_expects_more_raises_the_forecast_and_lowers_the_size(found):
    more, less = row_of(found, "more left to gain"), row_of(found, "less left to gain")
    assert (more.mean > less.mean).all()
    assert more.required.size < less.required.size
    assert more.required.prob_reachable > less.required.prob_reachable


@pytest.mark.slow
def test_the_same_model_gives_the_same_numbers(model, found):
    again = sensitivity(model, AT, target=TARGET, n_jobs=1)
    assert again.to_dict() == found.to_dict()


@pytest.mark.slow
def test_sizes_are_compared_where_the_decision_is():
    flat = APExGP().fit(pilot())
    assert sensitivity(flat, AT, target=0.5).compared_at == 564  # met already
    assert sensitivity(flat, AT, target=0.999).compared_at == AT[-1]  # out of reach
    assert sensitivity(flat, AT).compared_at == AT[-1]
    assert sensitivity(flat, times=[3]).sizes.tolist() == [3 * 564]
    assert sensitivity(flat).sizes.tolist() == [2 * 564, 10 * 564, 50 * 564]


@pytest.mark.slow
def test_what_cannot_be_fitted_is_a_row_that_says_why():
    short = LearningCurve([120, 240], [[0.75, 0.74], [0.78, 0.79]])
    found = sensitivity(APExGP().fit(short), target=0.8)
    assert {row.name for row in found.failed} == {"paper's priors", "published method"}
    for row in found.failed:
        assert "3 or more different sizes" in row.error
        assert math.isnan(row.effect)
        assert row.required is None
    assert found.rows[-2:] == found.failed
    assert "published method: This method needs scores at 3 or more" in str(found)
    assert found.to_dict()["mean_480"][-1] is None


@pytest.mark.slow
def test_the_numerical_error_is_how_far_other_seeds_move_the_answer(model):
    """The scatter of the compared probability over seeds, at the size that is compared."""
    found = sensitivity(model, AT, target=TARGET)
    at = np.array([found.compared_at])
    seeds = [success_of(APExGP(seed=seed).fit(pilot()), TARGET, "expected")(at)[0] for seed in range(3, 27)]
    assert 0.5 < found.numerical_error / np.std(seeds, ddof=1) < 2
    assert sensitivity(APExGP.as_published().fit(pilot()), AT, target=TARGET).numerical_error == 0


@pytest.mark.slow
def test_an_error_rate_is_turned(model):
    curve = pilot()
    turned = LearningCurve(curve.sizes, 1 - curve.scores, curve.split, metric="error rate", direction="lower")
    found = sensitivity(APExGP().fit(turned), AT, target=0.2)
    floors = [row.name for row in found.rows if row.kind == "limit"]
    assert sorted(floors) == ["floor 0.05", "floor 0.1"]
    more, less = row_of(found, "more left to gain"), row_of(found, "less left to gain")
    assert (more.mean < less.mean).all()


@pytest.mark.slow
def test_many_splits_are_left_out_in_tenths():
    rng = np.random.default_rng(1)
    table = (0.9 - 0.9 * np.array(SIZES[:4]) ** -0.32)[:, None] + rng.normal(0, 0.01, (4, 23))
    found = sensitivity(APExGP().fit(LearningCurve(SIZES[:4], table)), [1000])
    assert sum(row.name.startswith("without split") for row in found.rows) == 10


@pytest.mark.slow
def test_training_scores_are_left_out_and_a_published_model_is_asked_too():
    told = pilot(train_scores=np.full((6, 3), 0.97))
    found = sensitivity(APExGP(seed=2).fit(told), AT)
    np.testing.assert_allclose(row_of(found, "without training scores").mean, APExGP(seed=2).fit(pilot()).predict(AT))
    published = sensitivity(APExGP.as_published().fit(pilot()), AT)
    assert {row.kind for row in published.rows} == {"prior", "curve", "limit", "data", "question"}
    np.testing.assert_allclose(row_of(published, "default method").mean, APExGP().fit(pilot()).predict(AT))


def test_bad_requests_are_refused_by_name(model):
    for settings, argument in (
        ({"of": "all"}, "of"),
        ({"level": 95}, "level"),
        ({"confidence": 0}, "confidence"),
        ({"times": []}, "times"),
        ({"times": [0]}, "times"),
        ({"sizes": ["many"]}, "sizes"),
        ({"target": 80}, "target"),
    ):
        with pytest.raises(RequestError) as refused:
            sensitivity(model, **settings)
        assert refused.value.argument == argument
    with pytest.raises(RequestError, match="model must be a fitted APExGP"):
        sensitivity("model")


def test_a_scaled_prior_is_the_prior_times_its_factor():
    z = np.linspace(-3, 3, 7)
    prior = LogNormal(0.2, 0.7)
    np.testing.assert_allclose(ScaledPrior(prior, 3.0).from_normal(z), LogNormal(0.6, 0.7).from_normal(z))


def test_the_answer_is_a_table(found):
    frame_columns = found.to_dict()
    assert frame_columns["change"][0] == "unchanged"
    assert frame_columns["required_size"][0] == found.unchanged.required.size
    assert len(set(map(len, frame_columns.values()))) == 1
    assert "unchanged" in found._repr_html_()
    assert list(inspect.signature(sensitivity).parameters)[:2] == ["model", "sizes"]


@pytest.mark.slow
def test_changes_that_are_hard_to_integrate_are_named_and_warn_of_nothing():
    curve = LearningCurve([64, 91, 128, 181, 256, 362], np.linspace(0.9, 0.65, 6))
    found = sensitivity(APExGP(precision=0.1).fit(curve), times=[2])  # warnings are errors here
    assert found.rough
    assert all(row.end_error > 0.05 for row in found.rough)
    for row in found.rough:
        assert f"{row.name}: the ends of the interval may be off by " in repr(found)
