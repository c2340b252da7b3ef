"""Start-up: processor time until the commands and the package are there, beside that of importing NumPy and SciPy.

Every run is a process of its own; the programs take turns, so that a busy machine is as busy for all of them. What
counts is the median of the ratios to `import numpy, scipy.special` of the same turn.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REPEATS = 9
PAIRS = "size,score\n60,0.66\n94,0.705\n147,0.722\n230,0.755\n360,0.768\n"
BASE = "import numpy, scipy.special"


def processor_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.csv"
        pairs.write_text(PAIRS)
        python, apexgp = [sys.executable, "-c"], [sys.executable, "-m", "apexgp"]
        programs = {
            BASE: ([*python, BASE], None),
            "apexgp --help": ([*apexgp, "--help"], 0.8),
            "import apexgp": ([*python, "import apexgp"], 1.3),
            "from apexgp import APExGP": ([*python, "from apexgp import APExGP"], None),
            "apexgp forecast pairs.csv": ([*apexgp, "forecast", str(pairs)], 2.5),
            "apexgp forecast --json": ([*apexgp, "forecast", str(pairs), "--json"], None),
            "import sklearn.base": ([*python, "import sklearn.base"], None),
        }
        for command, _ in programs.values():  # from a warm disk, with compiled modules
            processor_seconds(command)
        turns = [{name: processor_seconds(command) for name, (command, _) in programs.items()} for _ in range(REPEATS)]
    print(f"Start-up, median of {REPEATS} runs in turn")
    for name, (_, wanted) in programs.items():
        seconds = statistics.median(turn[name] for turn in turns)
        ratio = statistics.median(turn[name] / turn[BASE] for turn in turns)
        print(f"  {name:28} {seconds:5.2f} s  {ratio:5.2f} times" + (f"  (at most {wanted})" if wanted else ""))


if __name__ == "__main__":
    main()
