"""Configuration files: those that ship are the paper's; whatever is wrong is told with its key and file."""

import inspect
import re
from dataclasses import replace

import pytest

from apexgp import LogisticHead, SliceHead, collect_curves
from apexgp.collect.labelled import read_labelled
from apexgp.errors import DataError, WouldOverwriteError
from apexgp.experiment import Experiment
from apexgp.replication import run
from apexgp.replication.configuration import shipped_experiments
from apexgp.replication.run import KEYS
from apexgp.replication.settings import ConfigTable
from apexgp.surfaces.command import build_options_vocabulary
from apexgp.surfaces.commands.experiment import experiment

LEAST = """
name = "Mine"
[data]
labels = ["odd"]
[classifier]
head = "2D"
[sizes]
pilot = [60, 94, 147]
short = [200]
"""


def parsed(text=LEAST):
    return Experiment.parsed(text, "mine.toml")


# What the paper's text says of each data set: tasks, head, splits, eps_min, whether there are long-range sizes and
# many runs (its tables).
PAPER = {
    "chestxray14": (3, LogisticHead, 3, 0.0, True, True),
    "chest_xray": (2, LogisticHead, 3, 0.0, True, False),
    "busi": (3, LogisticHead, 3, 0.0, False, False),
    "tmed2": (4, LogisticHead, 3, 0.0, True, True),
    "oasis3": (1, SliceHead, 15, 0.05, False, False),
    "pilot": (2, SliceHead, 15, 0.05, False, False),
}


def test_the_six_data_sets_of_the_paper_ship():
    assert set(shipped_experiments()) == set(PAPER)


@pytest.mark.parametrize("name", PAPER)
def test_what_ships_is_the_protocol_of_the_paper(name):
    tasks, head, splits, eps_min, long, dense = PAPER[name]
    experiment = Experiment.read(name)
    assert len(experiment.tasks or experiment.labels) == tasks
    assert type(experiment.classifier()) is head
    assert experiment.classifier().get_params() == head().get_params()
    assert (experiment.n_splits, experiment.eps_min) == (splits, eps_min)
    assert experiment.ratio == pytest.approx((0.8, 0.1, 0.1))
    assert experiment.pilot == (60, 94, 147, 230, 360)
    assert experiment.short == (414, 475, 546, 627, 720)
    assert experiment.long == ((804, 1796, 4010, 8955, 20000) if long else ())
    assert experiment.methods == ("power_law", "gp_power_law", "arctan", "gp_arctan", "apexgp")
    assert (experiment.level, experiment.delta, experiment.rounds) == (0.95, 0.01, 500)
    if dense:
        assert vars(experiment.dense) == {
            "sizes": (5000, 10000, 20000),
            "runs": 300,
            "group": 3,
            "levels": (0.95, 0.8),
        }
    else:
        assert experiment.dense is None


def test_the_least_that_a_file_must_say():
    experiment = parsed()
    assert (experiment.n_splits, experiment.seed, experiment.ceiling) == (3, 0, 1.0)
    assert experiment.ranges == {"short": (200,)}
    assert experiment.embeddings is None


def test_a_written_one_is_the_same_and_files_lie_beside_it(tmp_path):
    shipped, path = Experiment.read("busi"), tmp_path / "mine.toml"
    shipped.write(path)
    with pytest.raises(WouldOverwriteError):
        shipped.write(path)
    mine = Experiment.read(path)
    assert mine.text == shipped.text
    assert mine.embeddings == tmp_path.resolve() / "busi.npz"


