"""Where the fits of a command run: processes of this machine, or a Dask cluster."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer

from .._extras import import_extra
from ..errors import ApexWarning, RequestError
from ..running.processes import check_n_jobs as checked_jobs
from .command import SetsArgument

__all__ = ["WorkerOptions", "show_all_warnings"]


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """How many processes, or which cluster. A number that makes no sense is refused before any work is done."""

    jobs: Annotated[int, typer.Option(help="Number of processes; -1 is one per core."), SetsArgument("n_jobs")] = -1
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to run on, such as tcp://host:8786.")
    ] = None

    def __post_init__(self) -> None:
        checked_jobs(self.jobs)

    @contextmanager
    def at_work(self) -> Iterator[int | None]:
        """The `n_jobs` of the library; for the length of the block its fits go to the cluster, if there is one."""
        if self.dask is None:
            yield checked_jobs(self.jobs)
            return
        distributed = import_extra("distributed", "--dask", "distributed")
        try:
            client = distributed.Client(self.dask, timeout="10s")
        except (OSError, ValueError) as problem:
            raise RequestError(f"No Dask scheduler responds at {self.dask}: {problem}") from None
        import joblib

        with client, joblib.parallel_config(backend="dask"):
            yield None


@contextmanager
def show_all_warnings() -> Iterator[None]:
    """Let the library warn of every run, not only of the first; the command line prints what it says as notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ApexWarning)
        yield
