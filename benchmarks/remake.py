"""Remake the measured tables of docs/calibration.md: `remake.py [--folds folds.json] [--only TEXT] [--curves N]`.

A table is preceded by a comment with the command that prints it, and, if the command prints several, by the line above
the one that is meant:

    <!-- made by: python benchmarks/told.py --folds folds.json
         table: by features per example -->

Each command is run once, in the order of the page, and the page is written after each. A table whose command failed, or
did not print it, stays as it is. With --curves, a quick trial on so many curves of each sample, the page and the record
of coverage are written to build/remade/ instead.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from apexgp.files.writing import write_text

REPOSITORY = Path(__file__).resolve().parents[1]
PAGE = REPOSITORY / "docs" / "calibration.md"
TRIAL = REPOSITORY / "build" / "remade"
RECORD, FOLDS = "--record", "--folds"
_COMMENT = re.compile(r"<!-- made by: (?P<command>[^\n]*?)(?:\n *table: (?P<title>[^\n]*?))? -->\n+")
_TABLE = re.compile(r"(?:^\|.*\n?)+", re.MULTILINE)


@dataclass(frozen=True)
class Made:
    """A table of a page, by the comment above it."""

    command: str
    title: str | None
    """The line above it in what the command prints; None for a command that prints one table."""
    start: int
    end: int


def find_tables(page: str) -> list[Made]:
    """The tables of a page that say how they are made, in their order."""
    found = []
    for comment in _COMMENT.finditer(page):
        table = _TABLE.match(page, comment.end())
        end = comment.end() if table is None else table.end()
        found.append(Made(comment["command"], comment["title"], comment.end(), end))
    return found


def replace_tables(page: str, command: str, printed: str) -> tuple[str, list[str]]:
    """The page with the tables that a command printed, and the names of those that it did not print."""
    new, missing = _read_printed(printed), []
    for made in reversed(find_tables(page)):
        if made.command != command:
            continue
        table = new.get(made.title) if made.title is not None else _only(new)
        if table is None:
            missing.append(made.title or "a single table")
        else:
            page = page[: made.start] + table + page[made.end :]
    return page, missing[::-1]


def _read_printed(printed: str) -> dict[str, str]:
    """Tables with at least one row by the last line before each that is not blank."""
    found = {}
    for table in _TABLE.finditer(printed):
        before = printed[: table.start()].rstrip().rpartition("\n")[2]
        if table[0].count("\n") > 2:
            found[before] = table[0]
    return found


def _only(tables: dict[str, str]) -> str | None:
    return next(iter(tables.values())) if len(tables) == 1 else None


def build_arguments(command: str, folds: Path, curves: int | None) -> list[str]:
    """The command as it is run: with this Python, these folds, and in a trial with few curves and a record aside."""
    program, *words = shlex.split(command)
    if program != "python":
        raise SystemExit(f"A table is made by a command that starts with python, not by: {command}")
    if FOLDS in words:
        words[words.index(FOLDS) + 1] = str(folds)
    if curves is not None:
        if RECORD in words:
            words.insert(words.index(RECORD) + 1, str(TRIAL / f"{Path(words[0]).stem}.csv"))
        words += ["--curves", str(curves)]
    return [sys.executable, *words]


def remake(page: Path, out: Path, folds: Path, only: str, curves: int | None) -> list[str]:
    """Run the commands of a page and write it; returns what went wrong."""
    commands = dict.fromkeys(made.command for made in find_tables(page.read_text(encoding="utf-8")))
    chosen = [command for command in commands if only in command]
    if not chosen:
        raise SystemExit(f"{page} has no table that is made by a command with {only!r} in it.")
    if any(FOLDS in command for command in chosen) and not folds.exists():
        _run([sys.executable, "benchmarks/calibrate.py", "--cv", "--out", str(folds)], check=True)
    if out != page:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, page.read_text(encoding="utf-8"), overwrite=True)
    faults = []
    for command in chosen:
        done = _run(build_arguments(command, folds, curves))
        if done.returncode:
            faults.append(f"{command}: ended with {done.returncode}")
            continue
        # Read anew: it may have been edited, or remade by another run, while the command ran.
        new, missing = replace_tables(out.read_text(encoding="utf-8"), command, done.stdout)
        write_text(out, new, overwrite=True)
        faults += [f"{command}: did not print {name}" for name in missing]
    return faults


def _run(arguments: list[str], *, check: bool = False) -> subprocess.CompletedProcess[str]:
    print(shlex.join(arguments[1:]), file=sys.stderr, flush=True)
    return subprocess.run(arguments, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=check)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", type=Path, default=Path("folds.json"), help="made by calibrate.py if there is none")
    parser.add_argument("--only", default="", metavar="TEXT", help="tables whose command contains this")
    parser.add_argument("--curves", type=int, help="a trial with so many curves of each sample")
    settings = parser.parse_args()
    out = PAGE if settings.curves is None else TRIAL / PAGE.name
    faults = remake(PAGE, out, settings.folds.resolve(), settings.only, settings.curves)
    print(f"written: {out}", file=sys.stderr)
    if faults:
        raise SystemExit("\n".join(["These tables stayed as they were:", *faults]))


if __name__ == "__main__":
    main()
