import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import learning_curve

from apexgp import LearningCurve, read
from apexgp.errors import DataError, MissingScoresWarning, RequestError, WouldOverwriteError


@pytest.fixture
def write(tmp_path):
    def write(text, name="pairs.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write


def test_keeps_the_rows_and_cannot_be_changed():
    given = np.array([0.7, 0.72, 0.8])
    curve = LearningCurve([60, 60, 120], given, ["a", "b", "a"], metric="auroc", task="liver")
    given[0] = 0.1
    assert curve.scores.tolist() == [0.7, 0.72, 0.8]
    assert curve.split.tolist() == ["a", "b", "a"]
    with pytest.raises(ValueError, match="read-only"):
        curve.scores[0] = 0.5
    with pytest.raises(AttributeError):
        curve.metric = "other"


def test_an_error_rate_is_turned_inside_only():
    curve = LearningCurve([60, 120], [0.3, 0.2], direction="lower")
    assert curve.scores.tolist() == [0.3, 0.2]
    assert curve.upward.scores == pytest.approx([0.7, 0.8])
    assert curve.upward is curve.upward  # checked once, however often it is asked for
    assert curve.upward.upward is curve.upward


def test_collapse_gives_mean_spread_and_count():
    curve = LearningCurve([120, 60, 60, 120, 240], [0.8, 0.7, 0.74, 0.82, 0.9])
    pilot = curve.replicates
    assert pilot.sizes.tolist() == [60, 120, 240]
    assert pilot.mean == pytest.approx([0.72, 0.81, 0.9])
    assert pilot.std == pytest.approx([np.std([0.7, 0.74], ddof=1), np.std([0.8, 0.82], ddof=1), 0.0])
    assert pilot.count.tolist() == [2, 2, 1]


def test_takes_what_scikit_learn_returns():
    X, y = load_breast_cancer(return_X_y=True)
    sizes, _, scores = learning_curve(
        LogisticRegression(max_iter=50, solver="liblinear"),
        X,
        y,
        train_sizes=[50, 100, 200],
        cv=3,
        shuffle=True,
        random_state=0,
    )
    curve = LearningCurve(sizes, scores)
    assert len(curve) == 9
    assert sorted(set(curve.split.tolist())) == [0, 1, 2]
    for row, size in enumerate(sizes):
        assert curve.scores[curve.sizes == size].tolist() == scores[row].tolist()


def test_empty_cells_of_a_table_are_left_out_aloud():
    with pytest.warns(MissingScoresWarning, match="1 of 4 scores"):
        curve = LearningCurve([60, 120], [[0.7, np.nan], [0.8, 0.82]])
    assert curve.sizes.tolist() == [60, 120, 120]
    assert curve.split.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("sizes", "scores", "split", "message"),
    [
        ([60, 120], [0.7, np.nan], None, "NaN in row 1"),
        ([60, np.inf], [0.7, 0.8], None, "sizes must be finite, got inf"),
        ([60, np.nan], [0.7, 0.8], None, "sizes must be finite, got nan"),
        ([60, 120], [0.7, np.inf], None, "scores must be finite"),
        ([0, 120], [0.7, 0.8], None, "at least 1, got 0"),
        ([0.1, 0.5], [0.7, 0.8], None, "fractions of a data set"),
        ([60, 120], [71, 85], None, "percentages.*71 becomes 0.71"),
        ([60, 120], [-0.1, 0.8], None, r"\[0, 1\], got -0.1"),
        ([60, 120, 180], [0.7, 0.8], None, "3 sizes and 2 scores"),
        ([60, 120], ["high", 0.8], None, "real numbers, got 'high'"),
        ([60, 120], [True, False], None, "real numbers, got True"),
        ([], [], None, "empty"),
        ([60, 60], [0.7, 0.8], ["a", "a"], "Split 'a' has 2 scores at size 60"),
        ([60, 120], [0.7, 0.8], ["a"], "1 labels and 2 scores"),
        ([60, 120], [0.7, 0.8], ["a", None], "no label in row 1"),
        ([60, 120, 180], [[0.7, 0.8], [0.8, 0.9]], None, "3 sizes and 2 rows"),
        ([[60, 120]], [0.7, 0.8], None, "one dimension"),
        ([60, True], [0.7, 0.8], None, "real numbers, got True"),
        ([60, 120], np.ma.array([0.7, 0.8], mask=[0, 1]), None, "masked entries"),
        (np.array(["2020-01-01"], "datetime64[D]"), [0.7], None, "real numbers"),
        ([60, 120], [0.7, 0.8], [["a"], ["b"]], "one label for each score"),
    ],
)
def test_bad_pairs_are_explained(sizes, scores, split, message):
    with pytest.raises(DataError, match=message):
        LearningCurve(sizes, scores, split)


