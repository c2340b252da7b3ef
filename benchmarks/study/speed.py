"""Time of every method on the same curves in one run, and how that of some grows.

Processor time of a fit with its forecast, median and 95 % interval, on one core: `time.process_time`, which a busy
machine does not stretch. Ratios to the default say more than milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import process_time

import numpy as np

from apexgp import LearningCurve, forecast_many
from bayes_speed import NEW, pilot
from lcdb import Case
from study.methods import Method
from study.peers import NotAvailableError

GROWING = ("default", "published", "ls-power_law", "piecewise", "sklearn-gp")
SIZES, SPLITS, CURVES = (5, 10, 20, 40, 80), (3, 30, 300), (1, 8, 64, 256)


def case(rng: np.random.Generator, sizes: int = 6, splits: int = 3) -> Case:
    return Case("", "", pilot(rng, sizes, splits), NEW, {})


def milliseconds(method: Method, cases: list[Case]) -> float:
    """Median over the cases of the time that their answers take."""
    return float(np.median([_spent(lambda own=own: _answer(method, own)) for own in cases]))


def _answer(method: Method, own: Case) -> None:
    method.fit(own)("new_splits").quantile([0.025, 0.5, 0.975])


def _spent(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return 1e3 * (process_time() - start)


def each(known: dict[str, Method], curves: int) -> Iterator[str]:
    """A line a method: median time a curve."""
    rng = np.random.default_rng(0)
    cases = [case(rng) for _ in range(curves)]
    yield "| method | ms per curve | times the default |\n|---|---|---|"
    base = None
    for method in known.values():
        some = cases[: max(2, curves // method.every)]
        try:
            milliseconds(method, some[:1])  # what is imported or compiled once
            found = milliseconds(method, some)
        except NotAvailableError as problem:
            yield f"| {method.title} | - | {problem} |"
            continue
        base = base or found
        yield f"| {method.title} | {found:,.1f} | {found / base:,.2f} |"


def growth(known: dict[str, Method], repeats: int) -> Iterator[str]:
    """Time a curve by the number of sizes and of splits, as multiples of the first."""
    for what, numbers in {"sizes": SIZES, "splits": SPLITS}.items():
        yield (
            f"\n| method, {what} | "
            + " | ".join(f"{number}" for number in numbers)
            + " |\n|"
            + "---|" * (len(numbers) + 1)
        )
        for name in (name for name in GROWING if name in known):
            times = []
            for number in numbers:
                rng = np.random.default_rng(1)
                times.append(milliseconds(known[name], [case(rng, **{what: number}) for _ in range(repeats)]))
            cells = [f"{own:.1f} ms ({own / times[0]:.1f})" for own in times]
            yield f"| {known[name].title} | " + " | ".join(cells) + " |"


def batches(most: int) -> Iterator[str]:
    """Time a curve by how many go through `forecast_many` together, in this process."""
    counts = [count for count in CURVES if count <= most]
    yield "\n| curves | " + " | ".join(str(count) for count in counts) + " |\n|" + "---|" * (len(counts) + 1)
    cells = []
    for count in counts:
        rng = np.random.default_rng(2)
        curves: list[LearningCurve] = [pilot(rng) for _ in range(count)]
        spent = _spent(lambda curves=curves: list(forecast_many(curves, NEW, n_jobs=1)))
        cells.append(f"{spent / count:.1f} ms")
    yield "| the default, a curve | " + " | ".join(cells) + " |"


def lines(known: dict[str, Method], curves: int) -> Iterator[str]:
    yield f"## Every method, {curves} curves of 6 sizes and 3 splits, forecast at {len(NEW)} sizes"
    yield from each(known, curves)
    yield "\n## Growth with sizes and splits"
    yield from growth(known, max(1, curves // 6))
    yield "\n## Growth with curves"
    yield from batches(10 * curves)
