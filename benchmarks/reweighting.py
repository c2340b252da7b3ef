"""How good forecasts would be under other priors, without integrating again.

Nodes of every pilot are integrated once under broad priors. Any other prior is then a change of their weights, so the
mean log score of the forecasts is a cheap, smooth function of the priors' numbers, with a simple gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, digamma, expit

import numbers_of_priors as numbers
from apexgp.inference.density import Density
from apexgp.inference.posterior import Posterior
from apexgp.inference.sampler import integrate
from apexgp.inference.signs import signs_of
from apexgp.inference.statistics import Statistics
from apexgp.model.means import MEANS
from apexgp.numerics.truncated_normal import TruncatedNormal
from apexgp.priors import Beliefs
from lcdb import Case
from pilots import GROUPS
from scoring import HORIZONS, horizon

KEPT = 400  # nodes a pilot

# The density of a forecast counts as a mixture with this share of a uniform one: curves that no prior can foresee must
# not decide about the priors.
UNFORESEEN = 0.2
# Coverage by group and horizon, and mean PIT by size of the pilot and horizon, are held near what they should be: a
# mean coverage that is short by 0.02 in all cells costs as much as 0.04 in log score.
HELD = 100.0
TOO_WIDE = 0.1  # of that: an interval that holds more than it promises does less harm than one that holds less
FEW_SIZES = 4
SIZE_EDGES = (-0.9, 0.3, 1.2)  # in t = log(largest size / 362)
FEWEST = 40  # targets for a coverage or a mean PIT to mean anything
LEVELS = ((0.95, 0.006), (0.8, 0.015))
"""Coverages that are held, and how much the step from inside to outside is softened, in PIT."""


@dataclass
class Nodes:
    """Nodes of P pilots under one mean, N of each, and what they say of up to Q targets."""

    task: np.ndarray
    group: np.ndarray
    n_sizes: np.ndarray
    signs: dict[str, np.ndarray]
    horizon: np.ndarray
    """(P, Q), -1 where there is no target."""
    columns: np.ndarray
    """(P, N, D): normal variables behind the priors."""
    log_share: np.ndarray
    log_rest: np.ndarray
    """(P, N): logarithms of the share of the room that is still to be won, and of the rest."""
    log_likelihood: np.ndarray
    """(P, N): log weights without the prior that the nodes were integrated under."""
    pdf: np.ndarray
    cdf: np.ndarray
    """(P, Q, N): of each target, as each node forecasts it."""

    def __len__(self) -> int:
        return len(self.task)

    def take(self, which: np.ndarray) -> Nodes:
        """Some of the pilots."""
        own = {name: value[which] for name, value in vars(self).items() if name != "signs"}
        return Nodes(**own, signs={name: value[which] for name, value in self.signs.items()})

    def also_told_less(self, rng: np.random.Generator) -> Nodes:
        """Every pilot twice: as it is, and without training scores, test cases and, of half, the name of the metric.

        Signs are nothing that the likelihood knows of, so that the nodes serve both.
        """
        count = len(self)
        twice = self.take(np.tile(np.arange(count), 2))
        second = np.arange(2 * count) >= count
        for name in ("gap_known", "gap", "separable", "test_known", "test_noise"):
            twice.signs[name][second] = 0.0
        twice.signs["accuracy"][second & (rng.random(2 * count) < 0.5)] = 0.0
        return twice


def integrated(pilots: Sequence[tuple[str, Case]], mean: str, beliefs: Beliefs, seed: int = 0) -> Nodes:
    """Nodes of pilots (by group) under a mean."""
    density = Density(MEANS[mean], beliefs)
    count, most = len(pilots), max(len(case.sizes) for _, case in pilots)
    signs = [signs_of(case.curve, density.ceiling) for _, case in pilots]
    found = Nodes(
        task=np.array([case.task for _, case in pilots]),
        group=np.array([list(GROUPS).index(group) for group, _ in pilots]),
        n_sizes=np.array([len(case.curve.replicates.sizes) for _, case in pilots]),
        signs={numbers.OWN: np.ones(count)} | {name: np.array([own[name] for own in signs]) for name in signs[0]},
        horizon=np.full((count, most), -1),
        columns=np.empty((count, KEPT, len(density.names) - (not density.mean.scalable))),
        log_share=np.empty((count, KEPT)),
        log_rest=np.empty((count, KEPT)),
        log_likelihood=np.empty((count, KEPT)),
        pdf=np.ones((count, most, KEPT)),
        cdf=np.full((count, most, KEPT), 0.5),
    )
    rng = np.random.default_rng(seed)
    for i, (_, case) in enumerate(pilots):
        # Own nodes for every pilot: a shared integration error would be learnt too.
        posterior = _integrated(density, Statistics.of(case.curve), rng)
        # Many nodes that hardly count here may count under other priors: pick by tempered weights.
        tempered = posterior.weights**0.6 / (posterior.weights**0.6).sum()
        steps = (np.arange(KEPT) + rng.random()) / KEPT
        some = posterior.some(np.minimum(np.searchsorted(np.cumsum(tempered), steps), len(tempered) - 1))
        share = np.clip(some.drop_share, 1e-9, 1 - 1e-9)
        found.columns[i] = numbers.columns_of(some, density.window(some.statistics))
        found.log_share[i], found.log_rest[i] = np.log(share), np.log1p(-share)
        found.log_likelihood[i] = 0.4 * np.log(some.weights)
        location, scale = some.predict(case.sizes, "new_splits", some.statistics.typical_count)
        forecast, targets = TruncatedNormal(location, scale), len(case.sizes)
        found.horizon[i, :targets] = horizon(case)
        found.pdf[i, :targets] = forecast.pdf(case.truths["new_splits"]).T
        found.cdf[i, :targets] = forecast.cdf(case.truths["new_splits"]).T
    found.log_likelihood -= log_prior(found, numbers.to_vector(beliefs, mean), numbers.entries_of(beliefs, mean))[0]
    return found


def _integrated(density: Density, pilot: Statistics, rng: np.random.Generator) -> Posterior:
    """The posterior, integrated again where numbers overflowed: under very broad priors that happens now and then."""
    while True:
        posterior = integrate(density, pilot, int(rng.integers(2**31)))
        if posterior.weights.size and np.isfinite(posterior.weights).all():
            return posterior


@dataclass(frozen=True)
class Slopes:
    """What the gradient needs of the prior at the nodes."""

    names: list[str]
    z: np.ndarray
    scale: np.ndarray
    by_log_a: np.ndarray
    by_log_b: np.ndarray


def log_prior(nodes: Nodes, vector: np.ndarray, entries: list[tuple[str, str]]) -> tuple[np.ndarray, Slopes]:
    """Logarithm of the prior density at every node, without constants."""
    rows = numbers.at(vector, entries, nodes.signs)
    names = [row.partition(" ")[2] for row in rows if row.startswith("loc ")]
    loc = np.stack([rows[f"loc {name}"] for name in names], axis=1)
    scale = np.exp(np.stack([rows[f"scale {name}"] for name in names], axis=1))
    z = (nodes.columns - loc[:, None]) / scale[:, None]
    value = -0.5 * np.einsum("pnd,pnd->pn", z, z) - np.log(scale).sum(axis=1)[:, None]
    a, b = np.exp(rows["share_a"])[:, None], np.exp(rows["share_b"])[:, None]
    value += (a - 1) * nodes.log_share + (b - 1) * nodes.log_rest - betaln(a, b)
    common = digamma(a + b)
    by_log_a, by_log_b = a * (nodes.log_share - digamma(a) + common), b * (nodes.log_rest - digamma(b) + common)
    return value, Slopes(names, z, scale, by_log_a, by_log_b)


class Objective:
    """Minus the mean log score of forecasts, plus what is held and pulled; with its gradient."""

    def __init__(
        self, nodes: Nodes, entries: list[tuple[str, str]], start: np.ndarray, pull: np.ndarray, free: np.ndarray
    ) -> None:
        self.nodes, self.entries, self.start, self.pull, self.free = nodes, entries, start, pull / len(nodes), free
        # Cells of group and horizon weigh as their group does; pilots within a cell weigh alike.
        self.weight = np.zeros(nodes.horizon.shape)
        self.covered, self.centred = [], []
        size = np.digitize(nodes.signs["size"], SIZE_EDGES)
        for h in range(len(HORIZONS)):
            here = nodes.horizon == h
            for g, share in enumerate(GROUPS.values()):
                cell = here & (nodes.group == g)[:, None]
                pilots = cell.any(axis=1).sum()
                self.weight += share * cell / np.maximum(cell.sum(axis=1, keepdims=True), 1) / max(pilots, 1)
                self.covered.append(cell)
                self.centred.append(cell)
            single, unlabelled = nodes.signs["single"] > 0, nodes.signs["unlabelled"] > 0
            kinds = (unlabelled, single & ~unlabelled, nodes.n_sizes <= FEW_SIZES)
            self.covered += [here & kind[:, None] for kind in kinds]
            self.centred += [here & (size == s)[:, None] for s in range(len(SIZE_EDGES) + 1)]
        self.weight /= self.weight.sum()

    def __call__(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient for the numbers of the priors."""
        nodes = self.nodes
        prior, slopes = log_prior(nodes, vector, self.entries)
        log_weight = nodes.log_likelihood + prior
        weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
        weight /= weight.sum(axis=1, keepdims=True)
        density = np.einsum("pqn,pn->pq", nodes.pdf, weight)
        mixed = (1 - UNFORESEEN) * density + UNFORESEEN
        by_density = self.weight * (1 - UNFORESEEN) / mixed
        pit = np.einsum("pqn,pn->pq", nodes.cdf, weight)
        penalty, by_pit = self._penalty(pit)
        # How the value moves with the log weight of each node.
        gain = np.einsum("pq,pqn->pn", by_density, nodes.pdf) - np.einsum("pq,pqn->pn", by_pit, nodes.cdf)
        gain = weight * (gain - (weight * gain).sum(axis=1, keepdims=True))
        by_loc = np.einsum("pn,pnd->pd", gain, slopes.z) / slopes.scale
        by_scale = np.einsum("pn,pnd->pd", gain, slopes.z**2 - 1)
        by_row = {f"loc {name}": by_loc[:, i] for i, name in enumerate(slopes.names)}
        by_row |= {f"scale {name}": by_scale[:, i] for i, name in enumerate(slopes.names)}
        by_row |= {"share_a": (gain * slopes.by_log_a).sum(axis=1), "share_b": (gain * slopes.by_log_b).sum(axis=1)}
        gradient = numbers.gradient(by_row, self.entries, nodes.signs)
        gap = vector - self.start
        value = -(self.weight * np.log(mixed)).sum() + penalty + 0.5 * (self.pull * gap**2).sum()
        return value, np.where(self.free, self.pull * gap - gradient, 0.0)

    def _penalty(self, pit: np.ndarray) -> tuple[float, np.ndarray]:
        """Cost of coverages and mean PITs that are off, and its slope by each PIT."""
        total, slope = 0.0, np.zeros_like(pit)
        for cells, gaps in ((self.covered, _coverage_gaps), (self.centred, _centre_gaps)):
            for cell in cells:
                count = cell.sum()
                if count < FEWEST:
                    continue
                for gap, by_pit, amount in gaps(pit, cell / count):
                    total += HELD * amount / len(cells) * gap**2
                    slope += HELD * amount / len(cells) * 2 * gap * by_pit
        return total, slope


def _coverage_gaps(pit: np.ndarray, weight: np.ndarray) -> list[tuple[float, np.ndarray, float]]:
    off = pit - 0.5
    gaps = []
    for level, width in LEVELS:
        inside = expit((level / 2 - np.abs(off)) / width)
        gap = (weight * inside).sum() - level
        by_pit = -weight * inside * (1 - inside) / width * np.sign(off)
        gaps.append((gap, by_pit, 1.0 if gap < 0 else TOO_WIDE))
    return gaps


def _centre_gaps(pit: np.ndarray, weight: np.ndarray) -> list[tuple[float, np.ndarray, float]]:
    return [((weight * pit).sum() - 0.5, weight, 1.0)]
