"""Equal things have equal descriptions, in any process; other things have others."""

import functools
import inspect
import operator
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import f1_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from apexgp import collect_curves
from apexgp.collect.identity import described
from apexgp.collect.prepare import Prepared
from apexgp.collect.slices import Scans
from apexgp.errors import RequestError

pytestmark = pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")  # the data are small


class First(GaussianNB):
    """Two classes with the same parameters."""


class Second(GaussianNB):
    """The other one."""


def add(amount):
    return lambda x: x + amount


def one(x):
    return x + 1


def two(x):
    return x + 2


def local_class(sign):
    if sign:

        class Local(GaussianNB):
            def predict(self, X):
                return super().predict(X)
    else:

        class Local(GaussianNB):
            def predict(self, X):
                return 1 - super().predict(X)

    return Local()


def scripted(attribute=1, static=1, by_class=1, shown=1, cached=1, ancestor=1, kept=1):
    """An estimator of a class that a script might have, of which one thing is otherwise."""

    class Ancestor(GaussianNB):
        def one(self):
            return ancestor

    class Own(Ancestor):
        threshold = attribute
        table = {"a": [attribute]}  # noqa: RUF012

        @staticmethod
        def two():
            return static

        @classmethod
        def three(cls):
            return by_class

        @property
        def four(self):
            return shown

        @functools.cached_property
        def five(self):
            return cached

        @staticmethod
        @functools.cache
        def six():
            return kept

        def predict(self, X):
            return super().predict(X)

    return Own()


def with_attribute(weight):
    def score(x):
        return x

    score.weight = weight
    return score


X = np.arange(60.0).reshape(20, 3)
PAIRS = [
    (BaggingClassifier(First()), BaggingClassifier(Second())),
    (CalibratedClassifierCV(First()), CalibratedClassifierCV(Second())),
    (Prepared(First()), Prepared(Second())),
    (make_pipeline(StandardScaler(), First()), make_pipeline(StandardScaler(), Second())),
    (StackingClassifier([("a", First()), ("b", Second())]), StackingClassifier([("a", Second()), ("b", First())])),
    (FunctionTransformer(np.log1p), FunctionTransformer(np.exp)),
    (FunctionTransformer(one), FunctionTransformer(two)),
    (FunctionTransformer(lambda x: x + 1), FunctionTransformer(lambda x: x + 2)),
    (FunctionTransformer(add(1)), FunctionTransformer(add(2))),
    (functools.partial(np.clip, a_min=0), functools.partial(np.clip, a_min=1)),
    (FunctionTransformer(lambda x, n=1: x), FunctionTransformer(lambda x, n=2: x)),
    (FunctionTransformer(one, kw_args={"a": 1}), FunctionTransformer(one, kw_args={"a": 2})),
    (GaussianNB(priors=np.arange(20) / 190), GaussianNB(priors=np.arange(20)[::-1] / 190)),
    (FrozenEstimator(GaussianNB().fit(X, X[:, 0] > 9)), FrozenEstimator(GaussianNB().fit(X, X[:, 0] > 30))),
    (
        FrozenEstimator(make_pipeline(GaussianNB()).fit(X, X[:, 0] > 9)),
        FrozenEstimator(make_pipeline(GaussianNB()).fit(X, X[:, 0] > 30)),
    ),
    (make_scorer(f1_score, average="macro"), make_scorer(f1_score, average="micro")),
    (operator.itemgetter(1), operator.itemgetter(2)),
    (np.random.RandomState(0), np.random.RandomState(1)),
    (local_class(True), local_class(False)),
    *((scripted(), scripted(**{name: 2})) for name in inspect.signature(scripted).parameters),
    (with_attribute(1), with_attribute(2)),
    (
        pd.DataFrame({"a": pd.Categorical(["x", "y"], ["x", "y"])}),
        pd.DataFrame({"a": pd.Categorical(["x", "y"], ["y", "x"])}),
    ),
    (
        pd.DataFrame({"a": pd.Categorical(["x", "y"], ordered=True)}),
        pd.DataFrame({"a": pd.Categorical(["x", "y"], ordered=False)}),
    ),
    (1, "1"),
    ([1, 2], [2, 1]),
    (X, X.astype("float32")),
    (X, X.T.copy().T + 1e-12),
    (X, X.reshape(10, 6)),
    (csr_matrix(X), csr_matrix(X + 1)),
    (pd.DataFrame(X, columns=list("abc")), pd.DataFrame(X, columns=list("acb"))),
    (pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["x", "z"]})),
    (pd.DataFrame({"a": ["x", None]}), pd.DataFrame({"a": ["x", "None"]})),
    (Scans([X, X[:5]]), Scans([X[:5], X])),
    ("a" * 5000, "a" * 5001),
]


