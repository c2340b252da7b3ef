"""Tables as people keep them: names of columns, per cent, notes around the table, wide tables, workbooks."""

import datetime
import io
import re
from math import inf

import pytest

from apexgp import read
from apexgp.errors import DataError, MissingScoresWarning, RequestError
from apexgp.reading.layout import read_table
from conftest import require

SIZES, SCORES, SPLITS = [60, 60, 120, 120], [0.7, 0.72, 0.8, 0.82], ["a", "b", "a", "b"]


@pytest.fixture
def write(tmp_path):
    def write(text, name="pairs.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def is_the_pilot(curve, metric="score"):
    """Whether the four scores were read as they are in every file here."""
    assert curve.sizes.tolist() == SIZES
    assert curve.scores.tolist() == pytest.approx(SCORES, abs=1e-15)
    assert curve.split.tolist() == SPLITS
    assert curve.metric_name == metric
    return True


@pytest.mark.slow
@pytest.mark.parametrize("size", ["size", "Size", "n", "N", "n_train", "train size", "Training examples", "# samples"])
@pytest.mark.parametrize("split", ["Split", "fold", "CV fold", "seed", "random_state", "Run", "repeat"])
def test_columns_are_known_by_what_people_call_them(write, size, split):
    text = f"{size},AUC,{split}\n60,0.7,a\n60,0.72,b\n120,0.8,a\n120,0.82,b\n"
    assert is_the_pilot(read(write(text)).curve, "AUROC")


@pytest.mark.parametrize(
    "size", ["Number of patients", "training set size", "sample size", "n_samples", "Images", "nTrain"]
)
def test_more_names_of_sizes(write, size):
    assert read(write(f"id,{size},acc\n7,60,0.7\n8,90,0.8\n")).curve.sizes.tolist() == [60, 90]


@pytest.mark.parametrize(
    "size",
    [
        "No. of pts (train)",
        "N (train)",
        "# training samples",
        "Train size (patients)",
        "number of cases in training set",
        "Nb of samples",
        "train subset size",
        "No. of labels",
    ],
)
def test_sizes_go_before_test_sets_whatever_they_are_called(write, size):
    text = f"{size},No. of pts (test),n_features,AUC\n60,30,5,0.7\n90,30,5,0.8\n"
    assert read(write(text)).curve.sizes.tolist() == [60, 90]


@pytest.mark.parametrize(
    "name", ["labels", "No. of pts (test)", "train", "test size", "batch size", "no", "label", "epoch"]
)
def test_other_numbers_are_not_taken_for_sizes(write, name):
    with pytest.raises(DataError, match=r"no column called size, n, training examples.*found .*Name yours"):
        read(write(f"{name},acc\n60,0.7\n90,0.8\n")).curve


@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("Score", "score"),
        ("test_score", "score"),
        ("AUROC", "AUROC"),
        ("Accuracy", "accuracy"),
        ("F1", "F1"),
        ("mean test accuracy", "accuracy"),
        ("AUROC mean", "AUROC"),
        ("test AUC", "AUROC"),
        ("Performance (AUC)", "AUROC"),
        ("AUROC (macro)", "macro AUROC"),
        ("Accuracy (%)", "accuracy"),
        ("accuracy_pct", "accuracy"),
        ("% correct", "accuracy"),
    ],
)
def test_the_header_of_the_scores_names_the_metric(write, header, metric):
    curve = read(write(f"n,train_score,{header},fit_time\n60,0.99,0.7,12\n90,1,0.8,13\n")).curve
    assert (curve.metric_name, curve.scores.tolist(), curve.direction) == (metric, [0.7, 0.8], "higher")


