"""What is attacked, by class: each attack draws an input and says what to do with it."""

import contextlib
import io
import json
import re
import sys
import tempfile
import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import apexgp
from apexgp import APExGP, CurveSet, LearningCurve, LeastSquares, LogisticHead, SliceHead, metrics
from apexgp.collect.labelled import read_labelled
from fuzz.values import anything, damaged, number, score, tampered

SIZES = [60.0, 94.0, 147.0, 230.0, 360.0]
SCORES = [0.66, 0.705, 0.722, 0.755, 0.768]
TABLE = np.array([SCORES, SCORES]).T
FRAME = {"n": SIZES, "auc": SCORES, "fold": [1, 1, 1, 1, 1]}
RNG = np.random.default_rng(0)
Y = np.arange(90) % 2
X = RNG.normal(size=(90, 3)) + Y[:, None]


@lru_cache
def folder():
    return Path(tempfile.mkdtemp(prefix="apexgp-fuzz-"))


@lru_cache
def fitted():
    return APExGP("power_law").fit(SIZES, SCORES)


@lru_cache
def curve():
    return LearningCurve(SIZES * 2, SCORES + [s + 0.01 for s in SCORES], ["a"] * 5 + ["b"] * 5, metric="auroc")


def proper(forecast):
    """What every forecast keeps."""
    lower, upper = forecast.interval(0.8)
    for values in (forecast.mean, forecast.median, lower, upper):
        assert np.isfinite(values).all()
        assert ((values >= 0) & (values <= 1)).all()
    assert (lower <= upper).all()


