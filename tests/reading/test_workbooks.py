"""Workbooks as people keep them: each is read at once, or asks one question whose remedy then reads it."""

import io
import re

import numpy as np
import pytest

import workbooks
from apexgp import read
from apexgp.errors import DataError, MissingScoresWarning
from conftest import require
from readings import read_with_notes
from workbooks import FOLDS, MEANS, OTHER, fill, saved, the_pilot


@pytest.fixture
def book(tmp_path):
    require("openpyxl")
    return lambda build: saved(build, tmp_path)


def same(found, wanted):
    """Whether two curves hold the same scores, size by size and split by split, whatever their order."""
    rows = [
        sorted(zip(curve.sizes, curve.scores.round(6), map(str, curve.split), strict=True)) for curve in (found, wanted)
    ]
    assert [row[:2] for row in rows[0]] == [row[:2] for row in rows[1]]
    assert len(set(rows[0])) == len(set(rows[1]))
    return True


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "metric", "said"),
    [
        ("plain", "AUROC", ""),
        ("summary_rows", "score", "left out 2 summary rows: row 6 (Mean), 7 (SD)."),
        ("subtotals", "AUROC", "left out 5 summary rows: row 5 (mean), 9 (mean), 13 (mean), 17 (mean), 18 (Total)."),
        ("counted", "AUROC", ""),
        ("per_cents_with_unit_row", "accuracy", "'Accuracy (%)' as the scores"),
        ("cover_sheet", "AUROC", "read the sheet 'Results', the only one of 3 with a table of scores; none in Cover"),
        ("one_name_for_three_folds", "AUROC", "'AUC 1', 'AUC 2', 'AUC 3' as the scores, one column per split"),
        ("sizes_written_once", "AUROC", "filled the empty cells under 'n' with the size above them: row 3, 4, 6"),
        ("sizes_across", "AUROC", "read the columns n=60, n=120, n=250, n=500 as sizes"),
    ],
)
def test_read_at_once(book, build, metric, said):
    curves, notes = read_with_notes(book(getattr(workbooks, build)))
    (curve,) = curves.values()
    assert same(curve, the_pilot())
    assert curve.metric_name == metric
    assert said in " ".join(notes)


@pytest.mark.parametrize(
    "build",
    ["models_side_by_side", "models_under_the_sizes", "tables_side_by_side", "model_column", "models_in_columns"],
)
def test_models_of_one_sheet_are_curves_of_their_own(book, build):
    curves = read(book(getattr(workbooks, build))).curves
    assert list(curves) == ["ResNet", "ViT"]
    assert same(curves["ResNet"], the_pilot())
    assert same(curves["ViT"], the_pilot(OTHER))


@pytest.mark.parametrize(
    ("build", "question", "answer"),
    [
        (
            "bare_per_cents",
            "got 66. Are these percentages? Write 66% in every row. Or say so with per_cent=True",
            {"per_cent": True},
        ),
        (
            "several_metrics",
            "Which one should be forecast? Name one of them, for instance with score='AUC'.",
            {"score": "AUC"},
        ),
        ("unnamed_folds", "More splits beside 'AUC'? If so, use each_column='split'", {"each_column": "split"}),
    ],
)
def test_one_question_whose_remedy_then_works(book, build, question, answer):
    path = book(getattr(workbooks, build))
    with pytest.raises(DataError, match=re.escape(question)):
        read(path).curve
    assert same(read(path, **answer).curve, the_pilot())


def test_models_in_columns_of_one_metric(book):
    curves = read(book(workbooks.models_in_columns)).curves
    assert {curve.metric_name for curve in curves.values()} == {"AUROC"}


def test_different_metrics_are_never_pooled(book):
    with pytest.raises(DataError, match=r"'AUC', 'Sensitivity' are different metrics \(AUROC, sensitivity\)"):
        read(book(workbooks.several_metrics), score=["AUC", "Sensitivity"]).curve


def test_columns_without_a_name_may_be_left_out_with_a_word(book):
    curves, notes = read_with_notes(book(workbooks.unnamed_folds), score="AUC")
    assert curves[None].scores.tolist() == [scores[0] for scores in FOLDS.values()]
    assert "did not use the columns 'column C', 'column D'." in " ".join(notes)


