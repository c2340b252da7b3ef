"""How a table is read: the command that shows it, questions at a terminal, readings that are saved."""

import contextlib
import io
import json
import os
import shlex
import sys
import threading
from unittest import mock

import pytest

import workbooks
from apexgp.surfaces import cli
from conftest import MEANS, pilot_table, require
from documents import faults
from workbooks import saved

MODELS = "Pilot of May\nn,ResNet,ViT,remark\n60,0.66,0.64,\n94,0.705,0.68,restarted\n147,0.72,0.71,\n230,0.75,0.74,\n"
FALLING = "size,score\n" + "".join(f"{size},{1 - score:.3f}\n" for size, score in MEANS)
FAST = ("--published", "--at", "720", "--json")
NEXT_TIME = "Note: next time, say this with: "


@pytest.fixture
def write(tmp_path):
    def write(text, name="pilot.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def converse(monkeypatch):
    """Run a command at a terminal of its own where these lines are typed: exit code, and what is shown there."""
    pty = pytest.importorskip("pty")
    monkeypatch.setenv("COLUMNS", "80")

    def converse(*arguments, typed=""):
        ours, theirs = pty.openpty()
        os.write(ours, typed.encode())  # which waits there until it is read
        shown = []

        def collect():
            with contextlib.suppress(OSError):  # the other end is closed
                while piece := os.read(ours, 65536):
                    shown.append(piece)

        reader = threading.Thread(target=collect)
        reader.start()
        out = io.TextIOWrapper(io.FileIO(os.dup(theirs), "w"), encoding="utf-8", write_through=True)
        keys = io.TextIOWrapper(io.FileIO(theirs, "r"), encoding="utf-8")
        argv, code = ["apexgp", *map(str, arguments)], 0
        try:
            with mock.patch.multiple(sys, argv=argv, stdin=keys, stdout=out, stderr=out):
                cli.main()
        except SystemExit as stop:
            code = stop.code or 0
        finally:
            out.close()
            keys.close()
            reader.join()
            os.close(ours)
        return code, b"".join(shown).decode().replace("\r\n", "\n")

    return converse


def test_the_grid_is_printed_with_what_comes_of_it(run, write):
    code, out, err = run("read", write(pilot_table()))
    assert (code, err) == (0, "")
    assert " 1  header  size  score  split" in out.splitlines()
    assert out.endswith("\nOne curve: 12 scores at 6 sizes from 60 to 564.\n")


def test_doubts_come_with_the_options_that_settle_them(run, write):
    path = write(MODELS)
    code, out, err = run("read", path)
    assert (code, err) == (1, "")
    assert "  3. “ResNet” holds the scores  --roles B=score" in out.splitlines()
    assert "  2. each column is a model     --each-column model" in out.splitlines()
    for options in (["--roles", "B=score"], ["--each-column", "model"]):
        assert run("read", path, *options)[0] == 0


@pytest.mark.parametrize("build", ["bare_per_cents", "several_metrics", "unnamed_folds"])
def test_every_choice_comes_as_an_option_that_settles_its_doubt(run, tmp_path, build):
    require("openpyxl")
    path = saved(getattr(workbooks, build), tmp_path)
    code, out, _ = run("read", path, "--json")
    (doubt, *_) = json.loads(out)["doubts"]
    assert code == 1
    assert doubt["choices"]
    for choice in doubt["choices"]:
        settled = json.loads(run("read", path, "--json", *shlex.split(choice["options"]))[1])
        assert doubt["question"] not in [one["question"] for one in settled["doubts"]], choice


def test_json_follows_its_schema(run, write):
    for text, doubts in ((pilot_table(), 0), (MODELS, 1), (FALLING, 1)):
        code, out, _ = run("read", write(text), "--json")
        document = json.loads(out)
        assert faults(document, "read") == []
        assert (code, len(document["doubts"])) == (doubts, doubts)
        assert bool(document["curves"]) == (doubts == 0)
    assert document["rows"][0] == {"number": 1, "role": "header", "cells": ["size", "score"]}
    assert document["doubts"][0]["choices"][0]["options"] == "--lower-is-better"
    assert "--metric" in document["doubts"][0]["error"]


def test_a_corrected_cell_is_read_by_every_command(run, write):
    path = write("size,score\n60,0.66\n94,zero\n147,0.72\n230,0.75\n")
    assert run("forecast", path, *FAST)[0] == 1
    assert run("forecast", path, "--cell", "B3=0.70", *FAST)[0] == 0


def test_a_number_at_the_terminal_settles_a_question(converse, run, write):
    path = write(MODELS)
    code, shown = converse("forecast", path, *FAST, typed="3\n")
    assert code == 0
    assert "2  header" in shown
    assert "  2. each column is a model\n" in shown
    assert "Which is right? Type a number from 1 to 4 (Enter to stop): " in shown
    assert f"{NEXT_TIME}--roles B=score\n" in shown
    assert shown[shown.index("\n{") + 1 :] == run("forecast", path, "--roles", "B=score", *FAST)[1]


def test_roles_that_were_given_belong_to_what_to_say_next_time(converse, write):
    _, shown = converse("forecast", write(MODELS), "--roles", "D=ignored", *FAST, typed="3\n")
    assert f"{NEXT_TIME}--roles D=ignored,B=score\n" in shown


def test_an_answer_may_be_typed_where_no_choice_holds_it(converse, write):
    code, shown = converse("forecast", write(FALLING), *FAST, typed="error rate\n")
    assert code == 0
    assert "Type 1 or 2, or the name of the metric (Enter to stop): " in shown
    assert f"{NEXT_TIME}--metric 'error rate'\n" in shown


def test_questions_follow_one_another(converse, write):
    falling = "n,ResNet,ViT\n60,0.34,0.36\n94,0.30,0.31\n147,0.27,0.29\n230,0.25,0.24\n"
    code, shown = converse("forecast", write(falling), *FAST, typed="3\n1\n")
    assert code == 0
    assert f"{NEXT_TIME}--roles B=score --lower-is-better\n" in shown


def test_of_several_tasks_the_one_that_is_wanted_is_asked_about(converse, write):
    rows = [f"{size},{score},a\n{size},{1 - score:.3f},b\n" for size, score in MEANS]
    path = write("size,score,task\n" + "".join(rows))
    code, shown = converse("forecast", path, "--task", "b", *FAST, typed="1\n")
    assert (code, f"{NEXT_TIME}--lower-is-better\n" in shown) == (0, True)
    code, shown = converse("forecast", path, *FAST)  # the other is forecast all the same
    assert (code, "Enter to stop" in shown, "1 of 2 tasks could not be forecast" in shown) == (1, False, True)


@pytest.mark.parametrize("typed", ["\n", "\x04", "9\nx\n0\n"])
def test_without_an_answer_the_error_is_the_usual(converse, run, write, typed):
    path = write(MODELS)
    code, shown = converse("forecast", path, *FAST, typed=typed)
    assert (code, shown.count("(Enter to stop)")) == (1, max(typed.count("\n"), 1))
    assert shown.endswith(run("forecast", path, *FAST)[2])
    assert NEXT_TIME not in shown


def test_nothing_is_asked_unless_somebody_can_answer(converse, run, write):
    path = write(MODELS)
    code, _, err = run("forecast", path, *FAST)
    assert (code, "Which is right" in err) == (1, False)
    assert converse("forecast", path, "--no-input", *FAST, typed="1\n")[1].endswith(err)
    code, shown = converse("forecast", "-", *FAST, typed="size,score\n60,0.34\n94,0.3\n147,0.27\n230,0.2\n\x04")
    assert (code, "Which is right" in shown) == (1, False)


def test_a_file_of_models_is_asked_about_by_compare_too(converse, write):
    code, shown = converse("compare", write(MODELS), "--at", "720", "--json", typed="2\n")
    assert code == 0
    assert f"{NEXT_TIME}--each-column model\n" in shown


def test_a_saved_reading_is_used_from_then_on(run, write):
    path = write(MODELS)
    place = path.with_name("pilot.csv.reading.json")
    told = run("forecast", path, "--roles", "C=score", "--save-reading", *FAST)
    assert told[0] == 0
    assert f"Note: saved how {path} is read in {place}; it is used from now on.\n" in told[2]
    kept = json.loads(place.read_text(encoding="utf-8"))
    assert (kept["version"], kept["columns"]) == (1, ["n", "ResNet", "ViT", "remark"])
    assert not {"rows", "header", "sections", "cells"} & set(kept["settings"])
    again = run("forecast", path, *FAST)
    assert again[:2] == told[:2]
    assert f"Note: {path}: read as saved in {place}. --reading none ignores it.\n" in again[2]
    path.write_text(MODELS + "360,0.77,0.76,\n", encoding="utf-8")  # the next export
    assert "One curve: 5 scores" in run("read", path)[1]
    assert run("forecast", path, "--reading", "none", *FAST)[0] == 1
    other = write(MODELS, "june.csv")
    assert run("forecast", other, *FAST)[0] == 1
    code, out, err = run("forecast", other, "--reading", place, *FAST)
    assert (code, out, "read as saved" in err) == (0, told[1], False)


def test_options_win_over_a_saved_reading(run, write):
    path = write(MODELS)
    run("read", path, "--roles", "C=score", "--save-reading")
    for options in (["--roles", "B=score"], ["--score-column", "ResNet"]):
        given = run("forecast", path, *options, *FAST)
        assert given[0] == 0
        assert given[1] == run("forecast", path, "--reading", "none", *options, *FAST)[1]


def test_a_reading_with_corrections_says_so(run, write):
    path = write("size,score\n60,0.66\n94,zero\n147,0.72\n230,0.75\n")
    assert run("read", path, "--cell", "B3=0.70", "--rows", "2-4", "--save-reading")[0] == 0
    _, out, err = run("read", path)
    assert "One curve: 3 scores at 3 sizes from 60 to 147." in out
    assert ", lines 2-4 alone." in err


def test_a_reading_of_other_columns_is_refused(run, write):
    path = write(MODELS)
    place = path.with_name("pilot.csv.reading.json")
    run("read", path, "--roles", "C=score", "--save-reading")
    write(MODELS.replace("ViT", "DeiT"))
    code, out, err = run("forecast", path, *FAST)
    assert (code, out) == (1, "")
    assert err == (
        f"Error: {place} was saved for the columns 'n', 'ResNet', 'ViT', 'remark', but {path} has 'n', 'ResNet', "
        "'DeiT', 'remark'. Read the table without it with --reading none, and save that reading instead.\n"
    )
    code, _, err = run("read", path, "--roles", "C=score", "--save-reading")
    assert code == 0
    assert f"Note: {place} was saved for a table with other columns: not used.\n" in err
    assert "over the reading saved before" in err
    assert run("forecast", path, *FAST)[0] == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is damaged, or no saved reading"),
        ("[]", "is damaged, or no saved reading"),
        ('{"format": "x"}', "is no saved reading"),
        ('{"format": "apexgp reading", "version": 2}', "was saved by a later version"),
        ('{"format": "apexgp reading", "version": 1, "columns": ["a"]}', "is damaged"),
        ('{"format": "apexgp reading", "version": 1, "columns": [], "settings": {"roles": {"A": "x"}}}', "is damaged"),
        ('{"format": "apexgp reading", "version": 1, "columns": [], "settings": {"x": 1}}', "is damaged"),
    ],
)
def test_a_damaged_reading_is_refused_and_never_lost(run, write, text, why):
    path = write(pilot_table())
    place = write(text, "pilot.csv.reading.json")
    code, out, err = run("forecast", path, *FAST)
    assert (code, out) == (1, "")
    assert err.startswith(f"Error: {place} {why}")
    assert "--reading none" in err
    assert run("forecast", path, "--reading", "none", *FAST)[0] == 0
    if "apexgp" not in text:
        code, _, err = run("forecast", path, "--reading", "none", "--save-reading", *FAST)
        assert (code, place.read_text(encoding="utf-8")) == (1, text)
        assert "exists and is no saved reading" in err


