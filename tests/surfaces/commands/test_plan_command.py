import pytest

from apexgp import APExGP, LearningCurve, plan_collection
from conftest import has_row

GP = ("--mean", "power_law")


@pytest.mark.slow
def test_plan_prints_every_round(pairs, shown, facts_of):
    command = ("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "50000", "--rounds", "2")
    model = APExGP("power_law").fit(LearningCurve.from_csv(pairs))
    plan = plan_collection(model, 0.8, 12, 50_000, 2)
    assert plan.sizes[1] > plan.sizes[0] > 564
    lines, sentence, text = shown(*command)
    assert has_row(lines, "1", f"{plan.sizes[0] - 564:,}", f"{plan.sizes[0]:,}", f"{(plan.sizes[0] - 564) * 12:,.0f}")
    assert has_row(lines, "2", f"{plan.sizes[1] - plan.sizes[0]:,}", f"{plan.sizes[1]:,}")
    assert has_row(lines, f"{100 * plan.prob_met[1]:.1f} %")
    assert f"Collect {plan.sizes[0] - 564:,} more examples, to have {plan.sizes[0]:,}" in sentence
    assert f"labels are expected to cost {plan.expected_spend:,.0f}, and" in sentence
    for part in ("a cost of 12 per example", "a penalty of 50000", f"{plan.sizes[0]:,} and {plan.sizes[1]:,}"):
        assert part in text
    assert f"the expected total cost {plan.expected_cost:,.0f}" in text
    found = facts_of(*command)["plan"]
    assert found["sizes"] == list(plan.sizes)
    assert found["prob_met"] == list(plan.prob_met)
    assert found["expected_cost"] == plan.expected_cost
    assert found["failure_probability"] == plan.failure_probability
    assert found["start"] == 564


def test_plan_starts_from_what_is_at_hand_and_may_end_there(pairs, shown, facts_of):
    command = ("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "50000", "--start", "800")
    model = APExGP("power_law").fit(LearningCurve.from_csv(pairs))
    assert facts_of(*command)["plan"]["sizes"] == list(plan_collection(model, 0.8, 12, 50_000, 3, 800).sizes)
    _, sentence, _ = shown("plan", pairs, *GP, "--target", "0.8", "--cost", "12", "--penalty", "20")
    assert "collecting more than the 564 examples at hand is not worth it" in sentence


def test_a_plan_says_that_the_target_is_met_already(facts_of, pairs):
    facts = facts_of("plan", pairs, "--target", 0.6, "--cost", 1, "--penalty", 5000, *GP)
    assert facts["sentence"].startswith("The 564 examples at hand already reach a mean score of 0.6 with a probability")
    assert facts["plan"]["prob_now"] > 0.99
