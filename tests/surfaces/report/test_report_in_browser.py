"""The report in a browser: with and without JavaScript, by pointer and keyboard, aloud, and on paper."""

import json
import re

import pytest

from apexgp import APExGP, LearningCurve, read, write_report
from conftest import pilot_table, require
from serving import lines_through_words, shaded_edges

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "pairs.csv").write_text(pilot_table())
    curve = read(folder / "pairs.csv", metric="auc").curve
    models = {name: APExGP().fit(curve) for name in ("one", "<script>alert(1)</script>")}
    write_report(models, folder / "report.html", target=0.8, cost_per_example=12, penalty=50_000, budget=2)
    return folder / "report.html"


@pytest.fixture
def opened(chromium, report):
    """Open the report: a function of the settings of a browser's window. Whatever it asks for or complains of fails."""
    contexts, seen = [], []

    def open_report(**settings):
        contexts.append(chromium.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: seen.append(message.text))
        page.on("pageerror", lambda error: seen.append(str(error)))
        page.on("dialog", lambda dialog: seen.append(dialog.message))
        page.on("request", lambda request: seen.append(request.url) if request.url != report.as_uri() else None)
        page.goto(report.as_uri())
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert seen == []


def data(page):
    return json.loads(page.locator("figure.chart script").first.text_content())


