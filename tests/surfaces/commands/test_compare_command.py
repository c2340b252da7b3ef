import pytest

from apexgp import APExGP, LearningCurve, compare_models
from apexgp._numbers import format_chance as said
from conftest import has_row, pilot_table

GP = ("--mean", "power_law")


@pytest.mark.slow
def test_compare_prints_who_leads(pairs, better, shown, facts_of):
    command = ("compare", better, pairs, *GP, "--at", "564", "--at", "10x")
    curves = {"better": LearningCurve.from_csv(better), "pairs": LearningCurve.from_csv(pairs)}
    (pair,) = compare_models(curves, [564, 5640], APExGP("power_law")).pairs
    lines, sentence, text = shown(*command)
    for size, chance, gap in zip(("564", "5,640"), pair.prob_first_better, pair.difference, strict=True):
        assert has_row(lines, "better beats pairs", size, said(chance), f"{gap:+.3f}")
    assert "With 5,640 training examples better beats pairs with a probability of" in sentence
    assert f"{pair.prob_first_better[1]:.2f} at 5,640" in text
    assert "scores on 2 shared splits paired" in text
    (found,) = facts_of(*command)["pairs"]
    assert found["prob_first_better"] == pair.prob_first_better.tolist()
    assert found["difference"] == pair.difference.tolist()
    assert found["crossing"] == pair.crossing
    assert found["shared_splits"] == 2


@pytest.mark.slow
def test_compare_asks_for_the_pilot_and_beyond_by_default(pairs, better, facts_of):
    (found,) = facts_of("compare", pairs, better, *GP)["pairs"]
    assert found["sizes"] == [564, 1128, 5640]


@pytest.mark.slow
def test_models_of_the_same_name_go_by_their_paths(pairs, tmp_path, facts_of):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "pairs.csv"
    other.write_text(pilot_table(0.02))
    (found,) = facts_of("compare", pairs, other, *GP)["pairs"]
    assert (found["first"], found["second"]) == (str(pairs), str(other))