def test_bad_direction_is_explained():
    with pytest.raises(RequestError, match="'higher', 'lower', got 'up'"):
        LearningCurve([60], [0.7], direction="up")
    for unit in ("", "a\nb", "x" * 41, 3):
        with pytest.raises(DataError, match="unit must be what a size counts"):
            LearningCurve([60], [0.7], unit=unit)
    for share in (0, 1, -0.1, 20, float("nan")):
        with pytest.raises(RequestError, match=r"test_share must be"):
            LearningCurve([60], [0.7], test_share=share)


def test_round_trip_through_csv(tmp_path):
    about = {"metric": "error rate", "task": "x, y", "direction": "lower", "unit": "patients", "test_share": 0.2}
    curve = LearningCurve([60, 60, 1e12], [0.1 + 0.2, 1 / 3, 1.0], ["a", "b", "a"], **about)
    path = tmp_path / "c.csv"
    curve.to_csv(path)
    again = read(path).curve
    assert again.sizes.tolist() == curve.sizes.tolist()
    assert again.scores.tolist() == curve.scores.tolist()
    assert again.split.tolist() == curve.split.tolist()
    assert {name: getattr(again, name) for name in about} == about
    with pytest.raises(WouldOverwriteError, match=r"c\.csv exists"):
        curve.to_csv(path)


def test_every_file_says_what_was_measured(tmp_path):
    LearningCurve([60, 120], [0.1, 0.05], direction="lower").to_csv(tmp_path / "e.csv")
    lines = (tmp_path / "e.csv").read_text().splitlines()
    assert lines == ["size,score,metric,direction,unit", "60,0.1,score,lower,rows", "120,0.05,score,lower,rows"]
    again = read(tmp_path / "e.csv").curve
    assert (again.scores.tolist(), again.metric, again.direction, again.unit) == ([0.1, 0.05], "score", "lower", "rows")


@pytest.mark.parametrize(
    ("text", "asked", "message"),
    [
        ("size,score,unit\n60,0.7,\n", {}, "line 2, column 'unit': expected what a size counts"),
        ("size,score,unit\n60,0.7,mice\n90,0.8,men\n", {}, "one unit, got mice in line 2 and men in line 3"),
        ("size,score,test_share\n60,0.7,0.2\n90,0.8,0.3\n", {}, "one share for validation and test, got 0.2 and 0.3"),
        ("size,score,test_share\n60,0.7,1.2\n", {}, "line 2, column 'test_share': must be the share"),
        ("size,score,direction\n60,0.7,higher\n90,0.8,lower\n", {}, "one direction, got .*lower in line 3"),
        ("size,score,direction\n60,0.7,higher\n", {"direction": "lower"}, "says 'higher' .* line 2; 'lower' was asked"),
        ("size,score,unit\n60,0.7,mice\n", {"unit": "men"}, "says 'mice' .* line 2; 'men' was asked"),
    ],
)
def test_a_file_that_contradicts_itself_or_the_caller_is_refused(write, text, asked, message):
    with pytest.raises(DataError, match=message):
        read(write(text), **asked).curve


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        *(
            (name, "AUROC")
            for name in ("auroc", "roc_auc", "AUC", "ROC-AUC", "rocAuc", "Test AUC", "area under the ROC curve")
        ),
        ("accuracy", "accuracy"),
        ("Acc", "accuracy"),
        ("f1", "F1"),
        ("f1_macro", "macro F1"),
        ("average_precision", "average precision"),
        ("balanced_accuracy", "balanced accuracy"),
        ("Error Rate", "error rate"),
        ("brier", "Brier score"),
        ("score", "score"),
        ("Our own Metric_2", "Our own Metric_2"),
    ],
)
def test_metrics_are_written_as_people_write_them(given, shown):
    curve = LearningCurve([60], [0.7], metric=given)
    assert (curve.metric, curve.metric_name) == (given, shown)


