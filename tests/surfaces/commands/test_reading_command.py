"""What people hand to the commands, and what these say of how they read it."""

import io
import json
import re
import sys

import pytest

import workbooks
from conftest import MEANS, has_row, pilot_table, require
from workbooks import saved

ODD = "N;AUC;Fold\r\n" + "".join(
    f"{size};{100 * score:.1f} %;{fold}\r\n".replace(".", ",")
    for size, mean in MEANS
    for fold, score in ((1, mean - 0.01), (2, mean + 0.01))
)
FAST = ("--published",)
COUNTS = "The metric's name counts: forecasts differ by it."


@pytest.fixture
def pipe(monkeypatch):
    """Put bytes on standard input."""

    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
        sys.stdin.buffer.name = "<stdin>"

    return pipe


@pytest.fixture
def write(tmp_path):
    def write(text, name="pairs.csv"):
        (tmp_path / name).write_bytes(text.encode("utf-8-sig"))
        return tmp_path / name

    return write


def test_a_note_says_which_column_was_taken_and_the_answer_says_auroc(run, write):
    path = write(ODD)
    code, out, err = run("forecast", path, "--at", "720,20000", *FAST)
    assert code == 0
    assert (
        err == f"Note: {path}: read the column 'N' as the sizes; 'AUC' as the scores; 'Fold' as the splits. {COUNTS}\n"
    )
    lines = out.splitlines()
    assert has_row(lines, "size", "times pilot", "expected AUROC", "95 % interval")
    assert [line.split()[0] for line in lines if line.strip().startswith(("720", "20,000"))] == ["720", "20,000"]
    assert "expect a mean AUROC of" in out


MEANS_WITH_SPREAD = "n,AUC,train AUC,x\n" + "".join(f"{n},{mean:.3f} ± 0.010,0.99,0.98\n" for n, mean in MEANS)


@pytest.mark.slow
def test_what_stands_beside_the_scores_is_noted_and_asked_about(run, write):
    path = write(MEANS_WITH_SPREAD)
    code, out, err = run("forecast", path)
    assert code == 0
    assert f"Note: {path}: read the column 'train AUC' as the training scores.\n" in err
    assert (
        f"Note: {path}: read the numbers after ± or in brackets under 'AUC' as standard deviations of the runs.\n"
        in err
    )
    assert "Give the number with --averaged-over, or in a column averaged_over." in out + err
    told = run("forecast", path, "--averaged-over", 10, "--n-test", 200, "--train-column", "x")
    assert told[0] == 0
    assert "--averaged-over" not in told[1] + told[2]
    assert "training scores" not in told[2]


@pytest.mark.slow
def test_one_score_per_size_counts_as_one_run_unless_the_command_says_otherwise(run, write):
    path = write("n,AUC\n60,0.66\n94,0.70\n147,0.72\n")
    _, out, err = run("forecast", path)
    assert "Each score counts as one run." in out + err
    assert "give their number with --averaged-over, or --averaged-over several where that is not known" in out + err
    _, out, err = run("forecast", path, "--averaged-over", "several")
    assert "counts as one run" not in out + err
    assert "Give the number with --averaged-over" in out + err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--train-column", "y"), "has no column 'y'.*Name yours with --train-column"),
        (("--sd-column", "y"), "has no column 'y'.*Name yours with --sd-column"),
        (("--n-test", "y"), "has no column 'y'.*Name yours with --n-test"),
        (("--n-test", "0"), "--n-test must be a number of test cases, at least 1"),
        (("--averaged-over", "2.5"), "--averaged-over must be a whole number"),
        (("--features", "y"), "has no column 'y'.*Name yours with --features"),
        (("--features", "0"), "--features must be a whole number of at least 1"),
        (("--classes", "1"), "--classes must be a whole number of at least 2"),
        (("--train-column", "x", "--train-column", "AUC"), "--train-column must name one column for each"),
    ],
)
def test_options_of_what_stands_beside_the_scores_are_named_in_errors(run, write, arguments, message):
    code, out, err = run("forecast", write(MEANS_WITH_SPREAD), *arguments)
    assert (code, out) == (1, "")
    assert re.search(message, err)


