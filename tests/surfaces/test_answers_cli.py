"""The commands that decide: a table and a sentence, the same numbers as JSON, a paragraph for a paper, and refusals."""

import csv
import json
import math

import pytest

from apexgp import (
    METHODS,
    APExGP,
    LearningCurve,
    PowerLaw,
    __version__,
    backtest,
    compare_models,
    minimum_sample_size,
    plan_collection,
)

MEANS = [(60, 0.66), (94, 0.705), (147, 0.722), (230, 0.755), (360, 0.768), (564, 0.781)]
GP = ("--mean", "power_law")


def table(lift=0.0, means=MEANS):
    return "size,score,split\n" + "".join(
        f"{size},{score + shift + lift:.3f},{split}\n"
        for size, score in means
        for split, shift in [("a", -0.01), ("b", 0.01)]
    )


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(table())
    return path


@pytest.fixture
def better(tmp_path):
    path = tmp_path / "better.csv"
    path.write_text(table(0.02))
    return path


@pytest.fixture
def tasks(tmp_path):
    rows = table().splitlines()[1:]
    path = tmp_path / "tasks.csv"
    path.write_text("size,score,split,task\n" + "".join(f"{row},{t}\n" for t in ("liver", "lung") for row in rows))
    return path


@pytest.fixture
def facts_of(run):
    """Run a command with --json: strict JSON, in which neither NaN nor infinity is a number."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    def facts_of(*arguments):
        code, out, err = run(*arguments, "--json")
        assert (code, err) == (0, "")
        facts = json.loads(out, parse_constant=refuse)
        assert facts["apexgp"] == __version__
        assert isinstance(facts["cautions"], list)
        return facts

    return facts_of


@pytest.fixture
def shown(run):
    """Run a command: the table's lines, the sentence and the paragraph, which must be those that the JSON holds."""

    def shown(*arguments):
        code, out, err = run(*arguments)
        assert (code, err) == (0, "")
        facts = json.loads(run(*arguments, "--json")[1])
        lines = out.splitlines()
        assert facts["sentence"] in lines
        assert facts["sentence"].endswith(".")
        for caution in facts["cautions"]:
            assert f"Caution: {caution}" in lines
        code, out, err = run(*arguments, "--methods-text")
        assert (code, err) == (0, "")
        assert out == facts["methods_text"] + "\n"
        assert "\n" not in facts["methods_text"]
        assert f"apexgp {__version__}" in out
        return lines[: lines.index(facts["sentence"])], facts["sentence"], out

    return shown


def has_row(lines, *cells):
    return any(all(cell in line for cell in cells) for line in lines)


def number(size):
    return None if math.isinf(size) else size


# forecast --target


