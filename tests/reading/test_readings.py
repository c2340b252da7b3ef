"""A reading is a value: its interpretation can be changed, says all that was decided, and the curves follow from it."""

import io
import json
import sys

import pytest

import apexgp
import workbooks
from apexgp import read
from apexgp.errors import DataError, RequestError
from conftest import require
from workbooks import FOLDS, OTHER, fill, long_rows, wide_rows

PLAIN = "n,AUC,fold\n60,0.66,1\n120,0.70,1\n60,0.65,2\n120,0.71,2\n"


def text(content, name="pilot.csv"):
    file = io.StringIO(content)
    file.name = name
    return file


def as_rows(curves):
    """Everything that a curve was made from, whatever the order of its rows."""
    return {
        task: (
            sorted(zip(curve.sizes.tolist(), curve.scores.tolist(), map(str, curve.split_labels()), strict=True)),
            curve.metric,
            curve.unit,
            curve.direction,
        )
        for task, curve in ((task, _Rows(curve)) for task, curve in curves.items())
    }


class _Rows:
    def __init__(self, curve):
        self._curve = curve

    def __getattr__(self, name):
        return getattr(self._curve, name)

    def split_labels(self):
        return [""] * len(self._curve) if self._curve.split is None else self._curve.split


def settle(reading):
    """The reading, its doubts settled by the first choice that leaves none."""
    for choice in reading.doubts[0].choices if reading.doubts else ():
        settled = reading.with_settings(**choice.settings)
        if not settled.doubts:
            return settled
    return reading


@pytest.fixture
def book(tmp_path):
    require("openpyxl")
    return lambda build: workbooks.saved(build, tmp_path)


BUILDERS = [
    *("plain", "summary_rows", "subtotals", "intervals", "spreads", "counted", "bare_per_cents", "cover_sheet"),
    *("per_cents_with_unit_row", "models_side_by_side", "models_under_the_sizes", "tables_side_by_side"),
    *("model_column", "several_metrics", "unnamed_folds", "one_name_for_three_folds", "pending", "sizes_across"),
    *("sizes_written_once", "models_in_columns"),
]


@pytest.mark.filterwarnings("ignore::apexgp.errors.MissingScoresWarning")
@pytest.mark.parametrize("build", BUILDERS)
def test_the_interpretation_of_a_reading_reads_the_same_curves_again(book, build):
    path = book(getattr(workbooks, build))
    reading = settle(read(path))
    again = read(path, **json.loads(json.dumps(reading.interpretation.as_settings())))
    assert as_rows(again.curves) == as_rows(reading.curves)
    assert again.interpretation.as_settings() == reading.interpretation.as_settings()


def test_every_row_and_column_has_a_role():
    reading = read(text("Pilot of May\nn;AUC;fold;remark\n60;0,66;1;\n120;0,70;1;late\nMean;0,68;;\nbest regards\n"))
    found = reading.interpretation
    assert [(one.letter, one.name, one.role) for one in found.columns] == [
        ("A", "n", "size"),
        ("B", "AUC", "score"),
        ("C", "fold", "split"),
        ("D", "remark", "ignored"),
    ]
    assert (found.header, found.rows, found.set_aside) == ((2,), (3, 4), {1: "title", 5: "summary", 6: "note"})
    assert (found.metric, found.unit, found.decimal_sign) == ("AUC", "rows", ",")
    assert {*found.header, *found.rows, *found.set_aside} == set(reading.sheet.lines)


def test_roles_go_by_letters_whatever_columns_are_called():
    table = text("a,b,c,d\n60,0.66,1,9\n120,0.70,1,9\n60,0.65,2,9\n120,0.71,2,9\n")
    reading = read(table)
    with pytest.raises(DataError, match="no column called size"):
        _ = reading.curves
    named = reading.with_roles(A="size", B="score", C="split")
    assert as_rows(named.with_settings(metric="AUC").curves) == as_rows(read(text(PLAIN)).curves)
    assert named.interpretation.columns[3].role == "ignored"
    assert as_rows(read(text(PLAIN), roles="A=size, B=score, C=ignored").curves)[None][0][0] == (60.0, 0.65, "")
    with pytest.raises(RequestError, match=r"roles names column X, but .* has columns A to D"):
        reading.with_roles(X="size")
    with pytest.raises(RequestError, match="roles must be one of"):
        reading.with_roles(A="sizes")
    with pytest.raises(RequestError, match=r"names 2 columns \(a, b\) as training-set sizes; one can be"):
        reading.with_roles(A="size", B="size", C="score")


