"""The JSON interface: answers as the commands print them, one shape of errors, and who is turned away at the door."""

import io
import json
import re
import shlex
import socket
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from apexgp import learn_beliefs
from apexgp.priors import write_priors
from conftest import missing, pilot_table, require
from curves_to_learn_from import whole_curve
from serving import TABLE, refused, send, serving

pytestmark = pytest.mark.slow  # a server starts

OCTETS = {"Content-Type": "application/octet-stream"}


# What is answered.


def test_answers_are_what_the_commands_print(ask, facts_of, pairs, better):
    table = pairs.read_text()
    costs = {"target": 0.8, "cost": 12.0, "penalty": 50_000.0}
    options = ("--target", 0.8, "--cost", 12, "--penalty", 50_000)
    asked = {
        "forecast": (
            {"at": ["720", "10x"], "target": 0.8, "confidence": 0.6, "metric": "auroc", "ceiling": 0.95},
            [
                "--at",
                "720",
                "--at",
                "10x",
                "--target",
                "0.8",
                "--confidence",
                "0.6",
                "--metric",
                "auroc",
                "--ceiling",
                "0.95",
            ],
        ),
        "plan": (costs | {"rounds": 2, "mean": "power_law"}, (*options, "--rounds", 2, "--mean", "power_law")),
        "backtest": (
            {"method": ["apexgp", "power_law"], "target": 0.8},
            ["--method", "apexgp", "--method", "power_law", "--target", "0.8"],
        ),
    }
    for name, (fields, arguments) in asked.items():
        status, _, answer = ask(f"/api/{name}", {"table": table} | fields)
        assert status == 200, answer
        assert answer == facts_of(name, pairs, *arguments)
    tables = {"pairs": table, "better": better.read_text()}
    assert ask("/api/compare", {"tables": tables, "at": ["5000"]})[2] == facts_of(
        "compare", pairs, better, "--at", 5000
    )
    fields = {"prevalence": 0.2, "parameters": 12, "r2": 0.15}
    arguments = [part for name, value in fields.items() for part in (f"--{name}", value)]
    assert ask("/api/minimum", fields)[2] == facts_of("minimum", *arguments)
    status, _, answer = ask("/api/minimum", fields | {"purpose": "evaluation"})
    assert status == 422
    assert (answer["error"]["argument"], "Leave it out" in answer["error"]["message"]) == ("parameters", True)


def test_what_to_measure_next_is_what_the_command_prints(ask, facts_of, pairs):
    table = pairs.read_text()
    fields = {"budget": 3.0, "at": ["720", "10x"], "target": 0.8, "confidence": 0.6, "available": 600.0, "seed": 3}
    options = [part for name, value in fields.items() for part in (f"--{name}", value) if name != "at"]
    facts = facts_of("design", pairs, "--at", "720,10x", *options, "--confirm", 1)
    assert ask("/api/design", {"table": table, "confirm": 1} | fields)[2] == facts
    first = {"budget": 9.0, "at": ["5000"], "confirm": 0, "sizes": ["100", "200", "400"], "splits": 2}
    options = ("--budget", 9, "--at", 5000, "--confirm", 0, "--sizes", "100, 200, 400", "--splits", 2)
    assert ask("/api/design", first)[2] == facts_of("design", *options)  # before any pilot
    # The page shows the best few of them, with lines that go on from those of the forecast.
    fields = {"table": table, "target": 0.8, "budget": 2.0, "metric": "auroc", "floor": 0.3}
    status, _, advice = ask("/api/page/advice", fields)
    assert status == 200, advice
    assert advice["design"] == ask("/api/design", fields)[2]
    assert advice["table"]["rows"][0][0] == "nothing more"
    best = advice["design"]["designs"][0]
    left = best["risk"] / advice["design"]["now"]["risk"]
    assert advice["table"]["rows"][1][1:4] == [str(best["fits"]), f"{100 * left:.0f} %", f"{best['widths'][0]:.3f}"]
    assert advice["table"]["header"][-1] == "then plan for"
    assert "the range in which the required size will lie in eight cases out of ten" in advice["note"]


