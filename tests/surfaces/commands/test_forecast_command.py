import json

import pytest

from apexgp import APExGP, __version__, read
from apexgp._answer import to_rows

PAIRS = "size,score,split\n" + "".join(
    f"{size},{score + shift:.3f},{split}\n"
    for size, score in [(60, 0.66), (94, 0.705), (147, 0.722), (230, 0.755), (360, 0.768)]
    for split, shift in [("a", -0.01), ("b", 0.01)]
)


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS)
    return path


def test_prints_a_table_a_sentence_and_cautions(run, pairs):
    code, out, err = run("forecast", pairs, "--at", 720, "--at", "20k")
    assert (code, err) == (0, "")
    expected = APExGP().fit(read(pairs).curve).forecast([720, 20000])
    for size, mean, low, high in zip(("720", "20,000"), expected.mean, *expected.interval(0.95), strict=True):
        assert any(
            size in line and f"{mean:.3f}" in line and f"{low:.3f} to {high:.3f}" in line for line in out.splitlines()
        )
    assert "With 20,000 training examples (55.6 times the pilot's 360" in out
    assert "the chance is 95 % that it lies between" in out
    assert (
        "Caution: 20,000 is more than 50 times the largest pilot size (360), as far as the method has been tested."
        in out
    )


def test_json_has_the_same_facts_for_machines(run, pairs):
    code, out, err = run(
        "forecast", pairs, "--at", "2x", "--level", 0.8, "--ceiling", 0.95, "--mean", "arctan", "--seed", 3, "--json"
    )
    assert (code, err) == (0, "")
    facts = json.loads(out)
    model = APExGP("arctan", ceiling=0.95, seed=3).fit(read(pairs).curve)
    forecast = model.forecast([720])
    assert facts["apexgp"] == __version__
    assert facts["settings"]["seed"] == 3
    assert (facts["settings"]["mean"], facts["settings"]["ceiling"], facts["level"]) == ("arctan", 0.95, 0.8)
    (row,) = facts["forecast"]
    assert row["size"] == 720
    assert row["mean"] == forecast.mean[0]
    assert (row["lower"], row["upper"]) == tuple(end[0] for end in forecast.interval(0.8))
    assert facts["parameters"] == model.parameters_
    assert facts["cautions"] == list(forecast.cautions)
    assert facts["fit"]["weights"] == {"arctan": 1.0}


def test_default_sizes_are_multiples_of_the_pilot(run, pairs):
    facts = json.loads(run("forecast", pairs, "--json")[1])
    assert [row["size"] for row in facts["forecast"]] == [720, 3600, 18000]


