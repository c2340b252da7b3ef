import numpy as np
import pytest
from scipy import integrate, optimize, stats
from scipy.special import ndtr

from apexgp.model.elicitation import LAMBDA_PRINTED, LAMBDA_WRITTEN, TAU, PositiveNormal, elicit_sigma


def test_lambda_as_written_has_the_percentiles_of_its_numbers():
    # MODEL.md, section 2
    assert LAMBDA_WRITTEN.quantile(np.array([0.1, 0.9])) == pytest.approx([0.184, 2.851], abs=5e-4)


@pytest.mark.parametrize("prior", [TAU, LAMBDA_PRINTED, LAMBDA_WRITTEN, PositiveNormal(0.03, 0.002)])
def test_positive_normal_agrees_with_scipy(prior):
    other = stats.truncnorm(-prior.loc / prior.scale, np.inf, loc=prior.loc, scale=prior.scale)
    x = other.ppf([0.001, 0.1, 0.5, 0.99])
    np.testing.assert_allclose(prior.log_pdf(x), other.logpdf(x), rtol=1e-9)
    np.testing.assert_allclose(prior.cdf(x), other.cdf(x), rtol=1e-9)
    np.testing.assert_allclose(prior.quantile(other.cdf(x)), x, rtol=1e-8)
    step = 1e-4 * prior.scale
    slope = (prior.log_pdf(x + step) - prior.log_pdf(x - step)) / (2 * step)
    np.testing.assert_allclose(prior.log_pdf_slope(x), slope, rtol=1e-6, atol=1e-6 / prior.scale)


def summed_gaps(prior, window):
    """The elicitation's aim, by another road: adaptive quadrature and Brent's root finder."""
    below = ndtr(-prior.loc / prior.scale)

    def sigma_cdf(v):
        return (ndtr((v - prior.loc) / prior.scale) - below) / (1 - below)

    def tau_pdf(t):
        return np.exp(-0.5 * ((t - 0.01) / 0.01) ** 2) / (0.01 * np.sqrt(2 * np.pi) * ndtr(1.0))

    def cdf(s):
        kink = np.sqrt(max(s**2 - prior.loc**2, 0))
        return integrate.quad(
            lambda t: tau_pdf(t) * sigma_cdf(np.sqrt(s**2 - t**2)), 0, s, points=[kink] if kink else None, epsabs=1e-9
        )[0]

    percentiles = [6 * optimize.brentq(lambda s, q=q: cdf(s) - q, 1e-6, 1.0, xtol=1e-8) for q in (0.2, 0.5, 0.8)]
    return np.abs(np.array(percentiles) - window * np.array([1 / 2, 5 / 8, 3 / 4])).sum()


@pytest.mark.slow
@pytest.mark.parametrize("window", [0.1, 0.2, 0.3])
def test_elicited_sigma_has_smaller_gaps_than_its_neighbours(window):
    prior = elicit_sigma(window, 0.05)
    best = summed_gaps(prior, window)
    for loc, scale in [(1.03, 1), (0.97, 1), (1, 1.1), (1, 0.9), (1.03, 0.9), (0.97, 1.1)]:
        neighbour = PositiveNormal(
            float(np.clip(prior.loc * loc, 0.001, 0.05)), float(np.clip(prior.scale * scale, 0.001, 0.05))
        )
        assert best <= summed_gaps(neighbour, window) + 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("window", [0.1, 0.2466, 0.3])
def test_on_the_grid_of_the_released_code_no_neighbour_has_smaller_gaps(window):
    prior = elicit_sigma(window, 0.05, 100)
    grid = np.linspace(0.001, 0.05, 100)
    at = [int(np.abs(grid - value).argmin()) for value in (prior.loc, prior.scale)]
    assert (prior.loc, prior.scale) == (grid[at[0]], grid[at[1]])
    best = summed_gaps(prior, window)
    for i, j in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]:
        if 0 <= at[1] + j < 100:
            assert best <= summed_gaps(PositiveNormal(grid[at[0] + i], grid[at[1] + j]), window) + 1e-6


def test_elicitation_with_a_solution_meets_the_paper_percentiles():
    prior = elicit_sigma(0.3, 0.05)
    assert summed_gaps(prior, 0.3) < 1e-3


def test_a_window_that_tau_alone_exceeds_gives_the_corner():
    # MODEL.md, section 2: BUSI Normal, PLAX, PSAX
    for window in (0.0, 0.02, 0.05):
        assert elicit_sigma(window, 0.05) == PositiveNormal(pytest.approx(0.001), pytest.approx(0.001))


def test_only_the_written_rule_leaves_the_box():
    assert elicit_sigma(0.8, 0.05).loc == pytest.approx(0.05)
    assert elicit_sigma(0.8, 0.2).loc > 0.05
