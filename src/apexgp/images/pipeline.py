"""From files to embeddings: threads read while the model is at work, always in the order given."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import DAMAGED
from ..errors import ApexError
from .items import Item
from .preprocess import Planes, Preprocessing

__all__ = ["EmbeddedCase", "UnreadableCase", "embed_batches", "read_in_order"]

_MOST_READERS = 8


@dataclass(frozen=True)
class UnreadableCase:
    """A case that cannot be used, and the reason."""

    item: Item
    reason: str


@dataclass(frozen=True)
class EmbeddedCase:
    """Embeddings of a case, one row per plane."""

    item: Item
    rows: NDArray[np.float32]
    remarks: tuple[str, ...]


def read_in_order(
    items: Iterable[Item], preprocessing: Preprocessing, ahead: int
) -> Generator[tuple[Item, Planes | UnreadableCase], None, None]:
    """Read cases in order, at most `ahead` of the one that is asked for, so that memory stays small."""
    left = iter(items)
    pool = ThreadPoolExecutor(min(_MOST_READERS, os.cpu_count() or 1), thread_name_prefix="apexgp-read")
    waiting: deque[tuple[Item, Future[Planes | UnreadableCase]]] = deque()

    def begin(count: int) -> None:
        for item in islice(left, count):
            waiting.append((item, pool.submit(_read_case, item, preprocessing)))

    try:
        begin(ahead)
        while waiting:
            item, reading = waiting.popleft()
            found = reading.result()
            begin(1)
            yield item, found
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _read_case(item: Item, preprocessing: Preprocessing) -> Planes | UnreadableCase:
    if not (item.path.is_file() or item.path.is_dir()):
        return UnreadableCase(item, "is not an ordinary file")  # to open a pipe would wait for ever
    try:
        return preprocessing.read_planes(item.path)
    except ImportError:
        raise  # what is not installed is no fault of the file
    except ApexError as problem:
        return UnreadableCase(item, f"{problem}".rstrip("."))
    except OSError as problem:
        return UnreadableCase(item, f"cannot be read: {problem.strerror or type(problem).__name__}")
    except MemoryError:
        return UnreadableCase(item, "is too large for the memory of this machine")
    except DAMAGED as problem:  # values of a header that make no sense; what is said of them may quote it
        return UnreadableCase(item, f"cannot be read ({type(problem).__name__})")


def embed_batches(
    items: Iterable[Item],
    preprocessing: Preprocessing,
    model: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    batch: int,
) -> Iterator[list[EmbeddedCase | UnreadableCase]]:
    """Embed cases in batches of planes; yield the cases that each batch finished.

    Batches depend on the order of the cases alone, so that a resumed run has the batches that it would have had.
    """
    # A scan is many planes: one being read and one that waits are enough to keep the model busy.
    ahead = 2 * batch if preprocessing.kind == "pictures" else 2
    cases: deque[_Case] = deque()
    planes: list[NDArray[Any]] = []
    finished: list[EmbeddedCase | UnreadableCase] = []
    reading = read_in_order(items, preprocessing, ahead)
    try:
        for item, found in reading:
            if isinstance(found, UnreadableCase):
                finished.append(found)
                continue
            cases.append(_Case(item, len(found.values), [], found.remarks))
            planes.extend(found.values)
            while len(planes) >= batch:
                _assign_rows(cases, model(preprocessing.make_batch(planes[:batch])))
                del planes[:batch]
                yield finished + _take_complete(cases)
                finished = []
        if planes:
            _assign_rows(cases, model(preprocessing.make_batch(planes)))
        yield finished + _take_complete(cases)
    finally:
        reading.close()


@dataclass
class _Case:
    """A case some of whose planes are not embedded yet."""

    item: Item
    n_planes: int
    rows: list[NDArray[np.float32]]
    remarks: tuple[str, ...]

    @property
    def n_left(self) -> int:
        return self.n_planes - sum(map(len, self.rows))


def _assign_rows(cases: Iterable[_Case], rows: NDArray[np.float32]) -> None:
    """Assign the rows of a batch to the cases that they belong to."""
    for case in cases:
        share, rows = rows[: case.n_left], rows[case.n_left :]
        if len(share):
            case.rows.append(share)


def _take_complete(cases: deque[_Case]) -> list[EmbeddedCase | UnreadableCase]:
    """Remove and return the complete cases, which are the first ones."""
    complete: list[EmbeddedCase | UnreadableCase] = []
    while cases and not cases[0].n_left:
        case = cases.popleft()
        rows = np.concatenate(case.rows)
        if np.isfinite(rows).all():
            complete.append(EmbeddedCase(case.item, rows, case.remarks))
        else:  # numbers too large for the precision of the model
            complete.append(UnreadableCase(case.item, "has embeddings that are not finite"))
    return complete
