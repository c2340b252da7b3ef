"""The engine against emcee, an independent sampler, on the posterior written out anew."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from test_bayes import clock

from apexgp import Forecast
from apexgp.curve import LearningCurve
from apexgp.inference import compiled_integral
from apexgp.inference.density import Density
from apexgp.inference.integral import integrate
from apexgp.inference.statistics import Statistics
from apexgp.model.beliefs import CALIBRATED, PILOT_FEATURES, paper_beliefs
from apexgp.model.means import MEANS
from apexgp.model.paper_priors import LAMBDA_WRITTEN, WRITTEN, elicit_sigma

pytestmark = pytest.mark.slow

emcee = pytest.importorskip("emcee")

SIZES = np.array([60.0, 94, 147, 230, 360])
NEW = 1500.0


def pilot_curve(number):
    rng = np.random.default_rng(number)
    limit, drop, slope = [(0.9, 0.25, -0.5), (0.97, 0.1, -0.9), (0.75, 0.2, -0.2)][number % 3]
    noise, carried = [(0.006, 0.012), (0.004, 0.002), (0.02, 0.01)][number % 3]
    scores = limit - drop * (SIZES[:, None] / 60) ** slope + rng.normal(0, carried, 3) + rng.normal(0, noise, (5, 3))
    return LearningCurve(SIZES, np.clip(scores, 0, 1))


def detailed_curve(number):
    """A curve of which all is known that moves a prior."""
    plain, train = pilot_curve(number), np.full((5, 3), np.nan)
    train[4] = [0.93, 0.91, 0.92]
    return replace(plain, metric="accuracy", n_test=np.full(15, 250.0), train_scores=train.ravel())


def detailed_signs(curve):
    test = curve.scores[-3:].mean()
    return dict.fromkeys(PILOT_FEATURES, 0.0) | {
        "size": np.log(360 / 362),
        "accuracy": 1.0,
        "test_known": 1.0,
        "test_noise": np.log(np.sqrt(test * (1 - test) / 250) / np.sqrt(0.8 * 0.2 / 500)),
        "gap_known": 1.0,
        "gap": (0.92 - test) / (1 - test),
        "always": 1.0,
    }


def every_sign(*values):
    """Moves by the signs that a detailed curve shows, in their order; large ones by those that it does not show."""
    shown = ("size", "accuracy", "test_known", "test_noise", "gap_known", "gap", "always")
    return dict.fromkeys(PILOT_FEATURES, 9.0) | dict(zip(shown, values, strict=True))


MOVED = replace(
    CALIBRATED,
    shifts={
        "tau_e": every_sign(0.1, -0.2, 0.2, 0.5, 0.1, -0.1, 0.2),
        "sigma": every_sign(0.5, 0.3, 0.1, 0.0, 0.2, 0.4, -0.2),
        "shape0": {"gap": 0.5},
        "shape2": {"accuracy": -0.4},
        "share_a": every_sign(0.3, -0.2, 0.1, 0.0, -0.3, 1.0, 0.1),
        "share_b": {"gap": -0.3, "accuracy": 0.2},
    },
    spreads={"sigma": {"gap_known": -0.3}, "shape1": {"accuracy": 0.2}, "lam": {"test_known": -0.1}},
)


def mean_curve(mean, x, level, drop, shape):
    """Curves with the given level and drop at the largest size, shape (walkers, sizes)."""
    level, drop, (shape, *others) = level[:, None], drop[:, None], [part[:, None] for part in shape]
    if mean == "power_law":
        return level + drop * (1 - (x / SIZES[-1]) ** -shape)
    if mean == "burr":
        # drop(x) / drop(x_R), drop(x) = (1 + (x / theta2)^theta3)^-theta4, theta2 = x_R e^offset, theta3 theta4 = tail.
        offset, theta4 = others[0], np.exp(np.clip(others[1], -4, 4))
        theta3 = shape / theta4
        at, end = (np.logaddexp(0, theta3 * (np.log(size / SIZES[-1]) - offset)) for size in (x, SIZES[-1]))
        return level + drop * (1 - np.exp(theta4 * (end - at)))
    end = 1 / np.tan(np.pi / 2 * drop)
    begin = end * (SIZES[0] / SIZES[-1]) ** shape
    return level + 2 / np.pi * (
        np.arctan(begin + (end - begin) * (x - SIZES[0]) / (SIZES[-1] - SIZES[0])) - np.arctan(end)
    )


def gaussian(residual, covariance):
    """Log density, vectorised over walkers."""
    root = np.linalg.cholesky(covariance)
    white = np.linalg.solve(root, residual[..., None])[..., 0]
    return -0.5 * (white**2).sum(axis=1) - np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)


class CalibratedPosterior:
    """Coordinates: log tau_e, log ratio, logit of kappa, log sigma / W, log lambda, level, share, shapes."""

    def __init__(self, mean, curve, b=CALIBRATED):
        self.mean, self.x, self.y, self.beliefs = mean, curve.sizes, curve.scores, b
        self.same = curve.split[:, None] == curve.split
        variance = np.mean([np.var(self.y[self.x == s], ddof=1) for s in SIZES])
        best = max(self.y[self.x == s].mean() for s in SIZES)
        self.window = 1 - best + np.sqrt((variance + b.resolution**2) / 3)
        plain = dict.fromkeys(PILOT_FEATURES, 0.0) | {"size": np.log(SIZES[-1] / 362), "always": 1.0}
        signs = plain if curve.n_test is None else detailed_signs(curve)

        def added(moves, name):
            return sum(value * signs[sign] for sign, value in moves.get(name, {}).items())

        self.a, self.b = (
            number * np.exp(added(b.shifts, name))
            for number, name in ((b.shares[mean].a, "share_a"), (b.shares[mean].b, "share_b"))
        )
        self.upper = getattr(b.shapes[mean][0], "upper", 1.0)
        normals = {name: (np.log(p.median), p.spread) for name, p in (("tau_e", b.tau_e), ("tau_ratio", b.tau_ratio))}
        normals["kappa"] = b.kappa.loc, b.kappa.scale
        normals |= {name: (np.log(p.median), p.spread) for name, p in (("sigma", b.sigma), ("lam", b.lam))}
        normals |= {f"shape{i}": (p.loc, p.scale) for i, p in enumerate(b.shapes[mean])}
        # A shift is so many of the prior's standard deviations, a spread stretches around the shifted centre.
        self.normals = {
            (place if place < 5 else place + 2): (
                loc + scale * added(b.shifts, name),
                scale * np.exp(added(b.spreads, name)),
            )
            for place, (name, (loc, scale)) in enumerate(normals.items())
        }

    def start(self, posterior, index):
        p, n = posterior.nodes.parameters, posterior.nodes
        columns = [np.log(p["tau_e"]), np.log(p["tau_b"] / p["tau_e"]), logit(p["kappa"] / self.beliefs.kappa.upper)]
        columns += [np.log(p["sigma"] / self.window), np.log(p["lam"]), n.level, posterior.drop_share]
        columns += [logit(n.shape[0] / self.upper), *n.shape[1:]]
        return np.stack(columns, axis=1)[index]

    def unpack(self, v):
        te, tb, kappa = np.exp(v[:, 0]), np.exp(v[:, 0] + v[:, 1]), self.beliefs.kappa.upper * expit(v[:, 2])
        sigma, lam, level = self.window * np.exp(v[:, 3]), np.exp(v[:, 4]), v[:, 5]
        shape = self.upper * expit(v[:, 7]), *v[:, 8:].T
        return te, tb, kappa, sigma, lam, shape, level, v[:, 6] * (1 - level)

    def correlation(self, ratio):
        return np.exp(-np.abs(ratio))

    def shrinkage(self, x, kappa):
        stay = self.beliefs.stay
        return stay + (1 - stay) * (x / np.exp(np.log(SIZES).mean())) ** -kappa

    def covariance(self, v, x):
        _, _, _, sigma, lam, *_ = self.unpack(v)
        ratio = (clock(self, self.x, SIZES[-1])[:, None] - clock(self, x, SIZES[-1])) / lam[:, None, None]
        return sigma[:, None, None] ** 2 * self.correlation(ratio)

    def total(self, v):
        te, tb, kappa, *_ = self.unpack(v)
        w = self.shrinkage(self.x, kappa[:, None])
        noise = (te[:, None] * w) ** 2 + self.beliefs.resolution**2
        return (
            self.covariance(v, self.x) * (1 + 1e-10 * np.eye(len(self.x)))
            + noise[:, :, None] * np.eye(len(self.x))
            + self.same * (tb[:, None] * w)[:, :, None] * (tb[:, None] * w)[:, None, :]
        )

    def __call__(self, v):
        # Far out in the tails the covariance has no root in double precision.
        inside = (v[:, 5:7] > 0).all(axis=1) & (v[:, 5:7] < 1).all(axis=1) & (np.abs(v) < 16).all(axis=1)
        inside &= (v[:, 3] < 5) & (v[:, 0] > -12)
        safe = np.where(inside[:, None], v, np.array([-4.0, 0, 0, -3, 0, 0.7, 0.5, 0, 0, 0])[: v.shape[1]])
        *_, shape, level, drop = self.unpack(safe)
        log_prior = sum(-0.5 * ((safe[:, i] - m) / s) ** 2 for i, (m, s) in self.normals.items())
        log_prior += (self.a - 1) * np.log(safe[:, 6]) + (self.b - 1) * np.log1p(-safe[:, 6])
        residual = self.y - mean_curve(self.mean, self.x, level, drop, shape)
        return np.where(inside, log_prior + gaussian(residual, self.total(safe)), -np.inf)

    def predictive(self, v):
        te, tb, kappa, sigma, _, shape, level, drop = self.unpack(v)
        total, cross = self.total(v), self.covariance(v, np.array([NEW]))[:, :, 0]
        gain = np.linalg.solve(total, cross[..., None])[..., 0]
        location = mean_curve(self.mean, np.array([NEW]), level, drop, shape)[:, 0]
        location += (gain * (self.y - mean_curve(self.mean, self.x, level, drop, shape))).sum(axis=1)
        w = self.shrinkage(NEW, kappa)
        new = (w**2 * (te**2 + tb**2) + self.beliefs.resolution**2) / 3
        return location, np.sqrt(sigma**2 - (gain * cross).sum(axis=1) + new)

    def quantities(self, v):
        te, tb, _, sigma, _, shape, level, drop = self.unpack(v)
        return np.stack([level, level + drop, np.log(np.hypot(te, tb)), np.log(sigma), *shape], axis=1)


class PaperPosterior(CalibratedPosterior):
    """Coordinates: tau, sigma, lambda, shape, limit a, drop g at the smallest size."""

    def __init__(self, mean, curve, b):
        self.mean, self.x, self.beliefs = mean, SIZES, b
        self.y = np.array([curve.scores[curve.sizes == s].mean() for s in SIZES])
        self.best = self.y.max()
        self.sigma_prior = elicit_sigma(float(1 - self.best), 0.2)

    def start(self, posterior, index):
        p, n = posterior.nodes.parameters, posterior.nodes
        limit = n.level + n.drop
        first = limit - mean_curve(self.mean, SIZES[:1], n.level, n.drop, n.shape)[:, 0]
        return np.stack([p["tau_e"], p["sigma"], p["lam"], n.shape[0], limit, first], axis=1)[index]

    def unpack(self, v):
        tau, sigma, lam, shape, limit, first = v.T
        if self.mean == "power_law":
            drop = first * (SIZES[-1] / SIZES[0]) ** -shape
        else:
            end = np.tan(np.pi / 2 * (1 - first)) * (SIZES[-1] / SIZES[0]) ** shape
            drop = 1 - 2 / np.pi * np.arctan(end)
        return tau, 0 * tau, 0 * tau, sigma, lam, (shape,), limit - drop, drop

    def correlation(self, ratio):
        return np.exp(-0.5 * ratio**2)

    def total(self, v):
        return self.covariance(v, self.x) + v[:, 0, None, None] ** 2 * np.eye(5)

    def __call__(self, v):
        tau, sigma, lam, shape, limit, first = v.T
        inside = (tau > 1e-5) & (sigma > 1e-9) & (lam > 1e-3) & (shape > 0) & (shape < 1)
        inside &= (limit > self.best) & (limit < 1) & (first > 1e-9) & (first < limit)
        safe = np.where(inside[:, None], v, np.array([0.01, 0.02, 1.0, 0.5, (1 + self.best) / 2, 0.1]))
        log_prior = -0.5 * ((safe[:, 0] - 0.01) / 0.01) ** 2 - np.log(safe[:, 4])
        log_prior += -0.5 * ((safe[:, 1] - self.sigma_prior.loc) / self.sigma_prior.scale) ** 2
        log_prior += -0.5 * ((safe[:, 2] - LAMBDA_WRITTEN.loc) / LAMBDA_WRITTEN.scale) ** 2
        *_, exponent, level, drop = self.unpack(safe)
        residual = self.y - mean_curve(self.mean, self.x, level, drop, exponent)
        return np.where(inside, log_prior + gaussian(residual, self.total(safe)), -np.inf)

    def predictive(self, v):
        tau, _, _, sigma, _, shape, level, drop = self.unpack(v)
        total, cross = self.total(v), self.covariance(v, np.array([NEW]))[:, :, 0]
        gain = np.linalg.solve(total, cross[..., None])[..., 0]
        location = mean_curve(self.mean, np.array([NEW]), level, drop, shape)[:, 0]
        location += (gain * (self.y - mean_curve(self.mean, self.x, level, drop, shape))).sum(axis=1)
        return location, np.sqrt(sigma**2 - (gain * cross).sum(axis=1) + tau**2)


# Each mean, each curve, each prior; not each with each, which would take minutes.
CASES = {
    **{(f"calibrated {i}", mean): (pilot_curve(i), CALIBRATED) for i, mean in enumerate(MEANS)},
    **{("moved by signs", mean): (detailed_curve(0), MOVED) for mean in ("power_law", "burr")},
    **{
        (f"paper {i}", mean): (pilot_curve(i), paper_beliefs(WRITTEN))
        for i, mean in ((3, "power_law"), (4, "arctan"), (5, "power_law"))
    },
}


@pytest.mark.parametrize(("name", "mean"), CASES)
def test_posterior_and_predictive_are_those_of_emcee(name, mean, monkeypatch):
    # All nodes, not the few that are kept for forecasts.
    everything = compiled_integral.ROUNDS._replace(components=10**6)
    monkeypatch.setattr(compiled_integral, "ROUNDS", everything)
    curve, beliefs = CASES[name, mean]
    only_means = not beliefs.uses_replicates
    target = (PaperPosterior if only_means else CalibratedPosterior)(mean, curve, beliefs)
    rng = np.random.default_rng(1)
    ours = integrate(Density(MEANS[mean], beliefs), Statistics.of(curve, only_means=only_means), 0).drawn(rng)
    walkers = 64
    first = target.start(ours, rng.choice(len(ours.weights), walkers, p=ours.weights))
    first = first * (1 + 1e-4 * rng.normal(size=first.shape))
    # Not the snooker move: mixed in, it shifts the noise of the fifth curve by a third of its spread.
    moves = emcee.moves.DEMove()
    chains = emcee.EnsembleSampler(walkers, first.shape[1], target, vectorize=True, moves=moves)
    chains.random_state = np.random.RandomState(2).get_state()
    # Walkers begin where there is some density, no two at the same place.
    first = first[np.isfinite(target(first))]
    others = first[np.arange(walkers) % len(first)] * (1 + 1e-5 * rng.normal(size=(walkers, first.shape[1])))
    others = others[np.isfinite(target(others))]
    first = np.concatenate([first, others])[:walkers]
    assert len(first) == walkers
    chains.run_mcmc(first, 4000, skip_initial_state_check=True)
    run = chains.get_chain(discard=500)
    # A walker that began far out in a tail may never find its way back.
    moving = np.ptp(run, axis=0).max(axis=1) > 0
    assert moving.sum() >= walkers - 2
    run = run[:, moving]
    steps = emcee.autocorr.integrated_time(run, quiet=True).max()
    chain = run[::10].reshape(-1, run.shape[2])
    effective = 1 / (1 / (3500 * moving.sum() / steps) + 1 / ours.effective_size)

    own = target.quantities(target.start(ours, np.arange(len(ours.weights))))
    theirs = target.quantities(chain)
    # By probabilities: the tails are so heavy that no chain of this length knows a standard deviation.
    for p in (0.05, 0.25, 0.5, 0.75, 0.95):
        share = ours.weights @ (own <= np.quantile(theirs, p, axis=0))
        assert (np.abs(share - p) < 4 * np.sqrt(p * (1 - p) / effective)).all()

    levels = np.array([0.025, 0.5, 0.975])
    locations, scales = ours.predict(np.array([NEW]), "new_splits", 3.0 if not only_means else 1.0)
    ours_at = Forecast(np.array([NEW]), locations, scales, ours.weights)
    some = chain[rng.choice(len(chain), 4000, replace=False)]
    location, scale = target.predictive(some)
    theirs_at = Forecast(np.array([NEW]), location[:, None], scale[:, None], np.full(len(some), 1 / len(some)))
    # How far apart in probability the two put each other's quantiles.
    miss = np.abs(ours_at.cdf(theirs_at.quantile(levels))[:, 0] - levels)
    assert (miss < 4 * np.sqrt(levels * (1 - levels) / effective) + 2e-3).all()
