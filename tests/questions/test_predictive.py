"""Predictive checks: passed by what the model itself draws, failed by what it has no room for."""

import re

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, PredictiveCheck, predictive_check
from apexgp.errors import RequestError
from apexgp.estimators import fit_together
from apexgp.questions.check.predictive import Discrepancy, _draw_pilots, _Pilot

SIZES = np.array([60.0, 94, 147, 230, 360])
RISE = 0.9 - 0.6 * SIZES**-0.3


def curve(table, **about):
    return LearningCurve(SIZES, np.clip(table, 0, 1), **about)


def ordinary(splits=3, seed=0):
    rng = np.random.default_rng(seed)
    return RISE[:, None] + rng.normal(0, 0.02, splits) + rng.normal(0, 0.01, (5, splits))


def falling():
    return ordinary()[::-1]


def scattered():
    """Ten times the scatter at one size."""
    table = ordinary(5)
    table[2] = table[2].mean() + 10 * 0.01 * np.array([-1.2, 0.8, 0.1, -0.6, 0.9])
    return table


def reversed_splits():
    """The split that is best with little data is worst with much."""
    rng = np.random.default_rng(3)
    return RISE[:, None] + 0.03 * np.linspace(1, -1, 5)[:, None] * np.linspace(-1, 1, 5) + rng.normal(0, 0.003, (5, 5))


def tails(table, **about):
    found = predictive_check(APExGP().fit(curve(table, **about)))
    return {check.name: check.tail_probability for check in found.checks}, found


def test_an_ordinary_pilot_passes():
    by_name, found = tails(ordinary())
    assert isinstance(found, PredictiveCheck)
    assert list(by_name) == ["level", "slope", "scatter", "split effect"]
    assert found.failed == ()
    assert found.cautions == ()
    assert ((found.lower < found.measured) & (found.measured < found.upper)).all()


def test_only_the_forecast_says_how_many_times_the_usual_an_odd_size_scatters(run, tmp_path):
    table = [(size, split, scattered()[i, split]) for i, size in enumerate(SIZES) for split in range(5)]
    rows = [f"{size:.0f},{score:.4f},{split}" for size, split, score in table]
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["size,AUROC,split", *rows]))
    (_, *forecast), (_, *check) = (run(command, path) for command in ("forecast", "check"))
    (told,) = re.findall(r"At 147 examples the splits differ (\S+) times as much", " ".join(forecast))
    spread = np.round(scattered(), 4).std(axis=1, ddof=1)
    assert float(told) == pytest.approx(spread.max() / np.median(spread), rel=0.05)
    # The statistic of the check is another one: it is no multiple of what is usual.
    assert "The scores at size 147 scatter more than noise explains" in " ".join(check)
    assert "times as much" not in " ".join(check)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "broken", "said"),
    [
        (falling, "slope", "does not improve with size as curves do"),
        (scattered, "scatter", "The scores at size 147 scatter"),
        (reversed_splits, "split effect", "unlucky at others"),
    ],
)
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_a_pilot_that_breaks_the_model_fails_loudly(made, broken, said, direction):
    table = made()
    by_name, found = tails(table if direction == "higher" else 1 - table, direction=direction)
    assert by_name.pop(broken) < 0.01
    assert [check.name for check in found.failed] == [broken]
    assert min(by_name.values()) > 0.05
    assert any(said in caution for caution in found.cautions)


@pytest.fixture(scope="module")
def drawn():
    """Tail probabilities of pilots that a fitted model draws itself, each fitted anew."""
    model = APExGP().fit(curve(ordinary()))
    pilot = _Pilot.of(model.curve_, only_means=False)
    draws = np.concatenate(list(_draw_pilots(model.posterior, pilot, 80, np.random.default_rng(5))), axis=1)
    curves = [LearningCurve(model.curve_.sizes, scores, model.curve_.split) for scores in draws.T]
    checks = [predictive_check(one, draws=400).checks for one in fit_together(APExGP(), curves)]
    return {
        name: np.array([check.prob_larger for by_pilot in checks for check in by_pilot if check.name == name])
        for name in ("level", "slope", "scatter", "split effect")
    }


