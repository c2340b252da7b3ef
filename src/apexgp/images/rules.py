"""Rules that give patients and labels: from the names of a data set's files, and from the tables beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .._check import format_some
from ..errors import DataError
from ..reading.spreadsheets import Table
from .items import Item

__all__ = ["LabelledItems", "Match", "by_name", "by_table", "by_visit", "column", "findings_of"]

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
class Match:
    """A file whose name fits a data set's pattern, with the named parts of the pattern."""

    item: Item
    parts: Mapping[str, str | None]


@dataclass(frozen=True)
class LabelledItems:
    """What a rule makes of a data set: cases with patients and labels, and what is missing."""

    items: Sequence[Item]
    patients: Sequence[str] | None
    labels: Mapping[str, Sequence[str]]
    without_file: Sequence[str] = ()
    without_label: Sequence[str] = ()
    notes: Sequence[str] = ()


def column(table: Table, *names: str) -> list[str]:
    """The column of a table under the first of these names that it has."""
    for name in names:
        if name in table.columns:
            return table.columns[name]
    raise DataError(
        f"{table.path} has no column {' or '.join(map(repr, names))}; found {format_some(list(table.columns), 20)}."
    )


def by_name(
    label: str, words: Mapping[str, str], group: Sequence[str]
) -> Callable[[list[Match], list[Table]], LabelledItems]:
    """A rule for labels that are in the names of the files; `group` are the parts that tell patients apart."""

    def rule(found: list[Match], tables: list[Table]) -> LabelledItems:
        classes = [words[(match.parts["label"] or "").lower()] for match in found]
        patients = ["-".join(match.parts[part] or "" for part in group) for match in found] if group else None
        return LabelledItems([match.item for match in found], patients, {label: classes})

    return rule


def by_table(
    file: str, patient: Callable[[Table], list[str]], labels: Callable[[Table], Mapping[str, list[str]]]
) -> Callable[[list[Match], list[Table]], LabelledItems]:
    """A rule for labels in a table with one row a picture, which names it without its folder."""

    def rule(found: list[Match], tables: list[Table]) -> LabelledItems:
        (table,) = tables
        by_file: dict[str, Item] = {}
        for match in found:
            name = match.parts["file"] or ""
            if name in by_file:
                raise DataError(f"{name} appears twice: {by_file[name].file} and {match.item.file}. Remove one.")
            by_file[name] = match.item
        names, patients, cells = column(table, file), patient(table), labels(table)
        rows = [i for i, name in enumerate(names) if name in by_file]
        known = set(names)
        return LabelledItems(
            [by_file[names[i]] for i in rows],
            [patients[i] for i in rows],
            {label: [column[i] for i in rows] for label, column in cells.items()},
            without_file=[name for name in names if name not in by_file],
            without_label=[item.file for name, item in by_file.items() if name not in known],
        )

    return rule


def findings_of(table: Table) -> Mapping[str, list[str]]:
    """0 or 1 for each of the fourteen findings."""
    cells = [set(cell.split("|")) for cell in column(table, "Finding Labels")]
    unknown = sorted(set().union(*cells) - {*_FINDINGS, "No Finding"})
    if unknown:
        raise DataError(f"{table.path}: unknown findings {format_some(unknown)} in the column 'Finding Labels'.")
    return {finding: [str(int(finding in cell)) for cell in cells] for finding in _FINDINGS}


def by_visit(found: list[Match], tables: list[Table]) -> LabelledItems:
    """OASIS-3: the rating nearest to the scan within the window; of a session with several scans the largest file."""
    sessions, clinic = tables
    listed = set(column(sessions, "XNAT_CTSESSIONDATA ID", "CT ID", "session"))
    visits = list(
        zip(
            column(clinic, "Subject", "OASISID"),
            map(_day, column(clinic, "ADRC_ADRCCLINICALDATA ID", "OASIS_session_label")),
            column(clinic, "cdr", "CDRTOT"),
            strict=True,
        )
    )
    by_session: dict[str, Match] = {}
    for match in sorted(found, key=lambda match: (-match.item.path.stat().st_size, match.item.file)):
        by_session.setdefault(match.parts["session"] or "", match)
    items, patients, labels, undiagnosed = [], [], [], []
    for session, match in sorted(by_session.items()):
        if session not in listed:
            continue
        near = [
            (abs(day - _day(session)), day, float(rating))
            for subject, day, rating in visits
            if subject == match.parts["patient"] and rating and _VISIT_DAYS[0] <= day - _day(session) <= _VISIT_DAYS[1]
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
    return LabelledItems(
        items,
        patients,
        {"alzheimers": labels},
        without_file=sorted(listed - set(by_session)),
        without_label=sorted(match.item.file for session, match in by_session.items() if session not in listed),
        notes=notes,
    )


def _day(name: str) -> int:
    """The day that an identifier of OASIS-3 ends with."""
    match = re.search(r"_d(-?\d+)$", name)
    if match is None:
        raise DataError(f"An identifier of OASIS-3 ends with its day, as in OAS30001_CT_d2438; got {name!r}.")
    return int(match[1])
