"""A few faults of each kind; `make faults` brings about many."""

import sys

import pytest

from conftest import require
from faults.scenarios import SCENARIOS, seeded, table

NUMBERS = {
    "killed, 1 process": 1,  # and 8 moments in collect/test_parallel.py
    "killed, 2 workers": 1,
    "killed, Dask": 1,
    "a worker killed": 1,  # ten processes start; collect/test_workers.py kills more
    "two starts": 1,
    "disk full": 5,
    "run killed": 2,
    "run killed, 3 jobs": 1,
    "run, two starts": 1,
    "run, hangs": 1,
    "run, prints nothing": 1,
    "run, prints NaN": 1,
    "run, third exits 1": 1,
}


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and limits as Linux has them")
@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_finished_is_lost_doubled_or_changed(tmp_path, name):
    if "Dask" in name:
        require("distributed")
    found = SCENARIOS[name](tmp_path, NUMBERS[name], seeded(1))
    assert found["faults"] >= NUMBERS[name]
    assert (found["lost"], found["doubled"], found["changed"]) == (0, 0, 0), table({name: found})
