"""Options for priors of the user's own: from a file, or learnt from related curves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ..errors import RequestError
from ..estimators import APExGP
from ..learners import check_learner
from ..model.beliefs import CALIBRATED, Beliefs
from ..question_base.model_settings import BayesSettings

__all__ = ["PriorsOptions"]


@dataclass(frozen=True, kw_only=True)
class PriorsOptions:
    """Priors instead of the shipped ones: of a file, or learnt from related curves."""

    priors: Annotated[
        Path | None,
        typer.Option(help="Priors written by apexgp learn, instead of the shipped ones.", show_default=False),
    ] = None
    related: Annotated[
        Path | None,
        typer.Option(
            help="Table of related whole curves, such as last year's: priors are learnt from them first.",
            show_default=False,
        ),
    ] = None

    def build_model(self, settings: BayesSettings) -> APExGP:
        """The model that the settings describe, with these priors."""
        priors = None if self.priors is None else _read_priors(self.priors)
        if self.related is None:
            return settings.build_model(priors)
        if getattr(settings, "published", False):
            raise RequestError("cannot be used with the published method.", argument="related")
        kind = None if settings.learner is None else check_learner(settings.learner)
        learnt = _learn_from_related(self.related, priors or CALIBRATED, settings.seed, kind)
        return settings.build_model(learnt)


def _read_priors(path: Path) -> Beliefs:
    from ..model.beliefs import read_priors

    return read_priors(path)


def _learn_from_related(path: Path, start: Beliefs, seed: int, kind: str | None) -> Beliefs:
    from ..curve import read
    from ..learning.learn import learn_from_related
    from ..questions.learn import say_learnt_or_unchanged

    reading = read(path)
    for note in reading.notes:
        typer.echo(f"Note: {note}", err=True)
    learnt = learn_from_related(reading.curves, None, start, seed, kind)
    typer.echo(f"Note: {say_learnt_or_unchanged(learnt)}", err=True)
    return learnt
