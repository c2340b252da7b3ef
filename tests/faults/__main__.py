"""`python -m faults 20 --seed 1`: so many faults of each kind; exit code 1 if anything was lost, doubled or changed."""

import argparse
import sys
import tempfile
from pathlib import Path

from faults.scenarios import SCENARIOS, line, seeded, table

if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="faults", description=__doc__)
    options.add_argument("number", type=int, nargs="?", default=20)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=sorted(SCENARIOS), action="append")
    given = options.parse_args()
    found = {}
    try:
        for name in given.only or SCENARIOS:
            with tempfile.TemporaryDirectory() as folder:
                found[name] = SCENARIOS[name](Path(folder), given.number, seeded(given.seed))
            print(line(name, found[name]), file=sys.stderr, flush=True)  # noqa: T201
    except KeyboardInterrupt:
        pass  # enough: the kinds that are through count
    print(table(found))  # noqa: T201
    sys.exit(any(count[what] for count in found.values() for what in ("lost", "doubled", "changed")))
