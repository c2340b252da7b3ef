"""What training scores and numbers of test cases add, on the same curves: `training_scores.py [--folds FILE]`.

Pilots of six sizes from 64 to 362 and three splits are forecast twice, with and without. Three numbers are those at up
to 2, 2 to 10 and more than 10 times the largest pilot size.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace

import pandas as pd

import calibrate
import pilots
import scoring
from apexgp import APExGP

SEED = 11
# Learners whose training score is not simply perfect.
INFORMATIVE = (
    "LogisticRegression",
    "LinearDiscriminantAnalysis",
    "QuadraticDiscriminantAnalysis",
    "BernoulliNB",
    "MultinomialNB",
    "KNeighborsClassifier",
)
KEYS = ["pool", "horizon", "curve", "task", "learner"]


def forecast_twice(most: int, folds: dict | None) -> pd.DataFrame:
    """Figures of each curve and horizon, with what is known (`told`) and without."""
    curves, found = pilots.read_curves(), []
    for design in pilots.DESIGNS:
        if not (design.informed and design.n_splits == 3):
            continue
        for i, case in enumerate(pilots.draw(curves, design, most, SEED)):
            for told in (False, True):
                own = case if told else replace(case, curve=replace(case.curve, train_scores=None, n_test=None))
                forecast = APExGP(priors=calibrate.beliefs_for(case.task, folds)).fit(own.curve).forecast(case.sizes)
                rows = scoring.score(own, forecast, "new_splits")
                found.append(rows.assign(pool=design.pool, told=told, curve=i, task=case.task, learner=case.learner))
    rows = pd.concat(found, ignore_index=True)
    figures = ["crps", "log_score", "covers_95", "width_95"]
    return rows.groupby([*KEYS, "told"], observed=True)[figures].mean().unstack("told").reset_index()


def line(name: str, rows: pd.DataFrame) -> str:
    """A row of a Markdown table."""
    cells: list[list[str]] = []
    for horizon in scoring.HORIZONS:
        own = rows[rows.horizon == horizon]
        change = own[("crps", True)] - own[("crps", False)]
        error = scoring.clustered_error(change, own.task)
        before, after = own[("crps", False)].mean(), own[("crps", True)].mean()
        cells.append(
            [
                f"{before:.4f}",
                f"{after:.4f}",
                f"{100 * (after / before - 1):+.1f} % ({change.mean() / error:+.1f})",
                f"{own[('log_score', False)].mean():.2f}",
                f"{own[('log_score', True)].mean():.2f}",
                f"{100 * own[('covers_95', True)].mean():.1f}",
                f"{own[('width_95', False)].mean():.3f}",
                f"{own[('width_95', True)].mean():.3f}",
                str(len(own)),
            ]
        )
    return (
        f"| {name} | "
        + " | ".join((", " if "%" in column[0] else " ").join(column) for column in zip(*cells, strict=False))
        + " |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    parser.add_argument("--curves", type=int, default=400, help="at most so many of each metric")
    settings = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = forecast_twice(settings.curves, calibrate.read_folds(settings.folds))
    titles = ["curves", "CRPS without", "with", "change (z)", "log score without", "with", "95 % covers with"]
    titles += ["width without", "with", "curves"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for pool, own in rows.groupby("pool", sort=False):
        print(line(f"{pool}, all learners", own))
        print(line(f"{pool}, learners with an informative training score", own[own.learner.isin(INFORMATIVE)]))


if __name__ == "__main__":
    main()
