"""`apexgp run`: any program, its score found in what it prints, recorded once and never lost."""

import json
import math
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from apexgp import read
from conftest import interrupted

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups as POSIX has them")

TRAIN = """
import json, os, sys, time
n, seed, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open("starts", "a") as file:
    file.write(f"{n} {seed} {os.environ.get('CUDA_VISIBLE_DEVICES', '-')} {os.environ.get('PYTHONWARNINGS', '-')}\\n")
score = round(0.9 - 0.8 * n**-0.5 + 0.001 * seed, 4)
broken = os.path.exists("broken")
if how == "number":
    print("epoch 1 of 10:", 0.5)
    print("AUC", score)
elif how == "json":
    print(json.dumps({"auc": score, "log_loss": 2 - score, "n": n}))
    print("done in 12 s")
elif how == "file":
    print(0.1)
    with open(sys.argv[4], "w") as file:
        json.dump({"test": {"auc": score}, "train": {"auc": 1.0}, "seconds": 7, "n_test": 40}, file, indent=1)
elif how == "percentage":
    print(100 * score)
elif how == "percentages":
    print(json.dumps({"accuracy": 100 * score, "f1": 90 * score}))
elif how == "age":
    print(json.dumps({"age": 240 / n}))
elif how == "some" and broken and seed == 1:
    print("halfway")
    sys.exit("out of luck")
elif how == "hang":
    print(0.3, flush=True)
    os.system("sleep 600 & wait")
else:
    print(score)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


@pytest.fixture
def train(run, folder):
    """Run the program at two sizes and two seeds."""

    def train(how, *options, command="'{python}' train.py {{n}} {{seed}} {how}"):
        text = command.format(python=sys.executable, how=how)
        return run("run", text, "--sizes", "60,120", "--splits", 2, *options)

    return train


def starts(folder):
    path = folder / "starts"
    return [tuple(line.split()) for line in path.read_text().splitlines()] if path.exists() else []


def score(n, seed):
    return round(0.9 - 0.8 * n**-0.5 + 0.001 * seed, 4)


@pytest.mark.slow
def test_the_last_number_makes_a_curve_that_a_forecast_reads(run, folder):
    command = f"'{sys.executable}' train.py {{n}} {{seed}} number"
    code, out, err = run("run", command, "--sizes", "60,120,240", "--splits", 2, "--metric", "auc")
    assert code == 0
    assert err.splitlines()[0].startswith("[1/6] n = 240, seed 0: AUROC 0.848")
    assert "Next: apexgp forecast curve.csv" in out
    assert [start[:2] for start in starts(folder)] == [(n, s) for n in ("240", "120", "60") for s in "01"]
    assert {start[3] for start in starts(folder)} == {os.environ.get("PYTHONWARNINGS", "-").replace("ignore", "-")}
    curve = read("curve.csv").curve
    assert (curve.metric, curve.direction) == ("auc", "higher")
    assert curve.split.tolist() == [0, 1] * 3
    assert curve.scores.tolist() == [score(n, s) for n in (60, 120, 240) for s in (0, 1)]
    assert not (folder / "curve.output").exists()  # nothing failed
    code, out, err = run("forecast", "curve.csv")
    assert (code, err) == (0, "")
    assert "Pilot: 6 scores at 3 sizes" in out


@pytest.mark.slow
def test_started_again_it_does_nothing_and_leaves_the_files_as_they_are(train, folder):
    assert train("number")[0] == 0
    files = [folder / "curve.csv", folder / "curve.runs.csv"]
    before = [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in files]
    code, out, err = train("number")
    assert (code, err) == (0, "4 of 4 fits are already in the record.\n")
    assert "Next: apexgp forecast curve.csv" in out
    assert [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in files] == before
    assert len(starts(folder)) == 4
    (folder / "curve.csv").unlink()
    assert train("number")[0] == 0
    assert files[0].read_bytes() == before[0][0]
    code, _, err = train("json")
    assert code == 1
    assert "holds the fits of another run (command: " in err
    assert "--out other.csv" in err
    assert (len(starts(folder)), files[1].read_bytes()) == (4, before[1][0])


@pytest.mark.slow
def test_keys_of_a_json_object_name_the_metrics(train, run, folder):
    code, out, err = train("json")
    assert code == 0
    assert "AUROC 0.7967" in err
    assert "--metric auc" in out
    for metric, direction in (("auc", "higher"), ("log_loss", "lower")):
        rows = [line for line in (folder / "curve.csv").read_text().splitlines() if f",{metric},{direction}," in line]
        assert len(rows) == 4
    assert ",n," not in (folder / "curve.csv").read_text()  # repeats what was asked for
    assert read("curve.csv", metric="auc").curve.scores.tolist() == [score(n, s) for n in (60, 120) for s in (0, 1)]


@pytest.mark.slow
def test_a_score_of_another_range_is_asked_about_and_measured_once(train, folder):
    code, _, err = train("age")
    assert code == 0
    assert "Note: scores must lie in [0, 1]" in err
    assert "such as --range 0,inf for a loss" in err
    code, out, _ = train("age", "--range", "0,inf")
    assert (code, len(starts(folder))) == (0, 4)
    assert " 4.00 " in out
    curve = read("curve.csv").curve
    assert (curve.range, curve.direction, curve.metric) == ((0, math.inf), "lower", "age")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["number", "json", "percentage", "percentages"])
def test_the_command_that_is_suggested_forecasts_the_curve(train, run, folder, how):
    out = folder / "my curve.csv"
    code, printed, _ = train(how, "--out", out)
    assert code == 0
    (suggested,) = re.findall(r"Next: apexgp (.*)", printed)
    code, answer, err = run(*shlex.split(suggested))
    assert (code, err) == (0, "")
    first = {"percentage": "79.7", "percentages": "79.7"}.get(how, "0.797")
    assert f"Pilot: 4 scores at 2 sizes, {first}" in answer  # in the unit that the program prints


@pytest.mark.slow
def test_no_command_is_suggested_before_the_range_of_the_scores_is_known(train):
    _, printed, err = train("age")
    assert "What was measured?" in err
    assert "Next:" not in printed


@pytest.mark.slow
def test_a_file_takes_the_place_of_what_is_printed(train, folder):
    code, _, _ = train("file", command="'{python}' train.py {{n}} {{seed}} {how} {{out}}")
    assert code == 0
    curve = read("curve.csv").curve
    assert curve.scores.tolist() == [score(n, s) for n in (60, 120) for s in (0, 1)]
    assert (curve.train_scores.tolist(), curve.n_test.tolist()) == ([1.0] * 4, [40] * 4)
    assert ",7.0,\n" in (folder / "curve.runs.csv").read_text()
    code, _, err = train("number", "--out", "none.csv", command="'{python}' train.py {{n}} {{seed}} {how} {{out}}")
    assert code == 1
    assert "no file {out}" in err


@pytest.mark.slow
def test_failed_fits_are_said_kept_and_tried_again_at_the_next_start(train, folder):
    (folder / "broken").touch()
    code, out, err = train("some")
    assert code == 1
    assert err.count(": failed, exit code 1: out of luck") == 2
    assert "What the failed fits printed is in curve.output." in err
    assert (folder / "curve.output" / "n60_seed1.out").read_text() == "halfway\n"
    assert (folder / "curve.output" / "n60_seed1.err").read_text() == "out of luck\n"
    assert "The curve is in curve.csv" in out
    assert read("curve.csv").curve.scores.tolist() == [score(60, 0), score(120, 0)]
    (folder / "broken").unlink()
    code, _, _ = train("some")
    assert code == 0
    assert [start[:2] for start in starts(folder)][4:] == [("120", "1"), ("60", "1")]
    assert len(read("curve.csv").curve) == 4
    assert not (folder / "curve.output").exists()


@pytest.mark.slow
def test_a_retry_at_once_and_a_program_that_does_not_exist(train, folder):
    (folder / "broken").touch()
    assert "(3 times)" in train("some", "--retries", 2)[2]
    assert len(starts(folder)) == 8
    code, _, err = train("", "--out", "b.csv", command="no_such_program {{n}}")
    assert code == 1
    assert "Note: The command has no {seed}" in err
    assert "no_such_program cannot be started: No such file or directory" in err


def all_ended(folder):
    """Whether no process works in this folder any more; a killed one takes a moment to be gone."""
    for _ in range(200):
        if not any(_in_folder(folder)):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_program_that_hangs_is_ended_with_all_that_it_started(train, folder):
    code, _, err = train("hang", "--timeout", "0.5s", "--jobs", 4)
    assert code == 1
    assert "All 4 fits failed: 4 with a timeout after 0.5 s" in err
    assert all_ended(folder)
    assert (folder / "curve.output" / "n60_seed0.out").exists()


def _in_folder(folder):
    """Processes whose working directory this is, but for our own."""
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                if os.readlink(f"/proc/{entry}/cwd") == str(folder):
                    yield entry
            except OSError:
                continue


@pytest.mark.slow
def test_places_slots_variables_and_other_braces(train, folder):
    show = "import json, os, sys; print(json.dumps(sys.argv[1:] + [os.environ['A'], os.environ['GPU']])); print(0.5)"
    (folder / "show.py").write_text(show)
    command = "A={{n}} '{python}' show.py '{{{{n}}}} {{x}}' {{}} '{{\"a\": 1}}' $HOME {{n}}-{{seed}}"
    code, out, _ = train("", "--env", "GPU=cuda:{slot}", "--dry-run", command=command)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 4
    words = shlex.split(lines[0])
    assert words[:2] == ["A=120", "GPU=cuda:{slot}"]
    assert words[3:] == ["show.py", "{120} {x}", "{}", '{"a": 1}', "$HOME", "120-0"]
    assert not (folder / "curve.runs.csv").exists()
    (folder / "show.py").write_text(show.replace("print(0.5)", "sys.exit(1)"))
    assert train("", "--env", "GPU=cuda:{slot}", "--jobs", 2, command=command)[0] == 1
    given = [json.loads(path.read_text()) for path in sorted((folder / "curve.output").glob("*.out"))]
    assert {words[-1] for words in given} <= {"cuda:0", "cuda:1"}
    assert [words[-2] for words in given] == ["120", "120", "60", "60"]
    assert given[0][:4] == ["{120} {x}", "{}", '{"a": 1}', "$HOME"]  # no shell


@pytest.mark.slow
def test_a_shell_only_where_one_is_asked_for(train, folder):
    command = "echo $((1 + 1)) > number; echo {{n}} {{seed}} | sed 's/.*/0.5/'"
    assert train("", "--shell", command=command)[0] == 0
    assert (folder / "number").read_text() == "2\n"
    assert read("curve.csv").curve.scores.tolist() == [0.5] * 4


@pytest.mark.slow
def test_only_what_is_left_is_listed(train, folder):
    (folder / "broken").touch()
    train("some")
    code, out, err = train("some", "--dry-run")
    assert (code, err) == (0, "2 of 4 fits are already in the record.\n")
    assert [shlex.split(line)[2:4] for line in out.splitlines()] == [["120", "1"], ["60", "1"]]
    assert len(starts(folder)) == 4


@pytest.mark.slow
def test_it_stops_when_enough_is_known(run, folder):
    command = f"'{sys.executable}' train.py {{n}} {{seed}} number"
    sizes = ("--sizes", "50,100,200,400", "--splits", 9, "--metric", "auc")
    code, out, _ = run("run", command, *sizes, "--stop-at", 1000, "--stop-width", 0.2)
    assert code == 0
    assert "Enough: the 95 % interval of the expected score at 1,000 is" in out
    begun = len(starts(folder))
    assert 3 <= begun < 36
    assert run("run", command, *sizes, "--stop-at", 1000, "--stop-width", 0.2)[0] == 0
    assert len(starts(folder)) == begun


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_ctrl_c_ends_the_programs_and_says_how_to_go_on(folder):
    command = f"'{sys.executable}' train.py {{n}} {{seed}} hang"
    words = [sys.executable, "-m", "apexgp", "run", command, "--sizes", "60,120", "--jobs", "2"]
    code, err = interrupted(words, lambda: len(starts(folder)) == 2, cwd=folder)
    assert code == 130
    assert err == "\nStopped. The finished fits are in curve.runs.csv; the same command resumes from there.\n"
    assert all_ended(folder)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_run_that_is_killed_takes_its_programs_along(folder):
    command = f"'{sys.executable}' train.py {{n}} {{seed}} hang"
    process = subprocess.Popen([sys.executable, "-m", "apexgp", "run", command, "--sizes", "60,120"], cwd=folder)
    try:
        while not starts(folder) and process.poll() is None:
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert all_ended(folder)


def test_no_line_of_a_name_is_a_command_of_the_script(run, folder):
    lines = folder / "a\ntouch obeyed\n'.csv"  # quotes do not hold a comment together
    code, _, _ = run("run", "echo 0.5{n}", "--sizes", "60,120,240", "--out", lines, "--script", "job.sh")
    assert code == 0
    assert "\n#SBATCH --job-name=a_touch_obeyed_\n#SBATCH" in (folder / "job.sh").read_text()
    subprocess.run(["bash", folder / "job.sh"], env=os.environ | {"SLURM_ARRAY_TASK_ID": "0"}, check=True)
    assert not (folder / "obeyed").exists()
    assert (lines.with_suffix(".output") / "n240_seed0.out").read_text() == "0.5240\n"


@pytest.mark.slow
def test_an_array_job_is_written_and_gathered(run, folder):
    (folder / "broken").touch()
    command = f"'{sys.executable}' train.py {{n}} {{seed}} some"
    given = ("run", command, "--sizes", "60,120,240", "--splits", 2, "--jobs", 3)
    code, out, _ = run(*given, "--script", "job.sh")
    assert code == 0
    assert "job.sh runs 6 tasks" in out
    text = (folder / "job.sh").read_text()
    assert text.startswith("#!/bin/bash\n#SBATCH --job-name=curve\n#SBATCH --array=0-5%3\n")
    assert "exists" in run(*given, "--script", "job.sh")[2]
    code, _, err = run(*given, "--gather")
    assert code == 1
    assert "None of the 6 fits has finished yet" in err
    ended = [
        subprocess.run(
            ["bash", folder / "job.sh"], env=os.environ | {"SLURM_ARRAY_TASK_ID": str(task)}, cwd="/"
        ).returncode
        for task in range(5)
    ]
    assert ended == [0, 1, 0, 1, 0]
    assert subprocess.run(["bash", "job.sh"], env=os.environ | {"SLURM_ARRAY_TASK_ID": "6"}, stderr=-3).returncode == 1
    code, out, err = run(*given, "--gather")
    assert code == 1
    assert err.count(": failed, exit code 1: out of luck") == 2
    assert "1 fit has not finished yet." in err
    assert len(read("curve.csv").curve) == 3
    assert (folder / "curve.output" / "n240_seed1.out").read_text() == "halfway\n"
    (folder / "broken").unlink()
    assert "3 tasks" in run(*given, "--script", "job.sh", "--force")[1]
    for task in range(3):
        subprocess.run(["bash", "job.sh"], env=os.environ | {"SLURM_ARRAY_TASK_ID": str(task)}, check=True)
    assert run(*given, "--gather")[0] == 0
    curve = read("curve.csv").curve
    assert curve.scores.tolist() == [score(n, s) for n in (60, 120, 240) for s in (0, 1)]
    assert not (folder / "curve.output").exists()
    assert len(starts(folder)) == 8
    assert "All fits are in the record" in run(*given, "--script", "more.sh")[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["t {n}", "--sizes", "60", "--script", "a.sh", "--gather"], "--script comes before the job"),
        (["python train.py", "--sizes", "60"], "The command has no {n}"),
        (["", "--sizes", "60"], "The command is empty"),
        (["python 'train {n}", "--sizes", "60"], "cannot be parsed (No closing quotation)"),
        (["t {n}", "--sizes", "many"], "--sizes must be numbers separated by ','"),
        (["t {n}", "--sizes", "0"], "--sizes must be numbers of training examples, at least 1"),
        (["t {n}", "--sizes", "60", "--splits", "0"], "--splits must be a whole number of at least 1"),
        (["t {n}", "--sizes", "60", "--jobs", "0"], "--jobs must be a whole number of at least 1"),
        (["t {n}", "--sizes", "60", "--retries", "-1"], "--retries must be a whole number of at least 0"),
        (["t {n}", "--sizes", "60", "--timeout", "soon"], "--timeout must be a time such as 90 (seconds), 30m or 2h"),
        (["t {n}", "--sizes", "60", "--env", "GPU"], "--env must be NAME=VALUE, got 'GPU'"),
        (["t {n}", "--sizes", "60", "--unit", ""], "--unit must be what a size counts in a word or two"),
        (["t {n}", "--sizes", "60", "--stop-width", "0.1"], "need --stop-at"),
        (["t {n}", "--sizes", "60", "--stop-at", "100"], "Set --stop-width 0.05 or --stop-target 0.9"),
        (["t {n}", "--sizes", "60", "--results", "curve.csv"], "--out and --results are the same file"),
        (["t {n}", "--sizes", "60", "--out", "train.py"], "train.py exists"),
    ],
)
def test_faults_of_the_request_end_with_1_before_anything_runs(run, folder, arguments, message):
    code, out, err = run("run", *arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert os.listdir(folder) == ["train.py"]
