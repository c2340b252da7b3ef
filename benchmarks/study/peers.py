"""Outside methods that install from PyPI and run on a CPU, each as a user would write it.

Their forecasts become a `Forecast`, which cuts them to [0, 1]: none of them is worse for it. What is not installed, or
weights that were not named, raise `NotAvailableError`. Not here, as they cannot be run from PyPI alone: ifBO (its
package fetches the weights from elsewhere), pybnn's curves (not in its package; `domhan` is the same mixture), the
authors' GPyTorch code (no package; three minutes per fit), pmsims (R, and takes no pilot), active-sl (points, not
intervals).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from apexgp import Forecast
from lcdb import Case
from study import lcpfn

if TYPE_CHECKING:
    from scoring import Fitted

DRAWS = 200
"""Bootstrap draws of simple-scaling-laws: as in its documents; its default of 1,000 takes ten seconds a curve."""


class NotAvailableError(ImportError):
    """What a method needs is not on this machine: a package, or weights."""


def scikit_learn(case: Case) -> Fitted:
    """A Gaussian process on log size, with the kernel of most tutorials."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    pilot = case.curve.replicates
    kernel = ConstantKernel(1.0) * RBF(1.0) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=2, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # parameters at their bounds
        model.fit(np.log(pilot.sizes)[:, None], pilot.mean)
    location, scale = model.predict(np.log(case.sizes)[:, None], return_std=True)
    forecast = Forecast(case.sizes, location[None], np.maximum(scale, 1e-6)[None], np.ones(1))
    return lambda of: forecast


def domhan(case: Case) -> Fitted:
    """The mixture of parametric curves of Domhan et al. 2015, sampled by emcee."""
    try:
        from study.domhan import sampled_curves
    except ImportError as problem:
        raise NotAvailableError("emcee is not installed: pip install 'apexgp[study]'") from problem
    pilot = case.curve.replicates
    locations, scales = sampled_curves(pilot.sizes, pilot.mean, case.sizes, seed=0)
    forecast = Forecast(case.sizes, locations, scales, np.full(len(locations), 1 / len(locations)))
    return lambda of: forecast


def simple_scaling_laws(case: Case) -> Fitted:
    """Its default law on the logit scale: bootstrap draws of as many new runs as the pilot has splits, averaged."""
    try:
        import polars as pl
        from simple_scaling_laws import fit
    except ImportError as problem:
        raise NotAvailableError("simple-scaling-laws is not installed; it wants Python 3.12 or later") from problem
    curve = case.curve
    runs = {
        "training_run_id": [str(i) for i in range(len(curve.sizes))],
        "dataset_size__n": curve.sizes.astype(float),
        "test_metric__auroc": curve.scores,
    }
    model = fit(pl.DataFrame(runs), n_draws=DRAWS, seed=0)
    (target,) = model.targets
    points = model.fitting_predictors(model.prepare_points({"dataset_size__n": case.sizes.tolist()}))
    splits = int(np.median(curve.replicates.count))
    new = [model.target_draws(target, points, "new-run", np.random.default_rng(i)) for i in range(splits)]
    forecast = smoothed(case.sizes, np.mean(new, axis=0))
    return lambda of: forecast


def lc_pfn(weights: str | None) -> Callable[[Case], Fitted]:
    """LC-PFN with the weights in a file, on the mean scores."""

    def fit(case: Case) -> Fitted:
        if not weights:
            raise NotAvailableError("its weights are not ours to ship; name a file of them: --lcpfn or APEXGP_LCPFN")
        try:
            model = lcpfn.read_model(Path(weights))
        except (OSError, lcpfn.UnknownFormatError) as problem:
            raise NotAvailableError(str(problem)) from problem
        pilot = case.curve.replicates
        forecast = lcpfn.forecast(model, pilot.sizes, pilot.mean, case.sizes)
        return lambda of: forecast

    return fit


def smoothed(sizes: np.ndarray, draws: np.ndarray) -> Forecast:
    """A forecast of draws (draws, sizes), with Silverman's kernel around each, so that it has a density."""
    spread = np.minimum(draws.std(axis=0), np.subtract(*np.quantile(draws, [0.75, 0.25], axis=0)) / 1.34)
    width = np.maximum(0.9 * spread * len(draws) ** -0.2, 1e-4)
    return Forecast(sizes, draws, np.broadcast_to(width, draws.shape).copy(), np.full(len(draws), 1 / len(draws)))
