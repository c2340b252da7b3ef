"""`apexgp forecast --target`: how many examples it takes."""

import json
import math
import re

import numpy as np
import pytest

from apexgp import APExGP, read, required_size_range
from apexgp.question_base.changes import name_change
from conftest import MEANS, has_row, number

GP = ("--mean", "power_law")


@pytest.mark.slow
def test_forecast_says_how_many_examples_reach_a_target(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--at", "1000", "--target", "0.8", "--confidence", "0.7")
    model = APExGP("power_law").fit(read(pairs).curve)
    answer = model.required_size(0.8, 0.7)
    assert 564 < answer.size < 1e6
    lines, sentence, text = shown(*command)
    assert has_row(lines, "1,000", f"{model.forecast([1000]).mean[0]:.3f}")
    size = answer.in_words(answer.size)
    assert answer.rounded_size > answer.size  # no more digits than are known, and never fewer examples
    assert f"To reach a mean score of 0.8 with a probability of 70 %, plan for {size} training" in sentence
    assert sentence.index("To reach") < sentence.index("With 1,000 training")  # the target first
    assert f"with a probability of 70 % from {size} training examples on" in text
    assert f"estimated at {100 * answer.prob_reachable:.0f} %" in text
    required = facts_of(*command)["required"]
    assert required["size"] == answer.size
    assert required["median"] == answer.median
    assert required["relative_error"] == answer.relative_error > 0
    assert required["interval"] == [number(end) for end in answer.interval]
    assert required["prob_reachable"] == answer.prob_reachable
    assert required["already_met"] is False
    assert "required" not in facts_of("forecast", pairs, *GP)


@pytest.mark.slow
def test_forecast_says_that_no_number_of_examples_will_do(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--target", "0.99", "--confidence", "0.95")
    answer = APExGP("power_law").fit(read(pairs).curve).required_size(0.99, 0.95)
    assert answer.size == math.inf
    _, sentence, text = shown(*command)
    assert "No number of training examples reaches" in sentence
    assert "No number of training examples was estimated to meet a target of 0.99" in text
    required = facts_of(*command)["required"]
    assert required["size"] is None
    assert required["interval"][1] is None
    assert required["prob_reachable"] == answer.prob_reachable


@pytest.mark.slow
def test_per_cent_is_a_score_and_a_probability_too(pairs, run, facts_of):
    written = facts_of("forecast", pairs, *GP, "--target", "80%", "--confidence", "70 %", "--level", "90%")
    assert written == facts_of("forecast", pairs, *GP, "--target", "0.8", "--confidence", "0.7", "--level", "0.9")
    code, _, err = run("forecast", pairs, "--target", "eighty")
    assert code == 2
    assert "Invalid value for '--target': 'eighty' is not a number. Write it as 0.82 or 82%." in " ".join(err.split())


@pytest.mark.slow
def test_forecast_says_that_the_target_is_met(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--target", "0.7")
    _, sentence, _ = shown(*command)
    assert "The pilot's 564 training examples already reach a mean score of 0.7" in sentence
    assert facts_of(*command)["required"]["already_met"] is True


@pytest.mark.slow
def test_forecast_with_a_target_by_the_published_method(pairs, facts_of):
    facts = facts_of("forecast", pairs, "--published", "--target", "0.8")
    answer = APExGP.as_published().fit(read(pairs).curve).required_size(0.8)
    assert facts["required"]["size"] == number(answer.size)
    assert "maximum a posteriori" in facts["methods_text"]


def test_error_rates_have_targets_to_come_down_to(tmp_path, facts_of):
    path = tmp_path / "errors.csv"
    path.write_text("size,score\n" + "".join(f"{n},{1 - s:.3f}\n" for n, s in MEANS))
    facts = facts_of("forecast", path, *GP, "--target", "0.2", "--lower-is-better")
    curve = read(path, direction="lower").curve
    assert facts["required"]["size"] == number(APExGP("power_law").fit(curve).required_size(0.2).size)
    assert facts["required"]["target"] == 0.2


@pytest.mark.slow
def test_what_is_not_decided_is_said_to_be(run, facts_of, pairs):
    model = APExGP("power_law").fit(read(pairs).curve)
    pooled = model._fit.pool_integrals(model._fit.most_integrals)
    confidence = float(model._forecast_by(pooled, np.array([1e300]), "expected").prob_at_least(0.82)[0])
    answer = model.required_size(0.82, confidence)
    assert answer.is_open
    facts = facts_of("forecast", pairs, "--target", 0.82, "--confidence", repr(confidence), *GP)
    assert facts["required"]["size_range"] == [answer.size_range[0], None]
    for output in ((), ("--methods-text",)):
        code, out, _ = run("forecast", pairs, "--target", 0.82, "--confidence", repr(confidence), *GP, *output)
        assert code == 0
        assert answer.size_in_words == f"more than {answer.farthest_plan}"
        assert f"{answer.farthest_plan}" in out
        assert "hether any number suffices is not decided numerically" in out


@pytest.mark.slow
def test_who_asks_for_a_precision_is_told_which_was_reached(pairs, shown, facts_of):
    command = ("forecast", pairs, "--at", "1000", "--target", "0.79", "--precision", "0.005")
    _, sentence, text = shown(*command)
    facts = facts_of(*command)
    reached = f"numerical standard error of at most {100 * facts['fit']['end_error']:.2g} % of their width."
    assert sentence.endswith(reached)
    assert reached in text
    _, usual, text = shown("forecast", pairs, "--at", "1000")
    assert "standard error" not in usual
    assert "standard error" in text  # a paper states it, whatever it is


@pytest.mark.slow
def test_the_headline_says_what_a_size_rests_on(pairs, run, shown, facts_of):
    command = ("forecast", pairs, "--target", "0.785")
    found = required_size_range(APExGP().fit(read(pairs).curve), 0.785)
    low, high = found.rounded_interval
    _, sentence, _ = shown(*command)
    most = name_change(found.highest.name, found.highest.kind)
    assert f"; under other reasonable assumptions it takes {low:,.0f} to {high:,.0f} (most {most})." in sentence
    facts = facts_of(*command)
    assert facts["otherwise"]["rounded_interval"] == [low, high]
    assert facts["otherwise"]["highest"] == found.highest.name
    assert facts["required"]["rounded_size"] == found.unchanged.rounded_size
    # The changes are those of a sensitivity analysis, and so are the sizes.
    rows = {
        row["name"]: row["required"]["size"] for row in facts_of("sensitivity", pairs, "--target", 0.785)["changes"]
    }
    assert {one["name"]: one["size"] for one in facts["otherwise"]["changes"]}.items() <= rows.items()
    quick = facts_of(*command, "--quick")
    assert quick["otherwise"] is None
    assert "other reasonable assumptions" not in quick["sentence"]
    assert quick["required"] == facts["required"]


@pytest.mark.slow
def test_a_grant_has_three_sentences_and_the_citation(pairs, run, facts_of):
    command = ("forecast", pairs, "--target", "0.785")
    code, text, _ = run(*command, "--grant-text")
    facts = facts_of(*command)
    assert (code, text.strip()) == (0, facts["grant_text"])
    words, cited = text.split("\n\nHow to cite: ")
    assert len(re.findall(r"\.(?= [A-Z]|$)", words.replace("et al. 2023", ""))) == 3
    assert "Machine Learning for Health" in cited
    size = f"{facts['required']['rounded_size']:,}"
    ever = f"{100 * facts['required']['prob_reachable']:.0f} % with unlimited data"
    assert f"a probability of 80 % ({ever}) that {size} training examples reach a mean score of 0.785; under" in words
    assert words.endswith(f"We therefore plan for {size} examples for training.")
    never = run("forecast", pairs, "--target", "0.99", "--grant-text")[1]
    assert "We therefore plan" not in never
    assert "that unlimited data of this kind reach a mean score of 0.99, short of the 80 % wanted." in never
    assert facts_of("forecast", pairs)["grant_text"] is None
    code, out, err = run("forecast", pairs, "--grant-text")
    assert (code, out) == (1, "")
    assert "--grant-text is about the size that a target takes. Give --target." in err


@pytest.mark.slow
def test_a_pipeline_is_stopped_by_an_exit_code_of_its_own(pairs, run, facts_of):
    command = ("forecast", pairs, "--at", "5000", "--target", "0.8")
    (row,) = facts_of(*command)["forecast"]
    chance = row["prob_target"]
    assert run(*command, "--fail-below", chance - 0.01)[0] == 0
    code, out, err = run(*command, "--fail-below", chance + 0.01, "--json")
    assert code == 3
    assert json.loads(out)["forecast"] == [row]
    assert "The probability that 5,000 examples reach 0.8 is " in err
    for wrong, why in (
        (("--at", "2x,10x", "--target", "0.8"), "there are 2 sizes"),
        (("--at", "50"), "there is no target"),
    ):
        code, out, err = run("forecast", pairs, *wrong, "--fail-below", "80%")
        assert (code, out) == (1, "")
        assert f"--fail-below needs --target and one size, such as --at 5000; {why}." in err
