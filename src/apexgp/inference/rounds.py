"""How many nodes a curve gets, and from where."""

from __future__ import annotations

from typing import NamedTuple

from .proposals import Fitting

__all__ = ["COARSEST", "FINEST", "POOLING", "ROUNDS", "TOLERATED", "Pooling", "Rounds"]

TOLERATED = 0.0125
"""Standard error of the ends of far forecasts, relative to the width, that is aimed at where nothing else is asked for.

A higher precision takes more nodes, and more components that are kept of them.
"""
FINEST, COARSEST = 0.001, 0.1


class Rounds(NamedTuple):
    """Numbers of nodes, unless said otherwise."""

    first: int = 1024
    first_roughly: int = 256
    searching: int = 512
    """Of later rounds of the search, at least: the posterior may lie where the wide proposals have hardly a node."""
    found: float = 40.0
    """Effective nodes by which the posterior has been found."""
    most_searching: int = 16
    """Rounds."""
    soon: int = 3
    """Rounds, after which a posterior was hard to find."""
    least: int = 1536
    least_where_hard: int = 4096
    least_where_uneven: int = 24576
    most: int = 24576
    step: int = 256
    growth: float = 0.75
    """Proposals that were fitted to few nodes are not worth many: no round adds more than this part of those so far."""
    enough: float = 200.0
    """Effective nodes that are aimed at."""
    rough: float = 3.0
    """Where so many times the error remains that is aimed at, there may be `more_where_hard` times as many nodes."""
    more_where_hard: int = 4
    wide: float = 0.2
    """Share of every round that keeps to the wide proposals."""
    first_worth: float = 0.3
    """Weight of a node of the round in which the posterior was found beside later ones, whose proposals are better."""
    components: int = 1024
    """That are kept; `most_finer` times as many at most, where a higher precision is asked for."""
    most_finer: int = 16
    fitting: Fitting = Fitting()

    def finer(self, precision: float) -> float:
        """How many times as many nodes a precision takes."""
        return max((TOLERATED / precision) ** 2, 1.0)

    def components_for(self, precision: float) -> int:
        """How many components are kept."""
        return int(min(self.finer(precision), self.most_finer) * self.components)


ROUNDS = Rounds()


class Pooling(NamedTuple):
    """How many independent integrals an answer may take that one does not know well enough."""

    fewest: int = 4
    """Where it takes more than one: their scatter says how exact they are."""
    most: int = 64
    evaluations: int = 2**18
    """Nodes of all of them together, unless they are the fewest: about a second of compiled code."""
    told_worth: float = 7.0
    """Degrees of freedom of the variance that an integral tells of itself: its logarithm is off by 0.5 (sd)."""

    def count_affordable(self, evaluations: int) -> int:
        """How many integrals there may be, of which one takes so many nodes."""
        return min(max(self.evaluations // evaluations, self.fewest), self.most)


POOLING = Pooling()