def test_what_to_measure_next_is_refused_by_the_field_or_the_control(ask):
    refused(ask("/api/design", {"at": ["10x"]}), 422, "at")
    refused(ask("/api/design", {}), 422, "at")
    refused(ask("/api/design", {"table": TABLE, "sizes": ["soon"]}), 422, "sizes")
    refused(ask("/api/design", {"table": TABLE, "confirm": 1000}), 422, "confirm")
    refused(ask("/api/design", {"table": TABLE, "splits": 0}), 422, "splits")
    assert refused(ask("/api/design", {"table": TABLE, "budget": 0.5}), 422, "budget")["message"].startswith(
        "budget must pay for one more fit"
    )
    for fields, argument, words in (
        ({"budget": 0.5}, "budget", "“Models you could still train” must pay for one more fit"),
        ({"budget": "x"}, "budget", "“Models you could still train”: "),
        ({"available": 100.0}, "available", "“Most examples you could train on” must be at least 360"),
        ({"at": ["soon"]}, "at", "“Forecast at sizes” must be a training-set size"),
    ):
        error = refused(ask("/api/page/advice", {"table": TABLE} | fields), 422, argument)
        assert error["message"].startswith(words)


def test_error_rates_and_several_tasks(ask, facts_of, tasks, tmp_path):
    falling = tmp_path / "falling.csv"
    falling.write_text("size,score\n" + "".join(f"{n},{0.9 * n**-0.3:.4f}\n" for n in (60, 94, 147, 230, 360)))
    fields = {"table": falling.read_text(), "lower_is_better": True, "target": 0.1}
    assert ask("/api/forecast", fields)[2] == facts_of("forecast", falling, "--lower-is-better", "--target", 0.1)
    table = tasks.read_text()
    assert ask("/api/forecast", {"table": table, "task": "lung"})[2] == facts_of("forecast", tasks, "--task", "lung")
    assert "(liver, lung)" in refused(ask("/api/forecast", {"table": table}), 422, "task")["message"]


def test_the_page_reads_falling_scores_and_then_asks_which_way_is_better(ask):
    table = "size,score\n" + "".join(f"{n},{0.9 * n**-0.3:.4f}\n" for n in (60, 94, 147, 230, 360))
    assert (
        "Say so with lower_is_better true or lower_is_better false, or name the metric with metric"
        in (refused(ask("/api/forecast", {"table": table}), 422)["message"])
    )
    assert (
        "Say so with “Better scores are” (lower) or “Better scores are” (higher), or name the metric with “Metric”"
        in (refused(ask("/api/page", {"table": table}), 422, "lower_is_better")["message"])
    )
    for lower, direction in ((True, "lower"), (False, "higher")):
        _, _, page = ask("/api/page", {"table": table, "lower_is_better": lower})
        assert page["forecast"]["pilot"]["direction"] == direction
    said = "size,score,direction\n60,0.3,higher\n90,0.2,higher\n"
    for text, query, lower in ((table, "?lower_is_better=true", True), (said, "", False), (TABLE, "", None)):
        (curve,) = ask(f"/api/read{query}", text.encode(), headers=OCTETS)[2]["curves"]
        assert curve["lower_is_better"] is lower
    (doubt,) = ask("/api/read", table.encode(), headers=OCTETS)[2]["doubts"]
    assert "is lower better?" in doubt["question"]
    assert [choice["fields"] for choice in doubt["choices"]] == [{"lower_is_better": True}, {"lower_is_better": False}]
    assert doubt["free"] == "metric"


def test_losses_of_any_range(ask, facts_of, tmp_path):
    losses = tmp_path / "losses.csv"
    losses.write_text("size,score\n" + "".join(f"{n},{9 * n**-0.3:.4f}\n" for n in (60, 94, 147, 230, 360)))
    about = {"table": losses.read_text(), "range": "0,inf", "lower_is_better": True, "target": 1.2}
    options = ("--range", "0,inf", "--lower-is-better", "--target", 1.2)
    assert ask("/api/forecast", about)[2] == facts_of("forecast", losses, *options)
    page = ask("/api/page", about)[2]
    assert "range=(0, float(inf))" not in page["python"]
    assert 'range=(0, float("inf"))' in page["python"]
    assert "0 to inf" in page["measurements"]
    error = refused(ask("/api/forecast", {"table": losses.read_text()}), 422)
    assert "What was measured?" in error["message"]


