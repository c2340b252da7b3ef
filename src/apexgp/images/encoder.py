"""A pretrained vision transformer, frozen: planes in, class-token embeddings out.

A model's folder may come from anywhere. Nothing of it is handed to transformers before it has been checked here: a
configuration within bounds, and weights that are safetensors in the folder itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import UNUSABLE, check_text, format_some, format_value
from .._extras import import_extra
from ..errors import RequestError

__all__ = ["DEFAULT_MODEL", "Encoder"]

DEFAULT_MODEL = "google/vit-base-patch16-224-in21k"

# Architectures of transformers whose first token is the class token, and the edge that those take that know no other
# than a picture's own (None: the one that they were made for).
_EDGES = {
    "vit": None,
    "deit": None,
    "beit": None,
    "data2vec-vision": None,
    "vit_msn": None,
    "dinov2": 224,
    "dinov2_with_registers": 224,
}
_UNUSED = ("pooler.", "embeddings.mask_token")  # weights that the class token does not depend on
_UNREACHED = ("LocalEntryNotFoundError", "OfflineModeIsEnabled", "ConnectError", "ConnectionError")
_HOW = "AutoModel.from_pretrained(name).save_pretrained(folder)"
_ATTENTION = "sdpa"  # torch's own, whatever a configuration says: it could name code on the hub
_TENSOR_CORES = 7  # compute capability of the first GPUs on which half precision is faster

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


class Encoder:
    """A model of transformers that is ready to embed.

    Parameters
    ----------
    model
        Name on the Hugging Face hub, or a folder that `save_pretrained` wrote. Only safetensors are loaded, and no code
        that comes with a model is run.
    device
        "auto" for a GPU where there is one, or a device of torch's.

    Attributes
    ----------
    name : str
    weights : str
        Digest of the weights, wherever they came from.
    size : int
        Edge of the pictures that it takes, in pixels.
    width : int
        Length of an embedding.
    precision : str
        "float16" on a GPU that is faster so, else "float32".
    """

    def __init__(self, model: str | os.PathLike[str], device: str = "auto") -> None:
        self._torch = import_extra("torch", "embed_images", "images")
        self.name = _check_model_name(model)
        self._device = self._find_device(device)
        loaded = _load_model(self.name)
        self.weights = _digest_weights(loaded)
        edge = _EDGES[loaded.config.model_type] or loaded.config.image_size
        self.size = int(edge if isinstance(edge, int) else edge[0])
        self.width = int(loaded.config.hidden_size)
        self._model = loaded.to(self._device).float().eval().requires_grad_(False)
        half = self._device.type == "cuda" and self._torch.cuda.get_device_capability(self._device)[0] >= _TENSOR_CORES
        self.precision = "float16" if half else "float32"

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embed planes of shape (n, 3, size, size), as `Preprocessing.make_batch` makes them."""
        torch = self._torch
        at_half = self.precision == "float16"
        half = torch.autocast(self._device.type, dtype=torch.float16) if at_half else nullcontext()
        with torch.inference_mode(), half:
            tokens = self._model(pixel_values=torch.from_numpy(planes).to(self._device)).last_hidden_state
            return tokens[:, 0].float().cpu().numpy()

    def to_settings(self) -> dict[str, Any]:
        """Settings that decide an embedding, beside the picture."""
        return {"model": self.name, "weights": self.weights, "width": self.width, "precision": self.precision}

    def _find_device(self, device: str) -> Any:
        torch, device = self._torch, check_text("device", device, "the name of a device")
        if device == "auto":
            mps = getattr(torch.backends, "mps", None)
            device = "cuda" if torch.cuda.is_available() else "mps" if mps and mps.is_available() else "cpu"
        try:
            chosen = torch.device(device)
            torch.zeros(1, device=chosen).cpu()
        except (RuntimeError, AssertionError) as problem:  # unknown, not there, or not compiled into this torch
            reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
            raise RequestError(
                f"{format_value(device)} cannot be used: {reason.rstrip('.')}.",
                argument="device",
                remedy=("Try {}.", ("device", "auto")),
            ) from None
        return chosen


def _check_model_name(model: Any) -> str:
    try:
        return os.fsdecode(model)
    except UNUSABLE:
        raise RequestError(
            f"must be the name of a model, or a folder, got {format_value(model)}.", argument="model"
        ) from None