def calls():
    """Functions with arguments that they take, some of which will be put out of joint."""
    model, one = fitted(), curve()
    forecast = model.forecast([720.0, 3600.0])
    flat = LeastSquares("power_law").fit(one)
    collect = {"estimator": GaussianNB(), "X": X, "y": Y, "sizes": [20, 40], "n_splits": 1, "progress": False}
    known = {"groups": None, "metric": "auroc", "param_grid": None, "n_jobs": 1, "seed": 0, "ratio": (8, 1, 1)}
    known |= {"multiclass": "one_vs_rest", "count": "rows", "results": None}
    curves = {"a": one, "b": LearningCurve(SIZES, SCORES)}
    return {
        "curve": [
            (
                LearningCurve,
                {"sizes": SIZES, "scores": SCORES, "split": None, "metric": "m", "task": None, "direction": "higher"},
            ),
            (one.up_to, {"size": 200}),
            (one.beyond, {"size": 200}),
            (one.to_csv, {"path": folder() / "curve.csv", "overwrite": True}),
            (
                LearningCurve.from_frame,
                {"frame": FRAME, "size": "n", "score": "auc", "split": "fold", "metric": None, "direction": None}
                | {"unit": None},
            ),
            (lambda **columns: LearningCurve.from_frame(columns), FRAME),
            (
                LearningCurve.from_sklearn,
                {"result": (SIZES, TABLE, TABLE), "metric": None, "direction": None, "unit": "rows"},
            ),
            (
                lambda sizes, train, test: LearningCurve.from_sklearn((sizes, train, test)),
                {"sizes": SIZES, "train": TABLE, "test": TABLE},
            ),
        ],
        "estimators": [
            (
                lambda **given: proper(APExGP(**given).fit(one).forecast([720])),
                {
                    "mean": "power_law",
                    "inference": "bayes",
                    "priors": "calibrated",
                    "ceiling": 1.0,
                    "floor": 0.0,
                    "noise": None,
                    "variant": apexgp.PUBLISHED,
                    "seed": 0,
                },
            ),
            (
                lambda **given: APExGP.as_published().set_params(**given).fit(one).forecast([720]),
                {"ceiling": 1.0, "variant": apexgp.PUBLISHED, "seed": 0, "mean": "arctan"},
            ),
            (lambda **given: LeastSquares(**given).fit(one).predict([720]), {"family": "power_law", "ceiling": 1.0}),
            (lambda **given: APExGP("power_law").fit(**given), {"sizes": SIZES, "scores": SCORES, "split": None}),
            (lambda **given: proper(model.forecast(**given)), {"sizes": [720], "of": "new_splits", "n_splits": None}),
            (model.sample_curves, {"n": 3, "sizes": [720], "seed": 0, "of": "expected", "n_splits": None}),
            (model.required_size, {"target": 0.8, "confidence": 0.8, "of": "expected"}),
            (model.summary, {"level": 0.9}),
            (flat.required_size, {"target": 0.8, "confidence": 0.8, "of": "expected", "correction": 0.0}),
            (flat.predict, {"sizes": [720]}),
            (model.save, {"path": folder() / "model.json", "overwrite": True}),
            (APExGP.load, {"path": folder() / "no model.json"}),
        ],
        "answers": [
            (
                apexgp.plan_collection,
                {
                    "model": model,
                    "target": 0.8,
                    "cost_per_sample": 1.0,
                    "penalty": 1e4,
                    "rounds": 2,
                    "start": None,
                    "of": "expected",
                },
            ),
            (
                apexgp.minimum_sample_size,
                {
                    "prevalence": 0.2,
                    "parameters": 10,
                    "r2": 0.2,
                    "nagelkerke": False,
                    "margin": 0.05,
                    "shrinkage": 0.9,
                    "optimism": 0.05,
                    "error": 0.05,
                },
            ),
            (metrics.rmse, {"predicted": [0.5, 0.6], "y": [0.5, 0.7], "axis": None}),
            (metrics.mae, {"predicted": [0.5, 0.6], "y": [0.5, 0.7], "axis": None}),
            (metrics.crps, {"forecast": forecast, "y": [0.8, 0.8], "axis": None}),
            (
                metrics.coverage,
                {"forecast": forecast, "y": [0.8, 0.8], "level": 0.9, "kind": "equal_tailed", "axis": None},
            ),
            (metrics.quantized_likelihood, {"forecast": forecast, "y": [0.8, 0.8], "delta": 0.01, "axis": None}),
            (metrics.log_score, {"forecast": forecast, "y": [0.8, 0.8], "axis": None}),
            (metrics.pit, {"forecast": forecast, "y": [0.8, 0.8]}),
        ],
        "repeated": [
            (
                lambda **given: list(apexgp.forecast_many(**given)),
                {"curves": curves, "sizes": [720], "model": APExGP("power_law"), "levels": (0.8,), "n_jobs": 1},
            ),
            (apexgp.backtest, {"curve": one, "methods": ["power_law"], "holdout": None, "n_jobs": 1}),
            (apexgp.compare_models, {"curves": curves | {"b": one}, "sizes": [720], "model": APExGP("power_law")}),
            (
                apexgp.write_report,
                {
                    "model": model,
                    "path": folder() / "report.html",
                    "sizes": [720],
                    "times": [10],
                    "target": 0.8,
                    "confidence": 0.8,
                    "level": 0.95,
                    "cost_per_sample": 1.0,
                    "penalty": 1e4,
                    "rounds": 2,
                    "overwrite": True,
                    "progress": False,
                },
            ),
            (apexgp.true_requirement, {"curve": one, "target": 0.72}),
            (
                apexgp.simulate_collection,
                {
                    "curve": one,
                    "target": 0.76,
                    "model": LeastSquares("power_law"),
                    "pilot": 3,
                    "rounds": 2,
                    "cost_per_sample": 1.0,
                    "penalty": 1e7,
                    "correction": 0.0,
                    "truth": None,
                },
            ),
            (
                apexgp.tune_correction,
                {
                    "curves": [(one, 0.76)],
                    "model": LeastSquares("power_law"),
                    "pilot": 3,
                    "rounds": 2,
                    "step": 0.1,
                    "largest": 0.2,
                },
            ),
        ],
        "collect": [
            (apexgp.collect_curves, collect | known),
            (apexgp.collect_curves, collect | {"metric": "accuracy"}),
            (LogisticHead([1.0], [5]).fit, {"X": X, "y": Y, "validation": (X, Y)}),
            (
                lambda **given: LogisticHead(**given).fit(X, Y),
                {"Cs": [1.0], "max_iters": [5, 9], "tol": 1e-4, "validation_fraction": 0.1, "random_state": 0},
            ),
            (
                SliceHead([0.05], [0.0], 1, max_epochs=2).fit,
                {"X": [X[:3]] * 90, "y": Y, "validation": ([X[:3]] * 90, Y)},
            ),
            (
                lambda **given: SliceHead(**given).fit([X[:3]] * 90, Y),
                {
                    "learning_rates": [0.05],
                    "weight_decays": [0.0],
                    "n_seeds": 1,
                    "max_epochs": 2,
                    "max_slices": 5,
                    "validation_fraction": 0.1,
                    "random_state": 0,
                },
            ),
        ],
    }


