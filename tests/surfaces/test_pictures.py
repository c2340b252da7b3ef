"""Pictures of plans, comparisons and backtests: they show the very numbers of the answer."""

import re

import numpy as np
import pytest

from apexgp import (
    APExGP,
    LearningCurve,
    backtest,
    compare_models,
    plan_collection,
    predictive_check,
    sensitivity,
)
from apexgp.errors import DataError
from apexgp.plot import (
    BacktestDisplay,
    BatchDisplay,
    ComparisonDisplay,
    PlanDisplay,
    PredictiveCheckDisplay,
    SensitivityDisplay,
)
from apexgp.questions.check.drawing import CheckDrawing
from apexgp.questions.sensitivity.bars import MOST_BARS, BarDrawing

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SIZES = np.array([60, 94, 147, 230, 360, 564])
MEANS = np.array([0.66, 0.705, 0.722, 0.755, 0.768, 0.78])
GP = APExGP("power_law")


def curve(lift=0.0, **about):
    table = MEANS[:, None] + lift * np.linspace(1, 0, 6)[:, None] + [-0.01, 0.01]
    return LearningCurve(SIZES, table, metric="auroc", **about)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def lines(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def labels(ax):
    return ax.get_legend_handles_labels()[1]


def test_a_plan_stands_on_its_curve():
    model = APExGP("power_law").fit(curve())
    plan = plan_collection(model, 0.8, 12, 50_000)
    display = PlanDisplay.from_plan(model, plan).plot()
    ax = display.ax_
    whole = lines(ax)["probability of a mean AUROC of 0.8"]
    spent, prob = whole.get_xdata(), whole.get_ydata()
    assert (np.diff(prob) >= 0).all()
    drawn = [line.get_xydata()[0] for line in ax.get_lines() if line.get_marker() == "o" and len(line.get_xdata())]
    expected = [((size - 564) * 12, met) for size, met in zip(plan.sizes, plan.prob_met, strict=True)]
    np.testing.assert_allclose(drawn, expected)
    np.testing.assert_allclose(np.interp(*np.transpose(expected)[:1], spent, prob), plan.prob_met, atol=2e-3)
    assert [f"round {i}: total {size:,}" in labels(ax) for i, size in enumerate(plan.stops, 1)] == [True] * 3
    assert (ax.get_xlabel(), ax.child_axes[0].get_xlabel()) == ("cost of the labels", "training examples")
    assert repr(display) == f"PlanDisplay(AUROC of 0.8, rounds to {', '.join(f'{n:,}' for n in plan.stops)} examples)"


def test_a_plan_that_collects_nothing_says_so():
    model = APExGP("power_law").fit(curve(unit="groups"))
    display = PlanDisplay.from_plan(model, plan_collection(model, 0.99, 12, 20)).plot()
    assert "collecting more is not worth it" in labels(display.ax_)
    assert display.ax_.child_axes[0].get_xlabel() == "training groups"


@pytest.mark.slow
def test_a_comparison_shows_both_bands_and_the_probability_below():
    found = compare_models({"fast": curve(0.06), "slow": curve()}, [564, 5640], GP)
    display = ComparisonDisplay.from_comparison(found).plot()
    above, below = display.axes_
    assert labels(above) == ["fast", "slow"]
    assert labels(below) == ["fast beats slow"]
    for name, model in found.models.items():
        line = lines(above)[name]
        at = line.get_xdata()[[0, 40, -1]]
        np.testing.assert_allclose(line.get_ydata()[[0, 40, -1]], model.forecast(at, of="expected").mean)
    assert len(above.collections) == 2
    (pair,) = found.pairs
    dots = next(line for line in below.get_lines() if line.get_marker() == "o")
    np.testing.assert_array_equal(dots.get_xydata(), np.transpose([pair.sizes, pair.prob_first_better]))
    whole = lines(below)["fast beats slow"]
    np.testing.assert_allclose(
        np.interp(564, whole.get_xdata(), whole.get_ydata()), pair.prob_first_better[0], atol=0.05
    )
    styles = [lines(above)[name].get_linestyle() for name in found.models]
    assert len(set(styles)) == 2  # a grey print tells the lines apart
    assert (above.get_ylabel(), below.get_xlabel()) == ("expected AUROC", "training examples")


@pytest.mark.slow
def test_a_comparison_marks_the_changes_of_lead_that_it_reports():
    sizes = np.geomspace(30, 400, 8)
    fast, slow = (
        LearningCurve(sizes, np.repeat((limit - drop * sizes**-0.5)[:, None], 3, axis=1))
        for limit, drop in ((0.86, 0.8), (0.9, 1.8))
    )
    for largest, count in ((400, 0), (4000, 1)):
        found = compare_models({"fast": fast, "slow": slow}, [largest], GP)
        _, below = ComparisonDisplay.from_comparison(found).plot().axes_
        marked = [size for line in below.get_lines() if line.get_marker() == "D" for size in line.get_xdata()]
        assert marked == [change.size for change in found.pairs[0].lead_changes]
        assert len(marked) == count == labels(below).count("change of lead")


def test_a_backtest_shows_what_was_said_against_what_came():
    result = backtest(curve(), ["apexgp", "power_law", "pow4"], 3)
    ax = BacktestDisplay.from_backtest(result).plot().ax_
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [score.method for score in result.pooled]
    off = sorted(one.forecast - one.measured for one in result.by_size)
    drawn = [
        line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() in "osD" and len(line.get_xdata()) == 1
    ]
    np.testing.assert_allclose(sorted(drawn), off)
    spans = [line.get_xdata() for line in ax.get_lines() if len(line.get_xdata()) == 2 and np.ptp(line.get_xdata()) > 0]
    said = [
        (one.lower_95 - one.measured, one.upper_95 - one.measured) for one in result.by_size if one.method == "apexgp"
    ]
    np.testing.assert_allclose(sorted(map(tuple, spans)), sorted(said))
    assert "at size 564" in labels(ax)
    assert [text.get_text() for text in ax.texts] == ["no forecast"]  # pow4: four parameters, three sizes
    assert ax.get_xlabel() == "forecast minus measured AUROC"


def test_a_backtest_of_many_curves_shows_their_mean():
    result = backtest([curve(lift) for lift in (0, 0.01, 0.02)], ["power_law", "arctan"])
    ax = BacktestDisplay.from_backtest(result).plot().ax_
    assert "each of 6 held-out scores" in labels(ax)
    marks = [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == "|" and len(line.get_xdata())]
    assert marks == [score.bias for score in result.pooled]


@pytest.mark.slow
def test_a_batch_has_a_panel_a_task_and_says_what_failed():
    model = APExGP("power_law").fit(curve())
    needed = model.required_size(0.79, 0.5)
    models = {"lung": model, "short": DataError("Too few sizes."), "liver": APExGP("power_law").fit(curve(0.02))}
    display = BatchDisplay.from_estimators(models, times=[20], required={"lung": needed}).plot()
    first, second, third, spare = display.figure_.axes
    assert re.fullmatch(r"lung\ntarget 0\.79: [\d,]+ with 50 %", first.get_title())
    assert [ax.get_title() for ax in (second, third)] == ["short", "liver"]
    (shared,) = display.figure_.legends
    assert "forecast (mean)" in [text.get_text() for text in shared.get_texts()]
    assert [text.get_text() for text in second.texts] == ["Too few sizes."]
    assert lines(third)["forecast (mean)"].get_xdata()[-1] == 20 * 564
    assert not spare.axison


@pytest.mark.slow
@pytest.mark.parametrize("target", [0.8, None])
def test_bars_end_where_the_answer_is_moved_to(target):
    found = sensitivity(GP.fit(curve()), [5640], target=target)
    display = SensitivityDisplay.from_sensitivity(found).plot()
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in display.ax_.patches]
    shown = found.answered[:MOST_BARS]
    assert len(bars) == len(shown) < len(found.answered)
    np.testing.assert_allclose(bars, [(found.unchanged.compared, row.compared) for row in shown])
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == [row.name for row in shown]
    assert f"{len(found.answered) - MOST_BARS} smaller changes not shown" in display.ax_.get_xlabel()
    # The same in SVG: each bar from the answer to where it is moved.
    drawing = BarDrawing(found)
    svg = drawing.svg()
    for row in shown:
        left = min(drawing.x(found.unchanged.compared), drawing.x(row.compared))
        assert f'x="{left:.1f}"' in svg


