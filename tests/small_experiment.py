"""A small experiment: its embeddings, patients and labels, and the configuration."""

import numpy as np

CONFIGURATION = """
name = "Small"
[data]
embeddings = "small.npz"
labels = ["ill"]
tasks = { ill = "Illness" }
patients = "patient"
[classifier]
head = "2D"
settings = { Cs = [0.01, 1.0], max_iters = [20] }
[sizes]
pilot = [30, 50, 80]
short = [120]
long = [200, 280, 5000]
[splits]
number = 2
[dense]
sizes = [150]
runs = 6
levels = [0.95]
[forecasts]
rounds = 50
"""


def embeddings(rows=400, features=6, classes=2, seed=0):
    """Cases that a logistic regression can learn, two of each patient, more than one feature telling."""
    rng = np.random.default_rng(seed)
    patient = np.arange(rows) // 2
    X = rng.normal(size=(rows, features))
    y = np.digitize(X @ np.linspace(1, 0.1, features) + rng.normal(size=rows), np.linspace(-1, 1, classes + 1)[1:-1])
    return {"X": X.astype(np.float32), "patient": patient, "ill": y}