@st.composite
def bad_call(draw, group):
    function, arguments = draw(st.sampled_from(calls()[group]))
    names = draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=2, unique=True))
    chosen = {name: draw(anything) for name in names}
    if isinstance(chosen.get("n_jobs"), (int, np.integer)) and abs(int(chosen["n_jobs"])) <= 1000:
        chosen["n_jobs"] = 0  # to start that many processes is what was asked for, and takes its time
    return f"{function} {list(chosen)}", lambda: function(**arguments | chosen), chosen


@st.composite
def odd_curve(draw):
    """A curve that is none of our business to refuse, and must get a proper forecast."""
    count = draw(st.integers(3, 9))
    sizes = draw(st.lists(st.integers(1, 10**6), min_size=count, max_size=count))
    scores = draw(st.lists(score, min_size=count, max_size=count))
    direction = draw(st.sampled_from(["higher", "lower"]))
    noise = draw(st.none() | st.sampled_from([1e-300, 1e-9, 0.01, 1e9]))
    mean = draw(st.sampled_from(["auto", "power_law", "mmf"]))
    at = draw(st.sampled_from([[1.0], [1e6, 1e9], [1e300]]))

    def act():
        given = LearningCurve(sizes, scores, direction=direction)
        proper(APExGP(mean, noise=noise).fit(given).forecast(at))

    return f"{sizes} {scores} {direction} {noise} {mean} {at}", act, None


@lru_cache
def model_document():
    path = folder() / "good.json"
    APExGP(apexgp.METHODS["apexgp"]().mean, priors=apexgp.model.beliefs.CALIBRATED).fit(curve()).save(
        path, overwrite=True
    )
    return json.loads(path.read_text())


@st.composite
def model_file(draw):
    document = model_document()
    if draw(st.booleans()):
        content = json.dumps(draw(tampered(document))).encode(errors="replace")
    else:
        content = draw(damaged(json.dumps(document).encode()))
    path = folder() / "tampered.json"

    def act():
        path.write_bytes(content)
        APExGP.load(path).forecast([720])

    return repr(content[:2000]), act, None


@lru_cache
def record():
    path = folder() / "good record.csv"
    path.unlink(missing_ok=True)
    apexgp.collect_curves(GaussianNB(), X, Y, sizes=[20, 30, 40], n_splits=1, progress=False, results=path)
    return path.read_bytes()


@st.composite
def run_record(draw):
    content = draw(damaged(record()))
    path = folder() / "runs.csv"

    def act():
        path.write_bytes(content)
        try:
            CurveSet.from_results(path).as_csv()
        finally:
            apexgp.collect_curves(GaussianNB(), X, Y, sizes=[20, 30, 40], n_splits=1, progress=False, results=path)

    return repr(content[-600:]), act, None


TABLE = "size,score,split\n" + "".join(
    f"{int(a)},{b},{c}\n" for a, b, c in zip(SIZES * 2, SCORES * 2, "a" * 5 + "b" * 5, strict=True)
)


