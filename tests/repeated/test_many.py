import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares, forecast_many
from apexgp.errors import RequestError

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
    bad = [LearningCurve([60, 94], [0.7, 0.8], task="short"), None]
    results = list(forecast_many([*curves(2), *bad, *curves(1)], NEW, APExGP("power_law")))
    assert [r.error is None for r in results] == [True, True, False, False, True]
    assert "3 or more different sizes" in results[2].error
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