def test_a_role_given_to_a_column_takes_it_from_the_one_found():
    reading = read(text("n,n_train,AUC\n1,60,0.66\n2,120,0.70\n3,250,0.74\n"), size="n_train")
    assert reading.curve.sizes.tolist() == [60, 120, 250]
    assert reading.with_roles(C="score").curve.scores.tolist() == [0.66, 0.70, 0.74]


def test_rows_header_and_cells_can_be_said():
    reading = read(text("n,AUC\n60,0.66\n120,0.70\n250,0.40\n500,0.76\n"))
    assert reading.with_rows("2-3,5").curve.scores.tolist() == [0.66, 0.70, 0.76]
    assert reading.with_rows([2, 3]).interpretation.rows == (2, 3)
    assert reading.with_cells({"B4": "0.74"}).curve.scores.tolist() == [0.66, 0.70, 0.74, 0.76]
    assert reading.sheet.rows[3] == ("250", "0.40")
    with pytest.raises(RequestError, match="has no cell 'Q4'"):
        reading.with_cells({"Q4": "1"})
    with pytest.raises(RequestError, match="rows leaves no row"):
        reading.with_rows("90-95")
    with pytest.raises(RequestError, match="rows must be numbers of rows, such as 4-19"):
        reading.with_rows("first")
    unnamed = read(text("60,66\n120,70\n"), header=[], roles={"A": "size", "B": "score"}, per_cent=True)
    assert unnamed.curve.scores.tolist() == [0.66, 0.70]
    second = read(text("x,y\nn,AUC\n60,0.66\n120,0.70\n"), header="2")
    assert second.curve.metric == "AUC"


def test_correcting_a_cell_keeps_all_else():
    reading = read(text('Patients,AUC (95% CI)\n"1.000",0.71 (0.66-0.76)\n2000,0.74 (0.69-0.79)\n'))
    assert "could be read as 1 or as 1000" in str(reading.doubts[0].error)
    corrected = reading.with_cells({"A2": "1000"}).curve
    assert (corrected.metric_name, corrected.unit) == ("AUROC", "patients")
    assert corrected.sizes.tolist() == [1000, 2000]


def test_one_row_without_names_is_read_where_it_is_plain():
    for content in ("60\t0.66\n120\t0.70\n", "60 0.66\n120 0.70\n", "60;0,66\n120;0,70\n"):
        reading = read(text(content))
        assert reading.curve.scores.tolist() == [0.66, 0.70]
        assert "the columns have no names: read A as training-set sizes, B as scores." in reading.notes[0]
    assert read(text("60,0.66,1\n60,0.65,2\n")).curve.split.tolist() == [1, 2]
    assert len(read(text("60,0.66,0.65\n120,0.70,0.71\n")).curve) == 4
    with pytest.raises(DataError, match="has no header"):
        _ = read(text("60,66\n120,70\n")).curve