def test_a_pointer_reads_the_chart_off(opened):
    page = opened(viewport={"width": 1000, "height": 900})
    figure = page.locator("figure.chart").first
    figure.scroll_into_view_if_needed()
    assert figure.locator(".reading").is_hidden()
    places, readings = data(page)["places"], data(page)["readings"]
    box = figure.locator("svg").bounding_box()
    scale = box["width"] / 640
    for index in (0, len(places) // 2, len(places) - 1):
        page.mouse.move(box["x"] + places[index][0] * scale, box["y"] + 200 * scale)
        assert figure.locator(".reading dd").all_text_contents() == readings[index]
        tip = figure.locator(".reading").bounding_box()
        assert tip["x"] >= box["x"] - 1
        assert tip["x"] + tip["width"] <= box["x"] + box["width"] + 1
    page.mouse.move(2, 2)
    assert figure.locator(".reading").is_hidden()


def test_the_keyboard_alone_reads_it_off_and_aloud(opened):
    page = opened()
    slider = page.locator("figure.chart input").first
    for _ in range(20):
        page.keyboard.press("Tab")
        if slider.evaluate("element => element === document.activeElement"):
            break
    else:
        pytest.fail("Tab does not reach the chart.")
    readings, labels = data(page)["readings"], data(page)["labels"]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == f"{readings[2][0]} training examples"
    spoken = page.locator("figure.chart [role=status]").first.text_content()
    assert spoken == ", ".join(f"{label} {value}" for label, value in zip(labels[1:], readings[2][1:], strict=True))
    page.keyboard.press("End")
    assert page.locator("figure.chart .reading dd").first.text_content() == readings[-1][0]
    page.keyboard.press("Escape")
    assert page.locator("figure.chart .reading").first.is_hidden()


def test_a_finger_reads_it_off_on_a_narrow_screen(opened):
    page = opened(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    figure = page.locator("figure.chart").first
    figure.scroll_into_view_if_needed()
    box = figure.locator("svg").bounding_box()
    page.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"])
    assert figure.locator(".reading").is_visible()
    size = figure.locator("text.tick").first.evaluate("element => element.getBoundingClientRect().height")
    assert size > 9  # letters that can be read


def test_without_javascript_it_is_a_picture(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("figure.chart svg").first.is_visible()
    assert page.locator("figure.chart input").count() == 0
    assert page.locator("figure.chart svg polyline.mean.forecast").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_a_screen_reader(opened, scheme):
    axe = require("axe_playwright_python.sync_playwright")
    page = opened(color_scheme=scheme, bypass_csp=True)  # axe brings a script of its own
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("width", [390, round(178 / 25.4 * 96), 1366])
def test_the_line_of_the_answer_runs_through_no_words(opened, media, width):
    page = opened(viewport={"width": width, "height": 844})
    page.emulate_media(media=media)
    assert lines_through_words(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_goes_on_beyond_a_narrow_screen_has_a_shadow_there(opened, scheme):
    page = opened(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    frames = page.locator(".wide").all()
    wide = [frame for frame in frames if frame.evaluate("one => one.scrollWidth > one.clientWidth + 40")]
    assert 2 < len(wide) < len(frames)
    frame = wide[0]
    if scheme == "dark":  # a shadow there is light
        page.evaluate("document.documentElement.style.filter = 'invert(1)'")
    assert shaded_edges(frame) == (False, True)
    frame.evaluate("one => one.scrollLeft = (one.scrollWidth - one.clientWidth) / 2")
    assert shaded_edges(frame) == (True, True)
    frame.evaluate("one => one.scrollLeft = one.scrollWidth")
    assert shaded_edges(frame) == (True, False)
    narrow = next(frame for frame in frames if frame.evaluate("one => one.scrollWidth === one.clientWidth"))
    assert shaded_edges(narrow) == (False, False)


def test_no_line_ends_between_a_number_and_its_per_cent_sign(opened):
    page = opened(viewport={"width": 390, "height": 844})
    prose = page.locator(":is(p, li, td, th, dd, caption)").all_text_contents()
    assert any(re.search(r"\d\N{NO-BREAK SPACE}%", text) for text in prose)
    assert [text for text in prose if re.search(r"\d[ \n]%", text)] == []


def test_data_stay_as_they_are(chromium, tmp_path):
    """A space that is not to break belongs into prose, not into what is copied from the page into a file."""
    path = tmp_path / "report.html"
    curve = LearningCurve([60, 94, 147, 230], [0.66, 0.7, 0.72, 0.75], task="10 % subset")
    write_report(APExGP("power_law").fit(curve), path, budget=0)
    page = chromium.new_page()
    try:
        page.goto(path.as_uri())
        assert page.text_content("pre.data").count("10 % subset") == 4
    finally:
        page.close()


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_prints_on_few_pages(opened, paper, tmp_path):
    page = opened(color_scheme="dark")
    pdf = page.pdf(format=paper, path=tmp_path / "report.pdf")
    # A summary, five or six pages for each of two tasks, and what they share.
    assert 9 <= len(re.findall(rb"/Type /Page\b", pdf)) <= 16


def test_the_first_page_says_it_all_on_one_sheet_of_a4(chromium, tmp_path):
    path = tmp_path / "report.html"
    flat = LearningCurve([60, 120, 250, 500], [0.66, 0.665, 0.66, 0.65], metric="accuracy", unit="patients")
    lines = {
        "title": "A long title that goes over the whole width of the page, and on to another line of it",
        "author": "A. Author, Department of Neurology, University Hospital",
        "project": "Protocol 17-B",
    }
    costs = {"target": 0.9, "cost_per_example": 10, "penalty": 20_000}
    write_report(APExGP().fit(flat), path, times=[2, 5, 10, 20, 100], budget=0, **costs, **lines)
    # The page of A4 within the margins of the style sheet, in CSS pixels.
    page = chromium.new_page(viewport={"width": round(178 / 25.4 * 96), "height": round(264 / 25.4 * 96)})
    try:
        page.emulate_media(media="print")
        page.goto(path.as_uri())
        front = page.locator(".front")
        assert "Answer" in front.inner_text()
        assert front.locator("table").count() == front.locator("figure.chart").count() == 1
        box = front.bounding_box()
        assert box["y"] + box["height"] <= 264 / 25.4 * 96
        drawn = front.locator("figure.chart svg").bounding_box()
        assert drawn["height"] > 70 / 25.4 * 96  # it has room all the same
        below = front.locator("table").bounding_box()
        assert below["y"] >= drawn["y"] + drawn["height"]
        assert below["y"] + below["height"] <= 264 / 25.4 * 96
    finally:
        page.close()


def test_the_chart_of_the_first_page_is_as_wide_as_the_paper(opened):
    page = opened(viewport={"width": round(178 / 25.4 * 96), "height": round(264 / 25.4 * 96)})
    page.emulate_media(media="print")
    front = page.locator(".front").first
    drawn, whole = front.locator("figure.chart svg").bounding_box(), front.bounding_box()
    assert drawn["width"] > 0.98 * whole["width"]
    assert drawn["height"] > 0.6 * drawn["width"]  # or it would be drawn smaller
    ticks = front.locator("figure.chart text.tick[text-anchor=middle]").all()
    assert sum(tick.is_visible() for tick in ticks) >= 4
