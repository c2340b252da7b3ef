"""Files that benchmarks read beside the curves that a test makes up."""

from pathlib import Path

import pandas as pd


def write_problems(folder: Path, tasks: tuple[str, ...]) -> None:
    """Sizes of the tasks' problems, and one published curve of average precision."""
    problems = {"openml_id": tasks, "n_features": 30, "n_encoded": [None, *range(40, 39 + len(tasks))], "n_classes": 2}
    pd.DataFrame(problems).to_csv(folder / "lcdb" / "lcdb_tasks.csv", index=False)
    sizes = (16, 32, 64, 128)
    rows = [("fsmol", "learner/assay", "pilot" if n <= 64 else "later", n, 0.3 + n / 1000) for n in sizes]
    (folder / "external").mkdir()
    table = pd.DataFrame(rows, columns=["collection", "curve", "part", "size", "score"])
    table.to_csv(folder / "external" / "average_precision_dev.csv.gz", index=False)
