"""When a run may stop: by the same figures that designs are judged by."""

import numpy as np
import pytest

from apexgp import APExGP, Enough, collect_scores, design_pilot
from apexgp.errors import RequestError

SIZES = [50, 100, 200, 400]


def score(n, seed):
    return 0.9 - 0.8 * n**-0.5 + 0.01 * np.random.default_rng([n, seed]).normal()


@pytest.fixture(scope="module")
def curves():
    return collect_scores(score, SIZES, 3, metric="auroc")


@pytest.fixture(scope="module")
def now(curves):
    """What a design starts from."""
    return design_pilot(APExGP().fit(curves.only), 1, at=4000, target=0.88, confirm=0)


@pytest.mark.slow
def test_narrow_enough_is_the_width_that_designs_tell(curves, now):
    (width,) = now.widths_now
    assert Enough(at=4000, width=width * 1.001)(curves).startswith("Enough: the 95 % interval")
    assert Enough(at=4000, width=width * 0.999)(curves) == ""


def test_a_question_is_settled_either_way(curves, now):
    sure = max(now.prob_now, 1 - now.prob_now)
    assert "reach a mean score of 0.88" in Enough(at=4000, target=0.88, confidence=sure - 0.001)(curves)
    assert Enough(at=4000, target=0.88, confidence=sure + 0.001)(curves) == ""
    assert "less than 1 %" in Enough(at=4000, target=0.999)(curves)
    assert Enough(at=4000, target=0.88, width=1.0, confidence=0.999999)(curves)  # either will do


@pytest.mark.slow
def test_a_run_stops_as_soon_as_it_is_enough(curves):
    rule = Enough(at=4000, width=0.12)
    run = collect_scores(score, SIZES, 20, metric="auroc", stop=rule)
    assert len(run.fits) < 80
    assert run.notes == (rule(run),)


def test_one_of_several_metrics_and_too_few_sizes():
    def both(n, seed):
        return {"auc": score(n, seed), "f1": 0.5}

    few = collect_scores(both, [50, 100], 3)
    assert Enough(at=400, width=1.0, metric="auc")(few) == ""
    more = collect_scores(both, SIZES, 1)
    assert Enough(at=400, width=1.0, metric="auc")(more)
    with pytest.raises(RequestError, match="There are 2 curves"):
        Enough(at=400, width=1.0)(more)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(RequestError, match=r"Set width=0.05 or target=0.9"):
        Enough(at=400)
    with pytest.raises(RequestError, match="at must be"):
        Enough(at=-1, width=0.1)
    with pytest.raises(RequestError, match="width must be"):
        Enough(at=400, width=0)
