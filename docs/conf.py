"""How Sphinx makes the site: `make docs`, into build/site.

The source is the whole repository, so that pages link to each other by their paths, as on a forge. Nothing is
fetched, neither while the site is made nor when it is read: fonts are the reader's own, formulas are MathML, scripts
are those of the theme.
"""

import shutil
import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))

project = "apexgp"
author = "The apexgp authors"
copyright = author
version = release = version_of("apexgp")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx.ext.viewcode"]
extensions += ["figures", "long_lines", "offline_math", "reference", "sections", "titles"]  # ours, in docs/_site
root_doc = "docs/index"
include_patterns = ["docs/**", "papers/*/README.md", "papers/*/results/*.md"]
include_patterns += ["CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md"]
exclude_patterns = [".*", "build", "dist", "tests", "benchmarks", "src", "docs/_site"]

# Markdown as forges show it: links to headings, formulas between dollars, no executed blocks.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
suppress_warnings = ["misc.highlighting_failure"]  # Pygments does not know CSV

# Notebooks are kept without their outputs; the site is made with what they print today.
nb_execution_mode = "auto"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

# The reference: numpydoc. Names between single backticks are links where they can be, and code where not.
autodoc_typehints_format = "short"
autodoc_type_aliases = {name: name for name in ("ArrayLike", "FloatArray", "ColumnData", "PathLike")}
python_maximum_signature_line_length = 100
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autosummary_generate = False
autodoc_default_options = {"members": True, "inherited-members": True}
default_role = "py:obj"
numpydoc_show_class_members = False
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", ".*"),
    ("py:obj", r"(?s)(?!apexgp\.).*"),
]  # types and words that are code, not links

html_theme = "furo"
html_title = f"apexgp {release}"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
templates_path = ["_site/templates"]
html_additional_pages = {"index": "to_the_first_page.html"}
html_show_sphinx = False
html_copy_source = False


def _reached_from_its_page(app, tree):
    """Tables of a paper stand in no list of pages: the paper's own page links to them."""
    if app.env.docname.startswith("papers/") and "/results/" in app.env.docname:
        app.env.metadata[app.env.docname]["orphan"] = True


def _headings_have_a_level(_app, _page, _template, context, _tree):
    """Captions of the list of pages say to screen readers which level they are of; the theme leaves it out."""
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')


def _schemas_keep_their_address(app, problem):
    """Programs find a schema at docs/schemas/forecast.json; the links of pages lead to copies of changing names."""
    if problem is None and app.builder.format == "html":
        folder = Path(app.outdir) / "docs" / "schemas"
        folder.mkdir(parents=True, exist_ok=True)
        for file in (Path(__file__).parent / "schemas").glob("*.json"):
            shutil.copyfile(file, folder / file.name)


def setup(app):
    """Add what is too small for an extension of its own."""
    app.connect("doctree-read", _reached_from_its_page)
    app.connect("build-finished", _schemas_keep_their_address)
    app.connect("html-page-context", _headings_have_a_level, priority=900)  # after the theme