def test_a_name_over_several_columns_is_asked_about(book):
    def build(book):
        fill(book, [["n", "AUC", "AUC", "AUC"], *workbooks.wide_rows()])

    path = book(build)
    with pytest.raises(DataError, match=r"the name 'AUC' heads 3 columns\. More splits beside 'AUC'\?"):
        read(path).curve
    assert same(read(path, each_column="split").curve, the_pilot())


def test_a_pending_cell_costs_itself_alone(book, tmp_path):
    with pytest.warns(MissingScoresWarning, match=r"1 of 12 score cells are empty and were left out \(row 5\)"):
        assert len(read(book(workbooks.pending)).curve) == 11
    path = tmp_path / "long.csv"
    for cell in ("pending", "", "n.d.", "ausstehend", "#DIV/0!"):
        path.write_text(f"n,AUC,fold\n60,0.7,1\n60,{cell},2\n120,0.8,1\n")
        reading = read(path)
        assert len(reading.curve) == 2
        assert reading.interpretation.set_aside == {3: "no score"}
        assert "left out rows without a score: line 3." in " ".join(reading.notes)
    path.write_text("n,AUC,fold\n60,0.7,1\n60,lost,2\n120,0.8,1\n")
    with pytest.raises(DataError, match=r"line 3, .* got 'lost'\. Correct it, or leave out this row\."):
        read(path).curve


@pytest.mark.parametrize("runs", [None, 1, 9, 2000])
def test_an_interval_says_nothing_of_the_scatter_of_runs(book, runs):
    curves, notes = read_with_notes(book(workbooks.intervals), averaged_over=runs)
    assert curves[None].scores.tolist() == [round(mean, 2) for mean in MEANS.values()]
    assert curves[None].score_sd is None
    assert "the intervals in brackets under 'AUC (95% CI)' are not used" in " ".join(notes)


@pytest.mark.parametrize(
    ("cells", "sd"),
    [
        (["0.70 [0.60, 0.80]", "0.80 [0.70, 0.90]"], None),
        (["70% (60%-80%)", "80% (70%-90%)"], None),
        (["70 % (60–80 %)", "80 (70–90) %"], None),
        (["0.70 (90% CI 0.60 to 0.80)", "0.80 (90% CI 0.70 to 0.90)"], None),
        (["0.70 (0.60-0.80)", "0.80 ± 0.10"], None),  # half an interval, perhaps
        (["0.70 (0.05)", "0.80 (0.05)"], 0.05),
        (["0.70 (SD 0.05)", "0.80 (SD 0.05)"], 0.05),
    ],
)
def test_intervals_and_spreads_however_they_are_written(cells, sd):
    curve = read({"n": [60, 120], "AUC": cells}).curve
    assert curve.scores.tolist() == [0.7, 0.8]
    assert curve.score_sd is None if sd is None else curve.score_sd == pytest.approx(sd, rel=1e-5)


def test_intervals_with_decimal_commas(tmp_path):
    path = tmp_path / "commas.csv"
    path.write_text("n;AUC\n60;0,70 (0,60-0,80)\n120;0,80 (0,70-0,90)\n")
    assert read(path).curve.scores.tolist() == [0.7, 0.8]


@pytest.mark.parametrize("score", ["{} ({}-{})", "{} [{}, {}]", "{} ± 0.02"])
def test_a_cover_sheet_before_scores_with_more_in_their_cells(book, score):
    def build(book):
        fill(book, [["Learning-curve study"]], "Cover")
        rows = [[n, score.format(mean, round(mean - 0.05, 3), round(mean + 0.05, 3))] for n, mean in MEANS.items()]
        fill(book, [["n", "AUC"], *rows], "Results")

    assert read(book(build)).curve.scores.tolist() == list(MEANS.values())


@pytest.mark.parametrize("size", ["", 600])
def test_a_summary_may_be_named_in_any_column(book, size):
    def build(book):
        rows = [["A", n, mean] for n, mean in MEANS.items()]
        fill(book, [["Site", "n", "AUC"], *rows, ["Mean", size, 0.7], ["SD", size, 0.04]])

    curves, notes = read_with_notes(book(build))
    assert curves["A"].scores.tolist() == list(MEANS.values())
    assert "left out 2 summary rows: row 6 (Mean), 7 (SD)." in " ".join(notes)


def test_numbers_in_brackets_that_count_are_no_spread():
    with pytest.raises(DataError, match=r"expected a number, got '0\.7 \(12\)'"):
        read({"n": [60, 120], "AUC": ["0.7 (12)", "0.8 (15)"]}).curve


