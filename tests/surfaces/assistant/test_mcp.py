"""`apexgp mcp` as the official client of the Model Context Protocol finds it, in a process of its own."""

import asyncio
import io
import json
import os
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from apexgp.question_base.schemas import build_schema_of_any
from apexgp.questions import load_question
from apexgp.surfaces.documents import list_answer_documents
from conftest import pilot_table, require
from documents import faults

pytestmark = pytest.mark.slow  # processes start

COMMAND = [sys.executable, "-m", "apexgp", "mcp"]
QUESTIONS = {
    "forecast": {"table": pilot_table(), "target": 0.8, "at": ["1000", "10x"], "mean": "power_law"},
    "plan": {"table": pilot_table(), "target": 0.8, "cost": 12, "penalty": 50000, "mean": "power_law"},
    "design": {"budget": 6, "at": ["5000"], "confirm": 0, "mean": "power_law"},
    "compare": {"tables": {"a": pilot_table()}, "files": {"b": "better.csv"}, "mean": "power_law"},
    "backtest": {"table": pilot_table(), "method": ["power_law", "arctan"]},
    "sensitivity": {"file": "pilots/book.xlsx", "sheet": "Runs", "mean": "power_law"},
    "check": {"file": "better.csv", "draws": 100, "mean": "power_law"},
    "minimum": {"prevalence": 0.2, "parameters": 9, "cstatistic": 0.8},
}
EVALUATION = {"purpose": "evaluation", "prevalence": 0.2, "cstatistic": 0.8}  # another document of the same tool
REFUSED = {
    "nothing": ("forecast", {}, "The measurements are missing: give table (CSV text), or file."),
    "both": ("forecast", {"table": "size,score\n", "file": "better.csv"}, "Give table or file, not both."),
    "no number": ("forecast", {"table": "size,score\n60,x\n"}, "The table, line 2, column 'score': expected a number"),
    "an argument": ("forecast", {"table": pilot_table(), "level": 3}, "level must be strictly between 0 and 1, got 3."),
    "a type": ("plan", {"table": pilot_table(), "target": "high"}, "target: Input should be a valid number"),
    "no such argument": ("check", {"table": pilot_table(), "seeds": 1}, "seeds: Extra inputs are not permitted."),
    "no such tool": ("serve", {}, "There is no tool 'serve'. Choose from forecast, plan, design,"),
    "one model": ("compare", {"tables": {"a": pilot_table()}}, "There must be two or more models to compare"),
    "twice": (
        "compare",
        {"tables": {"a": pilot_table()}, "files": {"a": "better.csv"}},
        "'a' is named in both tables and files.",
    ),
    "no such file": (
        "check",
        {"file": "best.csv"},
        "file does not name an existing file: 'best.csv'. Found better.csv",
    ),
    "outside": ("check", {"file": "../outside.csv"}, "file must be a file within"),
    "from the root": ("check", {"file": "/etc/passwd"}, "file must be a file within"),
    "through a link": ("check", {"file": "link.csv"}, "file must be a file within"),
    "through a linked folder": ("check", {"file": "elsewhere/outside.csv"}, "file must be a file within"),
    "a folder": ("check", {"file": "pilots"}, "file does not name an existing file: 'pilots'."),
    "a name that no file has": ("check", {"file": "a\x00b"}, "file must be a file within"),
    "several tasks": ("forecast", {"file": "tasks.csv"}, "task must be one of the tasks in the table (liver, lung)"),
}


