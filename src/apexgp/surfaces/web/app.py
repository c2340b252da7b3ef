"""The application: paths, what each takes and gives, and every error in one shape."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, TypeGuard

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, create_model
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from ...question_base.column_settings import ColumnSettings
from ...question_base.schemas import build_parts
from ...settings import list_settings, read_settings
from ..chart.figure import read_chart_script, read_chart_style
from ..documents import list_answer_documents
from ..requests import build_field, list_request_settings
from .answers import PAGE_QUESTIONS, READ, answer, list_requests, load_served_question
from .examples import ExamplesReply, load_examples
from .guard import Guard
from .page import fill_in, label_control
from .pool import BusyError, TookTooLongError, WorkerDiedError, WorkerPool
from .reading import ReadingReply, Upload
from .refusals import UNPREPARED, ErrorReply, RefusalError

__all__ = ["COMPUTE_SECONDS", "build_application", "make_app"]

COMPUTE_SECONDS = 30.0  # after which a computation is given up
_MOST_WAITING = 200  # requests, for one of the processes
_COMPONENTS = "#/components/schemas/"
_OTHER_REPLIES = (ErrorReply, ExamplesReply, ReadingReply)
_COLUMNS: dict[str, Any] = {one.name: build_field(one) for one in list_settings(ColumnSettings)}
_ColumnsQuery = create_model("ColumnsQuery", **_COLUMNS)
_TAKES = {"/api/read": "application/octet-stream"}  # where it is not JSON
_MEDIA = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def _json_of(*kinds: type) -> dict[str, Any]:
    """A reply that is one of several types, as OpenAPI describes it."""
    either = [{"$ref": f"{_COMPONENTS}{kind.__name__}"} for kind in kinds]
    return {"content": {"application/json": {"schema": either[0] if len(either) == 1 else {"anyOf": either}}}}


_REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"description": text, **_json_of(ErrorReply)}
    for code, text in {
        400: "The request is malformed.",
        401: "The token is missing or wrong.",
        403: "The request comes from a page of another site.",
        408: "The request did not arrive in time.",
        413: "The request is too large.",
        415: "This path does not accept the content type.",
        421: "The Host header is not this server's name.",
        422: "The measurements or an argument cannot be used.",
        503: "The server is too busy, or the request takes too long.",
    }.items()
}


class _DescribedApplication(FastAPI):
    """An application whose description has the schemas of the documents, which pydantic does not know."""

    def openapi(self) -> dict[str, Any]:
        """The description at /openapi.json."""
        described = super().openapi()
        kinds = chain(_OTHER_REPLIES, *(list_answer_documents(load_served_question(kind)) for kind in list_requests()))
        described["components"]["schemas"] |= build_parts(kinds, _COMPONENTS)
        return described


def make_app(host: str = "127.0.0.1", token: str | None = None, workers: int | None = None) -> ASGIApp:
    """The application behind its guard.

    Parameters
    ----------
    host
        The address that it will be served on, which decides the names that it goes by.
    token
        What requests must carry; None: nothing.
    workers
        Processes that compute; by default one per core, and two at least.
    """
    app = build_application(max(2, os.cpu_count() or 2) if workers is None else workers)
    for path, kind, content in _own_files():
        app.add_route(path, _file(content, kind), methods=["GET"], include_in_schema=False)
    taken = {route.path: _TAKES.get(route.path, "application/json") for route in app.routes if _is_posted(route)}
    return Guard(app, host, token, taken)


def build_application(workers: int = 2) -> FastAPI:
    """Build the application with its description; no process is started before it is served."""

    @asynccontextmanager
    async def with_workers(app: FastAPI) -> AsyncIterator[None]:
        app.state.pool = WorkerPool(answer, workers, COMPUTE_SECONDS, _MOST_WAITING)
        try:
            yield
        finally:
            app.state.pool.close()

    app = _DescribedApplication(
        title="apexgp",
        version=version("apexgp"),
        description="Forecast what a classifier will score with more labelled data. Replies are the dictionaries that "
        "the commands print with `--json`.",
        docs_url=None,
        redoc_url=None,
        lifespan=with_workers,
        responses=_REFUSALS,
    )
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid)
    app.add_exception_handler(Exception, _handle_unexpected)
    app.add_exception_handler(RefusalError, _handle_refusal)
    _add_paths(app)
    return app


def _is_posted(route: BaseRoute) -> TypeGuard[Route]:
    return isinstance(route, Route) and "POST" in (route.methods or ())


def _add_paths(app: FastAPI) -> None:
    for kind, takes in list_requests().items():
        path = "/api/page/advice" if kind == "advice" else f"/api/{kind}"
        html = {"content": {"text/html": {"schema": {"type": "string"}}}}
        replies = list_answer_documents(load_served_question(kind))
        app.post(path, responses={200: _json_of(*replies) if replies else html})(_ask(kind, takes))

    @app.post(
        "/api/read",
        responses={200: _json_of(ReadingReply)},
        openapi_extra={
            "requestBody": {
                "required": True,
                "description": "Delimited text, or a workbook (.xlsx).",
                "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
            }
        },
    )
    async def read(request: Request, given: Annotated[_ColumnsQuery, Query()]) -> Response:  # type: ignore[valid-type]
        """A file, or text from a spreadsheet, as it is understood: cells, roles, curves, doubts."""
        columns = read_settings(ColumnSettings, vars(given))
        return await _answer(request, READ, Upload(await request.body(), columns))

    @app.get("/api/examples", responses={200: _json_of(ExamplesReply)})
    async def example_list() -> Any:
        """Curves to try the page with."""
        return {"examples": load_examples()}


def _ask(kind: str, takes: type[BaseModel]) -> Callable[..., Coroutine[Any, Any, Response]]:
    """The function that answers requests of a kind, as FastAPI wants it: with a name, a docstring and annotations."""

    async def ask(request: Request, given: BaseModel) -> Response:
        return await _answer(request, kind, given.model_dump())

    ask.__name__, ask.__doc__ = kind, takes.__doc__
    ask.__annotations__["given"] = takes
    return ask


def _own_files() -> Iterator[tuple[str, str, bytes]]:
    """The files that make the page: path, media type, content. Charts have theirs within reports, too."""
    for file in (files(__package__) / "static").iterdir():
        kind = _MEDIA[Path(file.name).suffix]
        if file.name == "index.html":
            yield "/", kind, fill_in(file.read_text(encoding="utf-8")).encode()
        else:
            yield f"/{file.name}", kind, file.read_bytes()
    yield "/chart.js", _MEDIA[".js"], read_chart_script().encode()
    yield "/chart.css", _MEDIA[".css"], read_chart_style().encode()


def _file(content: bytes, kind: str) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def send_file(_request: Request) -> Response:
        return Response(content, media_type=kind)

    return send_file


async def _answer(request: Request, kind: str, asked: dict[str, Any] | Upload) -> Response:
    async def is_wanted() -> bool:
        return not await request.is_disconnected()

    pool: WorkerPool = request.app.state.pool
    try:
        reply = await pool.answer((kind, asked), slow=_is_slow(kind, asked), wanted=is_wanted)
    except BusyError:
        raise RefusalError(503, None, "The server is busy. Try again in a moment.", "server") from None
    except TookTooLongError:
        raise RefusalError(
            503, None, f"This would take longer than {COMPUTE_SECONDS:g} seconds. Send fewer rows.", "server"
        ) from None
    except WorkerDiedError:
        raise RefusalError(
            503, None, "The process computing this died, perhaps for lack of memory. Send fewer rows.", "server"
        ) from None
    if reply is None:
        return Response(status_code=499)  # nobody is there to read it
    status, media, body = reply
    return Response(body, status, media_type=media)


def _is_slow(kind: str, asked: dict[str, Any] | Upload) -> bool:
    """Whether a request may take seconds: one of some kinds, or for the parts of the page that are opened."""
    return (kind != READ and load_served_question(kind).is_slow) or any(
        getattr(asked, part, False) for part in ("backtest", "doubts", "is_workbook")
    )


async def _handle_refusal(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RefusalError)
    return problem.response()


async def _handle_http_error(_request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    response = RefusalError(problem.status_code, None, f"{problem.detail}.").response()
    response.headers.update(problem.headers or {})
    return response


async def _handle_invalid(request: Request, problem: Exception) -> Response:
    """The first thing that is wrong with the fields of a request."""
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    if first["type"] == "json_invalid":
        return RefusalError(400, None, "The request is not valid JSON.").response()
    place = [str(part) for part in first["loc"][1:]]
    field = "".join(place[:1])
    named = _label(field) if request.url.path.startswith("/api/page") else field
    message = f"{named or 'The request'}: {first['msg']}."
    return RefusalError(422, place[0] if place else None, message).response()


def _label(field: str) -> str:
    """A field of a request of the page as its reader knows it."""
    settings = (one for question in PAGE_QUESTIONS.values() for one in list_request_settings(question))
    return next((label_control(one) for one in settings if one.name == field), field)


async def _handle_unexpected(_request: Request, _problem: Exception) -> Response:
    return RefusalError(500, None, UNPREPARED, "server").response()
