"""How many processes: as joblib counts them, and no more than the machine can use."""

from __future__ import annotations

from .._check import check_whole_number
from .._warn import warn
from ..errors import FewerProcessesWarning, RequestError

_EACH = 4  # processes a core, beyond which they only take each other's memory


def jobs(n_jobs: int | None) -> int | None:
    """A number of processes for joblib: None, or whole, not 0, and at most four per core of this machine.

    What is computed does not depend on it, so that more are lowered to that, with a warning, and not refused. On a
    cluster, whose cores are others, they are taken as they come.
    """
    if n_jobs is None:
        return None
    number = check_whole_number("n_jobs", n_jobs, least=-(2**31), most=2**31)
    if number == 0:
        raise RequestError("must be a number of processes other than 0; -1 uses all cores.", argument="n_jobs")
    import joblib  # here: reading a curve needs none of it

    most = _EACH * joblib.cpu_count()
    if number <= most or joblib.parallel.get_active_backend()[0].__class__.__name__ == "DaskDistributedBackend":
        return number
    warn(
        f"{number:,} processes are more than this machine can use; {most} are started, four per core.",
        FewerProcessesWarning,
    )
    return most
