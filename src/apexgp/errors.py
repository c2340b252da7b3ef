"""Every exception and warning of apexgp.

::

    ApexError
    ├── DataError (ValueError)            the measurements or their file are at fault
    │   └── DataTypeError (TypeError)     they are of a type that no number can be made of
    ├── RequestError (ValueError)         an argument is at fault
    ├── NoForecastError (TypeError)       the method gives a curve but no distribution
    ├── NoSuchCurveError (KeyError)       a run has no curve of that task and metric
    ├── WouldOverwriteError (FileExistsError)
    ├── NotWrittenError (OSError)          the disk did not take a file or a row
    └── MissingExtraError (ImportError)   an optional dependency is not installed

    ApexWarning (UserWarning)
    ├── ConvergenceWarning                the optimiser stopped before it was done
    ├── AccuracyWarning                   the posterior was integrated less accurately than promised
    ├── ReproducibilityWarning            a loaded model no longer gives its saved numbers
    ├── MissingScoresWarning              cells of a table of scores were empty
    ├── SizesLeftOutWarning               sizes were asked for that the data cannot give
    ├── FewTestCasesWarning               a single score of a run will be uncertain
    ├── LeakWarning                       a feature alone gives the class away
    ├── NoFeatureWarning                  a feature looks like an identifier
    ├── UngroupedWarning                  rows seem to belong together, and no groups were given
    ├── FailedFitsWarning                 some fits of a run raised errors
    └── FewerProcessesWarning             more processes were asked for than the machine can use
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = [
    "AccuracyWarning",
    "ApexError",
    "ApexWarning",
    "ConvergenceWarning",
    "DataError",
    "DataTypeError",
    "FailedFitsWarning",
    "FewTestCasesWarning",
    "FewerProcessesWarning",
    "LeakWarning",
    "MissingExtraError",
    "MissingScoresWarning",
    "NoFeatureWarning",
    "NoForecastError",
    "NoSuchCurveError",
    "NotWrittenError",
    "ReproducibilityWarning",
    "RequestError",
    "SizesLeftOutWarning",
    "UngroupedWarning",
    "WouldOverwriteError",
]

# A sentence, then the arguments that it names, each alone or with the value to give it.
Remedy = tuple[()] | tuple[str, *tuple[str | tuple[str, Any], ...]]


class ApexError(Exception):
    """Base of all errors that apexgp raises on purpose.

    Parameters
    ----------
    message
        What was wanted, what came, what to do; where `argument` is given, the sentence goes on from it.
    argument
        The argument at fault.
    remedy
        What to do, with {} where arguments are named, and those arguments; one with a value to give it is a pair.
    where, column
        The place in a file, in words that stand before the message, and the column if it is a cell.

    Every surface words the arguments in its own way, the command line as its options: see `worded`.
    """

    def __init__(
        self,
        message: str,
        *,
        argument: str | None = None,
        remedy: Remedy = (),
        where: str = "",
        column: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.argument, self.remedy, self.where, self.column = message, argument, remedy, where, column

    def __str__(self) -> str:
        return self.worded(lambda name: name, as_keyword)

    def worded(self, name_of: Callable[[str], str], set_by: Callable[[str, Any], str], *, placed: bool = True) -> str:
        """The message, with `name_of` to name the argument at fault and `set_by` to say how one is set.

        `set_by` is called with the argument's name and the value to give it, None where the reader has to choose one.
        A message that is shown at the place of the fault need not be `placed`.
        """
        text = f"{self.where}: " if self.where and placed else ""
        text += self.message if self.argument is None else f"{name_of(self.argument)} {self.message}"
        return with_remedy(text, self.remedy, set_by)

    @property
    def to_set(self) -> list[tuple[str, Any]]:
        """Arguments that the remedy names, with the value to give each; None where the reader has to choose one."""
        return _to_set(self.remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword arguments survive the way back from a worker process.
        about: dict[str, Any] = {
            "argument": self.argument,
            "remedy": self.remedy,
            "where": self.where,
            "column": self.column,
        }
        return partial(type(self), **about), (self.message,)


def with_remedy(text: str, remedy: Remedy, set_by: Callable[[str, Any], str]) -> str:
    """A text that goes on with what to do; `set_by` as for `ApexError.worded`."""
    return f"{text} {remedy[0].format(*(set_by(*one) for one in _to_set(remedy)))}" if remedy else text


def _to_set(remedy: Remedy) -> list[tuple[str, Any]]:
    return [(argument, None) if isinstance(argument, str) else argument for argument in remedy[1:]]


def as_keyword(name: str, value: Any = None) -> str:
    """An argument as it is set in Python; the value None is the reader's to choose."""
    return f"{name}={'...' if value is None else repr(value)}"


class DataError(ApexError, ValueError):
    """The measurements, or the file that holds them, cannot be used."""


class DataTypeError(DataError, TypeError):
    """Data of a type that no number can be made of, or that the method does not take."""


class RequestError(ApexError, ValueError):
    """An argument has a value that cannot be used."""


class NoForecastError(ApexError, TypeError):
    """A deterministic method was asked for a distribution."""


class NoSuchCurveError(ApexError, KeyError):
    """A run has no curve of that task and metric."""


class WouldOverwriteError(ApexError, FileExistsError):
    """A file of that name is there and overwriting was not asked for."""


class NotWrittenError(ApexError, OSError):
    """The disk did not take a file or a row: it is full, a quota is reached, or it has failed."""


class MissingExtraError(ApexError, ImportError):
    """A function needs an optional dependency that is not installed."""


class ApexWarning(UserWarning):
    """Base of all warnings that apexgp gives."""


class ConvergenceWarning(ApexWarning):
    """The optimiser stopped before its projected gradient vanished."""


class AccuracyWarning(ApexWarning):
    """The effective number of nodes stayed too small for the stated accuracy."""


class ReproducibilityWarning(ApexWarning):
    """Refitting a saved model gave other parameters than the saved ones."""


class MissingScoresWarning(ApexWarning):
    """Cells of a table of scores were NaN and were left out."""


class SizesLeftOutWarning(ApexWarning):
    """Training-set sizes beyond the training set were left out."""


class FewTestCasesWarning(ApexWarning):
    """The test sets of a run are so small that a single score is uncertain."""


class LeakWarning(ApexWarning):
    """A feature alone gives the class away in all rows."""


class NoFeatureWarning(ApexWarning):
    """A feature has another value in every row, as identifiers do."""


class UngroupedWarning(ApexWarning):
    """A feature repeats as the names of patients do, and no groups were given."""


class FailedFitsWarning(ApexWarning):
    """Some fits raised errors; the curves are made of the others."""


class FewerProcessesWarning(ApexWarning):
    """More processes were asked for than the machine can use; some were left out."""