def _load_model(name: str) -> Any:
    transformers = import_extra("transformers", "embed_images", "images")
    try:
        with _silence_loader(transformers):
            folder, settings = find_model_folder(name)
            if settings.get("model_type") not in _EDGES:
                raise RequestError(
                    f"must be a vision transformer with a class token ({', '.join(_EDGES)}), got {name}, which is of "
                    f"the type {settings.get('model_type')!r}.",
                    argument="model",
                )
            wanted = {"trust_remote_code": False, "local_files_only": True, "attn_implementation": _ATTENTION}
            config = transformers.AutoConfig.from_pretrained(folder, **wanted)
            config._attn_implementation = _ATTENTION
            loaded, report = transformers.AutoModel.from_pretrained(
                folder, config=config, use_safetensors=True, output_loading_info=True, **wanted
            )
    except (RequestError, MemoryError):
        raise
    except Exception as problem:  # what transformers and the hub raise has no common class
        raise RequestError(f"{name} was not loaded: {_explain_failure(problem)}", argument="model") from None
    missing = [key for key in report["missing_keys"] if not key.startswith(_UNUSED)]
    wrong = [str(entry[0]) for entry in report.get("mismatched_keys", ())]
    if missing or wrong:
        raise RequestError(
            f"{name} lacks weights of its own architecture, or has them in other shapes "
            f"({format_some(sorted(missing + wrong), 3)}); they would be random. Name a complete folder or model.",
            argument="model",
        )
    if not_finite := [key for key, tensor in loaded.state_dict().items() if not tensor.isfinite().all()]:
        raise RequestError(
            f"{name} has weights that are not finite ({format_some(sorted(not_finite), 3)}): all embeddings would be "
            "NaN. Name a complete folder or model.",
            argument="model",
        )
    return loaded


def _explain_failure(problem: Exception) -> str:
    """Why a model was not loaded, in a sentence."""
    text = " ".join(str(problem).split())
    if "weights_only" in text:  # the loader's advice to load pickles all the same
        return f"its weights are not in safetensors format. {PICKLES}"
    if type(problem).__name__ in _UNREACHED or "offline" in text.lower() or "Max retries" in text:
        return (
            "the Hugging Face hub cannot be reached, and there is no copy on this machine. Where a network is "
            f"available, save it with transformers ({_HOW}), and name that folder."
        )
    return f"{text[:300]}{'' if text.endswith('.') else '.'}"


def _digest_weights(model: Any) -> str:
    """Digest of the weights that an embedding depends on: the same from the hub and from a folder."""
    summed = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        if not key.startswith(_UNUSED):
            summed.update(key.encode())
            summed.update(tensor.detach().float().contiguous().numpy().data)
    return summed.hexdigest()[:32]


@contextmanager
def _silence_loader(transformers: Any) -> Iterator[None]:
    """Keep remarks of the loader off the terminal: errors say what matters. A download shows its bar."""
    talkers = [transformers.utils.logging, import_extra("huggingface_hub.utils.logging", "embed_images", "images")]
    before = [talker.get_verbosity() for talker in talkers]
    bars = transformers.utils.logging.is_progress_bar_enabled()
    for talker in talkers:
        talker.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    try:
        yield
    finally:
        for talker, verbosity in zip(talkers, before, strict=True):
            talker.set_verbosity(verbosity)
        if bars:
            transformers.utils.logging.enable_progress_bar()


def find_model_folder(name: str) -> tuple[Path, dict[str, Any]]:
    """Folder of a model, downloaded from the hub if this machine has none, and its configuration.

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
        _check_weight_files(name, folder, _read_json(name, index))
    settings = _read_json(name, folder / "config.json")
    _check_settings(name, settings)
    return folder, settings


def _read_json(name: str, path: Path) -> dict[str, Any]:
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


def _check_weight_files(name: str, folder: Path, index: dict[str, Any]) -> None:
    """Refuse weights outside the folder, or that are not safetensors, whatever else the folder holds."""
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
    for key, number in _iterate_numbers(settings):
        most = _MOST.get(key, _MOST_OF_ALL)
        if not (1 if key in _MOST and key != "num_register_tokens" else -most) <= number <= most:
            raise RequestError(
                f"{name} was not loaded: its configuration has {key} = {number:,}, but no vision transformer has more "
                f"than {most:,}.",
                argument="model",
            )
    edges = [[one for _, one in _iterate_numbers({key: settings.get(key)})] for key in ("image_size", "patch_size")]
    if all(edges) and (max(edges[0]) / min(edges[1])) ** 2 > _MOST_PATCHES:
        raise RequestError(
            f"{name} was not loaded: it cuts a picture into more than {_MOST_PATCHES:,} patches "
            f"(image_size {format_value(settings['image_size'])}, patch_size {format_value(settings['patch_size'])}).",
            argument="model",
        )


def _iterate_numbers(settings: Any, key: str = "") -> Iterator[tuple[str, int]]:
    """All whole numbers in a document, each with its key."""
    if isinstance(settings, dict):
        for name, value in settings.items():
            yield from _iterate_numbers(value, str(name))
    elif isinstance(settings, list):
        for value in settings:
            yield from _iterate_numbers(value, key)
    elif isinstance(settings, int) and not isinstance(settings, bool):
        yield key, settings
