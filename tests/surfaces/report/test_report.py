"""The report: valid HTML that fetches nothing, with the numbers of `--json`, and lines that make it again."""

import base64
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

from apexgp import APExGP, LearningCurve, errors, read, write_report
from apexgp.priors import CALIBRATED, Beliefs, PositiveNormal, Variant
from apexgp.questions.calibration import load_tried_pilots
from apexgp.surfaces.reproduce import _break_lines
from conftest import missing, pilot_table, require

XHTML = "{http://www.w3.org/1999/xhtml}"
EVIL = "<script>alert(1)</script>"
ASKED = ("--target", 0.78, "--confidence", 0.7, "--cost", 12, "--penalty", 50000)


def parsed(path):
    """The document, by a parser that takes no mistake."""
    html5lib = require("html5lib")
    return html5lib.HTMLParser(strict=True).parse(path.read_text(encoding="utf-8"))


def saved(document):
    """The files that a reader can save from a report, by name."""
    found = {}
    for link in document.iter(f"{XHTML}a"):
        if link.get("download"):
            head, _, content = link.get("href").partition(";base64,")
            assert head.startswith("data:")
            found[link.get("download")] = base64.b64decode(content).decode()
    return found


def numbers(path):
    return json.loads(saved(parsed(path))["report.json"])


def words(element):
    return " ".join("".join(element.itertext()).split())


def sections(document):
    return [element for element in document.iter(f"{XHTML}section")]


@pytest.fixture(scope="module")
def curve_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "pairs.csv"
    path.write_text(pilot_table())
    return path


@pytest.fixture(scope="module")
def tasks_file(tmp_path_factory):
    """Three tasks, one of which has a single size; the name of one is an attack."""
    path = tmp_path_factory.mktemp("pilots") / "tasks.csv"
    lines = pilot_table().splitlines()
    rows = [f'{line},"{task}",auc' for task in ("plain", EVIL) for line in lines[1:]]
    rows += [f'{line},"too short, {EVIL}",auc' for line in lines[1:2]]
    path.write_text("\n".join([f"{lines[0]},task,metric", *rows, ""]))
    return path


