"""What is attacked, by class: each attack draws an input and says what to do with it."""

import json
import operator
from functools import lru_cache
from importlib.util import find_spec

import pandas as pd
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import apexgp
from apexgp import APExGP, CurveSet, LearningCurve, read
from apexgp.collect.labelled import read_labelled
from apexgp.reading.doubts import ROLES
from fuzz.commands import command
from fuzz.pseudo_terminal import hostile_names
from fuzz.surface import EXPERIMENT, TABLE, X, Y, curve, folder, labelled_files, proper, public, surface, used, usual
from fuzz.tables import CELLS, HEADERS, SOUND_TABLES, SWAPS, archive, archive_parts, as_text, workbook
from fuzz.values import anything, damaged, score, tampered
from fuzz.wild import batch, wild_design
from fuzz.wild_documents import wild_document

# Classes of functions by the module that a public name comes from.
CALLS = {
    "curve": ("curve",),
    "forecast": ("forecast", "metrics"),
    "images": ("images",),
    "priors": ("model",),
    "estimators": ("estimators",),
    "questions": ("questions", "required", "surfaces"),
    "design": ("design",),
    "collect": ("collect",),
    "experiment": ("replication",),
}


@lru_cache
def calls(group):
    return [name for name in surface() if module_of(name) in CALLS[group]]


def module_of(name):
    """Part of the package that a public name comes from."""
    name = name.removesuffix("[]")
    thing = public()[name] if name in public() else public()[name.partition(".")[0]]
    return thing.__module__.split(".")[1]


@st.composite
def bad_call(draw, group):
    name = draw(st.sampled_from(calls(group)))
    function, arguments = surface()[name]
    names = draw(st.lists(st.sampled_from(sorted(arguments)), min_size=1, max_size=2, unique=True))
    chosen = {argument: draw(anything) for argument in names}
    if "n_jobs" in chosen and processes(chosen["n_jobs"]):
        chosen["n_jobs"] = 0  # to start processes is what was asked for, and takes its time
    return f"{name} {list(chosen)}", lambda: used(function(**arguments | chosen)), chosen


def processes(n_jobs):
    """Whether that is a number of processes that could be started."""
    try:
        return abs(operator.index(n_jobs)) <= 2**31
    except TypeError:
        return False


@st.composite
def odd_curve(draw):
    """A curve that is none of our business to refuse, and must get a proper forecast."""
    count = draw(st.integers(3, 9))
    sizes = draw(st.lists(st.integers(1, 10**6), min_size=count, max_size=count))
    scores = draw(st.lists(score, min_size=count, max_size=count))
    direction = draw(st.sampled_from(["higher", "lower"]))
    noise = draw(st.none() | st.sampled_from([1e-300, 1e-9, 0.01, 1e9]))
    mean = draw(st.sampled_from(["auto", "power_law", "burr"]))
    at = draw(st.sampled_from([[1.0], [1e6, 1e9], [1e300]]))

    def act():
        given = LearningCurve(sizes, scores, direction=direction)
        proper(APExGP(mean, noise=noise).fit(given).forecast(at))

    return f"{sizes} {scores} {direction} {noise} {mean} {at}", act, None


@lru_cache
def model_document():
    path = folder() / "good.json"
    APExGP(apexgp.METHODS["apexgp"]().mean, priors=apexgp.priors.CALIBRATED).fit(curve()).save(path, overwrite=True)
    return json.loads(path.read_text())


@st.composite
def model_file(draw):
    document = model_document()
    if draw(st.booleans()):
        content = json.dumps(draw(tampered(document))).encode(errors="replace")
    else:
        content = draw(damaged(json.dumps(document).encode()))
    path = folder() / "tampered.json"

    def act():
        path.write_bytes(content)
        APExGP.load(path).forecast([720])

    return repr(content[:2000]), act, None


TOML = [
    "true",
    "-1",
    "nan",
    "1e999",
    '""',
    '"\\u0000"',
    "[]",
    "{}",
    "[[1]]",
    "1979-05-27",
    "9" * 400,
    "'x",
    "[60, inf]",
]


