"""Every exception and warning of apexgp.

::

    ApexError
    ├── DataError (ValueError)            the measurements or their file are at fault
    │   ├── DataTypeError (TypeError)     they are of a type that cannot become numbers
    │   └── TooFewSizesError              the method needs more different sizes
    ├── RequestError (ValueError)         an argument is at fault
    ├── NoForecastError (TypeError)       the method gives a curve but no distribution
    ├── NoSuchCurveError (KeyError)       a run has no curve of that task and metric
    ├── WouldOverwriteError (FileExistsError)
    ├── NotWrittenError (OSError)         a file or a row could not be written
    └── MissingExtraError (ImportError)   an optional dependency is not installed

    ApexWarning (UserWarning)
    ├── ConvergenceWarning                the optimiser stopped before it was done
    ├── AccuracyWarning                   the posterior was integrated less accurately than promised
    ├── ReproducibilityWarning            a loaded model no longer gives its saved numbers
    ├── MissingScoresWarning              cells of a table of scores were empty
    ├── SizesLeftOutWarning               sizes were asked for that the data cannot give
    ├── ClassesLeftOutWarning             classes with few rows get no curve
    ├── FewTestCasesWarning               a single score of a run will be uncertain
    ├── LeakWarning                       a single feature gives the class away
    ├── NoFeatureWarning                  a feature looks like an identifier
    ├── UngroupedWarning                  rows seem to belong together, but no groups were given
    ├── FailedFitsWarning                 some fits of a run raised errors
    └── FewerProcessesWarning             more processes were asked for than the machine can use

An error about a table carries a `Fault` for every row that it is about.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from .vocabulary import PYTHON, Remedy, Vocabulary, add_remedy, list_arguments

__all__ = [
    "AccuracyWarning",
    "ApexError",
    "ApexWarning",
    "ClassesLeftOutWarning",
    "ConvergenceWarning",
    "DataError",
    "DataTypeError",
    "FailedFitsWarning",
    "Fault",
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
    "TooFewSizesError",
    "UngroupedWarning",
    "WouldOverwriteError",
]


# Packages whose frames lie between the user's line and ours.
_CARRIERS = frozenset({"apexgp", "joblib", "sklearn", "click", "typer"})


def __dir__() -> list[str]:
    return __all__


@dataclass(frozen=True)
class Fault:
    """A fault in one row of a table: its line, the column if it is a cell, and why."""

    line: int
    column: str | None
    message: str


class ApexError(Exception):
    """Base of all errors that apexgp raises on purpose.

    Parameters
    ----------
    message
        What was expected, what was received, what to do; where `argument` is given, the sentence continues from it.
    argument
        The argument at fault.
    remedy
        What to do, with {} where arguments are named, and those arguments; an argument with a value to set is a pair.
    where
        The place in a file, in words that precede the message.
    faults
        The rows of a table that are at fault, the first few where there are many.

    Every surface words the arguments in its own way, the command line as its options: see `worded_for`.
    """

    def __init__(
        self,
        message: str,
        *,
        argument: str | None = None,
        remedy: Remedy = (),
        where: str = "",
        faults: Sequence[Fault] = (),
    ) -> None:
        super().__init__(message)
        self.message, self.argument, self.remedy, self.where = message, argument, remedy, where
        self.faults = tuple(faults)
        self.vocabulary = PYTHON

    def __str__(self) -> str:
        text = self.message if self.argument is None else f"{self.vocabulary.name(self.argument)} {self.message}"
        return add_remedy(f"{self.where}: {text}" if self.where else text, self.remedy, self.vocabulary)

    def worded_for(self, vocabulary: Vocabulary) -> Self:
        """Use the words of a surface from now on, and return the error to be raised again.

        Words of an inner surface, set before, take precedence.
        """
        self.vocabulary = self.vocabulary.within(vocabulary)
        return self

    @property
    def to_set(self) -> list[tuple[str, Any]]:
        """Arguments that the remedy names, with the value to give each; None where the reader has to choose one."""
        return list_arguments(self.remedy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Attributes that are not among `args` must survive the way back from a worker process, too.
        return type(self), (self.message,), vars(self)


class DataError(ApexError, ValueError):
    """The measurements, or the file that holds them, cannot be used."""


class DataTypeError(DataError, TypeError):
    """Data of a type that cannot be converted to numbers, or that the method does not accept."""


class TooFewSizesError(DataError):
    """A curve has scores at fewer different sizes than the method needs."""


class RequestError(ApexError, ValueError):
    """An argument has a value that cannot be used."""


class NoForecastError(ApexError, TypeError):
    """A deterministic method was asked for a distribution."""


class NoSuchCurveError(ApexError, KeyError):
    """A run has no curve of that task and metric."""


class WouldOverwriteError(ApexError, FileExistsError):
    """A file of that name exists and overwriting was not asked for."""


class NotWrittenError(ApexError, OSError):
    """A file or a row could not be written: the disk is full, a quota is reached, or the disk has failed."""


class MissingExtraError(ApexError, ImportError):
    """A function needs an optional dependency that is not installed."""


class ApexWarning(UserWarning):
    """Base of all warnings that apexgp issues."""


class ConvergenceWarning(ApexWarning):
    """The optimiser stopped before its projected gradient vanished."""


class AccuracyWarning(ApexWarning):
    """The effective number of nodes stayed too small for the stated accuracy."""


class ReproducibilityWarning(ApexWarning):
    """Refitting a saved model gave parameters that differ from the saved ones."""


class MissingScoresWarning(ApexWarning):
    """Cells of a table of scores were NaN and were left out."""


class SizesLeftOutWarning(ApexWarning):
    """Training-set sizes beyond the training set were left out."""


class ClassesLeftOutWarning(ApexWarning):
    """Classes to which fewer than a tenth of the rows belong get no curve of their own."""


class FewTestCasesWarning(ApexWarning):
    """The test sets of a run are so small that a single score is uncertain."""


class LeakWarning(ApexWarning):
    """A single feature gives the class away in all rows."""


class NoFeatureWarning(ApexWarning):
    """A feature has a different value in every row, as identifiers do."""


class UngroupedWarning(ApexWarning):
    """A feature repeats as the names of patients do, and no groups were given."""


class FailedFitsWarning(ApexWarning):
    """Some fits raised errors; the curves are made of the others."""


class FewerProcessesWarning(ApexWarning):
    """More processes were asked for than the machine can use; some were left out."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the nearest line outside this package and those that it is called through."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _CARRIERS:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
