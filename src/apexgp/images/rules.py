"""Rules that give patients and labels: from the names of a data set's files, and from the tables beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .._check import some
from ..errors import DataError
from ..reading.spreadsheets import Table
from .items import Item

__all__ = ["FileMatch", "RuleResult", "label_by_name", "label_by_table", "label_by_visit", "pick_column", "read_findings"]

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
class FileMatch:
    """A file whose name fits a data set's pattern, with the named parts of the pattern."""

    item: Item
    parts: Mapping[str, str | None]


@dataclass(frozen=True)
class RuleResult:
    """What a rule makes of a data set: cases with patients and labels, and what is missing."""

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
        f"{table.path} has no column {' or '.join(map(repr, names))}; found {some(list(table.columns), 20)}."
    )


def label_by_name(
    label: str, words: Mapping[str, str], group: Sequence[str]
) -> Callable[[list[FileMatch], list[Table]], RuleResult]:
    """A rule for labels that are in the names of the files; `group` are the parts that tell patients apart."""

    def rule(found: list[FileMatch], tables: list[Table]) -> RuleResult:
        classes = [words[(match.parts["label"] or "").lower()] for match in found]
        patients = ["-".join(match.parts[part] or "" for part in group) for match in found] if group else None
        return RuleResult([match.item for match in found], patients, {label: classes})

    return rule


def label_by_table(
    file: str, patient: Callable[[Table], list[str]], labels: Callable[[Table], Mapping[str, list[str]]]
) -> Callable[[list[FileMatch], list[Table]], RuleResult]:
    """A rule for labels in a table with one row a picture, which names it without its folder."""

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
    """0 or 1 for each of the fourteen findings."""
    cells = [set(cell.split("|")) for cell in pick_column(table, "Finding Labels")]
    unknown = sorted(set().union(*cells) - {*_FINDINGS, "No Finding"})
    if unknown:
        raise DataError(f"{table.path}: unknown findings {some(unknown)} in the column 'Finding Labels'.")
    return {finding: [str(int(finding in cell)) for cell in cells] for finding in _FINDINGS}


def label_by_visit(found: list[FileMatch], tables: list[Table]) -> RuleResult:
    """OASIS-3: the rating nearest to the scan within the window; of a session with several scans the largest file."""
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
            if subject == match.parts["patient"] and rating and _VISIT_DAYS[0] <= day - _parse_day(session) <= _VISIT_DAYS[1]
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
            f"{some(undiagnosed)}."
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
    """The day that an identifier of OASIS-3 ends with."""
    match = re.search(r"_d(-?\d+)$", name)
    if match is None:
        raise DataError(f"An identifier of OASIS-3 ends with its day, as in OAS30001_CT_d2438; got {name!r}.")
    return int(match[1])
