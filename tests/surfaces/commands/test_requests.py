"""Faults of requests, of every command: one sentence, and the exit code that says whose fault it is."""

import pytest

PLAN = ("plan", "PAIRS", "--target", "0.8", "--cost", "12", "--penalty", "50000")
EVALUATION = ("minimum", "--for", "evaluation", "--prevalence", "0.2", "--cstatistic", "0.8")
MINIMUM = ("minimum", "--prevalence", "0.174", "--parameters", "24", "--r2", "0.288")
COMMANDS = {
    "forecast": ("forecast", "PAIRS", "--target", "0.8"),
    "plan": PLAN,
    "compare": ("compare", "PAIRS", "PAIRS"),
    "backtest": ("backtest", "PAIRS"),
    "minimum": MINIMUM,
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_two_outputs_at_once_are_refused(run, pairs, command):
    arguments = [pairs if word == "PAIRS" else word for word in COMMANDS[command]]
    code, out, err = run(*arguments, "--json", "--methods-text")
    assert (code, out) == (1, "")
    assert "--json and --methods-text are alternatives" in err


def replaced(command, **options):
    words = list(command)
    for name, value in options.items():
        if f"--{name}" in words:
            words[words.index(f"--{name}") + 1] = value
        else:
            words += [f"--{name}", value]
    return words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["forecast", "PAIRS", "--target", "0.95", "--ceiling", "0.9"], "The target 0.95 is better than 0.9"),
        (["forecast", "PAIRS", "--target", "80"], "Write 0.8 for 80 %"),
        (["forecast", "PAIRS", "--target", "0"], "--target must be a score above 0 and at most 1"),
        (["forecast", "PAIRS", "--target", "nan"], "--target must be one finite number"),
        (
            ["forecast", "PAIRS", "--target", "0.8", "--confidence", "1"],
            "--confidence must be strictly between 0 and 1",
        ),
        (
            ["forecast", "PAIRS", "--target", "0.8", "--confidence", "80"],
            "Error: --confidence must be strictly between 0 and 1, got 80. Write 0.8 for 80 %.",
        ),
        (["forecast", "TASKS", "--level", "95", "--at", "720"], "--level must be strictly between 0 and 1, got 95"),
        (["forecast", "TASKS", "--methods-text"], "--methods-text needs a single curve"),
        (replaced(PLAN, target="0.95", ceiling="0.9"), "The target 0.95 is better than 0.9"),
        (replaced(PLAN, cost="-1"), "--cost must be above 0, got -1"),
        (replaced(PLAN, penalty="0"), "--penalty must be above 0, got 0"),
        (replaced(PLAN, rounds="0"), "--rounds must be a whole number of at least 1, got 0"),
        (replaced(PLAN, start="0"), "--start must be a whole number of at least 1, got 0"),
        (["plan", "TASKS", *PLAN[2:]], "holds 2 tasks (liver, lung). Choose one with --task"),
        (["plan", "TASKS", *PLAN[2:], "--task", "bone"], "has no task 'bone'; found liver, lung"),
        (["compare", "PAIRS"], "compare needs two or more models"),
        (["compare", "PAIRS", "PAIRS"], "is named twice"),
        (["compare", "PAIRS", "BETTER", "PAIRS"], "is named twice"),
        (["compare", "PAIRS", "TASKS"], "holds 2 tasks (liver, lung). Choose one with --task"),
        (["compare", "PAIRS", "no.csv"], "There is no file no.csv"),
        (["compare", "PAIRS", "BETTER", "--at", "many"], "--at must be a training-set size"),
        (["backtest", "PAIRS", "--method", "cubic"], "There is no method cubic; choose from apexgp, apexgp_published"),
        (["backtest", "PAIRS", "--jobs", "0"], "--jobs must be a number of processes other than 0"),
        (["backtest", "PAIRS", "--holdout", "0"], "--holdout must be a whole number of at least 1"),
        (["backtest", "PAIRS", "--holdout", "4", "--method", "arctan"], "holding out 4 and keeping 3 to fit takes 7"),
        (["backtest", "PAIRS", "--target", "80", "--method", "arctan"], "Write 0.8 for 80 %"),
        (["backtest", "PAIRS", "--target", "0.8", "--confidence", "80", "--method", "arctan"], "Write 0.8 for 80 %"),
        (["backtest", "TASKS", "--target", "0.8"], "Choose one with --task"),
        (replaced(MINIMUM, prevalence="17.4"), "Write 0.174 for 17.4 %"),
        (replaced(MINIMUM, r2="0.7"), "Is it Nagelkerke's? If so, set --nagelkerke."),
        (["minimum", "--prevalence", "0.2"], "--parameters must be given for development: the number of candidate"),
        ([*EVALUATION[:-2]], "--cstatistic must be given for evaluation: the C statistic (AUROC)"),
        ([*EVALUATION, "--parameters", "9"], "--parameters applies to development, not to evaluation"),
        ([*EVALUATION, "--parameters", "9"], "Leave it out, or set --for development."),
        ([*EVALUATION, "--margin", "0.1"], "--margin applies to development"),
        ([*MINIMUM, "--slope-width", "0.1"], "--slope-width applies to evaluation"),
        ([*EVALUATION, "--slope-width", "0"], "--slope-width must be above 0"),
        ([*MINIMUM, "--for", "all"], "--for must be one of 'development', 'evaluation', got 'all'"),
        (["forecast", "PAIRS", "--prevalence", "0.2"], "--prevalence applies only with a target. Give --target."),
        (["forecast", "PAIRS", "--target", "0.8", "--cstatistic", "0.8"], "with a prevalence. Give --prevalence."),
        (["forecast", "TASKS", "--target", "0.8", "--prevalence", "0.2"], "there are 2. Choose one with --task"),
        (replaced(MINIMUM, parameters="0"), "--parameters must be a whole number of at least 1"),
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


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "PAIRS", "--target", "0.8"],
        replaced(PLAN, rounds="1.5"),
        ["compare"],
        ["backtest"],
        ["minimum", "--cstatistic", "0.8"],
        replaced(MINIMUM, parameters="many"),
    ],
)
def test_faults_of_usage_end_with_2(run, pairs, arguments):
    code, out, _ = run(*(pairs if word == "PAIRS" else word for word in arguments))
    assert (code, out) == (2, "")
