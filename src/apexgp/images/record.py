"""What an output was made with, and the refusal to mix it with anything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..errors import RequestError
from ..reading.spreadsheets import one_line

__all__ = ["FORMAT", "format_settings", "parse_settings", "refuse_to_mix"]

FORMAT = 1  # of the outputs

EmbeddingSettings = dict[str, Any]


def format_settings(settings: EmbeddingSettings) -> str:
    """Settings on one line."""
    return json.dumps({"format": FORMAT, **settings})


def parse_settings(text: str, path: Path) -> EmbeddingSettings:
    """What `format_settings` wrote."""
    try:
        settings = json.loads(text)
        if settings.pop("format") == FORMAT and isinstance(settings["preprocessing"], dict):
            return settings
    except (ValueError, KeyError, TypeError, AttributeError):
        pass
    raise RequestError(
        f"{path} is not an output of this version of apexgp embed; it was left untouched. Name another for the "
        "embeddings."
    )


def refuse_to_mix(path: Path, found: EmbeddingSettings, wanted: EmbeddingSettings) -> None:
    """Refuse to go on with what another model or another preprocessing has begun.

    The same weights under another name, or in another folder, are the same model.
    """
    differences = []
    if found["weights"] != wanted["weights"]:
        differences.append(f"model was {found['model']}, now {wanted['model']}")
        if found["model"] == wanted["model"]:
            differences[-1] += " with other weights"
    if found["precision"] != wanted["precision"]:
        differences.append(f"precision was {found['precision']}, now {wanted['precision']} (a matter of the device)")
    before, now = found["preprocessing"], wanted["preprocessing"]
    differences += [
        f"{name} was {_format_value(before.get(name))}, now {_format_value(now.get(name))}"
        for name in dict.fromkeys([*now, *before])
        if before.get(name) != now.get(name) and name != "measured_on"
    ]
    if not differences and before.get("measured_on") != now.get("measured_on"):
        differences.append("mean and sd were computed from other pictures")
    if differences:
        raise RequestError(
            f"{path} was made with other settings, and mixing two kinds of embeddings in one file would make them "
            f"worthless: {'; '.join(differences)}. Name another output, go back to those settings,",
            remedy=("or start afresh with {}.", ("overwrite", True)),
        )


def _format_value(value: Any) -> str:
    return one_line(json.dumps(value), 100)