def test_two_columns_that_may_be_it_are_refused_until_one_is_chosen(write):
    path = write("n,accuracy,F1\n60,0.7,0.5\n90,0.8,0.6\n")
    with pytest.raises(
        DataError,
        match=r"2 columns that may hold the scores: accuracy, F1\. Which one .* Name one of them, for",
    ):
        read(path).curve
    assert read(path, score="f1").curve.scores.tolist() == [0.5, 0.6]
    assert read(path, metric="F1").curve.scores.tolist() == [0.5, 0.6]
    with pytest.raises(DataError, match=r"2 columns that may hold the sizes: n, samples"):
        read(write("n,samples,auc\n60,61,0.5\n")).curve


def test_comments_above_and_scores_of_validation_do_not_matter(write):
    comments = "".join(f"# setting {i}: [1, 2, 3]\n" for i in range(20))
    text = f"{comments}size,split,val_auc,test_auc,error\n60,a,1,0.7\n60,b,1,0.72\n120,a,1,0.8,late\n120,b,1,0.82,\n"
    assert is_the_pilot(read(write(text)).curve, "AUROC")


def test_models_in_one_file_are_curves_of_their_own(write):
    curves = read(write("Model,n,AUC\nresnet,60,0.7\nvit,60,0.6\nresnet,90,0.8\nvit,90,0.7\n")).curves
    assert {name: curve.scores.tolist() for name, curve in curves.items()} == {"resnet": [0.7, 0.8], "vit": [0.6, 0.7]}


def test_a_seed_that_tells_no_splits_apart_is_not_taken_for_one(write):
    assert read(write("n,auc,seed\n60,0.7,42\n60,0.72,42\n")).curve.split is None
    with pytest.raises(DataError, match=r"line 2, 3: split 42 has 2 scores at size 60"):
        read(write("n,auc,seed\n60,0.7,42\n60,0.72,42\n"), split="seed").curve


@pytest.mark.parametrize(
    "text",
    [
        "n,accuracy,run\n60,70%,a\n60,72.0%,b\n120,80 %,a\n120,82%,b\n",
        "n;Accuracy;run\r\n60;70,0 %;a\r\n60;72,0 %;b\r\n120;80 %;a\r\n120;82 %;b\r\n",
        "n\taccuracy\trun\n60\t70%\ta\n60\t0.72\tb\n120\t80%\ta\n120\t0.82\tb\n",
    ],
)
def test_per_cent_signs_are_understood(write, text):
    assert is_the_pilot(read(write(text, encoding="utf-8-sig")).curve, "accuracy")


@pytest.mark.parametrize("header", ["Accuracy (%)", "Accuracy in %", "acc_pct", "Test accuracy [%]", "% correct"])
def test_a_per_cent_sign_in_the_header_stands_for_one_in_each_cell(write, header):
    text = f"n,{header},run\n60,70,a\n60,72.0%,b\n120,80,a\n120,82,b\n"
    assert is_the_pilot(read(write(text)).curve, "accuracy")


def test_fractions_under_a_header_of_per_cent_are_taken_as_such_only_where_nothing_else_can_be_meant(write):
    as_fractions = "n,Accuracy (%),run\n60,0.7,a\n60,0.72,b\n120,0.8,a\n120,0.82,b\n"
    assert is_the_pilot(read(write(as_fractions)).curve, "accuracy")
    with pytest.raises(DataError, match=r"line 2, column 'error \(%\)': .* does 0\.9 mean 0\.9 % or 90 %\?"):
        read(write("n,error (%)\n60,0.9\n120,0.8\n")).curve
    signed = read(write("n,error (%)\n60,0.9%\n120,0.8%\n")).curve
    assert signed.scores.tolist() == [0.009, 0.008]


def test_the_level_of_an_interval_is_no_unit(write):
    curve = read(write("n,AUC,AUC 95% CI low\n60,0.7,0.6\n120,0.8,0.7\n")).curve
    assert curve.scores.tolist() == [0.7, 0.8]


