"""Which of several models will be best: symmetry, what pairing brings, changes of lead, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, Comparison, LearningCurve, LeastSquares, compare_models
from apexgp.errors import DataError, RequestError
from apexgp.typing import PairComparison

pytestmark = pytest.mark.slow

SIZES = np.array([60.0, 94, 147, 230, 360])
MODEL = APExGP("power_law")


def pair_of_curves(rng, gap, rho=0.95, splits=6, noise=0.02, **about):
    """Two models on the same splits whose noise is correlated, the first better by `gap` at every size."""
    z = rng.standard_normal((2, splits, len(SIZES))) + rng.standard_normal((2, splits, 1))
    z[1] = rho * z[0] + np.sqrt(1 - rho**2) * z[1]
    truth = 0.88 - 1.6 * SIZES**-0.5
    return [LearningCurve(SIZES, (truth + g + noise * z[i]).T, **about) for i, g in enumerate((gap, 0.0))]


def relabelled(curve):
    """The same scores, said to be of other splits."""
    return LearningCurve(curve.sizes, curve.scores, [f"other {label}" for label in curve.split])


def compared(a, b, sizes=(360, 1000), model=MODEL):
    (pair,) = compare_models({"a": a, "b": b}, list(sizes), model).pairs
    return pair


def test_the_contract_names_what_a_comparison_holds(rng):
    first, second = pair_of_curves(rng, 0.02)
    third = relabelled(first)
    found = compare_models({"x": first, "y": second, "z": third}, [360, 2000], MODEL)
    assert isinstance(found, Comparison)
    assert [(p.first, p.second) for p in found.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert list(found.models) == ["x", "y", "z"]
    assert [p.shared_splits for p in found.pairs] == [6, 0, 0]
    assert [p.correlation for p in found.pairs][1:] == [0.0, 0.0]
    for pair in found.pairs:
        assert isinstance(pair, PairComparison)
        np.testing.assert_array_equal(pair.sizes, [360, 2000])
        assert pair.prob_first_better.shape == pair.difference.shape == (2,)
        assert ((pair.prob_first_better >= 0) & (pair.prob_first_better <= 1)).all()
    alone = MODEL.fit(first).forecast([360, 2000], of="expected").mean
    np.testing.assert_allclose(found.models["x"].forecast([360, 2000], of="expected").mean, alone)
    # Unpaired, the difference is that of the two forecasts, but for the cut to [0, 1].
    other = found.models["y"].forecast([360, 2000], of="expected").mean
    np.testing.assert_allclose(found.pairs[2].difference, other - alone, atol=2e-3)


def test_equal_curves_are_equally_good(rng):
    curve, _ = pair_of_curves(rng, 0.0)
    for twin in (curve, relabelled(curve)):
        pair = compared(curve, twin, [60, 360, 1000, 10_000])
        np.testing.assert_array_equal(pair.prob_first_better, 0.5)
        np.testing.assert_array_equal(pair.difference, 0.0)
        assert pair.lead_changes == pair.leaders == ()


@pytest.mark.parametrize("shared", [True, False])
def test_the_other_way_round_it_is_the_other_probability(rng, shared):
    first, second = pair_of_curves(rng, 0.008)
    if not shared:
        second = relabelled(second)
    there, back = compared(first, second), compared(second, first)
    np.testing.assert_array_equal(there.prob_first_better + back.prob_first_better, 1.0)  # to the last digit
    np.testing.assert_array_equal(back.difference, -there.difference)
    assert back.correlation == there.correlation
    assert set(back.leaders) == {{"a": "b", "b": "a"}[name] for name in there.leaders}


def test_pairing_tells_models_apart_that_look_alike_alone(rng):
    paired, unpaired = [], []
    for _ in range(15):
        gap = rng.choice([-1, 1]) * 0.008
        first, second = pair_of_curves(rng, gap)
        for scores, other in ((paired, second), (unpaired, relabelled(second))):
            chance = compared(first, other, [360]).prob_first_better[0]
            scores.append(np.log(chance if gap > 0 else 1 - chance))
    assert np.mean(paired) > np.mean(unpaired) + 0.05
    assert np.mean(paired) > np.log(0.6)


def test_the_correlation_is_that_of_the_noise(rng):
    first, second = pair_of_curves(rng, 0.01, rho=0.8, splits=60)
    assert compared(first, second).correlation == pytest.approx(0.8, abs=0.06)
    first, second = pair_of_curves(rng, 0.01, rho=0.0, splits=60)
    assert compared(first, second).correlation == pytest.approx(0.0, abs=0.15)


def test_curves_of_other_sizes_are_paired_where_they_meet(rng):
    first, second = pair_of_curves(rng, 0.01, splits=12)
    short = LearningCurve(*(values[second.sizes > 60] for values in (second.sizes, second.scores, second.split)))
    pair, whole = compared(first, short), compared(first, second)
    assert pair.shared_splits == 12
    assert pair.correlation == pytest.approx(whole.correlation, abs=0.1)
    apart = LearningCurve(SIZES + 1, second.scores.reshape(5, -1))
    assert (compared(first, apart).shared_splits, compared(first, apart).correlation) == (0, 0.0)


def test_splits_that_only_one_model_has_do_not_pair(rng):
    first, second = pair_of_curves(rng, 0.01, splits=12)
    labels = np.array([label if int(label) < 8 else f"own {label}" for label in second.split], dtype=object)
    some = LearningCurve(second.sizes, second.scores, labels)
    some_pair, all_pair, none_pair = (compared(first, c) for c in (some, second, relabelled(second)))
    assert (some_pair.shared_splits, all_pair.shared_splits, none_pair.shared_splits) == (8, 12, 0)
    # What is known of the difference lies between knowing all pairs and none.
    sure = [abs(p.prob_first_better[0] - 0.5) for p in (none_pair, some_pair, all_pair)]
    assert sure[0] < sure[1] < sure[2]
    missing = LearningCurve(*(values[1:] for values in (second.sizes, second.scores, second.split)))
    assert compared(first, missing).shared_splits == 11


def test_what_was_taken_for_granted_is_said():
    sizes, scores = [60, 94, 147, 230, 360], np.array([0.66, 0.70, 0.72, 0.75, 0.76])
    two = scores[:, None] + [0.0, 0.01]
    named = LearningCurve(sizes, two, metric="auroc")
    found = compare_models({"a": named, "b": LearningCurve(sizes, two)}, [360], MODEL)
    assert found.unnamed == ("b",)
    assert found.notes == (
        "b does not name its metric; AUROC was assumed, as the others name it.",
        "Scores on the 2 splits that the models share were paired.",
    )
    assert all(note in str(found) for note in found.notes)
    alone = LearningCurve(sizes, scores, metric="auroc")
    assert compare_models({"a": named, "b": alone}, [360], MODEL).notes == (
        "No scores were paired: the models share no labelled splits.",
    )


def test_curves_without_labels_are_compared_unpaired(rng):
    first, second = (LearningCurve(c.sizes, c.scores) for c in pair_of_curves(rng, 0.02))
    pair = compared(first, second)
    assert (pair.shared_splits, pair.correlation) == (0, 0.0)
    assert 0.5 < pair.prob_first_better[0] < 1


def exact(sizes, limit, drop, **about):
    return LearningCurve(sizes, np.repeat((limit - drop * sizes**-0.5)[:, None], 3, axis=1), **about)


def test_the_lead_changes_where_two_power_laws_meet():
    sizes = np.geomspace(30, 400, 8)
    fast, slow = exact(sizes, 0.86, 0.8), exact(sizes, 0.90, 1.8)  # equal where 0.04 = n^-0.5
    pair = compared(fast, slow, [100, 4000])
    (change,) = pair.lead_changes
    assert change.size == pytest.approx(625, rel=0.03)
    assert (change.before, change.after, pair.leaders) == ("a", "b", ("a", "b"))
    assert change.prob_before == pair.grid_prob.max()
    assert change.prob_after == 1 - pair.grid_prob.min()
    assert pair.prob_first_better[0] > 0.999
    assert pair.prob_first_better[1] < 0.05
    np.testing.assert_allclose(pair.difference, [0.06, -0.04 + 4000**-0.5], atol=2e-3)
    (back,) = compared(slow, fast, [100, 4000]).lead_changes
    assert (back.size, back.before, back.after) == (pytest.approx(change.size), "b", "a")
    assert compared(fast, slow, [100, 500]).lead_changes == ()
    (within,) = compared(exact(sizes, 0.84, 0.8), exact(sizes, 0.92, 1.8), [400]).lead_changes  # 0.08 = n^-0.5
    assert within.size == pytest.approx(156.25, rel=0.03)
    never = compared(exact(sizes, 0.9, 0.8), exact(sizes, 0.85, 1.0), [400, 4000])
    assert (never.lead_changes, never.leaders) == ((), ("a",))


def test_the_grid_holds_the_sizes_that_were_asked_for(rng):
    pair = compared(*pair_of_curves(rng, 0.01), [360, 1000, 77])
    at = np.searchsorted(pair.grid, [360, 1000, 77])
    np.testing.assert_array_equal(pair.grid[at], [360, 1000, 77])
    np.testing.assert_array_equal(pair.grid_prob[at], pair.prob_first_better)


def test_error_rates_are_compared_the_right_way_round(rng):
    first, second = pair_of_curves(rng, 0.01)
    up = compared(first, second)
    errors = [LearningCurve(c.sizes, 1 - c.scores, c.split, direction="lower") for c in (first, second)]
    down = compared(*errors)
    np.testing.assert_allclose(down.prob_first_better, up.prob_first_better, atol=1e-6)
    np.testing.assert_allclose(down.difference, -up.difference, atol=1e-9)
    assert up.difference[0] > 0
    assert down.correlation == pytest.approx(up.correlation)


def test_settings_apply_to_every_curve(rng):
    curves = dict(zip("ab", pair_of_curves(rng, 0.01), strict=True))
    settings = APExGP("power_law", ceiling=0.95, floor=0.2, seed=4)
    found = compare_models(curves, [720], settings)
    for model in found.models.values():
        assert model is not settings
        assert model.get_params() == settings.get_params()
    assert not hasattr(settings, "curve_")
    assert compare_models(curves, [720]).models["a"].mean == "burr"


def test_bad_requests_are_explained(rng):
    first, second = pair_of_curves(rng, 0.01)
    both = {"a": first, "b": second}
    for curves in ({"a": first}, {}, [first, second]):
        with pytest.raises(RequestError, match="mapping from the names of two or more models"):
            compare_models(curves, [720], MODEL)
    for model in (APExGP.as_published(), LeastSquares("power_law"), "apexgp"):
        with pytest.raises(RequestError, match="inference='bayes'"):
            compare_models(both, [720], model)
    with pytest.raises(DataError, match="The curve of 'b' must be a LearningCurve, got list"):
        compare_models({"a": first, "b": [0.7, 0.8]}, [720], MODEL)
    first = replace(first, metric="auroc")
    for other, message in (
        ({"metric": "accuracy"}, r"compared by the same metric, got AUROC \(a\), accuracy \(b\)\."),
        (
            {"direction": "lower"},
            r"the same direction being better, got higher is better \(a\), lower is better \(b\)\.",
        ),
        ({"unit": "groups"}, r"sizes in the same unit, got examples \(a\), groups \(b\)\."),
    ):
        with pytest.raises(DataError, match=message):
            compare_models({"a": first, "b": replace(second, **other)}, [720], MODEL)
    with pytest.raises(RequestError, match="at least 1, got 0"):
        compare_models(both, [0], MODEL)


def test_one_metric_by_two_names_or_left_unnamed_is_one_metric(rng):
    unnamed, other = pair_of_curves(rng, 0.01)
    first, second = replace(unnamed, metric="AUC"), replace(other, metric="roc_auc")
    for curves in ({"a": first, "b": second}, {"a": unnamed, "b": second}):
        found = compare_models(curves, [720], MODEL)
        assert {model.curve_.metric_name for model in found.models.values()} == {"AUROC"}


def test_a_split_effect_that_both_share_does_not_blur_the_difference(rng):
    """Luck of the split in common, own noise small."""
    truth = 0.88 - 1.6 * SIZES**-0.5
    luck = 0.015 * rng.standard_normal(6)
    first, second = (
        LearningCurve(SIZES, (truth + gap)[:, None] + luck + 0.003 * rng.standard_normal((len(SIZES), 6)))
        for gap in (0.01, 0.0)
    )
    pair = compared(first, second, [360])
    assert pair.correlation > 0.7
    unpaired = compared(first, relabelled(second), [360])
    assert pair.prob_first_better[0] > 0.9 > unpaired.prob_first_better[0] + 0.1


def test_cautions_of_a_comparison_take_no_forecast(rng, calls_of):
    forecasts = calls_of(APExGP, "forecast")
    found = compare_models(dict(zip("ab", pair_of_curves(rng, 0.02), strict=True)), [360, 100_000], MODEL)
    assert not forecasts
    assert any("times the largest pilot size" in caution for caution in found.pairs[0].cautions)