def connected(arguments, scene, errlog=None, **how):
    """Play a scene with a client that has started the server."""
    mcp = require("mcp")
    started = mcp.StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], *map(str, arguments)], env=dict(os.environ)
    )

    async def play():
        async with mcp.Client(mcp.stdio_client(started, errlog or sys.__stderr__), **how) as client:
            return await scene(client)

    return asyncio.run(play())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that may be read, and beside them some that may not."""
    outer = tmp_path_factory.mktemp("outer")
    folder = outer / "told"
    (folder / "pilots").mkdir(parents=True)
    (folder / "better.csv").write_text(pilot_table(0.02))
    rows = pilot_table().splitlines()
    tasks = [f"{row},{task}" for task in ("liver", "lung") for row in rows[1:]]
    (folder / "tasks.csv").write_text("\n".join([f"{rows[0]},task", *tasks, ""]))
    book = require("openpyxl").Workbook()
    book.create_sheet("Runs")
    for row in rows:
        book["Runs"].append(row.split(","))
    book.save(folder / "pilots" / "book.xlsx")
    (outer / "outside.csv").write_text(pilot_table())
    (folder / "link.csv").symlink_to(outer / "outside.csv")
    (folder / "elsewhere").symlink_to(outer)
    return folder


@pytest.fixture(scope="module")
def session(folder, tmp_path_factory):
    """Everything that is asked of one server: its tools, its answers, and what it wrote to standard error."""
    errors = tmp_path_factory.mktemp("errors") / "stderr"

    async def scene(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        answers = {name: await client.call_tool(name, given) for name, given in QUESTIONS.items()}
        answers["evaluation"] = await client.call_tool("minimum", EVALUATION)
        refusals = {case: await client.call_tool(name, given) for case, (name, given, _) in REFUSED.items()}
        return client.instructions, tools, answers, refusals

    with errors.open("w") as errlog:
        found = connected(["--folder", folder], scene, errlog)
    return *found, errors.read_text()


def test_the_tools_are_the_questions_with_their_schemas(session, folder):
    instructions, tools, _, _, _ = session
    assert str(folder) in instructions
    assert sorted(tools) == sorted(QUESTIONS)
    for name, tool in tools.items():
        assert tool.output_schema == build_schema_of_any(f"apexgp {name}", list_answer_documents(load_question(name)))
        assert tool.description.endswith(".")
        assert (tool.annotations.read_only_hint, tool.annotations.open_world_hint) == (True, False)
        Draft202012Validator.check_schema(tool.input_schema)
        Draft202012Validator(tool.input_schema).validate(QUESTIONS[name])


@pytest.mark.parametrize("name", [*QUESTIONS, "evaluation"])
def test_an_answer_is_the_document_of_the_command_and_its_gist(session, name):
    answer = session[2][name]
    assert not answer.is_error, answer.content
    assert faults(answer.structured_content, name) == []
    (gist,) = answer.content
    lines = gist.text.splitlines()
    assert lines[0] == answer.structured_content["sentence"]
    assert sum(line.startswith("Caution: ") for line in lines) == len(answer.structured_content["cautions"])


def test_an_answer_is_that_of_the_command(session, facts_of, tmp_path):
    (tmp_path / "pilot.csv").write_text(pilot_table())
    options = ("--target", 0.8, "--at", "1000", "--at", "10x", "--mean", "power_law")
    assert session[2]["forecast"].structured_content == facts_of("forecast", tmp_path / "pilot.csv", *options)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_answered_is_an_error_of_the_tool_in_our_words(session, case):
    answer, said = session[3][case], REFUSED[case][2]
    assert answer.is_error
    assert answer.structured_content is None
    assert answer.content[0].text.startswith(said)
    assert "outside.csv holds" not in answer.content[0].text


def test_nothing_is_said_beside_the_protocol(session):
    assert session[4] == ""


@pytest.mark.filterwarnings("ignore:ping is removed")  # from a later version of the protocol
def test_a_long_computation_holds_up_nothing_and_can_be_cancelled(tmp_path):
    async def scene(client):
        await client.call_tool("minimum", QUESTIONS["minimum"])  # a worker is there
        long = [asyncio.ensure_future(client.call_tool("backtest", {"table": pilot_table()})) for _ in range(2)]
        await client.send_ping()
        waited = not any(one.done() for one in long)
        for one in long:  # every worker is busy with them
            one.cancel()
        ended = await asyncio.gather(*long, return_exceptions=True)
        return waited, ended, (await client.call_tool("minimum", QUESTIONS["minimum"])).is_error

    with (tmp_path / "stderr").open("w") as errlog:
        waited, ended, failed = connected([], scene, errlog, mode="legacy")
    assert (tmp_path / "stderr").read_text() == ""
    assert waited
    assert all(isinstance(one, asyncio.CancelledError) for one in ended)
    assert not failed


def test_without_folders_no_file_can_be_named():
    async def scene(client):
        tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
        return tools, client.instructions, await client.call_tool("forecast", {"file": __file__})

    tools, instructions, answer = connected([], scene)
    assert not any({"file", "files", "sheet"} & tool["properties"].keys() for tool in tools.values())
    assert tools["forecast"]["required"] == ["table"]
    assert "No files can be read" in instructions
    assert answer.is_error
    assert "Extra inputs are not permitted" in answer.content[0].text


def test_only_the_protocol_is_written_to_standard_output_and_the_end_of_input_is_the_end():
    require("mcp")
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}},
    }
    sent = json.dumps(hello) + "\nthis is no JSON\n"
    done = subprocess.run(COMMAND, input=sent, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert messages[0]["result"]["serverInfo"]["name"] == "apexgp"
    assert all(message["jsonrpc"] == "2.0" for message in messages)


def test_help_needs_no_extra_and_starting_names_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, out, _ = run("mcp", "--help")
    assert code == 0
    assert "--folder" in out
    code, out, err = run("mcp")
    assert (code, out) == (1, "")
    assert err == "Error: apexgp mcp needs mcp: pip install 'apexgp[mcp]'\n"


def test_a_folder_that_is_not_there_is_refused(run, tmp_path, monkeypatch):
    require("mcp")
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    code, out, err = run("mcp", "--folder", tmp_path / "none")
    assert (code, out) == (1, "")
    assert err == f"Error: --folder must be an existing folder, got {tmp_path / 'none'}.\n"
