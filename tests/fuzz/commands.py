"""Commands with options that nobody should have typed."""

import contextlib
import io
import json
import re
import sys
import warnings
from functools import lru_cache

import typer
from hypothesis import strategies as st

from apexgp.surfaces import cli
from documents import faults
from fuzz.surface import TABLE, experiment, folder, labelled_files, pictures, recorded
from fuzz.values import number

# What is left alone: other machines, and commands that take nothing or run until they are stopped.
APART = {"--dask", "demo", "serve", "mcp"}
# Options that start processes, as many as they say, or fill a folder, wherever it is: no other values than these.
ONLY = {
    "--jobs": ["0", "-0", "", "abc", "1.5", "nan", "1", "9" * 310],
    "--folder": ["kept", "good.csv", "good.csv/kept", "/dev/null", "/no/such", "/proc/x", "\udc80", "x" * 300],
}
# Options whose usual values are worth meeting as well.
SOUND = {
    "--at": ["720", "2x"],
    "--budget": ["3", "2h", "0.5"],
    "--of": ["expected", "same_splits"],
    "--mean": ["power_law"],
    "--method": ["arctan"],
    "--estimator": ["sklearn.naive_bayes:GaussianNB"],
    "--metric": ["auroc", "m"],
    "--sizes": ["20"],
    "--ratio": ["8:1:1"],
    "--multiclass": ["macro"],
    "--unit": ["patients"],
    "--test-share": ["0.2", "20%"],
    "--group": ["who"],
    "--dataset": ["busi", "oasis-3"],
    "--normalise": ["source"],
    "--drop": ["a"],
    "--label": ["c"],
    "--out": ["d.csv"],
    "--results": ["s.csv"],
    "--record": ["record.jsonl", "good.csv"],
    "--plot": ["picture.png", "picture.svg", "no.txt"],
}


@lru_cache
def commands():
    """Each command with arguments that it takes, and its options: whether they want a value."""
    pairs, data = folder() / "good.csv", folder() / "good labelled.csv"
    pairs.write_text(TABLE)
    data.write_bytes(labelled_files()[".csv"])
    recorded()
    experiment()
    shown = pictures()
    embed = [part for name in ("labels", "model", "device") for part in (f"--{name}", str(shown[name]))]
    embed += ["--out", "e.npz"]
    plan = "--target 0.8 --cost 1 --penalty 1000 --mean power_law"
    collect = "--label label --jobs 1 --splits 1 --sizes 20,30 --metric accuracy --out c.csv --results r.csv"
    trained = ["echo {n} {seed} 0.5", *["--splits", "1", "--sizes", "20,30", "--out", "c.csv", "--results", "r.csv"]]
    fixed = {
        "forecast": [str(pairs)],
        "read": [str(pairs)],
        "plan": [str(pairs), *plan.split()],
        "design": [str(pairs), *["--budget", "4", "--confirm", "0", "--mean", "power_law"]],
        "compare": [str(pairs), str(pairs).replace("good", "./good"), "--mean", "power_law"],
        "backtest": [str(pairs), "--method", "power_law"],
        "sensitivity": [str(pairs), "--mean", "power_law"],
        "check": [str(pairs), "--draws", "100"],
        "report": [str(pairs), "--mean", "power_law", "--out", "r.html"],
        "datasets": [],
        "schema": [],
        "experiment": [str(folder() / "small.toml"), "--jobs", "1", "--out", "experiment"],
        "embed": [str(shown["folder"]), *embed],
        "learn": [str(pairs), "--jobs", "1", "--out", "p.json"],
        "record": [str(folder() / "record.jsonl"), str(pairs), "--record-as", "a"],
        "minimum": ["--prevalence", "0.2", "--parameters", "10", "--r2", "0.2"],
        "collect": [str(data), *collect.split()],
        "run": trained,
    }
    known = typer.main.get_command(cli.app).commands
    assert fixed.keys() == known.keys() - APART, "say above what a new command takes, or why it is left alone"
    return {name: (given, _options(known[name].load())) for name, given in fixed.items()}


def _options(known):
    return {
        option.opts[0]: not option.is_flag
        for option in known.params
        if option.param_type_name == "option" and option.opts[0] not in APART
    }


WORDS = [
    *("", " ", " 7 ", "\udc80", "é", "\n", "9" * 310, "x" * 300, "'", '"', "1e308:1e308:1e308", "$x^{", "<b>"),
    *("abc", "0", "-1", "1e308", "1e-300", "5e-324", "1e999", "nan", "inf", "-inf", "1,2", "1:2:3", "1e-17", "0.5"),
    *("99", "1_0", "2x", "1e400x", "%", "%s", "{}", "[]", ":", "a:", ":b", "--json", "-1:1:1", "0:0:0", "logistic"),
    *("../..", ".", "/", "/dev/null", "/dev/full", "/proc/x", "/no/such", "sys:modules", "math:floor", "os:nope"),
    *("json:JSONDecoder", "sklearn.linear_model:LinearRegression", "sklearn.pipeline:Pipeline", "antigravity_no:x"),
]


@st.composite
def command(draw):
    name = draw(st.sampled_from(sorted(commands())))
    fixed, options = commands()[name]
    argv = ["apexgp", name, *fixed]
    chosen = draw(st.lists(st.sampled_from(sorted(options)), max_size=3, unique=True) if options else st.just([]))
    for option in chosen:
        argv.append(option)
        if options[option]:
            words = st.sampled_from(ONLY.get(option) or [*WORDS, *SOUND.get(option, ())])
            argv.append(draw(words if option in ONLY else words | number.map(typed) | st.text(max_size=5)))
    if draw(st.integers(0, 9)) == 0:
        argv[2:3] = [draw(st.sampled_from(["/dev/null", ".", "/no/such", "", "data.npz", "pairs.csv"]))]

    def act():
        for stale in ("c.csv", "r.csv", "d.csv", "s.csv", "r.html", "e.npz", "p.json", "picture.png", "picture.svg"):
            (folder() / stale).unlink(missing_ok=True)
        code, out, err = run(argv)
        assert code in (0, 1, 2), (code, err)
        assert "unexpected problem" not in err, err
        assert "Aborted" not in err, err
        assert "Traceback" not in err, err
        assert not re.search(r"encountered in|Warning", err), err
        assert code == 0 or err.strip() or out.strip()
        if code == 0 and "--json" in chosen:
            assert faults(strict(out)) == []
        assert "broke down" not in err, f"broke: {err}"
        return "refused" if code else "taken"

    return repr(argv), act, None


def typed(value):
    """A number as a person would type it; of one with thousands of digits, some."""
    return str(value) if isinstance(value, float) else str(value % 10**400)


def strict(text):
    """A document of JSON, in which neither NaN nor infinity is a number."""

    def refused(name):
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refused)


def run(argv):
    """The command as the shell calls it: exit code, standard output, standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace") for _ in range(2))
    before, show = sys.argv, warnings.showwarning
    sys.argv = argv
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.chdir(folder()):
            # Warnings come to a person as notes here, not as errors.
            warnings.simplefilter("default")
            try:
                cli.main()
                code = 0
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 1
    finally:
        sys.argv, warnings.showwarning = before, show
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode("utf-8", errors="replace"))
    return code, *texts