def test_forecast_says_how_many_examples_reach_a_target(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--at", "1000", "--target", "0.8", "--confidence", "0.7")
    model = APExGP("power_law").fit(LearningCurve.from_csv(pairs))
    answer = model.required_size(0.8, 0.7)
    assert 564 < answer.size < 1e6
    lines, sentence, text = shown(*command)
    assert has_row(lines, "1,000", f"{model.forecast([1000]).mean[0]:.3f}")
    assert f"To reach a mean score of 0.8 with a probability of 70 %, plan for {answer.size:,} training" in sentence
    assert f"with {answer.median:,} the odds are even" in sentence
    assert f"with a probability of 0.7 from {answer.size:,} training examples on" in text
    assert f"{answer.prob_reachable:.3f}" in text
    required = facts_of(*command)["required"]
    assert required["size"] == answer.size
    assert required["median"] == answer.median
    assert required["interval"] == [number(end) for end in answer.interval]
    assert required["prob_reachable"] == answer.prob_reachable
    assert required["already_met"] is False
    assert "required" not in facts_of("forecast", pairs, *GP)


def test_forecast_says_that_no_number_of_examples_will_do(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--target", "0.99", "--confidence", "0.95")
    answer = APExGP("power_law").fit(LearningCurve.from_csv(pairs)).required_size(0.99, 0.95)
    assert answer.size == math.inf
    _, sentence, text = shown(*command)
    assert "No realistic number of training examples (up to 10,000 times the pilot) reaches" in sentence
    assert "No number of training examples up to 10,000 times the pilot was estimated to meet a target of 0.99" in text
    required = facts_of(*command)["required"]
    assert required["size"] is None
    assert required["interval"][1] is None
    assert required["prob_reachable"] == answer.prob_reachable


def test_forecast_says_that_the_target_is_met(pairs, shown, facts_of):
    command = ("forecast", pairs, *GP, "--target", "0.7")
    _, sentence, _ = shown(*command)
    assert "The 564 training examples of the pilot already reach a mean score of 0.7" in sentence
    assert facts_of(*command)["required"]["already_met"] is True


def test_forecast_with_a_target_by_the_published_method(pairs, facts_of):
    facts = facts_of("forecast", pairs, "--published", "--target", "0.8")
    answer = APExGP.as_published().fit(LearningCurve.from_csv(pairs)).required_size(0.8)
    assert facts["required"]["size"] == number(answer.size)
    assert "maximum a-posteriori" in facts["methods_text"]


def test_error_rates_have_targets_to_come_down_to(tmp_path, facts_of):
    path = tmp_path / "errors.csv"
    path.write_text("size,score\n" + "".join(f"{n},{1 - s:.3f}\n" for n, s in MEANS))
    facts = facts_of("forecast", path, *GP, "--target", "0.2", "--lower-is-better")
    curve = LearningCurve.from_csv(path, direction="lower")
    assert facts["required"]["size"] == number(APExGP("power_law").fit(curve).required_size(0.2).size)
    assert facts["required"]["target"] == 0.2


# plan


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


# compare


def test_compare_prints_who_leads(pairs, better, shown, facts_of):
    command = ("compare", better, pairs, *GP, "--at", "564", "--at", "10x")
    curves = {"better": LearningCurve.from_csv(better), "pairs": LearningCurve.from_csv(pairs)}
    (pair,) = compare_models(curves, [564, 5640], APExGP("power_law")).pairs
    lines, sentence, text = shown(*command)
    for size, chance, gap in zip(("564", "5,640"), pair.prob_first_better, pair.difference, strict=True):
        assert has_row(lines, "better beats pairs", size, f"{100 * chance:.0f} %", f"{gap:+.3f}")
    assert "With 5,640 training examples better beats pairs with a probability of" in sentence
    assert f"{pair.prob_first_better[1]:.3f} at 5,640" in text
    assert "scores on 2 shared splits paired" in text
    (found,) = facts_of(*command)["pairs"]
    assert found["prob_first_better"] == pair.prob_first_better.tolist()
    assert found["difference"] == pair.difference.tolist()
    assert found["crossing"] == pair.crossing
    assert found["shared_splits"] == 2


def test_compare_asks_for_the_pilot_and_beyond_by_default(pairs, better, facts_of):
    (found,) = facts_of("compare", pairs, better, *GP)["pairs"]
    assert found["sizes"] == [564, 1128, 5640]


def test_models_of_the_same_name_go_by_their_paths(pairs, tmp_path, facts_of):
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "pairs.csv"
    other.write_text(table(0.02))
    (found,) = facts_of("compare", pairs, other, *GP)["pairs"]
    assert (found["first"], found["second"]) == (str(pairs), str(other))


# backtest


def test_backtest_prints_every_method(pairs, shown, facts_of):
    methods = ("power-law", "apexgp", "arctan")
    command = ("backtest", pairs, *(word for name in methods for word in ("--method", name)), "--target", "0.8")
    curve = LearningCurve.from_csv(pairs)
    result = backtest(curve, methods)
    lines, sentence, text = shown(*command)
    asked = PowerLaw().fit(curve).required_size(0.8).size
    for score in result.pooled:
        assert has_row(lines, score.method, f"{score.error:.4f}", f"{score.bias:+.4f}", f"{score.crps:.4f}")
        assert f"{score.method}: CRPS {score.crps:.4f}" in text
    assert has_row(lines, "examples for 0.8")
    assert has_row(lines, "power-law", "-", "never" if math.isinf(asked) else f"{asked:,}")
    best = result.pooled[0]
    assert f"{best.method} foretold the scores at the larger ones best (CRPS {best.crps:.4f})" in sentence
    facts = facts_of(*command)
    assert [row["method"] for row in facts["methods"]] == [score.method for score in result.pooled]
    for row, score in zip(facts["methods"], result.pooled, strict=True):
        assert (row["error"], row["crps"]) == (score.error, score.crps)
        assert row["coverage_95"] == (None if math.isnan(score.coverage_95) else score.coverage_95)
    assert facts["required"]["power-law"]["size"] == number(asked)
    assert facts["required"]["apexgp"]["size"] == number(APExGP().fit(curve).required_size(0.8).size)


def test_backtest_of_several_tasks_is_pooled_and_written(tasks, tmp_path, facts_of, run):
    out = tmp_path / "figures.csv"
    facts = facts_of("backtest", tasks, "--method", "power-law", "--out", out)
    assert facts["methods"][0]["curves"] == 2
    assert [row["task"] for row in facts["by_curve"]] == ["liver", "lung"]
    with out.open(newline="") as file:
        assert [row["task"] for row in csv.DictReader(file)] == ["liver", "lung"]
    before = out.read_bytes()
    code, shown, err = run("backtest", tasks, "--method", "power-law", "--holdout", "1", "--out", out)
    assert (code, shown) == (1, "")
    assert "exists" in err
    assert out.read_bytes() == before
    assert run("backtest", tasks, "--method", "power-law", "--holdout", "1", "--out", out, "--force")[0] == 0
    assert out.read_bytes() != before


def test_backtest_knows_holdout_ceiling_and_one_task(tasks, facts_of):
    facts = facts_of(
        "backtest", tasks, "--task", "lung", "--method", "power-law", "--holdout", "1", "--ceiling", "0.77"
    )
    curve = LearningCurve([n for n, _ in MEANS], [[s - 0.01, s + 0.01] for _, s in MEANS])
    expected = backtest(curve, {"power-law": PowerLaw(ceiling=0.77)}, 1).pooled[0]
    assert facts["methods"][0]["error"] == pytest.approx(expected.error)
    assert expected.error != pytest.approx(backtest(curve, ["power-law"], 1).pooled[0].error)
    assert len(facts["by_curve"]) == 1


def test_backtest_judges_all_methods_by_default_and_says_what_failed(tmp_path, facts_of):
    path = tmp_path / "short.csv"
    path.write_text(table(means=MEANS[:4]))  # three sizes are left: too few for four parameters
    facts = facts_of("backtest", path)
    assert {row["method"] for row in facts["methods"]} == set(METHODS)
    failed = {row["method"] for row in facts["methods"] if row["failed"]}
    assert failed == {"pow4", "mmf4", "wbl4", "piecewise-power-law"}
    assert all(row["error"] is None for row in facts["methods"] if row["failed"])
    assert any(caution.startswith("pow4: Pow4 has 4 parameters") for caution in facts["cautions"])


# minimum


def test_minimum_prints_every_criterion(shown, facts_of):
    command = ("minimum", "--prevalence", "0.05", "--parameters", "30", "--r2", "0.05")
    lines, sentence, text = shown(*command)
    found = minimum_sample_size(0.05, 30, 0.05)
    for name, size in found.criteria.items():
        assert has_row(lines, name.replace("_", " "), f"{size:,}")
        assert f"{size:,}" in text
    assert "needs at least 5,249 patients, 263 of them with the outcome" in sentence
    assert "(8.7 events per parameter)" in text
    content = facts_of(*command)["minimum"]
    assert content["criteria"] == dict(found.criteria)
    assert (content["size"], content["decisive"], content["events"]) == (5249, "shrinkage", 263)


def test_minimum_takes_every_assumption(facts_of):
    options = {"margin": 0.04, "shrinkage": 0.95, "optimism": 0.03, "error": 0.06}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    facts = facts_of("minimum", "--prevalence", 0.2, "--parameters", 40, "--r2", 0.3, "--nagelkerke", *words)
    found = minimum_sample_size(0.2, 40, 0.3, nagelkerke=True, **options)
    assert facts["minimum"]["criteria"] == dict(found.criteria)
    assert facts["cautions"] == list(found.cautions) != []


# refusals

PLAN = ("plan", "PAIRS", "--target", "0.8", "--cost", "12", "--penalty", "50000")
MINIMUM = ("minimum", "--prevalence", "0.174", "--parameters", "24", "--r2", "0.288")
COMMANDS = {
    "forecast": ("forecast", "PAIRS", "--target", "0.8"),
    "plan": PLAN,
    "compare": ("compare", "PAIRS", "PAIRS"),
    "backtest": ("backtest", "PAIRS"),
    "minimum": MINIMUM,
}


@pytest.mark.parametrize("command", COMMANDS)
def test_two_outputs_at_once_are_refused(run, pairs, command):
    arguments = [pairs if word == "PAIRS" else word for word in COMMANDS[command]]
    code, out, err = run(*arguments, "--json", "--methods-text")
    assert (code, out) == (1, "")
    assert "--json and --methods-text are two outputs" in err


def replaced(command, **options):
    words = list(command)
    for name, value in options.items():
        if f"--{name}" in words:
            words[words.index(f"--{name}") + 1] = value
        else:
            words += [f"--{name}", value]
    return words


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["forecast", "PAIRS", "--target", "0.95", "--ceiling", "0.9"], "The target 0.95 is better than 0.9"),
        (["forecast", "PAIRS", "--target", "80"], "Write 0.8 for 80 %"),
        (["forecast", "PAIRS", "--target", "0"], "target must be a score above 0 and at most 1"),
        (["forecast", "PAIRS", "--target", "nan"], "target must be one finite number"),
        (["forecast", "PAIRS", "--target", "0.8", "--confidence", "1"], "confidence must be strictly between 0 and 1"),
        (["forecast", "TASKS", "--target", "0.8"], "--of, --target and --methods-text go with one curve"),
        (replaced(PLAN, target="0.95", ceiling="0.9"), "The target 0.95 is better than 0.9"),
        (replaced(PLAN, cost="-1"), "--cost must be above 0, got -1"),
        (replaced(PLAN, penalty="0"), "penalty must be above 0, got 0"),
        (replaced(PLAN, rounds="0"), "rounds must be a whole number of at least 1, got 0"),
        (replaced(PLAN, start="0"), "start must be a whole number of at least 1, got 0"),
        (["plan", "TASKS", *PLAN[2:]], "holds 2 tasks (liver, lung). Choose one with --task"),
        (["plan", "TASKS", *PLAN[2:], "--task", "bone"], "has no task 'bone'; found liver, lung"),
        (["compare", "PAIRS"], "compare wants two or more files"),
        (["compare", "PAIRS", "PAIRS"], "is named twice"),
        (["compare", "PAIRS", "BETTER", "PAIRS"], "is named twice"),
        (["compare", "PAIRS", "TASKS"], "holds 2 tasks (liver, lung). Choose one with --task"),
        (["compare", "PAIRS", "no.csv"], "There is no file no.csv"),
        (["compare", "PAIRS", "BETTER", "--at", "many"], "--at wants a training-set size"),
        (["backtest", "PAIRS", "--method", "cubic"], "There is no method cubic; there are apexgp, apexgp-published"),
        (["backtest", "PAIRS", "--holdout", "0"], "holdout must be a whole number of at least 1"),
        (["backtest", "PAIRS", "--holdout", "4", "--method", "arctan"], "to hold out 4 and keep 3 to fit, it takes 7"),
        (["backtest", "PAIRS", "--target", "80", "--method", "arctan"], "Write 0.8 for 80 %"),
        (["backtest", "PAIRS", "--target", "0.8", "--confidence", "80", "--method", "arctan"], "Write 0.8 for 80 %"),
        (["backtest", "TASKS", "--target", "0.8"], "Choose one with --task"),
        (replaced(MINIMUM, prevalence="17.4"), "Write 0.174 for 17.4 %"),
        (replaced(MINIMUM, r2="0.7"), "Is it Nagelkerke's?"),
        (replaced(MINIMUM, parameters="0"), "parameters must be a whole number of at least 1"),
    ],
)
def test_faults_of_the_request_end_with_1_and_one_sentence(run, pairs, better, tasks, arguments, message):
    paths = {"PAIRS": pairs, "BETTER": better, "TASKS": tasks}
    code, out, err = run(*(paths.get(word, word) for word in arguments))
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert message in err
    assert "Traceback" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "PAIRS", "--target", "0.8"],
        replaced(PLAN, rounds="1.5"),
        ["compare"],
        ["backtest"],
        ["minimum", "--prevalence", "0.2"],
        replaced(MINIMUM, parameters="many"),
    ],
)
def test_faults_of_usage_end_with_2(run, pairs, arguments):
    code, out, _ = run(*(pairs if word == "PAIRS" else word for word in arguments))
    assert (code, out) == (2, "")


