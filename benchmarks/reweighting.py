"""How good forecasts would be under other priors, without integrating again.

Nodes of every pilot are integrated once under broad priors. Any other prior is then a change of their weights, so the
mean log score of the forecasts is a cheap, smooth function of the priors' numbers, with a simple gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from joblib import Parallel, delayed
from scipy.special import betaln, digamma, expit

import numbers_of_priors as numbers
from apexgp import LearningCurve
from apexgp.inference.density import Density
from apexgp.inference.integral import integrate
from apexgp.inference.signs import FACTS, signs_of
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
SIZE_EDGES = (-0.9, 0.3, 1.2)  # in t = log(largest size / 362)
FEWEST = 40  # targets for a coverage or a mean PIT to mean anything
LEVELS = ((0.95, 0.962, 0.006), (0.8, 0.81, 0.015))
"""Probabilities of intervals; coverages that are aimed at, a little higher, since tasks to come are less alike than
those learnt from; and how much the step from inside to outside is softened, in PIT."""


@dataclass
class Nodes:
    """Nodes of P pilots under one mean, N of each, and what they say of up to Q targets."""

    task: np.ndarray
    group: np.ndarray
    tellings: list[dict[str, np.ndarray]]
    """Signs (P,) of the pilots for each of `TELLINGS`: the same nodes serve all, as the likelihood knows no signs."""
    horizon: np.ndarray
    """(P, Q), -1 where there is no target."""
    columns: np.ndarray
    """(P, N, D): normal variables behind the priors."""
    log_share: np.ndarray
    log_rest: np.ndarray
    """(P, N): logarithms of the share of the room that is still to be won, and of the rest."""
    log_likelihood: np.ndarray
    """(P, N): log weights without the prior that the nodes were integrated under."""
    location: np.ndarray
    scale: np.ndarray
    pdf: np.ndarray
    cdf: np.ndarray
    """(P, Q, N): each node's forecast of each target: its normal distribution, and density and PIT of the truth."""
    truth: np.ndarray

    def __len__(self) -> int:
        return len(self.task)

    def take(self, which: np.ndarray) -> Nodes:
        """Some of the pilots."""
        own = {name: value[which] for name, value in vars(self).items() if name != "tellings"}
        return Nodes(**own, tellings=[{name: sign[which] for name, sign in one.items()} for one in self.tellings])


_OF_PROBLEM = ("learner", "n_features", "n_classes")
TELLINGS = ("everything", "nothing", "some")


def tell(curve: LearningCurve, what: str, rng: np.random.Generator) -> LearningCurve:
    """The pilot when everything is known about it, nothing beside the scores, or some: half of it, or the problem."""
    if what == "everything":
        return curve
    about_problem = what == "some" and rng.random() < 0.5
    half = [name for name in FACTS if rng.random() < 0.5] if what == "some" else []
    kept = _OF_PROBLEM if about_problem else half
    named = curve.metric != "accuracy" or rng.random() < 0.5
    less = dict.fromkeys((name for name in FACTS if name not in kept), None)
    return replace(curve, **less, metric=curve.metric if named else "score")


def with_tellings(nodes: Nodes, pilots: Sequence[tuple[str, Case]], seed: int = 0) -> Nodes:
    """The nodes with the signs of their pilots for each of `TELLINGS`."""
    rng, tellings = np.random.default_rng(seed), []
    for what in TELLINGS:
        signs = [signs_of(tell(case.curve, what, rng), 1.0) for _, case in pilots]
        own = {name: np.array([sign[name] for sign in signs]) for name in signs[0]}
        tellings.append({numbers.OWN: np.ones(len(pilots))} | own)
    return replace(nodes, tellings=tellings)


def integrated(
    pilots: Sequence[tuple[str, Case]], mean: str, beliefs: Beliefs, seed: int = 0, n_jobs: int = 2
) -> Nodes:
    """Nodes of pilots (by group) under a mean, without what is told of them."""
    density = Density(MEANS[mean], beliefs)
    count, most = len(pilots), max(len(case.sizes) for _, case in pilots)
    # Own nodes for every pilot: a shared integration error would be learnt too.
    work = (delayed(_integrate)(density, case, [seed, i], most) for i, (_, case) in enumerate(pilots))
    by_pilot = Parallel(n_jobs=n_jobs, return_as="generator")(work)
    arrays: dict[str, np.ndarray] = {}
    for i, one in enumerate(by_pilot):
        for name, values in one.items():
            arrays.setdefault(name, np.empty((count, *values.shape), values.dtype))[i] = values
    found = Nodes(
        task=np.array([case.task for _, case in pilots]),
        group=np.array([list(GROUPS).index(group) for group, _ in pilots]),
        tellings=[],
        **arrays,
    )
    entries = numbers.entries_of(beliefs, mean)
    bare = {sign: np.zeros(count) for _, sign in entries} | {numbers.OWN: np.ones(count)}
    found.log_likelihood -= log_prior(found, bare, numbers.to_vector(beliefs, mean), entries)[0]
    return found