@pytest.mark.slow
def test_draws_a_picture_and_does_not_overwrite_it(run, pairs, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    picture = tmp_path / "curve.png"
    assert run("forecast", pairs, "--plot", picture)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    code, out, err = run("forecast", pairs, "--plot", picture)
    assert (code, out) == (1, "")
    assert "exists. Name another file, or allow overwriting with --force" in err
    assert run("forecast", pairs, "--plot", picture, "--force")[0] == 0
    for name in ("curve.xyz", "curve"):
        code, _, err = run("forecast", pairs, "--plot", tmp_path / name)
        assert code == 1
        assert "must end in one of .png, .pdf, .svg" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curve.png", "pairs.csv"]


def test_columns_by_other_names_and_error_rates(run, tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("n,err\n60,0.34\n94,0.3\n147,0.28\n230,0.25\n")
    code, out, _ = run(
        "forecast",
        path,
        "--size-column",
        "n",
        "--score-column",
        "err",
        "--lower-is-better",
        "--metric",
        "error",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["forecast"][0]["mean"] < 0.25


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--at", "many"], "--at must be a training-set size such as 20000, 20k or 10x, got 'many'"),
        (["--at", "0"], "--at must be numbers of training examples, at least 1, got 0"),
        (["--level", "95"], "--level must be strictly between 0 and 1, got 95. Write 0.95 for 95 %"),
        (["--ceiling", "0.7"], "ceiling is 0.7, but the pilot reaches 0.768"),
        (["--mean", "cubic"], "--mean must be one of 'auto', 'power_law', 'arctan', 'burr', got 'cubic'"),
        (["--score-column", "auroc"], "no column 'auroc'; found size, score, split. Name yours with --score-column"),
        (["--at", "1__0"], "--at must be a training-set size"),
        (["--floor", "0.9"], "The floor is 0.9, but the mean score at size 60 is"),
        (["--published", "--noise", "0.1"], "--noise cannot be used with the published method"),
        (["--plot", "no/such/folder/a.png"], "does not exist"),
    ],
)
def test_faults_of_the_request_end_with_1_and_one_sentence(run, pairs, arguments, message):
    code, out, err = run("forecast", pairs, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("60,0.7\n90,8\n", "no header"),
        ("size,score\n60,85\n", "Are these percentages? Write 85% in every row. Or say so with --per-cent"),
        ("epoch,auc\n60,0.7\n", "found epoch, auc. Name yours with --size-column"),
        ("n,acc,F1\n60,0.7,0.6\n", "may hold the scores: acc, F1. Which one should be forecast? Name one of them"),
        ("n,anna,ben\n60,0.7,0.6\n", "is a split or a model, use --each-column split or --each-column model."),
        (
            "model,dataset,n,acc\na,b,60,0.7\nb,c,60,0.7\n",
            "may hold the tasks: model, dataset. Name one of them with --task-column",
        ),
        ("size,score\n", "but no rows"),
        ("size,score,metric\n60,0.7,a\n60,0.7,b\n", "Choose with --metric"),
        ("size;score\n60;0,7\n90;0.8\n", "has a decimal point in a file with decimal commas"),
    ],
)
def test_bad_files_end_with_1_and_one_sentence(run, tmp_path, text, message):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    code, out, err = run("forecast", path)
    assert (code, out) == (1, "")
    assert err.startswith("Error: ")
    assert message in err


def test_spreadsheet_files_are_read(run, tmp_path):
    path = tmp_path / "excel.csv"
    path.write_bytes(b"\xef\xbb\xbf" + PAIRS.replace(",", ";").replace("0.", "0,").replace("\n", "\r\n").encode())
    code, out, _ = run("forecast", path, "--json", "--mean", "power_law")
    assert code == 0
    assert json.loads(out)["pilot"]["scores"] == 10


def test_the_published_method_on_request(run, pairs):
    facts = json.loads(run("forecast", pairs, "--at", "720", "--published", "--json")[1])
    assert facts["settings"]["inference"] == "map"
    expected = APExGP.as_published().fit(read(pairs).curve).forecast([720])
    assert facts["forecast"][0]["mean"] == expected.mean[0]


@pytest.fixture
def tasks(tmp_path):
    """Three tasks alike, one ten times as large, one that falls, and one that is too short for the arctan mean."""
    rows = [line.split(",") for line in PAIRS.splitlines()[1:]]
    lines = [
        f"{size},{score},{split},{task}" for task in ("lung", "liver 10", "liver 2") for size, score, split in rows
    ]
    lines += [f"{10 * int(size)},{score},{split},large" for size, score, split in rows]
    lines += [f"{size},{1.4 - float(score):.3f},{split},falling" for size, score, split in rows] + ["60,0.7,a,short"]
    path = tmp_path / "tasks.csv"
    path.write_text("size,score,split,task\n" + "\n".join(lines) + "\n")
    return path


ORDER = ["falling", "large", "liver 2", "liver 10", "lung", "short"]


