"""The chart of report and page: a picture that parses, says what the model says, and holds nothing but text of ours."""

import itertools
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from apexgp import APExGP, LearningCurve
from apexgp.question_base.axes import LogScale, ScoreScale, choose_size_ticks
from apexgp.question_base.sizes import SizeSpec
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.forecast.curve_picture import CurvePicture
from apexgp.surfaces.chart.figure import build_chart_figure, build_chart_file, read_chart_script, read_chart_style
from apexgp.surfaces.chart.svg import Drawing
from small_pilots import SIZES

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<script>alert(1)</script>\"'&\x00\x1b\ud800"


@pytest.fixture(scope="module")
def model():
    scores = np.array([0.71, 0.74, 0.77, 0.79, 0.81])[:, None] + [-0.01, 0.012]
    return APExGP().fit(LearningCurve(SIZES, scores, metric=EVIL, task=EVIL))


@pytest.fixture(scope="module")
def required(model):
    return model.required_size(0.84)


@pytest.fixture(scope="module")
def picture(model):
    return drawn_by(model, [720, 3600], 0.84)


def drawn_by(model, sizes=(), target=None, **asked):
    """The picture of an answer."""
    question = ForecastQuestion(at=SizeSpec(tuple(sizes)), target=target, **asked)
    return question.answer(model).picture(CurvePicture)


def data_of(figure):
    (block,) = re.findall(r'<script type="application/json">(.*?)</script>', figure, re.DOTALL)
    return json.loads(block)


def test_the_picture_is_well_formed_and_says_what_it_is(picture):
    for text in (Drawing(picture).svg(), build_chart_file(picture)):
        root = ElementTree.fromstring(text)
        assert root.get("role") == "img"
        assert re.fullmatch(r"0 0 640 \d+", root.get("viewBox"))
        named = [root.find(f"{SVG}{tag}") for tag in ("title", "desc")]
        assert root.get("aria-labelledby").split() == [element.get("id") for element in named]
        assert "<script>alert(1)</script>" in named[0].text
        assert not list(root.iter(f"{SVG}script"))
        assert not [element for element in root.iter() if element.get("style")]
    (style,) = root.iter(f"{SVG}style")  # the file alone carries its own, which old programs can read
    assert ".mean" in style.text
    assert not re.search(r"var\(|@|--", style.text)


def test_pictures_of_one_page_share_no_identifier(picture):
    found = [re.findall(r'\bid="(.*?)"', build_chart_figure(picture, name)) for name in ("one", "two")]
    assert len(set(found[0] + found[1])) == len(found[0] + found[1]) == 6


def test_what_is_read_off_is_what_the_model_says(model, required, picture):
    data = data_of(build_chart_figure(picture))
    assert data["labels"][2:] == ["95 % interval", "true mean reaches 0.84"]
    read = {reading[0]: reading[1:] for reading in data["readings"]}
    asked = [720.0, 3600.0, float(required.rounded_size)]
    forecast, expected = model.forecast(asked), model.forecast(asked, of="expected")
    for i, (low, high) in enumerate(zip(*forecast.interval(0.95), strict=True)):
        mean, interval, chance = read[f"{asked[i]:,.0f}"]
        assert (mean, interval) == (f"{forecast.mean[i]:.3f}", f"{low:.3f} to {high:.3f}")
        assert float(chance.removesuffix(" %")) == pytest.approx(100 * expected.prob_at_least(0.84)[i], abs=0.51)
    assert float(read[f"{required.rounded_size:,}"][2].removesuffix(" %")) >= 80


def test_places_follow_the_readings(picture):
    data = data_of(build_chart_figure(picture))
    places = np.array(data["places"])
    assert len(places) == len(data["readings"])
    assert (np.diff(places[:, 0]) > 0).all()
    assert (places[:, 3] < places[:, 1]).all()  # downwards on a screen is lower
    assert (places[:, 1] < places[:, 2]).all()


def test_nothing_in_the_data_ends_the_script_element(picture):
    figure = build_chart_figure(picture)
    (block,) = re.findall(r"<script[^>]*>(.*?)</script>", figure, re.DOTALL)
    assert not set("<>&") & set(block)
    assert "\x00" not in figure


@pytest.mark.slow
def test_the_size_for_a_target_is_shown_only_where_the_chart_reaches_it(model, picture):
    assert 'class="required"' in Drawing(picture).svg()
    unreached = drawn_by(model, [720], 0.9999)
    assert 'class="target"' in Drawing(unreached).svg()
    assert 'class="required"' not in Drawing(unreached).svg()
    met = drawn_by(model, [720], 0.75)
    assert 'class="required"' not in Drawing(met).svg()
    assert 'class="target"' not in Drawing(drawn_by(model, [720])).svg()


@pytest.mark.slow
def test_an_error_rate_and_a_pilot_without_replicates_are_drawn_too():
    curve = LearningCurve(SIZES, [0.3, 0.25, 0.22, 0.2, 0.19], metric="error rate", direction="lower")
    model = APExGP().fit(curve)
    drawn = drawn_by(model, [], 0.15)
    assert drawn.sizes[-1] >= 3600
    assert drawn.prob_target[-1] > drawn.prob_target[0]
    text = Drawing(drawn).svg()
    assert 'class="score"' not in text
    assert "s.d." not in text


@pytest.mark.slow
@given(st.floats(1, 1e6), st.floats(2, 1e12))
@example(550_000.0, 2.0)
@example(2_100_000.0, 2.0)
def test_sizes_on_the_axis_are_of_one_kind_and_stand_apart(low, factor):
    scale = LogScale(low, low * factor, 62, 622, 638)
    ticks = choose_size_ticks(scale, 7.2, 11.6)
    assert len(ticks) >= 2
    for letter, shown in ((7.2, ticks), (11.6, [tick for tick in ticks if not tick.extra])):
        assert len(shown) >= 2 or len(ticks) <= 4
        spans = [
            (centre - letter * len(tick.label) / 2, centre + letter * len(tick.label) / 2)
            for tick in shown
            for centre in [min(scale(tick.value), 638 - letter * len(tick.label) / 2)]
        ]
        assert all(right[0] > left[1] for left, right in itertools.pairwise(spans))
    assert len({"e" in tick.label for tick in ticks}) == 1
    assert all(float(tick.label.replace(",", "")) == pytest.approx(tick.value) for tick in ticks)


@pytest.mark.slow
@given(st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_the_axis_of_scores_holds_every_value(values):
    scale = ScoreScale.holding(values, 34, 350)
    assert all(34 - 1e-6 <= scale(value) <= 350 + 1e-6 for value in values)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 8
    assert len({len(tick.label) for tick in ticks}) == 1
    assert all(float(tick.label) == pytest.approx(tick.value, abs=1e-9) for tick in ticks)


def test_the_script_asks_for_nothing_from_outside():
    assert not re.search(r"https?://(?!www\.w3\.org/)|fetch|XMLHttp|import|eval|innerHTML", read_chart_script())
    assert not re.search(r"url\(|@import", read_chart_style())
