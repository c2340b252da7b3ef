"""Names that a terminal would obey, in commands that are shown on one."""

import contextlib
import io
import os
import pty
import re
import sys
import threading
from unittest import mock

from hypothesis import strategies as st

from apexgp.surfaces import cli
from fuzz.surface import folder

OBEYED = [
    *("\x1b]0;title\x07", "\x1b[2J", "\x1b[31m", "\x1b]8;;x:y\x1b\\", "\x9b2J"),
    *("\u202e", "\u2066", "\x07", "\x08", "\r"),
]
OWN = re.compile(r"\x1b\[[\d;]*m")  # colours, which rich prints


def on_a_terminal(argv):
    """What a command shows on a terminal of its own, which it takes for a person's."""
    ours, theirs = pty.openpty()
    shown = []

    def read():
        with contextlib.suppress(OSError):  # the other end is closed
            while piece := os.read(ours, 65536):
                shown.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    out = io.TextIOWrapper(io.FileIO(theirs, "w"), encoding="utf-8", write_through=True)
    try:
        with mock.patch.multiple(sys, argv=argv, stdout=out, stderr=out), contextlib.suppress(SystemExit):
            cli.main()
    finally:
        out.close()
        reader.join()
        os.close(ours)
    return b"".join(shown).decode(errors="replace").replace("\r\n", "\n")


def obeyed(shown):
    """Signs in what was shown that a terminal obeys, beside colours."""
    signs = set(OWN.sub("", shown)) - set("\n\t")
    return sorted(sign for sign in signs if ord(sign) < 32 or sign in (*OBEYED, "\x7f", "\x9b"))


@st.composite
def hostile_names(draw):
    """A table whose names are commands to a terminal, and a file of such a name."""
    sign = draw(st.sampled_from(OBEYED))
    word = draw(st.sampled_from(["{}", "a{}b", "auc{}", "{}size"])).format(sign)
    place = draw(st.sampled_from(["task", "metric", "column", "cell", "file", "option"]))
    column, cell = (word if place == "column" else "split"), (word if place == "cell" else "0.7")
    task, metric = (word if place == "task" else "t"), (word if place == "metric" else "auc")
    quoted = ['"' + one.replace('"', "") + '"' for one in (column, task, metric)]
    measured = [(size, 0.6 + i / 20, fold) for i, size in enumerate((60, 120, 240)) for fold in "ab"]
    rows = [f"{size},{score},{fold},{quoted[1]},{quoted[2]}" for size, score, fold in measured]
    rows[-1] = rows[-1].replace("0.7", cell)
    name = f"x{sign}.csv" if place == "file" else "x.csv"
    command = draw(st.sampled_from(["forecast", "plan", "backtest", "design"]))
    options = {
        "forecast": ["--at", "720"],
        "plan": ["--target", "0.8", "--cost", "1", "--penalty", "1000"],
        "backtest": ["--method", "power_law"],
        "design": ["--budget", "2", "--confirm", "0"],
    }[command]
    if place == "option":
        options += ["--score-column", word]

    def act():
        path = folder() / name
        path.write_text(f"size,score,{quoted[0]},task,metric\n" + "\n".join(rows) + "\n", newline="")
        try:
            shown = on_a_terminal(["apexgp", command, str(path), "--mean", "power_law", *options])
        finally:
            path.unlink()
        assert shown
        assert not obeyed(shown), (obeyed(shown), shown)

    return f"{command} {place} {word!r}", act, None
