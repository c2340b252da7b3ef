"""Each kind of fault: brought about at random moments, and what is left compared with a run that was left in peace."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

from apexgp import CurveSet
from apexgp.errors import NotWrittenError
from faults import child
from faults.programs import PROGRAMS

TESTS = Path(__file__).parents[1]
PATIENCE = 900  # seconds until a run counts as stuck: on a busy machine each of its processes takes ten to begin


def rows(curves):
    return [{name: value for name, value in fit.items() if name != "seconds"} for fit in curves.fits]


def lines_of(path):
    """Lines of a record that are rows, as they are on the disk: what was finished."""
    whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
    return [line for line in whole.split(b"\n") if line[:1].isdigit()]


@contextmanager
def started(path, how, **environment):
    """A run in another process that waits to be told to begin."""
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    threads = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    process = subprocess.Popen(
        [sys.executable, "-m", "faults.child", str(path), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | threads | {"PYTHONPATH": paths} | environment,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()
        # Not read to their ends: a worker that has just been started may hold them open a little longer.
        for pipe in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):
                pipe.close()


def begin(process):
    process.stdin.write("go\n")
    process.stdin.flush()


def judged(path, before, whole):
    """Go on from what a fault has left; count what was lost, doubled or changed by it or by going on."""
    again = rows(child.collect(path))
    after = lines_of(path)
    done = Counter(tuple(line.split(b",")[:3]) for line in after)
    return Counter(
        faults=1,
        within=0 < len(before) < len(whole),
        lost=sum(line not in after for line in before),
        doubled=sum(number - 1 for number in done.values()),
        changed=int(again != whole),
    )


def kills(folder, how, number, draw):
    """SIGKILL the run at random moments: from the first finished fit on, and every fifth time while it starts."""
    whole, total = rows(child.collect(folder / "whole.csv")), Counter()
    start, work = _durations(folder, how)
    for i in range(number):
        path = folder / f"{i}.csv"
        with started(path, how) as process:
            begin(process)
            if i % 5 < 4:
                _wait_for(path, 1, process)
                time.sleep(draw.uniform(0, work))
            else:
                time.sleep(draw.uniform(0, start))
            process.send_signal(signal.SIGKILL)
            process.wait()
            before = lines_of(path)
        total += judged(path, before, whole)
    return total


def _durations(folder, how):
    """Seconds until the first fit is done, and from there to the last."""
    path = folder / "timed.csv"
    with started(path, how) as process:
        told = time.perf_counter()
        begin(process)
        first, last = (_wait_for(path, count, process) for count in (1, 16))
        return first - told, last - first


def _wait_for(path, count, process):
    """The moment at which so many fits are done."""
    while len(lines_of(path)) < count and process.poll() is None:
        time.sleep(0.003)
    return time.perf_counter()


def worker_killed(folder, number, draw):
    """SIGKILL one worker of two: the run itself goes on and finishes."""
    whole, total = rows(child.collect(folder / "whole.csv")), Counter()
    for i in range(number):
        path, processes = folder / f"{i}.csv", folder / f"{i}.processes"
        with started(path, "workers", APEXGP_FAULTS_PROCESSES=str(processes)) as process:
            begin(process)
            wanted = draw.randint(1, 10)
            while not processes.exists() or len(processes.read_text().split()) < wanted:
                time.sleep(0.005)
            os.kill(int(processes.read_text().split()[-1]), signal.SIGKILL)
            ended = process.wait(PATIENCE)
        before = lines_of(path)
        failed = len(CurveSet.from_results(path).failed)
        total += judged(path, before, whole)
        total["changed"] += int(ended != 0 or len(before) != len(whole)) + failed
        total["within"] += 1
    return total


def two_starts(folder, number, draw):
    """Two runs that begin at once on one new record: one writes, the other is told so, or comes after it."""
    whole, total = rows(child.collect(folder / "whole.csv")), Counter()
    for i in range(number):
        path = folder / f"{i}.csv"
        with started(path, "alone") as one, started(path, "alone") as other:
            for process in draw.sample([one, other], 2):
                begin(process)
            ended = sorted((one.wait(PATIENCE), other.wait(PATIENCE)))
            refused = [p for p in (one, other) if p.returncode == 3 and "is being written by" in p.stdout.read()]
        total += judged(path, lines_of(path), whole)
        total["changed"] += int(ended not in ([0, 0], [0, 3]) or len(refused) != ended.count(3))
        total["within"] += len(refused)
    return total


def disk_full(folder, number, draw):
    """No room after a random number of bytes, as a limit of the size of files makes it."""
    whole, total = rows(child.collect(folder / "whole.csv")), Counter()
    length = (folder / "whole.csv").stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for i in range(number):
        path, said = folder / f"{i}.csv", ""
        resource.setrlimit(resource.RLIMIT_FSIZE, (draw.randrange(length), hard))
        try:
            child.collect(path)
        except NotWrittenError as problem:
            said = str(problem)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        torn = path.read_bytes()[-1:] not in (b"", b"\n")
        total += judged(path, lines_of(path), whole)
        total["changed"] += int(torn or "Free some space, then run again" not in said)
    return total


SCENARIOS = {
    "killed, 1 process": lambda folder, number, draw: kills(folder, "alone", number, draw),
    "killed, 2 workers": lambda folder, number, draw: kills(folder, "workers", number, draw),
    "killed, Dask": lambda folder, number, draw: kills(folder, "dask", number, draw),
    "a worker killed": worker_killed,
    "two starts": two_starts,
    "disk full": disk_full,
    **PROGRAMS,
}


COLUMNS = ("faults", "within", "lost", "doubled", "changed")


def table(found):
    lines = [f"{'scenario':<20}" + "".join(f"{name:>9}" for name in COLUMNS)]
    lines += [line(name, count) for name, count in found.items()]
    return "\n".join([*lines, "within: the fault fell between the first and the last fit"])


def line(name, count):
    return f"{name:<20}" + "".join(f"{count[column]:>9}" for column in COLUMNS)


def seeded(number):
    return random.Random(number)
