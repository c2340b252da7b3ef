import numpy as np
import pytest

from apexgp import APExGP, CurveDisplay, LearningCurve
from apexgp.errors import RequestError

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
    np.testing.assert_array_equal(display.median, forecast.median)
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
    np.testing.assert_array_equal(lines["forecast (median)"].get_xdata()[[0, -1]], [360, 20000])
    np.testing.assert_array_equal(lines["measured later"].get_xydata(), [[720, 0.8]])
    # Two bands, each drawn paler within the pilot than beyond it.
    assert len(ax.collections) >= 4
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel() == "auroc"


@pytest.mark.slow
@pytest.mark.parametrize(("scale", "wanted"), [(1, "1,000"), (1e5, "100M")])
def test_ticks_are_readable_numbers_of_examples(scale, wanted, ax):
    model = APExGP().fit(SIZES * scale, SCORES)
    CurveDisplay.from_estimator(model).plot(ax)
    ax.figure.canvas.draw()
    low, high = ax.get_xlim()
    labels = [t.get_text() for t, at in zip(ax.get_xticklabels(), ax.get_xticks(), strict=True) if low <= at <= high]
    assert wanted in labels
    assert 3 <= len(labels) <= 12


def test_makes_its_own_figure(model):
    display = CurveDisplay.from_estimator(model).plot()
    assert display.sizes[-1] == 3600
    pyplot.close(display.figure_)


def test_an_end_inside_the_pilot_is_refused(model):
    with pytest.raises(RequestError, match=r"beyond the largest pilot size 360 and at most .* got 300"):
        CurveDisplay.from_estimator(model, 300)


@pytest.mark.parametrize("metric", ["$\\foo$", "$x^{", "cost in $ and $"])
def test_a_metric_with_dollars_is_a_name_and_no_formula(metric):
    curve = LearningCurve([60, 94, 147, 230, 360], [0.66, 0.705, 0.722, 0.755, 0.768], metric=metric)
    display = CurveDisplay.from_estimator(APExGP("power_law").fit(curve), to=1e100).plot()
    display.figure_.canvas.draw()
    assert display.ax_.get_ylabel() == metric
    assert len(display.ax_.get_xticks()) < 15  # however far it goes