def test_a_metric_in_a_file_is_found_by_any_of_its_names(write):
    path = write("size,score,metric\n60,0.7,roc_auc\n60,0.6,accuracy\n")
    assert read(path, metric="AUC").curve.scores.tolist() == [0.7]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("size,score,split\n60,0.71,a\n120,0.8,b\n", "utf-8"),
        ("size,score,split\n60,0.71,a\n120,0.8,b\n", "utf-8-sig"),
        ("size,score,split\n60,0.71,a\n120,0.8,b\n", "utf-16"),
        ("size;score;split\n60;0,71;a\n120;0,8;b\n", "utf-8"),
        ("size;score;split\r\n60;0.71;a\r\n\r\n120;0.8;b\r\n", "utf-8"),
        ("size\tscore\tsplit\n60\t0,71\ta\n120\t0,8\tb\n", "utf-8"),
        ('"size", "score", "split"\n60, 0.71, "a"\n120, 0.8, b\n', "utf-8"),
        (",size,score,split\n0,60,0.71,a\n1,120,0.8,b\n", "utf-8"),
        ("hôpital;size;score;split\né;60;0,71;a\né;120;0,8;b\n", "cp1252"),
    ],
    ids=["plain", "bom", "utf16", "semicolon-comma", "semicolon-point-crlf", "tab", "quotes", "index", "cp1252"],
)
def test_reads_what_spreadsheets_write(write, text, encoding):
    curve = read(write(text, encoding=encoding)).curve
    assert curve.sizes.tolist() == [60, 120]
    assert curve.scores.tolist() == [0.71, 0.8]
    assert curve.split.tolist() == ["a", "b"]


def test_a_missing_split_column_means_independent_replicates(write):
    assert read(write("size,score\n60,0.7\n60,0.72\n")).curve.split is None


@pytest.mark.parametrize("header", ["split1,split2", "split_1,split_2", "1,2", "fold 1,fold 2"])
def test_numbered_columns_are_a_wide_table(write, header):
    curve = read(write(f"size,{header}\n60,0.7,0.72\n120,0.8,0.82\n")).curve
    assert curve.sizes.tolist() == [60, 60, 120, 120]
    assert curve.scores.tolist() == [0.7, 0.72, 0.8, 0.82]
    assert [str(label) for label in curve.split] == header.split(",") * 2


def test_numbered_splits_are_those_of_a_run(tmp_path, write):
    """Numbers stay numbers on the way through a file, so that scores of one split are paired wherever they are."""
    curve = LearningCurve([60, 120], [[0.7, 0.72], [0.8, 0.82]])
    curve.to_csv(tmp_path / "c.csv")
    assert read(tmp_path / "c.csv").curve.split.tolist() == curve.split.tolist() == [0, 1, 0, 1]
    assert read(write("size,1,2\n60,0.7,0.72\n")).curve.split.tolist() == [1, 2]


