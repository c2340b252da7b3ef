"""The document that the page of results shows."""

import json
import re
from pathlib import Path

import pytest

import pages
from conftest import REPOSITORY

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
