import itertools
import re

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve
from apexgp.errors import RequestError
from apexgp.plot import CurveDisplay

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SIZES = np.repeat([60, 94, 147, 230, 360], 3)
SCORES = np.repeat([0.66, 0.705, 0.722, 0.755, 0.768], 3) + np.tile([-0.01, 0, 0.01], 5)


@pytest.fixture
def model():
    return APExGP().fit(LearningCurve(SIZES, SCORES, metric="auroc"))


@pytest.fixture
def ax():
    figure, ax = pyplot.subplots()
    yield ax
    pyplot.close(figure)


@pytest.mark.slow
def test_holds_what_the_forecast_says(model):
    display = CurveDisplay.from_estimator(model, 20000)
    assert display.sizes[0] == 60
    assert 360 in display.sizes
    assert display.sizes[-1] == 20000
    forecast = model.forecast(display.sizes)
    np.testing.assert_array_equal(display.mean, forecast.mean)
    assert sorted(display.bands) == [0.8, 0.95]
    np.testing.assert_array_equal(display.bands[0.95], forecast.interval(0.95))
    np.testing.assert_allclose(display.pilot_std, 0.01)


def test_draws_on_the_given_axes_and_returns_itself(model, ax):
    before = pyplot.get_fignums()
    display = CurveDisplay.from_estimator(model, 20000)
    assert display.plot(ax, truth=([720], [0.8])) is display
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert pyplot.get_fignums() == before
    lines = {line.get_label(): line for line in ax.get_lines()}
    np.testing.assert_array_equal(lines["forecast (mean)"].get_xdata()[[0, -1]], [360, 20000])
    np.testing.assert_array_equal(lines["measured later"].get_xydata(), [[720, 0.8]])
    # Two bands, each drawn paler within the pilot than beyond it.
    assert len(ax.collections) >= 4
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel() == "AUROC"


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "wanted"), [(1, "1,000"), (1e5, r"$\mathdefault{10^{8}}$")])
def test_ticks_are_readable_numbers_of_examples(scale, wanted, ax):
    model = APExGP().fit(SIZES * scale, SCORES)
    CurveDisplay.from_estimator(model).plot(ax)
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t.get_text() for t, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    assert wanted in labels
    assert 3 <= len(labels) <= 12


def test_ticks_follow_who_zooms(model, ax):
    CurveDisplay.from_estimator(model).plot(ax)
    for low, high, wanted in ((70, 30_000, [100, 1000, 10_000]), (100, 300, [100, 150, 200, 250, 300])):
        ax.set_xlim(low, high)
        assert set(wanted) <= {tick for tick in ax.get_xticks() if low <= tick <= high}


def test_makes_its_own_figure(model):
    display = CurveDisplay.from_estimator(model).plot()
    assert display.sizes[-1] == 3600
    pyplot.close(display.figure_)


def test_an_end_inside_the_pilot_is_refused(model):
    with pytest.raises(RequestError, match=r"beyond the largest pilot size 360 and at most .* got 300"):
        CurveDisplay.from_estimator(model, 300)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["$\\foo$", "$x^{", "cost in $ and $"])
def test_a_metric_with_dollars_is_a_name_and_no_formula(metric):
    curve = LearningCurve([60, 94, 147, 230, 360], [0.66, 0.705, 0.722, 0.755, 0.768], metric=metric)
    display = CurveDisplay.from_estimator(APExGP("power_law").fit(curve), to=1e100).plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_ylabel() == metric
    assert len(display.ax_.get_xticks()) < 15  # however far it goes
    pyplot.close(display.figure_)


def test_whiskers_and_axis_end_where_scores_do(ax):
    near = LearningCurve(SIZES, np.clip(SCORES + 0.225, 0, 1) + np.tile([-0.05, 0, 0.0], 5), metric="auroc")
    CurveDisplay.from_estimator(APExGP().fit(near)).plot(ax)
    (bars,) = ax.containers
    ends = np.concatenate([path.vertices[:, 1] for path in bars[2][0].get_paths()])
    assert ends.max() <= 1
    assert ends.max() > 0.99  # the case is one: a whole standard deviation would stand out
    assert ax.get_ylim()[1] < 1.01


def test_the_target_and_the_size_with_its_interval_are_marked(model, ax):
    needed = model.required_size(0.78, 0.6)
    assert needed.size < 3600
    CurveDisplay.from_estimator(model).plot(ax, required=needed)
    lines = {line.get_label(): line for line in ax.get_lines()}
    (marker,) = [line for label, line in lines.items() if label.startswith("target 0.78: ")]
    assert marker.get_xydata().tolist() == [[needed.rounded_size, 0.78]]
    (bar,) = [line for label, line in lines.items() if label.startswith("its interval (10 % to 90 %)")]
    assert bar.get_xdata()[0] == needed.interval[0]
    assert bar.get_xdata()[-1] == min(needed.interval[1], 3600)
    assert 0.78 in [line.get_ydata()[0] for line in lines.values() if np.ptp(line.get_ydata()) == 0]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "words"), [(0.6, "met already"), (0.99, "{at_best} with unlimited data")])
def test_a_target_without_a_size_says_why(model, ax, target, words):
    needed = model.required_size(target)
    CurveDisplay.from_estimator(model).plot(ax, required=needed)
    assert f"target {target:g}: {words.format(at_best=needed.at_best)}" in ax.get_legend_handles_labels()[1]
    low, high = ax.get_ylim()
    assert low < target < high


@pytest.mark.slow
def test_beyond_50_times_the_pilot_the_picture_says_so(model, ax):
    words = "50 times the pilot: untested beyond"
    CurveDisplay.from_estimator(model, 50 * 360).plot(ax)
    assert words not in ax.get_legend_handles_labels()[1]
    CurveDisplay.from_estimator(model, 60 * 360).plot(ax)
    assert words in ax.get_legend_handles_labels()[1]


def test_a_display_says_what_it_shows_in_a_line(model):
    said = repr(CurveDisplay.from_estimator(model))
    assert said == "CurveDisplay(AUROC, measured from 60 to 360 training examples, forecast to 3,600)"


def test_an_axis_of_groups_says_so(ax):
    CurveDisplay.from_estimator(APExGP().fit(LearningCurve(SIZES, SCORES, unit="groups"))).plot(ax)
    assert ax.get_xlabel() == "training groups"


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1, 1e3, 1e6])
def test_ticks_are_of_one_kind(scale, ax):
    CurveDisplay.from_estimator(APExGP("power_law").fit(SIZES * scale, SCORES)).plot(ax)
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t.get_text() for t, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    written_out = [bool(re.fullmatch(r"[\d,]+", label)) for label in labels]
    assert all(written_out) or not any(written_out)
    boxes = [
        t.get_window_extent() for t, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high
    ]
    assert all(one.x1 < other.x0 for one, other in itertools.pairwise(boxes))  # none touches the next
