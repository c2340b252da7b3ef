"""Pilots of one size or two: the same laws as for longer ones, and every question is answered or says what it needs."""

import json

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, forecast_many, predictive_check, simulate_collection
from apexgp.design.designs import choose_candidate_sizes
from apexgp.errors import DataError

PILOTS = {
    "one score": LearningCurve([200], [0.78]),
    "one size": LearningCurve([200], [[0.78, 0.75, 0.80]]),
    "two scores": LearningCurve([100, 200], [0.74, 0.78]),
    "two sizes": LearningCurve([100, 200], [[0.72, 0.73, 0.745], [0.78, 0.75, 0.80]]),
}
AT = [400, 2000, 10_000]

pytestmark = pytest.mark.parametrize("name", PILOTS)


def forecast(curve, **settings):
    return APExGP(**settings).fit(curve).forecast(AT).quantile([0.025, 0.5, 0.975])


def test_the_order_of_rows_and_the_names_of_splits_do_not_matter(name):
    pilot = PILOTS[name]
    order = np.random.default_rng(0).permutation(len(pilot))
    names = None if pilot.split is None else np.array(["c", "a", "b"])[pilot.split][order]
    shuffled = LearningCurve(pilot.sizes[order], pilot.scores[order], names)
    np.testing.assert_array_equal(forecast(shuffled), forecast(pilot))


def test_the_same_seed_gives_the_same_numbers_and_another_nearly_the_same(name):
    first, again, other = (forecast(PILOTS[name], seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, other, atol=0.03)


def test_an_error_rate_is_forecast_as_its_accuracy(name):
    pilot = PILOTS[name]
    errors = LearningCurve(pilot.sizes, 1 - pilot.scores, pilot.split, metric="error rate")
    accuracy = LearningCurve(pilot.sizes, pilot.scores, pilot.split, metric="accuracy")
    np.testing.assert_allclose(1 - forecast(errors)[::-1], forecast(accuracy), atol=1e-6)


def test_in_a_batch_it_is_forecast_as_alone_and_a_bad_curve_spoils_no_other(name):
    pilots = {
        "bad": LearningCurve([200], [0.99]),
        "few": PILOTS[name],
        "long": LearningCurve([60, 90, 140], [0.6, 0.65, 0.7]),
    }
    bad, few, long = forecast_many(pilots, AT, APExGP(ceiling=0.9))
    assert "ceiling is 0.9" in bad.error
    assert (few.error, long.error) == (None, None)
    np.testing.assert_allclose(few.mean, APExGP(ceiling=0.9).fit(PILOTS[name]).forecast(AT).mean, atol=1e-9)


def test_a_check_says_what_takes_more_sizes(name):
    pilot = PILOTS[name]
    found = predictive_check(APExGP().fit(pilot), draws=500)
    sizes = len(pilot.replicates.sizes)
    assert [check.name for check in found.checks if check.name != "split effect"] == ["level", "slope"][:sizes]
    assert "3 or more different sizes" in found.absent["scatter"]
    assert ("slope" in found.absent) == (sizes == 1)
    assert np.isfinite([check.measured for check in found.checks]).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        ["forecast", "--target", "0.85"],
        ["plan", "--target", "0.85", "--cost", "1", "--penalty", "5000"],
        ["design", "--budget", "4"],
        ["check"],
        ["sensitivity"],
    ],
    ids=lambda asked: asked[0],
)
def test_every_question_is_answered_in_numbers_and_words(name, asked, run, tmp_path):
    PILOTS[name].to_csv(tmp_path / "pilot.csv")
    command, *options = asked
    code, out, _ = run(command, tmp_path / "pilot.csv", *options, "--json")
    document = json.loads(out)
    assert code == 0
    assert "NaN" not in out
    for word in ("nan", "1 different sizes", "1 sizes", "1 scores", "only 1 times"):
        assert word not in document["sentence"].split()
        assert word not in " ".join(document["cautions"])
    if command != "check":
        few = "One size shows no trend" if name.startswith("one") else "Two sizes show"
        assert sum(few in caution for caution in document["cautions"]) == 1


@pytest.mark.slow
def test_what_needs_more_sizes_says_how_many(name, run, tmp_path):
    PILOTS[name].to_csv(tmp_path / "pilot.csv")
    code, _, err = run("backtest", tmp_path / "pilot.csv")
    assert code == 1
    assert "holding out 1 and keeping 3 to fit takes 4" in err
    code, out, _ = run("sensitivity", tmp_path / "pilot.csv", "--json")
    unanswered = {row["name"]: row["error"] for row in json.loads(out)["changes"] if row["error"]}
    assert "needs scores at 3 or more different sizes" in unanswered["published method"]
    assert "without size 200" not in unanswered


@pytest.mark.slow
def test_a_report_is_written_all_the_same(name, run, tmp_path):
    PILOTS[name].to_csv(tmp_path / "pilot.csv")
    code, _, _ = run("report", tmp_path / "pilot.csv", "--target", "0.85", "--out", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert code == 0
    assert "NaN" not in page.replace("isNaN", "")
    assert "holding out 1 and keeping 3 to fit takes 4" in page


def test_a_second_measurement_may_be_smaller_or_larger(name):
    sizes = choose_candidate_sizes(PILOTS[name].replicates.sizes, 400)
    assert sizes.min() < 200 < sizes.max()
    assert 200 in sizes


@pytest.mark.slow
def test_a_collection_may_start_from_it(name):
    known = LearningCurve([100, 200, 400, 800, 1600], [0.74, 0.78, 0.81, 0.83, 0.845])
    sizes = len(PILOTS[name].replicates.sizes)
    run_from = simulate_collection(known, 0.83, APExGP(), sizes, 3)
    assert run_from.sizes[0] > known.sizes[sizes - 1]
    with pytest.raises(DataError, match="needs scores at 3 or more different sizes"):
        simulate_collection(known, 0.83, APExGP.as_published(), sizes, 3)
