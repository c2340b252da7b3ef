import pytest

from apexgp import APExGP, plan_collection, read
from apexgp._numbers import format_chance, format_money
from conftest import has_row

GP = ("--mean", "power_law")


@pytest.mark.slow
def test_plan_prints_every_round(pairs, shown, facts_of):
    command = ("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "50000", "--rounds", "2")
    model = APExGP("power_law").fit(read(pairs).curve)
    plan = plan_collection(model, 0.8, 12, 50_000, 2)
    assert plan.sizes[1] > plan.sizes[0] > 564
    lines, sentence, text = shown(*command)
    # What is read is rounded up to two digits of what each round collects; what machines read is not.
    first, second = plan.stops
    assert plan.sizes[0] <= first <= plan.sizes[0] + 0.1 * (plan.sizes[0] - 564)
    assert len(str(first - 564).rstrip("0")) <= 2
    assert has_row(lines, "1", f"{first - 564:,}", f"{first:,}", f"{(first - 564) * 12:,.0f}")
    assert has_row(lines, "2", f"{second - first:,}", f"{second:,}", format_chance(plan.prob_met[1]))
    assert f"Collect {first - 564:,} more examples, for a total of {first:,}" in sentence
    assert f"labels are expected to cost {format_money(plan.expected_spend)}, and" in sentence
    assert "the number to put in a protocol is the required size" in sentence
    for part in ("a cost of 12 per example", "a penalty of 50,000", f"{first:,} and {second:,}"):
        assert part in text
    assert f"the expected total cost {format_money(plan.expected_cost)}" in text
    facts = facts_of(*command)
    found = facts["plan"]
    assert {name: [row[name] for row in facts["rounds"]] for name in facts["rounds"][0]} == plan.to_dict()
    assert found["sizes"] == list(plan.sizes)
    assert found["prob_met"] == list(plan.prob_met)
    assert found["expected_cost"] == plan.expected_cost
    assert found["failure_probability"] == plan.failure_probability
    assert found["start"] == 564


@pytest.mark.slow
def test_plan_starts_from_what_is_at_hand_and_may_end_there(pairs, shown, facts_of):
    command = ("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "50000", "--start", "800")
    model = APExGP("power_law").fit(read(pairs).curve)
    assert facts_of(*command)["plan"]["sizes"] == list(plan_collection(model, 0.8, 12, 50_000, 3, 800).sizes)
    _, sentence, _ = shown("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "20")
    assert "collecting more than the 564 examples at hand is not worth it" in sentence


@pytest.mark.slow
def test_a_plan_says_that_the_target_is_met_already(facts_of, pairs):
    facts = facts_of("plan", pairs, "--target", 0.6, "--cost", 1, "--penalty", 5000, *GP)
    assert facts["sentence"].startswith("The 564 examples at hand already reach a mean score of 0.6 with a probability")
    assert facts["plan"]["prob_now"] > 0.99
