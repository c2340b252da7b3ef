"""Pages that show what programs print: run what stands on them, and show what it prints now.

Three kinds of blocks are run, in a folder that holds the tables of the README, and the tables and scripts of the
page itself:

* `python` or `sh`, followed by `text`: the whole output;
* `console`: commands after a `$`, each followed by those of its lines that are worth showing.

`docs/make.py` writes them anew; the tests compare, and forgive what another version of a library moves in the last
digits.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import typer
from typer.testing import CliRunner

from apexgp import APExGP, read
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.forecast.curve_picture import CurvePicture
from apexgp.surfaces import cli
from apexgp.surfaces.chart.text import TextChart
from apexgp.surfaces.report.text import GLOSSARY

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parent
README = FOLDER.parent / "README.md"

_WITH_OUTPUT = re.compile(r"```(python|sh)\n((?:(?!```).)*)```\n\n```text\n(.*?)```", re.DOTALL)
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*)\n((?:[^$].*\n)*)", re.MULTILINE)
_WITH_PICTURE = re.compile(r"```python\n((?:(?!```).)*)```\n\n!\[[^\]]*\]\((\w+\.png)\)", re.DOTALL)
_FILE = re.compile(r"`([\w.]+\.(?:csv|jsonl|py))`:\n\n```(?:csv|json|python)\n(.*?)```", re.DOTALL)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def pages_with_outputs() -> list[Path]:
    """Every page on which something is run, but the tutorial on pictures, which is long and has a test of its own."""
    pages = [README, *sorted(path for path in FOLDER.glob("*.md") if path.name != "images.md")]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    return [page for page, text in texts.items() if _WITH_OUTPUT.search(text) or _CONSOLE.search(text)]


def pilot_of_the_readme() -> str:
    """The table that most pages speak of, as `pairs.csv`."""
    return re.findall(r"```csv\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[0]


@contextlib.contextmanager
def folder_of(page: Path) -> Iterator[None]:
    """Be in a new folder that holds the tables and scripts a page speaks of, with this Python as `python`."""
    table = pilot_of_the_readme()
    rows = [row.split(",") for row in table.split()[1:]]
    tasks = [f"{n},{s},{k},liver" for n, s, k in rows] + [f"{n},{float(s) + 0.02:.2f},{k},lung" for n, s, k in rows]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, {"PATH": path}),
    ):
        Path("pairs.csv").write_text(table, encoding="utf-8")
        Path("tasks.csv").write_text("\n".join(["size,score,split,task", *tasks, "60,0.7,1,short"]) + "\n")
        for name, text in _FILE.findall(page.read_text(encoding="utf-8")):
            Path(name).write_text(text, encoding="utf-8")
        yield


def remade(page: Path) -> str:
    """The page with what its blocks print now."""
    names: dict[str, object] = {}

    def whole(block: re.Match[str]) -> str:
        language, code, _ = block.groups()
        shown = _python(code, names, page) if language == "python" else typed(code.strip())[0]
        lines = "\n".join(line.rstrip() for line in shown.rstrip().splitlines())
        return f"```{language}\n{code}```\n\n```text\n{lines}\n```"

    def chosen(command: re.Match[str]) -> str:
        line, shown = command.groups()
        printed = [text for stream in typed(line) for text in stream.splitlines()]
        kept = (difflib.get_close_matches(text, printed, 1, 0.5) for text in shown.splitlines())
        return "\n".join([f"$ {line}", *(match[0] if match else "(nothing like it)" for match in kept), ""])

    with folder_of(page):
        text = _WITH_OUTPUT.sub(whole, page.read_text(encoding="utf-8"))
        return _CONSOLE.sub(lambda block: _COMMAND.sub(chosen, block[0]), text)


def _python(code: str, names: dict[str, object], page: Path) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, str(page), "exec"), names)
    return printed.getvalue()


def typed(line: str) -> tuple[str, str]:
    """What a line for the shell prints, on standard output and standard error; `apexgp` is called without a shell."""
    *before, last = line.split(" | ")
    program, *arguments = shlex.split(last)
    if program != "apexgp":
        raise ValueError(f"A page runs apexgp and nothing else, got: {line}")
    piped = subprocess.run(before[0], shell=True, capture_output=True, check=True).stdout if before else b""
    stdin = io.TextIOWrapper(io.BytesIO(piped))
    stdin.buffer.name = "<stdin>"  # type: ignore[attr-defined]
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
        mock.patch.object(sys, "argv", ["apexgp", *arguments]),
        mock.patch.object(sys, "stdin", stdin),
        contextlib.suppress(SystemExit),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("always")
        cli.main()
    return out.getvalue(), err.getvalue()


def alike(one: str, other: str) -> bool:
    """Whether two texts say the same: equal words, and numbers that differ by no more than integration nodes may."""
    words = [" ".join(_NUMBER.sub("#", text).split()) for text in (one, other)]
    numbers = [[float(found.replace(",", "")) for found in _NUMBER.findall(text)] for text in (one, other)]
    return words[0] == words[1] and all(map(_close, *numbers))


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= max(0.04 * max(one, other), 0.004)


def command_line_page() -> str:
    """`--help` of every command, as a page."""
    parts = ["# The command line\n\nMade by `make outputs` from the program itself.\n"]
    commands = [[], *([name] for name in typer.main.get_command(cli.app).commands)]  # type: ignore[attr-defined]
    for command in commands:
        shown = CliRunner().invoke(cli.app, [*command, "--help"], prog_name="apexgp", terminal_width=88)
        parts.append(f"\n## `{' '.join(['apexgp', *command])}`\n\n```text\n{shown.output.strip()}\n```\n")
    parts.append("\nExit codes: 0 success, 1 a problem with the data or the request, 2 a usage error.\n")
    return "".join(parts)


def page_of_the_report() -> str:
    """The page about reports, with the README's pilot drawn in characters."""
    page = FOLDER / "report.md"
    with folder_of(page):
        model = APExGP().fit(read("pairs.csv").curve)
    picture = ForecastQuestion(target=0.78, confidence=0.6).answer(model).picture(CurvePicture)
    lines = ["".join(piece for piece, _ in line).rstrip() for line in TextChart(picture).lines()]
    block = "\n".join(["```text", "$ apexgp forecast pairs.csv --target 0.78 --confidence 0.6", *lines, "```"])
    return re.sub(r"```text\n.*?```", lambda _: block, page.read_text(encoding="utf-8"), flags=re.DOTALL)


def page_of_terms() -> str:
    """The page of terms, with the glossary that reports and the page have."""
    page = FOLDER / "terms.md"
    rows = [f"| {word} | {meaning} |" for word, meaning in sorted(GLOSSARY.items(), key=lambda entry: entry[0].lower())]
    table = "\n".join(["| term | meaning |", "|---|---|", *rows])
    made = r"(<!-- made by make outputs.*? -->\n).*?(<!-- end -->)"
    return re.sub(
        made, lambda marks: f"{marks[1]}\n{table}\n\n{marks[2]}", page.read_text(encoding="utf-8"), flags=re.DOTALL
    )


def gallery() -> Iterator[tuple[str, Figure]]:
    """The pictures of the gallery, drawn by the blocks above them: the file of each, and the figure of its block."""
    import matplotlib.pyplot as plt

    page = FOLDER / "gallery.md"
    names: dict[str, object] = {}
    with folder_of(page):
        for code, file in _WITH_PICTURE.findall(page.read_text(encoding="utf-8")):
            exec(compile(code, str(page), "exec"), names)
            yield file, plt.gcf()
            plt.close("all")
