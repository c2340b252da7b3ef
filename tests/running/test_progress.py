"""Bars of progress: only on a terminal, only for work that lasts, and gone at its end."""

import io
import itertools

import pytest
import rich.console

import apexgp.running.terminal


@pytest.fixture
def terminal(monkeypatch):
    """Whatever is written to a terminal; time passes as the test says."""
    screen = io.StringIO()
    console = rich.console.Console
    monkeypatch.setattr(
        rich.console, "Console", lambda **_: console(file=screen, force_terminal=screen.visible, width=80)
    )
    screen.visible = True
    return screen


def count_to(total, seconds_each, monkeypatch, **settings):
    clock = itertools.count(0, seconds_each)
    monkeypatch.setattr(apexgp.running.terminal.time, "monotonic", lambda: next(clock))
    with apexgp.running.terminal.progress_bar("tasks", total, **settings) as advance:
        for _ in range(total):
            advance()


def test_long_work_shows_how_far_it_is(terminal, monkeypatch):
    count_to(5, 3.0, monkeypatch)
    assert "tasks" in terminal.getvalue()
    assert "5/5" in terminal.getvalue()


@pytest.mark.parametrize(
    ("total", "seconds", "settings"), [(5, 0.01, {}), (1, 9.0, {}), (5, 9.0, {"shown": False}), (0, 9.0, {})]
)
def test_short_work_and_unwanted_bars_show_nothing(terminal, monkeypatch, total, seconds, settings):
    count_to(total, seconds, monkeypatch, **settings)
    assert terminal.getvalue() == ""


def test_a_pipe_sees_nothing(terminal, monkeypatch):
    terminal.visible = False
    count_to(5, 3.0, monkeypatch)
    assert terminal.getvalue() == ""


def test_an_error_within_ends_the_bar_and_goes_on(terminal):
    with pytest.raises(ZeroDivisionError), apexgp.running.terminal.progress_bar("tasks", 5, patience=0):
        raise ZeroDivisionError
    assert terminal.getvalue().endswith("\x1b[?25h") or "tasks" in terminal.getvalue()