@pytest.mark.parametrize(
    ("header", "between", "direction"),
    [
        ("neg_log_loss", (0, inf), "lower"),  # with its sign turned back
        ("Cross entropy", (0, inf), "lower"),
        ("RMSE", (0, inf), "lower"),
        ("R2", (-inf, 1), "higher"),
        ("MCC", (-1, 1), "higher"),
    ],
)
def test_metrics_that_leave_the_unit_interval_know_their_range(write, header, between, direction):
    curve = read(write(f"n,{header}\n60,0.7\n120,0.5\n")).curve
    assert (curve.range, curve.direction, curve.scores.tolist()) == (between, direction, [0.7, 0.5])
    both = read(write(f"n,{header},AUC\n60,0.7,0.8\n120,0.5,0.9\n")).curve
    assert both.scores.tolist() == [0.8, 0.9]


def test_scores_that_scikit_learn_has_turned_round_are_known(write):
    curve = read(write("n,neg_brier_score\n60,-0.2\n120,-0.1\n")).curve
    assert (curve.range, curve.direction, curve.metric_name) == ((-inf, 0), "higher", "negative Brier score")


def test_titles_above_and_notes_beneath_the_table_are_left_out(write):
    text = (
        "Pilot, ward 7;;\n;;\nTraining examples;Accuracy;Fold\n60;0,7;a\n60;0,72;b\nSecond batch;;\n120;0,8;a\n"
        "120;0,82;b\n;;\n\nNote: measured in March, see Smith;;\nAll by hand;;\n"
    )
    assert is_the_pilot(read(write(text)).curve, "accuracy")
    plain = (
        "Pilot of ward 7\n\nn,Accuracy,Fold\n60,0.7,a\n60,0.72,b\n120,0.8,a\n120,0.82,b\n\n"
        "Note: in March, by Smith, on Tuesdays, late\n"
    )
    assert is_the_pilot(read(write(plain)).curve, "accuracy")


def test_files_put_one_after_the_other_are_one_table(write):
    one, other = "size,score,split\n60,0.7,a\n60,0.72,b\n", "size,score,split\n120,0.8,a\n120,0.82,b\n"
    assert is_the_pilot(read(write(one + other)).curve)


@pytest.mark.parametrize(
    "header",
    ["Fold 1,Fold 2,mean,sd", "1,2,mean,sd", "auc_1,auc_2,mean,sd", "fold a,fold b,note,sd", "seed=1,seed=2,x,y"],
)
def test_wide_tables_need_no_names(write, header):
    curve = read(write(f"n,{header}\n60,70%,0.72,0.71,0.01\n120,0.8,0.82,0.81,0.01\n")).curve
    assert (curve.sizes.tolist(), curve.scores.tolist()) == (SIZES, SCORES)
    assert len(set(curve.split.tolist())) == 2
    assert curve.metric_name == ("AUROC" if header.startswith("auc") else "score")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("AUC (fold 1),AUC (fold 2)", "AUROC"),
        ("Fold 1 AUC,Fold 2 AUC", "AUROC"),
        ("fold1_auc,fold2_auc", "AUROC"),
        ("AUC (1),AUC (2)", "AUROC"),
        ("AUC run A,AUC run B", "AUROC"),
        ("AUC_s1,AUC_s2", "AUROC"),
        ("F1 fold 1,F1 fold 2", "F1"),
        ("AUC (fold 1 of 2),AUC (fold 2 of 2)", "AUROC"),
        ("split0_test_score,split1_test_score", "score"),
        ("Accuracy (%) fold 1,Accuracy (%) fold 2", "accuracy"),
    ],
)
@pytest.mark.parametrize("beside", ["AUC mean,AUC SD", "train AUC (fold 1),train AUC (fold 2)", "time 1,time 2"])
def test_columns_of_splits_are_known_wherever_the_number_stands(write, header, metric, beside):
    curve = read(write(f"n,{header},{beside}\n60,0.7,0.72,0.5,0.5\n120,0.8,0.82,0.5,0.5\n")).curve
    assert (curve.sizes.tolist(), curve.scores.tolist(), curve.metric_name) == (SIZES, SCORES, metric)
    assert curve.split.tolist() == header.split(",") * 2


