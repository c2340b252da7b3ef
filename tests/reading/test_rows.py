"""Names that are written once above several rows, as merged cells are saved."""

import pytest

from apexgp import read
from apexgp.errors import DataError
from readings import read_with_notes

SIZES = (60, 120, 240)
HEADER = "Model,n,seed,AUC"
A, B = 0.6, 0.5


def rows(name, start, seeds=2):
    """Rows of one model, of which the first alone has its name."""
    measured = [
        f"{n},{seed},{start + 0.04 * i + 0.01 * seed:.2f}" for i, n in enumerate(SIZES) for seed in range(seeds)
    ]
    return [f"{'' if i else name},{row}" for i, row in enumerate(measured)]


def in_full(lines, column=0):
    """The same lines with the name in every row."""
    name, full = "", []
    for line in lines:
        cells = line.split(",")
        name = cells[column] = cells[column] or name
        full.append(",".join(cells))
    return full


@pytest.fixture
def write(tmp_path):
    def write(*lines):
        path = tmp_path / "models.csv"
        path.write_text("\n".join(lines) + "\n")
        return path

    return write


def scores(curves):
    return {task: list(zip(curve.sizes, curve.split, curve.scores, strict=True)) for task, curve in curves.items()}


@pytest.mark.parametrize("seeds", [(2, 2), (3, 2), (1, 1)])
def test_a_model_named_once_keeps_all_its_scores(write, seeds):
    lines = [*rows("A", A, seeds[0]), *rows("B", B, seeds[1])]
    wanted = scores(read(write(HEADER, *in_full(lines))).curves)
    curves, notes = read_with_notes(write(HEADER, *lines))
    assert scores(curves) == wanted
    assert list(curves) == ["A", "B"]
    assert "filled the empty cells under 'Model' with the name above them: line 3, 4" in " ".join(notes)


def test_models_named_once_for_every_size_keep_theirs(write):
    lines = [
        f"{name if seed == 0 else ''},{n},{seed},0.{n // 10 + seed}" for n in SIZES for name in "AB" for seed in (0, 1)
    ]
    curves = read(write(HEADER, *lines)).curves
    assert {task: len(curve) for task, curve in curves.items()} == {"A": 6, "B": 6}


def test_a_name_on_a_line_of_its_own_is_that_of_the_rows_below(write):
    lines = [
        "A,,,",
        *(f",{row}" for row in ("60,1,0.6", "120,1,0.7")),
        "B,,,",
        *(f",{row}" for row in ("60,1,0.5", "120,1,0.6")),
    ]
    curves = read(write(HEADER, *lines)).curves
    assert {task: curve.scores.tolist() for task, curve in curves.items()} == {"A": [0.6, 0.7], "B": [0.5, 0.6]}


def test_summaries_and_remarks_have_no_name_to_fill(write):
    lines = [*rows("A", A), ",,mean,0.65", *rows("B", B), ",,mean,0.55", ",see the appendix,,"]
    curves = read(write(HEADER, *lines)).curves
    assert {task: len(curve) for task, curve in curves.items()} == {"A": 6, "B": 6}


def test_learners_are_filled_down_too(write):
    lines = [f"{line},{'ridge' if i == 0 else ''}" for i, line in enumerate([*rows("A", A), *rows("B", B)])]
    curves = read(write(f"{HEADER},learner", *lines)).curves
    assert [curve.learner for curve in curves.values()] == ["linear", "linear"]


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_first_row_without_a_name_is_refused_by_its_line(write, missing):
    lines = [*rows("A", A), *rows("B", B)]
    for i in range(missing + 1):
        lines[i] = lines[i].replace("A", "", 1)
    lines[missing + 1] = "A" + lines[missing + 1]
    with pytest.raises(
        DataError, match=r"line 2, column 'Model': the name is missing\. Write it into this row"
    ) as refused:
        read(write(HEADER, *lines)).curves
    assert [fault.line for fault in refused.value.faults] == list(range(2, missing + 3))


def test_a_gap_among_names_in_every_row_is_refused(write):
    lines = in_full([*rows("A", A), *rows("B", B)])
    lines[6] = lines[6].replace("B", "", 1)  # B's first row, which the name above would make one of A's
    with pytest.raises(DataError, match="line 8, column 'Model': the name is missing"):
        read(write(HEADER, *lines)).curves


def test_a_column_without_any_name_tells_nothing_apart(write):
    path = write(HEADER, *rows("", A))
    assert list(read(path).curves) == [None]
    assert read(path).curve.task is None


def test_a_data_set_named_once_for_all_rows_is_no_second_column_of_tasks(write):
    lines = [f"{line},{'lung' if i == 0 else ''}" for i, line in enumerate([*rows("A", A), *rows("B", B)])]
    assert list(read(write(f"{HEADER},Dataset", *lines)).curves) == ["A", "B"]


@pytest.mark.parametrize("header", ["learner", "Learner"])
def test_several_learners_are_several_curves(tmp_path, header):
    """They were pooled into one, whose spread was that between the learners."""
    (tmp_path / "t.csv").write_text(
        f"{header},n,seed,AUC\n"
        + "".join(f"{who},{n},1,{s}\n" for who, s in (("A", 0.7), ("B", 0.6)) for n in (50, 100, 200))
    )
    curves = read(tmp_path / "t.csv").curves
    assert {task: curve.scores.tolist() for task, curve in curves.items()} == {"A": [0.7] * 3, "B": [0.6] * 3}
