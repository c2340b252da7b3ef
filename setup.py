"""What pyproject.toml cannot say: the README as an index page shows it, and an sdist that is the same every time."""

import gzip
import os
import re
import tarfile
import tomllib
from pathlib import Path

from setuptools import setup
from setuptools.command.sdist import sdist

HERE = Path(__file__).parent
BLANKS = tomllib.loads((HERE / "release" / "blanks.toml").read_text(encoding="utf-8"))
# One date for all files: the same files give the same archives, wherever and whenever they are built.
DATE = int(os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600"))


def readme(text: str, repository: str, branch: str) -> str:
    """The README with absolute links, once an address is known; an index page has no files beside it."""
    if not repository:
        return text
    link = re.compile(r"(!?)\[((?:[^\[\]]|!?\[[^\[\]]*\]\([^()]*\))*)\]\((?!https?:|#|mailto:)([^()\s]+)\)")

    def absolute(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{link.sub(absolute, found[2])}]({repository}/{kind}/{branch}/{found[3]})"

    return link.sub(absolute, text)


class SameEveryTime(sdist):
    """An sdist without the builder's name, clock, order of files or rights of files."""

    def make_archive(self, base_name, format, root_dir=None, base_dir=None, owner=None, group=None):
        """Write the one format that an index takes; what setuptools has gathered in `base_dir` goes in, sorted."""
        if format != "gztar":
            return super().make_archive(base_name, format, root_dir, base_dir, owner, group)
        path = Path(f"{base_name}.tar.gz")
        path.parent.mkdir(parents=True, exist_ok=True)
        with (
            path.open("wb") as raw,
            gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=DATE) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for file in sorted(Path(base_dir).rglob("*")):
                if file.is_file():
                    archive.add(file, file.as_posix(), recursive=False, filter=self._of_nobody)
        return str(path)

    @staticmethod
    def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime, entry.pax_headers = DATE, {}
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry


if __name__ == "__main__":
    setup(
        long_description=readme(
            (HERE / "README.md").read_text(encoding="utf-8"), BLANKS["repository"], BLANKS["branch"]
        ),
        long_description_content_type="text/markdown",
        project_urls={name.capitalize(): BLANKS[name] for name in ("repository", "documentation") if BLANKS[name]},
        cmdclass={"sdist": SameEveryTime},
    )