@pytest.mark.parametrize(
    ("content", "settings", "curves"),
    [
        ('n,AUC\n60,"0,66"\n120,"0,70"\n', {}, {None: [0.66, 0.70]}),
        ('n,Accuracy\n60,"70,1"\n120,"72,5"\n', {"per_cent": True}, {None: [0.701, 0.725]}),
        ('n,Accuracy (%)\n"1,200",70.1\n"2,400",72.5\n', {}, {None: [0.701, 0.725]}),
        ("Patienten;Mittelwert\n60;0,66\n1.600;0,70\n", {}, {None: [0.66, 0.70]}),
        ("Anzahl;Genauigkeit\n60;0,66\n1.600;0,70\n", {}, {None: [0.66, 0.70]}),
        ("Pat.;Lauf;Fläche unter der ROC-Kurve\n60;1;0,66\n1.600;1;0,70\n", {}, {None: [0.66, 0.70]}),
        ("effectif;exactitude\n60;0,66\n1 600;0,70\n", {}, {None: [0.66, 0.70]}),
        ("nb d'images;pli;coefficient de Dice\n60;1;0,66\n1 600;1;0,70\n", {}, {None: [0.66, 0.70]}),
        ("n;top-1 error\n60;0,66\n1.600;0,60\n", {}, {None: [0.66, 0.60]}),
        ("Patients,60,120\nAUC fold 1,0.66,0.70\nAUC fold 2,0.65,0.71\n", {}, {None: [0.66, 0.65, 0.70, 0.71]}),
        ("Patients,60,120\nResNet,0.66,0.70\nViT,0.65,0.71\n", {"each_column": "model"},
         {"ResNet": [0.66, 0.70], "ViT": [0.65, 0.71]}),
        ("n,AUC\n1.600,0.66\n3.200,0.70\n", {"point_groups": True}, {None: [0.66, 0.70]}),
        ("share,AUC\n25 %,0.66\n100 %,0.70\n", {"total": 400}, {None: [0.66, 0.70]}),
        ("frac,n_total,AUC\n0.25,400,0.66\n1,400,0.70\n", {}, {None: [0.66, 0.70]}),
        ("400 images in total\nshare of images,AUC\n25 %,0.66\n100 %,0.70\n", {}, {None: [0.66, 0.70]}),
    ],
)  # fmt: skip
def test_what_broke_before(content, settings, curves):
    reading = read(text(content), **settings)
    assert {task: curve.scores.tolist() for task, curve in reading.curves.items()} == curves
    assert reading.doubts == ()


def test_shares_need_their_total_and_are_multiplied_by_it():
    table = "share,AUC\n10 %,0.66\n25 %,0.70\n100 %,0.74\n"
    reading = read(text(table))
    assert reading.doubts[0].free == "total"
    assert reading.with_settings(total=1000).curve.sizes.tolist() == [100, 250, 1000]
    with pytest.raises(RequestError, match="total applies to sizes that are shares of it"):
        read(text(PLAIN), total=1000)


def test_thousands_are_asked_about_and_settled_by_a_choice():
    reading = read(text("n,AUC\n60,0.66\n1.600,0.70\n"))
    (doubt,) = reading.doubts
    assert "It could be read as 1.6 or as 1600" in doubt.question
    assert (doubt.columns, doubt.rows) == (("A",), (3,))
    assert reading.with_settings(**doubt.choices[0].settings).curve.sizes.tolist() == [60, 1600]
    assert reading.with_settings(**doubt.choices[1].settings).curve.sizes.tolist() == [60]


def test_a_column_with_the_same_entries_at_every_size_is_asked_about():
    reading = read(text("n,AUC,room\n60,0.66,A\n120,0.70,A\n60,0.65,B\n120,0.71,B\n"))
    split, model, neither = (reading.with_settings(**one.settings) for one in reading.doubts[0].choices)
    assert split.curve.split.tolist() == ["A", "A", "B", "B"]
    assert list(model.curves) == ["A", "B"]
    assert neither.curve.split is None
    apart = "n,AUC,remark\n60,0.66,late\n120,0.70,fine\n60,0.65,fine\n120,0.71,fine\n"
    assert read(text(apart)).doubts == ()


def test_a_choice_may_settle_size_and_score_at_once():
    reading = read(text("a,b\n60,0.66\n120,0.70\n"))
    assert reading.doubts[0].choices[0].settings == {"roles": {"A": "size", "B": "score"}}
    assert settle(reading).curve.scores.tolist() == [0.66, 0.70]


def test_each_of_several_metrics_is_a_choice():
    reading = read(text("n,metric,value\n60,AUC,0.66\n60,F1,0.5\n120,AUC,0.70\n120,F1,0.55\n"))
    assert [one.settings for one in reading.doubts[0].choices] == [{"metric": "AUC"}, {"metric": "F1"}]
    assert reading.with_settings(metric="F1").curve.scores.tolist() == [0.5, 0.55]
    said = read(text("n,quux,value\n60,AUC,0.66\n120,AUC,0.70\n"), roles="B=metric")
    assert said.curve.metric_name == "AUROC"
    wide = read(text("n,AUC,F1\n60,0.66,0.5\n120,0.70,0.55\n"))
    assert [one.settings for one in wide.doubts[0].choices] == [{"roles": {"B": "score"}}, {"roles": {"C": "score"}}]


