"""A few faults of each kind; `make faults` brings about many."""

import sys

import pytest

from conftest import require
from faults.scenarios import SCENARIOS, seeded, table

# Left to `make faults`, since another test fails with them: kills of one process and of a worker in
# collect/test_parallel.py and collect/test_workers.py; what a program prints in collect/test_printed.py.
ELSEWHERE = {"killed, 1 process", "a worker killed", "run, prints nothing", "run, prints NaN"}
NUMBERS = {
    "killed, 2 workers": 1,
    "killed, Dask": 1,
    "two starts": 1,
    "disk full": 5,
    "run killed": 2,
    "run killed, 3 jobs": 1,
    "run, two starts": 1,
    "run, hangs": 1,
    "run, third exits 1": 1,
}


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and limits as Linux has them")
@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in ELSEWHERE])
def test_nothing_finished_is_lost_doubled_or_changed(tmp_path, name):
    if "Dask" in name:
        require("distributed")
    found = SCENARIOS[name](tmp_path, NUMBERS[name], seeded(1))
    assert found["faults"] >= NUMBERS[name]
    assert (found["lost"], found["doubled"], found["changed"]) == (0, 0, 0), table({name: found})
