"""A copy of the package to write into, and programs that run it instead of ours."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import apexgp


def copy_package(folder):
    """Copy the package into a folder; returns where its modules are."""
    package = folder / "apexgp"
    shutil.copytree(Path(apexgp.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def call_in(folder, *words, code=0):
    """Run Python with the copy in a folder, and return what it prints; on standard error, where it is to fail."""
    command, environment = [sys.executable, *map(str, words)], os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout
