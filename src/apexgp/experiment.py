"""The paper's experiment on embeddings of one's own."""

from .replication.configuration import Experiment
from .replication.judge import bootstrapped_likelihood, dense_coverage, judge_curves, uniform_likelihood
from .replication.result import DenseFigure, ExperimentResult, RangeFigure
from .replication.run import run_experiment
from .surfaces.experiment_folder import write_experiment

__all__ = [
    "DenseFigure",
    "Experiment",
    "ExperimentResult",
    "RangeFigure",
    "bootstrapped_likelihood",
    "dense_coverage",
    "judge_curves",
    "run_experiment",
    "uniform_likelihood",
    "write_experiment",
]
