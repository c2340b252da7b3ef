"""Training-set sizes that a question is about, as numbers or multiples of a pilot's largest; how they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from numpy.typing import ArrayLike

from .._check import check_positive, check_real_array, check_sizes
from ..errors import RequestError
from ..settings import Setting

__all__ = ["SizeSpec", "build_sizes_setting", "format_multiples", "parse_sizes", "write_number", "write_sizes"]

_LIMITS: Mapping[str, Any] = {"max_length": 50, "examples": [["2x", "10x", "20000"]]}  # of a server
_UNITS = {"k": 1e3, "m": 1e6}


@dataclass(frozen=True)
class SizeSpec:
    """Sizes, and multiples of the largest size that was measured; where it has neither, the usual ones are meant."""

    sizes: tuple[float, ...] = ()
    times: tuple[float, ...] = ()

    @classmethod
    def build(
        cls, sizes: ArrayLike | None = None, times: ArrayLike | None = None, *, arguments: tuple[str, str]
    ) -> Self:
        """Check sizes and multiples; errors name the `arguments` that these came as."""
        multiples = () if times is None else check_real_array(arguments[1], times).ravel().tolist()
        return cls(
            () if sizes is None else tuple(check_sizes(arguments[0], sizes).tolist()),
            tuple(check_positive(arguments[1], number) for number in multiples),
        )

    @property
    def is_open(self) -> bool:
        """Whether no size was asked for."""
        return not (self.sizes or self.times)

    def list_sizes(self, largest: float) -> list[float]:
        """The sizes in rising order, each once, given the pilot's largest."""
        return sorted({*self.sizes, *(number * largest for number in self.times)})

    def list_without_pilot(self, argument: str) -> list[float]:
        """The sizes in rising order, each once, before anything has been measured."""
        if self.times:
            raise RequestError(
                "must be sizes: without a pilot there is nothing to take multiples of.", argument=argument
            )
        return sorted(set(self.sizes))


def build_sizes_setting(help: str, *, default: str, arguments: tuple[str, ...], control: str = "") -> Setting:
    """The setting beside a field of type `SizeSpec`, which people write as in `parse_sizes`."""
    return Setting(
        help,
        control=control,
        default=default,
        arguments=arguments,
        server_limits=_LIMITS,
        written_type=list[str] | None,
        read=parse_sizes,
        write=write_sizes,
    )


def format_multiples(times: Sequence[float]) -> str:
    """Multiples of the largest size, as an option's help names them."""
    return " ".join(f"{number:g}x" for number in times)


def write_sizes(sizes: SizeSpec) -> list[str]:
    """The texts from which `parse_sizes` reads the same sizes."""
    return [*map(write_number, sizes.sizes), *(f"{write_number(number)}x" for number in sizes.times)]


def write_number(value: float) -> str:
    """A number in the fewest digits that give it back."""
    short = f"{value:.15g}"
    return short if float(short) == value else repr(float(value))


def parse_sizes(texts: Sequence[str] | None, argument: str = "sizes") -> SizeSpec:
    """Read sizes as people write them: 20000, 20_000, 20k, 1.5M, or 10x for ten times the largest of the pilot.

    One text may hold several, with commas between them. Errors are about the `argument` that is set so.
    """
    sizes: list[float] = []
    times: list[float] = []
    for text in (one for given in texts or () for one in _split_list(given, argument)):
        number, unit = _parse_size(text, argument)
        (times if unit == "x" else sizes).append(number * _UNITS.get(unit, 1.0))
    return SizeSpec.build(sizes or None, times or None, arguments=(argument, argument))


def _split_list(text: str, argument: str) -> list[str]:
    """The sizes in a text; a comma that may part thousands as well as sizes is refused."""
    if re.fullmatch(r"\s*[1-9]\d{0,2}(,\d{3})+\s*", text):
        joined = text.replace(",", "").strip()
        if re.search(r",0", text):
            return [joined]  # no size begins with a nought
        parts = text.strip().replace(",", ", ")
        raise RequestError(
            f"can be read as {joined} or as {parts}. Write {joined}, or '{parts}' with spaces.", argument=argument
        )
    return [one for one in text.split(",") if one.strip()] or [text]


def _parse_size(text: str, argument: str) -> tuple[float, str]:
    if re.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+", text.strip()):  # thousands, as much of Europe writes them
        whole = text.strip().replace(".", "")
        if text.count(".") == 1:
            either = f"{float(text):g} or as {whole}"
            raise RequestError(f"can be read as {either}. Write {whole} if that is meant.", argument=argument)
        text = whole
    match = re.fullmatch(r"(\d+(?:_\d+)*(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*([kKmMxX]?)", text.strip())
    if match is None:
        raise RequestError(f"must be a training-set size such as 20000, 20k or 10x, got {text!r}.", argument=argument)
    return float(match[1]), match[2].lower()
