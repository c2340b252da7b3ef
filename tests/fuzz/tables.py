"""Tables as people keep them: odd names, odd cells, workbooks whole and taken apart."""

import csv
import datetime
import io
import zipfile

HEADERS = [
    *("size", "n", "N", "# samples", "Training size", "n_train", "score", "AUC", "AUROC", "Accuracy (%)", "error"),
    *("fold", "Split", "seed", "task", "mean", "std", "metric", "auc_1", "auc_2", "60", "0.5", "", " ", "size ", "é"),
    *("No. of pts (train)", "AUC (fold 1)", "AUC (fold 2)", "acc_pct", "error (%)", "log_loss", "AUC (95 % CI)"),
    *("Unnamed: 0", "a\nb", "\ud800", "x" * 300, "=1+1", "unit", "direction"),
]
SOUND_TABLES = [
    [["size", "score", "split"], *([n, 0.5 + n / 2000, fold] for fold in "ab" for n in (60, 94, 147, 230))],
    [["n", "AUC"], ["60", "71.2%"], ["94", "72,5 %"], ["147", "74%"], ["1,230", "80%"]],
    [["Training size", "fold1", "fold2"], *([n, 0.6, 0.61] for n in (60, 120, 240))],
    [["task", "n_train", "accuracy"], *([task, n, 0.6] for task in ("liver", "lung") for n in (60, 120, 240))],
    [["size", "score", "metric", "direction", "unit"], *([n, 0.3, "error", "lower", "groups"] for n in (60, 120, 240))],
]
CELLS = [
    *(None, "", " ", "-", "n/a", "NaN", "inf", "1e999", "-1e999", "5e-324%", "1,234", "1.234,5", "1 000", "1\u00a0000"),
    *(
        "1'000",
        "1_000",
        "0x10",
        "½",
        "²",
        "٣",
        "０．５",
        "−0.5",
        "+0.5",
        "%",
        "%%",
        "100%",
        "1:2",
        "0.7 ± 0.1",
        "0.7 (0.1)",
    ),
    *(
        "9" * 400,
        "9" * 5000,
        "1e-400",
        "=1/0",
        "#N/A",
        "<b>",
        '"',
        "'",
        "two\nlines",
        "\ud800",
        "12k",
        "2x",
        ".",
        ",",
        "-,",
    ),
    *(True, False, 10**30, -1, 0, 0.0, float("nan"), float("inf"), 1e308, 1e-300, 2**53 + 1, 60.5),
    *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 3), datetime.time(3), datetime.timedelta(days=3)),
]
# What stands in the parts of a workbook, and what may stand there instead.
SWAPS = [
    *((b'r="A2"', b'r="XFD1048576"'), (b'r="A2"', b'r="A0"'), (b'r="A2"', b'r="2A"'), (b'ref="A2', b'ref="A200')),
    *((b"A3", b"XFD1048576"), (b"A3", b""), (b't="n"', b't="s"'), (b't="n"', b't="d"'), (b't="n"', b't="e"')),
    *((b"<v>", b"<f>1/0</f><v>"), (b"</v>", b"e999</v>"), (b"sheet1.xml", b"sheet9.xml"), (b"</row>", b"</row><row/>")),
    *((b"<row", b'<row r="0"'), (b"worksheet", b"chartsheet"), (b"sheets>", b"shoots>"), (b"0.66", b"9" * 400)),
]


def as_text(lines, delimiter):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(lines)
    return text.getvalue().encode(errors="surrogatepass")


def workbook(lines, merged=None):
    """The lines as a workbook; cells that no program would store are left out."""
    from openpyxl import Workbook

    book = Workbook()
    for i, line in enumerate(lines, start=1):
        for j, value in enumerate(line, start=1):
            try:
                book.active.cell(i, j, value)
                str(value).encode()
            except ValueError:
                book.active.cell(i, j).value = None
    if merged is not None:
        first, left, last, right = merged
        book.active.merge_cells(None, min(first, last), min(left, right), max(first, last), max(left, right))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def archive_parts(content):
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def archive(parts):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return buffer.getvalue()
