"""Linear algebra over many nodes."""

import numpy as np
import pytest

from apexgp.inference.nodes import log_product


@pytest.mark.parametrize("power", [0, 39, -39, -100])
def test_a_product_that_no_float_holds_has_its_logarithm(power):
    usual, far = np.geomspace(0.5, 40, 11), np.geomspace(0.5, 40, 11) * 10.0**power
    found = log_product(np.stack([usual, far], axis=1))
    np.testing.assert_allclose(found, [np.log(usual).sum(), np.log(far).sum()], rtol=1e-13)
