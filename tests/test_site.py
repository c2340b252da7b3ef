"""The site of `make docs`: made without a warning, complete, and read without a network."""

import json
import re
import shutil
import subprocess
import sys
import zlib
from urllib.parse import urlsplit

import pytest

from conftest import REPOSITORY, require
from public_names import public_names

# Where `make docs` leaves it, so that what is made already is not made again.
SITE = REPOSITORY / "build" / "site"


def documented():
    """Names in the inventory that other sites link by."""
    content = (SITE / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split(" ")[0] for line in zlib.decompress(content).decode().splitlines()}


def pages_of_the_site():
    return {path.relative_to(SITE).as_posix(): path.read_text(encoding="utf-8") for path in SITE.rglob("*.html")}


@pytest.fixture(scope="module")
def site():
    """Make it, with the options that the Makefile has."""
    for needed in ("sphinx", "furo", "myst_nb", "numpydoc"):
        require(needed)
    options = re.search(r"^SPHINX := (.*)$", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert "-W" in options.split()  # warnings are errors: links and anchors among them
    command = [sys.executable, "-m", "sphinx", *options.split(), "-c", "docs", ".", str(SITE)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode:
        shutil.rmtree(SITE / ".doctrees", ignore_errors=True)  # what it holds would not be warned of again
        pytest.fail(done.stderr)
    return pages_of_the_site()


def outside_links_are_only_links(pages):
    """Nothing is fetched: scripts, styles, pictures and fonts lie beside the pages."""
    for name, text in pages.items():
        for tag, address in re.findall(r"<(script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"", text):
            assert not urlsplit(address).netloc, f"{name}: <{tag}> {address}"
    for style in SITE.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", style.read_text(encoding="utf-8")), style


@pytest.mark.slow
def test_the_site_is_made_without_warnings_and_is_complete(site, chromium):
    # One test, since every process that takes a part would make the site once more.
    outside_links_are_only_links(site)
    names = documented()
    missing = [name for name in public_names() if name not in names]
    assert not missing, f"add their package to a page of docs/api: {missing}"
    assert "apexgp.APExGP.forecast" in names
    assert "apexgp.APExGP.set_fit_request" not in names  # scikit-learn's own
    notebooks = [path.stem for path in (REPOSITORY / "docs").glob("*.ipynb")]
    assert len(notebooks) >= 3
    the_tour_shows_tables_and_pictures()
    for notebook in notebooks:  # executed, with their pictures
        assert "cell_output" in site[f"docs/{notebook}.html"]
        assert re.search(r'<img[^>]+src="\.\./_images/\w+\.png"', site[f"docs/{notebook}.html"]), notebook
    first = site["docs/index.html"]
    for page in (REPOSITORY / "docs").glob("*.md"):
        assert f'href="{page.stem}.html"' in first or page.stem == "index", (
            f"{page.name} is in no list of the first page"
        )
    assert "url=docs/index.html" in site["index.html"]
    for schema in (REPOSITORY / "docs" / "schemas").glob("*.json"):
        assert (SITE / "docs" / "schemas" / schema.name).read_bytes() == schema.read_bytes()
    formulas_are_drawn_without_a_network(chromium)
    the_search_finds_sections_and_names_without_a_server(chromium)


def the_tour_shows_tables_and_pictures():
    """As the site ran it: to run it here would be a second time."""
    tour = json.loads((SITE.parent / "jupyter_execute" / "docs" / "tour.ipynb").read_text(encoding="utf-8"))
    shown = {"".join(cell["source"]).splitlines()[-1]: cell["outputs"] for cell in code_of(tour)}
    outputs = [out.get("data", {}) for every in shown.values() for out in every]
    assert sum("text/html" in data for data in outputs) >= 4  # tables
    drawn = {line: outputs for line, outputs in shown.items() if ".plot(" in line}
    assert len(drawn) == 4
    for line, outputs in drawn.items():
        kinds = [kind for out in outputs for kind in out.get("data", {})]
        assert kinds.count("image/png") == 1, line  # the picture, once
        said = "".join("".join(out["data"].get("text/plain", "")) for out in outputs if "data" in out)
        assert "array(" not in said
        assert len(said.splitlines()) <= 3, said


def code_of(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", sorted((REPOSITORY / "docs").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_kept_without_their_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert code_of(notebook)
    assert not any(cell["outputs"] for cell in code_of(notebook))


def formulas_are_drawn_without_a_network(chromium):
    asked = []
    for width in (390, 1280):
        page = chromium.new_context(viewport={"width": width, "height": 900}).new_page()
        page.on("request", lambda request: asked.append(request.url))
        for name in ("index", "method", "calibration", "api/models", "tour", "start_spreadsheet"):
            page.goto((SITE / "docs" / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name} is wider than {width}"
        page.goto((SITE / "docs" / "method.html").as_uri())
        drawn = page.evaluate("[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().width)")
        assert len(drawn) > 20
        assert min(drawn) > 3
        text = page.inner_text("article")
        assert "$" not in text
        assert "\\" not in text  # no source of a formula
        page.context.close()
    assert {urlsplit(address).scheme for address in asked} <= {"file", "data"}


def the_search_finds_sections_and_names_without_a_server(chromium):
    page = chromium.new_context(viewport={"width": 390, "height": 900}).new_page()
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda line: troubles.append(line.text) if line.type == "error" else None)
    for words, wanted in {
        "rules of thumb": "docs/design.html#rules-of-thumb",
        "required_size": "docs/api/models.html#apexgp.APExGP.required_size",
        "coverage": "docs/terms.html#in-these-documents",
        "Slurm": "docs/start_training.html#a-command",
    }.items():
        page.goto((SITE / "docs" / "index.html").as_uri())
        page.evaluate("words => { document.querySelector('input.sidebar-search').value = words }", words)
        with page.expect_navigation():
            page.evaluate("document.querySelector('form.sidebar-search-container').submit()")
        found = page.evaluate("[...document.querySelectorAll('#search-results a')].map(a => a.getAttribute('href'))")
        assert wanted in found[:12], f"{words}: {found[:12]}"
        assert page.evaluate("document.querySelectorAll('#search-results mark').length") > 0
        for address in found:
            file, _, anchor = address.partition("#")
            assert not anchor or f'id="{anchor}"' in (SITE / file).read_text(encoding="utf-8"), address
    page.goto((SITE / "search.html").as_uri() + "?q=nothingiscalledso")
    assert page.inner_text("#search-summary").startswith("0 sections")
    assert not troubles
    page.context.close()
