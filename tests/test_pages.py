"""What documents show is what the program prints, links lead somewhere, and figures agree with their source."""

import ast
import doctest
import importlib
import re
from urllib.parse import unquote, urlsplit

import pytest

import pages
from apexgp.cautions import ODD_PILOTS
from conftest import REPOSITORY, require

SOURCE = REPOSITORY / "src" / "apexgp"
DOCUMENTS = sorted(
    {
        *REPOSITORY.glob("*.md"),
        *(REPOSITORY / ".github").glob("[A-Z]*.md"),
        *(REPOSITORY / "docs").rglob("*.md"),
        *(REPOSITORY / "papers").rglob("*.md"),
    }
)


def name_of(path):
    return str(path.relative_to(REPOSITORY))


@pytest.mark.slow
@pytest.mark.parametrize("page", pages.pages_with_outputs(), ids=name_of)
@pytest.mark.filterwarnings("ignore::apexgp.errors.ApexWarning")
def test_a_page_shows_what_its_blocks_print(page):
    require("pandas")
    require("matplotlib").use("Agg")
    from matplotlib import pyplot

    text = page.read_text(encoding="utf-8")
    remade = pages.remade(page)
    pyplot.close("all")
    for shown, printed in zip(text.splitlines(), remade.splitlines(), strict=True):
        assert pages.alike(shown, printed), f"{shown}\nis now\n{printed}\n`make outputs` writes the page anew."


def test_numbers_may_move_a_little_and_words_may_not():
    assert pages.alike("plan for 680 examples, 0.786", "plan  for 671 examples, 0.788")
    assert not pages.alike("plan for 680 examples", "plan for 780 examples")
    assert not pages.alike("0.786", "0.796 to")
    assert not pages.alike("1,900", "never")
    assert not pages.alike("0.76", "0.81")


def test_a_stale_page_is_noticed(tmp_path):
    stale = tmp_path / "page.md"
    stale.write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    assert not pages.alike(pages.remade(stale), stale.read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "made"),
    [("cli", pages.command_line_page), ("report", pages.page_of_the_report), ("terms", pages.page_of_terms)],
)
def test_generated_pages_are_up_to_date(name, made):
    assert (REPOSITORY / "docs" / f"{name}.md").read_text(encoding="utf-8") == made(), "`make outputs` writes it anew"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::apexgp.errors.ApexWarning")
def test_the_lines_of_the_gallery_draw_its_pictures():
    require("matplotlib").use("Agg")
    drawn = {file: len(figure.axes) for file, figure in pages.gallery()}
    assert len(drawn) == 13
    assert set(drawn) == set(links_of(REPOSITORY / "docs" / "gallery.md"))
    assert min(drawn.values()) >= 1


