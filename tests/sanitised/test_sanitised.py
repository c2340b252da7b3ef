"""Wild curves and absurd arguments: some of them in every run of the tests, all where compiled code is sanitised.

`python -m sanitised` makes that build and says where it is; errors in the use of memory then end the process.
"""

import contextlib
import ctypes
import os
import threading
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

from apexgp.compiled.loaded import compiled_loops
from conftest import missing
from sanitised.absurd_arguments import REFUSALS, call_absurdly, record_calls
from sanitised.wild_curves import fit_wild_curve

BUILD = os.environ.get("APEXGP_SANITISED")
BLOCKS = 40 if BUILD else 1
CURVES, CALLS = 50, 50  # in a block

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def loops():
    found = compiled_loops()
    if found is None:
        missing("the package was built without a compiler")
    if BUILD:
        assert Path(found.__file__).is_relative_to(BUILD)
    return found


@pytest.fixture(scope="module")
def calls(loops):
    return record_calls()


@pytest.fixture
def allocations(loops):
    """Those that are held, and how many more do not fail."""
    if not BUILD:
        pytest.skip("only the sanitised build counts its allocations")
    library = ctypes.CDLL(loops.__file__)
    return (ctypes.c_int.in_dll(library, name) for name in ("allocations_held", "allocations_before_failure"))


@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("block", range(BLOCKS))
def test_wild_curves_have_forecasts(block):
    accepted = [fit_wild_curve(seed) for seed in range(block * CURVES, (block + 1) * CURVES)]
    assert sum(accepted) > 0.8 * CURVES


@pytest.mark.parametrize("block", range(BLOCKS))
def test_absurd_arguments_do_no_harm(block, calls):
    refused = [call_absurdly(seed, calls) for seed in range(block * CALLS, (block + 1) * CALLS)]
    assert 0.3 * CALLS < sum(refused) < CALLS


def test_every_entry_is_called(loops, calls):
    entries = {name for name, found in vars(loops).items() if callable(found)}
    assert {name for name, _ in calls} == entries


@pytest.mark.parametrize("entry", ["integrate", "search", "tails"])
def test_arguments_may_change_while_they_are_used(entry, loops, calls):
    """Entries let other threads run, which may write to what was checked."""
    arguments = next(given for name, given in reversed(calls) if name == entry)
    arrays = [a for a in arguments if isinstance(a, np.ndarray) and a.size < 1000]
    proper, stopped = [a.copy() for a in arrays], threading.Event()

    def scribble():
        while not stopped.wait(1e-3):
            for array in arrays:
                array.fill(1e9)
            stopped.wait(1e-3)
            for array, own in zip(arrays, proper, strict=True):
                array[...] = own

    thread = threading.Thread(target=scribble)
    thread.start()
    try:
        accepted = 0
        while accepted < 20:
            with contextlib.suppress(*REFUSALS):
                getattr(loops, entry)(*arguments)
                accepted += 1
    finally:
        stopped.set()
        thread.join()
        for array, own in zip(arrays, proper, strict=True):
            array[...] = own


def test_memory_is_given_back_and_may_be_missing(loops, calls, allocations):
    held, before_failure = allocations
    assert held.value == 0
    given = [arguments for name, arguments in calls if name == "integrate"]
    wanted, arguments = max(((loops.integrate(*own), own) for own in given), key=itemgetter(0))
    refused = 0
    while True:
        before_failure.value = refused
        try:
            found = loops.integrate(*arguments)
        except MemoryError:
            refused += 1
        else:
            break
        finally:
            before_failure.value = -1
            assert held.value == 0
    assert found == wanted
    assert refused > 5