@pytest.mark.slow
@pytest.mark.parametrize("header", ["size,score,split", "Size,Score,Split"])
def test_names_that_are_plain_need_no_note(run, write, header):
    assert run("forecast", write(pilot_table().replace("size,score,split", header)), *FAST)[::2] == (0, "")


def test_columns_that_were_named_need_no_note(run, write):
    named = ("--size-column", "N", "--score-column", "AUC", "--split-column", "Fold")
    assert run("forecast", write(ODD), *named, *FAST)[::2] == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", [("forecast",), ("backtest", "--method", "power_law", "--target", "0.8")])
def test_a_minus_is_standard_input(run, pipe, write, command):
    path = write(ODD)
    pipe(path.read_bytes())
    piped = run(*command, "-", "--json")
    named = run(*command, path, "--json")
    assert piped[0] == named[0] == 0
    assert json.loads(piped[1]) == json.loads(named[1])
    assert piped[2].startswith("Note: standard input: read the column 'N'")


def test_a_fault_on_standard_input_is_told(run, pipe):
    pipe(b"")
    assert run("forecast", "-")[2].startswith("Error: standard input is empty.")
    pipe(b"n,auc\n60,x\n")
    wrong = "line 2, column 'auc': expected a number, got 'x'. Correct it, or leave out this row."
    assert run("forecast", "-")[2] == f"Error: standard input, {wrong}\n"


@pytest.mark.slow
def test_sheets_of_a_workbook(run, tmp_path):
    book = require("openpyxl").Workbook()
    for row in (["n", "Accuracy"], *MEANS):
        book.active.append(row)
    errors = book.create_sheet("Errors")
    for row in (["n", "Error rate"], *((size, 1 - score) for size, score in MEANS)):
        errors.append(row)
    path = tmp_path / "pilot.xlsx"
    book.save(path)
    code, out, err = run("forecast", path, *FAST)
    assert code == 0
    assert "read the sheet 'Sheet', the first of 2 with a table of scores; Errors has one, too." in err
    assert "expected accuracy" in out
    code, out, err = run("forecast", path, "--sheet", "Errors", "--lower-is-better", *FAST)
    assert (code, "read the sheet" in err) == (0, False)
    assert "expected error rate" in out
    assert "found Sheet, Errors. Choose with --sheet." in run("forecast", path, "--sheet", "3")[2]


@pytest.mark.slow
@pytest.mark.filterwarnings("always::apexgp.errors.MissingScoresWarning")
def test_what_was_left_out_is_said(run, write):
    text = "The pilot\nn,fold 1,fold 2\n60,0.66,0.68\n94,0.7,\n147,0.72,0.73\n230,0.75,0.76\n\nOnly two folds so far\n"
    code, _, err = run("forecast", write(text), *FAST)
    assert code == 0
    for said in (
        "left out above the table: 'The pilot'.",
        "1 of 8 score cells are empty and were left out (line 4).",
        "read the column 'n' as the sizes; 'fold 1', 'fold 2' as the scores, one column per split. Nothing names",
        "left out, because there is no measurement: line 8, 'Only two folds so far'.",
    ):
        assert said in err


def test_of_a_title_with_a_comma_nothing_is_lost(run, write):
    text = "Ward 7, pilot of May\nn,auc\n60,0.66\n94,0.7\n147,0.72\n230,0.75\n"
    assert "left out above the table: 'Ward 7, pilot of May'." in run("forecast", write(text), *FAST)[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("at", "sizes"),
    [
        (("720,20000",), [720, 20000]),
        (("720", "20000"), [720, 20000]),
        (("720, 800, 2x",), [720, 800, 1128]),
        (("20,000",), [20000]),
        (("1k,2_000",), [1000, 2000]),
        (("1.000.000",), [1000000]),
    ],
)
def test_sizes_as_people_list_them(run, write, at, sizes):
    options = [part for one in at for part in ("--at", one)]
    _, out, _ = run("forecast", write(pilot_table()), *options, "--json", *FAST)
    assert [row["size"] for row in json.loads(out)["forecast"]] == sizes


