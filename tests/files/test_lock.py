"""One writer at a time: between processes, between threads, whoever dies."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from apexgp.collect.fit_record import open_record, read_record
from apexgp.errors import RequestError
from apexgp.files import lock
from apexgp.files.lock import lock_file

pytestmark = pytest.mark.slow

HOLDER = """
import sys
from pathlib import Path
from apexgp.files.lock import lock_file
with lock_file(Path(sys.argv[1])) as file:
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs.csv"


OTHER = """
import sys
from pathlib import Path
from apexgp.errors import RequestError
from apexgp.files.lock import lock_file
for line in sys.stdin:
    said = ""
    try:
        with lock_file(Path(line.rstrip())):
            pass
    except RequestError as problem:
        said = str(problem)
    print(said, flush=True)
"""


@pytest.fixture(scope="module")
def try_to_hold():
    """Hold for a moment, in another process, which is one for all tests: what it said when it could not."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", OTHER], **pipes) as other:

        def ask(path):
            other.stdin.write(f"{path}\n")
            answer = other.stdout.readline()
            assert answer.endswith("\n"), "the other process ended"
            return answer.rstrip("\n")

        yield ask


def test_a_second_process_is_told_who_holds_the_file(path, try_to_hold):
    with lock_file(path):
        assert f"is being written by the process {os.getpid()}. Wait for it" in try_to_hold(path)
    assert try_to_hold(path) == ""


def test_death_frees_the_lock(path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(RequestError, match=f"by the process {other.pid}"), lock_file(path):
            pass
        other.send_signal(signal.SIGKILL)
        other.wait()
    with lock_file(path) as file:
        file.append("mine\n")
    assert path.read_text() == "mine\n"


def test_a_forked_worker_that_outlives_the_run_does_not_hold_its_record(path, try_to_hold):
    ready, release = os.pipe(), os.pipe()
    with lock_file(path):
        child = os.fork()
        if child == 0:
            os.write(ready[1], b".")
            os.read(release[0], 1)
            os._exit(0)
        os.read(ready[0], 1)
    try:
        assert try_to_hold(path) == ""
    finally:
        os.write(release[1], b".")
        os.waitpid(child, 0)
        for end in (*ready, *release):
            os.close(end)


def test_threads_of_one_process_do_not_share_it_and_one_that_is_refused_does_not_free_it(path, try_to_hold):
    with lock_file(path):
        with ThreadPoolExecutor(1) as other, pytest.raises(RequestError, match="another thread of this process"):
            other.submit(lock_file(path).__enter__).result()
        assert "is being written by" in try_to_hold(path)


def test_reading_the_record_of_a_run_does_not_free_its_lock(path, try_to_hold):
    with open_record(path, {"metrics": ["auroc"]}):
        assert read_record(path).rows == []
        assert "is being written by" in try_to_hold(path)


def test_a_lock_that_was_lost_is_taken_back_or_the_run_ends(path, try_to_hold):
    with lock_file(path) as file:
        path.read_bytes()  # closes another descriptor of the file, which frees the lock
        file.append("one\n")
        assert "is being written by" in try_to_hold(path)
        with path.open("a") as intruder:
            intruder.write("not ours\n")
        with pytest.raises(RequestError, match="changed or deleted by another program"):
            file.append("two\n")
    assert path.read_text() == "one\nnot ours\n"


def test_a_record_that_is_deleted_during_the_run_is_noticed(path):
    with lock_file(path) as file:
        path.unlink()
        with pytest.raises(RequestError, match="changed or deleted"):
            file.append("one\n")


def test_a_file_system_without_locks_is_refused(path, monkeypatch):
    def no_locks(file):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(lock, "_lock", no_locks)
    with (
        pytest.raises(RequestError, match=r"cannot be locked \(No locks available\).*another file system"),
        lock_file(path),
    ):
        pass


def test_two_hosts_whose_locks_do_not_meet_stop_at_the_first_row_of_the_other(path, monkeypatch):
    # A shared folder that grants every lock: both hosts think that the record is theirs.
    monkeypatch.setattr(lock, "_lock", lambda file: None)
    path.write_text("head\n")
    here, there = (lock.LockedFile(path, os.open(path, os.O_RDWR | os.O_APPEND)) for _ in range(2))
    here.append("one\n")
    for _ in range(2):
        with pytest.raises(RequestError, match="changed or deleted by another program"):
            there.append("two\n")
    here.append("three\n")
    assert path.read_text() == "head\none\nthree\n"
    for file in (here, there):
        os.close(file._file)


STARTER = """
import os, sys
from pathlib import Path
from apexgp.collect.fit_record import open_record
from apexgp.errors import RequestError
row = {"size": 60, "split": int(sys.argv[2]), "task": None, "parameters": {}, "train_auroc": None,
       "validation_auroc": None, "test_auroc": 0.5, "test_cases": 1, "seconds": 0.0, "error": ""}
path, rounds = sys.argv[1], int(sys.argv[3])
for number in range(rounds):
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        with open_record(Path(path, f"{number}.csv"), {"metrics": ["auroc"]}) as record:
            record.add(row)
        print("wrote", flush=True)
    except RequestError as problem:
        print("refused" if "is being written by" in str(problem) else problem, flush=True)
"""


def test_of_two_that_start_at_once_no_row_is_lost(tmp_path):
    rounds = 40
    command = [sys.executable, "-c", STARTER, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    starters = [subprocess.Popen([*command, str(i), str(rounds)], **pipes) for i in range(2)]
    for number in range(rounds):
        for starter in starters:
            assert starter.stdout.readline() == "ready\n"
        for starter in starters:
            starter.stdin.write("go\n")
            starter.stdin.flush()
        said = [starter.stdout.readline().strip() for starter in starters]
        wrote = {i for i, word in enumerate(said) if word == "wrote"}
        assert set(said) <= {"wrote", "refused"}
        assert wrote
        assert {row["split"] for row in read_record(tmp_path / f"{number}.csv").rows} == wrote
    for starter in starters:
        starter.communicate()


def test_a_fork_in_the_midst_of_another_threads_reading_does_not_hang(path):
    with lock._GUARD:
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            with lock_file(path):
                os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
