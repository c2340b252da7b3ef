"""Values that no function asked for, and files that nobody should have written."""

import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st


class Liar:
    """Claims a length and a shape that it does not have."""

    shape = (-3, "x")
    dtype = "lies"

    def __len__(self):
        return 10

    def __getitem__(self, which):
        raise IndexError(which)


class Unhashable:
    __hash__ = None


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def itself():
    value = []
    value.append(value)
    return value


# Of ordinary kinds, and what no argument is meant to be: as each argument of each function, see test_foreign.py.
FOREIGN = [None, object(), Unhashable(), Liar(), int, lambda *_: 0.5, True, -1, 10**400, 1 + 2j, Decimal("NaN")]
FOREIGN += [float("nan"), "", "two\nlines", b"abc", pd.NA, np.ma.masked, {}, {"a": object()}, [object()], [[1], [1, 2]]]
FOREIGN += [np.array([]), np.zeros((2, 2, 2)), pd.DataFrame({"a": [1]}), itself(), nested(3000)]

SCALARS = [
    *(None, True, False, 0, -1, 1, 2, 3, 7, 50, 2**53 + 1, 10**400, -(10**400), 10**5000),
    *(
        0.0,
        -0.0,
        0.5,
        0.999,
        1.0,
        1e-300,
        5e-324,
        1e15,
        1e300,
        1.7e308,
        -1e308,
        float("inf"),
        -float("inf"),
        float("nan"),
    ),
    *(1 + 2j, Decimal("NaN"), Decimal("1e999"), Decimal("0.7"), Fraction(1, 3), np.float16(0.5), np.float32("inf")),
    *(np.int64(5), np.bool_(True), np.longdouble("1e4000"), np.datetime64("NaT"), np.timedelta64(3, "D"), np.str_("x")),
    *(
        "",
        "abc",
        "0.5",
        "higher",
        "lower",
        "auto",
        "power_law",
        "expected",
        "a\ud800b",
        "two\nlines",
        "\0",
        "x" * 10_000,
    ),
    *(
        b"",
        b"abc",
        pd.NA,
        pd.NaT,
        pd.Timestamp("2020"),
        datetime.date(2020, 1, 1),
        np.ma.masked,
        Ellipsis,
        NotImplemented,
    ),
    *(object(), Liar(), Unhashable(), int, len, lambda *_: 0.5, Path("."), Path("/no/such/file"), range(3)),
]
CONTAINERS = [
    *([], [[]], [[1], [1, 2]], {}, {"a": 1}, set(), (), [None], [pd.NA, 1], ["a", 1], [True, False], [[0.5, 0.6]] * 3),
    *([1e308, -1e308], [10**400, 1], [np.nan] * 5, [0.5] * 5, [60, 94, 147, 230, 360], [0.1, 0.2, 0.3, 0.4, 0.5]),
    *(np.array(3.0), np.array([]), np.array(["x", "y"]), np.array([None, 1]), np.zeros((2, 2, 2)), np.zeros((0, 3))),
    *(np.ma.masked_array([1, 2], [True, False]), np.array([1 + 2j]), np.array(["2020"], "M8"), np.arange(3)),
    *(
        np.zeros(3, [("a", float)]),
        pd.Series([0.5, None]),
        pd.Series([pd.NA, 1], dtype="Int64"),
        pd.DataFrame({"a": [1]}),
    ),
    *(
        pd.Series(["a", None]),
        pd.Categorical(["a", "b"]),
        nested(50),
        nested(3000),
        itself(),
        [object()],
        {"a": object()},
    ),
    *([object()] * 5, (1, 2), (1, 1, 1), [[1, 2], [3, 4]], np.full(5, 0.5), [1, 2, 3, 4, 5]),
]

anything = (
    st.sampled_from(SCALARS)
    | st.sampled_from(CONTAINERS)
    | st.builds(iter, st.lists(st.floats(0, 1), max_size=3))
    | st.floats()
    | st.integers()
    | st.text(max_size=8)
    | st.lists(st.floats(), max_size=6)
    | st.lists(st.sampled_from(SCALARS), max_size=4)
)

number = st.floats() | st.integers() | st.sampled_from([v for v in SCALARS if type(v) in (int, float)])
score = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0, 1e-300, 1 - 1e-16])

json_value = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.sampled_from([10**400, 1e308, "", "x", "calibrated", "auto"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "kind", "loc", "median"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def damaged(draw, content):
    """Bytes with some of them gone, doubled, changed or swapped."""
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, max(0, len(data) - 1)))
        end = draw(st.integers(start, min(len(data), start + 40)))
        kind = draw(st.integers(0, 5))
        if kind == 0:
            del data[start:]
        elif kind == 1:
            del data[start:end]
        elif kind == 2:
            data[start:end] = draw(st.binary(max_size=12))
        elif kind == 3:
            data[start:start] = data[start:end]
        elif kind == 4:
            data[start:end] = draw(
                st.sampled_from([b"nan", b"1e999", b"-1", b"\n", b"\r\n", b'"', b",", b";", b"|", b"\0", b"9" * 400])
            )
        elif len(data):
            data[start] ^= 1 << draw(st.integers(0, 7))
    return bytes(data)


@st.composite
def tampered(draw, document):
    """A JSON document with one of its parts put out of joint."""
    import copy

    content = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        place, name = content, None
        while isinstance(place, (dict, list)) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            name = draw(st.sampled_from(keys))
            if not isinstance(place[name], (dict, list)) or not place[name] or draw(st.integers(0, 3)) == 0:
                break
            place = place[name]
        if name is None or not isinstance(place, (dict, list)) or not place:
            continue
        kind = draw(st.integers(0, 5))
        if kind == 0:
            del place[name]
        elif kind == 1:
            place[name] = nested(draw(st.sampled_from([5, 800])))
        else:
            place[name] = draw(json_value)
    return content
