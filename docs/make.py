"""Remake what is generated in the documents: `python docs/make.py`.

The page of the command line is compared with the program by the tests; the picture of the README is not, because
drawing differs from one version of matplotlib to the next.
"""

from __future__ import annotations

from pathlib import Path

import typer
from typer.testing import CliRunner

from apexgp import APExGP, CurveDisplay
from apexgp.surfaces.cli import app
from apexgp.surfaces.demo import measure_digits

FOLDER = Path(__file__).parent


def command_line_page() -> str:
    """`--help` of every command, as a page."""
    parts = ["# The command line\n\nMade by `make docs` from the program itself.\n"]
    commands = [[], *([name] for name in typer.main.get_command(app).commands)]  # type: ignore[attr-defined]
    for command in commands:
        shown = CliRunner().invoke(app, [*command, "--help"], prog_name="apexgp", terminal_width=100)
        parts.append(f"\n## `{' '.join(['apexgp', *command])}`\n\n```text\n{shown.output.strip()}\n```\n")
    parts.append("\nExit codes: 0 fine, 1 the data or the request is at fault, 2 usage.\n")
    return "".join(parts)


def picture() -> None:
    """The picture of the README: the demonstration's pilot, its forecast, and what was measured later."""
    pilot, truth = measure_digits()
    display = CurveDisplay.from_estimator(APExGP().fit(pilot), 1.5 * truth.sizes[0])
    display.plot(truth=(truth.sizes[:1], [truth.scores.mean()]))
    display.ax_.set_title("Handwritten digits: a pilot of 360, and what 1,300 give", fontsize="medium")
    display.figure_.savefig(FOLDER / "forecast.png", dpi=120)


if __name__ == "__main__":
    (FOLDER / "cli.md").write_text(command_line_page(), encoding="utf-8")
    picture()