@pytest.mark.parametrize(
    "header", ["AUC (site 1),AUC (site 2)", "AUC class 1,AUC class 2", "AUC (ward A),AUC (ward B)"]
)
def test_what_may_be_no_splits_is_asked_about(write, header):
    one, other = header.split(",")
    said = f"it is not clear from their names whether {one!r}, {other!r} are splits of one model or different models"
    path = write(f"n,time,{header}\n60,1,0.7,0.72\n120,2,0.8,0.82\n")
    for named in (None, [one, other], "AUC*"):
        with pytest.raises(DataError, match=rf"{re.escape(said)}.*Use each_column='split' or each_column='model'"):
            read(path, score=named).curve
        assert read(path, score=named, each_column="split").curve.scores.tolist() == SCORES
        models = read(path, score=named, each_column="model").curves
        assert [curve.scores.tolist() for curve in models.values()] == [[0.7, 0.8], [0.72, 0.82]]
        assert {curve.metric_name for curve in models.values()} == {"AUROC"}


@pytest.mark.parametrize("header", ["AP50,AP75", "recall@1,recall@2", "AUC 2019,AUC 2020"])
def test_numbers_that_tell_metrics_apart_are_no_splits(write, header):
    with pytest.raises(DataError, match="score="):
        read(write(f"n,{header}\n60,0.7,0.72\n120,0.8,0.82\n")).curve


def test_f2_is_no_split_of_f1(write):
    assert read(write("n,F1,F2\n60,0.7,0.72\n120,0.8,0.82\n")).curve.scores.tolist() == [0.7, 0.8]


def test_of_two_sets_of_splits_one_is_chosen(write):
    path = write("n,AUC (fold 1),AUC (fold 2),Acc (fold 1),Acc (fold 2)\n60,0.7,0.72,0.6,0.6\n120,0.8,0.82,0.6,0.6\n")
    with pytest.raises(DataError, match=r"2 sets of columns .* AUC \(fold 1\), AUC \(fold 2\); Acc .*Name the columns"):
        read(path).curve
    for asked in ({"metric": "auroc"}, {"score": "AUC*"}):
        assert read(path, **asked).curve.scores.tolist() == SCORES


def test_a_metric_goes_before_numbered_columns_of_another_kind(write):
    curve = read(write("n,AUC,time 1,time 2\n60,0.7,0.1,0.2\n120,0.8,0.1,0.2\n")).curve
    assert curve.scores.tolist() == [0.7, 0.8]


def test_wide_tables_by_a_pattern_and_with_names_to_type(write):
    path = write("n,anna,annika,ben\n60,0.7,0.72,0.1\n120,0.8,0.82,0.1\n")
    curve = read(path, score="ann*", each_column="split").curve
    assert (curve.scores.tolist(), curve.split.tolist()) == (SCORES, ["anna", "annika"] * 2)
    with pytest.raises(DataError, match=r"each of several columns is a split or a model, use each_column='split' or"):
        read(path).curve


def test_sizes_in_the_header_are_a_table_turned_round(write):
    curve = read(write("fold,60,120\na,0.7,0.8\nb,0.72,0.82\n")).curve
    assert sorted(zip(curve.sizes, curve.split, curve.scores, strict=True)) == sorted(
        zip(SIZES, SPLITS, SCORES, strict=True)
    )


