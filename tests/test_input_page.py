"""The page on what one can bring: its files are written, its commands are run, and what it shows is what they print."""

import io
import re
import shlex
import subprocess
import sys

import pytest

from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "input.md").read_text(encoding="utf-8")


@pytest.fixture
def type_in(tmp_path, monkeypatch, run):
    """Type a command in a folder that holds the page's files; gives all lines that it prints."""
    for name, text in re.findall(r"`([\w.]+\.csv)`:\n\n```csv\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def type_in(line):
        *before, command = line.split(" | ")
        if before:
            piped = subprocess.run(before[0], shell=True, capture_output=True, check=True).stdout
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
            sys.stdin.buffer.name = "<stdin>"
        program, *arguments = shlex.split(command)
        assert program == "apexgp"
        _, out, err = run(*arguments)
        return (out + err).splitlines()

    return type_in


@pytest.mark.filterwarnings("always::apexgp.errors.MissingScoresWarning")
@pytest.mark.parametrize("block", re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL))
def test_commands_print_what_the_page_shows(type_in, block):
    for command, shown in re.findall(r"^\$ (.*)\n((?:[^$].*\n)+)", block, re.MULTILINE):
        printed = type_in(command)
        for line in shown.splitlines():
            assert line in printed, "\n".join(printed)
