"""Every regular expression of the package is linear: one long cell must not hang a reader.

The patterns are found, not listed: compiled ones in the modules, and those that are passed to functions of `re`.
"""

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

import apexgp
from apexgp.collect.outcome import NoScoreError, parse_scores
from apexgp.reading.cells import (
    as_text,
    before_interval,
    holds_number,
    looks_like_a_date,
    number_in,
    restore_text,
    with_spread,
)
from apexgp.reading.names import counts_training_examples, known_metric, says_per_cent
from apexgp.scale import parse_range
from limited import guarded

METHODS = {"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4, "subn": 4}
"""Functions of `re`, and where their flags stand."""
LENGTH = 20_000
HANGS = 0.5  # seconds of the processor, for what takes milliseconds where it is linear, and 1.6 where quadratic
SHARES = 2
BITS = [
    *" \n\u00a00,.([)%-+e_aA'\"\\/#=",
    *("0 ", "0,", "0.", ",000", " 000", "1 (", "( ", ") ", "(1", "()", "a ", "aA", "n=", "n ", "of ", "no. ", "0.7 ("),
    *("1e5", "% ", "to ", "+/-", "± ", "1-1", "..", ": ", "{ ", "\r\n", "a=", "a1"),
]
BEFORE = ["", "0.7", "0.7 (0.6", "{"]


def compiled_in(value):
    """Compiled patterns in a value of a module, and in containers of them."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (list, tuple, set, frozenset)):
        for one in value:
            yield from compiled_in(one)
    elif isinstance(value, dict):
        yield from compiled_in((*value.keys(), *value.values()))


def passed_to_re(tree, names):
    """Patterns that a module passes to functions of `re`, with the function; None for one made of local values."""
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "re"):
            continue
        place = {**METHODS, "compile": 1}.get(called.attr)
        if place is None:
            continue
        flags = [word.value for word in node.keywords if word.arg == "flags"] or node.args[place : place + 1]
        try:
            parts = [eval(compile(ast.Expression(part), "", "eval"), dict(names)) for part in (node.args[0], *flags)]
        except NameError:
            yield called.attr, None
        else:
            yield called.attr, re.compile(*parts)


@cache
def patterns():
    """Every pattern of the package, with the methods that it is used by; and modules with patterns of local values."""
    methods, made_locally = defaultdict(set), set()
    for info in pkgutil.walk_packages(apexgp.__path__, "apexgp."):
        own = info.name.rpartition(".")[2]
        path = Path(info.module_finder.path, f"{own}/__init__.py" if info.ispkg else f"{own}.py")
        if own == "__main__" or not path.exists():
            continue  # it would run, or is not of Python
        names = vars(importlib.import_module(info.name))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name, value in names.items():
            for pattern in compiled_in(value):
                methods[pattern] |= {
                    node.attr
                    for node in ast.walk(tree)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == name
                    and node.attr in METHODS
                }
        for method, pattern in passed_to_re(tree, names):
            if pattern is None:
                made_locally.add(info.name)
            else:
                methods[pattern] |= {method} & METHODS.keys()
    return [(one, sorted(used) or ["fullmatch", "search"]) for one, used in methods.items()], made_locally


def hostile():
    """Long texts of one bit again and again, behind the beginning of something that is read; no number ends so."""
    for bit in BITS:
        for before in BEFORE:
            yield before + bit * (LENGTH // len(bit)) + "!"


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_every_pattern_is_linear(share):
    for pattern, methods in patterns()[0][share::SHARES]:
        for method in methods:
            for text in hostile():
                given = ("", text) if method.startswith("sub") else (text,)
                with guarded(HANGS, f"{pattern.pattern!r} hangs on {text[:20]!r} ..."):
                    found = getattr(pattern, method)(*given)
                    list(found) if method == "finditer" else found


@pytest.mark.slow
def test_the_patterns_are_found():
    found, made_locally = patterns()
    texts = [pattern.pattern for pattern, _ in found]
    assert len(texts) > 50
    assert r"\d[,' \u00a0]\d" in texts  # passed to re.search
    assert any("CrI" in text for text in texts)  # compiled
    assert made_locally == {
        "apexgp.replication.configuration",
        "apexgp.surfaces.reproduce",
    }  # of keys and names of ours


@pytest.mark.slow
@pytest.mark.parametrize(
    "read",
    [
        *(before_interval, holds_number, looks_like_a_date, with_spread, as_text, restore_text, known_metric),
        *(says_per_cent, counts_training_examples, parse_range, parse_scores),
        lambda text: number_in(text, decimal_comma=False, counts=True),
        lambda text: number_in(text, decimal_comma=True),
    ],
)
def test_no_cell_hangs_what_reads_it(read):
    for text in hostile():
        with guarded(HANGS, f"hangs on {text[:20]!r} ..."), suppress(ValueError, NoScoreError):
            read(text)
