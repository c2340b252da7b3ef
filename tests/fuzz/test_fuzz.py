"""A few hostile inputs of each class; `make fuzz` runs thousands."""

import pytest

from fuzz.attacks import ATTACKS
from fuzz.runner import attack
from fuzz.tally import Tally

FEWER = {"wild designs": 4, "batches": 8, "wild documents": 8}  # which take a second each


@pytest.mark.slow
@pytest.mark.parametrize("group", ATTACKS)
def test_hostile_input_is_taken_or_refused_in_our_words(group):
    tally = Tally()
    inputs = FEWER.get(group, 20)
    attack(tally, group, inputs, 20231109)
    assert tally.clean, tally.report()
    assert tally.counts[group]["tried"] >= inputs / 2
