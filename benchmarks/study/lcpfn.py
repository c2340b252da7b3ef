"""LC-PFN (Adriaensen et al. 2023) with weights that the user brings: a transformer that extrapolates learning curves.

The authors' own weights are made for epochs. Some that were trained on training-set sizes (LCDB 1.1; Cazacu, TU Delft
2025) are public without a licence, so they are not ours to ship: `--lcpfn FILE` or APEXGP_LCPFN names them. Such a file
is a whole model as `torch.save` writes it, which loads only with the package `lcpfn`, made for torch 1.11. Here its
numbers are read without torch and without running anything that the file names, and the network is computed by NumPy.

The network knows a size by its place among LCDB's anchors, 16 2^(k/8) for k = 0, 1, ..., counted from 1, and gives the
score there a distribution over bars.
"""

from __future__ import annotations

import pickle
import zipfile
from collections import OrderedDict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, softmax

from apexgp import Forecast

LEVELS = 400
"""Into so many equally likely parts a distribution over bars is cut, each of which becomes a normal distribution."""
_NUMBERS = {
    f"{kind}Storage": dtype
    for kind, dtype in {"Float": "f4", "Double": "f8", "Half": "f2", "Long": "i8", "Int": "i4", "Bool": "?"}.items()
}


class UnknownFormatError(ValueError):
    """A file is no model of LC-PFN, or of a kind that is not known here."""


class Part:
    """A module of the network, a function or a type that the file names: its name, and what it holds."""

    def __init__(self, *_: object) -> None:
        self.held: dict[str, Any] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        inner = [state.get(kind, {}) for kind in ("_parameters", "_buffers", "_modules")]
        self.held = state | inner[0] | inner[1] | inner[2]

    def __getitem__(self, path: str) -> Any:
        first, _, rest = path.partition(".")
        if first not in self.held:
            raise UnknownFormatError(f"The model has no {first!r}: it is no LC-PFN that is known here.")
        return self.held[first][rest] if rest else self.held[first]

    def children(self) -> list[Part]:
        return [part for part in self.held["_modules"].values() if part is not None]


