"""Commands made of functions: groups of settings are spread out as options, errors are worded in these options."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args

import typer
from typer.models import OptionInfo

from ..errors import ApexError, RequestError
from ..reading.cells import number_in
from ..settings import REQUIRED, DeclaredSetting, build_vocabulary, list_settings, resolve_types
from ..vocabulary import Vocabulary

__all__ = ["SetsArgument", "build_command", "build_options_vocabulary", "complete", "parse_numbers", "share_option"]

_MAY_GROUP = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}\s*%?")  # a fraction, or thousands


class SetsArgument:
    """Beside an option of the command line alone: the arguments that it sets, where they are not called as it is.

    A yes-or-no option may set an argument to one of two values: `on_and_off` gives them.
    """

    def __init__(self, *arguments: str, on_and_off: tuple[str, str] | None = None) -> None:
        self.arguments, self.on_and_off = arguments, on_and_off


def complete(*words: str) -> Callable[[str], list[str]]:
    """Words that a shell can complete an option's value with."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def share_option(*names: str, help: str, **more: Any) -> Any:
    """An option that takes a score or a probability as people write it: 0.82, 0,82 or 82%."""
    return typer.Option(*names, help=help, parser=_parse_share, metavar="<float>", **more)


def _parse_share(value: str | float) -> float:
    text = str(value).strip()
    if _MAY_GROUP.fullmatch(text):
        fraction, whole = text.replace(",", "."), text.replace(",", "")
        raise typer.BadParameter(f"{text!r} can be read as {fraction} or as {whole}. Write the one that is meant.")
    try:
        return number_in(text, decimal_comma=text.count(",") == 1 and "." not in text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number. Write it as 0.82 or 82%.") from None


def parse_numbers(argument: str, text: str, separator: str) -> list[float]:
    """Numbers with a sign between them, as an option takes them."""
    try:
        return [float(part) for part in text.split(separator)]
    except ValueError:
        raise RequestError(f"must be numbers separated by {separator!r}, got {text!r}.", argument=argument) from None


def build_command(function: Callable[..., None]) -> Callable[..., None]:
    """Turn a function of groups of options into one of single options, which typer can read.

    A parameter that is annotated with a dataclass stands for its settings, and for those of its fields that are options
    of typer. They are shown in the order of the signature; one that the function takes itself is not in the group. An
    error of the library leaves the command with the options in place of the arguments that it is about.
    """
    groups = {
        name: parameter.annotation
        for name, parameter in _signature(function).parameters.items()
        if _is_group(parameter.annotation)
    }
    own = set(_signature(function).parameters) - set(groups)
    vocabulary = build_options_vocabulary(function)

    @wraps(function)
    def run(**given: Any) -> None:
        try:
            for name, group in groups.items():
                given[name] = _fill(group, given, own)
            function(**given)
        except ApexError as problem:
            problem.worded_for(vocabulary)
            raise

    parameters = list(_list_options(function))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _fill(group: type, given: dict[str, Any], own: set[str]) -> Any:
    """A group from the options that were given; those that the function takes itself are left to it."""
    settings = {one.field: one for one in list_settings(group)}
    values = {}
    for name, hint in resolve_types(group).items():
        if name in settings:
            if settings[name].name not in own:
                values[name] = settings[name].read(given.pop(settings[name].name))
        elif hasattr(hint, "__metadata__"):
            values[name] = given.pop(name)
    return group(**values)


def build_options_vocabulary(function: Callable[..., Any]) -> Vocabulary:
    """The option of a command, or of a group of options, that sets each argument of the library."""
    words: dict[str, str] = {}
    switches: set[str] = set()
    phrases: dict[tuple[str, str], str] = {}
    for parameter in _list_options(function):
        about = getattr(parameter.annotation, "__metadata__", ())
        declared = next((note for note in about if isinstance(note, DeclaredSetting)), None)
        option = next((note for note in about if isinstance(note, OptionInfo)), None)
        if declared is not None:
            own = build_vocabulary([declared], lambda one: one.option, _type_option)
            words |= own.words
            phrases |= own.phrases
            switches |= own.switches
        elif option is not None:  # a file is called by its name in messages
            sets = next((note for note in about if isinstance(note, SetsArgument)), SetsArgument(parameter.name))
            # In Annotated, the first name that is declared is where the default would be.
            names = [name for name in (option.default, *(option.param_decls or ())) if isinstance(name, str)]
            # Flags for yes and no are declared as one: --lower-is-better/--higher-is-better.
            on, _, off = (names[0] if names else "--" + parameter.name.replace("_", "-")).partition("/")
            words |= dict.fromkeys(sets.arguments, on)
            for value, flag in zip(sets.on_and_off or (), (on, off), strict=False):
                phrases |= {(argument, value): flag for argument in sets.arguments}
            if parameter.annotation.__origin__ is bool:
                switches.update(sets.arguments)
    return Vocabulary(words, _type_option, frozenset(switches), phrases)


def _list_options(function: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    """The parameters of a function, with the options of a group in its place; or those of a group alone."""
    if _is_group(function):
        yield from _list_group_options(function, set())
        return
    parameters = _signature(function).parameters.values()
    own = {parameter.name for parameter in parameters}
    for parameter in parameters:
        if _is_group(parameter.annotation):
            yield from _list_group_options(parameter.annotation, own)
        else:
            yield parameter


def _list_group_options(group: Any, own: set[str]) -> Iterator[inspect.Parameter]:
    settings, hints = {one.field: one for one in list_settings(group)}, resolve_types(group)
    for one in fields(group):
        if one.name not in settings and hasattr(hints[one.name], "__metadata__"):
            yield _build_parameter(one.name, hints[one.name], one.default)
        elif one.name in settings and settings[one.name].name not in own:
            yield _build_option(settings[one.name])


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function, eval_str=True)


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _build_parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(
        name, kind, default=inspect.Parameter.empty if default is REQUIRED else default, annotation=annotation
    )


def _build_option(declared: DeclaredSetting) -> inspect.Parameter:
    """The option of a setting, as typer takes it."""
    about, kind = declared.setting, _option_type(declared)
    help, names = about.help, [declared.option]
    if about.flags is not None:
        names = ["/".join(flag for flag, _ in about.flags)]
    if list[str] in get_args(kind):
        help += " Repeat for several." if about.read is None else " Repeat for several, or separate them by commas."
    usual = declared.written_default
    more: dict[str, Any] = {"show_default": about.default or (usual is not None and usual is not False)}
    if declared.choices:
        more["autocompletion"] = complete(*declared.choices)
    option = (
        share_option(*names, help=help, **more) if about.accepts_percent else typer.Option(*names, help=help, **more)
    )
    default = REQUIRED if declared.default is REQUIRED else declared.written_default
    return _build_parameter(declared.name, Annotated[kind, option, declared], default)


def _option_type(declared: DeclaredSetting) -> Any:
    """The type of what is typed: a word where it may be one, and whatever typer can read otherwise."""
    alternatives = get_args(declared.written_type) or (declared.written_type,)
    optional = type(None) in alternatives
    for kind in (list[str], str, bool, int, float):
        if kind in alternatives or (kind is str and declared.choices):
            return kind | None if optional else kind
    raise TypeError(f"No option can be made of {declared.field}: {declared.written_type}.")


def _type_option(option: str, value: Any) -> str:
    """An option as it is typed; the value None is the reader's to choose."""
    if value is None:
        return option
    if isinstance(value, Mapping):
        value = ",".join(f"{key}={entry}" for key, entry in value.items())
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return " ".join(f"{option} {shlex.quote(str(one))}" for one in (value if isinstance(value, list) else [value]))
