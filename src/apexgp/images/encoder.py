"""A pretrained vision transformer, frozen: planes in, class-token embeddings out."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._check import UNUSABLE, check_text, format_some, format_value
from .._extras import import_extra
from ..errors import RequestError
from .model_files import PICKLES, checked_folder

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


class Encoder:
    """A model of transformers, ready to embed.

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
        What tells these weights from others, wherever they came from.
    size : int
        Edge of the pictures that it takes.
    width : int
        Numbers of an embedding.
    precision : str
        "float16" on a GPU that is faster so, else "float32".
    """

    def __init__(self, model: str | os.PathLike[str], device: str = "auto") -> None:
        self._torch = import_extra("torch", "embed_images", "images")
        self.name = _name(model)
        self._device = self._chosen(device)
        loaded = _loaded(self.name)
        self.weights = _digest(loaded)
        edge = _EDGES[loaded.config.model_type] or loaded.config.image_size
        self.size = int(edge if isinstance(edge, int) else edge[0])
        self.width = int(loaded.config.hidden_size)
        self._model = loaded.to(self._device).float().eval().requires_grad_(False)
        half = self._device.type == "cuda" and self._torch.cuda.get_device_capability(self._device)[0] >= _TENSOR_CORES
        self.precision = "float16" if half else "float32"

    def __call__(self, planes: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embed planes of shape (n, 3, size, size), as they come out of `Preprocessing.normalised`."""
        torch = self._torch
        at_half = self.precision == "float16"
        half = torch.autocast(self._device.type, dtype=torch.float16) if at_half else nullcontext()
        with torch.inference_mode(), half:
            tokens = self._model(pixel_values=torch.from_numpy(planes).to(self._device)).last_hidden_state
            return tokens[:, 0].float().cpu().numpy()

    def record(self) -> dict[str, Any]:
        """What decides an embedding, beside the picture."""
        return {"model": self.name, "weights": self.weights, "width": self.width, "precision": self.precision}

    def _chosen(self, device: str) -> Any:
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


def _name(model: Any) -> str:
    try:
        return os.fsdecode(model)
    except UNUSABLE:
        raise RequestError(
            f"must be the name of a model, or a folder, got {format_value(model)}.", argument="model"
        ) from None


def _loaded(name: str) -> Any:
    transformers = import_extra("transformers", "embed_images", "images")
    try:
        with _quietly(transformers):
            folder, settings = checked_folder(name)
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
        raise RequestError(f"{name} was not loaded: {_reason(problem)}", argument="model") from None
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


def _reason(problem: Exception) -> str:
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


def _digest(model: Any) -> str:
    """The weights that an embedding depends on, summed up: the same from the hub and from a folder."""
    summed = hashlib.sha256()
    for key, tensor in sorted(model.state_dict().items()):
        if not key.startswith(_UNUSED):
            summed.update(key.encode())
            summed.update(tensor.detach().float().contiguous().numpy().data)
    return summed.hexdigest()[:32]


@contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    """Keep remarks of the loader from the terminal: what matters of them is said by us. A download shows its bar."""
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
