"""Cautions that the failure study led to (docs/failures.md): what a pilot must look like to call for each, and not."""

import ast
import re

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LeastSquares, cautions
from apexgp.cautions import (
    EQUAL,
    FALLS,
    FLAT,
    GUESSING,
    ODD_PILOTS,
    PERFECT,
    SCATTERS,
    FollowedCurves,
    find_pilot_cautions,
    find_single_run_cautions,
    load_followed_curves,
    shorten_caution,
)
from conftest import REPOSITORY, require

SOURCE = REPOSITORY / "src" / "apexgp"
SIZES = [64, 91, 128, 181, 256, 362]
RISING = np.array([0.701, 0.734, 0.757, 0.782, 0.793, 0.806])


def said(scores, split=None, **more):
    return {shorten_caution(caution) for caution in find_pilot_cautions(LearningCurve(SIZES, scores, split, **more))}


def test_a_healthy_pilot_calls_for_none():
    assert said(RISING) == set()
    assert said(RISING[:, None] + [-0.011, 0.002, 0.009]) == set()


@pytest.mark.parametrize("value", [0.5, 0.6347, 0.0])
def test_a_classifier_that_never_changes_its_answer_is_noticed(value):
    assert "exactly equal scores" in said(np.full(6, value))


def test_single_scores_that_are_equal_twice_may_be_chance():
    equal = RISING.copy()
    equal[3] = equal[2]
    assert "exactly equal scores" not in said(equal)
    equal[4] = equal[2]
    assert "exactly equal scores" in said(equal)
    assert "exactly equal scores" not in said(np.round(equal, 2))  # so would be any scores that are near
    perfect = np.array([0.91, 0.954, 0.987, 1.0, 1.0, 1.0])
    assert said(perfect) == {"perfect scores"}  # one reason is enough


def test_splits_that_are_all_equal_twice_are_not():
    scores = RISING[:, None] + np.array([-0.011, 0.002, 0.009])
    scores[3] = scores[2][::-1]  # whichever is which
    assert "exactly equal scores" in said(scores)
    assert "exactly equal scores" in said(1 - scores, direction="lower")
    scores[3] = scores[2] + [0.004, -0.006, 0.002]  # only the means are equal
    assert "exactly equal scores" not in said(scores)


@pytest.mark.slow
def test_accuracies_of_a_few_hundred_cases_are_seldom_called_equal():
    rng = np.random.default_rng(0)
    for splits, often in ((1, 0.05), (3, 0.01)):
        drawn = rng.binomial(300, RISING[:, None], (200, 6, splits)) / 300
        assert np.mean(["exactly equal scores" in said(scores) for scores in drawn]) < often


def test_one_size_at_which_splits_disagree_is_named():
    noise = np.array([-0.004, 0.001, 0.003])
    scores = RISING[:, None] + noise
    scores[4] = RISING[4] + 20 * noise
    (caution,) = find_pilot_cautions(LearningCurve(SIZES, scores))
    assert caution.startswith("At 256 examples the splits differ 20 times")
    assert said(RISING[:, None] + 20 * noise) == set()  # they always do


def test_guessing_depends_on_the_metric():
    scores = np.array([0.503, 0.496, 0.511, 0.507, 0.513, 0.521])
    assert "no better than guessing" in said(scores)
    assert "no better than guessing" in said(scores, metric="roc_auc")
    assert "no better than guessing" not in said(scores, metric="accuracy")  # with ten classes that is a lot
    assert "no better than guessing" not in said(scores + 0.05)


def find_guessing(scores, **about):
    curve = LearningCurve(SIZES, scores, **about)
    return next((str(one) for one in find_pilot_cautions(curve) if shorten_caution(one) == GUESSING), None)


def test_scores_below_guessing_are_no_better():
    below = np.array([0.465, 0.481, 0.474, 0.492, 0.486, 0.505])
    assert find_guessing(below, metric="AUROC").startswith("The best mean AUROC is 0.505, and guessing gives 0.5.")
    assert "worse than guessing" not in find_guessing(below, metric="AUROC")
    turned = find_guessing(np.linspace(0.42, 0.31, 6), metric="macro AUROC")
    assert "The last, 0.31, is worse than guessing: look for labels or scores that are turned round." in turned
    # Accuracies and balanced accuracies of several classes may well be lower.
    assert find_guessing(below - 0.1) is None
    assert find_guessing(below - 0.1, metric="balanced accuracy") is None
    near = find_guessing(below + 0.01, metric="balanced accuracy")
    assert near.startswith("The best mean balanced accuracy is 0.515, and guessing gives 0.5 with two classes.")