@pytest.mark.slow
def test_a_file_with_several_tasks_is_one_strict_document(run, tasks):
    code, out, err = run("forecast", tasks, "--json", "--target", "0.8", "--mean", "arctan")
    assert code == 1
    assert err == "Error: 1 of 6 tasks could not be forecast.\n"

    def refuse(constant):
        raise AssertionError(constant)

    facts = json.loads(out, parse_constant=refuse)
    assert (facts["apexgp"], facts["failed"], facts["target"], facts["confidence"]) == (__version__, 1, 0.8, 0.8)
    by_name = {task["task"]: task for task in facts["tasks"]}
    assert list(by_name) == ORDER  # as people sort names, 2 before 10
    # By default multiples of each task's own largest size.
    assert [row["size"] for row in by_name["lung"]["forecast"]] == [720, 3600, 18_000]
    assert [row["size"] for row in by_name["large"]["forecast"]] == [7200, 36_000, 180_000]
    assert by_name["lung"]["forecast"] == by_name["liver 2"]["forecast"]
    model = APExGP("arctan").fit(read(tasks).curves["lung"])
    (asked,) = to_rows(model.required_size(0.8).to_dict())
    assert by_name["lung"]["required"].keys() == asked.keys()
    assert by_name["lung"]["required"]["median"] == pytest.approx(asked["median"], rel=1e-3)
    assert by_name["lung"]["required"]["size"] is asked["size"] is None  # never, in a word that JSON has
    assert by_name["lung"]["forecast"][0]["mean"] == pytest.approx(model.forecast([720]).mean[0], abs=1e-6)
    assert by_name["falling"]["wrong"][0] == "falls"
    assert by_name["falling"]["cautions"][0].startswith("Performance falls")
    assert "needs scores at 2 or more different sizes" in by_name["short"]["error"]
    assert by_name["short"]["wrong"] == [by_name["short"]["error"]]
    assert by_name["short"]["forecast"] == []


@pytest.mark.slow
def test_a_file_with_several_tasks_is_one_sorted_table(run, tasks):
    code, out, err = run("forecast", tasks, "--at", "20k", "--at", "2x", "--target", "0.8", "--mean", "arctan")
    assert (code, err) == (1, "Error: 1 of 6 tasks could not be forecast.\n")
    header, *rows = [line for line in out.splitlines() if line.startswith((" task ", *(f" {name} " for name in ORDER)))]
    assert all(word in header for word in ("expected score", "95 % interval", "size for 0.8", "what is wrong"))
    names = [name for row in rows for name in ORDER if row.startswith(f" {name} ")]
    assert names == [name for name in ORDER for _ in range(1 if name == "short" else 2)]
    lung = [row.split() for row in rows if row.startswith(" lung")]
    assert [row[1] for row in lung] == ["720", "20,000"]  # sorted by size, not as they were asked for
    assert "beyond 50x" in rows[names.index("lung")]
    assert "falls" in rows[names.index("falling")]
    assert "2 or more different sizes" in rows[names.index("short")]
    assert "Of 6 tasks, 5 could be forecast; short could not." in out
    assert "Caution: falling, liver 2, liver 10 and lung: 20,000 is more than 50 times the largest pilot size" in out


@pytest.mark.slow
def test_a_batch_can_be_asked_for_other_quantities(run, tasks):
    by_quantity = {
        of: json.loads(run("forecast", tasks, "--at", "720", "--of", of, "--json")[1])["tasks"][-2]["forecast"][0]
        for of in ("new_splits", "expected")
    }
    assert by_quantity["expected"]["std"] < by_quantity["new_splits"]["std"]
    assert "Choose one with --task" in run("forecast", tasks, "--methods-text")[2]


def test_odd_names_are_printed_as_they_are(run, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(
        PAIRS.replace("split\n", "split,metric\n", 1).replace(",a\n", ",a,[/x]\n").replace(",b\n", ",b,[/x]\n")
    )
    code, out, _ = run("forecast", path)
    assert code == 0
    assert "expected [/x]" in out


def test_faults_of_the_data_end_with_1(run, tmp_path):
    for name in ("none.csv", "cost_per_example.csv"):  # a file may be called as an argument is
        code, _, err = run("forecast", tmp_path / name)
        assert code == 1
        assert f"There is no file {tmp_path / name}." in err


@pytest.mark.slow
def test_faults_of_usage_end_with_2(run, pairs):
    assert run("forecast")[0] == 2
    assert run("forecast", pairs, "--nonsense")[0] == 2
    assert run("forecast", pairs, "--level", "high")[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("target", ["0.8", "0.999"])
def test_probabilities_said_in_words_are_flush_right_like_numbers(run, pairs, target):
    """Some of them, or all."""
    code, out, _ = run("forecast", pairs, "--target", target)
    assert code == 0
    rows = [line.rstrip() for line in out.splitlines() if line.rstrip().endswith("%") and " to " in line]
    (head,) = [line.rstrip() for line in out.splitlines() if line.rstrip().endswith(f"reaches {target}")]
    assert len(rows) == 3
    assert {len(row) for row in rows} == {len(head)}
    assert ("less than 1 %" in out) == (target == "0.999")
