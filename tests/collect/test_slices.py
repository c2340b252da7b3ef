import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from apexgp import SliceHead
from apexgp.collect.slices import Scans, _Batch, cross_entropy
from apexgp.errors import DataError, RequestError


@pytest.fixture
def scans(rng):
    """Scans of 3 to 70 slices; in half of them some slices lean one way."""
    y = np.arange(80) % 2
    lean = rng.normal(size=12)
    made = [rng.normal(size=(rng.integers(3, 70), 12)) + 0.6 * label * lean for label in y]
    return made, y


def double(scans, most=50):
    """The batch in double precision, for comparing with finite differences."""
    batch = _Batch.from_scans(Scans(scans), most)
    return _Batch(batch.features.astype(np.float64), batch.starts, batch.counts)


def plain_loss(weights, scans, y, most=50):
    """The formula, scan by scan."""
    total = 0.0
    for scan, label in zip(scans, y, strict=True):
        used = scan[np.linspace(0, len(scan) - 1, min(len(scan), most)).round().astype(int)].astype(np.float32)
        chance = np.mean(1 / (1 + np.exp(-(used.astype(float) @ weights[:-1] + weights[-1]))))
        total -= np.log(chance if label else 1 - chance)
    return total / len(y)


@pytest.mark.slow
def test_loss_and_gradient_of_every_setting_against_the_formula(scans, rng):
    made, y = scans
    weights = rng.normal(0, 0.5, (13, 4))
    loss, gradient = cross_entropy(weights, double(made), y)
    for k in range(4):
        assert loss[k] == pytest.approx(plain_loss(weights[:, k], made, y), rel=1e-9)
        numeric = approx_fprime(weights[:, k], plain_loss, 1e-6, made, y)
        assert gradient[:, k] == pytest.approx(numeric, abs=1e-5)


def test_training_is_torchs_sgd_step_by_step(scans):
    """One setting, written out as torch documents it: clip, add decay, momentum, step."""
    made, y = scans
    head = SliceHead([0.05], [0.01], 1, max_epochs=25).fit(made, y, validation=(made, y))
    w = np.random.default_rng([0, 0]).uniform(-1 / np.sqrt(12), 1 / np.sqrt(12), 13)
    speed, path = np.zeros(13), []
    for _ in range(25):
        gradient = cross_entropy(w[:, None], double(made), y)[1][:, 0]
        gradient *= min(1.0, 1.0 / np.linalg.norm(gradient))
        speed = 0.9 * speed + gradient + 0.01 * w
        w = w - 0.05 * speed
        path.append(w)
    kept = path[head.chosen_["epoch"] - 1]
    assert np.append(head.coef_[0], head.intercept_) == pytest.approx(kept, abs=1e-4)


def test_settings_trained_together_are_settings_trained_alone(scans):
    made, y = scans
    validation = (made[:40], y[:40])
    together = SliceHead([0.05, 0.01], [1.0, 0.0], 2, max_epochs=40).fit(made[40:], y[40:], validation=validation)
    alone = [
        SliceHead([rate], [decay], 2, max_epochs=40).fit(made[40:], y[40:], validation=validation)
        for rate in (0.05, 0.01)
        for decay in (1.0, 0.0)
    ]
    assert together.validation_score_ == max(head.validation_score_ for head in alone)


@pytest.mark.slow
def test_learns_and_is_a_scikit_learn_estimator(scans):
    made, y = scans
    head = clone(SliceHead(max_epochs=60, n_seeds=2))
    with pytest.raises(NotFittedError):
        head.predict(made)
    names = np.array(["healthy", "ill"])[y]
    head.fit(made, names)
    chances = head.predict_proba(made)
    assert chances.sum(axis=1) == pytest.approx(np.ones(80))
    assert roc_auc_score(y, chances[:, 1]) > 0.9
    assert set(head.predict(made)) == {"healthy", "ill"}
    assert head.score(made, names) > 0.8
    assert clone(head).fit(made, names).coef_.tolist() == head.coef_.tolist()


@pytest.mark.slow
def test_training_stops_when_the_loss_is_still(scans, monkeypatch):
    from apexgp.collect import slices

    made, y = scans
    steps = []
    counted = slices.cross_entropy

    def count(weights, *rest):
        steps.append(weights.shape[1])
        return counted(weights, *rest)

    monkeypatch.setattr(slices, "cross_entropy", count)
    SliceHead([0.05, 0.01], [1.0, 0.0], 1, max_epochs=400).fit(made, y)
    assert steps[0] == 4
    assert steps[-1] < 4  # strong decay settles early and leaves the product


def test_scans_are_packed_and_indexed(scans):
    made, _ = scans
    packed = Scans(made)
    assert len(packed) == 80
    assert np.array_equal(packed[3], made[3])
    assert np.array_equal(packed[-1], made[-1])
    some = packed[np.array([5, 2])]
    assert [len(scan) for scan in some] == [len(made[5]), len(made[2])]
    assert np.array_equal(some[1], made[2])


def test_at_most_so_many_slices_evenly_spaced():
    scan = np.arange(101.0)[:, None]
    assert _Batch.from_scans(Scans([scan]), 5).features[:, 0].tolist() == [0, 25, 50, 75, 100]
    assert _Batch.from_scans(Scans([scan[:3]]), 5).features[:, 0].tolist() == [0, 1, 2]


def test_bad_scans_and_settings_are_refused(scans):
    made, y = scans
    with pytest.raises(DataError, match="shape"):
        Scans([made[0], made[1][:, 1:]])
    with pytest.raises(DataError, match="shape"):
        SliceHead().fit(np.zeros((4, 3)), [0, 1, 0, 1])
    with pytest.raises(DataError, match="finite"):
        SliceHead().fit([np.full((3, 2), np.nan)] * 20, [0, 1] * 10)
    with pytest.raises(DataError, match="fitted to 12 features, got 11"):
        SliceHead(max_epochs=2).fit(made, y).predict([made[0][:, 1:]])
    with pytest.raises(RequestError, match="no decay below 0"):
        SliceHead(weight_decays=[-1.0]).fit(made, y)
    with pytest.raises(DataError, match="one label per scan"):
        SliceHead().fit(made, y, validation=(made, y[:-1]))


def test_a_setting_that_diverges_is_not_chosen_and_warns_of_nothing(rng):
    y = np.arange(40) % 2
    scans = [rng.normal(size=(3, 4)) + label for label in y]
    head = SliceHead([1e302, 0.05], [0.0], 1, max_epochs=5).fit(scans, y, validation=(scans, y))
    assert head.chosen_["learning_rate"] == 0.05
    assert np.isfinite(head.coef_).all()
