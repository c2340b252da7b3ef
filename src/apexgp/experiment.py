"""The paper's experiment on embeddings of one's own."""

from .questions.experiment.folder import write_experiment
from .replication.configuration import Experiment
from .replication.judge import bootstrapped_likelihood, dense_coverage, judge_curves, uniform_likelihood
from .replication.result import DenseFigure, ExperimentResult, RangeFigure
from .replication.run import run_experiment

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
