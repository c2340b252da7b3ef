"""What there is to say about a forecast, as one dictionary that every surface prints or draws from."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from ..estimators import APExGP
from ..forecast import Forecast
from ..many import CurveForecast
from ..pairs import collapse

__all__ = ["batch_facts", "forecast_facts"]

_COLUMNS = ("size", "mean", "median", "std", "lower", "upper")


def forecast_facts(model: APExGP, forecast: Forecast, level: float) -> dict[str, Any]:
    """Gather the pilot, the settings, the fit and the forecast; ready for JSON."""
    curve = model.curve_
    pilot = collapse(curve.sizes, curve.scores)
    lower, upper = forecast.interval(level)
    settings = model.get_params(deep=False)
    rows = [
        dict(zip(_COLUMNS, map(float, row), strict=True))
        for row in zip(forecast.sizes, forecast.mean, forecast.median, forecast.std, lower, upper, strict=True)
    ]
    return {
        "apexgp": version("apexgp"),
        "pilot": {
            "metric": curve.metric,
            "task": curve.task,
            "direction": curve.direction,
            "scores": len(curve),
            "sizes": pilot.sizes.tolist(),
            "means": pilot.mean.tolist(),
            "counts": pilot.count.tolist(),
        },
        "settings": {**settings, "variant": asdict(settings["variant"])},
        "parameters": model.parameters_,
        "fit": {
            name.rstrip("_"): getattr(model, name)
            for name in ("weights_", "log_evidence_", "effective_size_", "objective_", "converged_")
            if hasattr(model, name)
        },
        "level": level,
        "forecast": rows,
        "sentence": _sentence(pilot.sizes[-1], pilot.mean[-1], curve.metric, rows[-1], level),
        "cautions": list(forecast.cautions),
    }


def batch_facts(found: CurveForecast, level: float) -> dict[str, Any]:
    """One curve of a batch; ready for JSON."""
    rows = []
    if found.error is None:
        lower, upper = found.intervals[level]
        columns = zip(found.sizes, found.mean, found.median, found.std, lower, upper, strict=True)
        rows = [dict(zip(_COLUMNS, map(float, row), strict=True)) for row in columns]
    return {
        "apexgp": version("apexgp"),
        "task": found.task,
        "level": level,
        "forecast": rows,
        "cautions": list(found.cautions),
        "error": found.error,
    }


def _sentence(size: float, score: float, metric: str, row: dict[str, float], level: float) -> str:
    """The last row in plain words."""
    return (
        f"With {row['size']:,.10g} training examples ({row['size'] / size:.3g} times the {size:,.10g} of the pilot, "
        f"which give {score:.3f}), expect a mean {metric} of {row['mean']:.3f}; the chance is {100 * level:g} % that "
        f"it lies between {row['lower']:.3f} and {row['upper']:.3f}."
    )
