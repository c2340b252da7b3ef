"""Answers of the tools, computed in worker processes: the document of a command, and its gist in words."""

from __future__ import annotations

import os
import traceback
import warnings
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from ..._numbers import format_score, format_score_interval, format_size
from ...cautions import word_caution
from ...errors import ApexError, ApexWarning, RequestError
from ...question_base.question import QuestionAnswer
from ...questions import load_question
from ...questions.forecast import ForecastAnswer
from ...vocabulary import Vocabulary
from ..requests import answer_request, build_fields_vocabulary
from ..web.reading import read_text
from ..web.refusals import UNPREPARED
from .folders import read_file_within
from .tools import load_tool

__all__ = ["Call", "Reply", "answer"]

_MOST_FAULTS = 5  # arguments that are named in one message


class Call(NamedTuple):
    """A call of a tool, with the folders that may be read."""

    tool: str
    arguments: dict[str, Any]
    folders: tuple[Path, ...]


class Reply(NamedTuple):
    """The gist in words, and the document; without one, the text says what was wrong."""

    text: str
    document: dict[str, Any] | None = None


def answer(call: Call) -> Reply:
    """Answer a call."""
    takes, question = load_tool(call.tool, with_files=bool(call.folders)).takes, load_question(call.tool)
    words = build_fields_vocabulary(question)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            asked = _read_files(takes.model_validate(call.arguments), call)
            found, notes = answer_request(question, vars(asked), read_text)
            document = found.document()
        except ValidationError as problem:
            return Reply(_word_invalid(problem))
        except ApexError as problem:
            return Reply(str(problem.worded_for(words)))
        except Exception:  # whatever it is, the process goes on with the next call
            if os.environ.get("APEXGP_TRACEBACK"):
                traceback.print_exc()
            return Reply(UNPREPARED)
    notes += [str(one.message) for one in caught if isinstance(one.message, ApexWarning)]
    return Reply(_summarise(found, document, notes, words), document)


def _read_files(asked: BaseModel, call: Call) -> BaseModel:
    """Replace the files that a request names by what they hold."""
    table, tables = getattr(asked, "table", None), getattr(asked, "tables", {})
    file, files = getattr(asked, "file", None), getattr(asked, "files", {})
    if file is not None and table is not None:
        raise RequestError("Give table or file, not both.")
    if file is not None:
        return asked.model_copy(update={"table": read_file_within(file, call.folders)})
    if table is None and load_question(call.tool).pilots == "one":
        raise RequestError("The measurements are missing: give table (CSV text), or file.")
    twice = next((name for name in files if name in tables), None)
    if twice is not None:
        raise RequestError(f"{twice!r} is named in both tables and files. Give each model only one.")
    read = {name: read_file_within(path, call.folders) for name, path in files.items()}
    if call.tool == "compare" and len(tables) + len(read) < 2:
        raise RequestError("There must be two or more models to compare: give tables, or files, by their names.")
    return asked.model_copy(update={"tables": tables | read}) if read else asked


def _word_invalid(problem: ValidationError) -> str:
    """Message about arguments that pydantic refuses."""
    lines = []
    for fault in problem.errors()[:_MOST_FAULTS]:
        place = ".".join(map(str, fault["loc"]))
        lines.append(f"{place or 'The arguments'}: {fault['msg']}.")
    return " ".join(lines)


def _summarise(found: QuestionAnswer, document: dict[str, Any], notes: list[str], words: Vocabulary) -> str:
    """The answer as a person would be told."""
    lines = [document["sentence"], *_list_forecast_lines(found)]
    lines += [f"Caution: {word_caution(words, caution)}" for caution in document["cautions"]]
    return "\n".join([*lines, *(f"Note: {note}" for note in dict.fromkeys(notes))])


def _list_forecast_lines(found: QuestionAnswer) -> list[str]:
    """The forecast at each size, for assistants to which nothing but text is shown; of other answers nothing."""
    if not isinstance(found, ForecastAnswer):
        return []
    forecast, digits = found.forecast, found.decimals
    return [
        f"At {format_size(size)}: {format_score(mean, digits)} ({100 * found.question.level:g} % interval "
        f"{format_score_interval(low, high, digits)})."
        for size, mean, low, high in zip(forecast.sizes, forecast.mean, *found.ends, strict=True)
    ]
