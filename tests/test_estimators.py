"""The scikit-learn contract, over every estimator, and what each promises."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from apexgp import PUBLISHED, WRITTEN, APExGP, Arctan, LearningCurve, PowerLaw, Variant
from apexgp.errors import ConvergenceWarning, DataError, NoForecastError, ReproducibilityWarning, RequestError

SIZES = [60, 94, 147, 230, 360]
SCORES = [0.66, 0.705, 0.722, 0.755, 0.768]
NEW = [720, 5000]

ESTIMATORS = [
    APExGP(),
    APExGP("arctan", ceiling=0.95),
    APExGP.as_written(),
    APExGP.as_written("arctan"),
    PowerLaw(),
    Arctan(ceiling=0.9),
]


@pytest.fixture(
    params=ESTIMATORS, ids=["published", "published-arctan", "written", "written-arctan", "PowerLaw", "Arctan"]
)
def model(request):
    return clone(request.param)


def test_keeps_the_estimator_contract(model):
    settings = model.get_params()
    assert model.fit(SIZES, SCORES) is model
    assert model.get_params() == settings
    copy = clone(model)
    assert not hasattr(copy, "parameters_")
    assert repr(copy) == repr(model)
    assert copy.set_params(seed=3).seed == 3


def test_must_be_fitted_first(model):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        model.predict(NEW)
    with pytest.raises(NotFittedError):
        model.save("anywhere.json")


def test_pairs_curves_and_tables_give_the_same(model):
    sizes, splits = np.tile(SIZES, 2), np.repeat(["a", "b"], 5)
    scores = np.concatenate([SCORES, np.array(SCORES) + 0.01])
    expected = model.fit(sizes, scores, split=splits).predict(NEW)
    np.testing.assert_array_equal(model.fit(LearningCurve(sizes, scores, splits)).predict(NEW), expected)
    np.testing.assert_array_equal(model.fit(SIZES, scores.reshape(2, 5).T).predict(NEW), expected)
    np.testing.assert_array_equal(model.fit(sizes[::-1], scores[::-1]).predict(NEW), expected)


def test_replicates_count_through_their_mean(model):
    sizes, scores = np.repeat(SIZES, 3), np.repeat(SCORES, 3) + np.tile([-0.01, 0.0, 0.01], 5)
    np.testing.assert_allclose(model.fit(sizes, scores).predict(NEW), model.fit(SIZES, SCORES).predict(NEW), atol=1e-6)


def test_an_error_rate_gives_the_mirror_image(model):
    higher = model.fit(SIZES, SCORES).predict(NEW)
    lower = model.fit(LearningCurve(SIZES, 1 - np.array(SCORES), direction="lower")).predict(NEW)
    np.testing.assert_allclose(lower, 1 - higher, atol=1e-6)


def test_parameters_reproduce_the_curve_by_the_papers_names(model):
    parameters = model.fit(SIZES, SCORES).parameters_
    assert {"theta1", "theta2", "epsilon"} <= set(parameters)
    if isinstance(model, (PowerLaw, Arctan)):
        x = np.array(NEW)
        t1, t2, eps = (parameters[k] for k in ("theta1", "theta2", "epsilon"))
        curve = {
            PowerLaw: (1 - eps) - t1 * x**t2,
            Arctan: 2 / np.pi * np.arctan(t1 * np.pi / 2 * x + t2) - eps,
        }[type(model)]
        np.testing.assert_allclose(model.predict(NEW), curve, rtol=1e-9)
    else:
        assert set(parameters) == {"theta1", "theta2", "epsilon", "tau", "sigma", "lambda"}


def test_saving_and_loading_gives_the_same_numbers(model, tmp_path):
    path = tmp_path / "model.json"
    curve = LearningCurve(SIZES, SCORES, ["a"] * 5, metric="auroc", task="liver")
    model.fit(curve).save(path)
    again = type(model).load(path)
    assert again.get_params() == model.get_params()
    assert again.parameters_ == model.parameters_
    assert (again.curve_.metric, again.curve_.task, again.curve_.split.tolist()) == ("auroc", "liver", ["a"] * 5)
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))


def test_seeds_give_the_same_optimum(model):
    first = model.fit(SIZES, SCORES)
    value, prediction = first.objective_, first.predict(NEW)
    assert first.set_params(seed=5).fit(SIZES, SCORES).objective_ == pytest.approx(value, abs=1e-5)
    np.testing.assert_allclose(first.predict(NEW), prediction, atol=1e-3)


def test_plain_apexgp_is_the_published_method():
    assert APExGP().get_params() == APExGP.as_published().get_params()
    assert APExGP.as_written().variant == WRITTEN != PUBLISHED


def test_baselines_refuse_to_forecast():
    for baseline in (PowerLaw(), Arctan()):
        with pytest.raises(NoForecastError, match=r"predict\(sizes\).*APExGP\(mean="):
            baseline.fit(SIZES, SCORES).forecast(NEW)


def test_predict_is_the_mean_of_the_forecast():
    model = APExGP().fit(SIZES, SCORES)
    np.testing.assert_array_equal(model.predict(NEW), model.forecast(NEW).mean)
    assert model.forecast(720).mean.shape == (1,)


def test_ceiling_bounds_the_curve_but_not_the_score():
    model = APExGP(ceiling=0.8).fit(SIZES, SCORES)
    assert model.parameters_["epsilon"] >= 0.2 - 1e-12
    assert model.forecast([1e12]).location[0] <= 0.8 + 1e-9
    assert model.forecast([1e12]).quantile(0.999)[0] > 0.8


def test_the_best_mean_may_touch_the_ceiling_but_not_pass_it(model):
    model.set_params(ceiling=0.768).fit(SIZES, SCORES)
    assert model.parameters_["epsilon"] == pytest.approx(0.232)
    assert np.isfinite(model.predict(NEW)).all()
    with pytest.raises(DataError, match=r"ceiling is 0.7, but the pilot reaches 0.768 .* at size 360"):
        model.set_params(ceiling=0.7).fit(SIZES, SCORES)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ceiling": 95}, "at most 1, got 95. Write 0.95"),
        ({"ceiling": 0}, "above 0"),
        ({"ceiling": np.nan}, "finite"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
    ],
)
def test_bad_settings_are_explained_at_fit(model, settings, message):
    with pytest.raises(RequestError, match=message):
        model.set_params(**settings).fit(SIZES, SCORES)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mean": "linear"}, "'power_law', 'arctan', got 'linear'"),
        ({"inference": "mcmc"}, "inference must be one of 'map'"),
        ({"priors": None}, "priors must be one of 'paper', got None"),
        ({"variant": "published"}, "variant must be an apexgp.Variant"),
    ],
)
def test_bad_choices_are_explained_at_fit(settings, message):
    with pytest.raises(RequestError, match=message):
        APExGP(**settings).fit(SIZES, SCORES)


def test_bad_data_are_explained(model):
    with pytest.raises(DataError, match=r"3 or more different sizes.*got 2 \(60, 94\)"):
        model.fit([60, 60, 94], [0.7, 0.7, 0.8])
    with pytest.raises(RequestError, match="Scores are missing"):
        model.fit(SIZES)
    with pytest.raises(RequestError, match="pass it alone"):
        model.fit(LearningCurve(SIZES, SCORES), SCORES)
    with pytest.raises(RequestError, match="at least 1, got 0"):
        model.fit(SIZES, SCORES).predict([0])


@pytest.mark.parametrize(
    "scores",
    [
        [0.7] * 5,
        [1.0] * 5,
        [0.0] * 5,
        [0.8, 0.75, 0.7, 0.65, 0.6],
        [0.9, 0.95, 0.98, 0.99, 1.0],
        [0.5, 0.9, 0.4, 0.8, 0.6],
    ],
    ids=["equal", "perfect", "zero", "falling", "to-perfect", "wild"],
)
@pytest.mark.parametrize("unit", [1.0, 1e9], ids=["", "sizes-to-1e12"])
def test_hard_curves_get_an_answer(model, scores, unit):
    sizes = np.array(SIZES) * unit
    predicted = model.set_params(ceiling=1.0).fit(sizes, scores).predict(sizes[-1] * np.array([1, 2, 50]))
    assert model.converged_
    assert ((predicted >= 0) & (predicted <= 1)).all()
    # What is falling is not expected to fall further, and a constant stays where it is.
    assert predicted[-1] >= min(scores) - 0.02


def test_cautions_say_why_not_to_believe():
    def cautions(scores, at=720, sizes=SIZES):
        return " ".join(APExGP().fit(sizes, scores).forecast([at]).cautions)

    assert cautions(SCORES) == ""
    assert "fall as the training set grows" in cautions(SCORES[::-1])
    assert "only 3 different sizes" in cautions(SCORES[:3], sizes=SIZES[:3])
    assert "Some scores are perfect" in cautions([0.9, 0.95, 0.97, 0.99, 1.0])
    assert "55.6 times the largest pilot size (360)" in cautions(SCORES, at=20000)
    assert "Caution: " in repr(APExGP().fit(SIZES, SCORES[::-1]).forecast([720]))


def test_an_unsettled_search_warns(monkeypatch):
    import apexgp.inference.map as engine

    quick = engine.minimise
    monkeypatch.setattr(engine, "minimise", lambda *a, **k: quick(*a, **k, max_iterations=2))
    with pytest.warns(ConvergenceWarning, match="without settling"):
        model = APExGP().fit(SIZES, SCORES)
    assert not model.converged_
    assert model.parameters_


def test_a_custom_variant_is_saved_and_loaded(tmp_path):
    variant = Variant(2.0, 0.02, PUBLISHED.lambda_prior, 0.05, True)
    APExGP(variant=variant).fit(SIZES, SCORES).save(tmp_path / "m.json")
    assert APExGP.load(tmp_path / "m.json").variant == variant


def test_files_that_hold_no_such_model_are_explained(tmp_path):
    path = tmp_path / "m.json"
    PowerLaw().fit(SIZES, SCORES).save(path)
    with pytest.raises(RequestError, match=r"holds a PowerLaw, not a APExGP. Read it with apexgp.PowerLaw.load"):
        APExGP.load(path)
    (tmp_path / "other.json").write_text('{"a": 1}')
    with pytest.raises(DataError, match="not a model that apexgp saved"):
        APExGP.load(tmp_path / "other.json")
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(DataError, match="not a saved model"):
        APExGP.load(tmp_path / "broken.json")
    with pytest.raises(RequestError, match="There is no file"):
        APExGP.load(tmp_path / "none.json")


def test_a_model_that_no_longer_gives_its_numbers_warns(tmp_path):
    path = tmp_path / "m.json"
    APExGP().fit(SIZES, SCORES).save(path)
    content = json.loads(path.read_text())
    content["parameters"]["theta2"] = -0.9
    path.write_text(json.dumps(content))
    with pytest.warns(ReproducibilityWarning, match="other fitted parameters"):
        APExGP.load(path)