def test_empty_cells_of_a_wide_table_are_left_out_with_a_word(write):
    with pytest.warns(MissingScoresWarning, match=r"pairs\.csv: 2 of 6 score cells are empty .*\(line 3\)"):
        curve = read(write("n,s1,s2,s3\n60,0.7,0.71,0.72\n120,,0.8,n/a\n")).curve
    assert curve.scores.tolist() == [0.7, 0.71, 0.72, 0.8]


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ('n,auc\n"1,000",0.7\n"12,500",0.8\n', [1000, 12500]),
        ("n;auc\n1.000;0,7\n12.500;0,8\n", [1000, 12500]),
        ("n;auc\n1 000;0,7\n12 500;0,8\n", [1000, 12500]),
        ("n;auc\n1,000;0.7\n12,500;0.8\n", [1000, 12500]),
        ("n\tauc\n1'000\t0.7\n500\t0.8\n", [1000, 500]),
        ("n,auc\n1.125,0.7\n2.5,0.8\n", [1.125, 2.5]),
    ],
)
def test_thousands_apart_are_understood_where_nothing_else_can_be_meant(write, text, sizes):
    assert read(write(text)).curve.sizes.tolist() == sizes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "n;auc\n60;0.7\n1.500;0.8\n",
            r"line 3, column 'n': expected a number, got '1\.500'. It could be read as 1.5 or as 1500",
        ),
        ("n;auc\n60;0,7\n1,500;0,8\n", r"line 3, column 'n': .* could be read as 1,5 or as 1500"),
        (
            "n,accuracy\n60,71.2\n90,75\n",
            r"line 2, .* got 71\.2\. Are these percentages\? Write 71\.2% in every row\. .* per_cent=True",
        ),
        (
            "n,accuracy\n60,71.2%\n90,75\n",
            r"line 3, .*got 75\. Is this a percentage\? Write 75%, or 0\.75 as in the other rows",
        ),
        ("n,accuracy\n60,0.7\n\n90,175\n", r"line 4, .*got 175\. If something else was measured"),
        (
            "n,accuracy\n60,0.7\n90,good\n",
            r"line 3, column 'accuracy': expected a number, got 'good'\. Correct it, or leave out",
        ),
        ("n,accuracy\n60,0.7\nSite,0.7\n", r"line 3, column 'n': expected a number, got 'Site'"),
        (
            "n,accuracy\n60,0.7\n0,0.7\n",
            r"line 3, column 'n': expected a number of training examples, at least 1, got 0",
        ),
        ("n,accuracy\n0.1,0.7\n0.5,0.7\n", r"line 2, column 'n': .*shares of a data set.* with total="),
        ("n,accuracy,split\n60,0.7,1\n90,0.7,\n", r"line 3, column 'split': the split has no label"),
        ("size,score,split\n60,0.7,1\n90,0.7,1\n60,0.7,1\n", r"line 2, 4: split 1 has 2 scores at size 60"),
        ("n,1,2\n60,0.7,7\n", r"line 2, column '2': scores must lie in \[0, 1\], got 7"),
        ("sep=;\nn;auc\n60;0.7\n90;x\n", r"line 4, column 'auc'"),
        ("A title\nn;auc\n60;0.7\n90;x\n", r"line 4, column 'auc'"),
    ],
)
def test_every_fault_of_a_row_names_its_line(write, text, message):
    with pytest.raises(DataError, match=message):
        read(write(text)).curve


def test_an_open_file_is_read_too():
    assert is_the_pilot(read(io.StringIO("size,score,split\n60,0.7,a\n60,0.72,b\n120,0.8,a\n120,0.82,b\n")).curve)
    with pytest.raises(DataError, match="the file is empty"):
        read(io.BytesIO(b"")).curve


