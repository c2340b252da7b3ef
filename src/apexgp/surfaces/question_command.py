"""The command of a question that needs no more options than its settings: asks, prints, draws."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, cast

from ..question_base.question import Question, list_answer_types
from .output import OutputOptions, PictureOptions

__all__ = ["build_question_command"]


def build_question_command(question: type[Question]) -> Callable[..., None]:
    """A function of groups of options that puts a question to the file that is named, if it is about one."""

    def ask(
        *,
        asked: Question,
        output: OutputOptions,
        settings: Any = None,
        priors: Any = None,
        picture: PictureOptions | None = None,
        source: Any = None,
    ) -> None:
        model = None if priors is None else priors.build_model(settings)
        curve = None if source is None else source.only_curve
        answer = asked.ask({} if curve is None else {"": curve}, model)
        output.present(answer)
        if picture is not None:
            picture.draw(cast(Any, answer).display, output)

    # What is not needed is not imported: a question about no curve answers without the engine and the reader.
    groups: dict[str, type] = {"asked": question}
    if question.model_settings is not None:
        from .options import PriorsOptions

        groups |= {"settings": question.model_settings, "priors": PriorsOptions}
    if all(hasattr(kind, "display") for kind in list_answer_types(question)):
        groups["picture"] = PictureOptions
    groups["output"] = OutputOptions
    if question.pilots != "none":
        from .curve_file import CurveFile, OptionalCurveFile

        groups["source"] = CurveFile if question.pilots == "one" else OptionalCurveFile
    ask.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in groups.items()]
    )
    ask.__doc__ = question.__doc__
    return ask