class _Unpickler(pickle.Unpickler):
    """Numbers and names; a name is looked up nowhere."""

    def __init__(self, archive: zipfile.ZipFile, folder: str) -> None:
        super().__init__(archive.open(f"{folder}/data.pkl"))
        self._archive, self._folder = archive, folder

    def find_class(self, module: str, name: str) -> Any:
        known = {
            ("collections", "OrderedDict"): OrderedDict,
            ("__builtin__", "set"): set,
            ("builtins", "set"): set,
            ("torch._utils", "_rebuild_tensor_v2"): _tensor,
            ("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
        }
        if (module, name) in known:
            return known[module, name]
        if module.split(".")[0] in ("lcpfn", "torch"):
            return type(name, (Part,), {})
        raise UnknownFormatError(f"The file names {module}.{name}, which no model of LC-PFN needs: it is not loaded.")

    def persistent_load(self, pid: Any) -> np.ndarray:
        _, kind, key, _, _ = pid
        return np.frombuffer(self._archive.read(f"{self._folder}/data/{key}"), _NUMBERS[kind.__name__])


def _tensor(
    storage: np.ndarray, offset: int, shape: tuple[int, ...], stride: tuple[int, ...], *_: object
) -> np.ndarray:
    steps = [step * storage.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(storage[offset:], shape, steps).astype(float)


@cache
def read_model(path: Path) -> Part:
    """The network in a file."""
    try:
        with zipfile.ZipFile(path) as archive:
            folder = next(name for name in archive.namelist() if name.endswith("/data.pkl")).partition("/")[0]
            model = _Unpickler(archive, folder).load()
    except (zipfile.BadZipFile, StopIteration, pickle.UnpicklingError, KeyError) as problem:
        raise UnknownFormatError(f"{path} is not a model as torch.save writes it: {problem}") from problem
    if not isinstance(model, Part):
        raise UnknownFormatError(
            f"{path} holds {type(model).__name__}, not a whole model. A state_dict alone will not do."
        )
    for name in ("style_encoder", "pos_encoder", "input_ln", "global_att_embeddings"):
        if model.held.get(name) is not None:
            raise UnknownFormatError(f"{path}: a network with {name} is not known here.")
    return model


def anchor_of(sizes: np.ndarray) -> np.ndarray:
    """The place of a size among LCDB's anchors."""
    return 1 + 8 * np.log2(sizes / 16)


def bar_weights(model: Part, x: np.ndarray, y: np.ndarray, later: np.ndarray) -> np.ndarray:
    """Probability of each bar, shape (later, bars), given scores y at x."""
    seen = len(x)
    tokens = _chain(model["encoder"], np.concatenate([x, later])[:, None])
    tokens[:seen] += _chain(model["y_encoder"], y[:, None])
    # Every score is seen by all; a size without one by itself alone.
    visible = np.eye(len(tokens), dtype=bool)
    visible[:, :seen] = True
    for layer in model["transformer_encoder.layers"].children():
        tokens = _layer(layer, tokens, visible)
    weights: np.ndarray = softmax(_chain(model["decoder"], tokens[seen:]), axis=1)
    return weights


def forecast(model: Part, sizes: np.ndarray, scores: np.ndarray, later: np.ndarray) -> Forecast:
    """Scores at later sizes; the bars become normal distributions of the same means and variances."""
    weights = bar_weights(model, anchor_of(sizes), scores, anchor_of(later))
    borders = model["criterion.borders"]
    below = np.concatenate([np.zeros((len(later), 1)), weights.cumsum(axis=1)], axis=1)
    ends = np.array([np.interp(np.linspace(0, 1, LEVELS + 1), own / own[-1], borders) for own in below]).T
    locations, widths = (ends[1:] + ends[:-1]) / 2, np.diff(ends, axis=0)
    return Forecast(later, locations, np.maximum(widths / np.sqrt(12), 1e-5), np.full(LEVELS, 1 / LEVELS))


def _chain(part: Part, x: np.ndarray) -> np.ndarray:
    """Modules one after another: those that scale, linear ones, and GELU."""
    if "mean" in part.held:
        return (x - part["mean"]) / part["std"]
    if "weight" in part.held:
        return _linear(part, x)
    if type(part).__name__ == "GELU":
        return _gelu(x)
    for child in part.children():
        x = _chain(child, x)
    return x


def _layer(layer: Part, x: np.ndarray, visible: np.ndarray) -> np.ndarray:
    if getattr(layer["activation"], "__name__", None) != "gelu":
        raise UnknownFormatError("A layer of the network has another activation than GELU.")
    before = layer["pre_norm"]
    x = x + _attention(layer["self_attn"], _norm(layer["norm1"], x) if before else x, visible)
    x = x if before else _norm(layer["norm1"], x)
    inner = _gelu(_linear(layer["linear1"], _norm(layer["norm2"], x) if before else x))
    x = x + _linear(layer["linear2"], inner)
    return x if before else _norm(layer["norm2"], x)


def _attention(part: Part, x: np.ndarray, visible: np.ndarray) -> np.ndarray:
    heads = part["num_heads"]
    projected = x @ part["in_proj_weight"].T + part["in_proj_bias"]
    query, key, value = (each.reshape(len(x), heads, -1).swapaxes(0, 1) for each in np.split(projected, 3, axis=1))
    likeness = np.where(visible, query @ key.swapaxes(1, 2) / np.sqrt(query.shape[-1]), -np.inf)
    mixed = softmax(likeness, axis=-1) @ value
    return _linear(part["out_proj"], mixed.swapaxes(0, 1).reshape(len(x), -1))


def _norm(part: Part, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + part["eps"]) * part["weight"] + part["bias"]


def _linear(part: Part, x: np.ndarray) -> np.ndarray:
    return x @ part["weight"].T + part["bias"]


def _gelu(x: np.ndarray) -> np.ndarray:
    return x * ndtr(x)
