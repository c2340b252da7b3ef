import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from apexgp import LogisticHead
from apexgp.collect.prepare import Prepared


@pytest.fixture
def table(rng):
    y = np.arange(200) % 2
    X = np.column_stack([rng.normal(1000 * y, 2000), rng.normal(size=200), (y + rng.integers(0, 2, 200)) % 3])
    X[::7, 0] = np.nan
    X[::11, 2] = np.nan
    return X, y


def test_gaps_categories_and_scales_are_learned_from_the_training_rows_alone(table):
    X, y = table
    model = Prepared(DecisionTreeClassifier(), categorical=(2,)).fit(X[:100], y[:100])
    median = np.nanmedian(X[:100, 0])
    imputer = model.preparation_.named_transformers_["numeric"][0]
    assert imputer.statistics_[0] == median
    other = X[100:].copy()
    other[:, 2] = 99  # never seen: no category at all
    assert model.preparation_.transform(other)[:, 2:].sum() == 0
    assert model.preparation_.transform(X)[:, 2:].sum(axis=1).tolist() == [1.0] * 200  # a gap is a category, too


@pytest.mark.slow
def test_a_validation_set_is_prepared_and_passed_on(table):
    X, y = table
    head = Prepared(LogisticHead(max_iters=[10, 50]), (2,)).fit(X[:100], y[:100], validation=(X[100:], y[100:]))
    assert set(head.chosen_) == {"C", "max_iter"}
    by_hand = LogisticHead(max_iters=[10, 50]).fit(
        head.preparation_.transform(X[:100]),
        y[:100],
        validation=(head.preparation_.transform(X[100:]), y[100:]),
    )
    assert head.decision_function(X).tolist() == by_hand.decision_function(head.preparation_.transform(X)).tolist()
    assert head.predict_proba(X)[:, 1] == pytest.approx(by_hand.predict_proba(head.preparation_.transform(X))[:, 1])


def test_has_the_methods_that_its_estimator_has(table):
    X, y = table
    assert not hasattr(Prepared(LinearSVC()), "predict_proba")
    assert not hasattr(Prepared(DecisionTreeClassifier()), "decision_function")
    model = clone(Prepared(LinearSVC(), (2,)))
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert model.fit(X, y, validation=(X, y)).score(X, y) > 0.5


def test_knows_as_many_classes_as_its_estimator():
    from sklearn.utils import get_tags

    assert not get_tags(Prepared(LogisticHead())).classifier_tags.multi_class
    assert get_tags(Prepared(DecisionTreeClassifier())).classifier_tags.multi_class
