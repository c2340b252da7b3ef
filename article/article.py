"""`python article/article.py`: check our paper as the Journal of Open Source Software asks for it, and compile it.

Pandoc leaves build/article/paper.html, and paper.pdf where there is LaTeX. The journal's own service makes the final
PDF.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
OUT = HERE.parent / "build" / "article"
SECTIONS = (
    "Summary",
    "Statement of need",
    "State of the field",
    "Software design",
    "Research impact statement",
    "AI usage disclosure",
    "Acknowledgements",
    "References",
)
WORDS = 750, 1750


def faults(text: str, library: str) -> list[str]:
    """What the journal would object to in a paper and its references."""
    found = []
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL).groups()
    for name in ("title", "tags", "authors", "affiliations", "date", "bibliography"):
        if not re.search(rf"^{name}:", head, re.MULTILINE):
            found.append(f"no {name} in its head")
    if (sections := tuple(re.findall(r"^# (.*)$", body, re.MULTILINE))) != SECTIONS:
        found.append(f"sections {sections}, not {SECTIONS}")
    if not WORDS[0] <= (number := words_in(body)) <= WORDS[1]:
        found.append(f"{number} words, not {WORDS[0]} to {WORDS[1]}")
    known = re.findall(r"^@\w+\{([^,\s]+),", library, re.MULTILINE)
    cited = set(re.findall(r"(?<![\w.])@([a-z]+\d{4}[a-z]?)", body))
    found += [f"{name} cited, but not in paper.bib" for name in sorted(cited - set(known))]
    found += [f"{name} in paper.bib, but not cited" for name in sorted(set(known) - cited)]
    found += [f"{name} twice in paper.bib" for name in sorted({name for name in known if known.count(name) > 1})]
    pictures = re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", body)
    found += [f"no picture {name}" for name in pictures if not (HERE / name).exists()]
    return found


def with_evidence(text: str, readme: str) -> str:
    """The paper with the figures that the README has of the methods in its table."""
    rows = (line.strip("| ").split(" | ") for line in readme.splitlines() if line.startswith("| "))
    known = {cells[0]: cells for cells in rows if len(cells) == 4}

    def renewed(row: re.Match[str]) -> str:
        cells = known.get(row[1])
        return row[0] if cells is None else f"| {cells[0]} | {cells[1]} | {cells[3]} |"

    return re.sub(r"^\| (.*?) \|.*\|$", renewed, text, flags=re.MULTILINE)


def words_in(body: str) -> int:
    """Words as a reader counts them: neither tables nor addresses of pictures."""
    prose = re.sub(r"^\|.*$|\]\([^)]*\)(?:\{[^}]*\})?|\[?@[^\]\s]+\]?", " ", body, flags=re.MULTILINE)
    return len(re.findall(r"[\w'’.-]*\w[\w'’.-]*", prose))


def compile_paper(out: Path = OUT) -> list[Path]:
    """Make HTML, and a PDF where there is LaTeX; whatever pandoc warns of is an error."""
    out.mkdir(parents=True, exist_ok=True)
    made = [out / "paper.html"]
    if shutil.which("pdflatex"):
        made.append(out / "paper.pdf")
    for path in made:
        how = ["--self-contained", "--mathml"] if path.suffix == ".html" else ["--variable", "geometry:margin=25mm"]
        command = ["pandoc", "--citeproc", "--fail-if-warnings", "--standalone", *how, "--output", path, "paper.md"]
        subprocess.run(command, cwd=HERE, check=True)
    return made


def main() -> None:
    """Quote the README's figures of today, check, then compile."""
    paper = HERE / "paper.md"
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    paper.write_text(with_evidence(paper.read_text(encoding="utf-8"), readme), encoding="utf-8")
    texts = [(HERE / name).read_text(encoding="utf-8") for name in ("paper.md", "paper.bib")]
    if found := faults(*texts):
        sys.exit("article/paper.md: " + "; ".join(found))
    if shutil.which("pandoc") is None:
        sys.exit("article/paper.md is in order. To compile it, install pandoc.")
    for path in compile_paper():
        print(path.relative_to(HERE.parent))


if __name__ == "__main__":
    main()
