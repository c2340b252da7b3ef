"""Data frames with texts, categories and gaps, for the default classifier."""

import numpy as np
import pytest

from apexgp import TunedLogistic, collect_curves
from apexgp.collect.frame_features import FrameFeatures
from apexgp.collect.labelled import read_labelled
from apexgp.collect.prepare import Prepared
from apexgp.errors import DataError
from conftest import require

pandas = require("pandas")


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    n = 300
    made = pandas.DataFrame(
        {
            "age": rng.normal(50, 10, n).round(1),
            "sex": rng.choice(["f", "m"], n),
            "site": pandas.Categorical(rng.choice(["a", "b", "c"], n)),
            "lab": rng.normal(size=n).round(2),
        }
    )
    chance = made["age"] / 10 + 1.5 * (made["sex"] == "m") + rng.normal(size=n)
    made.loc[::7, "lab"] = np.nan
    made.loc[::11, "sex"] = None
    return made.assign(y=np.where(chance > chance.median(), "ill", "well"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.FewTestCasesWarning")
def test_a_frame_gives_the_curve_that_the_command_measures_on_its_table(frame, tmp_path):
    settings = {"sizes": [40, 80, 160], "n_splits": 2, "seed": 3}
    curves = collect_curves(TunedLogistic(), frame.drop(columns="y"), frame["y"].to_numpy(), **settings)
    frame.to_csv(tmp_path / "table.csv", index=False)
    given = read_labelled(tmp_path / "table.csv", "y")
    command = collect_curves(Prepared(TunedLogistic(), given.categorical), given.X, given.y, **settings)
    assert curves.failed == ()
    np.testing.assert_allclose(curves.only.scores, command.only.scores, atol=1e-6)


@pytest.mark.slow
def test_features_are_learnt_from_the_training_rows(frame):
    X = frame.drop(columns="y")
    features = FrameFeatures(X[:200])
    assert features.names == ["age", "lab", "sex=", "sex=f", "sex=m", "site=a", "site=b", "site=c"]
    made = features(pandas.DataFrame({"age": [40.0], "sex": ["x"], "site": ["a"], "lab": [np.nan]}))
    np.testing.assert_allclose(made, [[40, X["lab"][:200].median(), 0, 0, 0, 1, 0, 0]])
    model = TunedLogistic().fit(X, frame["y"])
    assert model.coef_.shape == (1, len(model.columns_))
    assert model.score(X, frame["y"]) > 0.7
    assert model.fit(X[["age"]], frame["y"]).columns_ is None  # numbers without gaps are taken as they are


@pytest.mark.slow
def test_what_no_features_can_be_made_of_is_said(frame):
    model = TunedLogistic().fit(frame.drop(columns="y"), frame["y"])
    with pytest.raises(DataError, match="must be a data frame with the columns age, sex, site, lab, got age"):
        model.predict(frame[["age"]])
    dated = frame.assign(seen=pandas.Timestamp("2024-01-01"))
    with pytest.raises(DataError, match="column 'seen' holds dates, which no classifier can use"):
        TunedLogistic().fit(dated.drop(columns="y"), frame["y"])