def test_a_direction_in_doubt_is_a_choice():
    reading = read(text("n,wobble,split\n60,0.40,1\n120,0.30,1\n250,0.20,1\n500,0.15,1\n"), score="wobble")
    assert [one.label for one in reading.doubts[0].choices] == ["lower is better", "higher is better"]
    assert reading.with_settings(direction="lower").curve.direction == "lower"


def test_notes_under_merged_headings_of_models(book):
    def build(book):
        rows = [[n, *FOLDS[n], *OTHER[n]] for n in FOLDS]
        header = ["n", "Fold 1", "Fold 2", "Fold 3"]
        sheet = fill(book, [["", "ResNet", "", "", "ViT", "", ""], [*header, *header[1:]], *rows, ["* rerun in May"]])
        sheet.merge_cells("B1:D1")
        sheet.merge_cells("E1:G1")

    reading = read(book(build))
    assert list(reading.curves) == ["ResNet", "ViT"]
    assert reading.interpretation.set_aside == {7: "note"}


def test_a_cover_sheet_and_a_size_without_a_word_for_counting(book):
    def build(book):
        fill(book, [["Project:", "COVID CXR"], ["Contact:", "A. Nonymous"]], "Cover")
        fill(book, [["Training set", "AUC", "Fold"], *long_rows()], "Results")

    reading = read(book(build))
    assert reading.sheet.title == "Results"
    assert reading.sheet.titles == ("Cover", "Results")
    assert len(reading.curve) == 12

    def odd(book):
        fill(book, [["Project:", "COVID CXR"], ["Contact:", "A. Nonymous"]], "Cover")
        fill(book, [["Brand", "Quux", "Fold"], *long_rows()], "Results")

    doubt = read(book(odd)).doubts[0]
    assert "the sheet “Results”" in [one.label for one in doubt.choices]


def test_sheets_of_the_same_form_are_asked_about(book):
    def build(book):
        fill(book, [["n", "Fold 1", "Fold 2", "Fold 3"], *wide_rows()], "Ulm")
        fill(book, [["n", "Fold 1", "Fold 2", "Fold 3"], *wide_rows(OTHER)], "Bonn")

    reading = read(book(build))
    assert "tables of the same form in the sheets 'Ulm', 'Bonn'" in reading.doubts[0].question
    assert reading.with_settings(sheet="Bonn").curve.scores[0] == OTHER[60][0]
    every = reading.with_settings(sheet="*").curves
    assert {task: len(curve) for task, curve in every.items()} == {"Ulm": 12, "Bonn": 12}


def test_blocks_one_below_the_other_are_models():
    header = "n;Lauf 1;Lauf 2\n"
    first, second = "60;0,66;0,65\n120;0,70;0,71\n", "60;0,56;0,55\n"
    repeated = read(text(f"Scanner: A\n{header}{first}Scanner: B\n{header}{second}"))
    assert {task: len(curve) for task, curve in repeated.curves.items()} == {"A": 4, "B": 2}
    assert repeated.interpretation.sections == (1, 5)
    once = read(text(f"{header}Site A\n{first}Site B\n{second}"))
    assert {task: len(curve) for task, curve in once.curves.items()} == {"Site A": 4, "Site B": 2}
    joined = read(text(f"{header}{first}{header}{second}"))
    assert "split 'Lauf 1' has 2 scores at size 60" in joined.doubts[0].question


def test_rows_of_other_parts_of_the_data_are_left_out():
    reading = read(text("n,set,AUC,seed\n60,val,0.6,1\n60,test,0.5,1\n120,val,0.7,1\n120,test,0.6,1\n"))
    assert reading.curve.scores.tolist() == [0.5, 0.6]
    assert "left out the rows with 'val' under 'set': scores on test count." in " ".join(reading.notes)


