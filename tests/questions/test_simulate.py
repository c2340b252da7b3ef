"""Collections replayed on known curves: what is needed, what is collected, and the correction that makes up for it."""

import math

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares, simulate_collection
from apexgp.errors import DataError, RequestError
from apexgp.simulation import CollectionRun, true_requirement, tune_correction

SIZES = np.geomspace(50, 20_000, 40)


def power_law(limit=0.9, drop=1.5, power=0.5, sizes=SIZES, **about):
    return LearningCurve(sizes, limit - drop * sizes**-power, **about)


def late_bloomer():
    """A curve whose gains shrink faster with size than its beginning lets one think."""
    u = np.log(SIZES / 50)
    return LearningCurve(SIZES, 0.6 + 0.25 * (1 - np.exp(-0.55 * u)) - 0.004 * u)


def test_the_requirement_is_read_off_the_curve():
    curve = LearningCurve([100, 200, 400, 800], [0.6, 0.7, 0.8, 0.84])
    assert true_requirement(curve, 0.7) == pytest.approx(200)
    assert true_requirement(curve, 0.75) == pytest.approx(math.sqrt(200 * 400))
    assert true_requirement(curve, 0.81) == pytest.approx(400 * 2**0.25)
    assert true_requirement(curve, 0.84) == pytest.approx(800)
    assert true_requirement(curve, 0.841) == math.inf
    assert true_requirement(curve, 0.5) == 100
    errors = LearningCurve([100, 200, 400, 800], [0.4, 0.3, 0.2, 0.16], direction="lower")
    assert true_requirement(errors, 0.25) == pytest.approx(math.sqrt(200 * 400))
    assert true_requirement(errors, 0.1) == math.inf


def test_dips_are_evened_out_and_replicates_averaged():
    # Isotonic: 0.7 and 0.66 pool to 0.68, weighted by their counts.
    dip = LearningCurve([100, 200, 400, 800], [0.6, 0.7, 0.66, 0.8])
    assert true_requirement(dip, 0.68 - 1e-9) == pytest.approx(200)
    assert true_requirement(dip, 0.74) == pytest.approx(400 * 2**0.5)
    weighted = LearningCurve([100, 200, 200, 200, 400, 800], [0.6, 0.69, 0.7, 0.71, 0.66, 0.8])
    assert true_requirement(weighted, 0.69 - 1e-9) == pytest.approx(200)
    assert true_requirement(weighted, 0.695) > 400
    noisy = LearningCurve([100, 200, 400], [[0.5, 0.7], [0.6, 0.8], [0.7, 0.9]])
    assert true_requirement(noisy, 0.75) == pytest.approx(math.sqrt(200 * 400))


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_perfect_method_collects_what_is_needed_in_one_round(direction):
    curve = power_law()
    target, aim = 0.88, 0.88
    if direction == "lower":
        curve, aim = LearningCurve(SIZES, 1 - curve.scores, direction="lower"), 0.12
    run = simulate_collection(curve, aim, LeastSquares("power_law"), pilot=15)
    assert isinstance(run, CollectionRun)
    exact = (1.5 / (0.9 - target)) ** 2
    assert run.needed == pytest.approx(exact, rel=0.01)
    assert run.start == SIZES[14]
    assert run.target == aim
    assert run.sizes[0] == pytest.approx(exact, rel=0.01)
    assert run.sizes[-1] == pytest.approx(exact, rel=0.01)
    assert abs(run.cost_ratio) < 0.015


def test_the_cost_ratio_compares_what_was_collected_with_what_was_needed():
    assert CollectionRun(0.9, 100.0, 300.0, (200.0, 400.0), True).cost_ratio == pytest.approx(0.5)
    assert CollectionRun(0.9, 100.0, 300.0, (200.0,), False).cost_ratio == pytest.approx(-0.5)
    assert CollectionRun(0.9, 100.0, 300.0, (), False).cost_ratio == -1
    assert CollectionRun(0.9, 100.0, 300.0, (300.0,), True).cost_ratio == 0


def test_rounds_stop_once_the_target_is_met():
    run = simulate_collection(power_law(), 0.88, LeastSquares("power_law"), pilot=15, rounds=5, correction=0.005)
    assert run.met
    assert len(run.sizes) == 1
    assert run.sizes[0] == pytest.approx((1.5 / (0.9 - 0.885)) ** 2, rel=0.01)
    assert run.cost_ratio > 0.5
    # Where the method is too hopeful, it goes on for as long as it may.
    short, long = (
        simulate_collection(late_bloomer(), 0.815, LeastSquares("power_law"), 8, rounds) for rounds in (1, 5)
    )
    assert not short.met
    assert short.cost_ratio < 0
    assert len(long.sizes) > 1
    assert long.sizes[0] == short.sizes[0]
    assert all(size < long.needed for size in long.sizes[:-1])
    assert list(long.sizes) == sorted(set(long.sizes))


def test_nothing_is_collected_beyond_the_end_of_the_curve():
    run = simulate_collection(power_law(), 0.888, LeastSquares("power_law"), pilot=15, correction=0.01)
    assert run.sizes == (SIZES[-1],)
    assert run.met
    never = simulate_collection(
        power_law(), 0.888, LeastSquares("power_law"), pilot=15, correction=0.1
    )  # beyond the limit
    assert never.sizes == (SIZES[-1],)


