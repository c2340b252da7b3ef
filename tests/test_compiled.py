"""Compiled loops and NumPy: one engine, whose numbers do not hang on how they were computed, nor on companions."""

import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import apexgp.inference.compiled_integral as compiled_integral
import apexgp.numerics.truncated_mixture as truncated_mixture
import apexgp.numerics.truncated_normal as truncated_normal
from apexgp import APExGP, LearningCurve, forecast_many
from apexgp.compiled.loaded import compiled_loops
from apexgp.inference.density import Density
from apexgp.inference.integral import integrate, integrate_in_numpy
from apexgp.inference.statistics import Statistics
from apexgp.model.beliefs import CALIBRATED
from apexgp.model.means import MEANS
from apexgp.numerics.truncated_mixture import TruncatedMixture
from conftest import missing
from sanitised.absurd_arguments import record_calls

SIZES = np.geomspace(60, 360, 5)


def curves():
    """Of every structure that the loops know, and what has once made numbers hang on rounding."""
    rng = np.random.default_rng(3)
    rising = 0.9 - 0.25 * (SIZES[:, None] / 60) ** -0.5
    return {
        "splits": LearningCurve(SIZES, rising + 0.01 * rng.normal(size=(5, 3))),
        "no labels": LearningCurve(np.repeat(SIZES, 2), (rising + 0.01 * rng.normal(size=(5, 2))).ravel()),
        "missing scores": LearningCurve(
            np.delete(np.repeat(SIZES, 3), [2, 5, 7]),
            np.delete(rising + 0.01 * rng.normal(size=(5, 3)), [2, 5, 7]),
            split=np.delete(np.tile([0, 1, 2], 5), [2, 5, 7]),
        ),
        "one run": LearningCurve(SIZES, rising[:, 0]),
        "means": LearningCurve(SIZES, rising[:, 0], averaged_over=5, score_sd=0.02),
        "many sizes": LearningCurve(
            np.geomspace(60, 3600, 40), 0.9 - 0.3 * np.geomspace(1, 60, 40) ** -0.4 + 0.01 * rng.normal(size=40)
        ),
        "a score of 1": LearningCurve([60, 94, 147, 230, 360], [0.7, 0.8, 0.8, 0.9, 1.0]),
        "wild": LearningCurve([100, 200, 400], [0.6, 1.0, 0.8]),
        "perfect": LearningCurve([100, 200, 400], [1.0, 1.0, 1.0]),
    }


CURVES = curves()
HARD = pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")  # some of these are hard to integrate


@pytest.fixture
def loops():
    found = compiled_loops()
    if found is None:
        missing("the package was built without a compiler")
    return found


def without_loops(patch):
    for module in (compiled_integral, truncated_mixture, truncated_normal):
        patch.setattr(module, "compiled_loops", lambda nodes=0: None)


@pytest.mark.slow
@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("mean", ["burr", "power_law"])
@pytest.mark.parametrize("name", CURVES)
def test_components_are_those_of_numpy(name, mean):
    density, statistics = Density(MEANS[mean], CALIBRATED), Statistics.of(CURVES[name])
    ours, theirs = (method(density, statistics, 2) for method in (integrate, integrate_in_numpy))
    for told in ("log_evidence", "effective_size", "end_bounds"):
        assert getattr(ours, told) == pytest.approx(getattr(theirs, told), rel=1e-7), told
    for told in ("weights", "masses", "drop_share"):
        np.testing.assert_allclose(getattr(ours, told), getattr(theirs, told), rtol=1e-4, atol=1e-12, err_msg=told)
    for parameter, values in theirs.parameters().items():
        np.testing.assert_allclose(ours.parameters()[parameter], values, rtol=1e-4, err_msg=parameter)


@HARD
@pytest.mark.slow
@pytest.mark.usefixtures("loops")
@pytest.mark.parametrize("name", CURVES)
def test_forecasts_are_those_of_numpy(name, monkeypatch):
    curve = CURVES[name]
    at = curve.largest * np.array([1.0, 2.0, 50.0])

    def quantiles():
        return APExGP().fit(curve).forecast(at).quantile([0.025, 0.5, 0.975])

    ours = quantiles()
    without_loops(monkeypatch)
    np.testing.assert_allclose(ours, quantiles(), atol=1e-7)


@pytest.mark.usefixtures("loops")
def test_cut_distributions_are_those_of_numpy(rng, monkeypatch):
    location, scale = rng.normal(0.5, 3, (4, 64)), 10.0 ** rng.uniform(-32, 6, (4, 64))
    ours = truncated_normal.TruncatedNormal(location, scale)
    without_loops(monkeypatch)
    theirs = truncated_normal.TruncatedNormal(location, scale)
    for name in ("location", "scale", "precision", "sign_below", "sign_above", "phi_below", "phi_above", "mass"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-11, err_msg=name)


@pytest.mark.usefixtures("loops")
def test_tails_of_mixtures_are_those_of_numpy(rng, monkeypatch):
    for components in (2, 3, 61):
        mixture = TruncatedMixture(
            rng.normal(0.5, 1, (components, 4)),
            10.0 ** rng.uniform(-6, 1, (components, 4)),
            rng.dirichlet(np.ones(components)),
        )
        y, rows = rng.random(50), rng.integers(0, 8, 50)
        ours = mixture._tail_and_slopes(y, rows)
        with monkeypatch.context() as patch:
            without_loops(patch)
            theirs = mixture._tail_and_slopes(y, rows)
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13 * np.abs(other).max())


