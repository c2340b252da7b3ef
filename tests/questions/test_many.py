import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares, backtest, forecast_many
from apexgp.errors import DataError, RequestError
from apexgp.inference.bayes import FullBayes

SIZES = np.array([60.0, 94, 147, 230, 360])
NEW = [720, 5000]


def curves(count, seed=0):
    rng = np.random.default_rng(seed)
    for i in range(count):
        sizes = SIZES if i % 3 else SIZES * 2
        table = 0.9 - rng.uniform(0.1, 0.4) * (SIZES[:, None] / 60) ** -0.5 + rng.normal(0, 0.01, (5, 3))
        if i % 4 == 3:
            yield LearningCurve(np.repeat(sizes, 3), table.ravel(), task=f"unlabelled {i}")
        else:
            yield LearningCurve(sizes, table, task=f"task {i}")


@pytest.mark.slow
@pytest.mark.parametrize("model", [APExGP(), APExGP("power_law", priors="paper"), APExGP.as_published()])
def test_a_batch_is_its_curves_one_by_one(model):
    results = list(forecast_many(curves(7), NEW, model, levels=(0.9,)))
    assert [r.index for r in results] == list(range(7))
    for curve, result in zip(curves(7), results, strict=True):
        forecast = model.fit(curve).forecast(NEW)
        assert result.task == curve.task
        assert result.error is None
        np.testing.assert_allclose(result.mean, forecast.mean, atol=1e-9)
        np.testing.assert_allclose(result.median, forecast.median, atol=1e-8)
        np.testing.assert_allclose(result.intervals[0.9], forecast.interval(0.9), atol=1e-8)
        assert result.cautions == forecast.cautions


@pytest.mark.slow
def test_processes_give_the_same():
    one, two = (list(forecast_many(curves(70), NEW, APExGP("power_law"), n_jobs=n)) for n in (1, 2))
    np.testing.assert_array_equal([r.mean for r in one], [r.mean for r in two])
    assert [r.task for r in one] == [r.task for r in two]


def test_one_bad_curve_is_an_entry_not_the_end():
    bad = [LearningCurve([60, 60], [0.7, 0.8], task="short"), None]
    results = list(forecast_many([*curves(2), *bad, *curves(1)], NEW, APExGP("arctan")))
    assert [r.error is None for r in results] == [True, True, False, False, True]
    assert "2 or more different sizes" in results[2].error
    assert results[2].task == "short"
    assert "Expected a LearningCurve, got NoneType" in results[3].error
    assert results[2].mean.size == 0


def test_a_mapping_gives_its_keys():
    named = {"b": next(curves(1)), "a": next(curves(1))}
    assert [r.task for r in forecast_many(named, NEW, APExGP("power_law"))] == ["b", "a"]


@pytest.mark.slow
def test_curves_are_read_as_results_are_taken():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield next(curves(1))

    results = forecast_many(endless(), NEW, APExGP("power_law"), n_jobs=1)
    next(results)
    assert len(taken) < 500


def test_bad_requests_are_explained():
    with pytest.raises(RequestError, match="model must be an APExGP, got LeastSquares"):
        forecast_many(curves(1), NEW, LeastSquares("power_law"))
    with pytest.raises(RequestError, match="levels must be strictly between"):
        forecast_many(curves(1), NEW, levels=(95,))
    with pytest.raises(RequestError, match="at least 1"):
        forecast_many(curves(1), [0])


class OddCurveEngine(FullBayes):
    """Breaks down on a batch that holds a curve of alternating scores."""

    def fit(self, curves):
        if any(set(curve.scores) == {0.0, 1.0} for curve in curves):
            raise ValueError("min() arg is an empty sequence")
        return super().fit(curves)


