"""Which way is better: what was said, or else what the name says, or else a question."""

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, read
from apexgp.errors import DataError
from readings import read_with_notes

SIZES = [60, 120, 250, 500]
FALLING = [0.30, 0.25, 0.21, 0.17]
QUESTION = r"better\? Say so with direction='lower' or direction='higher', or"


def is_asked_about(scores, sizes=SIZES, **about):
    """Whether unnamed scores, one row of them for each size, are a question."""
    rows = np.reshape(scores, (len(sizes), -1))
    try:
        read({"n": np.repeat(sizes, rows.shape[1]), "score": rows.ravel()}, **about).curve
    except DataError as problem:
        return "is lower better?" in str(problem)
    return False


@pytest.mark.parametrize(
    "name",
    [
        *("error rate", "Error", "test_error", "top-1 error", "misclassification rate", "loss", "val_loss", "log loss"),
        *("WER", "CER", "RMSE", "MAE", "MSE", "Brier score", "Hamming loss", "our_test_error", "custom loss"),
    ],
)
def test_the_name_of_a_loss_sets_the_direction_and_a_note_says_so(name):
    made = LearningCurve(SIZES, FALLING, metric=name)
    assert (made.direction, made.direction_stated) == ("lower", False)
    assert LearningCurve(SIZES, FALLING, metric=name, direction="higher").direction == "higher"
    table = {"n": SIZES, name: FALLING}
    curves, notes = read_with_notes(table, score=name)
    assert curves[None].direction == "lower"
    assert notes[-1] == f"The data frame: for {made.metric_name}, lower is taken to be better."
    _, notes = read_with_notes(table, score=name, direction="lower")
    assert not any("for a loss" in note for note in notes)


@pytest.mark.parametrize("take", [lambda frame: read(frame).curve, APExGP().fit])
def test_falling_scores_without_a_name_are_a_question(take):
    with pytest.raises(
        DataError, match=rf"^The data frame: the scores fall .* from 0\.300 at 60 to 0\.170 at 500: is lower {QUESTION}"
    ):
        take({"n": SIZES, "score": FALLING})


def test_scores_of_an_unknown_name_are_a_question_too(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("n,wobble\n" + "".join(f"{n},{score}\n" for n, score in zip(SIZES, FALLING, strict=True)))
    with pytest.raises(DataError, match=QUESTION):
        read(path, score="wobble").curve
    with pytest.raises(DataError, match=r"the wobble falls as the training set grows, from 0\.300 at 60 to 0\.170 at"):
        read(path, score="wobble", metric="wobble").curve
    for direction in ("higher", "lower"):
        assert read(path, score="wobble", direction=direction).curve.direction == direction
    assert read(path, score="wobble", metric="accuracy").curve.direction == "higher"
    assert read(path, score="wobble", metric="error rate").curve.direction == "lower"


def test_a_column_of_directions_answers_the_question():
    table = {"n": SIZES, "score": FALLING, "direction": ["higher"] * 4}
    assert read(table).curve.direction == "higher"


@pytest.mark.parametrize("metric", ["accuracy", "AUROC", "F1"])
def test_a_known_metric_that_falls_is_no_question(metric):
    falling = [score + 0.5 for score in FALLING]
    curve = read({"n": SIZES, metric: falling}).curve
    assert curve.direction == "higher"
    assert any("Performance falls" in caution for caution in APExGP().fit(curve).forecast([1000]).cautions)


@pytest.mark.parametrize(
    ("scores", "asked"),
    [
        ([0.90, 0.86, 0.83, 0.80], True),
        ([0.30, 0.18, 0.17, 0.165], True),  # bent, and falling at every step
        ([0.012, 0.009, 0.006, 0.004], True),  # little in itself, and two thirds of all there was
        ([0.80, 0.82, 0.83, 0.78], False),  # one wobble at the end
        ([0.90, 0.80, 0.81, 0.82], False),  # and one at the beginning
        ([0.80, 0.79, 0.81, 0.79], False),
        ([0.7512, 0.7511, 0.7510, 0.7509], False),
        ([[0.8, 0.7], [0.74, 0.72], [0.78, 0.7], [0.75, 0.71]], False),  # the ends differ by less than scores of a size
        ([[0.30, 0.32], [0.25, 0.27], [0.21, 0.22], [0.17, 0.18]], True),
    ],
)
def test_only_a_fall_over_the_whole_pilot_beyond_the_noise_is_asked_about(scores, asked):
    assert is_asked_about(scores) == asked
    assert not is_asked_about(scores, direction="higher")


@pytest.mark.slow
def test_scores_without_a_trend_are_hardly_ever_asked_about():
    rng = np.random.default_rng(0)
    flat = 0.8 + 0.02 * rng.standard_normal((300, 5, 4))
    sizes = [60, 94, 147, 230, 360]
    assert np.mean([is_asked_about(one, sizes) for one in flat]) < 0.05
    fall = np.linspace(0.04, -0.04, 5)[:, None]
    assert np.mean([is_asked_about(one + fall, sizes) for one in flat]) > 0.9


def test_what_is_taken_for_a_loss_without_being_known_is_asked_about_where_it_rises():
    rising = {"n": SIZES, "score": [2.0, 2.5, 3.0, 3.4]}
    rises = r"the scores rise as the training set grows, from 2\.00 at 60 to 3\.40 at 500: is higher "
    with pytest.raises(DataError, match=rises + QUESTION):
        read(rising, range=(0, np.inf)).curve
    assert read(rising, range=(0, np.inf), direction="higher").curve.direction == "higher"
    with pytest.raises(DataError, match="the AUC at low risk rises"):
        read({"n": SIZES, "score": FALLING[::-1]}, metric="AUC at low risk").curve


def test_curves_of_one_table_are_asked_about_together():
    def table(**tasks):
        return {
            "task": [task for task in tasks for _ in SIZES],
            "n": SIZES * len(tasks),
            "score": [score for scores in tasks.values() for score in scores],
        }

    with pytest.raises(DataError, match=rf"the scores of a, b fall as .* is lower {QUESTION}"):
        read(table(a=FALLING, b=FALLING)).curves
    with pytest.raises(DataError, match="the scores of b fall"):
        read(table(a=FALLING[::-1], b=FALLING)).curves
    curves = read(table(a=FALLING[::-1], b=FALLING, c=FALLING[::-1])).curves
    assert {curve.direction for curve in curves.values()} == {"higher"}


def test_curves_made_in_python_are_not_asked_about():
    curve = LearningCurve(SIZES, FALLING)
    assert (curve.direction, curve.up_to(250).direction_stated) == ("higher", False)
    for pilot in (curve, curve.up_to(500)):
        assert any("Is lower better?" in caution for caution in APExGP().fit(pilot).forecast([1000]).cautions)
    stated = LearningCurve(SIZES, FALLING, direction="higher")
    assert not any("Is lower better?" in caution for caution in APExGP().fit(stated).forecast([1000]).cautions)
