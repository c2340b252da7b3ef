"""Settings, declared once: options, fields of requests, arguments of tools, schemas and messages are derived from them.

A setting is a field of a dataclass with a `Setting` beside its type::

    rounds: Annotated[int, Setting("Number of rounds of collection.", least=1, most=30)] = 3

A dataclass with settings is called a group here. It checks the values itself, whichever surface they come from: bounds
stated here describe, for schemas, what it checks. Limits that protect a server, such as the length of a text, are
enforced by the server.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from .vocabulary import Vocabulary

__all__ = [
    "REQUIRED",
    "DeclaredSetting",
    "Setting",
    "build_vocabulary",
    "list_changes",
    "list_settings",
    "read_settings",
    "resolve_types",
]

Group = TypeVar("Group")
REQUIRED = MISSING
"""The default of a setting that has none."""


@dataclass(frozen=True)
class Setting:
    """Everything that surfaces must know about a field beyond its name, type and default.

    Attributes
    ----------
    help : str
        Purpose in a sentence or two.
    name : str
        Name of the option and of the field of requests, where it is not that of the field.
    option : str
        Name of the option alone, where another one reads better on the command line.
    control : str
        The label of its control on the page.
    default : str
        The default in words, where its value does not say it.
    arguments : tuple of str
        The arguments of the library that it sets, where they are not called as the field is.
    choices : sequence of str
        The words that it can be set to.
    above, least, most, below : float
        Bounds for schemas: value > above, >= least, <= most, < below. They are not checked here, but in the
        `__post_init__` of the dataclass, by the functions of `_check`.
    server_limits : mapping
        Further constraints of pydantic that only a server enforces, such as {"max_length": 50}.
    accepts_percent : bool
        Whether the command line accepts 82% for 0.82.
    written_type : type
        Type of what people write, where it is not that of the field.
    read : callable
        read(written, argument) -> value of the field; errors name the argument.
    write : callable
        write(value) -> what people would write.
    flags : tuple of two str
        For yes and no: the options on the command line, and the values of the argument that they stand for.
    """

    help: str
    _: KW_ONLY
    name: str = ""
    option: str = ""
    control: str = ""
    default: str = ""
    arguments: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    most: float | None = None
    below: float | None = None
    server_limits: Mapping[str, Any] = field(default_factory=dict)
    accepts_percent: bool = False
    written_type: Any = None
    read: Callable[[Any, str], Any] | None = None
    write: Callable[[Any], Any] | None = None
    flags: tuple[tuple[str, str], tuple[str, str]] | None = None

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds as JSON Schema has them."""
        named = {
            "exclusiveMinimum": self.above,
            "minimum": self.least,
            "maximum": self.most,
            "exclusiveMaximum": self.below,
        }
        return {keyword: bound for keyword, bound in named.items() if bound is not None}


@dataclass(frozen=True)
class DeclaredSetting:
    """A setting together with the field that it stands beside."""

    field: str
    type: Any
    default: Any
    setting: Setting

    @property
    def name(self) -> str:
        """Name of the option and of the field of requests."""
        return self.setting.name or self.field

    @property
    def option(self) -> str:
        """The option of the command line."""
        return "--" + (self.setting.option or self.name).replace("_", "-")

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments of the library that it sets."""
        return self.setting.arguments or (self.field,)

    @property
    def written_type(self) -> Any:
        """The type of what people write."""
        return self.type if self.setting.written_type is None else self.setting.written_type

    @property
    def written_default(self) -> Any:
        """The default as people would write it; what is read from text has none."""
        return self.default if self.setting.read is None or self.default is REQUIRED else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it can be set to, if it is set to a word."""
        if self.setting.choices:
            return self.setting.choices
        return next((get_args(one) for one in _alternatives(self.type) if get_origin(one) is Literal), ())

    @property
    def is_switch(self) -> bool:
        """Whether it is either on or off."""
        return bool in _alternatives(self.type)

    def read(self, value: Any) -> Any:
        """The value of the field, from what was written."""
        return value if self.setting.read is None else self.setting.read(value, self.arguments[0])

    def write(self, value: Any) -> Any:
        """Text that `read` turns into a value of the field."""
        return value if self.setting.write is None else self.setting.write(value)


def _alternatives(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)


def list_settings(group: Any) -> tuple[DeclaredSetting, ...]:
    """The settings of a dataclass, in the order of its fields; fields without a `Setting` are none."""
    return _find_settings(group)


@cache
def _find_settings(group: Any) -> tuple[DeclaredSetting, ...]:
    hints = resolve_types(group)
    found = []
    for one in fields(group):
        if get_origin(hints[one.name]) is not Annotated:
            continue
        kind, *notes = get_args(hints[one.name])
        setting = next((note for note in notes if isinstance(note, Setting)), None)
        if setting is not None:
            default = one.default if one.default_factory is MISSING else one.default_factory()
            found.append(DeclaredSetting(one.name, kind, default, setting))
    return tuple(found)


def resolve_types(group: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass, with what stands beside them; each is known where its class stands."""
    found: dict[str, Any] = {}
    for one in fields(group):
        home = next(base for base in group.__mro__ if one.name in vars(base).get("__annotations__", {}))
        annotated = types.SimpleNamespace(__annotations__={one.name: vars(home)["__annotations__"][one.name]})
        names = vars(sys.modules[home.__module__])
        found |= get_type_hints(annotated, names, include_extras=True)
    return found


def read_settings(group: type[Group], written: Mapping[str, Any]) -> Group:
    """Make a group of what was written for its settings, by their names; those that are absent keep their default."""
    known = [one for one in list_settings(group) if one.name in written]
    return group(**{one.field: one.read(written[one.name]) for one in known})


def list_changes(group: object) -> Iterator[tuple[DeclaredSetting, Any]]:
    """The settings of a group whose values are not the defaults, with these values."""
    for one in list_settings(type(group)):
        value = getattr(group, one.field)
        if value != one.default:
            yield one, value


def build_vocabulary(
    settings: Iterable[DeclaredSetting],
    name: Callable[[DeclaredSetting], str],
    assign: Callable[[str, Any], str],
    outer: Vocabulary | None = None,
) -> Vocabulary:
    """Map arguments of the library to what a surface calls them.

    Parameters
    ----------
    settings
        The settings that can be set there.
    name
        The word for a setting, such as --share.
    assign
        How a word is given a value, such as --share 0.5.
    outer
        Where the words of other arguments are found.
    """
    words: dict[str, str] = {}
    switches: set[str] = set()
    phrases: dict[tuple[str, str], str] = {}
    for one in settings:
        word = name(one)
        words |= dict.fromkeys(one.arguments, word)
        for (flag, value), on in zip(one.setting.flags or (), (True, False), strict=False):
            phrase = flag if word.startswith("--") else assign(word, on if outer is None else value)
            phrases |= dict.fromkeys(((argument, value) for argument in one.arguments), phrase)
        if one.is_switch:
            switches.update(one.arguments)
    return Vocabulary(words, assign, frozenset(switches), phrases, outer)
