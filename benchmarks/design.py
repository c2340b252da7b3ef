"""Designs on real curves: `design.py [--folds FILE] [--curves 100] [--parts promises advice first reach]`.

Curves are those of LCDB 1.0 (AUROC of single runs), whose many seeds let any design be carried out. With the folds that
`calibrate.py --cv --out FILE` wrote, priors are those fitted without the task at hand. Truth is the mean over all runs.
Scores at all designs are compared on the same curves; standard errors are clustered by task.

promises  widths that were promised for fixed designs against the actual ones, and whether intervals cover
advice    following the advice against evenly spaced designs of the same cost, and against none
first     first pilots of the same cost: spans, splits against sizes, and what the priors advise
reach     how far a pilot of a given end can see
speed     what an answer takes
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

import calibrate
import lcdb
import pilots
from apexgp import APExGP, Forecast, LearningCurve, design_pilot, metrics
from apexgp.design.designs import Design, DesignSpace, make_price
from apexgp.design.judge import Judge
from apexgp.design.knowledge import knowledge_from_posterior
from apexgp.design.simulated_scores import fit_designs, simulate_scores
from apexgp.estimators import fit_together
from scoring import clustered_error

PILOT = np.array([64.0, 91, 128, 181, 256, 362])
FURTHER = np.array([512.0, 724, 1024])
SPLITS = 3
DRAWS = 6
BEYOND = "forecast 8 to 16 times beyond the pilot"
COVERS = ("80 % covers (z)", "95 % covers (z)")
FIXED = {
    "own splits at 512": Design((512.0,), SPLITS, continued=True),
    "own splits at 724": Design((724.0,), SPLITS, continued=True),
    "own splits at 512, 724, 1024": Design((512.0, 724.0, 1024.0), SPLITS, continued=True),
    "10 new splits at 362": Design((362.0,), 10),
    "3 new splits at 64 to 362": Design(tuple(PILOT.tolist()), 3),
    "5 new splits at 64, 362": Design((64.0, 362.0), 5),
    "10 new splits at 724": Design((724.0,), 10),
    "3 new splits at 64, 362, 1024": Design((64.0, 362.0, 1024.0), 3),
}


@dataclass(frozen=True)
class Case:
    """A curve with the runs that measure it, and the size that matters."""

    task: str
    learner: str
    runs: pilots.Runs
    at: float
    truth: float
    order: np.ndarray
    """Of the seeds that have all sizes: the first are the pilot's, the next the new splits."""

    def scores(self, sizes: Sequence[float], splits: slice) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sizes, scores and labels of some splits."""
        columns = np.searchsorted(self.runs.sizes, np.array(sizes))
        rows = self.order[splits]
        table = self.runs.scores[np.ix_(rows, columns)]
        return np.tile(sizes, len(rows)), table.ravel(), np.repeat(rows, len(columns)).astype(object)

    def curve(self, *parts: tuple[np.ndarray, np.ndarray, np.ndarray]) -> LearningCurve:
        sizes, scores, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return LearningCurve(sizes, scores, labels)

    def pilot(self, splits: int = SPLITS) -> LearningCurve:
        return self.curve(self.scores(PILOT, slice(0, splits)))

    def after(self, design: Design) -> LearningCurve:
        """The pilot with what the design shows."""
        which = slice(0, SPLITS) if design.continued else slice(SPLITS, SPLITS + design.n_splits)
        return self.curve(self.scores(PILOT, slice(0, SPLITS)), self.scores(design.sizes, which))


@lru_cache
def pool() -> list[pilots.Curve]:
    return pilots.read_curves()["AUROC"]


def cases(count: int, seed: int, sizes: np.ndarray, least: float, splits: int) -> Iterator[Case]:
    """Curves with so many complete splits at these sizes, and a size that matters at `least` to twice that."""
    rng = np.random.default_rng(seed)
    for i in rng.permutation(len(pool())):
        runs = pool()[i]
        if not np.isin(sizes, runs.sizes).all():
            continue
        complete = ~np.isnan(runs.scores[:, np.searchsorted(runs.sizes, sizes)]).any(axis=1)
        enough = (~np.isnan(runs.scores)).sum(axis=0) >= lcdb.LEAST_RUNS
        far = np.flatnonzero((runs.sizes >= least) & (runs.sizes <= 2 * least) & enough)
        order = rng.permutation(np.flatnonzero(complete))
        if len(order) < splits or not far.size:
            continue
        at = int(far[0])
        first = runs.scores[np.ix_(order[:SPLITS], np.searchsorted(runs.sizes, sizes))]
        if first.mean(axis=0).max() >= lcdb.NOTHING_LEFT:
            continue
        truth = float(np.nanmean(runs.scores[:, at]))
        yield Case(runs.task, runs.learner, runs, float(runs.sizes[at]), truth, order)
        count -= 1
        if not count:
            return


def figures(forecast: Forecast, truth: float) -> dict[str, float]:
    """What was found."""
    (low,), (high,) = forecast.interval(0.95)
    (left,), (right,) = forecast.interval(0.8)
    return {
        "width": high - low,
        "crps": float(metrics.crps(forecast, [truth])),
        "covers_95": float(low <= truth <= high),
        "covers_80": float(left <= truth <= right),
    }


def settings(case: Case, folds: dict | None) -> APExGP:
    return APExGP(priors=calibrate.beliefs_for(case.task, folds))


def after(models: Sequence[object], case: Case) -> list[dict[str, float]]:
    return [figures(model.forecast([case.at], of="expected"), case.truth) for model in models]


def promises(count: int, folds: dict | None) -> None:
    """Fixed designs: what was promised, by the closed form and by fits, and what was found."""
    rows, ranks = [], []
    for case in cases(count, 1, np.append(PILOT, FURTHER), 8 * PILOT[-1], SPLITS + 10):
        method = settings(case, folds)
        curves = [case.pilot(), *(case.after(design) for design in FIXED.values())]
        before, *models = fit_together(method, curves)
        asked, last = np.array([case.at]), float(PILOT[-1])
        grid = np.geomspace(last, 50 * last, 17)
        known = knowledge_from_posterior(before.posterior, np.unique(np.concatenate([PILOT, FURTHER, asked, grid])))
        judge = Judge(before, curves[0], known, asked, grid, None, 0.8, by_size=False)
        room = DesignSpace(np.append(PILOT, FURTHER), PILOT, SPLITS, make_price(None, PILOT), np.inf, (1,))
        told = {one.design: one for one in judge.rank(FIXED.values(), room)}
        data = simulate_scores(known, curves[0], DRAWS, 10, 1.0, 0)
        shares, refits = fit_designs(list(FIXED.values()), data, curves[0], method, method._build_checked_engine())
        now = figures(before.forecast(asked, of="expected"), case.truth)
        tried = [judge.judge_fits(told[d], own, shares) for d, own in zip(FIXED.values(), refits, strict=True)]
        ranks.append(spearmanr([told[d].risk for d in FIXED.values()], [one.risk for one in tried]).statistic)
        for (name, design), exact, came in zip(FIXED.items(), tried, after(models, case), strict=True):
            own = {"design": name, "task": case.task, "now": now["width"], "told": told[design].widths[0]}
            rows.append(own | {"tried": exact.widths[0], "crps_now": now["crps"], "risk": exact.risk} | came)
    table = pd.DataFrame(rows)
    print(f"\nPromises: {len(ranks)} curves, pilots of {SPLITS} splits at {PILOT[0]:.0f} to {PILOT[-1]:.0f}, {BEYOND}")
    print(
        f"Rank correlation of the closed form with fits over the {len(FIXED)} designs: mean {np.mean(ranks):.3f}, "
        f"median {np.median(ranks):.3f}\n"
    )
    promised = ("width now", "promised in closed form", "promised by fits", "actual", "actual over promised")
    print_head("design", *promised, "CRPS now", "promised", "actual", *COVERS)
    for name, own in [*table.groupby("design", sort=False), ("*all*", table)]:
        ratio = own.width.mean() / own.tried.mean()
        widths = [f"{own[c].mean():.3f}" for c in ("now", "told", "tried", "width")]
        scores = [f"{own[c].mean():.4f}" for c in ("crps_now", "risk", "crps")]
        print_row([name, *widths, f"{ratio:.2f}", *scores, covers(own, 80), covers(own, 95)])


def print_head(*names: str) -> None:
    """The head of a Markdown table."""
    print_row(names)
    print_row(["---"] * len(names))


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def covers(rows: pd.DataFrame, level: int) -> str:
    column = rows[f"covers_{level}"]
    error = clustered_error(column, rows.task)
    return f"{100 * column.mean():.1f} ({(column.mean() - level / 100) / error if error else 0:.1f})"


def advice(count: int, folds: dict | None, confirm: int = 3) -> None:
    """Following the advice against evenly spaced designs of the same cost."""
    budget, even_sizes = 12, {362.0: (64.0, 128.0, 181.0, 362.0), 724.0: (64.0, 128.0, 362.0, 724.0)}
    for available, even in even_sizes.items():
        rows = []
        sizes = np.append(PILOT, FURTHER)
        for case in cases(count, 2, sizes, 8 * PILOT[-1], SPLITS + budget):
            method = settings(case, folds)
            before = method.fit(case.pilot())
            measurable = sizes[sizes <= available]
            found = design_pilot(before, budget, at=case.at, sizes=measurable, available=available, confirm=confirm)
            designs = {
                "nothing more": None,
                "2 new splits at every pilot size": Design(tuple(PILOT.tolist()), 2),
                f"3 new splits at 4 even sizes to {available:.0f}": Design(even, 3),
                "the advice": found.best.design,
                "the frugal advice": found.frugal.design,
            }
            models = [before, *fit_together(method, [case.after(d) for d in designs.values() if d is not None])]
            for (name, design), came in zip(designs.items(), after(models, case), strict=True):
                promised = {"the advice": found.best, "the frugal advice": found.frugal}.get(name)
                own = {"design": name, "task": case.task, "fits": 0 if design is None else design.fits}
                own["promised"] = np.nan if promised is None else promised.widths[0]
                rows.append(own | came)
        table = pd.DataFrame(rows)
        even_rows = table[table.design.str.contains("even")].reset_index()
        print(f"\nAdvice: {len(even_rows)} curves, {budget} fits, sizes up to {available:.0f}, {BEYOND}\n")
        print_head("design", "fits", "width promised", "width", "CRPS", "below even (z)", *COVERS)
        for name, own in table.groupby("design", sort=False):
            gain = even_rows.crps - own.reset_index().crps
            error = clustered_error(gain, even_rows.task)
            better = f"{gain.mean():+.4f} ({gain.mean() / error if error else 0:.1f})"
            line = [name, f"{own.fits.mean():.1f}", f"{own.promised.mean():.3f}", f"{own.width.mean():.3f}"]
            print_row([*line, f"{own.crps.mean():.4f}", better, covers(own, 80), covers(own, 95)])


def first(count: int, folds: dict | None) -> None:
    """First pilots of the same cost that end at the same size."""
    every = pilots.ROUNDED[:10]  # 16 to 362
    names = {
        "3 sizes, 2x span, 6 splits": ((181, 256, 362), 6),
        "3 sizes, 8x span, 6 splits": ((45, 128, 362), 6),
        "3 sizes, 23x span, 6 splits": ((16, 64, 362), 6),
        "6 sizes, 6x span, 3 splits": ((64, 91, 128, 181, 256, 362), 3),
        "6 sizes, 23x span, 3 splits": ((16, 32, 64, 128, 256, 362), 3),
        "9 sizes, 16x span, 2 splits": ((23, 32, 45, 64, 91, 128, 181, 256, 362), 2),
        "2 low and 4 high sizes, 3 splits": ((16, 23, 128, 181, 256, 362), 3),
        "4 sizes, 3x span, 4 splits": ((128, 181, 256, 362), 4),
        "5 sizes, 4x span, 3 splits": ((91, 128, 181, 256, 362), 3),
        "1 split at 10 sizes": ((16, 23, 32, 45, 64, 91, 128, 181, 256, 362), 1),
    }
    found = design_pilot(APExGP(floor=0.5), 18, at=3620, sizes=every, available=362, confirm=5)
    print(f"\nThe priors advise, for 18 fits up to 362 and a size of 3,620:\n{found}\n")
    names["the priors' advice"] = (tuple(int(size) for size in found.best.sizes), found.best.n_splits)
    rows = []
    for case in cases(count, 3, every, 8 * PILOT[-1], 6):
        method = settings(case, folds)
        curves = [case.curve(case.scores(np.array(sizes, float), slice(0, splits))) for sizes, splits in names.values()]
        for name, came in zip(names, after(fit_together(method, curves), case), strict=True):
            rows.append({"design": name, "task": case.task} | came)
    table = pd.DataFrame(rows)
    usual = table[table.design == "6 sizes, 6x span, 3 splits"].reset_index()
    print(f"First pilots: {len(rows) // len(names)} curves, about 18 fits that end at 362, 8 to 16 times beyond\n")
    print_head("pilot", "width", "CRPS", "below 6 sizes, 6x (z)", COVERS[1])
    for name, own in table.groupby("design", sort=False):
        gain = usual.crps - own.reset_index().crps
        error = clustered_error(gain, usual.task)
        better = f"{gain.mean():+.4f} ({gain.mean() / error if error else 0:.1f})"
        print_row([name, f"{own.width.mean():.3f}", f"{own.crps.mean():.4f}", better, covers(own, 95)])


def reach(count: int, folds: dict | None) -> None:
    """How far a pilot of a given end can see: six sizes over a factor of 6, three splits."""
    print("\nReach: six sizes, three splits; figures at 2 to 4, 4 to 8, 8 to 16 and 16 to 32 times the end\n")
    print_head("pilot ends at", "width", "CRPS", "rise since the end", "curves")
    for end in (91, 181, 362, 724, 1448, 2896):
        last = int(np.searchsorted(pilots.ROUNDED, end))
        sizes = pilots.ROUNDED[last - 5 : last + 1]
        columns = []
        for times in (2, 4, 8, 16):
            found = []
            for case in cases(count, 4, sizes, times * end, 6):
                model = settings(case, folds).fit(case.curve(case.scores(sizes, slice(0, 3))))
                ended = np.nanmean(case.runs.scores[:, np.searchsorted(case.runs.sizes, end)])
                own = figures(model.forecast([case.at], of="expected"), case.truth)
                found.append(own | {"rise": case.truth - ended})
            columns.append(pd.DataFrame(found).mean() if len(found) >= 20 else None)
            columns[-1] = None if columns[-1] is None else columns[-1].to_dict() | {"curves": len(found)}
        cells = [
            " ".join("-" if own is None else f"{own[name]:{form}}" for own in columns)
            for name, form in (("width", ".3f"), ("crps", ".4f"), ("rise", ".3f"), ("curves", "d"))
        ]
        print_row([str(end), *cells])


def speed(count: int, folds: dict | None) -> None:
    """Processor time of an answer, in closed form and with the best designs tried."""
    case = next(cases(1, 5, np.append(PILOT, FURTHER), 8 * PILOT[-1], SPLITS))
    model = settings(case, folds).fit(case.pilot())
    for what, confirm in (("in closed form", 0), ("with the best tried", 3)):
        seconds = []
        for seed in range(3):
            start = time.process_time()
            found = design_pilot(model, 12, at=case.at, available=1024, confirm=confirm, seed=seed)
            seconds.append(time.process_time() - start)
        print(f"{len(found.designs)} designs {what}: {np.median(seconds):.2f} s of processor time")


PARTS = {"promises": promises, "advice": advice, "first": first, "reach": reach, "speed": speed}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=100, help="at most so many")
    parser.add_argument("--confirm", type=int, default=3, help="designs that the advice tries on drawn data")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    folds = calibrate.read_folds(given.folds)
    for part in given.parts:
        more = {"confirm": given.confirm} if part == "advice" else {}
        PARTS[part](given.curves, folds, **more)


if __name__ == "__main__":
    main()