@pytest.mark.parametrize(("left", "right"), PAIRS, ids=[f"{i}-{type(a).__name__}" for i, (a, _) in enumerate(PAIRS)])
def test_other_things_have_other_descriptions(left, right):
    assert described(left) != described(right)
    assert described(left) == described(left)


@pytest.mark.parametrize(
    "estimator",
    [a for a, _ in PAIRS if hasattr(a, "get_params")],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_clone_is_the_same_estimator(estimator):
    assert described(clone(estimator)) == described(estimator)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (X, np.asfortranarray(X)),
        (X, np.repeat(X, 2, axis=0)[::2]),
        (X, X.astype(">f8")),
        (csr_matrix(X), coo_matrix(X)),
        (csr_matrix(X), csc_matrix(X)),
        (pd.DataFrame(X), pd.DataFrame(X).copy()),
        (pd.DataFrame(X), pd.DataFrame(np.asfortranarray(X))),
        (pd.DataFrame(X), pd.concat([pd.DataFrame(X[:, [i]]) for i in range(3)], axis=1).set_axis(range(3), axis=1)),
        (pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["x", "y"]}).iloc[::-1].iloc[::-1].copy()),
        ({"a": 1, "b": {2, 3}}, {"b": {3, 2}, "a": 1}),
        (Scans([X, X[:5]]), Scans([X.copy(), X[:5].copy()])),
    ],
)
def test_the_same_content_has_the_same_description_however_it_lies_in_memory(left, right):
    assert described(left) == described(right)


SHOW = """
import sys
sys.path.insert(0, sys.argv[1])
import test_identity
for pair in test_identity.PAIRS:
    for value in pair:
        print(test_identity.described(value))
"""


@pytest.mark.slow
def test_another_process_describes_things_the_same_way():
    here = [described(value) for pair in PAIRS for value in pair]
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"  # another order of sets than here
    there = subprocess.run(
        [sys.executable, "-c", SHOW, Path(__file__).parent],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed},
    ).stdout  # fmt: skip
    assert there.splitlines() == here


def test_what_holds_itself_is_no_endless_text():
    loop = []
    loop.append(loop)
    assert described(loop) == "[<itself>]"


def rows_of(number):
    rng = np.random.default_rng(0)
    y = np.arange(number) % 2
    return rng.normal(size=(number, 4)) + y[:, None], y


@pytest.mark.slow
@pytest.mark.parametrize(("left", "right"), [pair for pair in PAIRS[:4]])
def test_two_classifiers_never_mix_in_one_record(tmp_path, left, right):
    settings = {"results": tmp_path / "runs.csv", "n_splits": 1, "progress": False}
    cases = rows_of(120)
    collect_curves(left, *cases, sizes=[20, 40], **settings)
    before = settings["results"].read_bytes()
    with pytest.raises(RequestError, match=r"holds the fits of another run \(estimator: "):
        collect_curves(right, *cases, sizes=[20, 40, 60], **settings)
    assert settings["results"].read_bytes() == before
    assert len(collect_curves(clone(left), *cases, sizes=[20, 40, 60], **settings).fits) == 3


@pytest.mark.slow
def test_equal_data_go_on_in_the_same_record_however_they_lie_in_memory(tmp_path):
    cases, y = rows_of(120)
    settings = {"results": tmp_path / "runs.csv", "n_splits": 1, "progress": False}
    collect_curves(GaussianNB(), cases, y, sizes=[20], **settings)
    again = collect_curves(GaussianNB(), np.asfortranarray(cases), y.tolist(), sizes=[20, 40], **settings)
    assert [fit["size"] for fit in again.fits] == [20, 40]
    frame, settings["results"] = pd.DataFrame(cases), tmp_path / "frame.csv"
    collect_curves(GaussianNB(), frame, y, sizes=[20], **settings)
    again = collect_curves(GaussianNB(), frame.copy(), pd.Series(y), sizes=[20, 40], **settings)
    assert [fit["size"] for fit in again.fits] == [20, 40]


def test_a_tree_inside_is_told_from_its_parameters():
    deep, flat = (BaggingClassifier(DecisionTreeClassifier(max_depth=depth)) for depth in (3, 1))
    assert described(deep) != described(flat)
