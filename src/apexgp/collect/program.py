"""A program as a training function: its command with {n} and {seed} filled in, its score read from what it prints."""

from __future__ import annotations

import contextlib
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
from ..reading.known_metrics import UNNAMED
from ..reading.spreadsheets import one_line
from ..running.programs import CANNOT_START, Programs, StillRunningError, TimedOutError
from .outcome import NoScoreError, Outcome, outcome_of
from .printed import scores_in

__all__ = ["Command", "Program"]

_PLACES = re.compile(r"\{(n|seed|slot|out)\}")  # other braces are the program's own
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_MOST_READ = 4 << 20  # bytes from the end of what was printed
_LAST_WORDS = 200  # characters of what a failed program said last


@dataclass(frozen=True)
class Command:
    """How a program is called.

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
    def checked(cls, text: str, shell: bool, assignments: Iterable[str]) -> Self:
        """What was asked for, with variables as NAME=VALUE; what cannot be run is refused."""
        variables = {}
        for one in assignments:
            match = _ASSIGNMENT.fullmatch(one)
            if match is None:
                raise RequestError(f"must be NAME=VALUE, got {one!r}.", argument="env")
            variables[match[1]] = match[2]
        made = cls(text, shell, variables)
        try:
            words = made._words()[1]
        except ValueError as problem:
            raise RequestError(f"The command cannot be parsed ({problem}): {text}") from None
        if not words:
            raise RequestError(
                f"The command is empty: {format_value(text)}. Give one such as 'python train.py --n {{n}}'."
            )
        if not made.names("n"):
            raise RequestError(
                f"The command has no {{n}}, the number of training examples: {text}. Write for instance "
                "'python train.py --n {n} --seed {seed}'."
            )
        return made

    def names(self, place: str) -> bool:
        """Whether the command or a variable has that place."""
        return any(f"{{{place}}}" in text for text in (self.text, *self.variables.values()))

    def identity(self) -> dict[str, Any]:
        """What tells it from others; on which device it runs does not."""
        variables = {name: value for name, value in self.variables.items() if "{slot}" not in value}
        return {"command": self.text, "shell": self.shell, **({"env": variables} if variables else {})}

    def filled_in(self, **values: object) -> tuple[dict[str, str], list[str]]:
        """Its own variables, and the words to start it by; a place that has no value stays as it is."""
        variables, words = self._words()
        if self.shell:
            quoted = {name: shlex.quote(str(value)) for name, value in values.items()}
            words = ["/bin/sh", "-c", _filled(self.text, quoted)] if os.name == "posix" else words
        else:
            words = [_filled(word, values) for word in words]
        return {name: _filled(value, values) for name, value in {**variables, **self.variables}.items()}, words

    def typed(self, **values: object) -> str:
        """The command as one would type it."""
        variables, words = self.filled_in(**values)
        assigned = [f"{name}={shlex.quote(value)}" for name, value in variables.items()]
        if self.shell:  # whose first command would be the only one to see them
            return " ".join([*(f"export {one};" for one in assigned), words[-1]])
        return " ".join([*assigned, shlex.join(words)])

    def _words(self) -> tuple[dict[str, str], list[str]]:
        if self.shell:
            return {}, [self.text] if self.text.strip() else []
        words = shlex.split(self.text, posix=os.name == "posix")
        variables: dict[str, str] = {}
        while words and (match := _ASSIGNMENT.fullmatch(words[0])):
            variables[match[1]] = match[2]
            del words[0]
        return variables, words


def _filled(text: str, values: Mapping[str, object]) -> str:
    return _PLACES.sub(lambda place: str(values.get(place[1], place[0])), text)


class Program:
    """Trains by running a command; a `Train` for `collect_scores`, from any thread of one process.

    Parameters
    ----------
    command
        What to run.
    folder
        Where it prints to: two files per fit, which stay until they are discarded.
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
        self._programs = Programs()
        self._slots: queue.Queue[int] = queue.Queue()
        for slot in range(slots):
            self._slots.put(slot)

    def __call__(self, n: int, seed: int) -> Outcome:
        """What the program gives for a size and a seed; NoScoreError says why it gives none."""
        slot = self._slots.get()
        try:
            for attempt in range(self._retries + 1):
                try:
                    return self._once(n, seed, slot)
                except NoScoreError as problem:
                    if attempt == self._retries:
                        again = f" ({attempt + 1} times)" if attempt else ""
                        raise NoScoreError(f"{problem}{again}") from None
        finally:
            self._slots.put(slot)
        raise AssertionError  # the last attempt has returned or raised

    def close(self) -> None:
        """End what runs, and take the folder away if nothing is kept in it."""
        self._programs.close()
        with contextlib.suppress(OSError):  # not there, or something is kept in it
            self.folder.rmdir()

    def files(self, n: int, seed: int) -> tuple[Path, Path, Path]:
        """Where a fit prints to, complains to, and writes its score to."""
        output, errors, out = (self.folder / f"n{n}_seed{seed}.{ending}" for ending in ("out", "err", "score"))
        return output, errors, out

    def _once(self, n: int, seed: int, slot: int) -> Outcome:
        output, errors, out = self.files(n, seed)
        self.folder.mkdir(exist_ok=True)
        out.unlink(missing_ok=True)
        variables, words = self.command.filled_in(n=n, seed=seed, slot=slot, out=out.absolute())
        try:
            code = self._programs.run(
                words,
                output=output,
                errors=errors,
                environment=_environment() | variables,
                timeout=self._timeout,
            )
        except TimedOutError:
            raise NoScoreError(f"a timeout after {self._timeout:g} s") from None
        except StillRunningError:
            raise NoScoreError(f"a process left by an earlier run still prints to {output}; stop it first") from None
        return self.read(n, seed, code)

    def read(self, n: int, seed: int, code: int) -> Outcome:
        """The scores of a program that has ended with this exit code; NoScoreError says why there are none."""
        output, errors, out = self.files(n, seed)
        if code:
            raise NoScoreError(_ended(code, errors, output))
        written = self.command.names("out")
        path = out if written else output
        if not path.exists():
            raise NoScoreError("no file {out}" if written else "no trace of its output")
        try:
            scores = scores_in(_end_of(path))
        except NoScoreError as problem:
            raise NoScoreError(f"{problem} in {'the file {out}' if written else 'its output'}") from None
        return outcome_of(scores, n, seed, self._unnamed)

    def discard(self, n: int, seed: int) -> None:
        """Take away what a fit has printed: its score is in the record."""
        for path in self.folder.glob(f"n{n}_seed{seed}.*"):
            path.unlink(missing_ok=True)


def _ended(code: int, errors: Path, output: Path) -> str:
    """How a program failed, with what it said last."""
    there = [path for path in (errors, output) if path.exists()]
    lines = [line.strip() for path in there for line in _end_of(path).splitlines()[::-1] if line.strip()]
    said = one_line(lines[0], _LAST_WORDS) if lines else ""
    if code == CANNOT_START and said:
        return said
    by_signal = {128 + number: number.name for number in signal.Signals}
    killed = f" ({by_signal[code]}{': out of memory?' if code == 137 else ''})" if code in by_signal else ""
    return f"exit code {code}{killed}{f': {said}' if said else ''}"


def _end_of(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _MOST_READ))
        return file.read().decode("utf-8", errors="replace")


def _environment() -> dict[str, str]:
    """The variables of this process, without what the command line has set for its own workers."""
    variables = dict(os.environ)
    if variables.get("PYTHONWARNINGS") == "ignore":
        del variables["PYTHONWARNINGS"]
    return variables
