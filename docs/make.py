"""Remake what is generated in the documents: `make outputs` (`make docs` makes the site).

What pages show of a program's output is compared with the program by the tests (`docs/pages.py`); the pictures and the
table of measurements are not, because drawing and training differ from one version of a library to the next.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from against_the_truth import HEAD, RUNS, judged
from apexgp import APExGP, collect_curves, read, write_report
from apexgp.plot import CurveDisplay
from apexgp.question_base.schemas import build_schema
from apexgp.surfaces.digits import measure_digits
from apexgp.surfaces.documents import load_documents
from pages import (
    FOLDER,
    command_line_page,
    folder_of,
    gallery,
    page_of_terms,
    page_of_the_report,
    pages_with_outputs,
    remade,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser

sys.path.insert(0, str(FOLDER.parent / "tests"))  # the server and the browser of the tests


def picture() -> None:
    """The picture of the README: the demonstration's pilot, its forecast, and what was measured later."""
    pilot, truth = measure_digits()
    display = CurveDisplay.from_estimator(APExGP().fit(pilot), 1.5 * truth.sizes[0])
    display.plot(truth=(truth.sizes[:1], [truth.scores.mean()]))
    display.ax_.set_title("Handwritten digits: a pilot of 360, and what 1,300 give", fontsize="medium")
    display.figure_.savefig(FOLDER / "forecast.png", dpi=120)


def gallery_pictures() -> None:
    """The pictures of docs/gallery.md, of which other pages show some."""
    for file, figure in gallery():
        figure.savefig(FOLDER / file, dpi=80)


def end_to_end() -> None:
    """The table and the picture of docs/collect.md: curves forecast from their pilots, beside the truth."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(14, 8), layout="constrained")
    lines = [HEAD]
    for ax, (name, measure) in zip(axes.flat, RUNS.items(), strict=True):
        model, sizes, truth, rows = judged(name, measure(-1))
        lines += rows
        CurveDisplay.from_estimator(model, 1.15 * sizes[-1]).plot(ax, truth=(sizes, truth))
        ax.set_title(name, fontsize="medium")
    figure.savefig(FOLDER / "collect.png", dpi=110)
    page = FOLDER / "collect.md"
    text = page.read_text(encoding="utf-8")
    block = "<!-- measured by make outputs -->\n\n" + "\n".join(lines) + "\n\n<!-- end -->"
    page.write_text(
        re.sub(r"<!-- measured by make outputs -->.*?<!-- end -->", lambda _: block, text, flags=re.DOTALL),
        encoding="utf-8",
    )


def examples() -> None:
    """Curves that the page offers to try: measured on data that ship with scikit-learn."""
    from dataclasses import replace

    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier

    folder = FOLDER.parent / "src" / "apexgp" / "surfaces" / "web" / "examples"
    pilot, _ = measure_digits()
    measured = collect_curves(
        RandomForestClassifier(100),
        *load_breast_cancer(return_X_y=True),
        sizes=[20, 40, 75, 140, 260, 400],
        n_splits=8,
        metric="accuracy",
        ratio=(3, 0, 1),  # nothing is tuned
    ).only
    errors = replace(measured, scores=1 - measured.scores, direction="lower", metric="error rate", task="breast cancer")
    for name, curve in (("digits", pilot), ("cancer", errors)):
        bare = dict.fromkeys(("train_scores", "n_test", "learner", "n_features", "n_classes"))
        plain = replace(curve, scores=curve.scores.round(4), **bare)
        plain.to_csv(folder / f"{name}.csv", overwrite=True)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser that the tests drive, too."""
    from playwright.sync_api import sync_playwright

    from serving import BROWSER, CHROMIUM

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER)
        yield browser
        browser.close()


def page_picture() -> None:
    """The page with one of its examples, as a browser shows it."""
    from serving import serving

    with serving() as (_, _, address), chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 960})
        page.goto(address)
        page.click("text=A pilot of 360")
        page.wait_for_selector("#figure svg")
        page.mouse.move(0, 0)
        page.screenshot(path=FOLDER / "web.png")


def report_picture() -> None:
    """The first page of a report on A4, and its top on a phone in the dark."""
    from PIL import Image

    edge, text, phone = 57, {"width": 680, "height": 1009}, {"width": 400, "height": 1123}  # A4 with 15 mm around
    both = Image.new("RGB", (text["width"] + 2 * edge + phone["width"], phone["height"]), "white")
    with folder_of(FOLDER / "report.md"), chromium() as browser:
        model = APExGP().fit(read("pairs.csv", metric="auroc").curve)
        write_report(model, "report.html", target=0.78, confidence=0.6, cost_per_example=12, penalty=50_000)
        printed, on_phone = browser.new_page(viewport=text), browser.new_page(viewport=phone, color_scheme="dark")
        printed.emulate_media(media="print")
        for page in (printed, on_phone):
            page.goto(Path("report.html").absolute().as_uri())
        second = printed.get_by_role("heading", name="Size for the target").bounding_box()
        assert second is not None
        first = {"x": 0.0, "y": 0.0, "width": text["width"], "height": second["y"]}
        both.paste(Image.open(io.BytesIO(printed.screenshot(clip=first))), (edge, edge))
        both.paste(Image.open(io.BytesIO(on_phone.screenshot())), (text["width"] + 2 * edge, 0))
    both.save(FOLDER / "report.png", optimize=True)


def vignette() -> None:
    """The page for R and its picture, where R is installed."""
    import r_page

    sys.path.insert(0, str(FOLDER.parent / "tests"))
    from serving import serving

    if reason := r_page.lacking():
        print(f"docs/r.md stays as it is: {reason}", file=sys.stderr)
        return
    with serving() as (_, _, address):
        r_page.PAGE.write_text(r_page.remade(address, FOLDER / "r.png"), encoding="utf-8")


def schemas() -> None:
    """The JSON Schemas as files of the site; where they differ in a commit, so does what `--json` promises."""
    folder = FOLDER / "schemas"
    for name, kind in load_documents().items():
        (folder / f"{name}.json").write_text(json.dumps(build_schema(kind), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    schemas()
    (FOLDER / "cli.md").write_text(command_line_page(), encoding="utf-8")
    if sys.argv[1:] == ["schemas"]:  # what follows from settings and documents, in seconds
        sys.exit()
    os.environ.setdefault("MPLBACKEND", "Agg")
    (FOLDER / "report.md").write_text(page_of_the_report(), encoding="utf-8")
    (FOLDER / "terms.md").write_text(page_of_terms(), encoding="utf-8")
    for page in pages_with_outputs():
        page.write_text(remade(page), encoding="utf-8")
    picture()
    gallery_pictures()
    end_to_end()
    examples()
    page_picture()
    report_picture()
    vignette()
