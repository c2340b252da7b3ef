"""Draw inputs of a class by hypothesis, and judge each."""

import contextlib
import tempfile

from hypothesis import HealthCheck, Phase, given, seed, settings

from fuzz.attacks import ATTACKS


def attack(tally, group, inputs, number):
    """Judge so many inputs of a class, the same ones for the same number."""

    @seed(number)
    @settings(
        max_examples=inputs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(ATTACKS[group]())
    def one(drawn):
        what, action, chosen = drawn
        tally.judge(group, f"{what} {shown(chosen)}", action)

    # Names of files are drawn too: what is written under them goes with the folder.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        one()


def shown(chosen):
    try:
        return "" if chosen is None else repr(chosen)
    except Exception:
        return "(cannot be shown)"