def test_a_comma_that_may_mean_two_things_is_refused(run, write):
    code, _, err = run("forecast", write(pilot_table()), "--at", "720,800")
    assert (code, err) == (
        1,
        "Error: --at can be read as 720800 or as 720, 800. Write 720800, or '720, 800' with spaces.\n",
    )


@pytest.mark.slow
def test_a_point_that_may_part_thousands_is_asked_about_and_sizes_below_the_pilot_are_cautioned(run, write):
    path = write(pilot_table())
    asked = "Error: --at can be read as 5 or as 5000. Write 5000 if that is meant.\n"
    assert run("forecast", path, "--at", "720,5.000")[::2] == (1, asked)
    code, out, _ = run("forecast", path, "--at", "5, 720", *FAST)
    assert code == 0
    assert "Caution: 5 is below the smallest pilot size (60)." in out
    assert "below the smallest" not in run("forecast", path, "--at", "60", *FAST)[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "question", "answer"),
    [
        ("bare_per_cents", "Or say so with --per-cent, or with a % sign in the column's name.", ["--per-cent"]),
        ("several_metrics", "for instance with --score-column AUC.", ["--score-column", "AUC"]),
        ("unnamed_folds", "If so, use --each-column split (or", ["--each-column", "split"]),
        ("unnamed_folds", "name the scores with --score-column AUC.", ["--score-column", "AUC"]),
    ],
)
def test_a_question_ends_with_the_option_that_answers_it(run, tmp_path, build, question, answer):
    require("openpyxl")
    path = saved(getattr(workbooks, build), tmp_path)
    code, out, err = run("forecast", path, *FAST)
    assert (code, out) == (1, "")
    assert question in err
    assert run("forecast", path, *answer, *FAST)[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "options"),
    [("models_side_by_side", ()), ("model_column", ()), ("models_in_columns", ())],
)
def test_models_of_one_workbook_are_compared(run, tmp_path, build, options):
    require("openpyxl")
    code, out, _ = run("compare", saved(getattr(workbooks, build), tmp_path), "--at", "1000", *options)
    assert code == 0
    assert "With 1,000 training examples ResNet beats ViT" in out
    code, _, err = run("compare", saved(workbooks.plain, tmp_path))
    assert code == 1
    assert "compare needs two or more models" in err
    assert "Name that column with --task-column" in err


def test_the_note_on_columns_says_that_the_metrics_name_counts(run, write):
    """Priors differ: the same scores called accuracy have another probability."""
    rows = "".join(f"{size},{score:.3f}\n" for size, score in MEANS)
    named, unnamed = write(f"size,accuracy\n{rows}", "a.csv"), write(f"size,Result\n{rows}", "b.csv")
    (_, told, noted), (_, other, asked) = (run("forecast", path, "--target", "0.85") for path in (named, unnamed))
    assert noted == f"Note: {named}: read the column 'accuracy' as the scores. {COUNTS}\n"
    nameless = "Nothing names the metric: name it if it is accuracy or AUROC, since forecasts differ by it."
    assert asked == f"Note: {unnamed}: read the column 'Result' as the scores. {nameless}\n"
    assert told.replace("accuracy", "score") != other
    _, same, noted = run("forecast", unnamed, "--target", "0.85", "--metric", "accuracy")
    assert same == told
    assert noted.endswith("'Result' as the scores. The metric's name counts: forecasts differ by it.\n")


FALLING = "".join(f"{size},{1 - score:.3f}\n" for size, score in MEANS)


@pytest.mark.slow
def test_an_error_rate_is_a_loss_by_its_name(run, write):
    path = write(f"n,error rate\n{FALLING}")
    code, out, err = run("forecast", path, *FAST, "--target", "0.12", "--json")
    assert code == 0
    assert f"Note: {path}: for error rate, lower is taken to be better." in err
    facts = json.loads(out)
    assert (facts["pilot"]["direction"], facts["required"]["already_met"]) == ("lower", False)
    _, out, err = run("forecast", path, *FAST, "--target", "0.12", "--higher-is-better", "--json")
    assert "took error rate" not in err
    assert json.loads(out)["pilot"]["direction"] == "higher"


