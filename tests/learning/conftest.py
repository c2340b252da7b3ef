"""Whole curves to learn from, and what is learnt from them."""

import pytest

from apexgp import learn_beliefs
from curves_to_learn_from import whole_curve


@pytest.fixture(scope="session")
def low_curves():
    """Curves that end at a score of about 0.7, with much room above that is never won."""
    return [whole_curve(i, 0.75) for i in range(8)]


@pytest.fixture(scope="session")
def learnt(low_curves):
    return learn_beliefs(low_curves)