def test_guessing_among_several_classes_scores_less():
    low = np.array([0.243, 0.262, 0.247, 0.256, 0.244, 0.257])
    assert "guessing gives 0.25." in find_guessing(low, metric="balanced accuracy", n_classes=4)
    assert find_guessing(low + 0.25, metric="balanced accuracy", n_classes=4) is None


def test_scores_that_noise_does_not_tell_from_guessing_are_no_better():
    level, luck = np.array([0.53, 0.56, 0.52, 0.57, 0.54, 0.55])[:, None], np.array([-0.08, 0.01, 0.07])
    wide, narrow = level + luck, level + luck / 10
    text = find_guessing(wide, metric="AUROC")
    assert text.startswith("The best mean AUROC, 0.57, has a standard error of 0.044, so it may be that of guessing")
    assert find_guessing(narrow, metric="AUROC") is None
    rising = np.linspace(0.51, 0.58, 6)[:, None] + luck
    assert find_guessing(rising, metric="AUROC") is None  # it has begun to learn
    # A single run scatters around its line.
    assert "may be that of guessing" in find_guessing([0.51, 0.56, 0.47, 0.58, 0.5, 0.55], metric="AUROC")
    assert find_guessing([0.551, 0.56, 0.549, 0.558, 0.553, 0.556], metric="AUROC") is None


def test_guessing_of_a_coefficient_is_zero():
    text = find_guessing([-0.03, 0.02, -0.01, 0.04, 0.01, 0.03], metric="MCC")
    assert text.startswith("The best mean MCC is 0.04, and guessing gives 0.")
    assert find_guessing([0.11, 0.13, 0.12, 0.14, 0.13, 0.15], metric="MCC") is None


@pytest.mark.parametrize(
    ("known", "asks"),
    [
        ({}, True),
        ({"split": ["run 3"] * 6}, False),
        ({"averaged_over": 1}, False),
        ({"averaged_over": 5}, False),
        ({"averaged_over": "several"}, False),
        ({"score_sd": 0.01}, False),
    ],
)
def test_one_score_per_size_counts_as_one_run_and_says_how_to_tell_otherwise(known, asks):
    found = find_single_run_cautions(LearningCurve(SIZES, RISING, **known))
    assert bool(found) == asks
    for caution in found:
        assert caution.startswith("Each score counts as one run.")
        assert "averaged_over=..." in caution
        assert "averaged_over='several'" in caution


def test_only_methods_that_tell_runs_from_means_say_that_scores_count_as_runs():
    for model, says in ((APExGP(), True), (APExGP.as_published(), False), (LeastSquares(), False)):
        cautions = model.fit(SIZES, RISING).required_size(0.82).cautions
        assert any("counts as one run" in caution for caution in cautions) == says
    replicated = APExGP().fit(SIZES, RISING[:, None] + [-0.01, 0.01]).forecast([1000])
    assert not any("counts as one run" in caution for caution in replicated.cautions)


@pytest.mark.parametrize(("known", "asks"), [("several", True), (10, False), (1, False), (None, False)])
def test_means_over_an_unknown_number_of_runs_are_asked_about(known, asks):
    assert ("means of how many runs?" in said(RISING, averaged_over=known)) == asks
    assert "means of how many runs?" not in said(RISING[:, None] + [-0.01, 0.01], averaged_over=known)


@pytest.mark.parametrize("scores", [[0.78], [0.78, 0.75, 0.80], [0.5], [1.0], [0.2, 0.6, 0.9]])
@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_one_size_is_said_to_show_no_trend_and_nothing_else_is_said_of_a_trend(scores, direction):
    curve = LearningCurve([200] * len(scores), scores, direction=direction)
    cautions = APExGP().fit(curve).forecast([400, 10_000]).cautions
    assert sum("One size shows no trend" in caution for caution in cautions) == 1
    for word in ("different sizes", "times its smallest", "falls", "does not rise", "improves", "other curves", "nan"):
        assert not any(word in caution for caution in cautions)


def test_two_sizes_show_no_fall_that_noise_explains():
    said_of_two = {
        (high, low): [shorten_caution(c) for c in find_pilot_cautions(LearningCurve([100] * 3 + [300] * 3, high + low))]
        for high, low in (((0.75, 0.80, 0.85), (0.74, 0.79, 0.84)), ((0.84, 0.85, 0.86), (0.64, 0.65, 0.66)))
    }
    assert list(said_of_two.values()) == [["only 2 sizes"], ["only 2 sizes", "falls"]]


