"""What every command leaves behind: pictures, paragraphs with their sources, words a shell can complete."""

import json
import re
import sys

import pytest

import apexgp
from apexgp import METHODS
from conftest import REPOSITORY, pilot_table, require

GP = ("--mean", "power_law")
COMMANDS = {
    "forecast": ("forecast", "PAIRS", *GP, "--target", "0.79"),
    "plan": ("plan", "PAIRS", *GP, "--target", "0.8", "--cost", "12", "--penalty", "50000"),
    "compare": ("compare", "PAIRS", "BETTER", *GP, "--at", "1128"),
    "backtest": ("backtest", "PAIRS", "--method", "power_law", "--method", "apexgp_published"),
}


def words(command, pairs, better):
    return [{"PAIRS": pairs, "BETTER": better}.get(word, word) for word in COMMANDS[command]]


@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[pytest.mark.slow] * (name != "forecast")) for name in COMMANDS]
)
def test_every_answer_has_a_picture(run, pairs, better, tmp_path, command):
    require("matplotlib")
    picture = tmp_path / "answer.png"
    code, out, err = run(*words(command, pairs, better), "--plot", picture)
    assert (code, err) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert out.endswith(f"\nThe picture is in {picture}.\n")
    code, out, err = run(*words(command, pairs, better), "--plot", picture)
    assert (code, out) == (1, "")  # refused before the work
    assert "exists. Name another file, or allow overwriting with --force" in err


@pytest.mark.slow
def test_several_tasks_are_drawn_side_by_side(run, tasks, tmp_path):
    require("matplotlib")
    picture = tmp_path / "tasks.png"
    code, out, err = run("forecast", tasks, *GP, "--at", "2x", "--target", "0.79", "--plot", picture)
    assert (code, err) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert out.endswith(f"\nThe picture is in {picture}.\n")
    rows = [row.rsplit(",", 1)[0] for row in tasks.read_text().splitlines()[1:13]]
    tasks.write_text("size,score,split,task\n" + "".join(f"{row},{i}\n" for i in range(25) for row in rows))
    code, out, err = run("forecast", tasks, "--plot", tmp_path / "other.png")
    assert (code, out) == (1, "")
    assert "--plot draws up to 24 tasks; the file holds 25" in err


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_without_matplotlib_the_answer_is_printed_and_then_what_to_install(
    run, pairs, better, tmp_path, monkeypatch, command
):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # as Python has it for what cannot be imported
    code, out, err = run(*words(command, pairs, better), "--json", "--plot", tmp_path / "answer.png")
    # The answer is whole; the picture that was asked for is not there, and the code says so.
    assert "sentence" in json.loads(out)
    assert (code, err) == (1, "Error: --plot needs matplotlib: pip install 'apexgp[plot]'\n")
    assert not (tmp_path / "answer.png").exists()


@pytest.mark.parametrize(
    ("command", "options", "said", "cited"),
    [
        (
            "forecast",
            (),
            "by a Bayesian model after APEx-GP (Harvey et al. 2023): .* with a power law mean.* It differs from the "
            "published model in that all parameters are integrated over.*Ornstein-Uhlenbeck",
            ("Harvey E", "Mohr F"),
        ),
        (
            "forecast",
            ("--published",),
            "by APEx-GP (Harvey et al. 2023) after its released code: .* fitted by maximum a posteriori",
            ("Harvey E",),
        ),
        (
            "plan",
            (),
            "Learn-Optimize-Collect, Mahmood et al. 2022",
            ("Harvey E", "Mohr F", "Mahmood R, Lucas J, Alvarez"),
        ),
        pytest.param("compare", (), "a Bayesian model after APEx-GP", ("Harvey E", "Mohr F"), marks=pytest.mark.slow),
        (
            "backtest",
            ("--method", "mmf4"),
            "power_law (the baseline of Harvey et al. 2023): CRPS .*|apexgp_published (APEx-GP as published",
            ("Harvey E", "Mohr F"),
        ),
    ],
)
def test_a_paragraph_credits_what_was_used_and_ends_with_how_to_cite(run, pairs, better, command, options, said, cited):
    code, out, _ = run(*words(command, pairs, better), *options, "--methods-text")
    assert code == 0
    assert re.search(said.replace("(", r"\(").replace(")", r"\)"), out)
    body, citations = out.split(" How to cite: ")
    assert citations.startswith(f"The apexgp authors. apexgp, version {apexgp.__version__} [software]. ")
    sources = re.findall(
        r"(?:^|\. )((?:Harvey E|Mohr F|Mahmood R, Lucas J, A|Riley RD|van Smeden|Jain)[^.]*)", citations
    )
    assert [source[: len(name)] for source, name in zip(sources, cited, strict=True)] == list(cited)
    if options == ("--published",):
        assert "departs" not in body