@pytest.fixture(scope="module")
def report(curve_file, tmp_path_factory):
    """A report with everything in it."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    model = APExGP(ceiling=0.98).fit(read(curve_file, metric="auc").curve)
    write_report(model, path, target=0.8, confidence=0.7, cost_per_example=12, penalty=50_000, budget=2)
    return path


@pytest.mark.slow
def test_numbers_are_those_of_the_other_commands(run, curve_file, tmp_path):
    path = tmp_path / "report.html"
    settings = ("--ceiling", 0.98, "--seed", 3, "--metric", "auc")
    budget = ("--budget", 3, "--available", 600)
    assert run("report", curve_file, *ASKED, *budget, "--at", "3x", "--at", 1500, *settings, "--out", path)[0] == 0
    (found,) = numbers(path)["tasks"].values()
    asked = (*ASKED[:4], "--at", 1500, "--at", "3x", *settings, "--json")
    assert found["forecast"] == json.loads(run("forecast", curve_file, *asked)[1])
    assert found["plan"] == json.loads(run("plan", curve_file, *ASKED[:2], *ASKED[4:], *settings, "--json")[1])
    asked = (*ASKED[:4], *budget, "--at", "1500,3x", *settings, "--json")
    assert found["design"] == json.loads(run("design", curve_file, *asked)[1])
    judged = json.loads(run("backtest", curve_file, "--ceiling", 0.98, "--seed", 3, "--json")[1])
    every = {score["method"]: score for score in judged["methods"]}
    assert found["backtest"]["methods"]
    assert all(score == every[score["method"]] for score in found["backtest"]["methods"])


@pytest.mark.slow
def test_tables_show_the_numbers(report):
    (found,) = numbers(report)["tasks"].values()
    text = words(parsed(report))
    for row in found["forecast"]["forecast"]:
        assert f"{row['mean']:.3f} {row['lower']:.3f} to {row['upper']:.3f}".replace(" ", "") in text.replace(" ", "")
    for row in found["backtest"]["by_size"]:
        assert f"{row['measured']:.3f}" in text


@pytest.mark.slow
def test_says_what_a_panel_asks_for_in_that_order(report):
    text = words(parsed(report).find(f".//{XHTML}main"))
    (found,) = numbers(report)["tasks"].values()
    headings = (
        "Answer",
        found["plan"]["sentence"],
        "The curve",
        "Forecast",
        "Size for the target",
        "What was measured",
        "Plan",
        "Would measuring more change the decision?",
        found["design"]["sentence"],
        "nothing more",
        "Backtest",
        "For a grant application",
        "For a methods section",
        found["forecast"]["methods_text"],
        "TRIPOD+AI",
        "Sample size",
        "Assumptions",
        "Glossary",
        "Pilot",
        "CRPS",
        "How to cite",
        "Harvey",
        "Chaloner",
        "In Python",
        "In a shell",
        "The data",
    )
    place = 0
    for heading in headings:
        place = text.index(heading, place) + len(heading)
    opening = text[: text.index("The curve")]
    assert found["forecast"]["sentence"] in opening  # the target first, then the forecast
    assert all(caution in text for caution in found["forecast"]["cautions"])
    assert "a score above 0.98 is impossible" in text
    header = words(parsed(report).find(f".//{XHTML}header"))
    assert re.search(r"apexgp \d+\.\d+\.\d+ \(seed 0\) on \d{4}-\d\d-\d\d", header)


def test_refers_to_nothing_outside_itself(report):
    document = parsed(report)
    for element in document.iter():
        for name in ("src", "href", "{http://www.w3.org/1999/xlink}href", "action", "srcset", "poster"):
            reference = element.get(name)
            assert reference is None or reference.startswith(("#", "data:")), reference
        assert not {name for name in element.attrib if name.startswith("on") or name == "style"}
    assert not any(list(document.iter(f"{XHTML}{tag}")) for tag in ("link", "img", "iframe", "object", "base", "form"))
    text = report.read_text().replace("http://www.w3.org/", "")
    assert not re.search(r"https?://|//[a-z]+\.|@import|url\(", text)


def test_the_policy_allows_just_the_script_and_the_style(report):
    document = parsed(report)
    (policy,) = (
        meta.get("content")
        for meta in document.iter(f"{XHTML}meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    scripts = [element.text for element in document.iter(f"{XHTML}script") if element.get("type") is None]
    styles = [element.text for element in document.iter(f"{XHTML}style")]
    assert len(scripts) == len(styles) == 1
    for kind, text in (("script", scripts[0]), ("style", styles[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@pytest.mark.slow
def test_several_tasks_have_a_summary_and_a_section_each(run, tasks_file, tmp_path):
    path = tmp_path / "tasks.html"
    code, out, err = run("report", tasks_file, "--mean", "arctan", "--target", 0.8, "--budget", 1, "--out", path)
    assert code == 1
    assert "The report is in" in out
    assert "1 of 3 tasks could not be forecast; the report says why" in err
    summary, plain, evil, shared = sections(parsed(path))
    assert [words(section.find(f".//{XHTML}h2")) for section in (plain, evil)] == ["plain", EVIL]
    rows = summary.findall(f".//{XHTML}tbody/{XHTML}tr")
    assert [words(row[0]) for row in rows] == ["plain", EVIL]
    assert [row.find(f".//{XHTML}a").get("href") for row in rows] == [f"#{s.get('id')}" for s in (plain, evil)]
    assert "This method needs scores at 2 or more different sizes" in words(summary)
    assert f"too short, {EVIL}" in words(summary)
    assert "Assumptions" in words(shared)
    assert "Assumptions" not in words(plain)
    for section, name in ((plain, "plain"), (evil, EVIL)):
        (line,) = (words(code) for code in section.iter(f"{XHTML}code"))
        assert as_typed(line) == [
            "design",
            "report_data.csv",
            "--task",
            name,
            "--budget",
            "1",
            "--target",
            "0.8",
            "--mean",
            "arctan",
        ]
    found = numbers(path)["tasks"]
    assert found["plain"]["design"]["designs"] == found[EVIL]["design"]["designs"]
    assert found["plain"]["forecast"]["forecast"] == found[EVIL]["forecast"]["forecast"]  # the same scores


@pytest.mark.slow
def test_text_from_outside_stays_text(tmp_path):
    hostile = f"{EVIL}\" onload='x' <!-- \x00\x1b\ud800 &amp;"
    scores = [0.7, 0.74, 0.77, 0.79]
    curve = LearningCurve([60, 94, 147, 230], scores, ["a<b>", *"bcd"], task=hostile, metric=hostile)
    path = tmp_path / "hostile.html"
    models = {hostile: APExGP().fit(curve), "other": APExGP().fit([60, 94, 147, 230], scores)}
    write_report(models, path, target=0.8, budget=1)
    document = parsed(path)
    assert len(list(document.iter(f"{XHTML}script"))) == 3  # ours, and the data of two charts
    assert not list(document.iter(f"{XHTML}b"))
    assert words(document).count(EVIL) > 5


def as_typed(command):
    """The arguments of a command that may go on over several lines."""
    program, *arguments = shlex.split(command.replace("\\\n", ""))
    assert program == "apexgp"
    return arguments


def test_a_shell_takes_hostile_words_of_the_lines_for_words(tmp_path):
    if shutil.which("bash") is None:
        missing("no bash")
    words = [
        "printf",
        "%s\\0",
        "$(touch obeyed)",
        "`touch obeyed`",
        "a;touch obeyed",
        "b\ntouch obeyed\n",
        "'\"'",
        "!!",
        "*",
    ]
    words += ["--title", "--x y", "\\", "", "$HOME", "~", "{a,b}", "#", "&", "> obeyed", "é\u202e"]
    done = subprocess.run(["bash", "-c", _break_lines(words)], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words[2:]
    assert list(tmp_path.iterdir()) == []


ADVISED = {"defaults", "published", "an error rate of patients"}


def settings_of_all_kinds():
    sharp = Variant(10.0, 0.02, PositiveNormal(loc=-1.0, scale=2.0, lower=0.0), 0.05, True)
    yield "defaults", APExGP(), {}
    yield "every option", APExGP("auto", ceiling=0.97, floor=0.4, noise=0.011, seed=5), {}
    yield "published", APExGP.as_published("arctan", 0.99).set_params(seed=2), {}
    yield "written", APExGP.as_written(), {}
    yield "no priors", APExGP.as_published().set_params(priors="flat"), {}
    yield "own priors", APExGP(priors=Beliefs.from_dict(CALIBRATED.to_dict())), {}
    yield "own variant", APExGP("power_law", "bayes", "paper", variant=sharp), {}
    yield "an error rate of patients", APExGP(), {"direction": "lower", "unit": "groups", "metric": "error rate"}
    yield "an error rate within bounds", APExGP(ceiling=0.5, floor=0.03), {"direction": "lower"}
    yield "a published error rate", APExGP.as_published(floor=0.02), {"direction": "lower"}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "model", "about"), list(settings_of_all_kinds()))
def test_the_lines_in_a_report_make_it_again(run, tmp_path, monkeypatch, kind, model, about):
    monkeypatch.chdir(tmp_path)
    sizes = [60, 94, 147, 230, 360]
    scores = np.array([[0.66, 0.68], [0.7, 0.71], [0.72, 0.74], [0.75, 0.76], [0.76, 0.78]])
    lower = about.get("direction") == "lower"
    curve = LearningCurve(sizes, 1 - scores if lower else scores, ["it's", 'b "2"'], task="a task", **about)
    asked = {"target": 0.2 if lower else 0.8, "confidence": 0.65, "cost_per_example": 1.1, "penalty": 9e4, "rounds": 2}
    if kind not in ADVISED:
        asked["budget"] = 0  # trying designs takes time
    elif kind != "published":
        asked |= {"budget": 2, "available": 555}
    write_report(model.fit(curve), "first.html", [500, 1234.5], times=[10], level=0.9, **asked)
    first = numbers(tmp_path / "first.html")
    (design,) = (task["design"] for task in first["tasks"].values())
    assert (design is not None) == (kind in ADVISED - {"published"})  # which cannot tell, and was not asked to
    document = parsed(tmp_path / "first.html")
    (tmp_path / "report_data.csv").write_text(saved(document)["report_data.csv"])
    code = ["".join(block.itertext()) for block in document.iter(f"{XHTML}pre")]
    exec(compile(code[0], "report.html", "exec"), {})
    assert numbers(tmp_path / "report.html") == first
    if kind in ("written", "no priors", "own priors", "own variant"):
        assert len(code) == 2  # no command, and the data
        return
    (tmp_path / "report.html").unlink()
    assert run(*as_typed(code[1]))[0] == 0
    assert numbers(tmp_path / "report.html") == first


@pytest.mark.slow
def test_the_lines_for_several_tasks_make_them_again(run, tasks_file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    curves = read(tasks_file).curves
    models = {name: APExGP(seed=i).fit(curves[name]) for i, name in enumerate(("plain", EVIL))}
    alike = {name: APExGP().fit(curves[name]) for name in models}
    for given in (models, alike):
        write_report(given, "first.html", times=3, budget=0, overwrite=True)
        document = parsed(tmp_path / "first.html")
        (tmp_path / "report_data.csv").write_text(saved(document)["report_data.csv"])
        code = ["".join(block.itertext()) for block in document.iter(f"{XHTML}pre")]
        exec(compile(code[0], "report.html", "exec"), {})
        assert numbers(tmp_path / "report.html") == numbers(tmp_path / "first.html")
        (tmp_path / "report.html").unlink()
        assert len(code) == (2 if given is models else 3)  # for seeds that differ there is no command
    assert run(*as_typed(code[1]))[0] == 0
    assert numbers(tmp_path / "report.html") == numbers(tmp_path / "first.html")


@pytest.mark.slow
def test_a_pilot_too_short_for_a_backtest_says_so(tmp_path):
    path = tmp_path / "short.html"
    write_report(APExGP().fit([60, 94, 147], [0.7, 0.74, 0.77]), path, budget=0)
    assert "No method could be judged" in words(parsed(path))


@pytest.mark.slow
def test_advice_is_about_the_sizes_and_the_budget_that_were_asked_for(tmp_path):
    path = tmp_path / "report.html"
    model = APExGP(seed=4).fit([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79])
    sizes = np.geomspace(230, 9000, 30).round()
    write_report(model, path, sizes, budget=2, available=300)
    (found,) = (task["design"] for task in numbers(path)["tasks"].values())
    asked = found["question"]["at"]
    assert len(asked) == 20  # as many as can be looked at
    assert (asked[0], asked[-1]) == (230, 9000)
    assert set(asked) <= set(sizes)
    assert found["question"]["budget"] == 2
    assert max(max(design["sizes"]) for design in found["designs"]) == 300
    text = words(parsed(path))
    shown = found["designs"][0]["widths"]
    for width in (shown[0], shown[10], shown[-1]):
        assert f"{width:.3f}" in text
    write_report(model, path, budget=0, overwrite=True)
    assert "Would measuring more" not in words(parsed(path))
    assert "Chaloner" not in words(parsed(path))


@pytest.mark.slow
def test_a_large_pilot_is_judged_in_closed_form_and_a_huge_one_not_at_all(tmp_path):
    path = tmp_path / "report.html"
    for count, splits in ((5, 31), (201, 1)):
        sizes = np.geomspace(50, 5000, count).round(1)
        scores = np.repeat((0.9 - 0.6 * sizes**-0.3)[:, None], splits, axis=1) + 0.01 * np.cos(np.arange(splits))
        write_report(APExGP().fit(LearningCurve(sizes, scores)), path, overwrite=True)
        (found,) = (task["design"] for task in numbers(path)["tasks"].values())
        if splits > 1:
            assert not any(design["confirmed"] for design in found["designs"])
            assert "apexgp design report_data.csv --budget 12 --confirm 0" in words(parsed(path))
        else:
            assert found is None


def test_what_would_make_no_report_is_refused_before_any_work(tmp_path):
    path = tmp_path / "report.html"
    with pytest.raises(errors.RequestError, match="penalty is missing"):
        write_report(APExGP(), path, target=0.8, cost_per_example=12)
    with pytest.raises(errors.RequestError, match="target is missing"):
        write_report(APExGP(), path, cost_per_example=12, penalty=9)
    for budget in (-1, float("nan"), "many"):
        with pytest.raises(errors.RequestError, match=r"^budget must be"):
            write_report(APExGP(), path, budget=budget)
    with pytest.raises(errors.RequestError, match=r"^available must be"):
        write_report(APExGP(), path, available=float("inf"))
    published = APExGP.as_published().fit([60, 94, 147], [0.7, 0.74, 0.77])
    with pytest.raises(errors.RequestError, match="must model individual scores"):
        write_report(published, path, budget=3)
    with pytest.raises(errors.RequestError, match="must be a fitted APExGP"):
        write_report("model", path)
    with pytest.raises(errors.RequestError, match="no fitted model"):
        write_report({"a": errors.DataError("Too short.")}, path)
    path.write_text("mine")
    with pytest.raises(errors.WouldOverwriteError):
        write_report(APExGP(), path)
    assert path.read_text() == "mine"


def test_options_are_named_as_they_are_typed(run, curve_file, tmp_path):
    code, _, err = run("report", curve_file, "--cost", 12, "--target", 0.8, "--out", tmp_path / "r.html")
    assert code == 1
    assert "--penalty is missing" in err
    (tmp_path / "r.html").write_text("mine")
    assert "--force" in run("report", curve_file, "--out", tmp_path / "r.html")[2]


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(errors.MissingExtraError, match=r"pip install 'apexgp\[report\]'"):
        write_report(APExGP().fit([60, 94, 147], [0.7, 0.74, 0.77]), tmp_path / "report.html")


@pytest.mark.slow
def test_the_record_is_that_of_pilots_like_this_one(tmp_path):
    path = tmp_path / "report.html"
    sizes = [64, 91, 128, 181, 256, 362]
    write_report(APExGP().fit(LearningCurve(sizes, np.linspace(0.7, 0.8, 6), metric="auc")), path, budget=0)
    text = words(parsed(path))
    assert "AUROC at 6 sizes up to 362: one run per size." in text
    tried = next(one for one in load_tried_pilots() if one.name == "AUROC 64-362 x 6, 1 split")
    held = "{:.0f}, {:.0f} and {:.0f}".format(*tried.covers[95])
    assert f"their 95 % intervals covered {held} % of the later scores" in text
    assert "This pilot is of that kind." in text
    write_report(APExGP.as_published().fit(sizes, np.linspace(0.7, 0.8, 6)), path, overwrite=True)
    assert "that had not seen their task" not in words(parsed(path))


@pytest.mark.slow
def test_has_the_title_the_author_and_the_project_that_were_given(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("Ward 7, pilot of May\n\n" + pilot_table())
    code, out, err = run("report", sheet, "--budget", 0, "--author", "A. Author", "--project", "Grant 12")
    assert code == 0
    assert "The report is in report.html" in out  # without --out
    assert "titled 'Ward 7, pilot of May', after the sheet. Choose another with --title" in err
    head = words(parsed(tmp_path / "report.html").find(f".//{XHTML}header"))
    assert head.startswith("Ward 7, pilot of May Forecast of score with more training data A. Author · Grant 12 · ")
    assert re.search(r"· \d{1,2} [A-Z][a-z]+ 20\d\d Made with", head)
    code, _, err = run("report", sheet, "--budget", 0, "--title", "Own", "--out", "own.html")
    assert (code, "titled" in err) == (0, False)
    assert words(parsed(tmp_path / "own.html").find(f".//{XHTML}h1")) == "Own"
    assert "report.html exists" in run("report", sheet)[2]
    for title in ("", "a\nb", "x" * 201):
        assert "--title must be one line" in run("report", sheet, "--title", title, "--out", "c.html")[2]


@pytest.mark.slow
def test_says_which_items_of_tripod_ai_are_answered(run, curve_file, tmp_path):
    path = tmp_path / "report.html"
    assert run("report", curve_file, "--target", 0.79, "--budget", 0, "--test-share", 0.2, "--out", path)[0] == 0
    document = parsed(path)
    (table,) = (one for one in document.iter(f"{XHTML}table") if one.get("class") == "prose")
    rows = {words(row[0]): [words(cell) for cell in row[1:]] for row in table.findall(f".//{XHTML}tbody/{XHTML}tr")}
    size = re.search(r"plan for (.*? training examples)", words(document))[1]
    assert size in rows["10"][1]
    assert "evaluation" in rows["10"][2]
    assert "20 % are kept for validation and test" in rows["12a"][1]
    assert "95 % interval" in rows["12e"][1]
    assert rows["5, 6"][1] == "Nothing."
    assert any(words(item).startswith("Collins GS") for item in document.iter(f"{XHTML}li"))
    paragraph = run("forecast", curve_file, "--target", 0.8, "--methods-text")[1]
    assert "Of TRIPOD+AI (Collins et al. 2024) this answers items 10" in paragraph
    assert "Collins GS" in paragraph
    paragraph = run("forecast", curve_file, "--methods-text")[1]
    assert "this answers items 12a" in paragraph  # no size without a target


@pytest.mark.slow
def test_both_databases_behind_the_priors_are_credited(run, curve_file):
    paragraph = run("forecast", curve_file, "--methods-text")[1]
    assert "calibrated on learning curves of LCDB 1.0 and 1.1" in paragraph
    assert all(name in paragraph for name in ("Mohr F, Viering TJ", "Yan C, Mohr F", "CC BY 4.0"))
    assert "LCDB" not in run("forecast", curve_file, "--published", "--methods-text")[1]


@pytest.mark.slow
def test_a_check_that_fails_and_what_a_caution_asks_for_reach_the_first_page(tmp_path):
    path = tmp_path / "report.html"
    luck = np.random.default_rng(3).normal(0, 0.01, (4, 5)) * [[1], [1], [10], [1]]
    scores = np.append((np.array([[0.7], [0.73], [0.76], [0.78]]) + luck).ravel(), 0.8)
    sizes = np.append(np.repeat([60, 94, 147, 230], 5), 360)
    model = APExGP("power_law").fit(LearningCurve(sizes, scores, metric="AUROC", score_sd=0.01))
    write_report(model, path, target=0.99, cost_per_example=1, penalty=900, budget=0)
    assert "put in a protocol" not in words(parsed(path))  # no number of examples reaches that
    document = parsed(path)
    (checked,) = (task["check"] for task in numbers(path)["tasks"].values())
    failed = [check["check"] for check in checked["checks"] if check["fails"]]
    assert failed == ["scatter"]
    front = next(element for element in document.iter(f"{XHTML}div") if element.get("class") == "front")
    assert "the fitted model does not reproduce the pilot's " in words(front).lower()
    assert "Give the number with --averaged-over" in words(document)
    assert "averaged_over=" not in words(sections(document)[0])
    rows = [[words(cell) for cell in row] for row in document.iter(f"{XHTML}tr")]
    assert ["360", "0.800", "-", "1"] in rows  # nothing is known of the spread of one score
