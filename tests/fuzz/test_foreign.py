"""Values of ordinary kinds that are wrong, half of them for each argument of everything that is public."""

import contextlib

import pytest

from apexgp._check import shown
from conftest import require
from fuzz.surface import surface, used
from fuzz.tally import Tally
from fuzz.values import FOREIGN


@pytest.mark.slow
def test_wrong_values_are_taken_or_refused_in_our_words(tmp_path):
    require("matplotlib").use("agg")
    tally = Tally()
    with contextlib.chdir(tmp_path):
        for name, (function, arguments) in surface().items():
            for place, argument in enumerate(arguments):
                for value in FOREIGN[place % 2 :: 2]:  # every other one, and the others for the next argument
                    given = arguments | {argument: value}
                    tally.judge(name, f"{argument} {shown(value)}", lambda f=function, g=given: used(f(**g)))
    assert tally.clean, tally.report()
