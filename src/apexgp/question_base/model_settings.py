"""The model that answers: settings that questions about a fitted curve share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from ..errors import RequestError
from ..estimators import APExGP
from ..inference.rounds import COARSEST, FINEST, TOLERATED
from ..learners import LEARNERS, UNKNOWN
from ..model.beliefs import Beliefs
from ..model.means import DEFAULT_MEAN, MEANS
from ..settings import Setting
from .question import Question

__all__ = ["CONFIDENCE_SETTING", "BayesSettings", "MethodSettings", "ModelQuestion", "ModelSettings"]

CONFIDENCE_SETTING = Setting(
    "Probability with which the target should be reached.",
    control="with a probability of",
    above=0,
    below=1,
    accepts_percent=True,
)
"""Beside a target: how sure to be that it is reached."""
_MOST_SEED = 2**53  # whole numbers that JSON carries exactly


@dataclass(frozen=True, kw_only=True)
class MethodSettings:
    """Settings that every method understands."""

    ceiling: Annotated[
        float,
        Setting(
            "Highest possible score; where lower is better, the chance level of the error rate.",
            control="Highest possible score (ceiling)",
            accepts_percent=True,
        ),
    ] = 1.0
    floor: Annotated[
        float,
        Setting(
            "Chance level, for instance 0.5 for AUROC; where lower is better, the lowest possible error rate.",
            control="Lowest possible score (floor)",
            accepts_percent=True,
        ),
    ] = 0.0
    seed: Annotated[int, Setting("Seed of the search.", least=0, server_limits={"ge": 0, "le": _MOST_SEED})] = 0


@dataclass(frozen=True, kw_only=True)
class BayesSettings(MethodSettings):
    """The model of this package, which integrates over its parameters."""

    noise: Annotated[float | None, Setting("Standard deviation you expect a single score to have.", above=0)] = None
    learner: Annotated[
        str | None,
        Setting(
            f"Kind of learner, whose priors are used: {', '.join(LEARNERS)}, or {UNKNOWN}.",
            control="Kind of learner",
            default="what the file says in its column learner, if it does",
            choices=(*LEARNERS, UNKNOWN),
        ),
    ] = None
    precision: Annotated[
        float | None,
        Setting(
            "Numerical precision of the ends of 95 % intervals, as a share of their width; halving it takes four times "
            "as long.",
            default=f"{TOLERATED:g}",
            least=FINEST,
            most=COARSEST,
        ),
    ] = None
    mean: Annotated[
        str | None,
        Setting(
            f"Shape of the curve: {', '.join(MEANS)}, or auto for an average weighted by evidence.",
            control="Shape of the curve",
            default=DEFAULT_MEAN,
            choices=(*MEANS, "auto"),
        ),
    ] = None

    def build_model(self, priors: Beliefs | None = None) -> APExGP:
        """The model that the settings describe, with these priors instead of the shipped ones if there are any."""
        return APExGP(
            self.mean or DEFAULT_MEAN,
            ceiling=self.ceiling,
            floor=self.floor,
            noise=self.noise,
            learner=self.learner,
            precision=self.precision,
            seed=self.seed,
            priors="calibrated" if priors is None else priors,
        )


@dataclass(frozen=True, kw_only=True)
class ModelSettings(BayesSettings):
    """The model of this package, or the one that Harvey et al. published."""

    published: Annotated[bool, Setting("Use the paper's method as published.")] = False

    def build_model(self, priors: Beliefs | None = None) -> APExGP:
        """The model that the settings describe, with these priors instead of the shipped ones if there are any."""
        if not self.published:
            return super().build_model(priors)
        refused = {"noise": self.noise, "precision": self.precision, "learner": self.learner, "priors": priors}
        for name, value in refused.items():
            if value is not None:
                raise RequestError("cannot be used with the published method.", argument=name)
        model: APExGP = APExGP.as_published(self.mean or "power_law", self.ceiling, self.floor)
        model.set_params(seed=self.seed)
        return model


@dataclass(frozen=True, kw_only=True)
class ModelQuestion(Question):
    """A question about one curve: `answer` gets a model fitted to it, and surfaces offer the settings of that model."""

    pilots: ClassVar[Literal["none", "one", "one or none", "several"]] = "one"
    model_settings: ClassVar[type[MethodSettings] | None] = ModelSettings
