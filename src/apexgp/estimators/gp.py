"""APEx-GP: the Gaussian process around a parametric curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from .._check import FloatArray, check_choice, check_positive, check_probability, check_whole_number, format_value
from ..cautions import find_learnt_elsewhere_cautions, find_single_run_cautions
from ..curve import Direction, LearningCurve
from ..errors import AccuracyWarning, RequestError, warn
from ..inference.bayes import AveragedPosterior, FullBayes
from ..inference.contract import FittedCurve
from ..inference.rounds import COARSEST, FINEST, TOLERATED
from ..inference.signs import find_moving_facts
from ..learners import UNKNOWN, check_learner
from ..model.beliefs import CALIBRATED, Beliefs, is_moved_by, paper_beliefs
from ..model.means import DEFAULT_MEAN, MEANS, PAPER_MEANS, select_means
from ..model.paper_priors import PUBLISHED, WRITTEN, Variant
from ..scale import UNIT_SCALE, Scale, format_range
from .base import CurveEstimator, to_curve
from .contract import check_is_fitted, clone

if TYPE_CHECKING:
    from ..point_estimates.map import MaximumAPosteriori

__all__ = ["APExGP"]


class APExGP(CurveEstimator):
    """Forecast of a learning curve by a Gaussian process around a parametric curve (after Harvey et al. 2023).

    Parameters
    ----------
    mean : {"burr", "power_law", "arctan", "auto"}
        The curve that the scores are expected to follow; "auto" averages over these three by their evidence.
    inference : {"bayes", "map"}
        "bayes" integrates over all parameters; "map" takes the most probable ones, as the paper does.
    priors : {"calibrated", "paper", "flat"}, or Beliefs
        "calibrated" priors were learnt from hundreds of real curves and use single scores and split labels; those of
        the paper see only the mean score at each size. "map" needs the paper's, or "flat": no priors on tau, sigma and
        lambda, the maximum-likelihood fit that the paper calls "without priors".
    ceiling : float
        Highest possible score: 1 - eps_min in the paper, below 1 where labels are not perfect. Where lower is better,
        the chance level, for instance 0.5 for the error rate of two equal classes.
    floor : float
        Lowest possible score: the chance level, for instance 0.5 for AUROC. Where lower is better, the error rate that
        no classifier can go below. Whichever of the two is the chance level is used by "bayes" only. Both are on the
        scale of the scores; 1 and 0, the defaults, stand for the ends of whatever range the curve has.
    noise : float, optional
        Standard deviation you expect a single score to have, from one split to the next; by default learnt from the
        replicates. Needs the calibrated priors.
    learner : {"linear", "naive_bayes", "discriminant", "neighbours", "trees", "boosting", "neural_network", "unknown"}
        The kind of learner that was measured: the calibrated priors are moved to what curves of that kind usually do,
        where that is known to help. By default what the curve says (see `LearningCurve`); where it does not, or with
        "unknown", the priors that all kinds share. The paper's priors know no kinds.
    variant : Variant
        Constants on which the paper's text and its released code disagree. Used with the paper's priors.
    precision : float, optional
        Numerical precision of the ends of 95 % intervals: their standard error over seeds as a share of the interval's
        width, between 0.001 and 0.1. By default 0.0125. Halving it takes four times as long. Needs "bayes";
        `end_error_` says what was reached.
    seed : int
        Seed of the integration nodes, or of the points from which the search starts.

    Attributes
    ----------
    curve_ : LearningCurve
        What the model was fitted to.
    parameters_ : dict
        Parameters by the paper's names: posterior medians (of the mean with the largest weight), or the optimum.
    weights_ : dict
        Weight of each mean ("bayes").
    log_evidence_ : float
        Logarithm of the evidence ("bayes").
    effective_size_ : float
        Effective number of integration nodes, the smallest over the means that matter ("bayes").
    end_error_ : float
        Standard error of the ends of far 95 % intervals relative to their width, the largest over them ("bayes").
    priors_ : Beliefs
        The priors that it was fitted with ("bayes"), with their record where they were learnt.
    learner_ : str or None
        The kind of learner that has priors of its own; None where they are those that all kinds share.
    facts_ : tuple of str
        Facts about the curve beside its scores that the priors went by, as `LearningCurve` names them: "train_scores",
        "n_test", "learner", "n_features", "n_classes".
    objective_, converged_, n_iter_
        Log of likelihood times prior at the optimum, whether the search settled, and its steps ("map").

    Examples
    --------
    >>> model = APExGP().fit([60, 120, 240, 480], [[0.70, 0.72], [0.75, 0.76], [0.78, 0.80], [0.81, 0.82]])
    >>> model.forecast([960, 4800])
    Forecast
       size   mean   95 % interval
        960  0.837  0.801 to 0.874
      4,800  0.868  0.812 to 0.925
    """

    weights_: dict[str, float]
    priors_: Beliefs
    learner_: str | None
    facts_: tuple[str, ...]

    def __init__(
        self,
        mean: str = DEFAULT_MEAN,
        inference: str = "bayes",
        priors: str | Beliefs = "calibrated",
        ceiling: float = 1.0,
        *,
        floor: float = 0.0,
        noise: float | None = None,
        learner: str | None = None,
        variant: Variant = PUBLISHED,
        precision: float | None = None,
        seed: int = 0,
    ) -> None:
        self.mean = mean
        self.inference = inference
        self.priors = priors
        self.ceiling = ceiling
        self.floor = floor
        self.noise = noise
        self.learner = learner
        self.variant = variant
        self.precision = precision
        self.seed = seed

    def fit(
        self,
        sizes: ArrayLike | LearningCurve | Any,
        scores: ArrayLike | None = None,
        split: ArrayLike | None = None,
        *,
        related: Iterable[LearningCurve] | Mapping[Any, LearningCurve] | None = None,
    ) -> Self:
        """Fit to a pilot curve.

        Parameters
        ----------
        sizes : array of shape (n,), or a whole curve
            Training-set sizes. The calibrated priors forecast from a single one (the arctan mean from two); the paper's
            priors need three different ones. A curve goes alone: a LearningCurve, a data frame (see
            `apexgp.read`), or what scikit-learn's `learning_curve` returned or its display holds.
        scores : array of shape (n,) or (n, k)
            Scores in [0, 1], higher is better, as for `LearningCurve`; others go into one, which says what they are.
        split : sequence of labels, optional
            Data split of each score; as for `LearningCurve`.
        related : whole curves, optional
            Curves of other tasks, learners or labels, of the same metric and unit, that go beyond a pilot: priors are
            learnt from them first, as `apexgp.learn_beliefs` does, and the settings' own are where it starts. How
            related they are is learnt too. `priors_.learnt` is the record.

        Returns
        -------
        self
        """
        if related is None:
            return super().fit(sizes, scores, split)
        from ..learning.learn import learn_from_related

        curve = to_curve(sizes, scores, split)
        self._build_checked_engine(curve.direction, curve.scale)
        if self.inference != "bayes" or self.priors == "paper":
            raise RequestError(
                "goes with inference='bayes' and the calibrated priors, or Beliefs of your own.", argument="related"
            )
        start = self._choose_beliefs(curve.scale)
        learnt = learn_from_related(related, curve, start, self.seed, self._choose_kind(curve))
        fitted = clone(self).set_params(priors=learnt, noise=None).fit(curve)
        self._keep(curve, fitted._fit)
        self._settings = fitted._settings  # a saved model must hold the settings that were fitted
        return self

    def _keep(self, curve: LearningCurve, fit: FittedCurve) -> Self:
        if fit.posterior is not None:
            fit = replace(fit.posterior, curve=curve)  # answers are on the scale of the curve's own scores
            for caution in fit.inexact_cautions:
                warn(caution, AccuracyWarning)
        super()._keep(curve, fit)
        self.learner_, self.facts_ = None, ()
        if fit.posterior is not None:
            density = fit.posterior.posteriors[0].density
            self.priors_, kind = density.beliefs, self._choose_kind(curve)
            told = curve.upward if kind == curve.learner else replace(curve.upward, learner=kind)
            self.facts_ = find_moving_facts(told, self.priors_, density.ceiling)
            if kind is not None and ("learner" in self.facts_ or is_moved_by(self.priors_, kind)):
                self.learner_ = kind
        if self.learner_ is not None:
            self._settings["learner"] = self.learner_  # refits with these settings need not ask the curve
        return self

    def _find_cautions(self, sizes: FloatArray) -> tuple[str, ...]:
        found = super()._find_cautions(sizes)
        if self.inference == "bayes" and self.priors_.uses_replicates:
            found += find_single_run_cautions(self.curve_)
        learnt = self.priors_.learnt if self.inference == "bayes" else None
        if learnt is not None:
            found += find_learnt_elsewhere_cautions(learnt.metric, learnt.unit, self.curve_)
        return found

    @classmethod
    def as_published(cls, mean: str = "power_law", ceiling: float = 1.0, floor: float = 0.0) -> Self:
        """Set up the method behind the paper's printed tables: its released code."""
        return cls(mean, inference="map", priors="paper", ceiling=ceiling, floor=floor, variant=PUBLISHED)

    @classmethod
    def as_written(cls, mean: str = "power_law", ceiling: float = 1.0, floor: float = 0.0) -> Self:
        """Set up the method that the paper's text describes."""
        return cls(mean, inference="map", priors="paper", ceiling=ceiling, floor=floor, variant=WRITTEN)

    def _build_engine(self, direction: Direction, scale: Scale = UNIT_SCALE) -> FullBayes | MaximumAPosteriori:
        seed = check_whole_number("seed", self.seed, least=0)
        floor, ceiling = self._check_upward_bounds(direction, scale)
        self._check_settings()
        if self.inference == "map":
            from ..point_estimates.map import MaximumAPosteriori

            return MaximumAPosteriori(MEANS[self.mean], ceiling, self.variant, seed, flat=self.priors == "flat")
        precision = TOLERATED if self.precision is None else float(self.precision)
        means, beliefs = select_means(self.mean), self._choose_beliefs(scale)
        return FullBayes(means, beliefs, ceiling, floor, seed, precision, learner=self.learner)

    def _check_settings(self) -> None:
        check_choice("inference", self.inference, ("bayes", "map"))
        if not isinstance(self.priors, Beliefs):
            check_choice("priors", self.priors, ("calibrated", "paper", "flat"))
        check_choice("mean", self.mean, ("auto", *MEANS))
        if not isinstance(self.variant, Variant):
            raise RequestError(
                f"must be an apexgp.priors.Variant such as PUBLISHED, got {format_value(self.variant)}.",
                argument="variant",
            )
        if self.inference == "map" and (self.mean not in PAPER_MEANS or self.priors not in ("paper", "flat")):
            raise RequestError(
                f"inference='map' takes mean={' or '.join(map(repr, PAPER_MEANS))} and priors='paper' or 'flat': it "
                "has no evidence to average by, and the other priors and means are meant to be integrated over. Try "
                "APExGP.as_published()."
            )
        if self.inference == "bayes" and self.priors == "flat":
            raise RequestError(
                "priors='flat' needs inference='map': without priors there is nothing to integrate over."
            )
        if self.precision is not None:
            if not FINEST <= check_positive("precision", self.precision) <= COARSEST:
                raise RequestError(
                    f"must be between {FINEST:g} and {COARSEST:g} (a share of the width of 95 % intervals), got "
                    f"{format_value(self.precision)}.",
                    argument="precision",
                )
            if self.inference == "map":
                raise RequestError("needs inference='bayes': a search has no nodes to add.", argument="precision")
        if self.noise is not None:
            check_positive("noise", self.noise)
            if self.priors != "calibrated":
                raise RequestError("needs priors='calibrated'; the paper has its own prior.", argument="noise")
        if self.learner is not None and check_learner(self.learner) != UNKNOWN and self.priors in ("paper", "flat"):
            raise RequestError(
                "applies to the calibrated priors, or to Beliefs: no others go by the kind of learner. Omit one of the "
                "two.",
                argument="learner",
            )

    def _choose_kind(self, curve: LearningCurve) -> str | None:
        """The kind of learner that the settings name, or else the curve; None where neither does."""
        kind = curve.learner if self.learner is None else self.learner
        return None if kind == UNKNOWN else kind

    def _choose_beliefs(self, scale: Scale) -> Beliefs:
        if isinstance(self.priors, Beliefs):
            return self.priors
        if self.priors == "paper":
            return paper_beliefs(self.variant)
        if self.noise is None:
            return CALIBRATED
        inside = float(self.noise) * (1.0 if scale.same else scale.slope_at_the_end)
        if inside > 1:
            raise RequestError(
                f"must be at most {'1' if scale.same else 'the range'}, as scores lie in "
                f"{format_range(scale.range)}, got {format_value(self.noise)}.",
                argument="noise",
            )
        return CALIBRATED.expecting(inside)

    @property
    def posterior(self) -> AveragedPosterior:
        """The integrated posterior, for analyses that need more than forecasts."""
        check_is_fitted(self)
        posterior = self._fit.posterior
        if posterior is None:
            raise RequestError("A point estimate has no posterior. Fit with inference='bayes'; see parameters_.")
        return posterior

    def summary(self, level: float = 0.95) -> dict[str, dict[str, tuple[float, float, float]]]:
        """Posterior of the parameters: for each mean and parameter its median and the ends of an interval."""
        return self.posterior.summary(check_probability("level", level))

    def predict(self, sizes: ArrayLike) -> FloatArray:
        """Expected score at the given sizes: the mean of the forecast."""
        return self.forecast(sizes).mean
