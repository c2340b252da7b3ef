"""Training by a command: run it with {n} and {seed} filled in, here or as a Slurm array job, and read its score."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import re
import shlex
import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from .._check import format_value
from ..errors import RequestError
from ..reading.files import one_line
from ..reading.known_metrics import UNNAMED
from ..running.programs import CANNOT_START, ProgramRunner, StillRunningError, TimedOutError
from .outcome import NoScoreError, Outcome, parse_scores, to_outcome

__all__ = ["ArrayJobReader", "Command", "CommandTrainer", "format_array_script"]

_PLACES = re.compile(r"\{(n|seed|slot|out)\}")  # other braces are the program's own
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_MAX_BYTES = 4 << 20  # bytes from the end of what was printed
_MAX_MESSAGE = 200  # characters of what a failed program said last

_ENDED = "ended"  # ending of the file that says how a task has ended: exit code, seconds


@dataclass(frozen=True)
class Command:
    """A command with places to fill in, such as {n}.

    Parameters
    ----------
    text
        The command as it is typed; assignments such as CUDA_VISIBLE_DEVICES={slot} may come first. {n} stands for the
        number of training examples, {seed} for the seed, {out} for a file that the score is written to, {slot} for the
        place among those that run at the same time.
    shell
        Whether it is given to a shell.
    variables
        Further variables of its environment, with the same places in their values.
    """

    text: str
    shell: bool = False
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str, shell: bool, assignments: Iterable[str]) -> Self:
        """Check a command that is to be run, with variables as NAME=VALUE."""
        variables = {}
        for one in assignments:
            match = _ASSIGNMENT.fullmatch(one)
            if match is None:
                raise RequestError(f"must be NAME=VALUE, got {one!r}.", argument="env")
            variables[match[1]] = match[2]
        command = cls(text, shell, variables)
        try:
            words = command._split_words()[1]
        except ValueError as problem:
            raise RequestError(f"The command cannot be parsed ({problem}): {text}") from None
        if not words:
            raise RequestError(
                f"The command is empty: {format_value(text)}. Give one such as 'python train.py --n {{n}}'."
            )
        if not command.has_place("n"):
            raise RequestError(
                f"The command has no {{n}}, the number of training examples: {text}. Write for instance "
                "'python train.py --n {n} --seed {seed}'."
            )
        return command

    def has_place(self, place: str) -> bool:
        """Whether the command or a variable has a place of that name."""
        return any(f"{{{place}}}" in text for text in (self.text, *self.variables.values()))

    def to_settings(self) -> dict[str, Any]:
        """Settings that identify the command in a record; variables that set the device by {slot} do not count."""
        variables = {name: value for name, value in self.variables.items() if "{slot}" not in value}
        return {"command": self.text, "shell": self.shell, **({"env": variables} if variables else {})}

    def fill_in(self, **values: object) -> tuple[dict[str, str], list[str]]:
        """Variables and words of the command with the places filled in; one without a value stays as it is."""
        variables, words = self._split_words()
        if self.shell:
            quoted = {name: shlex.quote(str(value)) for name, value in values.items()}
            words = ["/bin/sh", "-c", _fill_places(self.text, quoted)] if os.name == "posix" else words
        else:
            words = [_fill_places(word, values) for word in words]
        return {name: _fill_places(value, values) for name, value in {**variables, **self.variables}.items()}, words

    def to_shell_line(self, **values: object) -> str:
        """The command as one would type it in a shell."""
        variables, words = self.fill_in(**values)
        assigned = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        if self.shell:  # whose first command would be the only one to see them
            return " ".join([*(f"export {one};" for one in assigned), words[-1]])
        return " ".join([*assigned, shlex.join(words)])

    def _split_words(self) -> tuple[dict[str, str], list[str]]:
        """Assignments at the beginning of the command, and its other words."""
        if self.shell:
            return {}, [self.text] if self.text.strip() else []
        words = shlex.split(self.text, posix=os.name == "posix")
        variables: dict[str, str] = {}
        while words and (match := _ASSIGNMENT.fullmatch(words[0])):
            variables[match[1]] = match[2]
            del words[0]
        return variables, words


def _fill_places(text: str, values: Mapping[str, object]) -> str:
    return _PLACES.sub(lambda place: str(values.get(place[1], place[0])), text)


class CommandTrainer:
    """A training function that runs a command and reads its score; for any thread of one process.

    Parameters
    ----------
    command
        The command to run.
    folder
        Folder for its output: two files per fit, which stay until they are discarded.
    slots
        How many may run at the same time.
    timeout
        Seconds after which one is ended; None: never.
    retries
        How often a failed one is started again at once.
    unnamed
        The metric of a score without a name.
    """

    def __init__(
        self,
        command: Command,
        folder: Path,
        *,
        slots: int = 1,
        timeout: float | None = None,
        retries: int = 0,
        unnamed: str = UNNAMED,
    ) -> None:
        self.command, self.folder, self._unnamed = command, folder, unnamed
        self._timeout, self._retries = timeout, retries
        self._programs = ProgramRunner()
        self._slots: queue.Queue[int] = queue.Queue()
        for slot in range(slots):
            self._slots.put(slot)

    def __call__(self, n: int, seed: int) -> Outcome:
        """Run the command for a size and a seed; NoScoreError says why there is no score."""
        slot = self._slots.get()
        try:
            for attempt in range(self._retries + 1):
                try:
                    return self._run_once(n, seed, slot)
                except NoScoreError as problem:
                    if attempt == self._retries:
                        again = f" ({attempt + 1} times)" if attempt else ""
                        raise NoScoreError(f"{problem}{again}") from None
        finally:
            self._slots.put(slot)
        raise AssertionError  # the last attempt has returned or raised

    def close(self) -> None:
        """End running commands, and remove the folder if it is empty."""
        self._programs.close()
        with contextlib.suppress(OSError):  # not there, or something is kept in it
            self.folder.rmdir()

    def output_files(self, n: int, seed: int) -> tuple[Path, Path, Path]:
        """Files for the output, the errors and the score of a fit."""
        output, errors, out = (self.folder / f"n{n}_seed{seed}.{ending}" for ending in ("out", "err", "score"))
        return output, errors, out

    def _run_once(self, n: int, seed: int, slot: int) -> Outcome:
        output, errors, out = self.output_files(n, seed)
        self.folder.mkdir(exist_ok=True)
        out.unlink(missing_ok=True)
        variables, words = self.command.fill_in(n=n, seed=seed, slot=slot, out=out.absolute())
        try:
            code = self._programs.run(
                words,
                output=output,
                errors=errors,
                environment=_get_environment() | variables,
                timeout=self._timeout,
            )
        except TimedOutError:
            raise NoScoreError(f"a timeout after {self._timeout:g} s") from None
        except StillRunningError:
            raise NoScoreError(f"a process left by an earlier run still prints to {output}; stop it first") from None
        return self.read_outcome(n, seed, code)

    def read_outcome(self, n: int, seed: int, code: int) -> Outcome:
        """Read the scores of a command that ended with the exit code; NoScoreError says why there are none."""
        output, errors, out = self.output_files(n, seed)
        if code:
            raise NoScoreError(_describe_failure(code, errors, output))
        written = self.command.has_place("out")
        path = out if written else output
        if not path.exists():
            raise NoScoreError("no file {out}" if written else "no trace of its output")
        try:
            scores = parse_scores(_read_end(path))
        except NoScoreError as problem:
            raise NoScoreError(f"{problem} in {'the file {out}' if written else 'its output'}") from None
        return to_outcome(scores, n, seed, self._unnamed)

    def discard_output(self, n: int, seed: int) -> None:
        """Delete the output of a fit whose score is in the record."""
        for path in self.folder.glob(f"n{n}_seed{seed}.*"):
            path.unlink(missing_ok=True)


def _describe_failure(code: int, errors: Path, output: Path) -> str:
    """Exit code or signal of a failed program, with the last line that it printed."""
    existing = [path for path in (errors, output) if path.exists()]
    lines = [line.strip() for path in existing for line in _read_end(path).splitlines()[::-1] if line.strip()]
    last_line = one_line(lines[0], _MAX_MESSAGE) if lines else ""
    if code == CANNOT_START and last_line:
        return last_line
    by_signal = {128 + number: number.name for number in signal.Signals}
    killed = f" ({by_signal[code]}{': out of memory?' if code == 137 else ''})" if code in by_signal else ""
    return f"exit code {code}{killed}{f': {last_line}' if last_line else ''}"


def _read_end(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MAX_BYTES))
        return file.read().decode("utf-8", errors="replace")


def _get_environment() -> dict[str, str]:
    """The variables of this process, without what the command line has set for its own workers."""
    variables = dict(os.environ)
    if variables.get("PYTHONWARNINGS") == "ignore":
        del variables["PYTHONWARNINGS"]
    return variables


def format_array_script(
    command: Command, program: CommandTrainer, fits: Iterable[tuple[int, int]], at_once: int, name: str
) -> str:
    """The script of a Slurm array job, one task per (size, seed).

    A task prints where `program` would. At its end it writes exit code and seconds to a file, which exists whole or not
    at all. {slot} is 0: Slurm shows each task its own devices.
    """
    tasks = list(fits)
    cases = []
    for number, (n, seed) in enumerate(tasks):
        output, errors, out = (path.absolute() for path in program.output_files(n, seed))
        line = command.to_shell_line(n=n, seed=seed, slot=0, out=out)
        end_file = shlex.quote(str(output.with_suffix(f".{_ENDED}")))
        redirect = f"> {shlex.quote(str(output))} 2> {shlex.quote(str(errors))}"
        steps = (f"rm -f {end_file}", f"( {line} ) {redirect} < /dev/null", f"ended=$? file={end_file} ;;")
        cases.append("\n  ".join((f"{number})", *steps)))
    job_name = re.sub(r"[^\w.-]+", "_", name)  # in a comment no quotes hold a line together: a second line would be run
    limit = "" if at_once >= len(tasks) else f"%{at_once}"
    return "\n".join(
        [
            "#!/bin/bash",
            f"#SBATCH --job-name={job_name}",
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
    """A training function that reads the scores that tasks of an array job have left.

    It deletes nothing: that is done once the scores are in the record.
    """

    def __init__(self, program: CommandTrainer) -> None:
        self._program = program

    def find_end_file(self, n: int, seed: int) -> Path | None:
        """File that says how the task of a fit ended; None where it has not ended."""
        path = self._program.output_files(n, seed)[0].with_suffix(f".{_ENDED}")
        return path if path.is_file() else None

    def __call__(self, n: int, seed: int) -> Outcome:
        """Scores of a fit; NoScoreError says why there are none. A fit that failed is to be run again."""
        path = self.find_end_file(n, seed)
        if path is None:
            raise NoScoreError("has not ended yet")
        code, seconds = _read_end_file(path)
        found = self._program.read_outcome(n, seed, code)
        return found if found.seconds is not None else found.with_seconds(seconds)


def _read_end_file(path: Path) -> tuple[int, float]:
    """Exit code and seconds of a task."""
    try:
        code, seconds = map(int, path.read_text().split())
    except ValueError:
        return 1, math.nan
    return code, float(seconds)
