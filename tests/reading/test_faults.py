"""What is wrong with a table is told together: one error that carries every fault with its line."""

import io

import pytest

from apexgp import read
from apexgp.errors import DataError, Fault
from apexgp.reading.layout import Table
from apexgp.reading.measure import MOST_FAULTS


def problem_with(text, **asked):
    with pytest.raises(DataError) as found:
        read(io.StringIO(text), **asked).curves
    return found.value


def places(problem):
    return [(fault.line, fault.column) for fault in problem.faults]


def test_every_fault_is_found_on_one_way_through_the_table(monkeypatch):
    asked = []
    numbers = Table.numbers
    monkeypatch.setattr(Table, "numbers", lambda self, column, **k: asked.append(column) or numbers(self, column, **k))
    problem = problem_with("size,score\n60,0.66\n94,abc\n147,7\n230,0.75\n,0.76\n0.5,\n")
    assert asked == ["size", "score"]
    assert places(problem) == [(3, "score"), (4, "score"), (6, "size")]
    first = "expected a number, got 'abc'. Correct it, or leave out this row."
    assert problem.faults[0] == Fault(3, "score", first)
    assert str(problem) == f"the file, line 3, column 'score': {first} Also at fault: line 4, 6."


def test_one_fault_is_told_as_it_is():
    problem = problem_with("size,score\n60,0.66\n94,abc\n147,0.7\n")
    assert str(problem) == "the file, line 3, column 'score': " + problem.faults[0].message


def test_an_error_carries_the_first_faults_of_many():
    problem = problem_with("size,score\n" + "60,x\n" * (MOST_FAULTS + 5) + "60,0.7\n")
    assert places(problem) == [(line, "score") for line in range(2, MOST_FAULTS + 2)]
    assert str(problem).endswith(f"Also at fault: line 3, 4, 5, 6, 7 and {MOST_FAULTS - 1} more.")


def test_what_is_wrong_with_every_row_is_said_of_the_first():
    problem = problem_with("size,score\n60,66\n94,70\n147,75\n")
    assert len(problem.faults) == 3
    assert problem.faults[0].message in str(problem)


def test_faults_are_judged_by_the_scores_that_can_be_read():
    problem = problem_with("size,score\n60,66\n94,abc\n147,70\n")
    assert "Write 66% in every row" in problem.faults[0].message  # one odd cell does not hide that these are per cent
    assert places(problem) == [(2, "score"), (3, "score"), (4, "score")]


@pytest.mark.parametrize(
    ("text", "expected", "beginning"),
    [
        # the second of a pair is at fault, wherever the first stands
        ("size,score,split\n60,0.6,a\n94,0.7,a\n60,0.6,b\n94,0.8,a\n60,0.7,b\n", [(5, None), (6, None)], "split 'a'"),
        ("size,score,split\n60,0.6,a\n94,0.7,\n147,0.7,a\n230,0.8,-\n", [(3, "split"), (5, "split")], "the split has"),
        ("size,score,direction\n60,0.6,higher\n94,0.7,higher\n99,0.7,lower\n", [(4, "direction")], "a curve has one"),
        ("size,score,unit\n60,0.6,rows\n94,0.7,\n99,0.7,\n", [(3, "unit"), (4, "unit")], "expected what a size counts"),
        ("size,score\n60,0.6\n94,0,7\n", [(3, None)], "3 cells under 2 column names"),
        ("n,fold 1,fold 2\n60,0.6,x\n94,2,y\n", [(2, "fold 2"), (3, "fold 1"), (3, "fold 2")], "expected a number"),
    ],
)
def test_faults_between_rows_and_of_rows_know_their_lines(text, expected, beginning):
    problem = problem_with(text)
    assert places(problem) == expected
    assert problem.faults[0].message.startswith(beginning)


def test_what_is_wrong_with_the_whole_is_nobodys_row():
    for text in ("a,b\n60,0.6\n70,0.7\n", "size,score\n", "size,score,direction\n60,0.6,lower\n"):
        assert problem_with(text, direction="higher").faults == ()


def test_rows_of_a_data_frame_are_counted_from_0():
    with pytest.raises(DataError) as found:
        read({"size": [60, 94, None], "score": [0.6, "x", 0.7]}).curves
    assert places(found.value) == [(1, "score"), (2, "size")]
    assert "row 1" in str(found.value)
