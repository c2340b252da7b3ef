"""What a model's folder may hold: a configuration within bounds, and weights that are safetensors by their own names.

A folder may come from anywhere. Nothing of it is handed to transformers before it has been looked at here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .._check import format_some, format_value
from .._extras import import_extra
from ..errors import RequestError

__all__ = ["PICKLES", "checked_folder"]

PICKLES = "Other formats are pickles, which could run anything, and are never loaded."
_CODE = "it needs its own code, which could do anything and is never run. Choose another model."

# Largest numbers of a configuration, several times those of the largest vision transformers there are: the network is
# laid out by them before a single weight is read.
_MOST = {
    "num_hidden_layers": 256,
    "num_attention_heads": 256,
    "hidden_size": 16_384,
    "intermediate_size": 131_072,
    "image_size": 4_096,
    "patch_size": 512,
    "num_channels": 16,
    "num_register_tokens": 1_024,
}
_MOST_OF_ALL = 100_000  # any other number, such as that of labels
_MOST_PATCHES = 65_536
_MOST_BYTES = 10_000_000  # of a file of settings or names
_WANTED = ("config.json", "model.safetensors", "model-*.safetensors", "model.safetensors.index.json")


def checked_folder(name: str) -> tuple[Path, dict[str, Any]]:
    """The folder of a model, from the hub if it is none on this machine, and its configuration.

    Raises
    ------
    RequestError
        If there is none, or if it holds what must not be loaded.
    """
    folder = Path(name)
    if folder.is_file():
        raise RequestError(f"must be a folder that save_pretrained wrote, got the file {name}.", argument="model")
    if not folder.is_dir():
        if name.count("/") > 1 or name.startswith((".", "/", "~")) or "\\" in name:
            raise RequestError(f"{name}: there is no such folder.", argument="model")
        hub = import_extra("huggingface_hub", "embed_images", "images")
        folder = Path(hub.snapshot_download(name, allow_patterns=list(_WANTED)))
    if not (folder / "config.json").is_file():
        raise RequestError(
            f"must be a folder that save_pretrained wrote, but {name} has no config.json.", argument="model"
        )
    if not list(folder.glob("*.safetensors")):
        raise RequestError(
            f"{name} has no weights as safetensors. {PICKLES} Save the model again with save_pretrained.",
            argument="model",
        )
    for index in folder.glob("*.index.json"):
        _check_names(name, folder, _document(name, index))
    settings = _document(name, folder / "config.json")
    _check_settings(name, settings)
    return folder, settings


def _document(name: str, path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is too long")
        found = json.loads(path.read_text("utf-8"))
        if not isinstance(found, dict):
            raise ValueError("it contains no names")
    except (OSError, ValueError, RecursionError) as problem:
        raise RequestError(
            f"{name} was not loaded: {path.name} cannot be read ({problem}).", argument="model"
        ) from None
    return found


def _check_names(name: str, folder: Path, index: dict[str, Any]) -> None:
    """Refuse weights that lie elsewhere, or are no safetensors, whatever else the folder holds."""
    named = index.get("weight_map")
    files = set(map(str, named.values())) if isinstance(named, dict) else set()
    wrong = [file for file in sorted(files) if Path(file).name != file or not file.endswith(".safetensors")]
    if wrong or not files:
        raise RequestError(
            f"{name} refers to weights that are not safetensors files in its own folder "
            f"({format_some(wrong or ['none'], 3)}). {PICKLES}",
            argument="model",
        )
    missing = [file for file in sorted(files) if not (folder / file).is_file()]
    if missing:
        raise RequestError(f"{name} lacks {format_some(missing, 3)}. Name a complete folder.", argument="model")


def _check_settings(name: str, settings: dict[str, Any]) -> None:
    if "auto_map" in settings:
        raise RequestError(f"{name} was not loaded: {_CODE}", argument="model")
    if "quantization_config" in settings:
        raise RequestError(f"{name} has quantised weights. Name a model without quantisation.", argument="model")
    for key, number in _numbers(settings):
        most = _MOST.get(key, _MOST_OF_ALL)
        if not (1 if key in _MOST and key != "num_register_tokens" else -most) <= number <= most:
            raise RequestError(
                f"{name} was not loaded: its configuration has {key} = {number:,}, but no vision transformer has more "
                f"than {most:,}.",
                argument="model",
            )
    edges = [[one for _, one in _numbers({key: settings.get(key)})] for key in ("image_size", "patch_size")]
    if all(edges) and (max(edges[0]) / min(edges[1])) ** 2 > _MOST_PATCHES:
        raise RequestError(
            f"{name} was not loaded: it cuts a picture into more than {_MOST_PATCHES:,} patches "
            f"(image_size {format_value(settings['image_size'])}, patch_size {format_value(settings['patch_size'])}).",
            argument="model",
        )


def _numbers(settings: Any, key: str = "") -> Iterator[tuple[str, int]]:
    """All whole numbers of a document, each with the name that it stands under."""
    if isinstance(settings, dict):
        for name, value in settings.items():
            yield from _numbers(value, str(name))
    elif isinstance(settings, list):
        for value in settings:
            yield from _numbers(value, key)
    elif isinstance(settings, int) and not isinstance(settings, bool):
        yield key, settings