def _integrate(density: Density, case: Case, seed: list[int], most: int) -> dict[str, np.ndarray]:
    """Nodes of one pilot, padded to so many targets; arrays by their names in `Nodes`."""
    rng = np.random.default_rng(seed)
    while True:  # under very broad priors numbers overflow now and then
        posterior = integrate(density, Statistics.of(case.curve), int(rng.integers(2**31)))
        if posterior.weights.size and np.isfinite(posterior.weights).all():
            break
    # Many nodes that hardly count here may count under other priors: pick by tempered weights.
    tempered = posterior.weights**0.6 / (posterior.weights**0.6).sum()
    steps = (np.arange(KEPT) + rng.random()) / KEPT
    some = posterior.some(np.minimum(np.searchsorted(np.cumsum(tempered), steps), len(tempered) - 1))
    share, targets, truth = np.clip(some.drop_share, 1e-9, 1 - 1e-9), len(case.sizes), case.truths["new_splits"]
    location, scale, pdf, cdf = np.ones((4, most, KEPT), np.float32)
    horizons, truths = np.full(most, -1), np.full(most, np.nan)
    predicted = some.predict(case.sizes, "new_splits", some.statistics.typical_count)
    location[:targets], scale[:targets] = (values.T for values in predicted)
    forecast = TruncatedNormal(*predicted)
    pdf[:targets], cdf[:targets] = forecast.pdf(truth).T, forecast.cdf(truth).T
    horizons[:targets], truths[:targets] = horizon(case), truth
    columns = numbers.columns_of(some, density.window(some.statistics))
    logs = {"log_share": np.log(share), "log_rest": np.log1p(-share), "log_likelihood": 0.4 * np.log(some.weights)}
    return {
        **{name: values.astype(np.float32) for name, values in {"columns": columns, **logs}.items()},
        **{"location": location, "scale": scale, "pdf": pdf, "cdf": cdf, "horizon": horizons, "truth": truths},
    }


@dataclass(frozen=True)
class Slopes:
    """What the gradient needs of the prior at the nodes."""

    names: list[str]
    z: np.ndarray
    scale: np.ndarray
    by_log_a: np.ndarray
    by_log_b: np.ndarray


def log_prior(
    nodes: Nodes, signs: dict[str, np.ndarray], vector: np.ndarray, entries: list[tuple[str, str]]
) -> tuple[np.ndarray, Slopes]:
    """Logarithm of the prior density at every node, given the signs of the pilots, without constants."""
    rows = numbers.at(vector, entries, signs)
    names = [row.partition(" ")[2] for row in rows if row.startswith("loc ")]
    loc = np.stack([rows[f"loc {name}"] for name in names], axis=1).astype(np.float32)
    scale = np.exp(np.stack([rows[f"scale {name}"] for name in names], axis=1)).astype(np.float32)
    z = (nodes.columns - loc[:, None]) / scale[:, None]
    value = -0.5 * np.einsum("pnd,pnd->pn", z, z) - np.log(scale).sum(axis=1)[:, None]
    a, b = (np.exp(rows[name])[:, None].astype(np.float32) for name in ("share_a", "share_b"))
    value += (a - 1) * nodes.log_share + (b - 1) * nodes.log_rest - betaln(a, b)
    common = digamma(a + b)
    by_log_a, by_log_b = a * (nodes.log_share - digamma(a) + common), b * (nodes.log_rest - digamma(b) + common)
    return value, Slopes(names, z, scale, by_log_a, by_log_b)


def weights(
    nodes: Nodes, signs: dict[str, np.ndarray], vector: np.ndarray, entries: list[tuple[str, str]]
) -> tuple[np.ndarray, Slopes]:
    """Weights of the nodes under the priors that the numbers describe."""
    prior, slopes = log_prior(nodes, signs, vector, entries)
    log_weight = nodes.log_likelihood + prior
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    return weight, slopes


