"""A chart as a piece of HTML: the picture, and what is read off at each size for the script that shows it."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from ...question_base.markup import dump_json_block, escape_markup
from ...questions.forecast.curve_picture import CurvePicture
from .labels import label_readings, list_readings
from .svg import Drawing

__all__ = ["build_chart_figure", "build_chart_file", "read_chart_script", "read_chart_style"]


@cache
def read_chart_script() -> str:
    """The script that reads a chart off: by pointer, finger and keyboard."""
    return _text("chart.js")


@cache
def read_chart_style() -> str:
    """The style sheet of charts."""
    return _text("chart.css")


def build_chart_figure(picture: CurvePicture, name: str = "chart") -> str:
    """The chart for an HTML page that has the script and the style sheet; without the script it is a picture.

    Parameters
    ----------
    picture
        What is drawn.
    name
        Identifier of the figure; another for each of a page.
    """
    drawing = Drawing(picture, name)
    data = {"labels": label_readings(picture), "readings": list_readings(picture), "places": drawing.places()}
    return (
        f'<figure class="chart" id="{escape_markup(name)}">\n{drawing.svg()}\n'
        f'<script type="application/json">{dump_json_block(data)}</script>\n</figure>'
    )


def build_chart_file(picture: CurvePicture) -> str:
    """The chart as the text of an SVG file, dark on light wherever it is put."""
    return Drawing(picture).svg(style=_style_of_file()) + "\n"


@cache
def _style_of_file() -> str:
    """The rules about the drawing itself, in the colours of paper; programs that draw have no variables in style."""
    style = read_chart_style()
    colours = dict(re.findall(r"--(\w+): (.*?);", style.partition("}")[0]))
    rules = re.findall(r"^(?:svg)?\.forecast-chart.*", style, re.MULTILINE)
    return re.sub(r"var\(--(\w+)\)", lambda name: colours[name[1]], "\n".join(rules))


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