@pytest.mark.slow
def test_a_method_that_forecasts_plans():
    curve, model = power_law(), APExGP("power_law", noise=1e-3)
    run = simulate_collection(curve, 0.87, model, pilot=12, rounds=3)
    assert run.met
    assert run.sizes[0] > run.start
    assert 0 <= run.cost_ratio < 3
    assert not hasattr(model, "curve_")
    # For a penalty that is not worth an example, nothing is collected.
    idle = simulate_collection(curve, 0.87, model, pilot=12, rounds=3, penalty=1.0)
    assert (idle.sizes, idle.met, idle.cost_ratio) == ((), False, -1)
    dear = simulate_collection(curve, 0.87, model, pilot=12, rounds=1, cost_per_example=1000.0)
    cheap = simulate_collection(curve, 0.87, model, pilot=12, rounds=1, cost_per_example=1.0)
    assert (dear.sizes or (dear.start,))[0] < cheap.sizes[0]


def test_each_split_is_measured_on_its_own_curve():
    import apexgp.questions.plan.simulation as engine

    sizes = np.array([50.0, 100, 200, 400, 800, 1600])
    truth = 0.85 - 1.5 * sizes**-0.5
    curve = LearningCurve(sizes, truth[:, None] + [-0.02, 0.0, 0.02], metric="auroc", task="lung")
    seen = engine._measure_at(curve, np.array([50.0, 100, 200, 300]))
    assert (seen.metric, seen.task) == ("auroc", "lung")
    assert len(seen) == 12
    halfway = np.interp(math.log(300), np.log([200, 400]), truth[2:4])
    for label, shift in enumerate((-0.02, 0.0, 0.02)):
        own = seen.scores[seen.split == label]
        np.testing.assert_allclose(own, [*(truth[:3] + shift), halfway + shift])
    plain = engine._measure_at(LearningCurve(sizes, truth), np.array([50.0, 300]))
    np.testing.assert_allclose(plain.scores, [truth[0], halfway])


def test_another_curve_may_tell_the_truth():
    curve, harder = power_law(), power_law(limit=0.89)
    run = simulate_collection(curve, 0.87, LeastSquares("power_law"), pilot=15, truth=harder)
    assert run.needed == pytest.approx((1.5 / 0.02) ** 2, rel=0.01)
    assert not run.met  # the method sees a curve that is there already


def test_a_perfect_method_needs_no_correction():
    # Targets that sizes of the curve just meet, so that no interpolation stands between the method and the truth.
    earlier = [(power_law(limit), limit - 1.5 * SIZES[k] ** -0.5 - 1e-9) for limit, k in ((0.9, 25), (0.8, 30))]
    assert tune_correction(earlier, LeastSquares("power_law"), pilot=15) == 0.0


def test_a_hopeful_method_is_corrected_until_every_run_succeeds():
    earlier = [(late_bloomer(), 0.81), (late_bloomer(), 0.815), (late_bloomer(), 0.805)]
    rounds = 1

    def met(correction):
        runs = [
            simulate_collection(c, t, LeastSquares("power_law"), 8, rounds, correction=correction) for c, t in earlier
        ]
        return all(run.met for run in runs)

    found = tune_correction(earlier, LeastSquares("power_law"), 8, rounds, step=0.002)
    assert 0 < found < 0.3
    assert met(found)
    assert not met(found - 0.002)
    assert round(found / 0.002) == pytest.approx(found / 0.002)
    assert tune_correction(earlier, LeastSquares("power_law"), 8, rounds, step=0.002, largest=found / 2) == found / 2


def test_bad_requests_are_explained():
    curve = power_law(sizes=SIZES[:10])
    with pytest.raises(RequestError, match=r"must be reached after the pilot \(.*\) and by the end"):
        simulate_collection(curve, 0.89, LeastSquares("power_law"), pilot=5)
    with pytest.raises(RequestError, match="must be reached after the pilot"):
        simulate_collection(curve, 0.7, LeastSquares("power_law"), pilot=5)
    with pytest.raises(DataError, match="The curve has 10 sizes: with 10 in the pilot, none is left"):
        simulate_collection(curve, 0.82, LeastSquares("power_law"), pilot=10)
    with pytest.raises(RequestError, match="pilot must be a whole number of at least 1"):
        simulate_collection(curve, 0.82, LeastSquares("power_law"), pilot=0)
    with pytest.raises(RequestError, match="rounds must be a whole number"):
        simulate_collection(curve, 0.82, LeastSquares("power_law"), pilot=5, rounds=0)
    with pytest.raises(RequestError, match=r"Write 0\.82 for 82 %"):
        true_requirement(curve, 82)
    with pytest.raises(DataError, match="no earlier curve"):
        tune_correction([], LeastSquares("power_law"), pilot=5)
    with pytest.raises(RequestError, match="step must be above 0"):
        tune_correction([(curve, 0.82)], LeastSquares("power_law"), pilot=5, step=0)


def test_a_method_of_ones_own_sees_what_was_measured_and_the_rounds_left():
    seen = []

    def doubling(measured, left):
        seen.append((measured.sizes.max(), left))
        return 2 * measured.sizes.max()

    curve = power_law()
    run = simulate_collection(curve, 0.885, doubling, pilot=15, rounds=3)
    assert [left for _, left in seen] == [3, 2, 1][: len(seen)]
    assert [size for size, _ in seen] == [run.start, *run.sizes[:-1]]
    assert run.sizes[0] == 2 * run.start
