"""How a function becomes a command: groups of options spread out for typer, errors worded in the command's options."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any

from typer.models import OptionInfo

from ..errors import ApexError
from ..vocabulary import Vocabulary

__all__ = ["Sets", "arguments_set", "command", "options_of", "phrases_of"]


class Sets:
    """Beside an option, or a field of a request: the arguments that it sets, where they are not called as it is.

    A yes-or-no option may set an argument to one of two values: `on_and_off` gives them.
    """

    def __init__(self, *arguments: str, on_and_off: tuple[str, str] | None = None) -> None:
        self.arguments, self.on_and_off = arguments, on_and_off


def arguments_set(name: str, about: Iterable[Any]) -> tuple[str, ...]:
    """The arguments of the library that an option or field sets, by its name and what stands beside it."""
    return next((note.arguments for note in about if isinstance(note, Sets)), (name,))


def phrases_of(arguments: Iterable[str], about: Iterable[Any], on: str, off: str) -> dict[tuple[str, str], str]:
    """How a yes-or-no option or field sets its arguments to each of their two values; empty for any other."""
    values = next((note.on_and_off for note in about if isinstance(note, Sets)), None)
    if values is None:
        return {}
    return {(argument, value): word for argument in arguments for value, word in zip(values, (on, off), strict=True)}


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function of groups of options into one of single options, which typer can read.

    A parameter that is annotated with a dataclass stands for its fields, each an option (or argument) of the command.
    They are shown in the order of the signature. An error of the library leaves the command with the options in place
    of the arguments that it is about.
    """
    groups = {
        name: parameter.annotation
        for name, parameter in inspect.signature(function, eval_str=True).parameters.items()
        if _is_group(parameter.annotation)
    }
    options = options_of(function)

    @wraps(function)
    def run(**given: Any) -> None:
        try:
            for name, group in groups.items():
                given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
            function(**given)
        except ApexError as problem:
            problem.worded_for(options)
            raise

    parameters = _spread_out(function)
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def options_of(function: Callable[..., Any]) -> Vocabulary:
    """The option of a command, or of a group of options, that sets each argument of the library."""
    words: dict[str, str] = {}
    switches: set[str] = set()
    phrases: dict[tuple[str, str], str] = {}
    for parameter in _spread_out(function):
        about = getattr(parameter.annotation, "__metadata__", ())
        option = next((info for info in about if isinstance(info, OptionInfo)), None)
        if option is None:
            continue  # a file, which messages call by its name
        # In Annotated, the first name that is declared is where the default would be.
        declared = [name for name in (option.default, *(option.param_decls or ())) if isinstance(name, str)]
        arguments = arguments_set(parameter.name, about)
        # Flags for yes and no are declared as one: --lower-is-better/--higher-is-better.
        on, _, off = (declared[0] if declared else "--" + parameter.name.replace("_", "-")).partition("/")
        words |= dict.fromkeys(arguments, on)
        phrases |= phrases_of(arguments, about, on, off)
        if parameter.annotation.__origin__ is bool:
            switches.update(arguments)
    return Vocabulary(words, _typed, frozenset(switches), phrases)


def _spread_out(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function, with the fields of a group in its place."""
    spread: list[inspect.Parameter] = []
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        group = parameter.annotation
        spread += inspect.signature(group, eval_str=True).parameters.values() if _is_group(group) else [parameter]
    return spread


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _typed(option: str, value: Any) -> str:
    """An option as it is typed; the value None is the reader's to choose."""
    if value is None:
        return option
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in (value if isinstance(value, list) else [value]))
