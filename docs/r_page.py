"""The vignette for R, docs/r.md: its blocks are run in one session of R, and the page shows what each prints.

`docs/make.py` writes page and picture anew where R and its packages are installed; `tests/test_r.py` compares.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from pages import FOLDER, folder_of

PAGE = FOLDER / "r.md"
PACKAGES = ("jsonlite", "httr2", "ggplot2")
SERVER = "http://127.0.0.1:8000"
"""Where the page says that the server is."""

_BLOCK = re.compile(r"```r\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)
_END = "<end of a block>"


def lacking() -> str | None:
    """What of R is not installed here, in words; nothing where all of it is."""
    if shutil.which("Rscript") is None:
        return "R is not installed (Debian: apt install r-base-core r-cran-jsonlite r-cran-httr2 r-cran-ggplot2)"
    absent = [name for name in PACKAGES if _r(f"library({name})").returncode]
    return f"R is installed without {', '.join(absent)}" if absent else None


def remade(server: str, picture: Path) -> str:
    """The page with what its blocks print now; `server` is the address of one that runs, `picture` is written."""
    text = PAGE.read_text(encoding="utf-8")
    script = "".join(f'{block[1]}cat("\\n{_END}\\n")\n' for block in _BLOCK.finditer(text))
    with folder_of(PAGE):
        Path("page.R").write_text(script.replace(SERVER, server), encoding="utf-8")
        ran = subprocess.run(["Rscript", "--vanilla", "page.R"], capture_output=True, text=True)
        if ran.returncode:
            raise RuntimeError(f"R could not run docs/r.md:\n{ran.stdout}\n{ran.stderr}")
        shutil.copy("r.png", picture)
    printed = iter(ran.stdout.split(_END))

    def shown(block: re.Match[str]) -> str:
        lines = "\n".join(line.rstrip() for line in next(printed).strip("\n").splitlines())
        return block[0] if block[2] is None else f"```r\n{block[1]}```\n\n```text\n{lines}\n```"

    return _BLOCK.sub(shown, text)


def _r(expression: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["Rscript", "--vanilla", "-e", expression], capture_output=True, text=True)
