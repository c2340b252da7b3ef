"""Collection plans: against the optimality condition, brute force and simulation, with known probabilities."""

import math

import numpy as np
import pytest
from scipy import optimize
from scipy.special import ndtr, ndtri

from apexgp import APExGP, CollectionPlan, Forecast, LearningCurve, LeastSquares, plan_collection
from apexgp.errors import NoForecastError, RequestError

TARGET = 0.5
START = 100


class Known:
    """A model whose requirement D* has a known distribution: a mixture of log-normals, and infinity with the rest."""

    ceiling = 1.0
    floor = 0.0
    curve_ = LearningCurve([25, 50, START], [0.3, 0.35, 0.4])

    def __init__(self, *parts):
        self.parts = parts  # (median, spread of the logarithm, weight)

    def success(self, sizes):
        logs = np.log(sizes)
        return sum(w * ndtr((logs - math.log(m)) / s) for m, s, w in self.parts)

    def forecast(self, sizes, of="expected"):
        sizes = np.atleast_1d(np.asarray(sizes, float))
        scale = 1e-3
        location = TARGET + scale * ndtri(np.clip(self.success(sizes), 1e-12, 1 - 1e-12))
        return Forecast(sizes, location[None], np.full((1, len(sizes)), scale), np.ones(1), ("made up",))

    def draw(self, count, rng):
        """Draw D*."""
        weights = [w for _, _, w in self.parts]
        which = rng.choice(len(weights) + 1, count, p=[*weights, 1 - sum(weights)])
        drawn = np.full(count, math.inf)
        for i, (median, spread, _) in enumerate(self.parts):
            own = which == i
            drawn[own] = median * np.exp(spread * rng.standard_normal(own.sum()))
        return drawn


def expected_cost(model, sizes, cost, penalty):
    """The objective of Learn-Optimize-Collect, for sizes q_0 <= ... <= q_T."""
    remaining = 1 - model.success(np.asarray(sizes, float))
    return cost * (np.diff(sizes) * remaining[:-1]).sum() + penalty * remaining[-1]


def brute_force(model, cost, penalty, rounds, start=START, tries=12):
    """The least expected cost that Nelder and Mead find from many starts."""
    rng = np.random.default_rng(1)

    def objective(logs):
        return expected_cost(model, start + np.append(0.0, np.cumsum(np.exp(logs))), cost, penalty)

    widest = math.log(penalty / cost)
    found = [
        optimize.minimize(
            objective,
            rng.uniform(0, widest, rounds),
            method="Nelder-Mead",
            options={"xatol": 1e-6, "fatol": 1e-6 * cost, "maxiter": 2000},
        ).fun
        for _ in range(tries)
    ]
    return min(*found, penalty * (1 - model.success(start)))


MODELS = {
    "certain": Known((600, 0.4, 1.0)),
    "with-an-atom": Known((800, 0.8, 0.7)),
    "two-modes": Known((250, 0.15, 0.4), (4000, 0.3, 0.5)),
    "wide": Known((3000, 2.0, 0.95)),
    "half-there": Known((100, 1.0, 0.9)),
}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param]


def test_the_contract_names_what_a_plan_holds():
    plan = plan_collection(MODELS["certain"], TARGET, cost_per_example=2, penalty=50_000, rounds=4)
    assert isinstance(plan, CollectionPlan)
    assert (plan.target, plan.cost_per_example, plan.penalty, plan.start) == (TARGET, 2, 50_000, START)
    assert len(plan.sizes) == len(plan.prob_met) == 4
    assert all(isinstance(size, int) for size in plan.sizes)
    assert plan.cautions == ("made up",)
    with pytest.raises(AttributeError):
        plan.sizes = ()


@pytest.mark.slow
def test_one_round_ends_where_another_example_costs_what_it_averts(model):
    for ratio in (3000, 20_000, 300_000):
        plan = plan_collection(model, TARGET, 3.0, 3.0 * ratio, rounds=1)
        (size,) = plan.sizes
        here = model.success(float(START))
        # c (1 - F(q_0)) = P f(q_1) lies between the neighbours, a little more than an example away.
        step = max(2, 0.004 * size)
        slope = [
            ratio * (model.success(size + d + 0.5) - model.success(size + d - 0.5)) / (1 - here) for d in (-step, step)
        ]
        assert slope[0] > 1 > slope[1]
    assert size > 1.5 * START


