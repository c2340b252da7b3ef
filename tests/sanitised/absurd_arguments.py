"""Arguments that the private entries of compiled code are never given: they must be refused, or do no harm."""

import sys
from unittest.mock import patch

import numpy as np

import apexgp.inference.compiled_integral as compiled_integral
import apexgp.numerics.truncated_mixture as truncated_mixture
import apexgp.numerics.truncated_normal as truncated_normal
from apexgp import APExGP, LearningCurve
from apexgp.compiled.loaded import compiled_loops

REFUSALS = (TypeError, ValueError, OverflowError, MemoryError, BufferError)
_NUMBERS = (np.nan, np.inf, -np.inf, -1.0, 0.0, -0.0, 0.5, 1.0, 7.0, 8.0, 5e-324, 1e9, 2.0**31, 2.0**63, 1e300, -1e300)
_INTEGERS = (-1, 0, 1, 2, 3, 4, 24, 25, 10**6, 2**31 - 1, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**63)


class _Recorder:
    """Compiled loops that remember how they were called."""

    def __init__(self, loops, calls):
        self._loops, self._calls = loops, calls

    def __getattr__(self, name):
        found = getattr(self._loops, name)
        if not callable(found):
            return found

        def call(*arguments):
            self._calls.append((name, tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)))
            return found(*arguments)

        return call


def record_calls():
    """Proper calls of every entry, as (name, arguments): of several structures and both means, with few points."""
    sizes = np.geomspace(60, 600, 4)
    scores = 0.9 - 0.3 * (sizes / 60) ** -0.5
    three = np.tile(sizes, 3), np.tile(scores, 3), np.arange(12) // 4
    ragged = LearningCurve(*(np.delete(column, 1) for column in three))
    curves = [LearningCurve(sizes, scores), LearningCurve(*three[:2]), ragged]
    calls, loops = [], compiled_loops()

    def recording(nodes=0):
        return None if nodes % loops.MOST_LANES else _Recorder(loops, calls)

    with (
        patch.object(compiled_integral, "compiled_loops", recording),
        patch.object(truncated_mixture, "compiled_loops", recording),
        patch.object(truncated_normal, "compiled_loops", recording),
        patch.object(compiled_integral, "_FEWEST_POINTS", 2048),
    ):
        for curve in curves:
            for mean in ("burr", "power_law"):
                APExGP(mean=mean).fit(curve).forecast([600.0, 6000.0]).quantile(np.linspace(0.01, 0.99, 40))
    return calls


def _spoil_array(array, rng):
    """An array in place of this one: of other numbers, another type, another shape, or in the way."""
    size = array.size
    flat = np.concatenate([array.ravel(), array.ravel()])
    if rng.random() < 0.5:  # other numbers
        spoilt = array.copy()
        numbers = _NUMBERS if array.dtype == float else [n for n in _INTEGERS if -(2**63) <= n < 2**63]
        at = slice(None) if rng.random() < 0.1 else rng.integers(0, max(size, 1), 1 + rng.integers(3))
        if size:
            spoilt.reshape(-1)[at] = rng.choice(numbers)
        return spoilt
    raw = np.zeros(8 * size + 8, np.uint8)
    choices = [
        lambda: array.astype(rng.choice(["f4", ">f8", "c16", "i4", "i8", "u8", "?", "O", "S8", "f2"])),
        lambda: array.view(rng.choice(["i8", "f8", "u8", "M8[s]", "V8"])),
        lambda: flat[: max(size + rng.choice([-8, -1, 1, 8]), 0)],
        lambda: flat[: size // 2],
        lambda: flat[::2],
        lambda: array.reshape(-1, 1),
        lambda: array.ravel(),
        lambda: array.T,
        lambda: np.asfortranarray(array),
        lambda: np.broadcast_to(0.0, array.shape),
        lambda: array[:0],
        lambda: np.zeros((0, 5)),
        lambda: np.array(1.0),
        lambda: raw[1 : 1 + 8 * size].view(array.dtype),
        lambda: memoryview(raw)[1 : 1 + 8 * size].cast("d"),
        lambda: array.tobytes(),
        lambda: memoryview(array.tobytes()),
        lambda: array.tolist(),
        lambda: None,
        lambda: "doubles",
        lambda: 1.0,
    ]
    spoilt = choices[rng.integers(len(choices))]()
    if isinstance(spoilt, np.ndarray) and rng.random() < 0.2:
        spoilt.setflags(write=False)
    return spoilt


def spoil(arguments, rng):
    """The arguments of a call with one to three of them spoilt."""
    spoilt = list(arguments)
    for which in rng.permutation(len(arguments))[: rng.integers(1, 4)]:
        own = arguments[which]
        if isinstance(own, tuple):
            counts = list(own)
            counts[rng.integers(len(counts))] = _INTEGERS[rng.integers(len(_INTEGERS))]
            spoilt[which] = [tuple(counts), tuple(counts), counts, own[1:], own + own, None, "12345"][rng.integers(7)]
        elif rng.random() < 0.1:  # the memory of another one, whatever its numbers are taken for
            alike = [a for a in arguments if isinstance(a, np.ndarray) and a.nbytes == own.nbytes]
            spoilt[which] = alike[rng.integers(len(alike))].view(own.dtype).reshape(own.shape)
        else:
            spoilt[which] = _spoil_array(own, rng)
    if rng.random() < 0.02:
        spoilt = spoilt[:-1] if rng.random() < 0.5 else [*spoilt, spoilt[-1]]
    return spoilt


def call_absurdly(seed, calls):
    """Call an entry with absurd arguments; gives whether they were refused."""
    rng = np.random.default_rng([37, seed])
    names = sorted({name for name, _ in calls})
    kind = names[rng.integers(len(names))] if rng.random() < 0.5 else "integrate"
    own = [arguments for name, arguments in calls if name == kind]
    arguments = spoil([a.copy() if isinstance(a, np.ndarray) else a for a in own[rng.integers(len(own))]], rng)
    held = _count_references(arguments)
    try:
        getattr(compiled_loops(), kind)(*arguments)
    except REFUSALS:
        refused = True
    else:
        refused = False
    assert _count_references(arguments) == held, f"{kind} holds on to its arguments"
    return refused


def _count_references(arguments):
    return [sys.getrefcount(a) for a in arguments if isinstance(a, np.ndarray)]
