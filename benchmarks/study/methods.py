"""What is compared: the settings of the package, and curves by least squares with the intervals users give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import calibrate
from apexgp import FAMILIES, APExGP, Forecast, LearningCurve, LeastSquares
from apexgp.estimators import fit_together
from lcdb import Case
from scoring import Fitted
from study import peers

RESAMPLES = 100
SLOW_EVERY = 9
"""Methods that take seconds are run on one in so many curves."""
LEAST_SPREAD = 1e-4
"""Of residuals: a curve that goes through every point has not shown that it knows the next one."""


@dataclass(frozen=True)
class Method:
    """A way to forecast, as the tables name it."""

    title: str
    kind: str
    """Methods of a kind share a colour."""
    fit: Callable[[Case], Fitted]
    """Forecasts of a case, by what is forecast; raises where the method has none."""
    every: int = 1
    """It is run on one in so many curves."""
    brought: bool = False
    """Whether it needs a file that the user brings; docs/study.md can then do without it."""


def known_methods(folds: dict | None, lcpfn: str | None = None) -> dict[str, Method]:
    """All of them by name; calibrated priors are those of the task's fold, where there are folds.

    `lcpfn` is a file with the weights of LC-PFN.
    """

    def calibrated(mean: str) -> Callable[[Case], Fitted]:
        return _gaussian_process(lambda case: APExGP(mean, priors=calibrate.beliefs_for(case.task, folds)))

    def paper(mean: str) -> Callable[[Case], Fitted]:
        return _gaussian_process(lambda case: APExGP(mean, priors="paper"))

    found = {
        "default": Method("**full Bayes, calibrated (the default)**", "calibrated", calibrated("burr")),
        "auto": Method("full Bayes, calibrated, auto", "calibrated", calibrated("auto")),
    }
    for mean in ("power_law", "arctan"):
        title = f"full Bayes, calibrated, {_plain(mean)}"
        found[f"calibrated-{mean}"] = Method(title, "calibrated", calibrated(mean))
    for mean in ("power_law", "arctan", "auto"):
        title = f"full Bayes, the paper's priors, {_plain(mean)}"
        found[f"paper-{mean}"] = Method(title, "paper's priors", paper(mean))
    found |= {
        "published": Method("published MAP, power law", "MAP", _map(APExGP.as_published, "power_law")),
        "published-arctan": Method("published MAP, arctan", "MAP", _map(APExGP.as_published, "arctan")),
        "written": Method("MAP as written, power law", "MAP", _map(APExGP.as_written, "power_law")),
        "written-arctan": Method("MAP as written, arctan", "MAP", _map(APExGP.as_written, "arctan")),
    }
    for family in FAMILIES:
        if not FAMILIES[family].states_uncertainty:
            title = f"least squares, {_plain(family)}, residual interval"
            found[f"ls-{family}"] = Method(title, "least squares", _least_squares(family))
    return found | {
        "piecewise": Method("piecewise power law, delta method", "least squares", _piecewise),
        "bootstrap": Method("power law, bootstrap", "least squares", _bootstrap),
        "last-score": Method("the last score goes on", "outside", _last_score),
        "sklearn-gp": Method("scikit-learn Gaussian process on log size", "outside", peers.scikit_learn),
        "domhan": Method("mixture of 11 curves, emcee (Domhan)", "outside", peers.domhan, SLOW_EVERY),
        "simple-scaling-laws": Method("simple-scaling-laws", "outside", peers.simple_scaling_laws, SLOW_EVERY),
        "lc-pfn": Method("LC-PFN, trained on LCDB 1.1", "outside", peers.lc_pfn(lcpfn), brought=True),
    }


def _plain(name: str) -> str:
    written = {"burr": "Burr", "m4": "M4", "bnsl": "BNSL"}.get(name, name)
    return written.replace("_", " ").replace("mahmood", "Mahmood's")


def _gaussian_process(make: Callable[[Case], APExGP]) -> Callable[[Case], Fitted]:
    """Fit what `make` sets up for a case."""

    def fit(case: Case) -> Fitted:
        model = make(case).fit(case.curve)
        return lambda of: model.forecast(case.sizes, of=of)

    return fit


def _map(setting: Callable[..., APExGP], mean: str) -> Callable[[Case], Fitted]:
    return _gaussian_process(lambda case: setting(mean))


def _spread(residual: np.ndarray, parameters: int) -> float:
    return float(np.sqrt((residual**2).sum() / max(len(residual) - parameters, 1) + LEAST_SPREAD**2))


def _least_squares(family: str) -> Callable[[Case], Fitted]:
    """A curve through the means, with the standard deviation of its residuals as the only uncertainty."""

    def fit(case: Case) -> Fitted:
        pilot = case.curve.replicates
        model = LeastSquares(family).fit(case.curve)
        spread = _spread(pilot.mean - model.predict(pilot.sizes), len(FAMILIES[family].parameters))
        location = model.predict(case.sizes)[None]
        forecast = Forecast(case.sizes, location, np.full_like(location, spread), np.ones(1))
        return lambda of: forecast

    return fit


def _piecewise(case: Case) -> Fitted:
    """Jain's, which states its own interval where there are more sizes than parameters."""
    forecast = LeastSquares("piecewise_power_law").fit(case.curve).forecast(case.sizes)
    return lambda of: forecast


def _bootstrap(case: Case) -> Fitted:
    """Power laws through resampled scores, after Mahmood et al. 2022, each with the spread of the residuals."""
    rng = np.random.default_rng(0)
    curve, curves = case.curve, []
    while len(curves) < RESAMPLES:
        drawn = rng.integers(len(curve.scores), size=len(curve.scores))
        if len(np.unique(curve.sizes[drawn])) > 2:
            curves.append(LearningCurve(curve.sizes[drawn], curve.scores[drawn]))
    models = [model for model in fit_together(LeastSquares("power_law"), curves) if isinstance(model, LeastSquares)]
    pilot = curve.replicates
    fitted = LeastSquares("power_law").fit(curve).predict(pilot.sizes)
    locations = np.stack([model.predict(case.sizes) for model in models])
    scales = np.full_like(locations, _spread(pilot.mean - fitted, 3))
    forecast = Forecast(case.sizes, locations, scales, np.full(len(models), 1 / len(models)))
    return lambda of: forecast


def _last_score(case: Case) -> Fitted:
    """What the largest size gave, give or take the noise of two means."""
    pilot = case.curve.replicates
    if pilot.count.max() > 1:
        noise = np.sqrt(2 * (pilot.std**2 / pilot.count)[pilot.count > 1].mean())
    else:
        noise = _spread(np.diff(pilot.mean), 0)
    location = np.full((1, len(case.sizes)), pilot.mean[-1])
    forecast = Forecast(case.sizes, location, np.full_like(location, max(noise, LEAST_SPREAD)), np.ones(1))
    return lambda of: forecast
