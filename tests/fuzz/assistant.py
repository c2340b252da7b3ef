"""Calls of an assistant's tools with arguments that nobody should send."""

from hypothesis import strategies as st

from apexgp.surfaces.assistant.answers import Call, answer
from apexgp.surfaces.assistant.tools import list_tools, load_tool
from apexgp.surfaces.web.refusals import UNPREPARED
from documents import faults
from fuzz.commands import SOUND, WORDS
from fuzz.surface import TABLE, folder

FIT = {"table": TABLE, "mean": "power_law"}
GIVEN = {
    "forecast": FIT,
    "plan": FIT | {"target": 0.8, "cost": 1.0, "penalty": 1000.0},
    "design": FIT | {"budget": 3.0, "confirm": 0},
    "compare": {"tables": {"a": TABLE, "b": TABLE}, "mean": "power_law"},
    "backtest": {"table": TABLE, "method": ["power_law"]},
    "sensitivity": FIT,
    "check": FIT | {"draws": 100},
    "minimum": {"prevalence": 0.2, "parameters": 10, "r2": 0.2},
}
PATHS = ["good.csv", "..", "/etc/passwd", "~root/x", "a\x00b", "x" * 5000, "", ".", "good.csv/", "/proc/self/mem"]
words = st.sampled_from([*WORDS, *PATHS, *(one for some in SOUND.values() for one in some)]) | st.text(max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([10**400, 1e-300]) | words
values = scalars | st.lists(scalars, max_size=3) | st.dictionaries(words, scalars, max_size=3)


@st.composite
def tool_call(draw):
    assert set(list_tools()) == set(GIVEN), "say above what a new tool takes"
    name = draw(st.sampled_from(list_tools()))
    known = sorted(load_tool(name, with_files=True).takes.model_fields)
    changed = draw(st.dictionaries(st.sampled_from(known) | st.text(max_size=3), values, max_size=3))
    with_files = draw(st.booleans())

    def act():
        (folder() / "good.csv").write_text(TABLE)
        reply = answer(Call(name, GIVEN[name] | changed, (folder().resolve(),) if with_files else ()))
        assert reply.text not in ("", UNPREPARED)
        assert "Traceback" not in reply.text
        if reply.document is None:
            return "refused"
        assert faults(reply.document) == []
        return "taken"

    return f"{name} {changed!r}", act, None
