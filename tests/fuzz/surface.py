"""Everything public that takes an argument, found by looking: what is new is attacked without being listed."""

import atexit
import inspect
import io
import json
import os
import shutil
import tempfile
import warnings
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

import apexgp
from apexgp import (
    APExGP,
    Forecast,
    ForecastRecord,
    LearningCurve,
    LeastSquares,
    LogisticHead,
    SliceHead,
    TunedLogistic,
    errors,
)
from apexgp._answer import Answer
from apexgp.estimators.contract import SettingsEstimator
from apexgp.experiment import Experiment
from apexgp.files.writing import to_json_value
from apexgp.plot import (
    BacktestDisplay,
    BatchDisplay,
    ComparisonDisplay,
    CurveDisplay,
    DesignDisplay,
    ExperimentDisplay,
    PlanDisplay,
    PredictiveCheckDisplay,
    ReliabilityDisplay,
    SensitivityDisplay,
)
from apexgp.priors import CALIBRATED, PUBLISHED, Beliefs, Variant
from image_files import save_model, save_picture
from public_names import public_names

os.environ["HF_HUB_OFFLINE"] = "1"  # names of models that nobody has are not looked for on other machines

SIZES = [60.0, 94.0, 147.0, 230.0, 360.0]
SCORES = [0.66, 0.705, 0.722, 0.755, 0.768]
RNG = np.random.default_rng(0)
Y = np.arange(90) % 2
X = RNG.normal(size=(90, 3)) + Y[:, None]
SCANS = [X[:3]] * 90
TABLE = "size,score,split\n" + "".join(
    f"{int(a)},{b},{c}\n" for a, b, c in zip(SIZES * 2, SCORES * 2, "a" * 5 + "b" * 5, strict=True)
)

# What surfaces call with settings that they have checked.
FOR_SURFACES = {("Reading", name) for name in ("of", "of_saved", "find_curves")}
DISPLAYS = tuple(getattr(apexgp.plot, name) for name in apexgp.plot.__all__)
# What nobody makes but apexgp itself: results, which are read; and the records behind a CurveSet.
DISTRIBUTIONS = set(apexgp.priors.__all__) - {"Beliefs", "Variant", "paper_beliefs"}
RESULTS = {"Backtest", "CollectionPlan", "CollectionRun", "Comparison", "CurveForecast", "CurveSet", "EmbeddingRun"}
RESULTS |= {
    "ComparedForecast",
    "HeldOut",
    "ChangedSize",
    "LeadChange",
    "RequiredSizeRange",
    "LevelCoverage",
    "MethodScore",
    "MinimumEvaluationSize",
    "MinimumSampleSize",
    "PairComparison",
    "PilotDesign",
    "RankedDesign",
}
RESULTS |= {"Reliability", "RequiredSize", "DenseFigure", "Experiment", "ExperimentResult", "RangeFigure"}
RESULTS |= {"Reading"}  # attacked on its own: see `wild_reading`
RESULTS |= {"Discrepancy", "PredictiveCheck", "Scale", "Sensitivity", "SensitivityRow"}
RESULTS |= {display.__name__ for display in DISPLAYS}


