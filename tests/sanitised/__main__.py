"""`python -m sanitised`: build compiled code with sanitisers, into a copy of the package, and run its tests there."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

from copied_package import copy_package

REPOSITORY = Path(__file__).resolve().parents[2]
BUILD = REPOSITORY / "build" / "sanitised"
TESTS = ("tests/test_compiled.py", "tests/sanitised")
# Kernels of the widest vectors, whatever this processor has: they reach farthest beyond an end.
FLAGS = ["-O1", "-g", "-DLANES=8", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"]


def build():
    """Copy the package, and compile its loops as pyproject.toml says, but with sanitisers."""
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.mkdir(parents=True)
    loops = copy_package(BUILD) / "compiled"
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    usual = settings["tool"]["setuptools"]["ext-modules"][0]["extra-compile-args"]
    counted = ["-include", Path(__file__).with_name("allocations.h")]
    python = ["-I", sysconfig.get_path("include")]
    source, library = loops / "loops.c", loops / "loops.abi3.so"
    subprocess.run(
        ["gcc", *usual, *FLAGS, *counted, *python, "-fPIC", "-shared", source, "-o", library, "-lm"], check=True
    )


def run_tests():
    """Run the tests with the copy; gives the exit code."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    reports = BUILD / "report"
    environment = os.environ | {
        "APEXGP_SANITISED": str(BUILD),
        "PYTHONPATH": str(BUILD),
        "LD_PRELOAD": library.stdout.strip(),
        # Python itself gives some of its memory back to nobody; what is ours is counted by allocations.h.
        "ASAN_OPTIONS": f"detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16:log_path={reports}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={reports}",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", *TESTS]
    done = subprocess.run(command, check=False, cwd=REPOSITORY, env=environment)
    found = sorted(BUILD.glob(f"{reports.name}.*"))
    for report in found:
        print(report.read_text(encoding="utf-8", errors="replace"))  # noqa: T201
    return done.returncode or bool(found)


if __name__ == "__main__":
    build()
    sys.exit(run_tests())