def test_a_listed_wide_table(write):
    path = write("n,anna,ben\n60,0.7,0.72\n")
    curve = read(path, size="n", score=["anna", "ben"], each_column="split").curve
    assert curve.split.tolist() == ["anna", "ben"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty. Expected a header such as size,score,split"),
        ("\n\n", "is empty"),
        ("60,0.7\n90,8\n", "no header: its first line is '60, 0.7'"),
        ("size,score\n", "header .* but no rows"),
        ("epoch,auroc\n60,0.7\n", "no column called size, n, .* found epoch, auroc"),
        ("size,ours\n60,0.7\n", "no column called score, AUC, .* found size, ours"),
        ("size,score\n60,85\n", r"Are these percentages\? Write 85% in every row\. Or say so with per_cent=True"),
        ("size,score\n60,0,7\n", "line 2: 3 cells under 2 column names.*With decimal commas, separate"),
        ('size,score\n60,"0,700,1"\n', "got '0,700,1'.*no thousands separators"),
        ("size;score\n60;0,7\n70;0.8\n", "line 3.* a decimal point in a file with decimal commas. Write 08 or 0,8"),
        ("size,score\n60,\n", "the cell is empty"),
        ("size,score\n60,nan\n", "line 2, column 'score': the score is not a number"),
        ("size,score,score\n60,0.7,0.8\n", "the name 'score' heads 2 columns"),
        ("size,score,task\n60,0.7,a\n60,0.8,b\n", r"2 tasks \(a, b\).*`curves` has them all"),
        ("size,score,metric\n60,0.7,a\n60,0.8,b\n", r"2 metrics \(a, b\)"),
        ("PK\x03\x04...", "not a readable workbook"),
        ("size,score\x00\n", "not a text file"),
    ],
)
def test_bad_files_are_explained(write, text, message):
    with pytest.raises(DataError, match=message):
        read(write(text)).curve


def test_a_missing_file_and_a_folder_are_explained(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        read(tmp_path / "none.csv").curve
    with pytest.raises(DataError, match="is a folder without all_results"):
        read(tmp_path).curve


def test_curves_are_mapped_from_tasks(write):
    path = write("size,score,task,metric\n60,0.7,a,auroc\n120,0.8,b,auroc\n240,0.9,a,auroc\n60,0.5,a,accuracy\n")
    curves = read(path, metric="auroc").curves
    assert list(curves) == ["a", "b"]
    assert curves["a"].sizes.tolist() == [60, 240]
    assert (curves["b"].task, curves["b"].metric) == ("b", "auroc")
    with pytest.raises(DataError, match="no metric 'f1'; found auroc, accuracy"):
        read(path, metric="f1").curves


def test_one_unnamed_task(write):
    assert list(read(write("size,score\n60,0.7\n")).curves) == [None]


def test_labels_of_other_types_stay_apart():
    curve = LearningCurve([60, 60, 120], [0.7, 0.71, 0.8], [1, "1", 1])
    assert curve.split.tolist() == [1, "1", 1]


def test_pandas_columns_are_taken():
    import pandas as pd

    table = pd.DataFrame({"n": [60, 120, 240], "auc": [0.7, 0.8, 0.82], "who": ["a", "b", "a"]})
    curve = LearningCurve(table["n"], table["auc"], table["who"])
    assert curve.split.tolist() == ["a", "b", "a"]
    with pytest.raises(DataError, match="no label in row 1"):
        LearningCurve(table["n"], table["auc"], pd.array(["a", pd.NA, "b"], dtype="string"))


def test_a_spreadsheets_note_and_newlines_in_quotes_are_read(write):
    assert len(read(write("sep=;\nsize;score\n60;0,7\n")).curve) == 1
    curve = read(write('size,score,split\n60,0.7,"a\nb"\n120,0.8,c\n')).curve
    assert curve.split.tolist() == ["a\nb", "c"]


def test_the_line_at_fault_is_named(write):
    with pytest.raises(DataError, match=r"line 3, column 'score'.*Write 85%"):
        read(write("size,score,task\n60,0.7,a\n60,85,b\n")).curves


def test_a_trend_is_as_uncertain_as_so_few_sizes_leave_it():
    assert LearningCurve([200, 200], [0.7, 0.8]).replicates.trend == (0.0, np.inf)
    assert LearningCurve([100, 200], [0.7, 0.8]).replicates.trend == (pytest.approx(0.1 / np.log(2)), np.inf)
    slope, error = LearningCurve([100, 100, 200, 200], [0.69, 0.71, 0.79, 0.81]).replicates.trend
    spread = 0.02 / np.sqrt(2)  # the difference of two means of two has this standard error
    assert (slope, error) == (pytest.approx(0.1 / np.log(2)), pytest.approx(spread / np.log(2)))


def test_few_scores_are_counted_as_people_count():
    assert repr(LearningCurve([200], [0.7])) == "LearningCurve(1 score at size 200, metric='score')"
    assert repr(LearningCurve([200, 200], [0.7, 0.8])) == "LearningCurve(2 scores at size 200, metric='score')"
