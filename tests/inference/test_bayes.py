"""The full-Bayes engine against dense algebra, brute-force integrals, simulation and an independent sampler."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats
from scipy.special import betaln, expit, log_expit

from apexgp.curve import LearningCurve
from apexgp.inference.density import Density
from apexgp.inference.integral import integrate
from apexgp.inference.sobol_points import Uniforms
from apexgp.inference.statistics import Statistics, pseudo_scores
from apexgp.model.beliefs import CALIBRATED, paper_beliefs
from apexgp.model.means import MEANS
from apexgp.model.paper_priors import WRITTEN

pytestmark = pytest.mark.slow

SIZES = np.array([24.0, 94, 147, 230, 360])
FULL = np.array(["a", "b", "c"])


def curve(kind, rng):
    scores = 0.85 - 0.2 * (SIZES[:, None] / 60) ** -0.5 + rng.normal(0, 0.01, 3) + rng.normal(0, 0.008, (5, 3))
    rows = [(x, y, s) for x, line in zip(SIZES, scores, strict=True) for y, s in zip(line, FULL, strict=True)]
    if kind == "unbalanced":
        rows = [row for i, row in enumerate(rows) if i not in (2, 6, 13)]
    if kind in ("single", "one run", "means"):
        rows = [row for row in rows if row[2] == "a"]
    x, y, s = (list(column) for column in zip(*rows, strict=True))
    known = {"averaged_over": 4, "score_sd": rng.uniform(0.01, 0.02, len(y))} if "means" in kind else {}
    return LearningCurve(x, y, None if kind in ("unlabelled", "one run", "means") else s, **known)


KINDS = ["balanced", "unbalanced", "single", "unlabelled", "one run", "means", "labelled means"]


def labels_of(c):
    """Which scores share a split: without labels, one score a size is one run, and several are splits of their own."""
    if c.split is not None:
        return c.split
    return np.zeros(len(c)) if len(set(c.sizes.tolist())) == len(c) else np.arange(len(c))


def runs_of(c):
    return c.averaged_over or 1


def shrinkage(model, x, kappa, sizes=SIZES):
    stay = model.beliefs.stay
    return stay + (1 - stay) * (x / np.exp(np.log(sizes).mean())) ** -kappa


def noise_covariance(c, model, parameters, sizes=SIZES):
    """Covariance of the rows of a curve given f, from the definition of the model: each row the mean of its runs."""
    w = shrinkage(model, c.sizes, parameters["kappa"], sizes)
    kept = shrinkage(model, np.maximum(c.sizes, sizes[-1] / 8), parameters["kappa"], sizes)
    labels = labels_of(c)
    same = labels[:, None] == labels
    own = (parameters["tau_e"] * w) ** 2 + parameters["tau_b"] ** 2 * (w**2 - kept**2) + model.beliefs.resolution**2
    return (np.diag(own) + same * np.outer(kept, kept) * parameters["tau_b"] ** 2) / runs_of(c)


def early(model, c):
    """Covariance of the rows of a curve that early sizes have from lying off on their own."""
    means = {x: c.scores[c.sizes == x].mean() for x in c.sizes}
    risen = np.array([max(means.values()) - means[x] for x in c.sizes])
    eighths = np.maximum(np.log(c.sizes.max() / c.sizes) / np.log(8) - 1, 0)
    return (model.beliefs.early * eighths * risen) ** 2 * (c.sizes[:, None] == c.sizes)


def clock(model, x, last):
    """Logarithms of sizes up to the pilot's end, from where on they run ever slower."""
    distance, reach = np.log(np.asarray(x) / last), model.beliefs.reach
    if reach is None:
        return distance
    return np.where(distance > 0, reach * (1 - np.exp(-np.abs(distance) / reach)), distance)