def test_a_forecast_carries_them():
    forecast = APExGP().fit(SIZES, np.full(6, 0.5)).forecast([1000])
    assert any("always gave the same answer" in caution for caution in forecast.cautions)
    assert any("guessing" in caution for caution in forecast.cautions)


# Pilots of each kind that real curves were followed for.
ODD = {
    FALLS: RISING[::-1, None] + [-0.011, 0.002, 0.009],
    FLAT: [0.888, 0.8885, 0.8882, 0.8875, 0.888, 0.8878],
    GUESSING: [0.503, 0.496, 0.511, 0.507, 0.513, 0.508],
    EQUAL: np.full(6, 0.6347),
    SCATTERS: RISING[:, None] + np.array([[1], [1], [1], [1], [20], [1]]) * [-0.004, 0.001, 0.003],
    PERFECT: [0.91, 0.954, 0.987, 0.993, 1.0, 0.997],
}


def quote(kind, metric):
    model = APExGP().fit(LearningCurve(SIZES, ODD[kind], metric=metric))
    (caution,) = (one for one in model.forecast([1000]).cautions if shorten_caution(one) == kind)
    return "".join(re.findall(r"Of \d.*", caution))


@pytest.mark.parametrize("kind", ODD_PILOTS)
@pytest.mark.parametrize("metric", ["AUROC", "score"])
def test_what_real_curves_did_is_read_from_the_file(kind, metric, monkeypatch):
    kept = load_followed_curves()[kind]
    expected = (
        f"Of {kept.curves:,} real curves of AUROC or accuracy with such a pilot, {kept.rose:.0f} % had risen by "
        f"more than 0.02 at their largest size and {kept.fell:.0f} % had fallen by as much; {kept.inside:.0f} % of "
        "their later scores lay inside the default method's 95 % interval."
    )
    assert quote(kind, metric) == (expected if kept.curves >= 20 else "")
    other = {kind: FollowedCurves(1234, 11.4, 22.6, 77.7)}
    monkeypatch.setattr(cautions, "load_followed_curves", lambda: other)
    figures = re.findall(r"[\d.,]*\d", quote(kind, metric))
    assert figures == ["1,234", "11", "0.02", "23", "78", "95"]
    other[kind] = other[kind]._replace(curves=19)
    assert quote(kind, metric) == ""  # too few to quote a share


_COUNTED = "one|two|three|four|five|six|seven|eight|nine|ten"
SHARES = re.compile(
    r"\d ?%|per cent|\b(half|a third|thirds|a quarter|majority|most of)\b|"
    rf"\b({_COUNTED}|\d+) (in|of|out of) (\w+ )?({_COUNTED}|\d)",
    re.IGNORECASE,
)
LEVELS = re.compile(r"(50|80|95|99) % (interval|covers)")


def test_no_caution_has_a_share_of_its_own():
    """All shares are read from data: strings of the module hold none, apart from the levels of intervals."""
    for wrong in ("83 % rose", "one in five outside", "half moved", "four in ten later left", "most of them upwards"):
        assert SHARES.search(wrong), wrong
    tree = ast.parse((SOURCE / "cautions.py").read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert len(texts) > 100
    for text in texts:
        if id(text) not in prose:
            assert not SHARES.search(LEVELS.sub("", text.value)), text.value


def test_the_page_on_doubt_has_no_share_of_its_own():
    """It links to the tables."""
    page = (REPOSITORY / "docs" / "doubt.md").read_text(encoding="utf-8")
    told = page.partition("## What the program tells you")[2].partition("## How to check")[0]
    assert "## Known weaknesses" in told
    assert not SHARES.search(LEVELS.sub("", told))


def test_the_page_on_calibration_prints_the_file(monkeypatch, capsys):
    pd = require("pandas")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    import odd_pilots

    kept = pd.read_csv(odd_pilots.FILE, index_col="pilots")
    assert list(kept.index) == list(odd_pilots.KINDS)
    odd_pilots.print_table(kept)
    table = capsys.readouterr().out.partition("odd pilots\n\n")[2]
    assert table in (REPOSITORY / "docs" / "calibration.md").read_text(encoding="utf-8")


def test_the_shares_were_measured_with_the_shipped_priors(monkeypatch):
    """Else run benchmarks/remake.py --only odd_pilots."""
    pd = require("pandas")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    import odd_pilots

    assert set(pd.read_csv(odd_pilots.FILE, dtype=str).priors) == {odd_pilots.identify_priors()}