@st.composite
def curve_file(draw):
    content = draw(
        damaged(TABLE.replace(",", draw(st.sampled_from(",;|\t"))).encode(draw(st.sampled_from(["utf-8", "utf-16"]))))
    )
    path = folder() / "pairs.csv"

    def act():
        path.write_bytes(content)
        apexgp.read_curves(path)

    return repr(content), act, None


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


@st.composite
def labelled_file(draw):
    files = labelled_files()
    suffix = draw(st.sampled_from(sorted(files)))
    content = draw(damaged(files[draw(st.sampled_from(sorted(files)))]))
    path, labels = folder() / f"data{suffix}", folder() / "labels.csv"

    def act():
        path.write_bytes(content)
        labels.write_bytes(files[".csv"])
        given = read_labelled(path, "label", "who", labels=labels if suffix == ".npy" else None)
        assert len(given.X) == len(given.y)

    return f"{suffix} {content[:300]!r}", act, None


def options():
    """Commands with their options, by what is attacked in them."""
    pairs = folder() / "good.csv"
    pairs.write_text(TABLE)
    data = folder() / "good labelled.csv"
    data.write_bytes(labelled_files()[".csv"])
    return {
        "forecast": (
            [str(pairs)],
            {
                "--at": "720",
                "--target": "0.8",
                "--confidence": "0.8",
                "--of": "expected",
                "--level": "0.9",
                "--ceiling": "1",
                "--floor": "0",
                "--noise": "0.01",
                "--mean": "power_law",
                "--seed": "0",
                "--json": None,
                "--size-column": "size",
                "--score-column": "score",
                "--metric": "m",
                "--published": None,
                "--lower-is-better": None,
                "--methods-text": None,
                "--task": "x",
                "--plot": str(folder() / "no.txt"),
            },
        ),
        "plan": (
            [str(pairs), "--target", "0.8", "--cost", "1", "--penalty", "1000", "--mean", "power_law"],
            {"--rounds": "2", "--start": "400", "--json": None, "--cost": "2", "--penalty": "5", "--target": "0.9"},
        ),
        "compare": (
            [str(pairs), str(pairs).replace("good", "./good"), "--mean", "power_law"],
            {"--at": "2x", "--json": None},
        ),
        "backtest": (
            [str(pairs), "--method", "power_law"],
            {
                "--holdout": "2",
                "--target": "0.8",
                "--jobs": "1",
                "--method": "arctan",
                "--out": str(folder() / "o.csv"),
                "--force": None,
                "--json": None,
            },
        ),
        "report": (
            [str(pairs), "--mean", "power_law", "--out", str(folder() / "r.html")],
            {
                "--at": "10x",
                "--target": "0.8",
                "--confidence": "0.8",
                "--level": "0.9",
                "--cost": "1",
                "--penalty": "1000",
                "--rounds": "2",
                "--metric": "<b>",
                "--ceiling": "1",
                "--out": str(folder() / "r.html"),
                "--force": None,
            },
        ),
        "minimum": (
            ["--prevalence", "0.2", "--parameters", "10", "--r2", "0.2"],
            {
                "--prevalence": "0.1",
                "--parameters": "5",
                "--r2": "0.1",
                "--margin": "0.05",
                "--shrinkage": "0.9",
                "--optimism": "0.05",
                "--error": "0.05",
                "--nagelkerke": None,
                "--json": None,
            },
        ),
        "collect": (
            [
                str(data),
                "--label",
                "label",
                "--jobs",
                "1",
                "--splits",
                "1",
                "--sizes",
                "20,30",
                "--metric",
                "accuracy",
                "--out",
                str(folder() / "c.csv"),
                "--results",
                str(folder() / "r.csv"),
            ],
            {
                "--label": "label",
                "--group": "who",
                "--drop": "a",
                "--estimator": "sklearn.naive_bayes:GaussianNB",
                "--metric": "auroc",
                "--sizes": "20",
                "--splits": "2",
                "--ratio": "8:1:1",
                "--multiclass": "macro",
                "--count": "groups",
                "--seed": "1",
                "--jobs": "1",
                "--out": str(folder() / "d.csv"),
                "--results": str(folder() / "s.csv"),
                "--force": None,
            },
        ),
    }