_TABLE = """table = 't "1".csv'"""
MOVED = {
    "plain": (f'[data]\nembeddings = "a.npz"  # mine\n{_TABLE}\nlabels', '"../a.npz"  # mine'),
    "dotted": (f'data.embeddings = "a.npz"\ndata.{_TABLE}\ndata.labels', 'data.embeddings = "../a.npz"'),
    "inline": (f'data = {{ embeddings = "a.npz", {_TABLE}, labels = ["odd"] }}\n#', 'data = { embeddings = "../a.npz"'),
    "remark": (f'# embeddings = "a.npz"\n[data]\nembeddings="a.npz"\n{_TABLE}\nlabels', '# embeddings = "a.npz"'),
    "absolute": (f'[data]\nembeddings = "FOLDER/a.npz"\n{_TABLE}\nlabels', '"FOLDER/a.npz"'),
}


@pytest.mark.parametrize(("data", "kept"), MOVED.values(), ids=list(MOVED))
def test_one_that_is_written_elsewhere_names_the_same_files(tmp_path, data, kept):
    folder = tmp_path.resolve()
    text = changed(("[data]\nlabels", data)).replace("FOLDER", folder.as_posix())
    (folder / "mine.toml").write_text(text)
    (folder / "sub").mkdir()
    mine = Experiment.read(folder / "mine.toml")
    assert (mine.embeddings, mine.table) == (folder / "a.npz", folder / 't "1".csv')
    mine.write(folder / "sub" / "moved.toml")
    moved = Experiment.read(folder / "sub" / "moved.toml")
    assert [one.resolve() for one in (moved.embeddings, moved.table)] == [mine.embeddings, mine.table]
    assert kept.replace("FOLDER", folder.as_posix()) in moved.text
    mine.write(folder / "beside.toml")
    assert (folder / "beside.toml").read_text() == text


def test_embeddings_that_were_named_apart_are_written_too(tmp_path):
    used = replace(parsed(), embeddings=tmp_path.resolve() / "a.npz")
    assert Experiment.parsed(used.text_in(tmp_path), folder=tmp_path).embeddings == used.embeddings
    odd = replace(parsed(LEAST.replace("[data]\nlabels", "data.labels")), embeddings=tmp_path.resolve() / "a.npz")
    assert odd.text_in(tmp_path) == f"# data.embeddings is 'a.npz' from here.\n{odd.text}"


def changed(*replacements, add=""):
    text = LEAST
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    return text + add


WRONG = {
    "misspelt": (
        changed(("pilot", "pilots")),
        "sizes.pilots is not a key of the configuration. Did you mean sizes.pilot?",
    ),
    "misspelt table": (changed(("[sizes]", "[size]")), "size is not a key of the configuration. Did you mean sizes?"),
    "unknown": (
        changed(add="shorts = [300]\n"),
        "sizes.shorts is not a key of the configuration. Did you mean sizes.short?",
    ),
    "unknown table": (changed(add="[colour]\n"), "colour is not a key of the configuration."),
    "no table": (changed(("[data]\nlabels", "data")), "data must be a table, [data], got ['odd']."),
    "missing": (changed(('name = "Mine"', "")), "name is missing."),
    "no head": (changed(('"2D"', '"4D"')), "classifier.head must be one of '2D', '3D', 'tuned', got '4D'."),
    "labels": (changed(('["odd"]', '"odd"')), "data.labels must be a list of strings"),
    "twice": (changed(('["odd"]', '["odd", "odd"]')), "data.labels contains a duplicate"),
    "descending": (changed(("60, 94", "94, 60")), "sizes.pilot must be ascending"),
    "fraction": (changed(("60, 94", "60.5, 94")), "sizes.pilot must be a whole number, got 60.5."),
    "few": (changed(("60, 94, 147", "60")), "sizes.pilot must have 3 sizes or more, got [60]."),
    "none to forecast": (changed(("short = [200]", "")), "sizes.short and sizes.long name no size to forecast."),
    "within the pilot": (changed(("200", "100")), "sizes.short must lie beyond the pilot's largest, 147, got 100."),
    "true": (changed(add="[splits]\nnumber = true\n"), "splits.number must be a whole number of at least 1, got True."),
    "ratio": (changed(add="[splits]\nratio = [8, 1]\n"), "splits.ratio must be three numbers"),
    "method": (changed(add='[forecasts]\nmethods = ["best"]\n'), "forecasts.methods must be one of 'gp_power_law'"),
    "eps": (changed(add="[forecasts]\neps_min = 5\n"), "forecasts.eps_min must be at least 0 and below 1, got 5."),
    "level": (changed(add="[forecasts]\nlevel = 95\n"), "forecasts.level must be strictly between 0 and 1, got 95."),
    "dense": (
        changed(add="[dense]\nsizes = [100]\nruns = 9\n"),
        "dense.sizes must lie beyond the pilot's largest, 147.",
    ),
    "runs": (changed(add="[dense]\nsizes = [900]\nruns = 2\n"), "dense.runs must be at least dense.group, 3,"),
    "no runs": (changed(add="[dense]\nsizes = [900]\n"), "dense.runs is missing."),
    "tasks": (changed(('["odd"]', '["odd"]\ntasks = ["odd"]')), "data.tasks must be a table"),
    "setting": (
        changed(('"2D"', '"2D"\nsettings = { C = 1 }')),
        "classifier.settings.C is not a key of the configuration.",
    ),
    "its value": (changed(('"2D"', '"2D"\nsettings = { Cs = [0] }')), "classifier.settings.Cs must be above 0, got 0."),
    "syntax": ("name = Mine", "It is not valid TOML: Invalid value (at line 1, column 8)"),
}


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=list(WRONG))
def test_what_is_wrong_is_told_with_its_key_and_the_file(text, said):
    with pytest.raises(DataError, match=re.escape(said)) as caught:
        parsed(text)
    assert str(caught.value).startswith("mine.toml: ")
    assert "\n" not in str(caught.value)


