"""Training-set sizes that a question is about: as they are, or as multiples of a largest size not known yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from numpy.typing import ArrayLike

from .._check import check_positive, check_real_array, check_sizes
from ..errors import RequestError

__all__ = ["Reach"]


@dataclass(frozen=True)
class Reach:
    """Sizes, and multiples of the largest size that was measured; none of either stands for what is usual."""

    sizes: tuple[float, ...] = ()
    times: tuple[float, ...] = ()

    @classmethod
    def checked(
        cls, sizes: ArrayLike | None = None, times: ArrayLike | None = None, *, arguments: tuple[str, str]
    ) -> Self:
        """Refuse what is no size and no multiple, by the names of the `arguments` that they came as."""
        multiples = () if times is None else check_real_array(arguments[1], times).ravel().tolist()
        return cls(
            () if sizes is None else tuple(check_sizes(arguments[0], sizes).tolist()),
            tuple(check_positive(arguments[1], number) for number in multiples),
        )

    @property
    def is_open(self) -> bool:
        """Whether nothing was asked for."""
        return not (self.sizes or self.times)

    def beyond(self, largest: float) -> list[float]:
        """The sizes in rising order, each once, beside a largest size."""
        return sorted({*self.sizes, *(number * largest for number in self.times)})

    def without_pilot(self, argument: str) -> list[float]:
        """The same before anything has been measured."""
        if self.times:
            raise RequestError(
                "must be sizes: without a pilot there is nothing to take multiples of.", argument=argument
            )
        return sorted(set(self.sizes))
