"""The commands of the study: `PYTHONPATH=benchmarks python -m study run | tables | picture | speed | failures`."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import calibrate
from study import failures, picture, record, report, samples, speed
from study.methods import known_methods
from study.tables import first_draw

# On the first draw all methods are run; on further draws and under other designs the leading ones of each kind.
LEADING = (
    "default",
    "auto",
    "paper-power_law",
    "published",
    "written",
    "ls-power_law",
    "ls-pow4",
    "piecewise",
    "last-score",
    "sklearn-gp",
)


def run(settings: argparse.Namespace) -> None:
    """Forecast what is not in the records yet."""
    known = known_methods(calibrate.read_folds(settings.folds), settings.lcpfn)
    priors = record.priors_used(settings.folds)
    main = list(samples.main_protocol(settings.draws, settings.every))
    others = [] if settings.curves == 0 else list(samples.other_designs(settings.curves))
    first = [pilot for pilot in main if pilot.sample == main[0].sample]
    for name in settings.methods or known:
        pilots = main + others if name in LEADING else first
        done = record.run(settings.out, name, known[name], pilots, priors)
        print(f"{name}: {done}", file=sys.stderr, flush=True)


def tables(settings: argparse.Namespace) -> None:
    """Print the tables that the records give."""
    known = known_methods(None)
    for line in report.sections(record.read(settings.out, known), known):
        print(line)


def draw(settings: argparse.Namespace) -> None:
    """Draw the reliability curves of all methods on the first draw."""
    known = known_methods(None)
    picture.draw(first_draw(record.read(settings.out, known)), known, settings.to)


def time_all(settings: argparse.Namespace) -> None:
    """Time all methods in one run, and how they grow."""
    known = known_methods(None, settings.lcpfn)
    chosen = {name: known[name] for name in settings.methods or known}
    for line in speed.lines(chosen, settings.curves):
        print(line, flush=True)


def fail(settings: argparse.Namespace) -> None:
    """Look at the worst forecasts of the default, and at what the cautions said of them."""
    rows = record.read(settings.out, ["default"])
    most = rows[~rows["sample"].str.startswith("draw")].curve.max()
    draws = [int(name.split()[1]) for name in rows["sample"].unique() if name.startswith("draw")]
    pilots = list(samples.main_protocol(draws))
    if most == most:  # there are other designs
        pilots += samples.other_designs(int(most) + 1)
    folds = calibrate.read_folds(settings.folds)
    fold = folds["fold"] if folds else calibrate.deal({pilot.case.task for pilot in pilots})
    table = failures.outcomes(rows, pilots, fold)
    for line in failures.lines(table):
        print(line)
    if settings.to:
        failures.draw(failures.worst_of(table), pilots, folds, settings.to)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m study", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--out", type=Path, default=Path("study"), help="folder of the records (study)")
    brought = argparse.ArgumentParser(add_help=False)
    brought.add_argument(
        "--lcpfn",
        metavar="FILE",
        default=os.environ.get("APEXGP_LCPFN"),
        help="weights of LC-PFN, which we may not ship (APEXGP_LCPFN); it is left out without them",
    )
    running = commands.add_parser("run", parents=[common, brought], help=run.__doc__)
    running.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    running.add_argument("--methods", nargs="+", choices=list(known_methods(None)), help="only these")
    running.add_argument("--draws", nargs="+", type=int, default=list(samples.DRAWS), help="of the main protocol")
    running.add_argument("--every", type=int, default=1, help="one in so many curves of each draw")
    running.add_argument(
        "--curves", type=int, default=samples.CURVES_A_DESIGN, help="at most so many under each other design, or 0"
    )
    running.set_defaults(do=run)
    commands.add_parser("tables", parents=[common], help=tables.__doc__).set_defaults(do=tables)
    drawing = commands.add_parser("picture", parents=[common], help=draw.__doc__)
    drawing.add_argument("--to", type=Path, default=Path("study/reliability.png"), help="file of the picture")
    drawing.set_defaults(do=draw)
    failing = commands.add_parser("failures", parents=[common], help=fail.__doc__)
    failing.add_argument("--folds", help="priors that calibrate.py --cv --out wrote")
    failing.add_argument("--to", type=Path, help="file of a picture of the worst")
    failing.set_defaults(do=fail)
    timing = commands.add_parser("speed", parents=[brought], help=time_all.__doc__)
    timing.add_argument("--methods", nargs="+", choices=list(known_methods(None)), help="only these")
    timing.add_argument("--curves", type=int, default=30, help="so many a method")
    timing.set_defaults(do=time_all)
    settings = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    settings.do(settings)


if __name__ == "__main__":
    main()
