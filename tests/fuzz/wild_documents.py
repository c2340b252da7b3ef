"""What commands print with `--json` of curves that nobody would draw: it follows its schema."""

from hypothesis import strategies as st

from apexgp import LearningCurve
from apexgp.curve import build_curve_columns
from apexgp.reading.files import as_csv
from documents import faults
from fuzz.commands import run, strict
from fuzz.surface import folder
from fuzz.wild import told, wild_curve

FIT = ("--mean", "power_law")
ASKED = {
    "forecast": ("FILE",),
    "plan": ("FILE", "--cost", "12", "--penalty", "5000", *FIT),
    "design": ("FILE", "--budget", "3", "--confirm", "0", *FIT),
    "compare": ("FILE", "OTHER", *FIT),
    "backtest": ("FILE", "--method", "apexgp", "--method", "power_law"),
    "sensitivity": ("FILE", *FIT),
    "check": ("FILE", "--draws", "100", *FIT),
}
HAS_TARGET = {"forecast", "plan", "design", "backtest", "sensitivity"}


@st.composite
def wild_document(draw):
    name = draw(st.sampled_from(sorted(ASKED)))
    curve, other = draw(wild_curve()), draw(wild_curve())
    is_loss = draw(st.booleans())
    target = draw(st.sampled_from([1e-300, 0.3, 0.5, 0.77, 0.999]))
    with_target = name in HAS_TARGET and (name == "plan" or draw(st.booleans()))
    words = [*ASKED[name], *(("--target", str(target)) if with_target else ())]

    def act():
        paths = {word: folder() / f"wild {word.lower()}.csv" for word in ("FILE", "OTHER")}
        for path, one in zip(paths.values(), (curve, other), strict=True):
            measured = {"scores": 5 * one.scores, "metric": "log loss"} if is_loss else {"scores": one.scores}
            path.write_text(as_csv(build_curve_columns([LearningCurve(one.sizes, split=one.split, **measured)])))
        code, out, err = run(["apexgp", name, *(str(paths.get(word, word)) for word in words), "--json"])
        assert code in (0, 1), err
        assert "unexpected problem" not in err, err
        if code:
            return "refused"
        assert faults(strict(out), name) == []
        return "taken"

    return f"{name} {words} {is_loss} {told(curve)} | {told(other)}", act, None