class NearlyTheSame(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return super().check_output(want, got, flags) or pages.alike(want, got)


@pytest.mark.slow
def test_docstring_examples_run_and_print_what_they_say():
    attempted = 0
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(NearlyTheSame())
    for path in SOURCE.rglob("*.py"):
        if path.name in ("__init__.py", "__main__.py"):
            continue
        name = ".".join(("apexgp", *path.relative_to(SOURCE).with_suffix("").parts))
        for example in finder.find(importlib.import_module(name)):
            failed, tried = runner.run(example)
            assert not failed, example.name
            attempted += tried
    assert attempted > 20


def anchors_of(path):
    """Headings as forges make links of them."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(path):
    """Where a document links to, or takes pictures from; not what stands in code."""
    text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", text)


@pytest.mark.slow
@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document):
    for link in links_of(document):
        parts = urlsplit(link)
        if parts.scheme:
            assert parts.scheme == "https", link
            assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc), link
            continue
        target = (document.parent / unquote(parts.path)).resolve() if parts.path else document
        assert target.exists(), f"{name_of(document)}: {link}"
        assert target.is_relative_to(REPOSITORY), link
        if parts.fragment:
            assert parts.fragment in anchors_of(target), f"{name_of(document)}: {link}"


def test_no_merge_has_left_its_marks():
    for document in DOCUMENTS:
        assert not re.search(r"^(<{7}|>{7}) ", document.read_text(encoding="utf-8"), re.MULTILINE), name_of(document)


def test_pictures_say_in_words_what_they_show():
    for document in DOCUMENTS:
        for alternative in re.findall(r"!\[([^\]]*)\]\(", document.read_text(encoding="utf-8")):
            assert len(alternative.split()) >= 1, name_of(document)


def test_no_document_asks_other_hosts_for_a_picture():
    for document in DOCUMENTS:
        assert not re.search(r"!\[[^\]]*\]\(http|<img", document.read_text(encoding="utf-8")), name_of(document)


def test_the_readme_is_short():
    assert len((REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_every_page_is_two_clicks_from_the_readme():
    def linked_from(page):
        return {(page.parent / urlsplit(link).path).resolve() for link in links_of(page) if not urlsplit(link).scheme}

    first = linked_from(REPOSITORY / "README.md")
    reached = first | {page for one in first if one.suffix == ".md" for page in linked_from(one)}
    results = REPOSITORY / "papers" / "harvey2023" / "results"  # tables of one page
    wanted = {page for page in DOCUMENTS if page.parent != results and page.name != "README.md"}
    wanted |= {*(REPOSITORY / "docs").glob("*.ipynb"), REPOSITORY / "docs" / "api" / "index.rst"}
    assert not {name_of(page) for page in wanted - reached}


def test_phrases_that_a_page_explains_are_in_the_answer_above_them():
    text = (REPOSITORY / "docs" / "reading.md").read_text(encoding="utf-8")
    answer = " ".join(re.search(r"```text\n(.*?)```", text, re.DOTALL)[1].split()).lower()
    phrases = re.findall(r"(?<!\*)\*([^*]*\d[^*]*)\*(?!\*)", text.partition("## The sentence")[2])
    assert len(phrases) >= 3
    for phrase in phrases:
        assert " ".join(phrase.split()).lower() in answer, phrase


def test_every_caution_is_explained():
    """The page names them by their few words; a number stands for any."""
    explained = re.findall(
        r"^\| ([^|]*?) \|", (REPOSITORY / "docs" / "doubt.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    known = [re.sub(r"\d+", "0", words) for words in explained]
    assert len(set(known)) == len(known)
    assert set(ODD_PILOTS) <= set(known)
    nodes = list(ast.walk(ast.parse((SOURCE / "cautions.py").read_text(encoding="utf-8"))))
    calls = [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Caution"]
    assert len(calls) >= 9
    for call in calls:
        if not isinstance(call.args[1], ast.Constant | ast.JoinedStr):
            continue  # another caution's few words
        parts = call.args[1].values if isinstance(call.args[1], ast.JoinedStr) else [call.args[1]]
        brief = "".join(part.value if isinstance(part, ast.Constant) else "0" for part in parts)
        assert brief in known, f"{brief!r} is not on docs/doubt.md"


def test_what_the_readme_quotes_of_the_study_is_in_the_table_of_its_page():
    study = (REPOSITORY / "docs" / "study.md").read_text(encoding="utf-8").partition("## All methods")[2]
    measured = {}
    for line in re.findall(r"^\| .*$", study.partition("What the program says")[0], re.MULTILINE):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        measured[cells[1], cells[2]] = cells[5].partition("(")[0].split()
    table = (
        (REPOSITORY / "README.md")
        .read_text(encoding="utf-8")
        .partition("| method | CRPS | log score |")[2]
        .partition("\n\n")[0]
    )
    _, *quoted = table.strip().splitlines()[2:]  # the first is that of today's default: docs/calibration.md
    assert len(quoted) == 7
    for line in quoted:
        _, crps, log_score, covers = (cell.strip() for cell in line.strip("|").split("|"))
        assert [float(one) for one in covers.split()] == pytest.approx(
            [float(one) for one in measured[crps, log_score]], abs=0.51
        )