def test_doubts_are_not_saved(converse, run, write):
    path = write(MODELS)
    assert run("read", path, "--save-reading")[::2] == (1, "Note: nothing is saved while something is in doubt.\n")
    assert not path.with_name("pilot.csv.reading.json").exists()
    code, shown = converse("read", path, "--save-reading", typed="2\n")
    assert (code, "2 curves: ResNet" in shown) == (0, True)
    assert path.with_name("pilot.csv.reading.json").exists()
    assert run("read", path)[0] == 0


def test_what_is_no_file_has_nothing_beside_it(run):
    assert run("forecast", "-", "--save-reading")[::2] == (
        1,
        "Error: --save-reading needs a file, beside which the reading is saved.\n",
    )


@pytest.mark.slow
def test_saved_readings_read_workbooks_as_before(run, tmp_path):
    require("openpyxl")
    for build in (workbooks.subtotals, workbooks.summary_rows, workbooks.spreads, workbooks.tables_side_by_side):
        path = saved(build, tmp_path)
        code, before, _ = run("read", path, "--json", "--save-reading")
        assert code == 0
        after = json.loads(run("read", path, "--json")[1])
        assert after["curves"] == json.loads(before)["curves"]


@pytest.mark.parametrize(
    ("typed", "number"), [("0,8", 0.8), ("0.8", 0.8), ("80%", 0.8), ("80,5 %", 0.805), ("0,850", 0.85)]
)
def test_a_target_may_have_a_decimal_comma(run, write, typed, number):
    code, out, _ = run("forecast", write(pilot_table()), "--target", typed, *FAST)
    assert (code, json.loads(out)["required"]["target"]) == (0, number)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("1,200", "'1,200' can be read as 1.200 or as 1200. Write the one that is meant."),
        ("1.234,5", "'1.234,5' is not a number."),
        ("1,234,567", "'1,234,567' is not a number."),
    ],
)
def test_a_comma_that_may_part_thousands_is_refused(run, write, typed, why):
    for option in ("--target", "--confidence"):
        code, out, err = run("forecast", write(pilot_table()), option, typed, *FAST)
        assert (code, out) == (2, "")
        assert why in " ".join(err.split())
