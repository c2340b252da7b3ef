"""`apexgp run` under faults: it is killed, started twice, and its program hangs, prints nothing or NaN, or fails."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter

from apexgp import read
from faults import train

SIZES, SPLITS = (60, 120, 240), 2
FITS = len(SIZES) * SPLITS
PATIENCE = 300  # seconds until a run counts as stuck


def started(folder, how, *options, seconds=0.05):
    """`apexgp run` in another process, on the record in this folder."""
    folder.mkdir(exist_ok=True)
    words = [sys.executable, train.__file__, "{n}", "{seed}", str(folder), how, str(seconds)]
    command = " ".join(f"'{word}'" for word in words)
    sizes = ",".join(map(str, SIZES))
    arguments = ["run", command, "--sizes", sizes, "--splits", str(SPLITS), "--out", str(folder / "c.csv"), *options]
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return subprocess.Popen(
        [sys.executable, "-m", "apexgp", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | threads,
    )


def rows_of(folder):
    """Finished fits of the record, as they are on the disk."""
    path = folder / "c.runs.csv"
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return [line for line in whole.split(b"\n") if line[:1].isdigit() and line.endswith(b",")]


def starts_of(folder):
    path = folder / "starts"
    return len(path.read_text().split()) if path.exists() else 0


def judged(folder, before=()):
    """Count what is lost, doubled or changed in a record that is done, and in its curve."""
    rows = rows_of(folder)
    each = Counter(tuple(row.split(b",")[:2]) for row in rows)
    curve = read(folder / "c.csv").curve
    found = list(zip(curve.sizes.tolist(), curve.split.tolist(), curve.scores.tolist(), strict=True))
    right = [(size, str(seed), train.score(size, seed)) for size in SIZES for seed in range(SPLITS)]
    return Counter(
        lost=sum(row not in rows for row in before) + FITS - len(each),
        doubled=sum(number - 1 for number in each.values()) + (folder / "twice").exists(),
        changed=int([(size, str(split), score) for size, split, score in found] != right),
    )


def finished(process):
    error = process.communicate(timeout=PATIENCE)[1]
    return process.returncode, error


def kills(folder, number, draw, jobs="1"):
    """SIGKILL one run at random moments, start it again until it is done, then begin another."""
    total, series = Counter(), 0
    place, before = folder / "0", []
    while total["faults"] < number:
        begun = starts_of(place)
        process = started(place, "well", "--jobs", jobs, seconds=0.2)
        if total["faults"] % 5 == 4:  # while it starts
            time.sleep(draw.uniform(0, 1.5))
        else:
            while starts_of(place) == begun and process.poll() is None:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 0.7))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            total["faults"] += 1
            total["within"] += 0 < len(rows_of(place)) < FITS
        finished(process)
        total["lost"] += sum(row not in rows_of(place) for row in before)
        before = rows_of(place)
        if len(before) == FITS:
            total += judged(place)
            series += 1
            place, before = folder / str(series), []
    code, _ = finished(started(place, "well", "--jobs", jobs, seconds=0.2))
    return total + judged(place, before) + Counter(changed=int(code != 0))


def two_starts(folder, number, draw):
    """Two runs that begin at once: one works, the other is told so, or finds that all is done."""
    total = Counter()
    for i in range(number):
        place = folder / str(i)
        place.mkdir()
        both = [started(place, "well"), started(place, "well")]
        ended = [finished(process) for process in both]
        refused = sum(code == 1 and "is being written by" in error for code, error in ended)
        wrong = sorted(code for code, _ in ended) not in ([0, 0], [0, 1]) or [c for c, _ in ended].count(1) != refused
        total += Counter(faults=1, within=refused, changed=int(wrong)) + judged(place)
        total["doubled"] += starts_of(place) - FITS
    return total


def troubles(folder, number, draw, how, *options):
    """A program that goes wrong: what fails is said and tried again at the next start, until all is done."""
    total = Counter()
    for i in range(number):
        place, before = folder / str(i), []
        for _ in range(FITS):
            code, error = finished(started(place, how, *options))
            total["lost"] += sum(row not in rows_of(place) for row in before)
            before = rows_of(place)
            total["changed"] += int((code != 0) != (len(before) < FITS) or (code != 0) != (": failed, " in error))
            total["faults"] += error.count(": failed, ")
            if code == 0:
                break
        total += judged(place, before)
        held = (place / "c.csv").read_bytes(), (place / "c.runs.csv").read_bytes(), starts_of(place)
        code, _ = finished(started(place, how, *options))
        now = (place / "c.csv").read_bytes(), (place / "c.runs.csv").read_bytes(), starts_of(place)
        total["changed"] += int(code != 0 or held != now or (place / "c.output").exists())
    total["within"] = total["faults"]
    return total


PROGRAMS = {
    "run killed": kills,
    "run killed, 3 jobs": lambda folder, number, draw: kills(folder, number, draw, "3"),
    "run, two starts": two_starts,
    "run, hangs": lambda *given: troubles(*given, "hangs", "--timeout", "1", "--jobs", "6"),
    "run, prints nothing": lambda *given: troubles(*given, "nothing"),
    "run, prints NaN": lambda *given: troubles(*given, "nan"),
    "run, third exits 1": lambda *given: troubles(*given, "third"),
}
