"""Cold start: importing apexgp, and `apexgp forecast` on a small file, beside importing what it stands on."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

PAIRS = "size,score\n60,0.66\n94,0.705\n147,0.722\n230,0.755\n360,0.768\n"


def least_seconds(command, repeats=7):
    times = []
    for _ in range(repeats):
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(perf_counter() - start)
    return min(times)


def main():
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.csv"
        pairs.write_text(PAIRS)
        base = least_seconds([sys.executable, "-c", "import scipy.optimize, sklearn.base"])
        ours = least_seconds([sys.executable, "-c", "import apexgp"])
        command = least_seconds([sys.executable, "-m", "apexgp", "forecast", str(pairs), "--at", "720"])
    print("Cold start, least of 7 runs")
    print(f"  import scipy.optimize, sklearn.base   {base:.2f} s")
    print(f"  import apexgp                         {ours:.2f} s  {ours / base:.2f} times")
    print(f"  apexgp forecast pairs.csv --at 720    {command:.2f} s  {command / base:.2f} times")


if __name__ == "__main__":
    main()
