"""The page of what can be taken away, and the notebook beside it: every block is run, and prints what the page says."""

import contextlib
import io
import json
import re
import shlex

import pytest

from conftest import REPOSITORY, require

PAGE = REPOSITORY / "docs" / "results.md"


def blocks():
    """Code with the output that the page shows of it."""
    found = re.findall(
        r"```(python|sh)\n((?:(?!```).)*)```\n\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(found) >= 8
    return found


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files that the page speaks of."""
    (table,) = re.findall(r"```csv\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)[:1]
    (tmp_path / "pairs.csv").write_text(table)
    rows = [row.split(",") for row in table.split()[1:]]
    tasks = [f"{n},{s},{k},liver" for n, s, k in rows] + [f"{n},{float(s) + 0.02:.2f},{k},lung" for n, s, k in rows]
    (tmp_path / "tasks.csv").write_text("\n".join(["size,score,split,task", *tasks, "60,0.7,1,short"]) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(text):
    return [line.rstrip() for line in text.strip().splitlines() if line.strip()]


def test_the_page_prints_what_it_says(folder):
    require("pandas")
    require("matplotlib").use("Agg")
    from matplotlib import pyplot

    names = {}
    for language, code, shown in blocks():
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(code, str(PAGE), "exec"), names)
            assert lines(printed.getvalue()) == lines(shown), code
    pyplot.close("all")


def test_the_commands_of_the_page_print_what_it_says(folder, run):
    for language, code, shown in blocks():
        if language == "sh":
            (command,) = code.strip().splitlines()
            out = run(*shlex.split(command)[1:])[1]
            wanted = lines(shown)
            assert lines(out)[: len(wanted)] == wanted, command


def holds(real, example):
    """Whether a document has the names and kinds of values that a shortened example of it shows."""
    if example in ("...", ["..."]):
        return isinstance(real, type(example))
    if isinstance(example, dict):
        return set(real) == set(example) and all(holds(real[name], value) for name, value in example.items())
    if isinstance(example, list):
        return all(holds(*pair) for pair in zip(real, example, strict=False))
    if isinstance(example, str):
        return real == example
    return real is None or isinstance(real, bool) == isinstance(example, bool)  # numbers go with the version


def test_the_document_of_a_batch_is_as_the_page_has_it(folder, run):
    (example,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (command,) = [code for language, code, _ in blocks() if language == "sh"]
    assert holds(json.loads(run(*shlex.split(command)[1:], "--json")[1]), json.loads(example))


@pytest.mark.slow
def test_the_notebook_runs_and_shows_tables_and_pictures(folder):
    nbformat, nbclient = require("nbformat"), require("nbclient")
    require("ipykernel")
    notebook = nbformat.read(REPOSITORY / "docs" / "tour.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without its outputs
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    shown = {cell.source.splitlines()[-1]: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    tables = [
        data["text/html"]
        for outputs in shown.values()
        for out in outputs
        if (data := out.get("data", {})) and "text/html" in data
    ]
    assert len(tables) >= 4
    drawn = {line: outputs for line, outputs in shown.items() if ".plot(" in line}
    assert len(drawn) == 4
    for line, outputs in drawn.items():
        kinds = [kind for out in outputs for kind in out.get("data", {})]
        assert kinds.count("image/png") == 1, line  # the picture, once
        said = "".join(out["data"].get("text/plain", "") for out in outputs if "data" in out)
        assert "array(" not in said
        assert len(said.splitlines()) <= 3, said
