"""Which way is better, where nothing says so: every surface asks in the same sentence, before any answer."""

import json
import re

import pytest

from conftest import request_fields, require

SIZES = (60, 94, 147, 230, 360)
FALLING = (0.42, 0.39, 0.36, 0.33, 0.31)
QUESTION = "the scores fall as the training set grows, from 0.420 at 60 to 0.310 at 360: is lower better? "
NAMED = "if it is a known one such as error rate or accuracy."


def table(**tasks):
    rows = (f"{n},{score},{task}\n" for task, scores in tasks.items() for n, score in zip(SIZES, scores, strict=True))
    return "size,score,task\n" + "".join(rows)


def test_terminal_page_interface_and_assistant_ask_alike_before_any_answer(run, tmp_path):
    require("fastapi")
    from apexgp.surfaces.assistant.answers import Call
    from apexgp.surfaces.assistant.answers import answer as reply
    from apexgp.surfaces.web.answers import answer

    text = table(a=FALLING)
    (tmp_path / "a.csv").write_text(text)
    options = f"{QUESTION}Say so with --lower-is-better or --higher-is-better, or name the metric with --metric {NAMED}"
    for question in (["forecast"], ["sensitivity"], ["check"], ["design", "--budget", 5]):
        code, out, err = run(question[0], tmp_path / "a.csv", *question[1:])
        assert (code, out, err) == (1, "", f"Error: {tmp_path / 'a.csv'}: {options}\n")
    fields = (
        f"{QUESTION}Say so with lower_is_better true or lower_is_better false, or name the metric with metric {NAMED}"
    )
    assert reply(Call("forecast", {"table": text}, ())) == (f"The table: {fields}", None)
    controls = (
        f"{QUESTION}Say so with “Better scores are” (lower) or “Better scores are” (higher), or name the metric with "
        f"“Metric” {NAMED}"
    )
    for kind, said in (("forecast", fields), ("page", controls)):
        status, _, body = answer((kind, request_fields(kind, table=text)))
        error = json.loads(body)["error"]
        assert (status, error["message"]) == (422, f"The table: {said}")
    assert error["argument"] == "lower_is_better"  # the control beside which the page shows the question


@pytest.mark.parametrize("scores", [FALLING, [0.5 + score for score in FALLING]], ids=["low", "high"])
def test_a_task_of_a_batch_is_asked_about_by_itself(run, tmp_path, scores):
    path = tmp_path / "batch.csv"
    path.write_text(table(up=FALLING[::-1], down=scores))
    code, out, err = run("forecast", path)
    rows = {line.split()[0]: line for line in reversed(out.splitlines()) if line.strip()}
    assert code == 1
    assert err.endswith("Error: 1 of 2 tasks could not be forecast.\n")
    assert re.search(r"The scores fall as .* is lower better\?\s*$", rows["down"])
    assert re.search(r"\d\.\d{3} to \d\.\d{3}", rows["up"])
    # One of them alone is nobody else's question, and a table of which all tasks fall is one.
    assert run("forecast", path, "--task", "up")[0] == 0
    assert run("forecast", path, "--task", "down")[1] == ""
    path.write_text(table(a=scores, b=scores))
    code, out, err = run("forecast", path)
    assert (code, out) == (1, "")
    assert "the scores of a, b fall as the training set grows" in err


def test_tasks_that_are_learnt_from_or_compared_are_asked_about_all(run, tmp_path):
    path = tmp_path / "batch.csv"
    path.write_text(table(up=FALLING[::-1], down=FALLING))
    for command, *options in (["compare"], ["learn", "--out", tmp_path / "priors.json"]):
        code, out, err = run(command, path, *options)
        assert (code, out) == (1, "")
        assert "the scores of down fall" in err