@st.composite
def configuration(draw):
    """An experiment's file with an odd value, or damaged."""
    lines = EXPERIMENT.splitlines()
    if draw(st.booleans()):
        i = draw(st.sampled_from([i for i, line in enumerate(lines) if "=" in line]))
        lines[i] = f"{lines[i].partition('=')[0]}= {draw(st.sampled_from(TOML))}"
        content = "\n".join(lines).encode()
    else:
        content = draw(damaged(EXPERIMENT.encode()))
    path = folder() / "tampered.toml"

    def act():
        path.write_bytes(content)
        apexgp.experiment.Experiment.read(path).classifier()

    return repr(content[:2000]), act, None


@lru_cache
def record():
    usual()
    return (folder() / "good record.csv").read_bytes()


@st.composite
def run_record(draw):
    content = draw(damaged(record()))
    path = folder() / "runs.csv"

    def act():
        path.write_bytes(content)
        try:
            CurveSet.from_results(path).as_csv()
        finally:
            apexgp.collect_curves(GaussianNB(), X, Y, sizes=[20, 30, 40], n_splits=1, progress=False, results=path)

    return repr(content[-600:]), act, None


@st.composite
def curve_file(draw):
    content = draw(
        damaged(TABLE.replace(",", draw(st.sampled_from(",;|\t"))).encode(draw(st.sampled_from(["utf-8", "utf-16"]))))
    )
    path = folder() / "pairs.csv"

    def act():
        path.write_bytes(content)
        apexgp.read(path).curves

    return repr(content), act, None


def changed_table(draw):
    """Lines of a sound table some of whose names and cells were changed."""
    header, *rows = [list(line) for line in draw(st.sampled_from(SOUND_TABLES))]
    for _ in range(draw(st.integers(0, 4))):
        row, column = draw(st.integers(0, len(rows) - 1)), draw(st.integers(0, len(header) - 1))
        rows[row][column] = draw(st.sampled_from(CELLS))
    for _ in range(draw(st.integers(0, 2))):
        header[draw(st.integers(0, len(header) - 1))] = draw(st.sampled_from(HEADERS))
    return [header, *rows]


@st.composite
def odd_table(draw):
    """A table such as people keep, in whatever they keep it: text, a workbook, a data frame."""
    header, *rows = changed_table(draw)
    named = draw(st.booleans())
    kept = draw(st.sampled_from(["text", "workbook", "frame", "columns"]))
    delimiter, above = (
        draw(st.sampled_from(",;|\t")),
        draw(st.sampled_from([[], [["Results"]], [["#"], [], ["x", "y"]]])),
    )
    merged = draw(st.none() | st.tuples(*[st.integers(1, 7)] * 4))

    def act():
        wanted = {"size": header[0], "score": header[1:] or None} if named else {}
        if kept == "frame":
            read(pd.DataFrame(rows, columns=header), **wanted).curve
        elif kept == "columns":
            read(dict(zip(header, zip(*rows, strict=True), strict=True)), **wanted).curve
        else:
            path = folder() / ("people.xlsx" if kept == "workbook" else "people.csv")
            lines = [*above, header, *rows]
            path.write_bytes(workbook(lines, merged) if kept == "workbook" else as_text(lines, delimiter))
            apexgp.read(path, **wanted).curves

    return f"{kept} {header} {rows} {named} {delimiter!r} {above} {merged}", act, None


def odd_sheet(draw):
    """Lines of a sheet: a changed table with words around it."""
    lines = changed_table(draw)
    around = [["Site A"], ["Mean", 0.7], ["in %"], ["total", 900], lines[0]]
    for words in draw(st.lists(st.sampled_from(around), max_size=2)):
        lines.insert(draw(st.integers(0, len(lines))), words)
    return lines


