"""Workbooks that ask for more than they hold: refused before a reader of workbooks sees them, with little memory."""

import io
import zipfile
import zlib

import pytest

from apexgp import read
from apexgp.errors import DataError
from apexgp.reading import workbook as archive
from apexgp.reading.workbook import repack
from conftest import require
from limited import with_little_memory

openpyxl = require("openpyxl")

TABLE = [("size", "score"), (60, 0.7), (120, 0.75), (240, 0.8)]
SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def parts():
    """What the archive of an ordinary workbook holds."""
    book = openpyxl.Workbook()
    for row in TABLE:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    with zipfile.ZipFile(buffer) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture
def refused(tmp_path):
    def refused(parts, message, method=zipfile.ZIP_DEFLATED):
        path = tmp_path / "book.xlsx"
        with zipfile.ZipFile(path, "w", method) as packed:
            for name, content in parts.items():
                packed.writestr(name, content)
        with pytest.raises(DataError, match=message):
            with_little_memory(lambda: read(path).curve)

    return refused


def with_end(parts, extra, name=SHEET):
    return parts | {name: parts[name].replace(b"</worksheet>", extra + b"</worksheet>")}


MERGED = b'<mergeCells><mergeCell ref="A10:XFD1048576"/></mergeCells>'
LINKED = b'<hyperlinks><hyperlink ref="A10:XFD1048576" location="x"/></hyperlinks>'


@pytest.mark.slow
@pytest.mark.parametrize("extra", [MERGED, LINKED, LINKED.replace(b"A10:XFD1048576", b"A:XFD")])
def test_blocks_of_cells_count_as_all_of_them(parts, refused, extra):
    refused(with_end(parts, extra), "merged or linked cells over most of a sheet")


@pytest.mark.slow
def test_in_whatever_letters_a_sheet_is_written_and_whatever_it_is_called(parts, refused):
    hostile = with_end(parts, MERGED)
    text = hostile[SHEET].decode()
    wide = f'<?xml version="1.0" encoding="UTF-16"?>{text[text.index("<worksheet") :]}'.encode("utf-16")
    refused(hostile | {SHEET: wide}, "merged or linked cells")
    renamed = {
        name: content.replace(b"worksheets/sheet1.xml", b"w/other.bin")
        for name, content in hostile.items()
        if name != SHEET
    }
    refused(renamed | {"xl/w/other.bin": hostile[SHEET]}, "merged or linked cells")
    spaced = hostile[SHEET].replace(b"mergeCell ref=", b"mergeCell\n ref\n=")
    refused(hostile | {SHEET: spaced}, "merged or linked cells")


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_is_stored_or_deflated_is_unpacked(parts, refused, method):
    refused(parts, "is not packed as a workbook should be", method)


@pytest.mark.slow
def test_a_member_may_not_unpack_to_more_than_it_says(parts, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
        packed.writestr("xl/zeros.xml", bytes(10**8))
    raw = buffer.getvalue()
    for most, message in ((10**7, "100 MB when unpacked"), (2 * 10**8, None)):
        if message:
            with pytest.raises(DataError, match=message):
                repack("It", raw, most)
        else:
            repack("It", raw, most)
    raw = raw.replace((10**8).to_bytes(4, "little"), (10).to_bytes(4, "little"))  # it says 10 bytes
    with pytest.raises(zipfile.BadZipFile):
        with_little_memory(lambda: repack("It", raw, 10**7), megabytes=60)
    # Even if its checksum is that of what it says it is.
    lying = raw.replace(zlib.crc32(bytes(10**8)).to_bytes(4, "little"), zlib.crc32(bytes(10)).to_bytes(4, "little"))
    plain = with_little_memory(lambda: repack("It", lying, 10**7), megabytes=60)
    with zipfile.ZipFile(io.BytesIO(plain)) as packed:
        assert packed.read("xl/zeros.xml") == bytes(10)


@pytest.mark.slow
def test_cells_rows_styles_and_entities_are_counted(parts, refused, monkeypatch):
    far = parts[SHEET].replace(b'r="A4"', b'r="XFD1048576"')
    refused(parts | {SHEET: far}, "1,048,576 rows and 16,384 columns in its sheet")
    wide = parts[SHEET].replace(b'r="A4"', b'r="A900000"')
    refused(parts | {SHEET: wide, "two.xml": wide, "three.xml": wide}, "sheets of 5,400,000 cells and more")
    entity = parts[SHEET].replace(b"<worksheet", b'<!DOCTYPE a [<!ENTITY b "c">]><worksheet')
    refused(parts | {SHEET: entity}, "declares XML entities")
    monkeypatch.setattr(archive, "_MOST_ELEMENTS", 1000)
    refused(with_end(parts, b"<a/>" * 2000), "cells, or styles")
    monkeypatch.setattr(archive, "MOST_CELLS", 10)
    refused(parts, "more than 10 cells")


def test_an_ordinary_workbook_passes(parts, tmp_path):
    path = tmp_path / "book.xlsx"
    small = b'<mergeCells><mergeCell ref="C1:C3"/></mergeCells>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as packed:
        for name, content in with_end(parts, small).items():
            packed.writestr(name, content)
        packed.writestr("docProps/thumbnail.png", b"\x89PNG no XML")
    assert read(path).curve.sizes.tolist() == [60, 120, 240]
