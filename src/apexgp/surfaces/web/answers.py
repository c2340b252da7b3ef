"""Answers of the server; they are computed in worker processes, which know nothing of HTTP."""

from __future__ import annotations

import json
import os
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from typing import Any

from pydantic import BaseModel

from ...errors import ApexError, ApexWarning, DataError
from ...question_base.column_settings import ColumnSettings
from ...question_base.question import Question
from ...questions import load_question
from ...questions.report import ReportAnswer
from ...settings import build_vocabulary, list_settings
from ...vocabulary import Vocabulary
from ..report.page import build_report_page
from ..requests import (
    answer_request,
    assign_field,
    build_fields_vocabulary,
    build_request,
    list_served_questions,
    load_request,
)
from .page import AdviceQuestion, PageQuestion, build_controls_vocabulary, build_page_vocabulary
from .reading import Upload, read_text, read_upload
from .refusals import UNPREPARED, build_error_body

__all__ = ["PAGE_QUESTIONS", "Reply", "answer", "list_requests", "load_served_question"]

Reply = tuple[int, str, bytes]
"""Status, media type and body of an answer."""
PAGE_QUESTIONS: Mapping[str, type[Question]] = {"advice": AdviceQuestion, "page": PageQuestion}
"""Questions of the page itself, whose reader knows controls instead of fields."""
Fields = dict[str, Any]
"""The fields of a request by their names."""
READ = "read"
"""The kind of request that reads a file for the page."""


@cache
def list_requests() -> dict[str, type[BaseModel]]:
    """The type of every request with fields, by its kind."""
    own = {name: build_request(name, question) for name, question in PAGE_QUESTIONS.items()}
    return dict(sorted({**own, **{name: load_request(name) for name in list_served_questions()}}.items()))


def load_served_question(kind: str) -> type[Question]:
    """The question that a kind of request asks."""
    return PAGE_QUESTIONS[kind] if kind in PAGE_QUESTIONS else load_question(kind)


@cache
def _vocabularies(kind: str) -> tuple[Vocabulary, Vocabulary]:
    """The words for the arguments of a request: those of who asks, and its fields."""
    if kind == READ:
        columns = list_settings(ColumnSettings)
        fields = build_vocabulary(columns, lambda one: one.name, assign_field)
        return build_controls_vocabulary(columns, fields), fields
    question = load_served_question(kind)
    fields = build_fields_vocabulary(question)
    return build_page_vocabulary(question) if kind in PAGE_QUESTIONS else fields, fields


def answer(request: tuple[str, Fields | Upload]) -> Reply:
    """Answer a request: its kind, and its fields or the file that was sent.

    Fields travel to this process as a dictionary: classes that are made of settings cannot be pickled.
    """
    kind, asked = request
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _answer(kind, asked)
        except ApexError as problem:
            return 422, "application/json", _describe_error(kind, problem, asked)
        except Exception:  # whatever it is, the process goes on with the next request
            if os.environ.get("APEXGP_TRACEBACK"):
                traceback.print_exc()
            return 500, "application/json", build_error_body("server", UNPREPARED)
    if isinstance(found, str):
        return 200, "text/html; charset=utf-8", found.encode()
    if "notes" in found:
        said = [str(one.message) for one in caught if isinstance(one.message, ApexWarning)]
        found["notes"] += [note for note in dict.fromkeys(said) if note not in found["notes"]]
    return 200, "application/json", json.dumps(found, allow_nan=False).encode()


def _answer(kind: str, asked: Fields | Upload) -> Any:
    """A document, or the text of a report."""
    if isinstance(asked, Upload):
        return read_upload(asked, _vocabularies(kind)[0])
    found, notes = answer_request(load_served_question(kind), asked, read_text)
    if isinstance(found, ReportAnswer):
        return build_report_page({"": found}, {}, found.question)
    document = found.document()
    if "notes" in document:
        document["notes"] = [*notes, *document["notes"]]
    return document


def _describe_error(kind: str, problem: ApexError, asked: Fields | Upload) -> bytes:
    words, fields = _vocabularies(kind)
    problem.worded_for(words)
    # A file, and what the page holds, is asked about by what would settle the doubt: the question stands beside it.
    asks = kind == READ or (kind in PAGE_QUESTIONS and isinstance(problem, DataError) and not problem.faults)
    settling = [name for name, _ in problem.to_set] if asks else []
    argument = next(map(fields.name, filter(None, [problem.argument, *settling])), None)
    kind_of = "data" if isinstance(problem, DataError) else "request"
    rows = [asdict(fault) for fault in problem.faults] if isinstance(asked, dict) and "table" in asked else []
    return build_error_body(kind_of, str(problem), argument, rows)