@pytest.mark.parametrize("failure", [0.01, 0.05, 0.1])
def test_the_penalty_of_the_paper_gives_the_quantile_of_the_paper(failure):
    # Mahmood et al. 2022: with F(q_0) = 0 and P = c / f(F^-1(1 - e)), one round collects F^-1(1 - e),
    # unless e is so large that collecting nothing is cheaper.
    median, spread, cost = 2000.0, 0.3, 5.0
    quantile = median * math.exp(spread * ndtri(1 - failure))
    density = math.exp(-0.5 * ndtri(failure) ** 2) / math.sqrt(2 * math.pi) / (spread * quantile)
    plan = plan_collection(Known((median, spread, 1.0)), TARGET, cost, cost / density, rounds=1)
    assert plan.sizes[0] == pytest.approx(quantile, rel=2e-3)
    assert plan.failure_probability == pytest.approx(failure, abs=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize("ratio", [2000, 100_000])
def test_plans_are_as_cheap_as_brute_force_finds(model, rounds, ratio):
    cost = 2.0
    plan = plan_collection(model, TARGET, cost, cost * ratio, rounds)
    least = brute_force(model, cost, cost * ratio, rounds)
    assert plan.expected_cost == pytest.approx(
        expected_cost(model, (START, *plan.sizes), cost, cost * ratio), rel=1e-6, abs=1e-6
    )
    # Whole examples may cost up to one a round more than fractions would.
    assert plan.expected_cost <= least * (1 + 1e-3) + cost * rounds
    assert plan.expected_cost >= least * (1 - 1e-3) - cost


def test_a_cliff_is_planned_for():
    # All but certain to be met at 12,345 examples and not before.
    model = Known((12_345, 1e-3, 1.0))
    for ratio in (3e4, 3e6, 3e8):
        plan = plan_collection(model, TARGET, 1.0, ratio, rounds=2)
        assert plan.failure_probability < 0.05
        assert plan.expected_cost <= 1.02 * (12_345 - START)


def test_what_is_unlikely_to_be_worth_it_is_not_collected():
    model = Known((12_345, 0.05, 1.0))
    plan = plan_collection(model, TARGET, 1.0, 9000, rounds=2)
    assert plan.sizes == (START, START)
    assert plan.expected_cost == pytest.approx(9000)


@pytest.mark.slow
def test_more_rounds_never_cost_more(rng):
    for _ in range(12):
        weights = rng.dirichlet(np.ones(3))
        model = Known(*((rng.uniform(80, 5000), rng.uniform(0.1, 1.5), w) for w in weights[:2]))
        cost = 10 ** rng.uniform(-2, 2)
        penalty = cost * 10 ** rng.uniform(2, 6)
        plans = [plan_collection(model, TARGET, cost, penalty, rounds) for rounds in (1, 2, 3, 5, 8)]
        costs = np.array([plan.expected_cost for plan in plans])
        assert (np.diff(costs) <= 1e-3 * costs[:-1] + cost).all()


def test_more_rounds_do_help_where_one_cannot_know():
    costs = [plan_collection(MODELS["two-modes"], TARGET, 2, 1e5, rounds).expected_cost for rounds in (1, 2, 3)]
    assert costs[1] < 0.97 * costs[0]
    assert costs[2] < costs[1]


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 3])
def test_the_expected_cost_is_what_collecting_costs_on_average(model, rounds, rng):
    cost, penalty, count = 2.0, 30_000.0, 100_000
    plan = plan_collection(model, TARGET, cost, penalty, rounds)
    needed = model.draw(count, rng)
    spent, at = np.zeros(count), np.full(count, float(START))
    for size in plan.sizes:
        goes_on = needed > at
        spent[goes_on] += cost * (size - at[goes_on])
        at[goes_on] = size
    failed = needed > at
    total = spent + penalty * failed
    assert plan.failure_probability == pytest.approx(failed.mean(), abs=4 * 0.5 / math.sqrt(count))
    assert plan.expected_spend == pytest.approx(spent.mean(), abs=4 * spent.std() / math.sqrt(count) + 0.05)
    assert plan.expected_cost == pytest.approx(total.mean(), abs=4 * total.std() / math.sqrt(count))
    assert plan.expected_cost == pytest.approx(plan.expected_spend + penalty * plan.failure_probability)
    assert plan.prob_met[-1] == pytest.approx(1 - plan.failure_probability)
    np.testing.assert_allclose(plan.prob_met, model.success(np.array(plan.sizes)), rtol=1e-6)