@pytest.mark.slow
def test_falling_scores_without_a_name_are_a_question(run, write):
    path = write(f"size,score\n{FALLING}")
    code, out, err = run("forecast", path, *FAST)
    assert (code, out) == (1, "")
    assert err == (
        f"Error: {path}: the scores fall as the training set grows, from 0.340 at 60 to 0.219 at 564: is lower "
        "better? Say so with --lower-is-better or --higher-is-better, or name the metric with --metric if it is a "
        "known one such as error rate or accuracy.\n"
    )
    for answer in (["--lower-is-better"], ["--higher-is-better"], ["--metric", "accuracy"]):
        code, out, _ = run("forecast", path, *answer, *FAST)
        assert (code, "Is lower better" in out) == (0, answer == ["--metric", "accuracy"])


def test_the_floor_of_error_rates_is_explained(run):
    assert "where lower is better, the lowest possible error rate" in " ".join(run("forecast", "--help")[1].split())


@pytest.mark.slow
def test_a_file_says_its_own_direction_metric_and_unit(run, write):
    rows = FALLING.replace("\n", ",error_rate,lower,groups\n")
    code, out, err = run("forecast", write(f"size,score,metric,direction,unit\n{rows}"), "--at", "2x", *FAST)
    assert (code, err) == (0, "")
    assert "With 1,128 training groups" in out
    assert "expect a mean error rate of 0.2" in out
    assert "Is lower better" not in out


@pytest.mark.slow
def test_compare_refuses_what_cannot_be_compared(run, write):
    curves = {
        name: write(pilot_table().replace("score", score), f"{name}.csv")
        for name, score in (("a", "AUC"), ("b", "accuracy"), ("c", "roc_auc"), ("d", "score"))
    }
    groups = write(
        pilot_table().replace("split\n", "split,unit\n", 1).replace("a\n", "a,groups\n").replace("b\n", "b,groups\n"),
        "g.csv",
    )
    _, _, err = run("compare", curves["a"], curves["b"])
    assert err.endswith("Error: Models are compared by the same metric, got AUROC (a), accuracy (b).\n")
    _, _, err = run("compare", curves["d"], groups)
    assert "at sizes in the same unit, got examples (d), groups (g)." in err


LOSSES = "n,{},fold\n60,1.82,1\n60,1.85,2\n94,1.75,1\n94,1.73,2\n147,1.66,1\n147,1.68,2\n360,1.57,1\n360,1.58,2\n"


def test_scores_of_another_range_are_a_question_with_its_remedies(run, write):
    code, _, err = run("forecast", write(LOSSES.format("score")), "--at", "720")
    assert code == 1
    assert "scores must lie in [0, 1], got 1.82. What was measured? Name it with --metric" in err
    assert "--range" in err
    assert "percentages" not in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "options"),
    [
        ("log loss", []),
        ("score", ["--metric", "log loss"]),
        ("score", ["--range", "0,inf"]),
        ("wobble", ["--score-column", "wobble", "--range", "[0, inf)", "--lower-is-better"]),
    ],
)
def test_losses_are_forecast_once_it_is_known_that_they_are(run, write, header, options):
    code, out, err = run("forecast", write(LOSSES.format(header)), "--at", "720", "--target", "1.5", "--json", *options)
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["pilot"]["range"], facts["pilot"]["direction"]) == ([0.0, None], "lower")
    (row,) = facts["forecast"]
    assert 1.2 < row["lower"] < row["mean"] < row["upper"] < 1.7


def test_a_range_that_is_none_is_refused(run, write):
    code, _, err = run("forecast", write(LOSSES.format("score")), "--range", "wide")
    assert code != 0
    assert "--range must be the lowest and the highest possible score" in err
