"""What to measure next, asked as a user asks."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.naive_bayes import GaussianNB

from apexgp import APExGP, LearningCurve, LeastSquares, collect_curves, design_pilot
from apexgp.design import pilot as pilot_module
from apexgp.design.knowledge import from_posterior
from apexgp.design.plans import Design, price_of
from apexgp.design.risks import expected_crps
from apexgp.design.simulated import imagine, models_after
from apexgp.errors import DataError, RequestError
from apexgp.estimators.fitting import fits_of
from apexgp.priors import CALIBRATED, LogNormal
from small_pilots import THREE_SPLITS


@pytest.mark.slow
def test_designs_keep_to_the_budget_and_come_in_order(model):
    found = design_pilot(model, 12, at=[3600, 7200], available=1000, confirm=0)
    assert len(found.designs) >= 15
    assert len({one.design for one in found.designs}) == len(found.designs)
    for one in found.designs:
        assert one.cost == one.fits == len(one.sizes) * one.n_splits <= 12
        assert one.sizes[-1] <= 1000
        assert one.risk <= found.risk_now
        assert len(one.widths) == 2
    assert all(one.risk <= other.risk for one, other in pairwise(found.designs))
    assert found.best_at_hand.sizes[-1] <= 360
    assert found.frugal.cost <= found.best.cost
    assert found.frugal.risk <= 1.1 * found.best.risk
    assert found.best_within(3).cost <= 3
    assert found.best_within(0.5) is None


@pytest.mark.slow
def test_now_is_what_the_model_forecasts(model):
    found = design_pilot(model, 3, at=3600, target=0.8, confirm=0)
    forecast = model.forecast(3600, of="expected")
    lower, upper = forecast.interval(0.95)
    assert found.widths_now[0] == pytest.approx((upper - lower)[0])
    assert found.prob_now == pytest.approx(forecast.prob_at_least(0.8)[0])
    assert found.required_now == model.required_size(0.8)
    assert found.decided_at == 3600


@pytest.mark.slow
def test_a_drawn_data_set_that_leaves_no_node_is_a_failed_draw():
    # Of 80 fits one is left without a node: whatever is drawn of so wild a pilot, there is an answer.
    wild = LearningCurve(
        [793, 793, 1167, 1167, 1320, 1320, 2995, 2995], [1, 1, 1, 0, 0, 0, 0, 1], [0, 1, 0, 1, 0, 1, 0, 1]
    )
    found = design_pilot(APExGP().fit(wild), 15)
    assert found.best.confirmed
    assert np.isfinite([one.risk for one in found.designs]).all()


def test_a_fit_without_nodes_is_an_error_of_its_curve_and_of_no_other(model, monkeypatch):
    whole = model._fit.posterior
    emptied = replace(whole, posteriors=tuple(replace(one, weights=np.empty(0)) for one in whole.posteriors))
    engine = model._checked_engine()
    monkeypatch.setattr(type(engine), "fit", lambda self, curves: [whole, emptied, whole][: len(curves)])
    first, second, third = fits_of(engine, [THREE_SPLITS.upward] * 3)
    assert (first, third) == (whole, whole)
    assert isinstance(second, DataError)
    assert "broke down on this curve" in str(second)


@pytest.mark.slow
def test_more_budget_never_raises_the_risk(model):
    for question in ({"at": 3600}, {"target": 0.8}):
        risks = [design_pilot(model, budget, **question, confirm=0).best.risk for budget in (1, 2, 4, 8, 16, 32, 64)]
        assert all(later <= earlier * 1.01 for earlier, later in pairwise(risks)), risks  # the search is greedy
        assert risks[-1] < 0.9 * risks[0]


@pytest.mark.slow
def test_more_data_never_raises_the_risk(model):
    risks = [design_pilot(model, 9, at=3600, available=most, confirm=0).best.risk for most in (360, 720, 1440, 3600)]
    assert all(later <= earlier * 1.01 for earlier, later in pairwise(risks)), risks
    # What matters can then be measured itself.
    assert risks[-1] < 0.5 * risks[0]


@pytest.mark.slow
def test_an_error_rate_is_the_same_question(model):
    mirrored = LearningCurve(THREE_SPLITS.sizes, 1 - THREE_SPLITS.scores, THREE_SPLITS.split, direction="lower")
    other = design_pilot(APExGP().fit(mirrored), 3, at=3600, target=0.2, confirm=1)
    found = design_pilot(model, 3, at=3600, target=0.8, confirm=1)
    assert [one.design for one in other.designs] == [one.design for one in found.designs]
    assert other.best.risk == pytest.approx(found.best.risk, rel=1e-4)
    assert other.prob_now == pytest.approx(found.prob_now, rel=1e-4)
    for name in ("prob_yes", "prob_no", "prob_right"):
        assert getattr(other.best, name) == pytest.approx(getattr(found.best, name), rel=1e-3)


@pytest.mark.slow
def test_the_seed_decides(model):
    first, again, other = (design_pilot(model, 2, at=3600, seed=seed, confirm=1) for seed in (1, 1, 2))
    assert first.to_dict() == again.to_dict()
    assert first.best.risk != other.best.risk


@pytest.mark.slow
def test_the_best_designs_are_confirmed(model):
    found = design_pilot(model, 6, at=3600, target=0.8)
    confirmed = [one for one in found.designs if one.confirmed]
    assert found.best.confirmed
    assert 3 <= len(confirmed) <= 12
    assert all(one.risk_error > 0 for one in confirmed)
    assert any(one.design == found.best_at_hand.design for one in confirmed)
    assert found.best.risk < found.risk_now


@pytest.mark.slow
def test_splits_go_on_only_where_they_are_known():
    alone = APExGP().fit(THREE_SPLITS.sizes, THREE_SPLITS.scores)
    found = design_pilot(alone, 6, at=3600, confirm=0)
    assert not any(one.continued for one in found.designs)
    labelled = design_pilot(APExGP().fit(THREE_SPLITS), 6, at=3600, confirm=0)
    going_on = [one for one in labelled.designs if one.continued]
    assert going_on
    assert all(one.n_splits == 3 and not set(one.sizes) & set(THREE_SPLITS.sizes) for one in going_on)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_hours_follow_from_what_fits_took(model):
    """Seconds of a run, 10 + size / 10: a pair says the same."""
    rng = np.random.default_rng(0)
    y = np.arange(90) % 2
    run = collect_curves(GaussianNB(), rng.normal(size=(90, 2)) + y[:, None], y, sizes=[20, 30, 40], n_splits=2)
    for fit in run.fits:
        fit["seconds"] = 10 + fit["size"] / 10
    price = price_of(run, np.array([60.0]))
    assert price.unit == "hours"
    assert price.of_size(500) == pytest.approx(60 / 3600)
    found, said = (design_pilot(model, 0.1, at=3600, cost=c, confirm=0) for c in (run, (10 / 3600, 0.1 / 3600)))
    assert [one.design for one in found.designs] == [one.design for one in said.designs]
    assert all(one.cost <= 0.1 * (1 + 1e-9) for one in found.designs)
    assert found.unit == "hours"


@pytest.mark.slow
def test_a_cost_that_grows_with_size_pays_for_less(model):
    cheap = design_pilot(model, 12, at=3600, available=1440, confirm=0)
    dear = design_pilot(model, 12, at=3600, available=1440, cost=lambda size: max(1.0, size / 360), confirm=0)
    assert dear.best.risk >= cheap.best.risk
    assert dear.unit == "cost"


@pytest.mark.slow
def test_before_a_pilot_there_are_three_sizes_at_least():
    found = design_pilot(None, 9, at=20_000, n_splits=3, confirm=1)
    assert found.available == 2000
    assert found.pilot_sizes == ()
    assert all(len(one.sizes) >= 3 and one.fits <= 9 and not one.continued for one in found.designs)
    assert found.best.confirmed
    assert found.best.widths[0] < 0.6 * found.widths_now[0]
    assert found.best_at_hand is None
    assert "measured yet" in found.cautions[0]
    # What is said of the priors holds: less noise is expected, so that the same pilot tells more.
    quiet = APExGP(priors=replace(CALIBRATED, tau_e=LogNormal(0.001, 0.1)))
    assert (
        design_pilot(quiet, 30, at=20_000, confirm=0).best.risk < design_pilot(None, 30, at=20_000, confirm=0).best.risk
    )


@pytest.mark.slow
def test_a_first_pilot_that_is_dear_ends_early():
    per_example = design_pilot(None, 400, at=20_000, available=2000, cost=(0, 1), confirm=0)
    assert all(len(one.sizes) >= 3 and one.cost <= 400 for one in per_example.designs)
    assert per_example.best.sizes[-1] < 400
    ample = design_pilot(None, 40_000, at=20_000, available=2000, cost=(0, 1), confirm=0)
    assert ample.best.sizes[-1] == 2000
    assert ample.best.risk < per_example.best.risk


@pytest.mark.slow
@pytest.mark.parametrize("budget", [143, 150, 300, 700, 1001])
def test_whatever_pays_for_a_first_pilot_finds_one(budget):
    """The budget that passes is one with which there are designs, though fits cost by their size."""
    found = design_pilot(None, budget, at=20_000, sizes=[16, 32, 95, 500, 1000], available=1000, cost=(0, 1), confirm=0)
    assert found.best.cost <= budget
    with pytest.raises(RequestError, match="takes 143 cost"):
        design_pilot(None, 142, at=20_000, sizes=[16, 32, 95, 500, 1000], available=1000, cost=(0, 1), confirm=0)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"at": 1234}, {"at": 100}, {"at": 5000, "available": 123.4}])
def test_nobody_trains_on_part_of_an_example(asked):
    found = design_pilot(None, 12, **asked, confirm=0)
    assert found.available.is_integer()
    assert all(size.is_integer() for one in found.designs for size in one.sizes)


@pytest.mark.slow
def test_further_sizes_are_whole():
    few = APExGP().fit([3, 4, 5], [0.6, 0.65, 0.68])
    found = design_pilot(few, 4, at=50, available=17.5, confirm=0)
    assert found.available == 17
    assert all(size.is_integer() for one in found.designs for size in one.sizes)


@pytest.mark.slow
def test_the_seed_decides_before_a_pilot():
    first, again, other = (design_pilot(None, 9, at=20_000, n_splits=3, confirm=0, seed=seed) for seed in (1, 1, 2))
    assert first.to_dict() == again.to_dict()
    assert first.best.risk != other.best.risk


@pytest.mark.slow
def test_a_verdict_is_of_one_kind_and_never_certain_by_chance(model):
    """Few data sets cannot tell a small probability from none: it follows from the risk, tried or not."""
    found = design_pilot(model, 3, at=3600, target=0.81, confidence=0.99)
    assert {one.confirmed for one in found.designs} == {True, False}
    by_risk = [one.prob_yes + one.prob_no for one in found.designs]
    assert all(0 < prob < 1 for prob in by_risk)
    assert spearmanr(range(len(by_risk)), by_risk).statistic < -0.9


@pytest.mark.slow
def test_what_was_tried_is_kept_when_a_later_turn_fails(model, monkeypatch):
    turns = []

    def only_once(designs, data, pilot, settings, engine):
        turns.append(designs)
        if len(turns) > 1:
            return np.empty(0), []
        shares, models = models_after(designs, data, pilot, settings, engine)
        # Fits that are much less sure than the closed form: another design comes out best, and is tried.
        return shares, [[model] * len(own) for own in models]

    monkeypatch.setattr(pilot_module, "models_after", only_once)
    monkeypatch.setattr(pilot_module, "_MOST_TURNS", 3)
    found = design_pilot(model, 6, at=3600, confirm=1)
    assert len(turns) == 2
    assert sum(one.confirmed for one in found.designs) == len(turns[0])


def test_drawn_data_sets_stand_for_all(model):
    """Chosen data sets, each with its share, have the mean of what may come; more of them are surprising."""
    sizes = np.array([60.0, 94, 147, 230, 360, 720, 3600])
    known = from_posterior(model.posterior, sizes)
    expected = known.weights @ known.location[5] / known.weights.sum()
    spread = np.sqrt(known.mean(known.covariance[5, 5]) + known.between(known.location, known.location)[5, 5])
    for seed in range(5):
        data = imagine(known, THREE_SPLITS, 16, 3, 1.0, seed, Design((720.0,), 3))
        assert data.shares.sum() == pytest.approx(1)
        shown = data.new[:, :, 5].mean(axis=1)
        assert data.shares @ shown == pytest.approx(expected, abs=0.15 * spread)
        assert shown.std() > 1.1 * spread


@pytest.mark.slow
def test_promises_depend_little_on_the_seed(model):
    widths = [
        design_pilot(model, 4, at=3600, sizes=[720], n_splits=4, confirm=1, seed=seed).best.widths[0]
        for seed in range(5)
    ]
    assert np.std(widths, ddof=1) < 0.08 * np.mean(widths)


def test_sizes_and_splits_of_ones_own(model):
    found = design_pilot(model, 20, at=3600, sizes=[100, 500], available=500, n_splits=4, confirm=0)
    assert {size for one in found.designs for size in one.sizes} <= {100, 500}
    assert {one.n_splits for one in found.designs if not one.continued} == {4}


@pytest.mark.slow
def test_the_answer_can_be_taken_away(model):
    found = design_pilot(model, 6, target=0.8, confirm=0)
    assert found.ranked_by == "required_size"
    table = found.to_dict()
    assert table["rank"] == list(range(1, len(found.designs) + 1))
    assert table["sizes"][0] == list(found.best.sizes)
    assert len(found.to_frame()) == len(found.designs)
    text = repr(found)
    assert "nothing more" in text
    assert "then plan for" in text
    assert found.words(found.best) in text


@pytest.mark.slow
def test_odd_but_sound_requests_are_answered(model):
    """A size that has been measured; a huge budget; sizes that are close together, of which all or none is known."""
    found = design_pilot(model, 4, at=360, confirm=0)
    assert found.best.risk < found.risk_now
    assert design_pilot(model, 1e9, at=3600, confirm=0).best.n_splits <= 100
    for close in ([500, 501, 502], [360], [60, 61]):
        assert design_pilot(model, 4, at=3600, sizes=close, available=600, confirm=0).designs
    assert design_pilot(None, 4, at=100, sizes=[50, 50.5, 51], available=60, confirm=1).designs


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"budget": 0}, "budget must be above 0"),
        ({"budget": 0.5}, "budget must pay for one more fit: the cheapest, at 60 with 1 split, takes 1 fit; got 0.5."),
        ({"budget": 3, "n_splits": 4}, "takes 4 fits; got 3"),
        ({"n_splits": 0}, "n_splits must be a whole number of at least 1, got 0."),
        ({"available": 300}, "available must be at least 360"),
        ({"sizes": [5000], "available": 4000}, "sizes must be at most 4,000, the examples at hand, got 5000."),
        ({"cost": lambda size: 0.0}, "must be above 0, got 0"),
        ({"cost": (0, 0)}, "cost must be above 0, got 0 at size 60."),
        ({"cost": (-1, 1)}, "cost must not be negative"),
        ({"cost": "dear"}, "cost must be real numbers"),
        ({"cost": [1, 2, 3]}, "a pair"),
        ({"cost": lambda size: 1 / 0}, "ZeroDivisionError"),
        ({"target": 1.5}, "target must be a score"),
        ({"at": []}, "at is empty"),
        ({"at": np.arange(1, 100)}, "at must be at most 20 sizes"),
        ({"confidence": 1}, "strictly between 0 and 1"),
        ({"confirm": -1}, "confirm must be a whole number"),
    ],
)
def test_bad_requests_are_told_in_one_line(model, wrong, words):
    with pytest.raises(RequestError) as caught:
        design_pilot(**({"model": model, "budget": 12, "at": 3600} | wrong))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"model": None, "budget": 30}, "at must give the training-set sizes"),
        ({"model": None, "budget": 2, "at": 20_000}, "a first pilot of 3 sizes"),
        ({"model": None, "budget": 30, "at": 20_000, "available": 3}, "available must be at least 8"),
        ({"model": None, "budget": 30, "at": 20_000, "sizes": [10, 20]}, "sizes must be 3 or more"),
        ({"model": LeastSquares("power_law"), "budget": 3}, "model must be an APExGP"),
        ({"model": APExGP.as_published().fit(THREE_SPLITS), "budget": 3}, "model must model individual scores"),
        ({"model": APExGP(priors="paper"), "budget": 3, "at": 99}, "model must model individual scores"),
    ],
)
def test_bad_models_and_first_pilots_are_told_in_one_line(asked, words):
    with pytest.raises(RequestError, match=words):
        design_pilot(**asked)


@pytest.mark.slow
def test_the_closed_form_ranks_as_fits_do(model):
    """A varied set of designs, all of them tried: the closed form puts them into nearly the same order."""
    question = {"at": 3600, "available": 1440, "sizes": [60, 360, 720, 1440], "n_splits": 4}
    told, tried = (design_pilot(model, 12, **question, confirm=count) for count in (0, 100))
    varied = told.designs
    assert len(varied) >= 7
    by_design = {one.design: one.risk for one in tried.designs}
    ranks = spearmanr([one.risk for one in varied], [by_design[one.design] for one in varied])
    assert ranks.statistic > 0.7  # of seven designs, two of which are hardly told apart


@pytest.mark.slow
def test_tried_designs_that_hold_others_tell_no_less(model):
    """The exact route, too, keeps the law of Bayes risks, up to what 96 data sets leave open."""
    sizes = np.array([60.0, 94, 147, 230, 360, 510, 720, 3600])
    known = from_posterior(model.posterior, sizes)
    data = imagine(known, THREE_SPLITS, 96, splits=6, ceiling=1.0, seed=5)
    steps = [((720.0,), 3), ((60.0, 720.0), 3), ((60.0, 720.0), 6), ((60.0, 360.0, 510.0, 720.0), 6)]
    grown = [Design(*step) for step in steps]
    now = expected_crps(model.forecast([3600], of="expected"))
    shares, after = models_after(grown, data, THREE_SPLITS, APExGP(), APExGP()._checked_engine())
    risks = [np.array([expected_crps(one.forecast([3600], of="expected"))[0] for one in own]) for own in after]
    assert shares.sum() == pytest.approx(1)
    assert shares @ risks[0] < now[0]
    for earlier, later in pairwise(risks):
        worse = later - earlier
        assert shares @ worse < 2 * np.sqrt(shares**2 @ (worse - shares @ worse) ** 2)


@pytest.mark.slow
def test_what_is_known_now_is_forecast_once(model, calls_of):
    forecasts = calls_of(APExGP, "forecast")
    found = design_pilot(model, 3, at=[20 * 360.0, 100 * 360.0], target=0.8, confirm=0)
    assert len(forecasts) == 1
    # The grid may go further than what was asked for, and cautions are about that.
    assert found.cautions == model.forecast([20 * 360.0, 100 * 360.0]).cautions