@HARD
@pytest.mark.slow
def test_a_curve_is_forecast_alike_alone_and_in_any_company():
    curves = {name: CURVES[name] for name in ("splits", "a score of 1", "wild", "perfect")}
    named = {task: LearningCurve(c.sizes, c.scores, split=c.split, task=task) for task, c in curves.items()}
    alone = {task: APExGP().fit(c).forecast([3600.0]).interval(0.95) for task, c in named.items()}
    for company in (list(named.values()), list(named.values())[::-1], list(named.values())[1:3]):
        for one in forecast_many(company, sizes=[3600.0]):
            np.testing.assert_allclose(one.intervals[0.95], alone[one.task], rtol=1e-9)


@pytest.mark.slow
def test_other_instructions_of_the_processor_give_the_same_numbers():
    """NumPy's and the linear algebra's may differ in the last bit, which no decision may hang on."""
    program = (
        "import json, numpy as np; from apexgp import APExGP, LearningCurve\n"
        "curves = [([60, 94, 147, 230, 360], [0.7, 0.8, 0.8, 0.9, 1.0]), ([100, 200, 400], [0.6, 1, 0.8])]\n"
        "print(json.dumps([APExGP().fit(*c).forecast([3600.0]).quantile([.025, .5, .975]).tolist() for c in curves]))"
    )

    def printed(**settings):
        environment = os.environ | settings
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
        )
        return np.array(json.loads(done.stdout))

    plain = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL X86_V3", "OPENBLAS_CORETYPE": "Nehalem"}
    np.testing.assert_allclose(printed(), printed(**plain), atol=1e-7)
    np.testing.assert_allclose(printed(), printed(APEXGP_NUMPY="1"), atol=1e-7)


@pytest.fixture(scope="module")
def calls():
    """Arguments of proper calls, by entry."""
    if compiled_loops() is None:
        missing("the package was built without a compiler")
    return dict(record_calls())


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, np.uint8)
    return memoryview(raw)[1:].cast("d")


NO_BUFFERS = {
    "single precision": lambda array: array.astype("f4"),
    "another byte order": lambda array: array.astype(array.dtype.newbyteorder()),
    "other numbers": lambda array: array.view("f8" if array.dtype == np.int64 else "i8"),
    "bytes": lambda array: array.tobytes(),
    "a list": lambda array: array.tolist(),
    "steps": lambda array: np.repeat(array, 2, axis=-1)[..., ::2],
    "one number less": lambda array: array.ravel()[:-1],
    "one number more": lambda array: np.append(array, array.ravel()[:1]),
    "between addresses": unaligned,
}


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["integrate", "cut", "search", "tails"])
@pytest.mark.parametrize("kind", NO_BUFFERS)
def test_arrays_of_another_kind_are_refused(entry, kind, loops, calls):
    arguments = calls[entry]
    for which, array in enumerate(arguments):
        if isinstance(array, np.ndarray):
            spoilt = [*arguments[:which], NO_BUFFERS[kind](array), *arguments[which + 1 :]]
            with pytest.raises((TypeError, ValueError), match=r"^\w+: "):
                getattr(loops, entry)(*spoilt)


@pytest.mark.slow
def test_results_go_only_where_they_may(loops, calls):
    for entry, results in {"integrate": 2, "cut": 1, "search": 1, "tails": 1}.items():
        for which in range(-results, 0):
            arguments = list(calls[entry])
            arguments[which] = arguments[which].copy()
            arguments[which].setflags(write=False)
            with pytest.raises(TypeError, match="read-only"):
                getattr(loops, entry)(*arguments)


@pytest.mark.slow
def test_numbers_that_memory_hangs_on_are_checked(loops, calls):
    counts, layout, options, *rest = calls["integrate"]
    for which in range(len(counts)):
        for count in (-1, 2**31 - 1, 2**31):
            other = (*counts[:which], count, *counts[which + 1 :])
            with pytest.raises((ValueError, OverflowError)):
                loops.integrate(other, layout, options, *rest)
    refused = set()
    for which in range(len(options)):
        for value in (np.nan, np.inf, -0.5):
            other = options.copy()
            other[which] = value
            try:
                loops.integrate(counts, layout, other, *rest)
            except ValueError as error:
                refused |= set(re.findall(r"a possible (\w+)", str(error)))
            else:
                assert value == -0.5
    assert refused == {"burr", "dimensions", "divide_row", "first", "searching", "step", "growth", "components"}
    refusals = 0
    for which in range(len(layout) // 2, len(layout)):  # the splits are at various sizes, named by their places
        for value in (-1.0, 1e9):
            other = layout.copy()
            other[which] = value
            try:
                loops.integrate(counts, other, options, *rest)
            except ValueError:
                refusals += 1
    assert refusals >= 2 * counts[3]
    for entry, which in (("tails", 6), ("search", 8)):
        for row in (-1, calls[entry][4].size, 2**62):
            arguments = list(calls[entry])
            arguments[which] = np.full_like(arguments[which], row)
            with pytest.raises(ValueError, match=r"^rows: "):
                getattr(loops, entry)(*arguments)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.AccuracyWarning")
def test_curves_may_be_fitted_in_several_threads_at_once():
    """Threads begin together with points that nobody has asked for yet, and change places as often as they can."""
    threads, names = 4, ["splits", "missing scores", "means", "no labels", "wild"]
    start = threading.Barrier(threads)

    def fit_all(order=1):
        models = {name: APExGP(seed=3737).fit(CURVES[name]) for name in names[::order]}
        return [models[name].forecast([360.0, 3600.0]).quantile([0.025, 0.5, 0.975]) for name in names]

    def fit_at_once(which):
        start.wait()
        return fit_all(1 if which % 2 else -1)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(threads) as pool:
            together = list(pool.map(fit_at_once, range(threads)))
    finally:
        sys.setswitchinterval(usual)
    alone = fit_all()
    for found in together:
        np.testing.assert_array_equal(found, alone)
