"""Scikit-learn's own tools take the estimators, which do not inherit from its base class."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, ParameterGrid, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr, get_tags
from sklearn.utils.validation import check_is_fitted

from apexgp import APExGP, LeastSquares
from apexgp.estimators import contract

SIZES, SCORES = np.array([60, 94, 147, 230, 360, 500]), np.array([0.66, 0.705, 0.722, 0.755, 0.768, 0.775])
SETTINGS = [APExGP(ceiling=0.95, seed=3), LeastSquares("power_law")]


def closeness(model, sizes, scores):
    return -np.abs(model.predict(sizes) - scores).mean()


@pytest.mark.parametrize("model", SETTINGS)
def test_settings_are_read_set_and_cloned(model):
    copy = clone(model.set_params())
    assert copy is not model
    assert copy.get_params() == model.get_params(deep=False) == contract.clone(model).get_params()
    assert list(model.get_params()) == sorted(model.get_params())
    for settings in ParameterGrid({"ceiling": [0.9, 0.99]}):
        assert clone(model).set_params(**settings).ceiling == settings["ceiling"]
    with pytest.raises(
        ValueError, match=r"Invalid parameter 'depth' for estimator .*Valid parameters are: .*'ceiling'"
    ):
        model.set_params(ceiling=0.5, depth=3)
    assert model.ceiling == copy.ceiling  # all or nothing


def test_what_is_changed_is_shown():
    assert repr(APExGP()) == "APExGP()"
    assert repr(APExGP(seed=3, ceiling=0.9)) == "APExGP(ceiling=0.9, seed=3)"
    page = APExGP(ceiling=0.9)._repr_html_()
    assert "APExGP" in page
    assert "0.9" in page
    assert "APExGP" in estimator_html_repr(make_pipeline("passthrough", APExGP()))
    assert "APExGP(ceiling=0.9)" in repr(make_pipeline("passthrough", APExGP(ceiling=0.9)))


@pytest.mark.slow
@pytest.mark.parametrize("model", SETTINGS)
def test_searches_and_cross_validation_take_them(model):
    found = GridSearchCV(clone(model), {"ceiling": [0.9, 1.0]}, scoring=closeness, cv=2).fit(SIZES, SCORES)
    assert found.best_params_["ceiling"] in (0.9, 1.0)
    assert np.isfinite(found.predict(SIZES)).all()
    assert len(cross_val_score(clone(model), SIZES, SCORES, scoring=closeness, cv=2)) == 2
    assert np.isfinite(make_pipeline("passthrough", clone(model)).fit(SIZES, SCORES).predict(SIZES)).all()


@pytest.mark.parametrize("model", SETTINGS)
def test_fitted_or_not_is_what_scikit_learn_finds(model):
    model = clone(model)
    for check in (check_is_fitted, contract.check_is_fitted):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            check(model)
    model.fit(SIZES, SCORES)
    check_is_fitted(model)
    contract.check_is_fitted(model)
    check_is_fitted(pickle.loads(pickle.dumps(model)))
    assert not contract.is_fitted(clone(model))
    with pytest.raises(TypeError, match="not an estimator"):
        contract.check_is_fitted("a model")


def test_tags_say_what_is_taken():
    tags = get_tags(APExGP())
    assert (tags.estimator_type, tags.target_tags.required, tags.requires_fit) == (None, False, True)
    assert (tags.input_tags.one_d_array, tags.input_tags.two_d_array) == (True, False)


def test_other_estimators_are_cloned_as_scikit_learn_clones_them():
    pipeline = make_pipeline("passthrough", APExGP(seed=4))
    assert contract.clone(pipeline).steps[-1][1].seed == 4


@pytest.mark.slow
def test_nothing_of_it_is_loaded_before_it_is_needed():
    code = (
        "import sys, copy; from apexgp import APExGP, LeastSquares\n"
        "model = copy.deepcopy(APExGP().set_params(ceiling=0.9)).fit([60, 94, 147], [0.7, 0.74, 0.77]); repr(model)\n"
        "assert 'sklearn' not in sys.modules; model._repr_html_(); assert 'sklearn' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