@pytest.mark.parametrize(
    "header",
    [
        # createLearningCurve of PatientLevelPrediction, as its versions 4 and 3 name the columns
        "Fraction,Time,Occurrences,Observations,TestROC,TestPR,popSizeTest,TrainROC",
        "x,executionTime,outcomeCountTrain,popSizeTrain,testAUCROC,testAUCPR,testCalibrationSlope,trainAUCROC",
    ],
)
def test_learning_curves_of_ohdsi(header):
    rows = "25,10,100,1000,0.70,0.20,500,0.80\n50,20,200,2000,0.73,0.22,500,0.79\n75,30,300,3000,0.75,0.25,500,0.78\n"
    reading = read(text(f"{header}\n{rows}"))
    assert "Which one should be forecast?" in reading.doubts[0].question
    curve = reading.with_settings(**reading.doubts[0].choices[0].settings).curve
    assert (curve.sizes.tolist(), curve.scores.tolist()) == ([1000, 2000, 3000], [0.70, 0.73, 0.75])
    assert curve.train_scores.tolist() == [0.80, 0.79, 0.78]
    assert curve.metric_name == "AUROC"


def test_learning_curve_of_scikit_learn_as_a_file():
    names = "train_sizes,train_scores_0,train_scores_1,test_scores_0,test_scores_1,fit_times_0,fit_times_1"
    curve = read(text(f"{names}\n60,0.9,0.91,0.66,0.65,1,2\n120,0.9,0.92,0.70,0.71,1,2\n")).curve
    assert curve.scores.tolist() == [0.66, 0.65, 0.70, 0.71]
    assert curve.train_scores.tolist() == [0.9, 0.91, 0.9, 0.92]


@pytest.mark.parametrize("version", [1, 2])
def test_summaries_of_nnunet_by_fold_and_size(tmp_path, version):
    for size in (20, 40, 80):
        for fold in (0, 1):
            dice = 0.6 + size / 1000 + fold / 100
            folder = tmp_path / f"Dataset501_n{size}" / "nnUNetTrainer__nnUNetPlans__3d_fullres" / f"fold_{fold}"
            (folder / "validation").mkdir(parents=True)
            new = {"foreground_mean": {"Dice": dice, "IoU": 0.5}, "metric_per_case": [{}] * 7}
            labels = {"0": {"Dice": 0.99}, "1": {"Dice": dice - 0.1}, "2": {"Dice": dice + 0.1}}
            old = {"results": {"mean": labels, "all": [{}] * 7}}
            (folder / "validation" / "summary.json").write_text(json.dumps(new if version == 2 else old))
    curve = read(tmp_path).curve
    assert curve.sizes.tolist() == [20, 20, 40, 40, 80, 80]
    assert curve.scores.round(9).tolist() == [0.62, 0.63, 0.64, 0.65, 0.68, 0.69]
    assert (curve.metric_name, curve.split.tolist(), set(curve.n_test)) == ("Dice", [0, 1] * 3, {7.0})


def test_a_reading_says_what_it_is():
    assert repr(read(text(PLAIN))) == "Reading('pilot.csv', 1 curve)"
    assert repr(read(text("a,b\n1,x\n"))) == "Reading('pilot.csv', 0 curves, 2 in doubt)"


def test_options_are_the_settings():
    """`read` takes by name just what the reader knows."""
    from apexgp.curve import TableOptions
    from apexgp.reading.interpretation import TableSettings

    positional = {"size", "score", "split"}
    own = {"reading"}  # a saved one, whose settings are added
    assert set(TableOptions.__annotations__) == (set(TableSettings.__dataclass_fields__) - positional) | own


def test_reading_ten_rows_runs_code_in_ten_files(tmp_path):
    """What a newcomer must follow to see how a plain table is read."""
    path = tmp_path / "pilot.csv"
    path.write_text("size,score,split\n" + "".join(f"{60 * 2**i},{0.6 + i / 50},{s}\n" for i in range(5) for s in "ab"))
    read(path)
    files = set()

    def note(frame, event, _argument):
        if event == "call" and "/apexgp/" in frame.f_code.co_filename:
            files.add(frame.f_code.co_filename.rpartition("/apexgp/")[2])

    sys.setprofile(note)
    try:
        read(path).curves
    finally:
        sys.setprofile(None)
    assert len(files) <= 10, sorted(files)


def test_the_library_offers_it():
    assert apexgp.typing.Reading is type(read(text(PLAIN)))