def test_the_page_gets_everything_from_one_fit(ask):
    fields = {"table": pilot_table(), "target": 0.8, "cost": 12.0, "penalty": 50_000.0}
    status, _, page = ask("/api/page", fields | {"backtest": True})
    assert status == 200
    forecast = {name: value for name, value in fields.items() if name not in ("cost", "penalty")}
    assert page["forecast"] == ask("/api/forecast", forecast)[2]
    assert page["plan"] == ask("/api/plan", fields)[2]
    assert page["backtest"] == ask("/api/backtest", {"table": pilot_table()})[2]
    assert page["figure"].startswith("<figure")
    assert page["svg"].startswith("<svg")
    assert page["csv"].splitlines()[0] == "size,mean,median,std,lower,upper,promised,prob_target"
    # Too few sizes to hold some out is no reason not to forecast.
    few = {"table": "size,score\n60,0.6\n90,0.65\n150,0.7\n", "backtest": True}
    assert "holding out" in ask("/api/page", few)[2]["backtest"]["error"]
    refused(ask("/api/page", {"table": TABLE, "target": 0.8, "cost": 3}), 422, "penalty")
    refused(ask("/api/page", {"table": TABLE, "cost": 3, "penalty": 4}), 422, "target")


def test_the_lines_of_code_give_the_same_numbers(ask, capfd, facts_of, tmp_path, monkeypatch):
    settings = {"metric": "auroc", "ceiling": 0.95, "mean": "power_law", "at": ["720", "10x"], "confidence": 0.6}
    fields = {"table": pilot_table(), "target": 0.8, "cost": 12.0, "penalty": 50_000.0, "rounds": 2, **settings}
    page = ask("/api/page", fields)[2]
    about = {name: value for name, value in fields.items() if name not in ("cost", "penalty", "rounds")}
    advice = ask("/api/page/advice", about | {"budget": 2.0, "available": 700.0, "seed": 2})[2]
    made = {}
    exec(compile(page["python"] + advice["python"], "page", "exec"), made)
    capfd.readouterr()
    assert [row["mean"] for row in page["forecast"]["forecast"]] == made["forecast"].mean.tolist()
    assert [row["lower"] for row in page["forecast"]["forecast"]] == made["lower"].tolist()
    assert page["forecast"]["required"]["size"] == made["required"].size
    assert page["plan"]["plan"]["sizes"] == list(made["plan"].sizes)
    assert len(made["found"].designs) == len(advice["design"]["designs"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measurements.csv").write_text(page["measurements"])
    forecast, plan = (shlex.split(line)[1:] for line in page["shell"].splitlines())
    assert facts_of(*forecast) == page["forecast"]
    assert facts_of(*plan) == page["plan"]
    assert facts_of(*shlex.split(advice["shell"])[1:]) == advice["design"]


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    path = tmp_path_factory.mktemp("learnt") / "priors.json"
    write_priors(learn_beliefs([whole_curve(i, 0.75) for i in range(3)]), path)
    return path


def test_learnt_priors_are_those_of_the_option(ask, facts_of, learnt, capfd, tmp_path, monkeypatch):
    fields = {"table": pilot_table(), "metric": "auroc", "priors": learnt.read_text(), "at": ["720", "10x"]}
    page = ask("/api/page", fields | {"target": 0.8})[2]
    assert "Priors learnt from 3 whole curves (AUROC) were used." in page["notes"]
    assert "were learnt from 3 whole curves (AUROC)" in page["forecast"]["methods_text"]
    made = {}
    exec(compile(page["python"], "page", "exec"), made)
    capfd.readouterr()
    assert [row["mean"] for row in page["forecast"]["forecast"]] == made["forecast"].mean.tolist()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "measurements.csv").write_text(page["measurements"])
    (tmp_path / "priors.json").write_text(learnt.read_text())
    assert "--priors priors.json" in page["shell"]
    assert facts_of(*shlex.split(page["shell"])[1:]) == page["forecast"]
    advice = ask("/api/page/advice", fields | {"budget": 2.0, "available": 700.0})[2]
    assert facts_of(*shlex.split(advice["shell"])[1:]) == advice["design"]
    usual = ask("/api/forecast", {**fields, "priors": None})[2]
    assert usual["forecast"] != page["forecast"]["forecast"]


def test_priors_that_cannot_be_used_are_refused_beside_their_control(ask, learnt):
    text, fields = learnt.read_text(), {"table": TABLE, "metric": "auroc"}
    for sent, words in (
        (text.replace('"curves": 3', '"curves": 300'), "was edited after it was written: its checksum does not match"),
        ("size,score", "is not a file of priors: "),
        ('{"format": "apexgp-model"}', "is not a file of priors written by apexgp learn."),
        (str(learnt), "is not a file of priors: "),  # a path on the server is not read
    ):
        error = refused(ask("/api/page", fields | {"priors": sent}), 422, "priors")
        assert error["message"].startswith(f"“Learnt priors” {words}")
        assert refused(ask("/api/check", fields | {"priors": sent}), 422, "priors")["message"].startswith("priors ")
    refused(ask("/api/page", fields | {"priors": text, "published": True}), 422, "priors")
    refused(ask("/api/page", fields | {"priors": "x" * 100_001}), 422, "priors")


def test_a_report_is_one_file(ask):
    asked = {"table": pilot_table(), "target": 0.8, "at": ["10x", "2000"], "budget": 1.0, "available": 600.0}
    status, headers, report = ask("/api/report", asked)
    assert status == 200
    assert headers.get_content_type() == "text/html"
    assert report.lower().startswith(b"<!doctype html>")
    forecast = ask("/api/forecast", {"table": pilot_table(), "target": 0.8, "at": ["2000", "10x"]})[2]
    text = report.decode()
    assert "1 model to train and up to 600 examples" in text
    assert "--budget 1" in re.sub(r"<.*?>", "", text)
    for row in forecast["forecast"]:
        assert f"{row['mean']:.3f}" in text
        assert f"{row['lower']:.3f} to {row['upper']:.3f}" in text


def test_pasted_text_is_read_as_people_copy_it(ask):
    def read(text):
        status, _, answer = ask("/api/read", text.encode() if isinstance(text, str) else text, headers=OCTETS)
        assert status == 200, answer
        return answer

    (curve,) = read("size\tscore\tsplit\n60\t0,66\ta\n94\t0,70\ta\n")["curves"]
    assert curve["rows"] == [[60, 0.66, "a"], [94, 0.70, "a"]]
    bare = read("60\t0.66\n94\t0.70\n")
    assert bare["curves"][0]["rows"] == [[60, 0.66, None], [94, 0.70, None]]
    assert "the columns have no names" in bare["notes"][0]
    wide = read("60;0,66;0,67\n94;0,70;0,71\n")["curves"][0]["rows"]
    assert [row[:2] for row in wide] == [[60, 0.66], [60, 0.67], [94, 0.70], [94, 0.71]]
    assert len({row[2] for row in wide}) == 2
    two = read("size,score,task,metric\n" + "".join(
        f"{n},0.{n},{task},{metric}\n" for task in "ab" for metric in ("auroc", "accuracy") for n in (60, 70)
    ))["curves"]  # fmt: skip
    assert [(curve["task"], curve["metric"]) for curve in two] == [
        ("a", "auroc"), ("b", "auroc"), ("a", "accuracy"), ("b", "accuracy")
    ]  # fmt: skip
    for nothing in (b"", b"\n\n", b"\x00\x01\x02"):
        assert refused(ask("/api/read", nothing, headers=OCTETS), 422)["kind"] == "data"
    assert "no rows" in read("size,score\n")["doubts"][0]["question"]


def test_what_is_known_beside_the_scores_goes_with_them(ask):
    text = "n,AUC,train AUC,n_test\n60,0.66 ± 0.02,0.99,100\n94,0.70,,100\n147,0.72 ± 0.01,0.95,100\n"
    _, _, answer = ask("/api/read", text.encode(), headers=OCTETS)
    (curve,) = answer["curves"]
    details = {"train_score": [0.99, None, 0.95], "score_sd": [0.02, None, 0.01], "n_test": [100, 100, 100]}
    assert curve["details"] == details
    assert "though not shown in the table: train_score, score_sd, n_test." in answer["notes"][-1]
    _, _, bare = ask("/api/read", b"60\t0.66 +/- 0.02\n94\t0.70 +/- 0.01\n", headers=OCTETS)
    assert bare["curves"][0]["details"] == {"score_sd": [0.02, 0.01]}
    _, _, page = ask("/api/page", {"table": text, "averaged_over": 25})
    head, first, second, _ = page["measurements"].splitlines()
    assert head == "size,score,train_score,score_sd,n_test,averaged_over,metric,direction,unit"
    assert (first, second) == ("60,0.66,0.99,0.02,100,25,AUC,higher,rows", "94,0.7,,,100,25,AUC,higher,rows")
    names: dict = {}
    exec(page["python"].partition("model = ")[0], names)
    written = names["curve"]
    assert {name: repr(getattr(written, name).tolist()) for name in ("train_scores", "score_sd", "n_test")} == {
        "train_scores": "[0.99, nan, 0.95]", "score_sd": "[0.02, nan, 0.01]", "n_test": "[100.0, 100.0, 100.0]"
    }  # fmt: skip
    assert written.averaged_over == 25


def test_details_are_fields_as_they_are_options(ask):
    table = "n,AUC,x,y\n60,0.66,0.99,0.02\n94,0.70,0.97,0.02\n147,0.72,0.95,0.01\n"
    asks = "the number of runs behind each is not known"
    fields = {"table": table, "train_column": ["x"], "sd_column": "y", "n_test": 100.0}
    _, _, unsaid = ask("/api/forecast", fields)
    assert any(asks in caution for caution in unsaid["cautions"])
    for runs in (25, "25"):
        status, _, said = ask("/api/forecast", fields | {"averaged_over": runs})
        assert status == 200, said
        assert not any(asks in caution for caution in said["cautions"])
    assert "has no column 'z'" in refused(ask("/api/forecast", fields | {"sd_column": "z"}), 422)["message"]
    refused(ask("/api/forecast", fields | {"averaged_over": 0}), 422, "averaged_over")
    refused(ask("/api/forecast", fields | {"n_test": 0.5}), 422, "n_test")


def test_features_and_classes_go_with_the_curve(ask):
    text = "n,AUC,features,n_classes\n60,0.66,30,3\n94,0.70,30,3\n147,0.72,30,3\n"
    _, _, answer = ask("/api/read", text.encode(), headers=OCTETS)
    (curve,) = answer["curves"]
    assert (curve["n_features"], curve["n_classes"], curve["details"]) == (30, 3, {})
    fields = {"table": "n,AUC\n60,0.66\n94,0.70\n147,0.72\n", "n_features": 30, "n_classes": 3}
    _, _, page = ask("/api/page", fields)
    assert page["measurements"].splitlines()[0] == "size,score,metric,direction,unit,n_features,n_classes"
    names: dict = {}
    exec(page["python"].partition("model = ")[0], names)
    assert (names["curve"].n_features, names["curve"].n_classes) == (30, 3)
    refused(ask("/api/forecast", fields | {"n_features": 0}), 422, "n_features")
    refused(ask("/api/forecast", fields | {"n_classes": "1"}), 422, "n_classes")


def test_a_setting_of_a_file_that_cannot_be_is_refused(ask):
    for setting, argument in (("range=a", "range"), ("n_features=0", "n_features"), ("n_classes=1", "n_classes")):
        refused(ask(f"/api/read?{setting}", b"n,AUC\n60,0.66\n94,0.70\n", headers=OCTETS), 422, argument)


def test_a_mean_over_an_unknown_number_of_runs_is_surer_than_one_run(ask):
    fields = {"table": "n,AUC\n60,0.66\n94,0.70\n147,0.72\n", "at": ["300"]}
    replies = [ask("/api/forecast", fields | more)[2] for more in ({}, {"averaged_over": "several"})]
    run, mean = (reply["forecast"][0]["upper"] - reply["forecast"][0]["lower"] for reply in replies)
    assert mean < run
    assert ["counts as one run" in " ".join(reply["cautions"]) for reply in replies] == [True, False]


def roles_of(answer):
    return {column["letter"]: column["role"] for column in answer["sheet"]["columns"]}


def test_a_doubt_comes_with_the_sheet_and_the_ways_to_settle_it(ask):
    raw = b"cases,accuracy,F1,note\n60,0.6,0.7,a\n94,0.7,0.8,b\n147,0.7,0.8,c\n"
    status, _, answer = ask("/api/read", raw, headers=OCTETS)
    assert (status, answer["curves"]) == (200, [])
    assert [row["role"] for row in answer["sheet"]["rows"]] == ["header", "data", "data", "data"]
    assert roles_of(answer) == {"A": "size", "B": "ignored", "C": "ignored", "D": "ignored"}
    (doubt,) = answer["doubts"]
    assert doubt["question"].endswith("Which one should be forecast?")
    assert doubt["choices"][0] == {"label": "“accuracy” holds the scores", "fields": {"roles": "B=score"}}
    assert "B" in doubt["columns"]
    for query in ("score_column=F1", "roles=C%3Dscore"):
        _, _, answer = ask(f"/api/read?{query}", raw, headers=OCTETS)
        assert answer["doubts"] == []
        assert [row[1] for row in answer["curves"][0]["rows"]] == [0.7, 0.8, 0.8]
    # What was said is shown, although it leaves another doubt.
    _, _, answer = ask("/api/read?roles=B%3Dscore,C%3Dscore", raw, headers=OCTETS)
    assert roles_of(answer) == {"A": "size", "B": "score", "C": "score", "D": "ignored"}
    assert "different metrics" in answer["doubts"][0]["question"]
    _, _, answer = ask("/api/read", b"a,b\n60,0.6\n94,0.7\n", headers=OCTETS)
    assert answer["doubts"][0]["choices"][0]["fields"] == {"roles": "A=size,B=score"}


def test_cells_at_fault_are_named_and_corrected(ask):
    raw = b"Patients\tAUC\n60\to.66\n9x\t0.70\n147\t0.72\n"
    _, _, answer = ask("/api/read", raw, headers=OCTETS)
    assert answer["doubts"][0]["cells"] == ["B2", "A3"]
    _, _, answer = ask("/api/read?cells=B2%3D0.66&cells=A3%3D94", raw, headers=OCTETS)
    assert answer["curves"][0]["rows"] == [[60, 0.66, None], [94, 0.70, None], [147, 0.72, None]]
    assert (answer["curves"][0]["unit"], answer["curves"][0]["metric"]) == ("patients", "AUC")
    assert answer["sheet"]["rows"][1]["cells"] == ["60", "0.66"]
    refused(ask("/api/read?cells=B99%3D1", raw, headers=OCTETS), 422, "cells")


def test_sheets_of_a_workbook_are_offered(ask):
    openpyxl = require("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.title = "Notes"
    scores = book.create_sheet("Scores")
    for row in (["n", "AUC"], [60, 0.66], [94, 0.70]):
        scores.append(row)
    book.save(file)
    for query in ("?sheet=Scores", "?sheet=2", ""):  # the only one with a table
        status, _, answer = ask(f"/api/read{query}", file.getvalue(), headers=OCTETS)
        assert (status, answer["sheet"]["title"], answer["sheet"]["titles"]) == (200, "Scores", ["Notes", "Scores"])
        assert roles_of(answer) == {"A": "size", "B": "score"}
    refused(ask("/api/read?sheet=Other", file.getvalue(), headers=OCTETS), 422, "sheet")


def test_the_page_is_refused_in_the_words_of_its_controls(ask):
    wrong = {"table": TABLE, "target": 90}
    assert refused(ask("/api/page", wrong), 422, "target")["message"].startswith("“Score to reach” must be a score")
    assert refused(ask("/api/forecast", wrong), 422, "target")["message"].startswith("target must be a score")
    wrong = {"table": TABLE, "confidence": 2.0}
    assert refused(ask("/api/page", wrong), 422, "confidence")["message"].startswith("“with a probability of” must be")
    wrong = {"table": TABLE, "confidence": "much"}
    assert refused(ask("/api/page", wrong), 422, "confidence")["message"].startswith("“with a probability of”: ")
    falling = {"table": "size,accuracy\n60,0.34\n94,0.30\n147,0.28\n230,0.25\n360,0.24\n"}
    (said,) = (c for c in ask("/api/page", falling)[2]["forecast"]["cautions"] if "Is lower better?" in c)
    assert "If so, say so with “Better scores are” (lower); as it stands, the forecast" in said


def test_a_workbook_is_read_and_one_that_would_fill_the_memory_is_not(ask):
    openpyxl = require("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["Training images", "AUC"], [60, "66%"], [94, 0.70], [147, 0.72]):
        book.active.append(row)
    book.save(file)
    status, _, answer = ask("/api/read", file.getvalue(), headers=OCTETS)
    assert status == 200, answer
    (curve,) = answer["curves"]
    assert curve["rows"] == [[60, 0.66, None], [94, 0.70, None], [147, 0.72, None]]
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 100_000_000)
    assert "too large" in refused(ask("/api/read", bomb.getvalue(), headers=OCTETS), 422)["message"]
    refused(ask("/api/read", b"PK\x03\x04 and then nothing of the kind", headers=OCTETS), 422)


def test_examples_can_be_forecast(ask):
    status, _, answer = ask("/api/examples")
    assert status == 200
    assert len(answer["examples"]) >= 3
    for example in answer["examples"]:
        status, _, page = ask("/api/page", {"table": example["table"]} | example["settings"])
        assert status == 200, page
        assert page["forecast"]["required"]["size"] is not None


# What is refused, and how.


def test_rows_at_fault_are_named(ask):
    table = "size\tscore\tsplit\n60\t0.66\ta\n94\tabc\ta\n147\t7\ta\n\n230\t0.75\ta\n\t0.76\ta\n"
    error = refused(ask("/api/forecast", {"table": table}), 422)
    assert error["kind"] == "data"
    assert [(row["line"], row["column"]) for row in error["rows"]] == [(3, "score"), (4, "score"), (7, "size")]
    assert error["rows"][0]["message"] == "expected a number, got 'abc'. Correct it, or leave out this row."
    # A row that is fine alone, but not with those above it.
    twice = pilot_table() + "94,0.7,a\n60,0.7,c\n"
    (row,) = refused(ask("/api/forecast", {"table": twice}), 422)["rows"]
    assert row["line"] == len(pilot_table().splitlines()) + 1
    assert row["message"].startswith("split 'a' has 2 scores at size 94")
    # Faults of the whole are nobody's row.
    assert refused(ask("/api/forecast", {"table": "a,b\n60,0.6\n70,0.7\n80,0.8\n"}), 422)["rows"] == []
    above = {"table": "size,score\n60,0.6\n70,0.7\n", "ceiling": 0.65}
    assert refused(ask("/api/forecast", above), 422)["rows"] == []


@pytest.mark.parametrize(
    ("fields", "argument"),
    [
        ({"target": 90}, "target"),
        ({"target": "0.9"}, "target"),
        ({"target": None, "confidence": 1.0}, "confidence"),
        ({"at": ["ten"]}, "at"),
        ({"at": ["0.5"]}, "at"),
        ({"at": [str(n) for n in range(60, 200)]}, "at"),
        ({"ceiling": 1.5}, "ceiling"),
        ({"mean": "straight"}, "mean"),
        ({"of": "everything"}, "of"),
        ({"seed": -1}, "seed"),
        ({"seed": 10**400}, "seed"),
        ({"noise": -1}, "noise"),
        ({"tarjet": 0.9}, "tarjet"),
        ({"table": ""}, "table"),
        ({"table": 3}, "table"),
        ({"task": "nobody's"}, "task"),
    ],
)
def test_arguments_at_fault_are_named(ask, fields, argument):
    refused(ask("/api/forecast", {"table": TABLE} | fields), 422, argument)


def test_what_is_no_request_is_refused(ask):
    for raw in (b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b'{"table": NaN}', b"[" * 100_000):
        status, _, body = ask("/api/forecast", raw)
        assert status in (400, 422), raw[:20]
        assert list(body) == ["error"]
    for value in ("NaN", "Infinity", "1e999"):
        raw = json.dumps({"table": TABLE}).replace("}", f', "target": {value}}}').encode()
        refused(ask("/api/forecast", raw), 422, "target")
    refused(ask("/api/nothing"), 404)
    refused(ask("/nothing.html"), 404)
    refused(ask("/../../etc/passwd"), 404)
    refused(ask("/%2e%2e/app.py"), 404)
    refused(ask("/api/forecast"), 405)
    refused(ask("/api/forecast", {}, method="PUT"), 405)
    refused(ask("/docs"), 404)
    refused(ask("/redoc"), 404)
    for wrong in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        refused(ask("/api/forecast", {"table": TABLE}, headers={"Content-Type": wrong}), 415, "content_type")
        refused(ask("/api/read", b"size,score", headers={"Content-Type": wrong}), 415, "content_type")


def test_sizes_are_bounded(ask):
    refused(ask("/api/read", b"0" * 3_000_000, headers=OCTETS), 413)
    refused(ask("/api/forecast", {"table": "x" * 1_500_000}), 422, "table")
    rows = "size,score\n" + "".join(f"{n},0.5\n" for n in range(1, 7_000))
    assert "5,000" in refused(ask("/api/forecast", {"table": rows}), 422)["message"]
    assert "5,000" in refused(ask("/api/read", rows.encode(), headers=OCTETS), 422)["message"]


def test_a_length_that_is_not_said_is_bounded_too(server):
    where = urlsplit(server)
    head = (
        f"POST /api/read HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Type: application/octet-stream\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection((where.hostname, where.port), timeout=60) as connection:
        connection.sendall(head.encode())
        answer = b""
        try:
            for _ in range(40):
                connection.sendall(b"10000\r\n" + b"1" * 0x10000 + b"\r\n")
        except OSError:
            pass  # the server has hung up on us
        while part := connection.recv(65536):
            answer += part
            if b"}}" in answer:
                break
    assert answer.startswith(b"HTTP/1.1 413")


# Who is turned away at the door.


def test_other_names_are_refused(server, ask):
    port = urlsplit(server).port
    for name in (
        "evil.example",
        f"evil.example:{port}",
        "localhost.evil.example",
        "192.0.2.7",
        "",
        "[",
        "a@b:c",
        "127.0.0.1.nip.io",
    ):
        refused(ask("/", headers={"Host": name}), 421, "host")
        refused(ask("/api/forecast", {"table": TABLE}, headers={"Host": name}), 421, "host")
    for name in ("localhost", f"localhost:{port}", "127.0.0.1:9999", "[::1]:80", "LOCALHOST"):
        assert ask("/", headers={"Host": name})[0] == 200


def test_pages_of_other_sites_are_refused(server, ask):
    foreign = (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    )
    for headers in foreign:
        refused(ask("/api/forecast", {"table": TABLE}, headers=headers), 403, "origin")
        refused(ask("/api/examples", headers=headers), 403, "origin")
        assert "access-control-allow-origin" not in ask("/api/examples", headers=headers)[1]
    refused(ask("/api/forecast", method="OPTIONS", headers={"Origin": "http://evil.example"}), 403, "origin")
    own = {"Origin": server.rstrip("/"), "Sec-Fetch-Site": "same-origin"}
    assert ask("/api/forecast", {"table": TABLE}, headers=own)[0] == 200
    # A link that somebody shared is followed from elsewhere.
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert ask("/", headers=followed)[0] == 200
    refused(ask("/api/examples", headers=followed), 403, "origin")


def test_every_answer_has_its_headers(ask):
    for answer in (ask("/"), ask("/main.js"), ask("/api/examples"), ask("/nothing"), ask("/", headers={"Host": "x"})):
        headers = answer[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["server"] is None
    assert ask("/api/examples")[1]["cache-control"] == "no-store"


def test_a_token_is_asked_for_and_a_network_warned_of(guarded):
    said, here, token = guarded
    assert "Warning: on 0.0.0.0 everyone on the network" in said[0]
    assert len(token) >= 24
    assert send(here, "/")[0] == 200  # the page itself says nothing that is secret
    known = {"Authorization": f"Bearer {token}"}
    for path in ("/api/examples", "/openapi.json"):
        for wrong in ("", "Bearer x", f"Bearer {token}x", "Bearer \xe9", token[:-1]):
            refused(send(here, path, headers={"Authorization": wrong}), 401, "token")
        refused(send(here, path), 401, "token")
        assert send(here, path, headers=known)[0] == 200
        by_address = {"Host": "192.0.2.7:8000"}  # which nobody can redirect
        assert send(here, path, headers=known | by_address)[0] == 200
        refused(send(here, path, headers=known | {"Host": "evil.example"}), 421, "host")


def test_version_6_of_the_internet_protocol():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        missing("no IPv6 on this machine")
    with serving("--host", "::1") as (_, said, address):
        assert address.startswith("http://[::1]:")
        assert "token" not in said[-1]
        port = urlsplit(address).port
        for name in (f"[::1]:{port}", "localhost", f"127.0.0.1:{port}"):
            assert send(address, "/", headers={"Host": name})[0] == 200
        for name in ("evil.example", "[2001:db8::7]", "[::1"):
            refused(send(address, "/", headers={"Host": name}), 421, "host")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=5)


def test_what_cannot_be_served_is_one_clear_line(run, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, _, err = run("serve", "--port", port, "--no-browser")
    assert code == 1
    assert err.startswith(f"Error: --port {port} on 127.0.0.1 cannot be used: Address already in use.")
    assert "--port 0" in err
    assert run("serve", "--port", 70_000)[2].startswith("Error: --port must be a whole number of at most 65,535")
    for host in ("no such host", "[::1]", "192.0.2.7", "2001:db8::7"):  # of documents, and of nobody's machine
        assert run("serve", "--host", host)[2].startswith("Error: --host must be an address of this machine"), host
    monkeypatch.setenv("APEXGP_TOKEN", "short")
    assert "APEXGP_TOKEN must have 16 or more" in run("serve", "--port", 0, "--token", "--no-browser")[2]


def test_without_the_extra_serve_says_what_to_install():
    code = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("fastapi", "uvicorn", "starlette"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
sys.argv = ["apexgp", "serve"]
from apexgp.surfaces.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "Error: apexgp serve needs fastapi: pip install 'apexgp[web]'\n")


def test_many_at_once_are_all_answered(ask):
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda i: ask("/api/forecast", {"table": TABLE, "seed": i % 4}), range(48)))
    assert {status for status, *_ in answers} == {200}
    for i in range(4):
        assert len({json.dumps(body) for _, _, body in answers[i::4]}) == 1
