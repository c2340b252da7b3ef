"""Remake the paper: `python -m harvey2023 [--data DIR] [--out DIR]`, or `make paper`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib

from . import (
    coverage,
    curves,
    dense_coverage,
    differences,
    learnt,
    likelihood,
    page,
    priors,
    rmse,
    single_point_coverage,
)
from .data import MissingDataError, Results, default_folder
from .methods import Fits
from .output import PAGE, ForeignFolderError, Output
from .printed import origin
from .summary import summary
from .tables import Cell, as_csv

HERE = Path(__file__).parent
TABLES = (rmse, likelihood, dense_coverage, single_point_coverage)


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse, remake, write; a missing file or a foreign folder is one line and exit code 1."""
    parser = argparse.ArgumentParser(prog="harvey2023", description="Remake the tables and figures of the paper.")
    parser.add_argument(
        "--data", type=Path, default=default_folder(), help="folder of the authors' results (%(default)s)"
    )
    parser.add_argument("--out", type=Path, default=HERE, help="folder to write to (%(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=500, help="rounds of the bootstrap (%(default)s, as in the paper)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap (%(default)s)")
    asked = parser.parse_args(arguments)
    if asked.rounds < 2 or asked.seed < 0:
        parser.error("--rounds must be at least 2, --seed at least 0.")
    fits, output = Fits(Results(asked.data)), Output(asked.out)
    try:
        fits.results.check()
        output.prepare()
    except (MissingDataError, ForeignFolderError, OSError) as problem:
        sys.exit(f"Error: {problem}")
    cells = write_tables(fits, output, asked.rounds, asked.seed)
    rows = learnt.rows(fits, asked.rounds, asked.seed)
    output.text(f"{learnt.NAME}.csv", learnt.as_csv(rows))
    output.text(f"{learnt.NAME}.md", page.table_page(learnt.TITLE, learnt.ORIGIN, learnt.tables(rows)))
    print(f"{learnt.NAME}.md, {learnt.NAME}.csv")
    for name, figure in figures(fits, cells):
        output.picture(name, figure)
        print(f"{name}.png")
    made = blocks(cells) | {"learnt": learnt.summary(rows)}
    output.page(page.filled((HERE / PAGE).read_text(encoding="utf-8"), made))
    far = len(differences.beyond_tolerance(cells))
    print(f"{len(cells)} printed numbers, {far} of them beyond the tolerance: see {output.folder / PAGE}")


def write_tables(fits: Fits, output: Output, rounds: int, seed: int) -> list[Cell]:
    """Compute and write every table; returns all cells."""
    found = []
    for table in TABLES:
        drawn = (rounds, seed) if table in (likelihood, dense_coverage) else ()
        cells = table.cells(fits, *drawn)
        output.text(f"{table.NAME}.csv", as_csv(cells, table.DIGITS))
        output.text(
            f"{table.NAME}.md", page.table_page(table.TITLE, f"Printed: {origin(table.NAME)}", table.tables(cells))
        )
        print(f"{table.NAME}.md, {table.NAME}.csv: {len(cells)} printed numbers")
        found += cells
    return found


def figures(fits: Fits, cells: Sequence[Cell]) -> Iterator[tuple[str, object]]:
    """Every figure with the name of its file, drawn when it is its turn."""
    matplotlib.use("Agg")
    yield "motivation", curves.motivation(fits)
    yield "coverage", coverage.dense_by_task([cell for cell in cells if cell.table == dense_coverage.NAME])
    yield "mean_functions", priors.mean_functions()
    yield "long_range", curves.all_tasks(fits, "long")
    yield "short_range", curves.all_tasks(fits, "short")
    yield "margin", priors.margin()
    yield "epsilon", priors.epsilon()


def blocks(cells: Sequence[Cell]) -> dict[str, str]:
    """The made parts of the page."""
    of_dense, of_rmse = ([cell for cell in cells if cell.table == table.NAME] for table in (dense_coverage, rmse))
    return {
        "agreement": differences.agreement(cells),
        "differences": differences.table(cells),
        "summary": summary(cells),
        "dense": dense_coverage.tables(of_dense)["95 % interval at 20,000 training samples"],
        "rmse": rmse.tables(of_rmse)["Long range, power law"],
    }


if __name__ == "__main__":
    main()
