"""What became of each input: taken, refused in our words, or raw."""

import time
import traceback
import warnings
from collections import Counter, defaultdict

from sklearn.exceptions import NotFittedError

from apexgp import errors

SLOW = 10.0  # seconds for one input
OURS = tuple(getattr(errors, name) for name in errors.__all__)


class Tally:
    """Counts by class of input, and the first of each kind of raw outcome."""

    def __init__(self):
        self.counts = defaultdict(Counter)
        self.raw = {}

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
                verdict = action()
            count["refused" if isinstance(verdict, str) and verdict == "refused" else "taken"] += 1
        except (errors.ApexError, NotFittedError) as problem:  # the latter is scikit-learn's word before a fit
            count["refused"] += 1
            count["broke"] += "broke down" in str(problem)
        except Exception as problem:
            count["raw"] += 1
            where = traceback.extract_tb(problem.__traceback__)
            last = next((f for f in reversed(where) if "apexgp" in f.filename and "tests" not in f.filename), where[-1])
            key = (group, type(problem).__name__, f"{last.filename.rpartition('apexgp/')[2]}:{last.lineno}")
            self.raw.setdefault(key, (what, "".join(traceback.format_exception(problem))))
        count["slow"] += time.perf_counter() - start > SLOW

    def table(self):
        names = ("tried", "taken", "refused", "broke", "raw", "slow")
        rows = [*self.counts.items(), ("all", sum(self.counts.values(), Counter()))]
        lines = [f"{'class':<16}" + "".join(f"{name:>9}" for name in names)]
        lines += [f"{group:<16}" + "".join(f"{count[name]:>9,}" for name in names) for group, count in rows]
        return "\n".join(
            [*lines, "broke: of those refused, a computation broke down and was worded as an error of the curve"]
        )

    def report(self):
        """The table, and each kind of raw outcome once."""
        found = [f"{key}\n  input: {what[:500]}\n{trace}" for key, (what, trace) in self.raw.items()]
        return "\n\n".join([*found, self.table()])
