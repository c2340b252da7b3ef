"""Training programs in words: each fit as it ends, and what was kept of those that failed."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..._numbers import format_size
from ...collect.results import FitRow
from ...reading.known_metrics import metric_name

__all__ = [
    "done_sentence",
    "fit_line",
    "kept_sentence",
    "missing_sentence",
    "script_sentence",
    "unseeded_sentence",
]


def fit_line(row: FitRow, number: int, total: int) -> str:
    """One fit that has just ended, and how many have, of how many."""
    which = f"[{number}/{total}] n = {format_size(row['size'])}, seed {row['split']}"
    if row["error"]:
        return f"{which}: failed, {row['error']}"
    scores = ", ".join(
        f"{metric_name(name.removeprefix('test_'))} {value:.4g}"
        for name, value in row.items()
        if name.startswith("test_") and name != "test_cases" and value is not None
    )
    return f"{which}: {scores} ({_duration(row['seconds'])})"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def kept_sentence(failed: int, folder: Path) -> str:
    """Where to look for what went wrong."""
    each = "the failed fit" if failed == 1 else "the failed fits"
    return f"What {each} printed is in {folder}. The same command retries {'it' if failed == 1 else 'them'} again."


def done_sentence(done: int, total: int) -> str:
    """How far an earlier start came."""
    return f"{done} of {total} fits are already in the record."


def script_sentence(left: int, script: Path) -> str:
    """What to do with the script of an array job."""
    if not left:
        return f"All fits are in the record; {script} was not written."
    tasks = "1 task" if left == 1 else f"{left} tasks"
    return (
        f"{script} runs {tasks}. Add what your cluster requires, then: sbatch {shlex.quote(str(script))}\nWhen the "
        "job has finished, run the same command with --gather in place of --script."
    )


def missing_sentence(missing: int) -> str:
    """What an array job has still to do."""
    which = "1 fit has" if missing == 1 else f"{missing} fits have"
    return f"{which} not finished yet. Gather again later, or write another script for what is left."


def unseeded_sentence(splits: int) -> str:
    """What a command without {seed} means."""
    return f"The command has no {{seed}}: the same command runs {splits} times at every size."