@lru_cache
def folder():
    made = Path(tempfile.mkdtemp(prefix="apexgp-fuzz-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


@lru_cache
def fitted():
    return APExGP("power_law").fit(SIZES, SCORES)


@lru_cache
def curve():
    return LearningCurve(SIZES * 2, SCORES + [s + 0.01 for s in SCORES], ["a"] * 5 + ["b"] * 5, metric="auroc")


def collected(record=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.FewTestCasesWarning)
        return apexgp.collect_curves(GaussianNB(), X, Y, sizes=[20, 30, 40], n_splits=1, progress=False, results=record)


EXPERIMENT = """
name = "Small"
[data]
embeddings = "small.npz"
labels = ["label"]
patients = "who"
[classifier]
head = "2D"
settings = { Cs = [1.0], max_iters = [9] }
[sizes]
pilot = [20, 30, 40]
short = [60]
[splits]
number = 1
[forecasts]
methods = ["power_law", "gp_power_law"]
rounds = 5
"""


@lru_cache
def experiment():
    """A small one, with its embeddings and its file beside it."""
    (folder() / "small.npz").write_bytes(labelled_files()[".npz"])
    (folder() / "small.toml").write_text(EXPERIMENT)
    return Experiment.read(folder() / "small.toml")


@lru_cache
def judged():
    later = [*SIZES, 60.0 * 8]
    return apexgp.experiment.judge_curves(
        Experiment.parsed(EXPERIMENT.replace("20, 30, 40", "60, 94, 147, 230, 360").replace("[60]", "[480]")),
        {"a": LearningCurve(later, [*SCORES, 0.78], ["a"] * 6, metric="auroc")},
    )


def frame():
    return pd.read_csv(io.StringIO(TABLE))


@lru_cache
def pictures():
    """Four pictures, their table, and the smallest of all transformers, where there is torch to make one."""
    place, labels = folder() / "pictures", folder() / "pictures.csv"
    for i in range(4):
        save_picture(place / f"{i}.png", np.full((20, 30), 50 * i, dtype=np.uint8))
    labels.write_text("file,patient,label\n" + "".join(f"{i}.png,p{i // 2},{i % 2}\n" for i in range(4)))
    model = save_model(folder() / "vit") if find_spec("transformers") and find_spec("torch") else "none"
    return {"folder": place, "labels": labels, "model": model, "device": "cpu"}


@lru_cache
def recorded():
    """A record with a forecast and what came."""
    record = ForecastRecord(folder() / "record.jsonl")
    record.add_forecast(fitted(), [720], name="a")
    record.add_measured(LearningCurve([720], [0.8]), name="a")
    return record


@lru_cache
def instances():
    """One of each class whose methods are attacked."""
    model, one = fitted(), curve()
    tested, plan = apexgp.backtest(one, ["power_law"]), apexgp.plan_collection(model, 0.8, 1.0, 1e4)
    designed = apexgp.design_pilot(model, 4, confirm=0)
    compared = apexgp.compare_models({"a": one, "b": one}, [720], model)
    changed, checked = apexgp.sensitivity(model, [720], target=0.8), apexgp.predictive_check(model, draws=100)
    found = {
        "APExGP": model,
        "Backtest": tested,
        "BacktestDisplay": BacktestDisplay.from_backtest(tested),
        "BatchDisplay": BatchDisplay.from_estimators({"a": model}),
        "Beliefs": CALIBRATED,
        "CollectionPlan": plan,
        "Comparison": compared,
        "ComparisonDisplay": ComparisonDisplay.from_comparison(compared),
        "CurveDisplay": CurveDisplay.from_estimator(model),
        "CurveForecast": next(iter(apexgp.forecast_many([one], [720], APExGP("power_law")))),
        "CurveSet": collected(),
        "DesignDisplay": DesignDisplay.from_design(designed, model),
        "Experiment": experiment(),
        "ExperimentDisplay": ExperimentDisplay.from_result(judged(), "a"),
        "ExperimentResult": judged(),
        "Forecast": model.forecast([720.0, 3600.0]),
        "ForecastRecord": recorded(),
        "LearningCurve": one,
        "Reading": apexgp.read(io.StringIO(TABLE)),
        "LeastSquares": LeastSquares("power_law").fit(one),
        "LogisticHead": LogisticHead([1.0], [5]).fit(X, Y),
        "MinimumEvaluationSize": apexgp.minimum_evaluation_size(0.2, 0.8),
        "MinimumSampleSize": apexgp.minimum_sample_size(0.2, 10, 0.2),
        "PilotDesign": designed,
        "PlanDisplay": PlanDisplay.from_plan(model, plan),
        "PredictiveCheck": checked,
        "PredictiveCheckDisplay": PredictiveCheckDisplay.from_check(checked),
        "Reliability": recorded().reliability(),
        "ReliabilityDisplay": ReliabilityDisplay.from_reliability(recorded().reliability()),
        "RequiredSize": model.required_size(0.8),
        "RequiredSizeRange": apexgp.required_size_range(model, 0.8),
        "Scale": one.scale,
        "Sensitivity": changed,
        "SensitivityDisplay": SensitivityDisplay.from_sensitivity(changed),
        "SliceHead": SliceHead([0.05], [0.0], 1, max_epochs=2).fit(SCANS, Y),
        "TunedLogistic": TunedLogistic([1.0]).fit(X, Y),
    }
    found |= {"MethodScore": tested.pooled[0], "PairComparison": compared.pairs[0]}
    return found


@lru_cache
def usual():
    """An argument that will do, by its name; by the name of the function first, where that is not enough."""
    model, one = fitted(), curve()
    (folder() / "good.csv").write_text(TABLE)
    model.save(folder() / "good.json", overwrite=True)
    LeastSquares("power_law").fit(one).save(folder() / "flat.json", overwrite=True)
    collected(folder() / "good record.csv")
    settings = {"ceiling": 1.0, "floor": 0.0, "mean": "power_law", "seed": 0}
    by_name = {
        **settings,
        **{"sizes": [720], "scores": SCORES, "target": 0.76, "model": model, "curve": one, "overwrite": True},
        **{"path": folder() / "written.csv", "y": [0.8, 0.8], "predicted": [0.5, 0.6], "n": 3, "p": [0.1, 0.9]},
        **{
            "forecast": model.forecast([720.0, 3600.0]),
            "lower": 0.1,
            "upper": 0.9,
            "index": 1,
            "size": 200,
            "probability": 0.8,
        },
        **{
            "prevalence": 0.2,
            "parameters": 10,
            "r2": 0.2,
            "cost_per_example": 1.0,
            "penalty": 1e4,
            "n_jobs": 1,
        },
        **{
            "curves": {"a": one, "b": one},
            "pilot": 3,
            "to": 5000,
            "ax": None,
            "progress": False,
            "which": ("1", "auroc"),
        },
        **{"values": SCORES, "scale": one.scale},
        **{"frame": frame(), "result": (SIZES, np.ones((5, 2)), np.outer(SCORES, [1.0, 1.01]))},
        **{"models": {"a": model}, "times": [2], "axes": None, "noise": 0.01, "budget": 4, "confirm": 0},
        **{"found": instances()["PilotDesign"], "cost": 3.0, "one": instances()["PilotDesign"].best},
        **{"comparison": instances()["Comparison"], "plan": instances()["CollectionPlan"]},
    }
    methods = ("fit", "predict", "predict_proba", "decision_function")
    small = {"sizes": [20, 40], "n_splits": 1, "estimator": GaussianNB(), "X": X, "y": Y}
    of_function = {
        "LearningCurve": {"sizes": SIZES},
        "Forecast": {
            "sizes": np.array([720.0]),
            "locations": np.array([[0.7], [0.8]]),
            "scales": np.array([[0.1], [0.1]]),
            "weights": np.array([0.5, 0.5]),
        },
        "APExGP.fit": {"sizes": SIZES},
        "LeastSquares.fit": {"sizes": SIZES},
        "APExGP.load": {"path": folder() / "good.json"},
        "LeastSquares.load": {"path": folder() / "flat.json"},
        "read": {"source": folder() / "good.csv", "size": "size"},
        "Reading.with_roles": {"roles": {"A": "size"}},
        "Reading.with_rows": {"rows": "2-7"},
        "Reading.with_cells": {"cells": {"B3": "0.7"}},
        "Reading.save": {"path": folder() / "good.reading.json"},
        "CurveSet.from_results": {"path": folder() / "good record.csv"},
        "CurveDisplay.plot": {"truth": ([720], [0.8]), "required": model.required_size(0.8)},
        "LogisticHead": {"Cs": [1.0], "max_iters": [5, 9]},
        "SliceHead": {"learning_rates": [0.05], "weight_decays": [0.0], "n_seeds": 1, "max_epochs": 2},
        "TunedLogistic": {"Cs": [1.0], "n_folds": 2},
        **{f"{head}.{method}": {"X": X, "y": Y} for head in ("LogisticHead", "TunedLogistic") for method in methods},
        **{f"SliceHead.{method}": {"X": SCANS, "y": Y} for method in methods},
        "BacktestDisplay.from_backtest": {"result": instances()["Backtest"]},
        "Beliefs": vars(CALIBRATED),
        "Beliefs.from_dict": {"content": CALIBRATED.to_dict()},
        "Variant": vars(PUBLISHED),
        "paper_beliefs": {"variant": PUBLISHED},
        "write_report": {"path": folder() / "report.html", "times": [2], "target": None, "prevalence": None},
        "minimum_evaluation_size": {"cstatistic": 0.8},
        "embed_images": pictures() | {"out": folder() / "e.npz"},
        "collect_curves": small,
        "collect_scores": {"train": steady, "sizes": [20, 40, 80], "n_splits": 1, "metric": "auroc"},
        "StopRule": {"at": 720, "width": 0.1, "model": None},
        "backtest": {"methods": ["power_law"]},
        "run_experiment": {"experiment": experiment()},
        "judge_curves": {"experiment": judged().experiment, "curves": judged().curves},
        "bootstrapped_likelihood": {"scores": [[0.79, 0.8], [0.81, 0.82]], "rounds": 5},
        "dense_coverage": {"interval": (0.7, 0.8), "rounds": 5},
        "uniform_likelihood": {"lowest": 0.6},
        "write_experiment": {"result": judged(), "folder": folder() / "experiment", "pictures": False},
        "Experiment.read": {"source": folder() / "small.toml"},
        "Experiment.parsed": {"content": EXPERIMENT, "folder": folder()},
        "Experiment.text_in": {"folder": folder()},
        "Experiment.write": {"path": folder() / "written.toml"},
        "ExperimentDisplay.from_result": {"result": judged(), "task": "a"},
        "forecast_many": {"model": APExGP("power_law"), "levels": (0.8,), "times": None, "target": None},
        "PilotDesign.table": {"widths": [0], "most": 3},
        "design_pilot": {"sizes": None, "cost": None, "target": None},
        "compare_models": {"model": APExGP("power_law")},
        "sensitivity": {"times": None, "target": None},
        "predictive_check": {"draws": 100},
        "ForecastRecord": {"path": folder() / "record.jsonl"},
        "ForecastRecord.add_forecast": {"name": "a"},
        "ForecastRecord.add_measured": {"name": "a"},
        "ReliabilityDisplay.from_reliability": {"found": instances()["Reliability"]},
        "SensitivityDisplay.from_sensitivity": {"found": instances()["Sensitivity"]},
        "PredictiveCheckDisplay.from_check": {"found": instances()["PredictiveCheck"]},
        "simulate_collection": {"model": LeastSquares("power_law"), "rounds": 2},
        "tune_correction": {
            "curves": [(one, 0.76)],
            "model": LeastSquares("power_law"),
            "rounds": 2,
            "step": 0.1,
            "largest": 0.2,
        },
    }
    return by_name, of_function


@lru_cache
def public():
    """Everything public that is attacked, by its name: metrics as metrics.crps."""
    found = {}
    for name, thing in public_names().items():
        _, module, last = f".{name}".rsplit(".", 2)
        # Distributions check nothing themselves: Beliefs and Variant try out those that they are given.
        if module != "errors" and last not in DISTRIBUTIONS:
            found[f"metrics.{last}" if module == "metrics" else last] = thing
    return found


@lru_cache
def surface():
    """Each public function by its name: what to call, and arguments that it takes."""
    found = {}
    for name, thing in public().items():
        if inspect.isfunction(thing):
            found[name] = thing
        elif inspect.isclass(thing):
            if name not in RESULTS:
                found[name] = _ready(thing)
            for method in _methods(thing):
                given = partial(_changed_model, thing) if method == "set_params" else None
                found[f"{name}.{method}"] = given or getattr(instances().get(name, thing), method)
    found["CurveSet[]"] = lambda which: instances()["CurveSet"][which]
    arguments = {name: _arguments(name, function) for name, function in found.items()}
    return {name: (found[name], arguments[name]) for name in found if arguments[name]}


def _methods(thing):
    own = inspect.getmembers(thing, lambda member: inspect.isfunction(member) or inspect.ismethod(member))
    ours = [name for name, method in own if not name.startswith("_") and method.__module__.startswith("apexgp")]
    return [name for name in ours if (thing.__name__, name) not in FOR_SURFACES]


def _ready(thing):
    """A class as a function; settings are checked when they are used."""
    if issubclass(thing, (LogisticHead, SliceHead, TunedLogistic)):
        return partial(_fitted_head, thing)
    if issubclass(thing, (Beliefs, Variant)):
        return partial(_believed, thing)
    if issubclass(thing, apexgp.StopRule):
        return partial(_asked, thing)
    return partial(_fitted_model, thing) if issubclass(thing, (APExGP, LeastSquares)) else thing


def _asked(thing, **settings):
    return thing(**settings)(apexgp.collect_scores(steady, [20, 40, 80], 1, metric="auroc", progress=False))


def steady(n, seed):
    """A training function that has nothing to learn."""
    return 0.8 - 1 / n


def _fitted_head(thing, **settings):
    return thing(**settings).fit(SCANS if thing is SliceHead else X, Y)


def _believed(thing, **settings):
    made = thing(**settings)
    priors = {"priors": made} if thing is Beliefs else {"priors": "paper", "variant": made}
    return APExGP(**priors).fit(curve()).forecast([720])


def _fitted_model(thing, **settings):
    return _predicted(thing(**settings))


def _changed_model(thing, **settings):
    return _predicted(thing().set_params(**settings))


def _predicted(model):
    model.fit(curve())
    return model.forecast([720]) if model.has_distribution else model.predict([720])


def _arguments(name, function):
    """Arguments that will do; a function that needs one of which nothing is known has to be taught here."""
    by_name, of_function = usual()
    original = public()[name.removesuffix(".set_params")] if isinstance(function, partial) else function
    found = {}
    for parameter in inspect.signature(original).parameters.values():
        known = by_name | of_function.get(name, {})
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        if parameter.name in known:
            found[parameter.name] = known[parameter.name]
        elif parameter.default is not inspect.Parameter.empty:
            found[parameter.name] = parameter.default
        else:
            raise NotImplementedError(f"Say in tests/fuzz/surface.py what {name} takes as {parameter.name}.")
    return found


def used(result):
    """Read a result as a person would: what is wrong with it shows there."""
    if isinstance(result, Forecast):
        proper(result)
    elif isinstance(result, DISPLAYS) and hasattr(result, "figure_"):
        from matplotlib import pyplot

        result.figure_.canvas.draw()
        pyplot.close("all")
    elif inspect.isgenerator(result):
        result = list(result)
    for answer in result if isinstance(result, list) else [result]:
        if isinstance(answer, Answer):
            json.dumps(to_json_value(answer.to_dict()), allow_nan=False)
            assert len(answer.to_frame()) == len(next(iter(answer.to_dict().values())))
            assert answer._repr_html_()
    if not isinstance(result, BaseEstimator | SettingsEstimator):  # which shows what it was given, as that shows itself
        repr(result)


def proper(forecast):
    """What every forecast keeps."""
    lower, upper = forecast.interval(0.8)
    for values in (forecast.mean, forecast.median, lower, upper):
        assert np.isfinite(values).all()
        assert ((values >= 0) & (values <= 1)).all()
    assert (lower <= upper).all()


@lru_cache
def labelled_files():
    table = "a,b,c,label,who\n" + "".join(
        f"{x[0]:.3f},{x[1]:.3f},{'uvw'[i % 3]},{y},{i // 2}\n" for i, (x, y) in enumerate(zip(X, Y, strict=True))
    )
    found = {".csv": table.encode()}
    for suffix, save in (
        (".npy", lambda f: np.save(f, X)),
        (".npz", lambda f: np.savez(f, X=X, label=Y, who=np.arange(90) // 2)),
    ):
        buffer = io.BytesIO()
        save(buffer)
        found[suffix] = buffer.getvalue()
    return found