@pytest.mark.slow
def test_what_the_model_draws_seldom_fails_and_leans_to_no_side(drawn):
    for name, above in drawn.items():
        assert len(above) == 80
        assert abs(above.mean() - 0.5) < 0.12, name
        assert (np.minimum(above, 1 - above) < 0.025).mean() < 0.12, name


@pytest.mark.slow
def test_the_scatters_tail_probability_is_uniform_where_the_model_holds(drawn):
    """No parameter is fitted to it: Kolmogorov's distance, which exceeds 1.63 / sqrt(80) once in a hundred times."""
    ranked = np.sort(drawn["scatter"])
    assert np.abs(ranked - (np.arange(80) + 0.5) / 80).max() < 1.63 / np.sqrt(80)


def test_the_same_seed_gives_the_same_numbers():
    model = APExGP().fit(curve(ordinary()))
    one, two, other = (predictive_check(model, seed=seed).to_dict() for seed in (1, 1, 2))
    assert one == two != other
    assert np.allclose(one["tail_probability"], other["tail_probability"], atol=0.05)


def test_draws_follow_the_noise_and_the_curve_of_the_posterior():
    """By another route: the moments of curve, split effects and noise at the nodes."""
    model = APExGP().fit(curve(ordinary()))
    posterior, pilot = model.posterior, _Pilot.of(model.curve_, only_means=False)
    scores = np.concatenate(list(_draw_pilots(posterior, pilot, 40_000, np.random.default_rng(1))), axis=1)
    (own,) = posterior.posteriors
    at = SIZES[:, None]
    single, carried = own.density.noise(own.nodes.parameters, at, at)
    mean = own.curve(at)
    expected = mean @ own.weights
    variance = (single + carried**2 + (mean - expected[:, None]) ** 2) @ own.weights
    np.testing.assert_allclose(scores[pilot.size_of == 2].mean(), expected[2], atol=0.003)
    np.testing.assert_allclose(scores[pilot.size_of == 2].var(), variance[2], rtol=0.15)


@pytest.mark.slow
def test_pilots_without_splits_are_checked_as_far_as_they_go():
    found = predictive_check(APExGP().fit(SIZES, RISE))
    assert [check.name for check in found.checks] == ["level", "slope", "scatter"]
    assert found.absent == {"split effect": "fewer than two splits are labelled."}
    assert found.scatter_at is None
    flat = predictive_check(APExGP().fit(curve(np.full((5, 3), 0.8))))
    assert [check.name for check in flat.checks] == ["level", "slope"]
    assert set(flat.absent) == {"scatter", "split effect"}
    unlabelled = LearningCurve(np.repeat(SIZES, 3), ordinary().ravel())
    assert [check.name for check in predictive_check(APExGP().fit(unlabelled)).checks] == ["level", "slope", "scatter"]
    paper = predictive_check(APExGP(priors="paper").fit(curve(ordinary())))
    assert [check.name for check in paper.checks] == ["level", "slope", "scatter"]


def test_means_over_runs_scatter_less():
    rng = np.random.default_rng(2)
    scores = RISE + rng.normal(0, 0.002, 5)
    known = LearningCurve(SIZES, scores, averaged_over=25, score_sd=np.full(5, 0.01))
    wide = predictive_check(APExGP().fit(LearningCurve(SIZES, scores)))
    narrow = predictive_check(APExGP().fit(known))
    assert ((narrow.upper - narrow.lower) < (wide.upper - wide.lower)).all()


def test_bad_requests_are_refused_by_name():
    model = APExGP().fit(SIZES, RISE)
    for settings, argument in (({"draws": 5}, "draws"), ({"seed": -1}, "seed")):
        with pytest.raises(RequestError) as refused:
            predictive_check(model, **settings)
        assert refused.value.argument == argument
    with pytest.raises(RequestError, match="model must be a fitted APExGP"):
        predictive_check(None)
    with pytest.raises(RequestError, match="inference='bayes'"):
        predictive_check(APExGP.as_published().fit(SIZES, RISE))


def test_a_tail_probability_agrees_with_its_verdict_as_printed():
    for tail, said in ((0.0464, "under 5 %"), (0.0499, "under 5 %"), (0.05, "5 %"), (0.031, "3 %"), (0.4, "40 %")):
        check = Discrepancy("slope", 0.1, 0.2, 0.1, 0.3, 0.9, tail)
        assert (check.fails, check.tail_words) == (tail < 0.05, said)