def test_headings_may_be_metrics_splits_or_parts_of_the_data(book):
    def metrics(book):
        names = ["n", *["fold 1", "fold 2", "fold 3"] * 2]
        rows = [[n, *FOLDS[n], *OTHER[n]] for n in FOLDS]
        fill(book, [["", "AUC", "", "", "Accuracy", "", ""], names, *rows]).merge_cells("B1:D1")

    path = book(metrics)
    with pytest.raises(DataError, match=r"holds 2 metrics \(AUC, Accuracy\)\. Choose with metric="):
        read(path).curve
    assert same(read(path, metric="accuracy").curve, the_pilot(OTHER))

    def splits(book):
        rows = [[n, *(cell for score in scores for cell in (score, 0.9))] for n, scores in FOLDS.items()]
        fill(book, [["", *(c for i in (1, 2, 3) for c in (f"Fold {i}", ""))], ["n", *["AUC", "Sens"] * 3], *rows])

    path = book(splits)
    with pytest.raises(DataError, match=r"may hold the scores: AUC, Sens\."):
        read(path).curve
    assert same(read(path, score="AUC").curve, the_pilot())

    def parts(book):
        rows = [[n, *FOLDS[n], 0.99, 0.98, 0.97] for n in FOLDS]
        fill(book, [["", "Test", "", "", "Train", "", ""], ["n", *["fold 1", "fold 2", "fold 3"] * 2], *rows])

    curve = read(book(parts)).curve
    assert same(curve, the_pilot())
    assert np.unique(curve.train_scores).tolist() == [0.97, 0.98, 0.99]


def test_a_fault_under_a_heading_says_which(book):
    def build(book):
        workbooks.models_side_by_side(book)
        book.active["F4"] = "tbc"

    with pytest.raises(DataError, match=r"row 4, column 'Fold 2' under 'ViT': expected a number, got 'tbc'"):
        read(book(build)).curves


def test_columns_that_are_not_used_are_named():
    _, notes = read_with_notes({"n": [60, 120], "AUC": [0.7, 0.8], "hours": [1, 2], "by": ["A", "B"]})
    assert notes[-1] == "The data frame: did not use the column 'hours'."


def test_remarks_in_a_column_without_a_name_are_noted(book):
    def build(book):
        fill(book, [["n", "AUC", ""], [60, 0.7, "redo?"], [120, 0.8, "ok"]])

    curves, notes = read_with_notes(book(build))
    assert curves[None].scores.tolist() == [0.7, 0.8]
    assert notes[-1].endswith("did not use the column 'column C'.")


@pytest.mark.parametrize("name", ["patients (events)", "n (events)", "n [deaths]", "N"])
@pytest.mark.parametrize("cell", ["{} ({})", "{}({})", "{} [{}]", "{} patients ({})"])
def test_sizes_with_the_events_among_them_in_brackets(name, cell):
    rows = "".join(f'"{cell.format(f"{size:,}", size // 8)}",{score}\n' for size, score in [(400, 0.7), (1600, 0.8)])
    curves, notes = read_with_notes(io.StringIO(f'"{name}",AUC\n{rows}'))
    assert curves[None].sizes.tolist() == [400, 1600]
    assert any(f"the numbers before the brackets under '{name}' as the sizes" in note for note in notes)


def test_more_in_the_brackets_than_before_them_is_not_a_part_of_the_size():
    with pytest.raises(DataError, match=re.escape("got '12 (100)'")):
        read(io.StringIO("n,AUC\n12 (100),0.7\n25 (200),0.8\n")).curves


def test_a_header_without_rows_names_the_other_sheets(book):
    def build(book):
        fill(book, [["n", "AUC"]], "Template")
        fill(book, [["Learning-curve study"]], "Cover")

    with pytest.raises(DataError) as problem:
        read(book(build)).curves
    said = "has a header (n, AUC) but no rows: read the sheet 'Template', the first of 2; the others are Cover."
    assert f"{said} Choose another with sheet" in str(problem.value)
    with pytest.raises(DataError, match=r"but no rows: read the sheet 'Template'\. Choose another with sheet"):
        read(book(build), sheet="Template").curves
    with pytest.raises(DataError, match=r"but no rows\.$"):
        read(book(lambda book: fill(book, [["n", "AUC"]], "Template"))).curves
