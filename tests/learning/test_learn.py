"""Priors learnt from whole curves: what no curves, one, and many of one law do; what is refused."""

import json

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, learn_beliefs
from apexgp.errors import DataError, RequestError
from apexgp.priors import CALIBRATED, PUBLISHED, Beliefs, paper_beliefs, read_priors, write_priors
from curves_to_learn_from import SIZES, whole_curve


@pytest.fixture(scope="module")
def low_curves():
    """Curves that end at a score of about 0.7, with much room above that is never won."""
    return [whole_curve(i, 0.75) for i in range(8)]


@pytest.fixture(scope="module")
def learnt(low_curves):
    return learn_beliefs(low_curves)


def distance(beliefs):
    """How far priors have moved, over all that can move."""
    return sum(abs(after / before - 1) for before, after in beliefs.learnt.moved.values())


def test_without_curves_the_priors_come_back():
    assert learn_beliefs([]) is CALIBRATED
    assert learn_beliefs({}, start=CALIBRATED) == CALIBRATED
    assert learn_beliefs({}, start=None) is CALIBRATED


@pytest.mark.slow
def test_one_curve_moves_priors_less_than_many(low_curves, learnt):
    one = learn_beliefs(low_curves[:1])
    assert (one.learnt.curves, one.learnt.tasks, one.learnt.left_out) == (1, 1, {})
    assert 0 < distance(one) < distance(learnt)
    before, after = one.learnt.moved["share still to be gained"]
    assert after == pytest.approx(before, abs=0.03)


@pytest.mark.slow
def test_curves_that_stop_low_teach_that_less_is_to_be_won(learnt):
    crps, with_learnt, error = learnt.learnt.left_out["crps"]
    assert with_learnt < crps + error  # eight curves say little of one another
    assert error > 0
    # What was learnt reaches forecasts: the interval of another such curve ends lower.
    pilot = whole_curve(20, 0.75).up_to(256)
    shipped, own = (APExGP(priors=priors).fit(pilot).forecast([5000]) for priors in ("calibrated", learnt))
    assert own.quantile([0.9])[0] < shipped.quantile([0.9])[0]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers_in_any_number_of_processes(low_curves, learnt, tmp_path):
    again = learn_beliefs(low_curves, folder=tmp_path / "kept")
    assert again == learnt
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == len(low_curves)
    kept[0].write_bytes(b"damaged")
    kept[1].unlink()
    assert learn_beliefs(dict(enumerate(low_curves)), folder=tmp_path / "kept") == learnt  # resumed, mended


@pytest.mark.slow
def test_of_many_curves_fewer_pilots_are_kept(low_curves, learnt, monkeypatch):
    assert learnt.learnt.pilots == 2 * len(low_curves)
    monkeypatch.setattr("apexgp.learning.learn._MOST_PILOTS", 1)
    assert learn_beliefs(low_curves).learnt.pilots == len(low_curves)  # every curve counts


def test_learnt_priors_are_kept_in_files(learnt, tmp_path):
    assert Beliefs.from_dict(json.loads(json.dumps(learnt.to_dict()))) == learnt
    write_priors(learnt, tmp_path / "ours.json")
    assert read_priors(tmp_path / "ours.json") == learnt
    model = APExGP(priors=learnt).fit(whole_curve(20, 0.75).up_to(256))
    model.save(tmp_path / "model.json")
    assert APExGP.load(tmp_path / "model.json").priors_ == learnt
    (tmp_path / "ours.json").write_text((tmp_path / "ours.json").read_text().replace('"curves": 8', '"curves": 800'))
    with pytest.raises(DataError, match="edited after it was written"):
        read_priors(tmp_path / "ours.json")


@pytest.mark.slow
def test_related_curves_are_learnt_from_in_one_step(low_curves, learnt, tmp_path):
    pilot = whole_curve(20, 0.75).up_to(256)
    model = APExGP().fit(pilot, related=low_curves)
    assert model.priors == "calibrated"  # a setting stays as it was set
    assert model.priors_ == learnt
    assert (model.forecast([5000]).mean == APExGP(priors=learnt).fit(pilot).forecast([5000]).mean).all()
    model.save(tmp_path / "model.json")
    assert APExGP.load(tmp_path / "model.json").forecast([5000]).mean == model.forecast([5000]).mean
    assert APExGP().fit(pilot, related=[]).priors_ == CALIBRATED
    with pytest.raises(RequestError, match="related goes with inference='bayes'"):
        APExGP.as_published().fit(pilot, related=low_curves)
    with pytest.raises(DataError, match="related must be alike, got metrics that differ: AUROC, accuracy"):
        APExGP().fit(pilot, related=[whole_curve(0, 0.9, metric="accuracy")])


def test_priors_of_another_metric_are_doubted(learnt):
    pilot = whole_curve(20, 0.75, metric="accuracy").up_to(256)
    (caution,) = [one for one in APExGP(priors=learnt).fit(pilot).forecast([1000]).cautions if "priors" in one]
    assert "learnt from curves of another kind: AUROC, where this one has accuracy" in caution


@pytest.mark.parametrize(
    ("curves", "said"),
    [
        ([LearningCurve([10, 20, 25], [0.5, 0.6, 0.7])], "must extend beyond a pilot: 1 of 1 (curve 0) has no size"),
        ([LearningCurve([10, 10, 10], [0.5, 0.6, 0.7], task="one")], "must extend beyond a pilot: 1 of 1 (one)"),
        ([whole_curve(0, 0.9), whole_curve(1, 0.9, metric="accuracy")], "metrics that differ: AUROC, accuracy"),
        ([whole_curve(0, 0.9), whole_curve(1, 0.9, unit="patients")], "units that differ: examples, patients"),
        ([whole_curve(0, 0.9), 3], "must be LearningCurves, got 3"),
        (7, "must be several LearningCurves"),
    ],
)
def test_what_cannot_teach_is_refused_in_one_line(curves, said):
    with pytest.raises((DataError, RequestError)) as caught:
        learn_beliefs(curves)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_priors_without_shares_are_no_start():
    with pytest.raises(RequestError, match="start must model individual scores"):
        learn_beliefs([whole_curve(0, 0.9)], start=paper_beliefs(PUBLISHED))
    with pytest.raises(RequestError, match="seed"):
        learn_beliefs([whole_curve(0, 0.9)], seed=-1)


def test_what_is_computed_is_kept_in_a_folder_only(tmp_path):
    (tmp_path / "file").touch()
    for folder, said in [
        (tmp_path / "file", "folder .*file is not a folder"),
        (tmp_path / "no" / "such", "folder .*such cannot be created: No such file or directory"),
        (3, "Expected the name of a file, got 3"),
    ]:
        with pytest.raises(RequestError, match=said):
            learn_beliefs([whole_curve(0, 0.9)], folder=folder)


@pytest.mark.slow
def test_errors_and_losses_are_learnt_from_as_they_are(low_curves, learnt):
    rates = [
        LearningCurve(SIZES, 1 - c.scores.reshape(len(SIZES), -1), metric="error rate", direction="lower", task=c.task)
        for c in low_curves[:2]
    ]
    assert learn_beliefs(rates).learnt.metric == "error rate"
    assert np.isfinite(distance(learn_beliefs(rates)))
