"""`python -m fuzz 10000 --seed 1`: so many hostile inputs, over all classes; exit 1 if any was raw or broke down."""

import argparse
import signal
import sys

from fuzz.attacks import ATTACKS
from fuzz.runner import attack
from fuzz.tally import Tally

options = argparse.ArgumentParser(prog="fuzz", description=__doc__)
options.add_argument("inputs", type=int, nargs="?", default=10_000)
options.add_argument("--seed", type=int, default=0)
options.add_argument("--only", choices=sorted(ATTACKS), action="append")
given = options.parse_args()

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an end like others: what was written for the attacks goes
tally = Tally()
groups = given.only or list(ATTACKS)
try:
    for group in groups:
        attack(tally, group, max(1, given.inputs // len(groups)), given.seed)
except KeyboardInterrupt:
    pass  # enough: what was tried until then counts
print(tally.report())  # noqa: T201
sys.exit(not tally.clean)
