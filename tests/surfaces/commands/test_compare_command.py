import numpy as np
import pytest

from apexgp import APExGP, compare_models, read
from apexgp._numbers import format_chance as said
from conftest import has_row, pilot_table

GP = ("--mean", "power_law")


@pytest.mark.slow
def test_compare_prints_who_leads(pairs, better, shown, facts_of):
    command = ("compare", better, pairs, *GP, "--at", "564", "--at", "10x")
    curves = {"better": read(better).curve, "pairs": read(pairs).curve}
    (pair,) = compare_models(curves, [564, 5640], APExGP("power_law")).pairs
    lines, sentence, text = shown(*command)
    for size, chance, gap in zip(("564", "5,640"), pair.prob_first_better, pair.difference, strict=True):
        assert has_row(lines, "better beats pairs", size, said(chance), f"{gap:+.3f}")
    assert "With 5,640 training examples better beats pairs with a probability of" in sentence
    assert f"{said(pair.prob_first_better[1])} at 5,640" in text
    assert "scores on 2 shared splits paired" in text
    (found,) = facts_of(*command)["pairs"]
    assert found["prob_first_better"] == pair.prob_first_better.tolist()
    assert found["difference"] == pair.difference.tolist()
    assert found["lead_changes"] == [] == list(pair.lead_changes)
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


def write_table(path, sizes, scores, rng, noise):
    lines = [
        f"{n:.0f},{score + noise * rng.standard_normal():.5f},{split}"
        for n, score in zip(sizes, scores, strict=True)
        for split in "abc"
    ]
    path.write_text("\n".join(["size,score,split", *lines, ""]))
    return path


@pytest.mark.slow
def test_every_change_of_lead_is_named_with_how_sure_both_sides_are(tmp_path, rng, shown, facts_of):
    sizes = np.geomspace(20, 8000, 9).round()
    early = write_table(tmp_path / "early.csv", sizes, 0.9 - 0.3 * sizes**-0.25, rng, 0.001)
    middle = write_table(tmp_path / "middle.csv", sizes, 0.855 - 4 / sizes, rng, 0.001)
    command = ("compare", early, middle, "--at", "8000")
    grid = np.geomspace(20, 8000, 100_000)
    gap = 0.9 - 0.3 * grid**-0.25 - (0.855 - 4 / grid)
    meeting = grid[np.flatnonzero(np.diff(np.sign(gap)))]
    assert len(meeting) == 2
    (found,) = facts_of(*command)["pairs"]
    changes = found["lead_changes"]
    np.testing.assert_allclose([change["size"] for change in changes], meeting, rtol=0.15)
    assert [(change["before"], change["after"]) for change in changes] == [("early", "middle"), ("middle", "early")]
    assert changes[0]["prob_after"] == changes[1]["prob_before"] >= 0.8
    assert min(changes[0]["prob_before"], changes[1]["prob_after"]) >= 0.8
    _, sentence, text = shown(*command)
    first, second = (f"{float(format(change['size'], '.2g')):,.0f}" for change in changes)
    chances = [said(change["prob_before"]) for change in changes] + [said(changes[1]["prob_after"])]
    expected = (
        f"The lead passes from early to middle at about {first} examples and back to early at about {second}; the "
        f"highest probabilities of being ahead are, in turn, {chances[0]}, {chances[1]} and {chances[2]}."
    )
    assert expected in sentence
    assert expected in text


@pytest.mark.slow
def test_a_lead_that_is_mere_chance_is_not_said_to_change(tmp_path, rng, shown, facts_of):
    """Two pilots of one and the same curve: the probability passes one half, and means nothing."""
    sizes = np.array([60, 94, 147, 230, 360])
    truth = 0.88 - 1.6 * sizes**-0.5
    passed = 0
    for i in range(4):
        files = [write_table(tmp_path / f"{name}{i}.csv", sizes, truth, rng, 0.02) for name in ("one", "two")]
        command = ("compare", *files, *GP)
        (found,) = facts_of(*command)["pairs"]
        curves = {path.stem: read(path).curve for path in files}
        (pair,) = compare_models(curves, found["sizes"], APExGP("power_law")).pairs
        passed += bool(np.diff(np.sign(pair.grid_prob - 0.5)).any())
        sure = [pair.grid_prob.max() >= 0.8, pair.grid_prob.min() <= 0.2]
        assert bool(found["lead_changes"]) == all(sure)
        _, sentence, _ = shown(*command)
        assert ("The lead passes" in sentence) == all(sure)
        span, leads = "rom 60 to 3,600 examples", "is ahead with a probability of 80 % or more at some sizes"
        if not any(sure):
            assert (
                f"Neither of one{i} and two{i} is ahead with a probability of 80 % or more at any size f{span}."
                in sentence
            )
        elif sure[0] and not sure[1]:
            assert f"F{span}, one{i} {leads}, two{i} at none." in sentence
        elif sure[1] and not sure[0]:
            assert f"F{span}, two{i} {leads}, one{i} at none." in sentence
    assert passed  # or nothing was tried