def test_a_check_is_drawn_on_its_band():
    found = predictive_check(GP.fit(curve()))
    ax = PredictiveCheckDisplay.from_check(found).plot().ax_
    np.testing.assert_array_equal(lines(ax)["measured (mean)"].get_ydata(), found.measured)
    assert "simulated from the fitted model (median, 95 %)" in labels(ax)
    drawing = CheckDrawing(found)
    svg = drawing.svg()
    for size, score in zip(found.sizes, found.measured, strict=True):
        assert f'cx="{drawing.x(size):.1f}" cy="{drawing.y(score):.1f}"' in svg


@pytest.mark.slow
def test_pictures_go_where_they_are_told():
    figure, axes = pyplot.subplots(2)
    found = compare_models({"a": curve(), "b": curve(0.01)}, [564], GP)
    ComparisonDisplay.from_comparison(found).plot(axes)
    BacktestDisplay.from_backtest(backtest(curve(), ["power_law"])).plot(pyplot.figure().add_subplot())
    assert len(pyplot.get_fignums()) == 2
    assert figure.axes[0].get_lines()


@pytest.mark.slow
def test_names_with_dollars_are_no_formulas():
    odd = "$\\foo$ or $x^{"
    model = APExGP("power_law").fit(curve())
    found = compare_models({odd: curve(), "b": curve(0.01)}, [564], GP)
    drawn = [
        ComparisonDisplay.from_comparison(found).plot(),
        BacktestDisplay.from_backtest(backtest({odd: curve()}, {odd: GP})).plot(),
        BatchDisplay.from_estimators({odd: model, f"{odd}2": DataError(odd)}).plot(),
    ]
    for display in drawn:
        display.figure_.canvas.draw()


@pytest.mark.slow
def test_beyond_50_times_the_pilot_every_picture_says_so():
    words = "50 times the pilot: untested beyond"
    model = APExGP("power_law").fit(curve())
    for cost, beyond in ((12, False), (0.01, True)):
        plan = plan_collection(model, 0.82, cost, 50_000)
        assert (1.6 * plan.sizes[-1] > 50 * 564) == beyond
        assert (words in labels(PlanDisplay.from_plan(model, plan).plot().ax_)) == beyond
    for size, beyond in ((5640, False), (56_400, True)):
        found = compare_models({"a": curve(), "b": curve(0.01)}, [size], GP)
        display = ComparisonDisplay.from_comparison(found).plot()
        assert [words in labels(ax) for ax in display.axes_] == [beyond, beyond]
