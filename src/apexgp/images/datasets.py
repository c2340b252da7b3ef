"""The data sets of the paper: where each is obtained, its layout, and the rule that finds patients and labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .._check import check_choice, format_some
from ..errors import DataError
from ..reading.layout import Table, read_table
from .items import Item, LabelledFiles, list_files
from .preprocess import Kind

__all__ = ["DATASETS", "DataSet", "read_dataset"]

_VISIT_DAYS = (-80, 365)  # of a diagnosis from the day of the scan

_FINDINGS = (
    "Atelectasis",
    "Cardiomegaly",
    "Effusion",
    "Infiltration",
    "Mass",
    "Nodule",
    "Pneumonia",
    "Pneumothorax",
    "Consolidation",
    "Edema",
    "Emphysema",
    "Fibrosis",
    "Pleural_Thickening",
    "Hernia",
)


@dataclass(frozen=True)
class DataSet:
    """A data set of the paper.

    Parameters
    ----------
    name, title
        Its name on the command line, and in print.
    kind
        Pictures or scans.
    size
        Numbers of pictures and patients in the whole.
    where
        Where to get it.
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
    rule: Callable[[list[FileMatch], list[Table]], RuleResult]
    crop: bool
    remark: str


def read_dataset(name: str, folder: Path) -> LabelledFiles:
    """Find cases, patients and labels of a data set in the layout in which it is downloaded."""
    dataset = DATASETS[check_choice("dataset", name, DATASETS)]
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}. Check the name.")
    names = list(list_files(folder))
    tables = [read_table(folder / _find_table(dataset, folder, names, wanted)) for wanted in dataset.tables]
    found = [
        FileMatch(Item(name, folder / name), match.groupdict())
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
    return LabelledFiles(
        dataset.kind,
        tuple(rows.items),
        None if rows.patients is None else tuple(rows.patients),
        {label: tuple(cells) for label, cells in rows.labels.items()},
        tuple(rows.without_file),
        tuple(rows.without_label),
        tuple(rows.notes),
    )


def _find_table(dataset: DataSet, folder: Path, names: Sequence[str], wanted: Sequence[str]) -> str:
    """Path of a table, under any of its names; the one nearest to the top."""
    for one in wanted:
        found = [name for name in names if name.rpartition("/")[2] == one]
        if found:
            return min(found, key=lambda name: (name.count("/"), name))
    other = f" (or {', '.join(wanted[1:])})" if len(wanted) > 1 else ""
    raise DataError(
        f"{folder} has no {wanted[0]}{other}, which {dataset.title} needs. `apexgp datasets {dataset.name}` shows the "
        "layout, and where to get the files."
    )


@dataclass(frozen=True)
class FileMatch:
    """A file whose name fits a data set's pattern, with the named parts of the pattern."""

    item: Item
    parts: Mapping[str, str | None]


@dataclass(frozen=True)
class RuleResult:
    """Cases with patients and labels that a rule found, and names without a counterpart."""

    items: Sequence[Item]
    patients: Sequence[str] | None
    labels: Mapping[str, Sequence[str]]
    without_file: Sequence[str] = ()
    without_label: Sequence[str] = ()
    notes: Sequence[str] = ()


def pick_column(table: Table, *names: str) -> list[str]:
    """The column of a table under the first of these names that it has."""
    for name in names:
        if name in table.columns:
            return table.columns[name]
    raise DataError(
        f"{table.path} has no column {' or '.join(map(repr, names))}; found {format_some(list(table.columns), 20)}."
    )


def label_by_name(
    label: str, words: Mapping[str, str], group: Sequence[str]
) -> Callable[[list[FileMatch], list[Table]], RuleResult]:
    """Make a rule for labels in the names of the files; `group` are the parts of a name that identify a patient."""

    def rule(found: list[FileMatch], tables: list[Table]) -> RuleResult:
        classes = [words[(match.parts["label"] or "").lower()] for match in found]
        patients = ["-".join(match.parts[part] or "" for part in group) for match in found] if group else None
        return RuleResult([match.item for match in found], patients, {label: classes})

    return rule


def label_by_table(
    file: str, patient: Callable[[Table], list[str]], labels: Callable[[Table], Mapping[str, list[str]]]
) -> Callable[[list[FileMatch], list[Table]], RuleResult]:
    """Make a rule for labels in a table with one row per picture, which it names without its folder."""

    def rule(found: list[FileMatch], tables: list[Table]) -> RuleResult:
        (table,) = tables
        by_file: dict[str, Item] = {}
        for match in found:
            name = match.parts["file"] or ""
            if name in by_file:
                raise DataError(f"{name} appears twice: {by_file[name].file} and {match.item.file}. Remove one.")
            by_file[name] = match.item
        names, patients, cells = pick_column(table, file), patient(table), labels(table)
        rows = [i for i, name in enumerate(names) if name in by_file]
        known = set(names)
        return RuleResult(
            [by_file[names[i]] for i in rows],
            [patients[i] for i in rows],
            {label: [pick_column[i] for i in rows] for label, pick_column in cells.items()},
            without_file=[name for name in names if name not in by_file],
            without_label=[item.file for name, item in by_file.items() if name not in known],
        )

    return rule


def read_findings(table: Table) -> Mapping[str, list[str]]:
    """Columns of 0 and 1 for each of the fourteen findings."""
    cells = [set(cell.split("|")) for cell in pick_column(table, "Finding Labels")]
    unknown = sorted(set().union(*cells) - {*_FINDINGS, "No Finding"})
    if unknown:
        raise DataError(f"{table.path}: unknown findings {format_some(unknown)} in the column 'Finding Labels'.")
    return {finding: [str(int(finding in cell)) for cell in cells] for finding in _FINDINGS}


def label_by_visit(found: list[FileMatch], tables: list[Table]) -> RuleResult:
    """The rule of OASIS-3: the rating nearest to the scan within the window; of several scans the largest file."""
    sessions, clinic = tables
    listed = set(pick_column(sessions, "XNAT_CTSESSIONDATA ID", "CT ID", "session"))
    visits = list(
        zip(
            pick_column(clinic, "Subject", "OASISID"),
            map(_parse_day, pick_column(clinic, "ADRC_ADRCCLINICALDATA ID", "OASIS_session_label")),
            pick_column(clinic, "cdr", "CDRTOT"),
            strict=True,
        )
    )
    by_session: dict[str, FileMatch] = {}
    for match in sorted(found, key=lambda match: (-match.item.path.stat().st_size, match.item.file)):
        by_session.setdefault(match.parts["session"] or "", match)
    items, patients, labels, undiagnosed = [], [], [], []
    for session, match in sorted(by_session.items()):
        if session not in listed:
            continue
        near = [
            (abs(day - _parse_day(session)), day, float(rating))
            for subject, day, rating in visits
            if subject == match.parts["patient"]
            and rating
            and _VISIT_DAYS[0] <= day - _parse_day(session) <= _VISIT_DAYS[1]
        ]
        if not near:
            undiagnosed.append(session)
            continue
        items.append(match.item)
        patients.append(match.parts["patient"] or "")
        labels.append(str(int(min(near)[2] > 0)))
    notes = []
    if undiagnosed:
        notes.append(
            f"Left out, because no rating lies between {-_VISIT_DAYS[0]} days before and {_VISIT_DAYS[1]} days after: "
            f"{format_some(undiagnosed)}."
        )
    return RuleResult(
        items,
        patients,
        {"alzheimers": labels},
        without_file=sorted(listed - set(by_session)),
        without_label=sorted(match.item.file for session, match in by_session.items() if session not in listed),
        notes=notes,
    )


def _parse_day(name: str) -> int:
    """Day that an identifier of OASIS-3 ends with."""
    match = re.search(r"_d(-?\d+)$", name)
    if match is None:
        raise DataError(f"An identifier of OASIS-3 ends with its day, as in OAS30001_CT_d2438; got {name!r}.")
    return int(match[1])


_DATASETS = (
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
        rule=label_by_table("Image Index", lambda table: pick_column(table, "Patient ID"), read_findings),
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
        rule=label_by_name(
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
        rule=label_by_name("diagnosis", {name: name for name in ("normal", "benign", "malignant")}, ()),
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
        rule=label_by_table(
            "query_key",
            lambda table: [name.partition("s")[0] for name in pick_column(table, "query_key")],
            lambda table: {"view": pick_column(table, "view_label")},
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
        rule=label_by_visit,
        crop=False,
        remark="1 where the clinical dementia rating nearest to the scan, from 80 days before to 365 days after it, is "
        "above 0 (in a tie, the earlier); the released code used the farthest. A session with several scans is "
        "represented by the largest.",
    ),
)

DATASETS: dict[str, DataSet] = {dataset.name: dataset for dataset in _DATASETS}
