"""The document that the page of results shows, and the notebook beside it."""

import json
import re
from pathlib import Path

import pytest

import pages
from conftest import REPOSITORY, require

PAGE = REPOSITORY / "docs" / "results.md"


@pytest.fixture
def folder():
    """The files that the page speaks of."""
    with pages.folder_of(PAGE):
        yield Path.cwd()


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
    command = "forecast tasks.csv --at 2x --at 10x --target 0.78 --json"
    assert holds(json.loads(run(*command.split())[1]), json.loads(example))


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
