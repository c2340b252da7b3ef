"""Beside `apexgp.simulate_collection`: its runs, what a curve truly requires, corrections tuned on earlier ones."""

from .questions.plan.simulation import CollectionRun, true_requirement, tune_correction

__all__ = [
    "CollectionRun",
    "true_requirement",
    "tune_correction",
]
