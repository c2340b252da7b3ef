"""Signs that a terminal obeys are spelt out, wherever they come from and whatever prints them."""

import io
import sys

import pytest

from apexgp.running.terminal import Cleaned, printable, uncleaned
from fuzz.pseudo_terminal import OBEYED, obeyed, on_a_terminal

TABLE = "size,score,split,task,metric\n60,0.6,{0},{0},{0}\n120,0.7,{0},{0},{0}\n240,0.75,{0},{0},{0}\n"


@pytest.mark.slow
@pytest.mark.parametrize("sign", OBEYED)
def test_a_name_is_shown_and_not_obeyed(sign, tmp_path):
    path = tmp_path / f"pairs{sign}.csv"
    path.write_text(TABLE.format(f'"a{sign}b"'), newline="")
    for options in ([], ["--size-column", f"no{sign}ne"], ["--at", sign]):
        shown = on_a_terminal(["apexgp", "forecast", str(path), "--mean", "power_law", *options])
        assert obeyed(shown) == []
    assert printable(sign) in shown


def test_letters_of_all_people_stay():
    text = "é ± 中文 עברית العربية 👩‍🔬 \t\n"
    assert printable(text) == text


def test_nothing_is_written_past_a_cleaned_stream(monkeypatch):
    behind = io.StringIO()
    stream = Cleaned(behind)
    assert stream.write("a\x1bb") == 3
    monkeypatch.setattr(sys, "stdout", stream)
    print("\x9b", file=sys.stdout)  # noqa: T201
    assert behind.getvalue() == "a\\x1bb\\x9b\n"
    assert not hasattr(stream, "buffer")
    assert uncleaned(stream) is uncleaned(behind) is behind
