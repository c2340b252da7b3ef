"""Remaking the tables of a page: what a command printed replaces what follows its comment, and nothing else."""

import pytest

from conftest import REPOSITORY, require

OLD = "| a |\n|---|\n| old |\n"
NEW = "| a |\n|---|\n| new |\n"
PAGE = f"""# Page

A table by hand.

{OLD}
<!-- made by: python one.py --folds folds.json -->
{OLD}
Text. <!-- check -->

<!-- made by: python two.py
     table: second -->

{OLD}
<!-- made by: python two.py
     table: first -->
{OLD}"""


@pytest.fixture
def remake(monkeypatch):
    require("pandas")
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    import remake

    return remake


def test_exactly_the_table_after_the_comment_is_replaced(remake):
    page, missing = remake.replace_tables(PAGE, "python one.py --folds folds.json", f"priors\n\n{NEW}\nend\n")
    at = PAGE.index(OLD, PAGE.index("one.py"))
    assert page == PAGE[:at] + NEW + PAGE[at + len(OLD) :]
    assert not missing


def test_a_command_with_several_tables_puts_each_below_its_name(remake):
    first, second = NEW.replace("new", "1"), NEW.replace("new", "2") + "| and more |\n"
    page, missing = remake.replace_tables(PAGE, "python two.py", f"first\n\n{first}\nsecond\n\n{second}")
    one, two = page.index("table: first"), page.index("table: second")
    assert page[two:].startswith(f"table: second -->\n\n{second}\n<!-- made by")
    assert page[one:] == f"table: first -->\n{first}"
    assert page.replace(first, OLD).replace(second, OLD) == PAGE
    assert not missing


def test_what_was_not_printed_stays_and_is_named(remake):
    printed = f"first\n\n{NEW}\nsecond\n\n| a |\n|---|\n"  # without a row
    page, missing = remake.replace_tables(PAGE, "python two.py", printed)
    assert page == PAGE.removesuffix(OLD) + NEW
    assert missing == ["second"]
    # Which of two tables is meant is not guessed.
    same, missing = remake.replace_tables(PAGE, "python one.py --folds folds.json", printed.replace("|---|\n", NEW))
    assert same == PAGE
    assert missing == ["a single table"]


def test_the_table_of_a_failed_command_stays_and_the_others_are_made(remake, tmp_path):
    works, fails = tmp_path / "works.py", tmp_path / "fails.py"
    works.write_text(f"print({NEW!r})")
    fails.write_text(f"print({NEW!r}); raise SystemExit(3)")
    folds = tmp_path / "folds.json"
    folds.touch()
    before = f"<!-- made by: python {fails} -->\n{OLD}\n<!-- made by: python {works} --folds folds.json -->\n{OLD}"
    page = tmp_path / "page.md"
    page.write_text(before)
    faults = remake.remake(page, page, folds, "", None)
    assert faults == [f"python {fails}: ended with 3"]
    assert page.read_text() == before.removesuffix(OLD) + NEW
    with pytest.raises(SystemExit, match="no table that is made by a command with 'neither'"):
        remake.remake(page, page, folds, "neither", None)


def test_folds_are_made_once_where_there_are_none(remake, monkeypatch, tmp_path):
    runs = []

    def run(arguments, *, check=False):
        runs.append(arguments[1:])
        return remake.subprocess.CompletedProcess(arguments, 0, NEW)

    monkeypatch.setattr(remake, "_run", run)
    page, folds = tmp_path / "page.md", tmp_path / "own.json"
    page.write_text(PAGE)
    remake.remake(page, page, folds, "one.py", None)
    learning = ["benchmarks/calibrate.py", "--cv", "--out", str(folds)]
    assert runs == [learning, ["one.py", "--folds", str(folds)]]


def test_a_trial_leaves_the_repository_alone(remake):
    command = "python benchmarks/calibration.py --folds folds.json --record --draws 7"
    folds = REPOSITORY / "other.json"
    *_, before, record, _, _, curves, count = remake.build_arguments(command, folds, 3)
    assert (before, record, curves, count) == ("--record", str(remake.TRIAL / "calibration.csv"), "--curves", "3")
    assert not remake.TRIAL.is_relative_to(REPOSITORY / "src")
    assert remake.build_arguments(command, folds, None)[-3:] == ["--record", "--draws", "7"]


def test_every_command_of_the_page_is_a_program_that_is_there(remake):
    tables = remake.find_tables(remake.PAGE.read_text(encoding="utf-8"))
    assert len(tables) > 10
    for made in tables:
        assert made.end > made.start, made
        program = made.command.split()[1]
        assert (REPOSITORY / program).exists(), program
        assert made.title is None or made.title in (REPOSITORY / program).read_text(encoding="utf-8"), made
