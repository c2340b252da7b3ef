"""What became of each input: taken, refused in our words, or raw."""

import time
import traceback
import warnings
from collections import Counter, defaultdict

from sklearn.exceptions import DataConversionWarning, NotFittedError

from apexgp import errors

SLOW = 10.0  # seconds for one input
BROKE = "broke down"  # our words for what went wrong inside
OURS = tuple(getattr(errors, name) for name in errors.__all__)


class Tally:
    """Counts by class of input, and the first of each kind that came out raw or broke down."""

    def __init__(self):
        self.counts = defaultdict(Counter)
        self.found = {}

    def judge(self, group, what, action):
        """Run one input. A warning that is not ours is raw, too; so is an answer that `action` finds wrong.

        A command says by its exit code what became of it: its action returns "refused".
        """
        count, start = self.counts[group], time.perf_counter()
        count["tried"] += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                for ours in OURS:
                    if issubclass(ours, Warning):
                        warnings.simplefilter("ignore", ours)
                # scikit-learn's words about the form of X and y, which its own checks of an estimator ask for.
                warnings.simplefilter("ignore", DataConversionWarning)
                warnings.filterwarnings("ignore", "X (has|does not have valid) feature names", UserWarning)
                verdict = action()
            count["refused" if isinstance(verdict, str) and verdict == "refused" else "taken"] += 1
        except (errors.ApexError, NotFittedError) as problem:  # the latter is scikit-learn's word before a fit
            count["refused"] += 1
            if BROKE in str(problem):
                count["broke"] += 1
                self._keep(group, problem, what)
        except Exception as problem:
            count["raw"] += 1
            self._keep(group, problem, what)
        count["slow"] += time.perf_counter() - start > SLOW

    def _keep(self, group, problem, what):
        cause = problem
        while cause.__cause__ is not None:
            cause = cause.__cause__
        where = traceback.extract_tb(cause.__traceback__)
        last = next((f for f in reversed(where) if "apexgp" in f.filename and "tests" not in f.filename), where[-1])
        key = (group, type(cause).__name__, f"{last.filename.rpartition('apexgp/')[2]}:{last.lineno}")
        self.found.setdefault(key, (what, "".join(traceback.format_exception(problem))))

    @property
    def clean(self):
        """Whether nothing was raw, and no computation broke down."""
        return not self.found

    def table(self):
        names = ("tried", "taken", "refused", "broke", "raw", "slow")
        rows = [*self.counts.items(), ("all", sum(self.counts.values(), Counter()))]
        lines = [f"{'class':<16}" + "".join(f"{name:>9}" for name in names)]
        lines += [f"{group:<16}" + "".join(f"{count[name]:>9,}" for name in names) for group, count in rows]
        told = "broke: of those refused, a computation broke down and was worded as an error of the curve"
        return "\n".join([*lines, told])

    def report(self):
        """The table, and each kind of raw outcome, and of computations that broke down, once."""
        found = [f"{key}\n  input: {what[:500]}\n{trace}" for key, (what, trace) in self.found.items()]
        return "\n\n".join([*found, self.table()])
