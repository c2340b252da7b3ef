import csv
import math
import re

import pytest

from apexgp import METHODS, APExGP, LearningCurve, LeastSquares, backtest, read
from apexgp._numbers import format_size_needed
from conftest import MEANS, has_row, number, pilot_table


@pytest.mark.slow
def test_backtest_prints_every_method(pairs, shown, facts_of):
    methods = ("power_law", "apexgp", "arctan")
    command = ("backtest", pairs, *(word for name in methods for word in ("--method", name)), "--target", "0.8")
    curve = read(pairs).curve
    result = backtest(curve, methods)
    lines, sentence, text = shown(*command)
    asked = LeastSquares("power_law").fit(curve).required_size(0.8).size
    for score in result.pooled:
        assert has_row(lines, score.method, f"{score.error:.4f}", f"{score.bias:+.4f}", f"{score.crps:.4f}")
        assert re.search(rf"{score.method} \([^)]+\): CRPS {score.crps:.4f}", text)
    assert has_row(lines, "size for 0.8")
    assert has_row(lines, "power_law", "-", format_size_needed(asked, 3))
    rows = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in methods]
    assert rows == ["apexgp", "power_law", "arctan"]  # no order of merit: two sizes were held out
    assert sentence.startswith("At the 2 held-out sizes, apexgp was off by ")
    assert "These 2 comparisons say little about the method, and nothing about which of several is best." in sentence
    facts = facts_of(*command)
    assert [row["method"] for row in facts["methods"]] == [score.method for score in result.pooled]
    for row, score in zip(facts["methods"], result.pooled, strict=True):
        assert (row["error"], row["crps"]) == (score.error, score.crps)
        assert row["coverage_95"] == (None if math.isnan(score.coverage_95) else score.coverage_95)
    assert facts["required"]["power_law"]["size"] == number(asked)
    assert facts["required"]["apexgp"]["size"] == number(APExGP().fit(curve).required_size(0.8).size)


@pytest.mark.slow
def test_backtest_of_several_tasks_is_pooled_and_written(tasks, tmp_path, facts_of, run):
    out = tmp_path / "figures.csv"
    facts = facts_of("backtest", tasks, "--method", "power_law", "--out", out)
    assert facts["methods"][0]["curves"] == 2
    assert [row["task"] for row in facts["by_curve"]] == ["liver", "lung"]
    with out.open(newline="") as file:
        assert [row["task"] for row in csv.DictReader(file)] == ["liver", "lung"]
    before = out.read_bytes()
    code, shown, err = run("backtest", tasks, "--method", "power_law", "--holdout", "1", "--out", out)
    assert (code, shown) == (1, "")
    assert "exists" in err
    assert out.read_bytes() == before
    assert run("backtest", tasks, "--method", "power_law", "--holdout", "1", "--out", out, "--force")[0] == 0
    assert out.read_bytes() != before


def test_backtest_knows_holdout_ceiling_and_one_task(tasks, facts_of):
    facts = facts_of(
        "backtest", tasks, "--task", "lung", "--method", "power_law", "--holdout", "1", "--ceiling", "0.77"
    )
    curve = LearningCurve([n for n, _ in MEANS], [[s - 0.01, s + 0.01] for _, s in MEANS])
    expected = backtest(curve, {"power_law": LeastSquares("power_law", ceiling=0.77)}, 1).pooled[0]
    assert facts["methods"][0]["error"] == pytest.approx(expected.error)
    assert expected.error != pytest.approx(backtest(curve, ["power_law"], 1).pooled[0].error)
    assert len(facts["by_curve"]) == 1


@pytest.mark.slow
def test_backtest_judges_all_methods_by_default_and_says_what_failed(tmp_path, run, facts_of):
    path = tmp_path / "short.csv"
    path.write_text(pilot_table(means=MEANS[:4]))  # three sizes are left: too few for four parameters
    facts = facts_of("backtest", path)
    assert {row["method"] for row in facts["methods"]} == set(METHODS)
    failed = {row["method"] for row in facts["methods"] if row["failed"]}
    assert failed == {"pow4", "mmf4", "wbl4", "piecewise_power_law", "burr", "m4", "bnsl"}
    assert all(row["error"] is None for row in facts["methods"] if row["failed"])
    named = "pow4, mmf4, wbl4, piecewise_power_law, burr, m4, bnsl"
    (together,) = [caution for caution in facts["cautions"] if "pow4" in caution]
    assert together == f"{named}: More sizes are needed to fit than the 3 that were not held out."
    _, out, _ = run("backtest", path)
    assert out.count("More sizes are needed") == 1
    assert "parameters" not in out


@pytest.mark.slow
def test_the_best_is_named_where_there_are_enough_comparisons(facts_of, tasks):
    """Two tasks with three sizes held out each: six comparisons."""
    facts = facts_of("backtest", tasks, "--holdout", 3)
    judged = [score for score in facts["methods"] if score["curves"]]
    by_error, best = min(judged, key=lambda score: score["error"]), judged[0]
    assert best["crps"] == min(score["crps"] for score in judged)
    assert (
        f"{best['method']} forecast the scores at the larger ones best (CRPS {best['crps']:.4f})" in facts["sentence"]
    )
    assert (f"{by_error['method']} came closest" in facts["sentence"]) == (by_error["method"] != best["method"])
    alone = facts_of("backtest", tasks, "--method", "power_law", "--holdout", 3)["sentence"]
    assert "best" not in alone
    assert "came closest" not in alone