@pytest.fixture
def workbook(tmp_path):
    """As people keep them: a merged title, a gap, sizes merged over their rows, dates, a remark, another sheet."""
    openpyxl = require("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Pilot"
    sheet.append(["Results of the pilot"])
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["Training examples", "AUC", "Fold", "measured"])
    for i, (size, score, fold) in enumerate(zip(SIZES, SCORES, SPLITS, strict=True)):
        sheet.append([None if i % 2 else size, score, fold, datetime.datetime(2024, 3, 1 + i)])
        sheet.cell(4 + i, 2).number_format = "0.0%"
    sheet.merge_cells("A4:A5")
    sheet.merge_cells("A6:A7")
    sheet.append([])
    sheet.append(["Remark: by hand"])
    other = book.create_sheet("Typed as text")
    other.append(["size", "score", "split"])
    for size, score, fold in zip(SIZES, SCORES, SPLITS, strict=True):
        other.append([str(size), f"{100 * score:.1f} %".replace(".", ","), fold])
    book.create_sheet("Empty")
    shown = book.create_sheet("Per cent")  # as the sheet shows them: 70 % and 172 %
    for row in (["n", "AUC (%)"], [60, 0.7], [120, 1.72]):
        shown.append(row)
    for cell in (shown["B2"], shown["B3"]):
        cell.number_format = "0 %"
    bad = book.create_sheet("Bad")
    bad.append(["size", "score"])
    bad.append([60, "high"])
    book.save(tmp_path / "pilot.xlsx")
    return tmp_path / "pilot.xlsx"


@pytest.mark.slow
def test_workbooks_are_read_as_they_are(workbook):
    assert is_the_pilot(read(workbook).curve, "AUROC")
    for sheet in ("Typed as text", 2, "2"):
        assert is_the_pilot(read(workbook, sheet=sheet).curve)
    for sheet, message in (
        ("None", "no sheet 'None'; found Pilot, Typed as text, Empty, Per cent, Bad"),
        ("Empty", "an empty sheet 'Empty'"),
        ("Per cent", r"row 3, column 'AUC \(%\)': scores must lie in \[0, 1\], got 172%"),
        ("Bad", r"pilot\.xlsx, row 2, column 'score': expected a number, got 'high'"),
    ):
        with pytest.raises(DataError, match=message):
            read(workbook, sheet=sheet).curve


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"XFD1048576": 1}, r"1,048,576 rows and 16,384 columns in its sheet 'Sheet'\. Delete what lies far"),
        ({"B3": "oops!"}, r"row 3, column 'error \(%\)': expected a number, got 'oops!'"),
        ({}, None),
    ],
)
def test_what_a_reader_of_workbooks_must_keep(tmp_path, cells, message):
    """No memory for cells far away, errors that are not empty cells, and the per cent sign that a sheet shows."""
    book = require("openpyxl").Workbook()
    for row in (["n", "error (%)"], [60, 0.009], [120, 0.008]):
        book.active.append(row)
    for name in ("B2", "B3"):
        book.active[name].number_format = "0.0%"
    for name, value in cells.items():
        book.active[name] = value
    book.save(tmp_path / "pilot.xlsx")
    if message is None:
        assert read(tmp_path / "pilot.xlsx").curve.scores.tolist() == [0.009, 0.008]
    else:
        with pytest.raises(DataError, match=message):
            read(tmp_path / "pilot.xlsx").curve


def test_what_is_no_workbook_says_so(write, tmp_path):
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    with pytest.raises(DataError, match=r"old format \(\.xls\)\. Save it as \.xlsx or CSV"):
        read(tmp_path / "old.xls").curve
    with pytest.raises(RequestError, match=r"sheet applies to a workbook \(\.xlsx\)"):
        read(write("size,score\n60,0.7\n"), sheet="Pilot").curve


@pytest.mark.slow
def test_a_header_of_a_hundred_thousand_columns_is_read_in_one_pass(tmp_path):
    # To look for each name among all others took over half a minute.
    names = [f"c{i}" for i in range(100_000)]
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(names)}\n{','.join('1' for _ in names)}\n")
    assert list(read_table(path).columns) == names
    path.write_text(f"{','.join(names)},c7\n{','.join('1' for _ in names)},1\n")
    with pytest.raises(DataError, match="names column c7 more than once"):
        read_table(path)