def test_a_plan_says_that_the_target_is_met_already(facts_of, pairs):
    facts = facts_of("plan", pairs, "--target", 0.6, "--cost", 1, "--penalty", 5000, *GP)
    assert facts["sentence"].startswith("The 564 examples at hand already reach a mean score of 0.6 with a probability")
    assert facts["plan"]["prob_now"] > 0.99


def test_a_number_beyond_all_plans_is_not_printed(run, facts_of, pairs):
    model = APExGP("power_law").fit(LearningCurve.from_csv(pairs))
    reachable = model.required_size(0.8, 0.5).prob_reachable
    confidence = reachable - 1e-9  # met only at absurd sizes
    assert 1e4 * 564 < model.required_size(0.8, confidence).size < math.inf
    for output in ((), ("--methods-text",)):
        code, out, _ = run("forecast", pairs, "--target", 0.8, "--confidence", repr(confidence), *GP, *output)
        assert code == 0
        assert "up to 10,000 times the pilot" in out
        assert "plan for" not in out
        assert "examples on;" not in out


def test_the_closest_method_is_named_where_it_is_not_the_best(facts_of, pairs):
    facts = facts_of("backtest", pairs)
    by_error = min(facts["methods"], key=lambda score: score["error"])
    best = facts["methods"][0]
    assert best["crps"] == min(score["crps"] for score in facts["methods"])
    if by_error["method"] != best["method"]:
        assert f"{by_error['method']} came closest" in facts["sentence"]
    assert "came closest" not in facts_of("backtest", pairs, "--method", "power-law")["sentence"]


def test_warnings_are_notes_for_a_reader(run, pairs, monkeypatch):
    import warnings

    from apexgp.surfaces import answers_cli

    def warning(*arguments, **settings):
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for _ in range(2):
                warnings.warn("The nodes are few.", stacklevel=1)
        return minimum_sample_size(*arguments, **settings)

    monkeypatch.setattr(answers_cli, "minimum_sample_size", warning)
    code, _, err = run("minimum", "--prevalence", 0.2, "--parameters", 12, "--r2", 0.15)
    assert (code, err) == (0, "Note: The nodes are few.\n")
