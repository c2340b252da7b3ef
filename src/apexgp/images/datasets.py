"""The paper's data sets as one table of differences: origin, layout, patients, labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .._check import check_choice
from ..errors import DataError
from ..reading.spreadsheets import Table, read_table
from .items import Item, Labelled, files_below
from .preprocess import Kind
from .rules import LabelledItems, Match, by_name, by_table, by_visit, column, findings_of

__all__ = ["DATASETS", "DataSet", "read_dataset"]


@dataclass(frozen=True)
class DataSet:
    """One data set.

    Parameters
    ----------
    name, title
        As it is typed, and as it is printed.
    kind
        Pictures or scans.
    size
        What the whole of it holds.
    where
        Where it is obtained.
    layout
        Lines that draw the folder.
    pattern
        Fits the names of its pictures or scans, and no others (masks, unlabelled ones).
    tables
        Files that are needed beside them; of several names for one, any will do.
    rule
        Gives patients and labels from the files that fit and the tables.
    crop
        Whether the paper's text cuts out the middle. (The released code always does.)
    remark
        What a reader should know about its labels and patients.
    """

    name: str
    title: str
    kind: Kind
    size: str
    where: str
    layout: tuple[str, ...]
    pattern: re.Pattern[str]
    tables: tuple[tuple[str, ...], ...]
    rule: Callable[[list[Match], list[Table]], LabelledItems]
    crop: bool
    remark: str


def read_dataset(name: str, folder: Path) -> Labelled:
    """Find the cases, patients and labels of a data set in the layout that it is downloaded in."""
    dataset = DATASETS[check_choice("dataset", name, DATASETS)]
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}. Check the name.")
    names = list(files_below(folder))
    tables = [read_table(folder / _only(dataset, folder, names, wanted)) for wanted in dataset.tables]
    found = [
        Match(Item(name, folder / name), match.groupdict())
        for name in names
        if (match := dataset.pattern.search(name)) is not None
    ]
    if not found:
        raise DataError(
            f"{folder} holds no {dataset.kind} as {dataset.title} has them: {dataset.layout[-1].strip()}. "
            f"`apexgp datasets {dataset.name}` shows the layout."
        )
    rows = dataset.rule(found, tables)
    if not rows.items:
        raise DataError(
            f"{folder}: none of the {len(found)} {dataset.kind} found has a label in the tables of {dataset.title}."
        )
    return Labelled(
        dataset.kind,
        tuple(rows.items),
        None if rows.patients is None else tuple(rows.patients),
        {label: tuple(cells) for label, cells in rows.labels.items()},
        tuple(rows.without_file),
        tuple(rows.without_label),
        tuple(rows.notes),
    )


def _only(dataset: DataSet, folder: Path, names: Sequence[str], wanted: Sequence[str]) -> str:
    for one in wanted:
        found = [name for name in names if name.rpartition("/")[2] == one]
        if found:
            return min(found, key=lambda name: (name.count("/"), name))
    other = f" (or {', '.join(wanted[1:])})" if len(wanted) > 1 else ""
    raise DataError(
        f"{folder} has no {wanted[0]}{other}, which {dataset.title} needs. `apexgp datasets {dataset.name}` shows the "
        "layout, and where to get the files."
    )


_ALL = (
    DataSet(
        name="chestx-ray14",
        title="ChestX-ray14",
        kind="pictures",
        size="112,120 pictures of 30,805 patients, 14 findings",
        where="https://nihcc.app.box.com/v/ChestXray-NIHCC",
        layout=(
            "Data_Entry_2017_v2020.csv    (or Data_Entry_2017.csv)",
            "images_001/images/00000001_000.png ...    (the pictures at any depth)",
        ),
        pattern=re.compile(r"(?:^|/)(?P<file>\d{8}_\d{3}\.png)$"),
        tables=(("Data_Entry_2017_v2020.csv", "Data_Entry_2017.csv"),),
        rule=by_table("Image Index", lambda table: column(table, "Patient ID"), findings_of),
        crop=False,
        remark="One 0/1 column per finding. The paper's tasks are the findings that at least a tenth of the pictures "
        "have (Infiltration, Effusion, Atelectasis); these are named at the end, and the others stay in the file.",
    ),
    DataSet(
        name="chest-x-ray",
        title="Chest X-Ray (Kermany)",
        kind="pictures",
        size="5,856 pictures of children, three classes",
        where="https://data.mendeley.com/datasets/rscbjbr9sj (ChestXRay2017.zip)",
        layout=(
            "train/NORMAL/IM-0115-0001.jpeg ...",
            "test/NORMAL/ ...    (and val/ in some copies)",
            "train/PNEUMONIA/person1_bacteria_1.jpeg, person3_virus_15.jpeg ...    (or BACTERIA-1008087-0001.jpeg)",
        ),
        pattern=re.compile(
            r"(?:^|/)(?:train|val|(?P<pool>test))/(?:NORMAL|PNEUMONIA)/"
            r"(?:(?P<person>person\d+)_|(?=(?P<number>(?:NORMAL|BACTERIA|VIRUS)\d*-(?:IM-)?\d+|IM-\d+)))"
            r"(?P<label>bacteria|virus|normal|im)[^/]*\.jpe?g$",
            re.IGNORECASE,
        ),
        tables=(),
        rule=by_name(
            "diagnosis",
            {"bacteria": "bacterial", "virus": "viral", "normal": "normal", "im": "normal"},
            ("pool", "person", "number"),
        ),
        crop=True,
        remark="The class is in the name of the file. Persons are numbered afresh in test; each number within a part "
        "is one patient, even if it has both bacterial and viral pictures (the released code counts these as two).",
    ),
    DataSet(
        name="busi",
        title="BUSI",
        kind="pictures",
        size="780 ultrasound pictures of 600 patients, three classes",
        where="https://scholar.cu.edu.eg/?q=afahmy/pages/dataset (Dataset_BUSI.zip)",
        layout=(
            "normal/normal (1).png ...",
            "malignant/malignant (1).png ...",
            "benign/benign (1).png, benign (1)_mask.png ...    (masks are left out)",
        ),
        pattern=re.compile(r"(?:^|/)(?P<label>normal|benign|malignant)/[^/]*\(\d+\)\.png$"),
        tables=(),
        rule=by_name("diagnosis", {name: name for name in ("normal", "benign", "malignant")}, ()),
        crop=True,
        remark="The files do not say which pictures belong to the same patient, so patients cannot be kept together.",
    ),
    DataSet(
        name="tmed-2",
        title="TMED-2",
        kind="pictures",
        size="24,964 echocardiogram pictures with view labels of 1,280 patients",
        where="https://tmed.cs.tufts.edu (on application)",
        layout=(
            "labels_per_image.csv",
            "view_labeled_set/labeled/1001s1_3.png ...",
            "view_and_diagnosis_labeled_set/labeled/9s1_0.png ...    (unlabeled/ is left out)",
        ),
        pattern=re.compile(r"(?:^|/)view_(?:and_diagnosis_)?labeled_set/(?:labeled/)+(?P<file>\d+s\d+_\d+\.png)$"),
        tables=(("labels_per_image.csv",),),
        rule=by_table(
            "query_key",
            lambda table: [name.partition("s")[0] for name in column(table, "query_key")],
            lambda table: {"view": column(table, "view_label")},
        ),
        crop=False,
        remark="The paper's tasks are PLAX, PSAX, A4C and A2C, each against all others; A4CorA2CorOther counts only "
        "among the others. The patient is the number before the s in a name.",
    ),
    DataSet(
        name="oasis-3",
        title="OASIS-3 CT",
        kind="scans",
        size="895 head CT scans of 610 patients",
        where="https://www.oasis-brains.org (on application; scans by https://github.com/NrgXnat/oasis-scripts)",
        layout=(
            "CT_Sessions.csv    (XNAT_CTSESSIONDATA ID, Subject)",
            "ADRC_Clinical_Data.csv    (ADRC_ADRCCLINICALDATA ID, Subject, cdr; or OASIS3_UDSb4_cdr.csv)",
            "OAS30001_CT_d2438/.../sub-OAS30001_sess-d2438_CT.nii.gz ...",
        ),
        pattern=re.compile(r"(?:^|/)(?P<session>(?P<patient>OAS3\d+)_CT_d\d+)/(?:.*/)?[^/]*_CT\.nii(?:\.gz)?$"),
        tables=(("CT_Sessions.csv",), ("ADRC_Clinical_Data.csv", "OASIS3_UDSb4_cdr.csv")),
        rule=by_visit,
        crop=False,
        remark="1 where the clinical dementia rating nearest to the scan, from 80 days before to 365 days after it, is "
        "above 0 (in a tie, the earlier); the released code used the farthest. A session with several scans is "
        "represented by the largest.",
    ),
)

DATASETS: dict[str, DataSet] = {dataset.name: dataset for dataset in _ALL}
