"""A whole experiment, small: what is measured is what collect_curves measures, and it goes on where it was stopped."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, LogisticHead, collect_curves, metrics
from apexgp.errors import DataError, FewTestCasesWarning, RequestError, SizesLeftOutWarning
from apexgp.experiment import Experiment, judge_curves, run_experiment
from apexgp.surfaces.facts import experiment_facts
from small_experiment import CONFIGURATION, embeddings

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{warning.__module__}.{warning.__name__}")
    for warning in (FewTestCasesWarning, SizesLeftOutWarning)
]


def run(configuration, **more):
    return run_experiment(configuration, progress=False, **more)


def configured(folder):
    np.savez(folder / "small.npz", **embeddings())
    path = folder / "small.toml"
    path.write_text(CONFIGURATION)
    return path


@pytest.fixture
def configuration(tmp_path):
    return configured(tmp_path)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(configured(tmp_path_factory.mktemp("experiment")))


@pytest.mark.slow
def test_it_measures_what_collect_curves_does(result):
    data = embeddings()
    head = LogisticHead(Cs=[0.01, 1.0], max_iters=[20])
    curve = collect_curves(
        head,
        data["X"],
        {"ill": data["ill"]},
        groups=data["patient"],
        sizes=[30, 50, 80, 120, 200, 280],
        n_splits=2,
        progress=False,
    ).only
    assert list(result.curves) == ["Illness"]
    assert np.array_equal(result.curves["Illness"].scores, curve.scores)


@pytest.mark.slow
def test_figures_are_those_of_the_forecast_from_the_pilot(result):
    curve = result.curves["Illness"]
    model = APExGP.as_published("power_law").fit(curve.up_to(80))
    far = curve.beyond(120).replicates
    assert far.sizes.tolist() == [200, 280]  # there are no 5,000
    (one,) = [one for one in result.figures if (one.range, one.method) == ("long", "gp_power_law")]
    forecast = model.forecast(far.sizes)
    assert one.sizes == 2
    assert one.rmse == pytest.approx(metrics.rmse(forecast.location, far.mean))
    assert one.coverage == metrics.coverage(forecast, far.mean, 0.95)
    assert {one.size for one in result.dense} == {150}
    assert {one.runs for one in result.dense} == {6}


@pytest.mark.slow
def test_a_stopped_run_goes_on_to_the_same_tables(configuration, tmp_path, result):
    record = tmp_path / "runs.csv"
    whole = run(configuration, results=record)
    assert whole.tables == result.tables
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join(lines[:-5]) + lines[-5][:9])  # killed while it wrote
    again = run(configuration, results=record)
    assert again.tables == whole.tables
    assert len(record.read_text().splitlines()) == len(lines)
    assert sorted(record.read_text().splitlines()[-5:])[0].count(",") == lines[-5].count(",")
    finished = record.read_bytes()
    run(configuration, results=record)
    assert record.read_bytes() == finished  # nothing is left to do


def test_tables_have_the_form_of_the_paper(result):
    tables = {table.name: table for table in result.tables}
    assert list(tables) == ["rmse_short", "rmse_long", "likelihood", "coverage", "dense_coverage_95"]
    assert tables["rmse_long"].header == ("Dataset", "Label", "Power law", "GP pow", "Arctan", "GP arc", "apexgp")
    assert tables["likelihood"].header[:5] == ("Dataset", "Label", "Baseline", "short: GP pow", "short: GP arc")
    assert tables["dense_coverage_95"].header[2:] == ("150: GP pow", "150: GP arc", "150: apexgp")
    (row,) = tables["likelihood"].rows
    assert row[:2] == ("Small", "Illness")
    assert all(re.fullmatch(r"\d+\.\d ± \d+\.\d %", cell) for cell in row[2:])
    (row,) = tables["rmse_short"].rows
    assert float(row[3]) == pytest.approx(100 * result.figures[4].rmse, abs=5e-4)
    assert tables["coverage"].as_csv().splitlines()[0].startswith("Dataset,Label,short: GP pow,")


def test_bold_is_what_is_clearly_best(result):
    figures = [
        replace(one, likelihood=0.5 if one.method == "gp_arctan" else 0.3, likelihood_sd=0.05)
        for one in result.figures
        if one.method not in ("power_law", "arctan")
    ]
    clear = next(table for table in replace(result, figures=tuple(figures)).tables if table.name == "likelihood")
    assert {clear.header[column] for _, column in clear.bold} == {"short: GP arc", "long: GP arc"}
    assert "**50.0 ± 5.0 %**" in clear.as_markdown()
    assert "**" not in clear.as_csv()
    overlapping = [replace(one, likelihood_sd=0.1) for one in figures]
    unclear = next(table for table in replace(result, figures=tuple(overlapping)).tables if table.name == "likelihood")
    assert not unclear.bold


@pytest.mark.slow
def test_of_several_classes_those_are_measured_that_the_tasks_name(configuration, tmp_path):
    np.savez(tmp_path / "small.npz", **embeddings(classes=3))
    text = configuration.read_text().split("[dense]")[0]
    configuration.write_text(text.replace('{ ill = "Illness" }', '{ 2 = "Severe", 0 = "None" }'))
    result = run(configuration)
    assert list(result.curves) == ["Severe", "None"]  # in the order of the configuration
    assert not result.dense
    configuration.write_text(text.replace('{ ill = "Illness" }', '{ 3 = "Dead" }'))
    with pytest.raises(RequestError, match=r"^data\.tasks must be among '0', '1', '2', got '3'\.$"):
        run(configuration)


@pytest.mark.slow
def test_a_table_of_features_will_do(configuration, tmp_path):
    data = embeddings()
    lines = ["note,a,b,ill,patient"]
    lines += [
        f"n{i},{x[0]:.3f},{x[1]:.3f},{y},p{i // 2}" for i, (x, y) in enumerate(zip(data["X"], data["ill"], strict=True))
    ]
    (tmp_path / "small.csv").write_text("\n".join(lines) + "\n")
    text = configuration.read_text().split("[dense]")[0].replace("small.npz", "small.csv")
    configuration.write_text(text)
    with pytest.raises(DataError, match=r"column 'note' holds 400 different texts .* Leave it out with data\.drop"):
        run(configuration)
    configuration.write_text(text.replace("patients =", 'drop = ["note"]\npatients ='))
    assert list(run(configuration).curves) == ["Illness"]


@pytest.mark.slow
def test_scans_go_with_their_head(configuration, tmp_path):
    data = embeddings(rows=200)
    np.savez(tmp_path / "small.npz", **data | {"X": np.repeat(data["X"][:, None], 2, axis=1)})
    text = configuration.read_text().split("[dense]")[0]
    configuration.write_text(text)
    with pytest.raises(DataError, match=r"holds scans, which classifier\.head = '2D' cannot use\. Set it to '3D'\."):
        run(configuration)
    settings = "settings = { learning_rates = [0.05], weight_decays = [0.0], n_seeds = 1, max_epochs = 10 }"
    text = re.sub("settings = .*", settings, text).replace('"2D"', '"3D"')
    configuration.write_text(text)
    assert list(run(configuration).curves) == ["Illness"]


def test_what_is_missing_is_named_by_the_key_that_names_it(configuration, tmp_path):
    text = configuration.read_text()
    for old, new, said in (
        ('"patient"', '"who"', "has no array 'who'; found X, patient, ill"),
        ('"patient"', '"patinet"', "has no array 'patinet'.* Did you mean 'patient'[?] Name it with data.patients"),
        (
            '"small.npz"',
            '"other.npz"',
            "There are no embeddings .*other.npz. Create them with apexgp embed, or name existing ones",
        ),
        ('"2D"', '"2D"\nmetric = "beauty"', "^classifier.metric "),
    ):
        configuration.write_text(text.replace(old, new))
        with pytest.raises((DataError, RequestError), match=said):
            run(configuration)


def test_a_method_without_an_answer_is_a_dash_and_a_caution(result):
    experiment = replace(result.experiment, eps_min=0.4, methods=("gp_power_law", "power_law"))
    found = judge_curves(experiment, result.curves)
    assert len(found.cautions) == 2
    assert all(one.error for one in found.figures)
    assert found.tables[0].rows == (("Small", "Illness", "—", "—"),)


@pytest.mark.slow
def test_errors_of_a_falling_curve_are_judged_as_its_mirror_image(result):
    curve = result.curves["Illness"]
    mirrored = replace(curve, scores=1 - curve.scores, direction="lower")
    both = [judge_curves(result.experiment, {"Illness": one}) for one in (curve, mirrored)]
    upward, downward = ([one for one in found.figures if one.method != "apexgp"] for found in both)
    assert upward[0].method == "baseline"
    for one, other in zip(upward, downward, strict=True):
        found = [(figure.rmse, figure.likelihood, figure.coverage) for figure in (one, other)]
        assert found[1] == pytest.approx(found[0], rel=1e-4, nan_ok=True), one.method


def test_what_the_text_calls_an_interval_is_of_highest_density(result):
    curve = result.curves["Illness"]
    model = APExGP.as_written("power_law").fit(curve.up_to(80))
    (equal, _), (dense, _) = (model.forecast([200]).interval(0.95, kind) for kind in ("equal_tailed", "hdi"))
    between = LearningCurve(  # a later score that only one of the two intervals holds
        [*curve.up_to(80).sizes, 200],
        [*curve.up_to(80).scores, (equal[0] + dense[0]) / 2],
        [*curve.up_to(80).split, 0],
        metric="auroc",
    )
    experiment = replace(result.experiment, methods=("gp_power_law_as_written",))
    (one,) = [one for one in judge_curves(experiment, {"Illness": between}).figures if one.method != "baseline"]
    assert one.coverage == (dense[0] < equal[0])
    runs = LearningCurve([150] * 6, np.full(6, score_between(model, 150)), range(6), metric="auroc")
    dense_figures = judge_curves(experiment, {"Illness": curve}, {"Illness": runs}).dense
    lower, upper = model.forecast([150], n_splits=2).interval(0.95, "hdi")
    assert [one.coverage for one in dense_figures] == [lower[0] <= runs.scores[0] <= upper[0]]


def score_between(model, size):
    ends = [model.forecast([size], n_splits=2).interval(0.95, kind)[0][0] for kind in ("equal_tailed", "hdi")]
    assert ends[0] != ends[1]
    return sum(ends) / 2


def test_the_methods_paragraph_says_what_was_measured_and_fitted(result):
    said = experiment_facts(result)["methods_text"]
    assert "long-range sizes of 200 and 280" in said
    assert "5,000" not in said  # asked for, but there are not so many cases
    assert (
        "At 30, 50 and 80 training examples, Power law, GP pow, Arctan and GP arc were fitted to the mean scores and "
        "apexgp was fitted to the scores of the individual splits" in said
    )


@pytest.mark.slow
def test_the_result_says_which_embeddings_were_read(configuration, tmp_path):
    (tmp_path / "small.npz").rename(tmp_path / "other.npz")
    found = run(configuration, embeddings=tmp_path / "other.npz", dense=False)
    assert found.experiment.embeddings == tmp_path.resolve() / "other.npz"


def test_the_result_is_an_answer(result):
    columns = result.to_dict()
    assert columns["method"][:3] == ["baseline", "baseline", "power_law"]
    assert columns["likelihood"][2] is None  # a curve without a distribution
    assert len(result.to_dict("dense")["size"]) == 3
    assert "Experiment Small" in repr(result)
    assert Experiment.parsed(result.experiment.text).n_splits == 2