class Objective:
    """Minus the mean log score of forecasts, plus what is held and pulled; with its gradient."""

    def __init__(
        self, nodes: Nodes, entries: list[tuple[str, str]], start: np.ndarray, pull: np.ndarray, free: np.ndarray
    ) -> None:
        self.nodes, self.entries, self.start, self.pull, self.free = nodes, entries, start, pull / len(nodes), free
        # Cells of group and horizon weigh as their group does; pilots within a cell weigh alike.
        self.weight = np.zeros(nodes.horizon.shape)
        for h in range(len(HORIZONS)):
            for g, share in enumerate(GROUPS.values()):
                cell = (nodes.horizon == h) & (nodes.group == g)[:, None]
                pilots = cell.any(axis=1).sum()
                self.weight += share * cell / np.maximum(cell.sum(axis=1, keepdims=True), 1) / max(pilots, 1)
        self.weight /= self.weight.sum()
        self.held = [self._cells(signs) for signs in nodes.tellings]

    def _cells(self, signs: dict[str, np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Targets whose coverage is held, and those whose mean PIT is."""
        nodes, covered, centred = self.nodes, [], []
        size = np.digitize(signs["size"], SIZE_EDGES)
        single = (signs["single"] > 0) & (signs["several"] == 0)
        few_sizes = signs["one_size"] + signs["two_sizes"] > 0
        groups = [(nodes.group == g) & (few_sizes == few) for g in range(len(GROUPS)) for few in (False, True)]
        by_sign = [signs[name] > 0.3 for name in ("several", "one_size", "two_sizes", "top")]
        kinds = [signs[name] > 0.3 for name in ("few_per_class", "few_features", "many_features", *numbers.KINDS)]
        for h in range(len(HORIZONS)):
            here = nodes.horizon == h
            covered += [here & own[:, None] for own in (*groups, single & ~few_sizes, single & few_sizes, *by_sign)]
            sizes = [size == s for s in range(len(SIZE_EDGES) + 1)]
            centred += [here & own[:, None] for own in (*groups, *sizes, *by_sign, *kinds)]
        return tuple([cell for cell in cells if cell.sum() >= FEWEST] for cells in (covered, centred))

    def __call__(self, vector: np.ndarray) -> tuple[float, np.ndarray]:
        """Value and gradient for the numbers of the priors, averaged over what may be told."""
        gap, tellings = vector - self.start, len(self.nodes.tellings)
        value, slope = 0.5 * (self.pull * gap**2).sum(), self.pull * gap
        for signs, held in zip(self.nodes.tellings, self.held, strict=True):
            own, by_number = self._of_telling(vector, signs, held)
            value, slope = value + own / tellings, slope + by_number / tellings
        return value, np.where(self.free, slope, 0.0)

    def _of_telling(
        self, vector: np.ndarray, signs: dict[str, np.ndarray], held: tuple[list[np.ndarray], list[np.ndarray]]
    ) -> tuple[float, np.ndarray]:
        nodes = self.nodes
        weight, slopes = weights(nodes, signs, vector, self.entries)
        density = np.einsum("pqn,pn->pq", nodes.pdf, weight)
        mixed = (1 - UNFORESEEN) * density + UNFORESEEN
        by_density = self.weight * (1 - UNFORESEEN) / mixed
        pit = np.einsum("pqn,pn->pq", nodes.cdf, weight)
        penalty, by_pit = _penalty(pit, held)
        # How the value moves with the log weight of each node.
        gain = np.einsum("pq,pqn->pn", by_density.astype(np.float32), nodes.pdf)
        gain -= np.einsum("pq,pqn->pn", by_pit.astype(np.float32), nodes.cdf)
        gain = weight * (gain - (weight * gain).sum(axis=1, keepdims=True))
        by_loc = np.einsum("pn,pnd->pd", gain, slopes.z) / slopes.scale
        by_scale = np.einsum("pn,pnd->pd", gain, slopes.z**2 - 1)
        by_row = {f"loc {name}": by_loc[:, i] for i, name in enumerate(slopes.names)}
        by_row |= {f"scale {name}": by_scale[:, i] for i, name in enumerate(slopes.names)}
        by_row |= {"share_a": (gain * slopes.by_log_a).sum(axis=1), "share_b": (gain * slopes.by_log_b).sum(axis=1)}
        value = -(self.weight * np.log(mixed)).sum() + penalty
        return value, -numbers.gradient(by_row, self.entries, signs)


def _penalty(pit: np.ndarray, held: tuple[list[np.ndarray], list[np.ndarray]]) -> tuple[float, np.ndarray]:
    """Cost of coverages and mean PITs that are off, and its slope by each PIT."""
    total, slope = 0.0, np.zeros_like(pit)
    for cells, gaps in zip(held, (_coverage_gaps, _centre_gaps), strict=True):
        for cell in cells:
            for gap, by_pit, amount in gaps(pit, cell / cell.sum()):
                total += HELD * amount / len(cells) * gap**2
                slope += HELD * amount / len(cells) * 2 * gap * by_pit
    return total, slope


def _coverage_gaps(pit: np.ndarray, weight: np.ndarray) -> list[tuple[float, np.ndarray, float]]:
    off = pit - 0.5
    gaps = []
    for level, aim, width in LEVELS:
        inside = expit((level / 2 - np.abs(off)) / width)
        gap = (weight * inside).sum() - aim
        by_pit = -weight * inside * (1 - inside) / width * np.sign(off)
        gaps.append((gap, by_pit, 1.0 if gap < 0 else TOO_WIDE))
    return gaps


def _centre_gaps(pit: np.ndarray, weight: np.ndarray) -> list[tuple[float, np.ndarray, float]]:
    return [((weight * pit).sum() - 0.5, weight, 1.0)]