@pytest.mark.slow
def test_a_paragraph_names_the_mean_and_credits_its_author(run, pairs):
    default, arctan = (run("forecast", pairs, *mean, "--methods-text")[1] for mean in ((), ("--mean", "arctan")))
    assert "with a Burr mean" in default
    assert "with an arctan mean" in arctan
    assert ["Burr IW" in text.split(" How to cite: ")[1] for text in (default, arctan)] == [True, False]


def test_a_paragraph_gives_the_cautions_before_the_citation(run, pairs):
    _, out, _ = run("forecast", pairs, *GP, "--at", "100x", "--methods-text")
    assert re.search(r"The following cautions apply\. .*as far as the method has been tested\..* How to cite: ", out)


@pytest.mark.slow
def test_every_method_that_a_backtest_knows_is_credited(run, tmp_path):
    sizes = [60, 94, 147, 230, 360, 564, 883, 1383, 2166]  # six are left for the six parameters of one family
    path = tmp_path / "long.csv"
    path.write_text(pilot_table(means=[(n, 0.88 - 1.5 * n**-0.5) for n in sizes]))
    _, out, _ = run("backtest", path, "--methods-text")
    for name in METHODS:
        assert f"{name} (" in out
    for source in (
        "Harvey E",
        "Mohr F",
        "Jain A",
        "Mahmood R, Lucas J, Acuna",
        "Alabdulmohsin IM",
        "Burr IW",
        "Caballero E",
    ):
        assert source in out.split(" How to cite: ")[1]


def test_a_backtest_on_one_size_says_so(run, tmp_path):
    path = tmp_path / "five.csv"
    path.write_text(pilot_table(means=[(60, 0.66), (94, 0.705), (147, 0.722), (230, 0.755), (360, 0.768)]))
    _, out, _ = run("backtest", path, "--method", "power_law")
    assert "Caution: Only one size was held out, 360, 1.57 times the largest that was fitted" in out


@pytest.mark.slow
def test_what_a_backtest_asks_for_beyond_50_times_carries_the_caution(run, pairs):
    facts = json.loads(
        run("backtest", pairs, "--method", "apexgp_published", "--target", "0.82", "--confidence", "0.48", "--json")[1]
    )
    assert facts["required"]["apexgp_published"]["size"] > 50 * 564
    assert any("as far as the method has been tested" in caution for caution in facts["cautions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("apexgp fore", {"forecast"}),
        ("apexgp backtest --me", {"--method", "--metric", "--methods-text"}),
        ("apexgp backtest --method apex", {"apexgp", "apexgp_published"}),
        ("apexgp forecast --mean a", {"arctan", "auto"}),
        ("apexgp forecast --of e", {"expected"}),
    ],
)
def test_a_shell_can_complete_commands_options_and_names(run, monkeypatch, typed, found):
    monkeypatch.setenv("_APEXGP_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    got = run()
    assert set(got[1].split()) == found, got


def test_the_citation_file_is_valid_and_of_this_version():
    yaml = require("yaml")
    stated = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert stated["cff-version"] == "1.2.0"
    assert str(stated["version"]) == apexgp.__version__
    # What the format requires, and nothing that it does not know.
    assert {"cff-version", "message", "title", "authors"} <= set(stated)
    assert set(stated) <= {
        *("cff-version", "message", "title", "authors", "type"),
        *("version", "license", "abstract", "keywords", "references"),
    }
    assert (stated["type"], stated["license"]) == ("software", "MIT")
    paper, *databases = stated["references"]
    for reference in (paper, *databases):
        assert {"type", "title", "authors"} <= set(reference)
        assert reference["type"] == "conference-paper"
    assert [author["family-names"] for author in paper["authors"]] == ["Harvey", "Chen", "Kent", "Hughes"]