def test_settings_of_the_head_are_its_own():
    experiment = parsed(changed(('"2D"', '"2D"\nsettings = { Cs = [0.1, 1], max_iters = [20] }')))
    assert experiment.classifier().get_params()["Cs"] == [0.1, 1]
    assert experiment.classifier().get_params()["max_iters"] == [20]


def test_neither_a_file_nor_a_name(tmp_path):
    with pytest.raises(DataError, match=r"no file .*none.toml, and no experiment of that name ships .* busi, chest_"):
        Experiment.read(str(tmp_path / "none.toml"))


def test_every_key_that_sets_an_argument_of_the_run_is_in_its_table(monkeypatch):
    taken, take = set(), ConfigTable.take
    monkeypatch.setattr(ConfigTable, "take", lambda self, key, *a: taken.add(self.full_key(key)) or take(self, key, *a))
    parsed()
    assert set(KEYS.words.values()) <= taken
    arguments = {name for called in (read_labelled, collect_curves) for name in inspect.signature(called).parameters}
    own = {
        "path",
        "estimator",
        "X",
        "param_grid",
        "sample_weight",
        "multiclass",
        "count",
        "by_group",
        "n_jobs",
        "results",
        "progress",
    }
    assert arguments - set(KEYS.words) <= own
    assert set(KEYS.words) <= arguments


def test_an_error_of_the_run_names_keys_and_keeps_what_it_carries(monkeypatch):
    remedy = ("See {}, or {}.", ("group", "patient"), ("embeddings", "a.npz"))
    problem = DataError("is odd.", argument="label", remedy=remedy, where="a.npz")

    def refuse(*_a, **_k):
        raise problem

    monkeypatch.setattr(run, "read_labelled", refuse)
    with pytest.raises(DataError) as found:
        run.run_experiment(parsed(), __file__)
    assert found.value is problem
    assert str(problem) == "a.npz: data.labels is odd. See data.patients, or embeddings='a.npz'."
    assert (problem.argument, problem.remedy) == ("label", remedy)
    # The command that runs it sets other arguments, and says how; the keys stay.
    worded = problem.worded_for(build_options_vocabulary(experiment))
    assert str(worded).endswith("See data.patients, or --embeddings a.npz.")
