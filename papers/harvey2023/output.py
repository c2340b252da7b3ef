"""Files of results: written whole, into a folder that is ours."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = "README.md"
TITLE = "# Harvey et al. 2023, reproduced"
RESULTS = "results"


class ForeignFolderError(Exception):
    """The folder to write to holds something else."""


@dataclass(frozen=True)
class Output:
    """The page of a folder, and the results beside it."""

    folder: Path

    def prepare(self) -> None:
        """Make the folder; one that holds other things than earlier results is refused."""
        page = self.folder / PAGE
        ours = page.is_file() and page.read_text(encoding="utf-8", errors="replace").startswith(TITLE)
        if self.folder.exists() and not ours and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise ForeignFolderError(
                f"{self.folder} exists and holds no earlier results (a {PAGE} that begins with {TITLE!r}). Name a new "
                "folder with --out."
            )
        (self.folder / RESULTS).mkdir(parents=True, exist_ok=True)

    def page(self, text: str) -> None:
        """Write the page."""
        _write(self.folder / PAGE, text.encode())

    def text(self, name: str, text: str) -> None:
        """Write a file of results."""
        _write(self.folder / RESULTS / name, text.encode())

    def picture(self, name: str, figure: Any) -> None:
        """Write a figure as PNG, without what would differ from one run to the next, and close it."""
        from matplotlib import pyplot

        target = self.folder / RESULTS / f"{name}.png"
        draft = target.with_name(f".{target.name}")
        figure.savefig(draft, dpi=110, format="png", metadata={"Software": None})
        os.replace(draft, target)
        pyplot.close(figure)


def _write(target: Path, content: bytes) -> None:
    draft = target.with_name(f".{target.name}")
    draft.write_bytes(content)
    os.replace(draft, target)
