import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from apexgp.collect.input_checks import encode_column
from apexgp.collect.splits import check_ratio, order_units, split_by_group
from apexgp.errors import DataError, RequestError


@st.composite
def labelled(draw, most_classes=5):
    """Rows of two to five classes, some rare, in groups of very different sizes that may hold several classes."""
    n_classes = draw(st.integers(2, most_classes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(30 * n_classes, 400))
    y = rng.choice(n_classes, n_rows, p=rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.5, 5.0])))))
    y[: 12 * n_classes] = np.repeat(np.arange(n_classes), 12)
    groups = np.arange(n_rows)
    if draw(st.booleans()):
        groups = rng.integers(0, n_rows // 2, n_rows)  # rows of any class come together
        groups = np.unique(groups, return_inverse=True)[1]
    return y, groups, rng


ratios = st.tuples(st.integers(1, 10), st.integers(0, 5), st.integers(1, 5)).map(check_ratio)


@pytest.mark.slow
@settings(max_examples=80)
@given(labelled(), ratios)
def test_no_group_is_in_two_parts_and_no_row_is_lost(data, ratio):
    y, groups, rng = data
    parts = split_by_group(y, groups, ratio, rng)
    three = (parts.train, parts.validation, parts.test)
    assert sorted(np.concatenate(three)) == list(range(len(y)))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not set(groups[three[one]]) & set(groups[three[other]])


@pytest.mark.slow
@settings(max_examples=80)
@given(labelled(), ratios)
def test_every_part_has_every_class(data, ratio):
    y, groups, rng = data
    parts = split_by_group(y, groups, ratio, rng)
    for rows, share in zip((parts.train, parts.validation, parts.test), ratio, strict=True):
        assert set(y[rows]) == (set(y) if share else set())


@pytest.mark.slow
@settings(max_examples=80)
@given(labelled(), ratios)
def test_each_class_is_divided_by_the_ratio(data, ratio):
    y, _, rng = data
    parts = split_by_group(y, np.arange(len(y)), ratio, rng)
    for label in np.unique(y):
        for rows, share in zip((parts.train, parts.validation, parts.test), ratio, strict=True):
            # Within one by rounding, or two where a part that would have been empty was given its first.
            assert abs((y[rows] == label).sum() - share * (y == label).sum()) <= 2


def test_groups_of_one_class_are_divided_by_the_ratio():
    groups = np.repeat(np.arange(100), 3)
    y = (groups % 4 == 0).astype(int)
    parts = split_by_group(y, groups, check_ratio((8, 1, 1)), np.random.default_rng(0))
    counts = [(len(set(groups[rows])), y[rows].mean()) for rows in (parts.train, parts.validation, parts.test)]
    assert [number for number, _ in counts] == [80, 10, 10]
    assert [share for _, share in counts] == pytest.approx([0.25, 0.2, 0.3])


@pytest.mark.slow
@settings(max_examples=100)
@given(labelled(), st.booleans())
def test_every_beginning_holds_every_class_in_its_share(data, by_group):
    y, groups, rng = data
    units = groups if by_group else np.arange(len(y))
    order, smallest = order_units(y, units, rng)
    assert sorted(order) == sorted(set(units))
    n_classes = len(set(y))
    assert smallest <= n_classes
    assume(smallest < len(order))
    for size in range(smallest, len(order), max(1, len(order) // 25)):
        inside = np.isin(units, order[:size])
        assert set(y[inside]) == set(y)
        if not by_group:
            share = np.bincount(y) / len(y)
            off = np.abs(np.bincount(y[inside], minlength=n_classes) - size * share)
            assert (off <= 1 + share * (n_classes - 1) + 1e-9).all()


def test_orders_are_random_and_follow_the_seed():
    y = np.repeat([0, 1, 2], 30)
    orders = [order_units(y, np.arange(90), np.random.default_rng(seed))[0].tolist() for seed in (0, 0, 1)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    starts = [order_units(y, np.arange(90), np.random.default_rng(seed))[0][:3] for seed in range(40)]
    assert len(np.unique(starts)) > 60  # any row may be among the first


def test_a_class_that_cannot_be_in_every_part_is_an_error():
    y = np.array([0, 1] * 10)
    groups = np.where(y == 1, 0, np.arange(20) // 2)  # one group holds all of class 1
    with pytest.raises(DataError, match="every class in every part"):
        split_by_group(y, groups, (0.8, 0.1, 0.1), np.random.default_rng(0))


@pytest.mark.parametrize("ratio", [(8, 1), (8, 1, -1), (0, 1, 1), (8, 1, 0), (8, 1, np.nan), "8:1:1"])
def test_bad_ratios_are_refused(ratio):
    with pytest.raises(RequestError, match="ratio must be"):
        check_ratio(ratio)


def test_codes_refuse_gaps_and_mixtures():
    assert encode_column("y", ["b", "a", "b"])[0].tolist() == [1, 0, 1]
    for bad in ([1.0, np.nan], ["a", ""], np.array(["a", None], object), np.array([1, np.nan], object)):
        with pytest.raises(DataError, match="y has no value in row 1"):
            encode_column("y", bad)
    with pytest.raises(DataError, match="mixes text and numbers"):
        encode_column("y", np.array(["a", 1], object))
    with pytest.raises(DataError, match="one column"):
        encode_column("y", [[0, 1], [1, 0]])
