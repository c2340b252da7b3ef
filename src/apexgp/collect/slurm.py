"""A run as an array job of Slurm: a script that runs one fit per task, and a training function that reads them back."""

from __future__ import annotations

import math
import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from .outcome import NoScoreError, Outcome
from .program import Command, CommandTrainer

__all__ = ["ArrayJobReader", "format_array_script"]

_ENDED = "ended"  # ending of the file that says how a task has ended: exit code, seconds


def format_array_script(command: Command, program: CommandTrainer, fits: Iterable[tuple[int, int]], at_once: int, name: str) -> str:
    """The script of an array job, one task per (size, seed).

    What a task prints goes where `program` would print to. That it has ended is said last, in a file that is there
    whole or not at all. {slot} is 0: Slurm shows each task its own devices.
    """
    tasks = list(fits)
    cases = []
    for number, (n, seed) in enumerate(tasks):
        output, errors, out = (path.absolute() for path in program.output_files(n, seed))
        typed = command.to_shell_line(n=n, seed=seed, slot=0, out=out)
        ended = shlex.quote(str(output.with_suffix(f".{_ENDED}")))
        to = f"> {shlex.quote(str(output))} 2> {shlex.quote(str(errors))}"
        cases.append(f"{number})\n  rm -f {ended}\n  ( {typed} ) {to} < /dev/null\n  ended=$? file={ended} ;;")
    called = re.sub(r"[^\w.-]+", "_", name)  # in a comment no quotes hold a line together: a second line would be run
    limit = "" if at_once >= len(tasks) else f"%{at_once}"
    return "\n".join(
        [
            "#!/bin/bash",
            f"#SBATCH --job-name={called}",
            f"#SBATCH --array=0-{len(tasks) - 1}{limit}",
            "#SBATCH --output=/dev/null",
            "# Written by apexgp run --script. Add what your cluster requires: time, memory, partition, GPUs.",
            f"cd {shlex.quote(os.getcwd())} || exit 1",
            f"mkdir -p {shlex.quote(str(program.folder.absolute()))} || exit 1",
            "SECONDS=0",
            'case "$SLURM_ARRAY_TASK_ID" in',
            *cases,
            '*) echo "SLURM_ARRAY_TASK_ID must be the number of a task." >&2; exit 1 ;;',
            "esac",
            'echo "$ended $SECONDS" > "$file.part" && mv "$file.part" "$file"',
            "exit $ended",
            "",
        ]
    )


class ArrayJobReader:
    """Reads what the tasks of an array job have left; a `Train` for `Training`, of the fits that have ended.

    It takes nothing away: that is for whoever has entered the scores in a record.
    """

    def __init__(self, program: CommandTrainer) -> None:
        self._program = program

    def find_end_file(self, n: int, seed: int) -> Path | None:
        """The file that says how the task of a fit has ended; None where it has not."""
        path = self._program.output_files(n, seed)[0].with_suffix(f".{_ENDED}")
        return path if path.is_file() else None

    def __call__(self, n: int, seed: int) -> Outcome:
        """The scores of a fit; NoScoreError says why there are none. A fit that failed is to be run again."""
        path = self.find_end_file(n, seed)
        if path is None:
            raise NoScoreError("has not ended yet")
        code, seconds = _read_end_file(path)
        found = self._program.read_outcome(n, seed, code)
        return found if found.seconds is not None else found.with_seconds(seconds)


def _read_end_file(path: Path) -> tuple[int, float]:
    try:
        code, seconds = map(int, path.read_text().split())
    except ValueError:
        return 1, math.nan
    return code, float(seconds)
