"""`python docs/check_types.py`: mypy on the Python blocks of the README and of the pages whose blocks are run.

The blocks of a page follow each other in one program, each at the lines that it has on the page, so that mypy names
those.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
PROJECT = FOLDER.parent

_BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
_RUN = re.compile(r"^```python\n(?:(?!```).)*^```\n\n```text\n", re.DOTALL | re.MULTILINE)


def program(page: str) -> str:
    """The Python blocks of a page; nothing at its other lines."""
    lines = [""] * page.count("\n")
    for block in _BLOCK.finditer(page):
        first = page.count("\n", 0, block.start(1))
        code = block.group(1).splitlines()
        lines[first : first + len(code)] = code
    return "\n".join(lines) + "\n"


def main() -> int:
    """Check the pages whose programs are run, and so are whole; the exit code is mypy's."""
    texts = {page: page.read_text(encoding="utf-8") for page in [PROJECT / "README.md", *sorted(FOLDER.glob("*.md"))]}
    with tempfile.TemporaryDirectory() as folder:
        for page, text in texts.items():
            if _RUN.search(text):
                Path(folder, f"{page.stem}.py").write_text(program(text), encoding="utf-8")
        # As the project's own check has them: what mypy remembers of `src` then serves both.
        found = subprocess.run([sys.executable, "-m", "mypy", "src", folder], cwd=PROJECT, check=False)
    return found.returncode


if __name__ == "__main__":
    sys.exit(main())