@pytest.mark.slow
def test_a_curve_that_breaks_the_engine_is_one_error_entry(monkeypatch):
    engine = APExGP._build_engine
    monkeypatch.setattr(APExGP, "_build_engine", lambda self, *kind: OddCurveEngine(**vars(engine(self, *kind))))
    odd = LearningCurve(SIZES, [0, 1, 0, 1, 0])
    batch = [*curves(3), odd, *curves(2, seed=1)]
    found = list(forecast_many(batch, NEW, APExGP("power_law")))
    assert [result.error is None for result in found] == [True] * 3 + [False] + [True] * 2
    assert "computation broke down on this curve (ValueError: min() arg is an empty sequence)" in found[3].error
    alone = list(forecast_many(curves(3), NEW, APExGP("power_law")))
    np.testing.assert_allclose([r.mean for r in found[:3]], [r.mean for r in alone], atol=1e-9)
    with pytest.raises(DataError, match="broke down on this curve"):
        APExGP("power_law").fit(odd)
    judged = backtest({"good": batch[0], "odd": odd}, {"ours": APExGP("power_law")})
    assert [score.failed is None for score in judged.by_curve] == [True, False]
    assert judged.pooled[0].curves == 1


@pytest.mark.slow
def test_odd_scores_and_odd_settings_get_an_answer_each():
    for scores in ([0, 1, 0, 1, 0], [1, 0, 1, 0, 1], [0, 0, 1, 1, 0]):
        for noise in (None, 1e-300, 1.0):
            (found,) = forecast_many([LearningCurve(SIZES, scores)], NEW, APExGP(noise=noise))
            assert found.error is not None or np.isfinite(found.mean).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"curves": 3}, "curves must be several"),
        ({"levels": "abc"}, "levels must be real numbers"),
        ({"levels": [0.5, 2]}, "levels must be strictly between 0 and 1"),
        ({"n_jobs": 0}, "n_jobs must be a number of processes other than 0"),
        ({"n_jobs": "two"}, "n_jobs must be a whole number"),
    ],
)
def test_hostile_requests_are_refused_before_work(change, message):
    with pytest.raises(RequestError, match=message):
        forecast_many(**{"curves": curves(1), "sizes": NEW} | change)


@pytest.mark.slow
def test_multiples_are_of_each_curves_own_largest_size():
    by_times = list(forecast_many(curves(3), times=[2, 10], levels=(0.9,), of="expected", target=0.8, confidence=0.6))
    for found, curve in zip(by_times, curves(3), strict=True):
        assert found.largest == curve.largest
        np.testing.assert_array_equal(found.sizes, [2 * curve.largest, 10 * curve.largest])
        model = APExGP().fit(curve)
        forecast = model.forecast(found.sizes, of="expected")
        np.testing.assert_allclose(found.mean, forecast.mean, atol=1e-6)
        np.testing.assert_allclose(found.intervals[0.9], forecast.interval(0.9), atol=1e-6)
        assert found.required.prob_reachable == pytest.approx(model.required_size(0.8, 0.6).prob_reachable, abs=1e-6)
    (both,) = forecast_many(curves(1), [500], times=[3])
    np.testing.assert_array_equal(both.sizes, [500, 3 * both.largest])
    (default,) = forecast_many(curves(1))
    np.testing.assert_array_equal(default.sizes, np.multiply(default.largest, [2, 10, 50]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"times": [0]}, "times must be above 0"), ({"times": ["x"]}, "times must be real numbers"),
     ({"target": "high"}, "target must be real numbers"), ({"of": "all"}, "of must be one of")],
)  # fmt: skip
def test_odd_requests_are_refused_before_the_work(settings, message):
    with pytest.raises(RequestError, match=message):
        forecast_many(curves(1), **settings)


def test_an_iterable_that_breaks_gives_what_came_before_it():
    def curves():
        yield from [LearningCurve([60, 120, 240], [0.6, 0.7, 0.75])] * 2
        raise OSError("the disk is gone")

    results = forecast_many(curves(), [500], APExGP("power_law"))
    assert [next(results).error for _ in range(2)] == [None, None]
    with pytest.raises(DataError, match=r"curves could not be read beyond the first 2 \(OSError: the disk is gone\)"):
        next(results)
