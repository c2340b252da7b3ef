"""Base classes of questions and their answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args, get_type_hints

from .._answer import Answer

if TYPE_CHECKING:
    from ..curve import LearningCurve
    from ..estimators import APExGP
    from .model_settings import MethodSettings

__all__ = ["Cells", "Question", "QuestionAnswer", "build_table", "list_answer_types"]

Cells = tuple[list[str], list[list[str]]]
"""A table of text: the names of its columns, and its rows."""


class QuestionAnswer(ABC):
    """Base of all answers: a document for JSON and a table to read.

    The type that `document` is annotated with makes the JSON Schema. An answer that can be drawn has a method `display`
    as well, which returns a `Display`.
    """

    introduction: str = ""
    """A line above the table."""

    @abstractmethod
    def document(self) -> Any:
        """The answer for JSON: what `--json` prints, the page's interface sends, and tools give."""

    @abstractmethod
    def table(self) -> Cells:
        """The answer as a table to read."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question: its fields are its settings (`apexgp.settings`), its docstring says what it asks.

    A subclass in a room of its own, `questions/<name>.py`, is a command, a path of the page's interface, a tool of the
    assistant and a schema without further ado. It checks its settings in `__post_init__`, so that whoever asks is told
    what is wrong before any work is done, and answers in `answer`, which gets

    * nothing, where `pilots` is "none";
    * a model fitted to the curve, where it is "one" (the curve itself, where `model_settings` is None);
    * a model, fitted or not, where it is "one or none";
    * the curves by name and an unfitted model, where it is "several".

    The first line of the docstring is the help in the list of commands and the heading in reports: keep it short.
    """

    pilots: ClassVar[Literal["none", "one", "one or none", "several"]] = "none"
    """How many measured curves it is about."""
    model_settings: ClassVar[type[MethodSettings] | None] = None
    """The settings of the model that answers; None where the curves alone do."""
    is_served: ClassVar[bool] = True
    """Whether the page's interface and assistants may ask it; not where it reads files of this machine."""
    has_own_place: ClassVar[bool] = False
    """Whether page and report were laid out for it. Others get a block of the page, and a section of reports where all
    settings have defaults; a curve that it refuses is then named there."""
    is_slow: ClassVar[bool] = False
    """Whether an answer may take seconds, so that a server keeps room for others."""

    def ask(self, curves: Mapping[str, LearningCurve], model: APExGP | None) -> QuestionAnswer:
        """Put the question to curves by name, and to the model that is to be fitted to them."""
        answer = cast(Any, self).answer
        if self.pilots == "several":
            found = answer(curves, model)
        elif self.pilots == "none":
            found = answer()
        elif not curves:
            found = answer(model)
        else:
            (curve,) = curves.values()
            found = answer(curve if model is None else model.fit(curve))
        return cast(QuestionAnswer, found)


def list_answer_types(question: type[Question]) -> tuple[type, ...]:
    """The types that an answer may have, by the annotation of `answer`."""
    returned = get_type_hints(cast(Any, question).answer)["return"]
    return get_args(returned) or (returned,)


def build_table(answer: Answer) -> Cells:
    """The table that an answer of the library shows of itself."""
    shown = answer.shown()
    return list(shown.header), [list(row) for row in shown.rows]