LETTERS = st.sampled_from(["A", "B", "C", "D", "Z"])
ROLE = st.sampled_from([*ROLES, "nothing"])
NUMBERS = st.lists(st.integers(0, 12), max_size=6)
SAID = {
    "roles": st.dictionaries(LETTERS, ROLE, max_size=4),
    "rows": NUMBERS | st.sampled_from(["2-5", "x", "3"]),
    "header": NUMBERS | st.sampled_from(["1", "1-2", ""]),
    "sections": NUMBERS,
    "fill_down": st.lists(LETTERS, max_size=2),
    "transposed": st.booleans(),
    "total": st.sampled_from([1, 900, 0, 1e300]),
    "decimal_sign": st.sampled_from([".", ","]),
    "point_groups": st.booleans(),
    "each_column": st.sampled_from(["split", "model"]),
    "per_cent": st.booleans(),
    "metric": st.sampled_from(["AUC", "log loss", "x"]),
}


@st.composite
def wild_reading(draw):
    """A sheet with whatever is said of it: read, asked about, corrected, shown; its interpretation reads it again."""
    lines, delimiter = odd_sheet(draw), draw(st.sampled_from(",;|\t"))
    said = {name: draw(SAID[name]) for name in draw(st.lists(st.sampled_from(sorted(SAID)), max_size=2, unique=True))}
    places, texts = st.sampled_from(["A1", "B3", "C4", "Q9", "?"]), st.sampled_from(CELLS).map(str)
    cells = draw(st.just({}) | st.dictionaries(places, texts, max_size=2))
    path = folder() / "wild.csv"

    def act():
        path.write_bytes(as_text(lines, delimiter))
        reading = apexgp.read(path, **said)
        if cells:
            reading = reading.with_cells(cells)
        str(reading), reading._repr_html_()
        for doubt in reading.doubts[:1]:
            for choice in doubt.choices[:3]:
                reading.with_settings(**choice.settings)
        again = apexgp.read(path, **reading.interpretation.as_settings())
        if cells:
            again = again.with_cells(cells)
        if not reading.doubts:
            assert [len(one) for one in again.curves.values()] == [len(one) for one in reading.curves.values()]
        reading.curves

    return f"{lines} {said} {delimiter!r} {cells}", act, None


@lru_cache
def good_workbook():
    """The same bytes whenever it is asked for: a workbook knows the second in which it was made."""
    return workbook([line.split(",") for line in TABLE.splitlines()], (2, 3, 3, 3))


@st.composite
def workbook_file(draw):
    """A workbook of which a part was put out of joint, then packed again; or a torn archive."""
    content = good_workbook()
    if draw(st.booleans()):
        parts = archive_parts(content)
        name = draw(st.sampled_from(sorted(parts)))
        if draw(st.booleans()):
            parts[name] = draw(damaged(parts[name]))
        else:
            old, new = draw(st.sampled_from(SWAPS))
            parts = {part: held.replace(old, new) for part, held in parts.items()}
        content = archive(parts)
    else:
        content = draw(damaged(content))
    path = folder() / "book.xlsx"

    def act():
        path.write_bytes(content)
        apexgp.read(path).curves

    return repr(content[:300]), act, None


@st.composite
def labelled_file(draw):
    files = labelled_files()
    suffix = draw(st.sampled_from(sorted(files)))
    content = draw(damaged(files[draw(st.sampled_from(sorted(files)))]))
    path, labels = folder() / f"data{suffix}", folder() / "labels.csv"

    def act():
        path.write_bytes(content)
        labels.write_bytes(files[".csv"])
        given = read_labelled(path, "label", "who", labels=labels if suffix == ".npy" else None)
        assert len(given.X) == len(given.y)

    return f"{suffix} {content[:300]!r}", act, None


ATTACKS = {
    **{group: lambda group=group: bad_call(group) for group in CALLS},
    "odd curves": odd_curve,
    "model files": model_file,
    "configurations": configuration,
    "run records": run_record,
    "curve files": curve_file,
    "odd tables": odd_table,
    "readings": wild_reading,
    "workbooks": workbook_file,
    "labelled files": labelled_file,
    "terminal": hostile_names,
    "wild designs": wild_design,
    "batches": batch,
    "wild documents": wild_document,
    "commands": command,
}

if find_spec("mcp"):
    from fuzz.assistant import tool_call

    ATTACKS["tools"] = tool_call

if all(map(find_spec, ("nibabel", "PIL", "pydicom"))):  # what reads them
    from fuzz.media import media_file

    ATTACKS["media files"] = media_file
