"""The size of an evaluation: the numbers of Riley's own program, and the laws behind them."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from apexgp import MinimumEvaluationSize, minimum_evaluation_size
from apexgp.errors import RequestError

NB = {"slope_width": 0.3, "oe_width": 0.4, "cstatistic_width": 0.08, "net_benefit_width": 0.3}
# pmvalsampsize 0.2.1 (PyPI; Whittle and Ensor): pmvalsampsize("b", prevalence=, cstatistic=, threshold=, lpcstat=m,
# tolerance=0.01), m = logit(prevalence) - ndtri(cstatistic)**2, a million simulated patients: what it says for O/E and
# the C statistic, and with the seeds 1 to 4 for the calibration slope and the net benefit.
PMVALSAMPSIZE = {
    (0.018, 0.8, None): ({"oe_width": 1}, 905, 4252, (17276, 17228, 17262, 17116), None),
    (0.2, 0.8, 0.2): ({}, 1538, 471, (2677, 2671, 2673, 2663), (662, 665, 665, 662)),
    (0.43, 0.8, 0.3): ({}, 510, 308, (1942, 1943, 1942, 1938), (267, 267, 268, 267)),
    (0.05, 0.7, 0.1): ({}, 7305, 2184, (15817, 15753, 15820, 15723), (1888, 1873, 1873, 1902)),
    (0.5, 0.9, 0.5): ({}, 385, 158, (1453, 1454, 1453, 1452), (282, 281, 282, 280)),
    (0.1, 0.75, 0.1): (NB, 876, 1574, (2564, 2554, 2560, 2547), (593, 595, 596, 593)),
}


@pytest.mark.parametrize("case", PMVALSAMPSIZE)
def test_it_says_what_rileys_program_says(case):
    prevalence, cstatistic, threshold = case
    widths, ratio, discrimination, slopes, benefits = PMVALSAMPSIZE[case]
    found = minimum_evaluation_size(prevalence, cstatistic, threshold=threshold, **widths)
    assert isinstance(found, MinimumEvaluationSize)
    assert (found.criteria["observed_over_expected"], found.criteria["cstatistic"]) == (ratio, discrimination)
    assert within_simulation_error(found.criteria["calibration_slope"], slopes)
    if benefits is None:
        assert "net_benefit" not in found.criteria
        return
    # It rounds the wanted standard error of net benefit, and the sensitivity and specificity it found, to 3 decimals.
    wanted = widths.get("net_benefit_width", 0.2) / 3.92
    as_rounded = found.criteria["net_benefit"] * (wanted / round(wanted, 3)) ** 2
    assert within_simulation_error(as_rounded, benefits)


def within_simulation_error(exact, simulated):
    """Four standard errors of the mean of the simulations, and the rounding up of each."""
    error = np.std(simulated, ddof=1) / math.sqrt(len(simulated))
    return abs(np.mean(simulated) - exact) <= 4 * error + 1


def test_the_published_example():
    # The documentation of pmvalsampsize (R, Stata, Python), after Riley et al. 2021: mechanical heart valve failure.
    # Its tests record 16175 for the slope from 10,000 simulated patients, whose standard error is 4 %.
    found = minimum_evaluation_size(0.018, 0.8, oe_width=1)
    assert (found.criteria["observed_over_expected"], found.criteria["cstatistic"]) == (905, 4252)
    assert found.criteria["calibration_slope"] == pytest.approx(16175, rel=0.1)
    assert (found.size, found.decisive, found.events) == (17129, "calibration_slope", 309)
    assert (found.threshold, found.sensitivity, found.specificity) == (None, None, None)


problems = st.tuples(st.floats(0.01, 0.99), st.floats(0.55, 0.97))


@pytest.mark.slow
@settings(max_examples=60, derandomize=True)
@given(problems, st.floats(0.05, 0.95), st.floats(0.1, 0.5))
def test_at_that_size_the_intervals_are_as_wide_as_was_asked(problem, threshold, width):
    prevalence, cstatistic = problem
    found = minimum_evaluation_size(
        *problem,
        threshold=threshold,
        oe_width=width,
        slope_width=width,
        cstatistic_width=width,
        net_benefit_width=width,
    )
    assert found.size == max(found.criteria.values()) == found.criteria[found.decisive]
    assert found.events == math.ceil(found.size * prevalence - 1e-9)
    assert set(found.widths.values()) == {width}
    n = found.criteria["observed_over_expected"]
    error = math.sqrt((1 - prevalence) / (n * prevalence))
    assert n < 10 or math.exp(1.96 * error) - math.exp(-1.96 * error) == pytest.approx(width, rel=0.01 + 1 / n)

    def hanley(n):  # Newcombe's modification: both groups of n / 2 in the brackets
        inside = 1 + (n / 2 - 1) * ((1 - cstatistic) / (2 - cstatistic) + cstatistic / (1 + cstatistic))
        return 3.92 * math.sqrt(cstatistic * (1 - cstatistic) * inside / (n**2 * prevalence * (1 - prevalence)))

    n = found.criteria["cstatistic"]
    assert hanley(n) <= width * (1 + 1e-9)
    assert n == 1 or hanley(n - 1) > width * (1 - 1e-9)

    def benefit(n):  # as Riley et al. 2021 have it
        sensitivity, specificity = found.sensitivity, found.specificity
        odds = (1 - prevalence) / prevalence * threshold / (1 - threshold)
        inside = sensitivity * (1 - sensitivity) / prevalence
        inside += odds**2 * specificity * (1 - specificity) / (1 - prevalence)
        inside += odds**2 * (1 - specificity) ** 2 / (prevalence * (1 - prevalence))
        return 3.92 * math.sqrt(inside / n)

    n = found.criteria["net_benefit"]
    assert benefit(n) <= width * (1 + 1e-9)
    assert n == 1 or benefit(n - 1) > width * (1 - 1e-9)


@pytest.mark.parametrize(
    ("prevalence", "cstatistic"), [(0.3, 0.75), (0.02, 0.6), (0.9, 0.85), (0.2, 0.97), (0.4, 0.51)]
)
def test_the_slope_by_another_road(prevalence, cstatistic):
    # Fisher's information of a logistic regression on the linear predictor, over the mixture of both groups, whose
    # prevalence and C statistic are what was asked for.
    sd = found_sd(cstatistic)
    mean = math.log(prevalence / (1 - prevalence)) - sd**2 / 2

    x = np.linspace(mean - 10 * sd, mean + sd**2 + 10 * sd, 20_001)

    def density(centre):
        return np.exp(-(((x - centre) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))

    weights = ((1 - prevalence) * density(mean) + prevalence * density(mean + sd**2)) * (x[1] - x[0])

    def average(f):
        return weights @ f(x)

    assert average(expit) == pytest.approx(prevalence)
    i00, i01, i11 = (average(lambda x, k=k: x**k * expit(x) * expit(-x)) for k in range(3))
    wanted = i00 / ((0.2 / 3.92) ** 2 * (i00 * i11 - i01**2))
    found = minimum_evaluation_size(prevalence, cstatistic)
    assert found.criteria["calibration_slope"] == pytest.approx(wanted, rel=1e-6, abs=1)


def found_sd(cstatistic):
    """The one with P(with the outcome > without) = C, by a search."""
    low, high = 1e-6, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if 0.5 * math.erfc(-middle / 2) < cstatistic else (low, middle)
    return low


def test_sensitivity_and_specificity_are_those_of_patients_drawn(rng):
    found = minimum_evaluation_size(0.2, 0.8, threshold=0.3)
    sd = found_sd(0.8)
    outcome = rng.random(400_000) < 0.2
    predictor = math.log(0.25) - sd**2 / 2 + sd**2 * outcome + sd * rng.normal(size=outcome.size)
    treated = expit(predictor) > 0.3
    assert found.sensitivity == pytest.approx(treated[outcome].mean(), abs=0.006)
    assert found.specificity == pytest.approx(1 - treated[~outcome].mean(), abs=0.004)


@pytest.mark.slow
@settings(max_examples=20, derandomize=True)
@given(problems)
def test_narrower_intervals_need_more_and_wider_ones_less(problem):
    found = minimum_evaluation_size(*problem, threshold=0.3)
    for option, name in (
        ("oe_width", "observed_over_expected"),
        ("slope_width", "calibration_slope"),
        ("cstatistic_width", "cstatistic"),
        ("net_benefit_width", "net_benefit"),
    ):
        narrow = minimum_evaluation_size(*problem, threshold=0.3, **{option: found.widths[name] / 2})
        assert narrow.criteria[name] > found.criteria[name] or found.criteria[name] == 1
        others = found.criteria.keys() - {name}
        assert {other: narrow.criteria[other] for other in others} == {o: found.criteria[o] for o in others}
    # Slope and C statistic do not care which of the two outcomes is called the event.
    mirrored = minimum_evaluation_size(1 - problem[0], problem[1]).criteria
    for name in ("calibration_slope", "cstatistic"):
        assert mirrored[name] == pytest.approx(found.criteria[name], rel=1e-9, abs=1)


def test_a_very_narrow_interval_is_not_rounded_away():
    # In steps of 0.0001 a standard error of 0.00026 would become 0.0003, and the patients three quarters of enough.
    n = minimum_evaluation_size(0.2, 0.8, oe_width=0.001).criteria["observed_over_expected"]
    assert n == pytest.approx(4 / (0.001 / 3.92) ** 2, rel=1e-5)


def test_an_answer_is_a_value():
    found = minimum_evaluation_size(0.2, 0.8, threshold=0.2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.size = 1
    assert pickle.loads(pickle.dumps(found)) == found
    assert "2,671 patients, 535 of them with the outcome" in repr(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"prevalence": 0}, "prevalence must be strictly between 0 and 1"),
        ({"prevalence": 20}, r"Write 0\.2 for 20 %"),
        ({"cstatistic": 0.5}, "cstatistic must be above 0.5, which is chance"),
        ({"cstatistic": 1}, "cstatistic must be above 0.5, which is chance, and below 1"),
        ({"cstatistic": 80}, r"Write 0\.8 for 80 %"),
        ({"threshold": 1}, "threshold must be strictly between 0 and 1"),
        ({"oe_width": 0}, "oe_width must be above 0"),
        ({"slope_width": -1}, "slope_width must be above 0"),
        ({"cstatistic_width": math.nan}, "cstatistic_width must be one finite number"),
        ({"net_benefit_width": 0}, "net_benefit_width must be above 0"),
        ({"slope_width": 1e-9}, "slope_width asks for more than 1e\\+15 patients. Check it, and the prevalence."),
        ({"prevalence": 1e-300}, "asks for more than 1e\\+15 patients"),
    ],
)
def test_bad_requests_are_explained(arguments, message):
    with pytest.raises(RequestError, match=message):
        minimum_evaluation_size(**{"prevalence": 0.2, "cstatistic": 0.8, **arguments})