@pytest.mark.slow
def test_sizes_do_not_fall_and_begin_with_what_is_at_hand(model, rng):
    for _ in range(6):
        penalty = 10 ** rng.uniform(1, 7)
        plan = plan_collection(model, TARGET, 1.0, penalty, int(rng.integers(1, 7)))
        assert (np.diff([plan.start, *plan.sizes]) >= 0).all()
        assert (np.diff(plan.prob_met) >= 0).all()


def test_nothing_is_collected_for_a_tiny_penalty(model):
    for penalty in (1e-9, 0.5, 3.0):
        plan = plan_collection(model, TARGET, 1.0, penalty, rounds=2)
        assert plan.sizes == (START, START)
        assert plan.expected_spend == 0
        assert plan.expected_cost == pytest.approx(penalty * (1 - model.success(START)))


@pytest.mark.parametrize("start", [23_456, 54_321, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("ratio", [0.5, 3.0, 5e3])
def test_what_buys_next_to_nothing_of_what_is_at_hand_is_not_collected(start, ratio):
    plan = plan_collection(Known((2 * start, 0.5, 0.9)), TARGET, 1.0, ratio, rounds=3, start=start)
    assert plan.sizes == (start, start, start)
    assert plan.expected_spend == 0


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 3])
def test_a_larger_penalty_is_risked_less(model, rounds):
    plans = [plan_collection(model, TARGET, 1.0, penalty, rounds) for penalty in np.geomspace(10, 1e7, 15)]
    failures = [plan.failure_probability for plan in plans]
    assert (np.diff(failures) <= 2e-3).all()
    assert failures[-1] < 1 - sum(w for _, _, w in model.parts) + 0.02
    assert (np.diff([plan.expected_cost for plan in plans]) > 0).all()


def test_only_the_ratio_of_the_costs_matters(model):
    first, second = (plan_collection(model, TARGET, c, c * 5000, 3) for c in (1.0, 256.0))
    assert first.sizes == second.sizes
    assert second.expected_cost == pytest.approx(256 * first.expected_cost)


def test_start_plans_again_from_what_was_collected():
    model = MODELS["with-an-atom"]
    plan = plan_collection(model, TARGET, 2.0, 40_000, rounds=3)
    again = plan_collection(model, TARGET, 2.0, 40_000, rounds=2, start=plan.sizes[0])
    # The rest of the best plan is the best plan of the rest, given that the target is not met.
    assert again.start == plan.sizes[0]
    assert again.sizes == pytest.approx(plan.sizes[1:], rel=0.02)
    assert plan.expected_cost == pytest.approx(
        2.0 * (plan.sizes[0] - START) * (1 - model.success(START)) + again.expected_cost, rel=1e-3
    )
    small = plan_collection(model, TARGET, 2.0, 40_000, rounds=1, start=1)
    assert small.start == 1
    assert small.sizes[0] > START


SIZES = [60, 94, 147, 230, 360]
SCORES = np.array([0.66, 0.705, 0.722, 0.755, 0.768])


@pytest.mark.slow
def test_a_fitted_model_is_planned_with_by_its_probabilities():
    model = APExGP("power_law").fit(SIZES, SCORES)
    for of in ("expected", "new_splits"):
        plan = plan_collection(model, 0.8, 10, 50_000, rounds=2, of=of)
        assert plan.start == 360
        assert plan.sizes[0] > 360
        met = model.forecast(plan.sizes, of=of).prob_at_least(0.8)
        np.testing.assert_allclose(plan.prob_met, met, rtol=1e-6)

    def success(sizes):
        return model.forecast(sizes, of="expected").prob_at_least(0.8)

    plan = plan_collection(model, 0.8, 10, 50_000, rounds=2)
    model.success = success
    assert plan.expected_cost <= brute_force(model, 10, 50_000, 2, start=360, tries=3) * 1.001 + 20
    far = plan_collection(model, 0.8, 0.01, 50_000, rounds=1)
    assert "times the largest pilot size" in " ".join(far.cautions)


