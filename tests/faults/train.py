"""A training program that faults happen to: `python train.py N SEED FOLDER HOW [SECONDS]`.

HOW is what goes wrong: nothing (well); at the first start of each fit, it hangs, prints nothing, or prints NaN; or
every third start of all ends with exit code 1. FOLDER is where it notes its starts, and whether another of the same fit
runs.
"""

import fcntl
import sys
import time
from pathlib import Path


def score(n, seed):
    """What it measures, to all its digits."""
    return 0.9 - 0.7 * n**-0.5 + 0.001 * seed


def main(n, seed, folder, how, seconds=0.05):
    with open(folder / f"{n}-{seed}.lock", "w") as alone, open(folder / "starts", "a") as starts:
        try:
            fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            (folder / "twice").touch()
        fcntl.flock(starts, fcntl.LOCK_EX)
        before = (folder / "starts").read_text().split()
        starts.write(f"{n}-{seed}\n")
        starts.flush()
        fcntl.flock(starts, fcntl.LOCK_UN)
        first = f"{n}-{seed}" not in before
        if how == "third" and len(before) % 3 == 2:
            sys.exit(1)
        if how == "hangs" and first:
            time.sleep(600)
        time.sleep(float(seconds))
        if how == "nothing" and first:
            return
        print("score", "nan" if how == "nan" and first else score(n, seed))  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
