"""What tells the printed method from the written one, as one value.

The paper's tables come from released code that departs from the paper's text in a handful of constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e

from .._check import check_bool, check_whole_number
from .checks import FARTHEST, check_between, check_positive_distribution
from .elicitation import LAMBDA_PRINTED, LAMBDA_WRITTEN, PositiveNormal

__all__ = ["PUBLISHED", "SIGMA_STEPS", "SIGMA_UPPER", "WRITTEN", "Variant"]

SIGMA_STEPS = 300  # at most
SIGMA_UPPER = (0.002, 1e3)  # between which the upper end of the elicitation's box may lie; the lower one is 0.001


@dataclass(frozen=True)
class Variant:
    """Constants of the model on which the paper's text and its released code disagree.

    Parameters
    ----------
    log_base
        Base of the logarithm that the kernel takes of the sizes.
    noise_floor
        Least standard deviation tau of the noise.
    lambda_prior
        Prior on the kernel's length-scale.
    sigma_upper
        Largest location and scale that the elicitation of sigma's prior may choose.
    window_to_ceiling
        Whether W, the room above the best pilot score, ends at the ceiling or (false) at 1.
    sigma_steps
        How many locations, and as many scales, equally far apart, the elicitation chooses from; 0: any.
    """

    log_base: float
    noise_floor: float
    lambda_prior: PositiveNormal
    sigma_upper: float
    window_to_ceiling: bool
    sigma_steps: int = 0

    def __post_init__(self) -> None:
        check_positive_distribution("lambda_prior", self.lambda_prior)
        checked = {
            "log_base": check_between("log_base", self.log_base, 1.001, FARTHEST),
            "noise_floor": check_between("noise_floor", self.noise_floor, 0.0, 1.0),
            "sigma_upper": check_between("sigma_upper", self.sigma_upper, *SIGMA_UPPER),
            "window_to_ceiling": check_bool("window_to_ceiling", self.window_to_ceiling),
            "sigma_steps": check_whole_number("sigma_steps", self.sigma_steps, least=0, most=SIGMA_STEPS),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)


PUBLISHED = Variant(
    log_base=10.0,
    noise_floor=0.01,
    lambda_prior=LAMBDA_PRINTED,
    sigma_upper=0.05,
    window_to_ceiling=True,
    sigma_steps=100,
)
"""The released code, which the printed tables come from."""

WRITTEN = Variant(
    log_base=e,
    noise_floor=0.0,
    lambda_prior=LAMBDA_WRITTEN,
    # No bound in the text. W is at most 1, so the window 6 sigma asks for locations of at most 1/8.
    sigma_upper=0.2,
    window_to_ceiling=False,
)
"""The paper's text, to the letter."""