def test_error_rates_are_planned_like_accuracies():
    up = APExGP.as_published().fit(SIZES, SCORES)
    down = APExGP.as_published().fit(LearningCurve(SIZES, 1 - SCORES, direction="lower"))
    a, b = plan_collection(up, 0.8, 10, 50_000), plan_collection(down, 0.2, 10, 50_000)
    assert a.sizes == pytest.approx(b.sizes, rel=1e-3)
    assert a.expected_cost == pytest.approx(b.expected_cost, rel=1e-4)
    assert b.target == 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost_per_example": -1}, "cost_per_example must be above 0, got -1"),
        ({"cost_per_example": 0}, "cost_per_example must be above 0, got 0"),
        ({"cost_per_example": math.nan}, "cost_per_example must be one finite number"),
        ({"penalty": -5}, "penalty must be above 0, got -5"),
        ({"penalty": 0}, "penalty must be above 0, got 0"),
        ({"penalty": math.inf}, "penalty must be one finite number"),
        ({"rounds": 0}, "rounds must be a whole number of at least 1, got 0"),
        ({"rounds": 1.5}, "rounds must be a whole number, got 1.5"),
        ({"start": 0}, "start must be a whole number of at least 1, got 0"),
        ({"target": 0.95}, "The target 0.95 is better than 0.9"),
        ({"target": 80}, "Write 0.8 for 80 %"),
        ({"of": "all"}, "'new_splits', 'same_splits', 'expected', got 'all'"),
    ],
)
def test_bad_requests_are_explained(arguments, message):
    model = APExGP.as_published(ceiling=0.9).fit(SIZES, SCORES)
    with pytest.raises(RequestError, match=message):
        plan_collection(model, **{"target": 0.8, "cost_per_example": 1, "penalty": 1000, **arguments})


def test_a_curve_without_probabilities_cannot_plan():
    for model in (
        LeastSquares("power_law").fit(SIZES, SCORES),
        LeastSquares("piecewise_power_law").fit(SIZES[:4], SCORES[:4]),
    ):
        with pytest.raises(NoForecastError, match="predict"):
            plan_collection(model, 0.8, 1, 1000)
    assert plan_collection(LeastSquares("piecewise_power_law").fit(SIZES, SCORES), 0.78, 1, 10_000).sizes[0] > 360


@pytest.mark.parametrize("model", [APExGP(), LearningCurve([60, 120, 240], [0.7, 0.75, 0.8])])
def test_a_plan_wants_a_fitted_model(model):
    with pytest.raises(RequestError, match="Expected a fitted model that forecasts, got"):
        plan_collection(model, 0.9, 1, 1000)


def test_one_round_costs_what_drawn_curves_cost():
    """With a real posterior: pay for the round unless the curve is there already, and the penalty if it is not then."""
    sizes = np.array([60, 94, 147, 230, 360])
    model = APExGP("power_law").fit(sizes, 0.85 - 1.2 * sizes**-0.5 + 0.004 * np.sin(sizes))
    plan = plan_collection(model, 0.8, 3, 20_000, rounds=1)
    start, end = model.sample_curves(40_000, [plan.start, *plan.sizes], seed=1).T
    # As in the plan, a curve that was there is there for good.
    cost = 3 * (plan.sizes[0] - plan.start) * (start < 0.8) + 20_000 * (end < 0.8)
    assert plan.expected_cost == pytest.approx(cost.mean(), abs=4 * cost.std() / 200)


def test_no_size_of_a_plan_is_asked_for_twice(calls_of):
    calls = calls_of(Known, "forecast")
    plan = plan_collection(MODELS["wide"], TARGET, 1.0, 9000, rounds=2)
    assert plan.cautions == ("made up",)
    ended = [sizes.tolist() for _, sizes in calls if len(sizes) == 3]
    assert ended == [[START, *plan.sizes]]