def kernel(model, x, y, parameters, last=SIZES[-1]):
    ratio = np.abs(clock(model, x, last)[:, None] - clock(model, y, last)) / parameters["lam"]
    return parameters["sigma"] ** 2 * np.exp(-ratio if model.beliefs.kernel == "ou" else -0.5 * ratio**2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mean", MEANS)
def test_every_node_has_the_likelihood_and_predictive_of_the_dense_gaussian(kind, mean, rng):
    c = curve(kind, rng)
    model = Density(MEANS[mean], CALIBRATED)
    pilot = Statistics.of(c)
    posterior = integrate(model, pilot, 0)
    new = np.array([700.0, 5000.0])
    labels, runs = labels_of(c), runs_of(c)
    predicted = {of: posterior.predict(new, of, 3.0) for of in ("new_splits", "same_splits", "expected")}
    for i in np.argsort(posterior.weights)[-3:]:
        n = posterior.nodes
        p = {name: float(value[i]) for name, value in n.parameters.items()}
        theta = MEANS[mean].solve_theta(SIZES[-1] / SIZES[0], n.drop[i], *(s[i] for s in n.shape))

        def m(x, theta=theta, i=i, n=n):
            return n.level[i] + n.drop[i] - MEANS[mean].drop(x / SIZES[0], *theta)

        def tilt(x, m=m, i=i, n=n):
            # A level that was not drawn has a flat prior, here one wider than [0, 1]; the drop is a share of the rest.
            return 3.0 * (n.spread[i] > 0) * (1 - (m(x) - n.level[i]) / (1 - n.level[i]))

        k = kernel(model, c.sizes, c.sizes, p) + np.outer(tilt(c.sizes), tilt(c.sizes))
        total = k + noise_covariance(c, model, p) + early(model, c)
        gain = np.linalg.solve(total, c.scores - m(c.sizes))
        cross = kernel(model, c.sizes, new, p) + np.outer(tilt(c.sizes), tilt(new))
        location = m(new) + cross.T @ gain
        before = p["sigma"] ** 2 + tilt(new) ** 2
        variance = before - np.einsum("rq,rs,sq->q", cross, np.linalg.inv(total), cross)
        w = shrinkage(model, new, p["kappa"])
        single = (p["tau_e"] * w) ** 2 + model.beliefs.resolution**2
        np.testing.assert_allclose(predicted["expected"][0][i], location, atol=1e-6)
        # Rounding in the dense algebra, which takes 9 from 9: variances are known to this.
        np.testing.assert_allclose(predicted["expected"][1][i] ** 2, variance, atol=1e-7)
        fresh = variance + (single + (p["tau_b"] * w) ** 2) / 3
        np.testing.assert_allclose(predicted["new_splits"][1][i] ** 2, fresh, atol=1e-7)
        # The mean over the pilot's own splits shares their effects with the scores.
        pilot_w = shrinkage(model, np.maximum(c.sizes, SIZES[-1] / 8), p["kappa"])
        count = len(set(labels.tolist()))
        carried = np.outer(pilot_w, w) * p["tau_b"] ** 2 / (count * runs)
        cross = cross + carried
        own = before + ((p["tau_b"] * w) ** 2 + single) / (count * runs)
        np.testing.assert_allclose(predicted["same_splits"][0][i], m(new) + cross.T @ gain, atol=1e-6)
        expected = own - np.einsum("rq,rs,sq->q", cross, np.linalg.inv(total), cross)
        np.testing.assert_allclose(predicted["same_splits"][1][i] ** 2, expected, atol=1e-7)


@pytest.mark.parametrize("kind", ["balanced", "one run"])
def test_early_sizes_have_their_own_place_between_which_it_is_interpolated(kind, rng):
    """At a pilot size below an eighth of the largest, and half-way (in the logarithm) to the next."""
    c, model = curve(kind, rng), Density(MEANS["burr"], CALIBRATED)
    posterior = integrate(model, Statistics.of(c), 0).drawn(rng)
    new = np.array([SIZES[0], np.sqrt(SIZES[0] * SIZES[1])])
    off = early(model, c)[0, 0]
    assert off > 0
    assert early(model, c)[-1, -1] == 0
    location, scale = posterior.predict(new, "expected", 1.0)
    _, joint = posterior.joint(new, "expected", 1.0, np.arange(len(posterior.weights)))
    for i in np.argsort(posterior.weights)[-3:]:
        n = posterior.nodes
        p = {name: float(value[i]) for name, value in n.parameters.items()}
        theta = MEANS["burr"].solve_theta(SIZES[-1] / SIZES[0], n.drop[i], *(s[i] for s in n.shape))
        m = n.level[i] + n.drop[i] - MEANS["burr"].drop(np.concatenate([c.sizes, new]) / SIZES[0], *theta)
        share = np.concatenate([1.0 * (c.sizes == SIZES[0]), [1.0, 0.5]])  # of what the first size has of its own
        at = np.concatenate([c.sizes, new])
        prior = kernel(model, at, at, p) + off * np.outer(share, share)
        rows = len(c.sizes)
        gain = np.linalg.solve(prior[:rows, :rows] + noise_covariance(c, model, p), prior[:rows, rows:])
        np.testing.assert_allclose(location[i], m[rows:] + gain.T @ (c.scores - m[:rows]), atol=1e-6)
        covariance = prior[rows:, rows:] - prior[rows:, :rows] @ gain
        np.testing.assert_allclose(scale[i], np.sqrt(np.diag(covariance)), atol=2e-6)
        np.testing.assert_allclose(joint[:, :, i], covariance, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_pseudo_scores_keep_the_likelihood_of_all_rows(kind, rng):
    c = curve(kind, rng)
    model = Density(MEANS["power_law"], CALIBRATED)
    pilot = Statistics.of(c)
    z = rng.normal(size=(len(model.names), 4))
    p = model.parameters(z, pilot)
    variance, carried = model.noise(p, pilot.sizes[:, None], pilot.sizes[:, None])
    pseudo = pseudo_scores(variance, carried, pilot)
    rest, covariance = pseudo.log_rest, pseudo.covariance
    f = 0.7 + 0.01 * rng.normal(size=len(SIZES))
    at = f[np.searchsorted(SIZES, c.sizes)]
    ours, expected = [], []
    for i in range(4):
        one = {name: float(value[i]) for name, value in p.items()}
        log_density = stats.multivariate_normal(at, noise_covariance(c, model, one)).logpdf(c.scores)
        if c.score_sd is not None:
            # Of a sample of k runs, (k - 1) s^2 over the variance of one has the distribution of chi squared.
            spread = variance[:, i] + carried[:, i] ** 2
            freedom, squares = runs_of(c) - 1, (runs_of(c) - 1) * c.score_sd**2
            spread = spread[np.searchsorted(SIZES, c.sizes)]
            log_density += (stats.chi2(freedom).logpdf(squares / spread) - np.log(spread)).sum()
        expected.append(log_density)
        normal = stats.multivariate_normal(f, covariance[:, :, i])
        ours.append(rest[i] + normal.logpdf(pseudo.scores[:, i]))
    difference = np.array(ours) - expected
    # How dense spreads are is known up to what does not depend on the parameters.
    np.testing.assert_allclose(difference, difference[0] if c.score_sd is not None else 0.0, atol=1e-6)


MOVED = replace(
    CALIBRATED,
    shifts={"share_a": {"size": -0.1}, "share_b": {"size": 0.2}, "sigma": {"size": -0.2}, "shape1": {"size": -0.5}},
    spreads={"tau_e": {"size": 0.2}},
)


def moved(beliefs, name, largest):
    """What a pilot of labelled scores with no details shows is its size."""
    return beliefs.shifts.get(name, {}).get("size", 0.0) * np.clip(np.log(largest / 362), -1.75, 3.2)


@pytest.mark.parametrize("floor", [0.0, 0.55])
@pytest.mark.parametrize("span", [6, 1000])
@pytest.mark.parametrize("mean", MEANS)
@pytest.mark.parametrize("beliefs", [CALIBRATED, MOVED, paper_beliefs(WRITTEN)], ids=["calibrated", "moved", "paper"])
def test_level_and_drop_are_integrated_exactly_under_a_normalised_prior(beliefs, mean, span, floor, rng):
    """The mean weight over many draws of (level, drop) at one node is the mean likelihood over the prior as stated."""
    sizes = np.geomspace(60, 60 * span, 5)
    c = LearningCurve(sizes, 0.8 - 0.15 * np.linspace(1, 0, 5)[:, None] ** 2 + rng.normal(0, 0.02, (5, 3)))
    model = Density(MEANS[mean], beliefs, floor=floor)
    pilot = Statistics.of(c, only_means=not beliefs.uses_replicates)
    z = np.zeros((len(model.names), 2**15))
    u = stats.qmc.Sobol(3, rng=np.random.default_rng(0)).random(2**15).T
    wider = 0.0
    if not model.mean.scalable:
        # The drop is a coordinate. Its prior has more mass near 0 than N(0, 1) has there.
        z[-1] = 2.5 * stats.norm.ppf(u[2])
        wider = stats.norm.logpdf(z[-1]) - stats.norm.logpdf(z[-1], scale=2.5)
    levels, shares = np.ascontiguousarray(np.stack([u[:2], (u[:2] + 0.5) % 1], axis=1))
    nodes = model.evaluate(z, Uniforms(levels, shares, np.sin(0.5 * np.pi * shares[1:]) ** 2), pilot)
    log_weight = nodes.log_weight + wider
    ours = np.log(np.exp(log_weight - log_weight.max()).mean()) + log_weight.max()

    p = {name: float(value[0]) for name, value in model.parameters(z, pilot).items()}
    shape = [float(s[0]) for s in model.shape(z, pilot)]
    rows = c if beliefs.uses_replicates else LearningCurve(sizes, c.replicates.mean)
    total = kernel(model, rows.sizes, rows.sizes, p, sizes[-1]) + noise_covariance(rows, model, p, sizes)
    total += early(model, rows)
    first, second = np.meshgrid(*[(np.arange(400) + 0.5) / 400] * 2, indexing="ij")
    if beliefs.shares is not None:
        share = beliefs.shares[mean]
        level = floor + (1 - floor) * first
        a, b = (np.exp(moved(beliefs, f"share_{end}", sizes[-1])) for end in "ab")
        logits = 60 * (second - 0.5)  # over a wide span only tiny drops are likely
        drop = expit(logits) * (1 - level)
        log_prior = share.a * a * log_expit(logits) + share.b * b * log_expit(-logits)
        log_prior += np.log(60) - betaln(share.a * a, share.b * b)
    else:
        # The limit a ~ U[y', 1], the drop g at the smallest size ~ U[0, a - floor].
        limit = pilot.best + (1 - pilot.best) * first
        wanted = (limit - floor) * second
        table = np.linspace(1e-9, 1 - 1e-9, 20001)
        at_first = MEANS[mean].drop(np.ones(1), *MEANS[mean].solve_theta(np.asarray(float(span)), table, *shape))
        drop = np.interp(wanted, at_first, table)
        level, log_prior = limit - drop, 0.0
    drop = np.clip(drop, 1e-12, 1 - 1e-12)
    theta = [np.asarray(t)[..., None] for t in MEANS[mean].solve_theta(np.asarray(float(span)), drop, *shape)]
    curves = (level + drop)[..., None] - MEANS[mean].drop(rows.sizes / 60, *theta)
    like = stats.multivariate_normal(np.zeros(len(rows)), total).logpdf(rows.scores - curves) + log_prior
    expected = np.log(np.exp(like - like.max()).mean()) + like.max()
    assert ours == pytest.approx(expected, abs=0.05)


@dataclass(frozen=True)
class FixedWindow(Density):
    """W held fixed, so that the prior does not depend on the data."""

    def window(self, of):
        return 0.2


@pytest.mark.slow
@pytest.mark.parametrize("mean", MEANS)
def test_simulated_parameters_have_uniform_ranks(mean):
    """Simulation-based calibration (Talts et al. 2018): best score and W held fixed, untruncated likelihood."""
    rng = np.random.default_rng(5)
    model = FixedWindow(MEANS[mean], replace(MOVED, early=0.0))  # which goes by the data
    pilots, truths = [], []
    x = SIZES[:, None]
    empty = Statistics.of(LearningCurve(SIZES, np.full((5, 3), 0.5)))
    while len(pilots) < 120:
        z = rng.normal(size=(len(model.names), 1))
        p, shape = model.parameters(z, empty), model.shape(z, empty)
        level, prior = rng.random(), MOVED.shares[mean]
        a, b = (np.exp(moved(MOVED, f"share_{end}", SIZES[-1])) for end in "ab")
        drop = rng.beta(prior.a * a, prior.b * b) * (1 - level)
        rise = model.rise(x / SIZES[0], np.array([SIZES[-1] / SIZES[0]]), np.array([drop]), shape)[:, 0]
        one = {name: float(value[0]) for name, value in p.items()}
        f = rng.multivariate_normal(level + rise, kernel(model, SIZES, SIZES, one) + 1e-12 * np.eye(5))
        variance, carried = model.noise(p, x, x)[:, :, 0]
        scores = (
            f[:, None] + np.outer(carried, rng.normal(size=3)) + np.sqrt(variance)[:, None] * rng.normal(size=(5, 3))
        )
        c = LearningCurve(SIZES, np.full((5, 3), 0.5))
        object.__setattr__(c, "scores", scores.ravel())  # the curve itself would refuse scores outside [0, 1]
        pilots.append(Statistics.of(c))
        truths.append([level, drop / (1 - level), one["tau_e"], one["sigma"], float(shape[0][0])])
    ranks = []
    for pilot, truth in zip(pilots, truths, strict=True):
        posterior = integrate(model, pilot, 0).drawn(rng)
        n = posterior.nodes
        values = [n.level, posterior.drop_share, n.parameters["tau_e"], n.parameters["sigma"], n.shape[0]]
        ranks.append([posterior.weights @ (v < t) for v, t in zip(values, truth, strict=True)])
    for name, column in zip(("level", "share", "tau_e", "sigma", "shape"), np.array(ranks).T, strict=True):
        assert stats.kstest(column, "uniform").pvalue > 0.002, name


@pytest.mark.slow
def test_nodes_are_enough_on_hard_pilots():
    rng = np.random.default_rng(3)
    for count, splits, noise in [(6, 15, 0.01), (20, 3, 0.01), (50, 3, 0.005), (6, 3, 1e-4), (6, 1, 0.02)]:
        sizes = np.geomspace(60, 600, count)
        scores = 0.9 - 0.25 * (sizes[:, None] / 60) ** -0.6 + rng.normal(0, noise, (count, splits))
        for mean in ("power_law", "burr"):
            posterior = integrate(Density(MEANS[mean], CALIBRATED), Statistics.of(LearningCurve(sizes, scores)), 0)
            assert posterior.effective_size > 100, (count, splits, noise, mean)


def test_statistics_do_not_grow_with_the_number_of_splits(rng):
    few, many = (Statistics.of(LearningCurve(SIZES, 0.8 + 0.01 * rng.normal(size=(5, s)))) for s in (3, 300))
    assert len(few.patterns) == len(many.patterns) == 1
    assert few.patterns[0].scatter.shape == many.patterns[0].scatter.shape == (5, 5)
