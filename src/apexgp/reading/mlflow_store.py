"""Runs of an MLflow experiment, from its store: `mlflow:experiment`."""

from __future__ import annotations

from typing import Any

from .._check import format_some
from .._extras import import_extra
from ..errors import DataError
from .records import as_table
from .spreadsheets import Table

__all__ = ["read_experiment"]

_PAGE = 1000
_MOST_RUNS = 100_000


def read_experiment(name: str) -> Table:
    """The runs of an experiment as a table, with `params.` and `metrics.` before what was set and measured.

    The store is the one that MLflow itself would use: what `MLFLOW_TRACKING_URI` says, or the folder that we are in.
    """
    mlflow = import_extra("mlflow", f"Reading mlflow:{name}", "mlflow")
    try:
        client = mlflow.MlflowClient()
        found = client.get_experiment_by_name(name)
        if found is None:
            there = [one.name for one in client.search_experiments(max_results=_PAGE)]
            raise DataError(
                f"{mlflow.get_tracking_uri()} has no experiment {name!r}; found {format_some(there, 20) or 'none'}. "
                "The environment variable MLFLOW_TRACKING_URI sets which store is read."
            )
        runs = _runs(client, found.experiment_id)
    except (mlflow.exceptions.MlflowException, OSError) as problem:  # the store, or the network
        said = " ".join(str(problem).split())
        raise DataError(f"mlflow:{name} cannot be read from {mlflow.get_tracking_uri()}: {said}.") from problem
    if not runs:
        raise DataError(f"The experiment {name!r} has no runs.")
    runs.sort(key=lambda run: run.info.start_time or 0)
    return as_table(
        f"mlflow:{name}",
        [
            {
                "run_id": run.info.run_id,
                "status": run.info.status,
                "params": dict(run.data.params),
                "metrics": dict(run.data.metrics),
                "tags": {key: value for key, value in run.data.tags.items() if not key.startswith("mlflow.")},
            }
            for run in runs
        ],
        under=[run.info.run_name or run.info.run_id for run in runs],
    )


def _runs(client: Any, experiment: str) -> list[Any]:
    """Every run that was not deleted, page by page."""
    runs: list[Any] = []
    token = None
    while True:
        page = client.search_runs([experiment], max_results=_PAGE, page_token=token)
        runs += page
        token = page.token
        if not token:
            return runs
        if len(runs) >= _MOST_RUNS:
            raise DataError(
                f"The experiment holds more than {_MOST_RUNS:,} runs. Export those of the pilot as a table."
            )