WORDS = [
    *(
        "",
        "abc",
        "0",
        "-1",
        "1e308",
        "1e-300",
        "5e-324",
        "1e999",
        "nan",
        "inf",
        "-inf",
        "1,2",
        "1:2:3",
        "9" * 310,
        "1e308:1e308:1e308",
    ),
    *(
        "1e-17",
        "0.5",
        "99",
        "1_0",
        " 7 ",
        "2x",
        "1e400x",
        "é",
        "\udc80",
        "../..",
        ".",
        "/",
        "/dev/null",
        "/dev/full",
        "/proc/x",
        "/no/such",
    ),
    *(
        "math:floor",
        "json:JSONDecoder",
        "sklearn.linear_model:LinearRegression",
        "sklearn.pipeline:Pipeline",
        "antigravity_no:x",
        "os:nope",
    ),
    *(
        ":",
        "a:",
        ":b",
        "sys:modules",
        "--json",
        "-1:1:1",
        "0:0:0",
        "logistic",
        "macro",
        "x" * 300,
        "[]",
        "'",
        '"',
        "\n",
        "%s",
        "{}",
    ),
]


@st.composite
def command(draw):
    name = draw(st.sampled_from(sorted(options())))
    fixed, free = options()[name]
    chosen = draw(st.lists(st.sampled_from(sorted(free)), max_size=3, unique=True))
    argv = ["apexgp", name, *fixed]
    for option in chosen:
        argv.append(option)
        if free[option] is not None:
            words = ["0", "-0", "", "abc", "1.5", "nan", "9" * 310] if option == "--jobs" else [*WORDS, free[option]]
            written = number.map(typed) | st.text(max_size=5)
            argv.append(draw(st.sampled_from(words) if option == "--jobs" else st.sampled_from(words) | written))
    if draw(st.integers(0, 9)) == 0:
        argv[2] = draw(
            st.sampled_from(["/dev/null", ".", "/no/such", "", str(folder() / "data.npz"), str(folder() / "pairs.csv")])
        )

    def act():
        for stale in ("c.csv", "r.csv", "d.csv", "s.csv", "o.csv", "r.html"):
            (folder() / stale).unlink(missing_ok=True)
        code, out, err = run(argv)
        assert code in (0, 1, 2), (code, err)
        assert "not prepared for" not in err, err
        assert "Aborted" not in err, err
        assert "Traceback" not in err, err
        assert not re.search(r"encountered in|Warning", err), err
        assert code == 0 or err.strip() or out.strip()
        if code == 0 and "--json" in argv:
            json.loads(out, parse_constant=_no_constant)
        return "refused" if code else "taken"

    return repr(argv), act, None


def typed(value):
    """A number as a person would type it; of one with thousands of digits, some."""
    return str(value) if isinstance(value, float) else str(value % 10**400)


def _no_constant(name):
    raise AssertionError(f"{name} is no JSON")


def run(argv):
    """The command as the shell calls it: exit code, standard output, standard error."""
    from apexgp.surfaces import cli

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace") for _ in range(2))
    before, show = sys.argv, warnings.showwarning
    sys.argv = argv
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder()):
            # Warnings come to a person as notes here, not as errors.
            warnings.simplefilter("default")
            try:
                cli.main()
                code = 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv, warnings.showwarning = before, show
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", errors="replace"))
    return code, *texts


ATTACKS = {
    "curve": lambda: bad_call("curve"),
    "estimators": lambda: bad_call("estimators"),
    "answers": lambda: bad_call("answers"),
    "repeated": lambda: bad_call("repeated"),
    "collect": lambda: bad_call("collect"),
    "odd curves": odd_curve,
    "model files": model_file,
    "run records": run_record,
    "curve files": curve_file,
    "labelled files": labelled_file,
    "commands": command,
}
