"""The shape of the project: imports, public names, versions."""

import ast
import functools
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import apexgp
from conftest import REPOSITORY
from public_names import public_modules, public_names

SOURCE = REPOSITORY / "src" / "apexgp"
STAGES = dict(
    re.findall(r"^  (\S+?)/?\s+(\d)  ", (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8"), re.MULTILINE)
)

# What extras bring: loaded by nothing but what needs it.
OPTIONAL = {"matplotlib", "pandas", "polars", "openpyxl", "plotly", "fastapi", "dask", "distributed", "jinja2", "mcp"}
OPTIONAL |= {"torch", "transformers", "PIL", "pydicom", "nibabel", "safetensors", "huggingface_hub"}


def modules():
    return [path for path in SOURCE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py")]


def top(path):
    """The entry of the tree in ARCHITECTURE.md that a module belongs to."""
    return path.relative_to(SOURCE).parts[0]


@functools.cache
def imported(path):
    """Modules of the package that a module imports anywhere in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1]
            names = [node.module.replace(".", "/")] if node.module else [alias.name for alias in node.names]
            for name in names:
                target = folder / name
                places = (target, target.with_suffix(".py"), folder)  # the last: a name of the package itself
                found.append(next(place for place in places if place.exists()))
    return found


def test_the_map_is_short():
    assert len((REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8").split()) <= 1500


def test_every_module_has_a_stage():
    assert {top(path) for path in modules()} == set(STAGES)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_to_earlier_stages(path):
    for target in imported(path):
        assert target.exists(), target
        here, there = STAGES[top(path)], STAGES[top(target)]
        same_folder = top(path) == top(target) and path.parent != SOURCE
        assert there < here or same_folder or here == there == "0", (
            f"{top(path)} ({here}) imports {top(target)} ({there})"
        )


def test_commands_are_imported_by_the_command_line_alone():
    for path in modules():
        for target in imported(path):
            assert target.relative_to(SOURCE).parts[:2] != ("surfaces", "commands") or path.name == "cli.py", path


BROAD = {"Exception", "BaseException"}


@pytest.mark.slow
def test_everything_is_caught_only_around_the_code_of_others():
    found = []
    for path in modules():
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.ExceptHandler):
                caught = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else BROAD
                again = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None  # cleared up, and raised on
                if caught & BROAD:
                    assert "#" in lines[node.lineno - 1], f"{path}:{node.lineno} does not say why"
                    found += [] if again else [f"{path}:{node.lineno}"]
    assert len(found) <= 22, found


@pytest.mark.slow
def test_importing_loads_nothing_heavy():
    assert loaded_by("import apexgp") == {"apexgp"}
    fitted = loaded_by(
        "from apexgp import APExGP; model = APExGP().fit([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79]);"
        "print(model, model.forecast([500]).interval(), file=sys.stderr)"
    )
    assert fitted >= {"apexgp", "numpy", "scipy"}
    assert not fitted & {*OPTIONAL, "typer", "rich", "sklearn", "joblib"}


@pytest.mark.slow
def test_the_command_line_loads_what_a_command_needs(tmp_path):
    (tmp_path / "pairs.csv").write_text("size,score\n60,0.66\n94,0.705\n147,0.722\n230,0.755\n")
    run = "sys.argv = ['apexgp', {}]; from apexgp.surfaces.cli import main\ntry: main()\nexcept SystemExit: pass\n"
    listed = loaded_by(run.format("'--help'"))
    assert "typer" in listed
    assert not listed & {*OPTIONAL, "numpy", "scipy", "sklearn"}
    answered = loaded_by(run.format("'forecast', 'pairs.csv'"), tmp_path)
    assert "numpy" in answered
    assert not answered & {*OPTIONAL, "sklearn", "joblib"}


@pytest.mark.slow
def test_a_command_loads_only_what_it_uses(tmp_path):
    (tmp_path / "pairs.csv").write_text("size,score\n60,0.66\n94,0.705\n147,0.722\n230,0.755\n")

    def loaded(*words):
        code = (
            f"import sys\nsys.argv = ['apexgp', *{words!r}]\nfrom apexgp.surfaces.cli import main\n"
            "try: main()\nexcept SystemExit: pass\n"
            "print('loaded:', *(name for name in sys.modules if name.startswith('apexgp')))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
        return set(done.stdout.rpartition("loaded:")[2].split())

    forecast = loaded("forecast", "pairs.csv", "--json")
    assert "apexgp.inference.integral" in forecast
    assert len(forecast) <= 110, sorted(forecast)
    engines = ("apexgp.inference", "apexgp.point_estimates")
    assert not [name for name in loaded("collect", "--help") if name.startswith(engines)]
    minimum = loaded("minimum", "--prevalence", "0.1", "--parameters", "9", "--cstatistic", "0.8")
    assert "apexgp.questions.minimum" in minimum
    assert not [name for name in minimum if name.startswith((*engines, "apexgp.curve", "apexgp.reading.source"))]


def loaded_by(code, folder=None):
    """Packages beyond Python's own that a new process has loaded once the code has been run."""
    code = f"import sys\n{code}\nprint('loaded:', sorted({{m.partition('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=folder)
    loaded = ast.literal_eval(done.stdout.rpartition("loaded:")[2].strip())
    return {name for name in loaded if name not in sys.stdlib_module_names and not name.startswith("_")}


@pytest.mark.slow
def test_works_without_the_extras(tmp_path):
    # A bare environment: whatever is optional cannot be imported.
    code = (
        f"OPTIONAL = {sorted(OPTIONAL)!r}"
        + """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in OPTIONAL:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import apexgp
model = apexgp.APExGP().fit([60, 94, 147, 230], [0.7, 0.74, 0.77, 0.79])
model.forecast([500]).interval()
try:
    apexgp.plot.CurveDisplay.from_estimator(model).plot()
except apexgp.errors.MissingExtraError as error:
    print(error)
with open("pilot.xlsx", "wb") as book:
    book.write(b"PK\\x03\\x04")
try:
    apexgp.read("pilot.xlsx")
except apexgp.errors.MissingExtraError as error:
    print(error)
"""
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == [
        "CurveDisplay.plot needs matplotlib: pip install 'apexgp[plot]'",
        "Reading the workbook pilot.xlsx needs openpyxl: pip install 'apexgp[xlsx]'",
    ]


def test_public_names_are_where_the_reference_has_them():
    names = public_names()
    assert len(apexgp.__all__) < 47  # at the top is what the README and the quickstarts need
    values = [value for value in names.values() if inspect.isclass(value) or inspect.isfunction(value)]
    assert len(set(values)) == len(values)  # each in one place
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (REPOSITORY / "docs" / "api").glob("*.rst"))
    packages = " ".join(re.findall(r"^\.\. public:: (.*)$", pages, re.MULTILINE)).split()
    whole = tuple(f"{module}." for module in re.findall(r"^\.\. automodule:: (\S+)$", pages, re.MULTILINE))
    for name, value in names.items():
        by_itself = name.startswith(whole) or f".. py:data:: {name}\n" in pages
        home = getattr(value, "__module__", "").split(".")[:2][-1]
        assert by_itself or home in packages, name
    assert all(f"``{module}``" in pages for module in public_modules())


@pytest.mark.parametrize("module", public_modules().values(), ids=public_modules())
def test_dir_shows_public_names_only(module):
    assert [name for name in dir(module) if not name.startswith("__")] == sorted(module.__all__)


def test_defaults_of_public_functions_fit_on_a_line():
    for name, value in public_names().items():
        if inspect.isfunction(value):
            for parameter in inspect.signature(value).parameters.values():
                assert len(str(parameter)) < 120, f"{name}: {parameter.name}"


def test_modules_for_users_hold_nothing_of_their_own():
    last = max(STAGES.values())
    facades = [SOURCE / name for name, stage in STAGES.items() if stage == last]
    assert {f"apexgp.{path.stem}" for path in facades} == public_modules().keys() - {
        "apexgp",
        "apexgp.errors",
        "apexgp.metrics",
    }
    for path in facades:
        body = ast.parse(path.read_text(encoding="utf-8")).body[1:]
        assert all(isinstance(node, ast.ImportFrom | ast.Assign) for node in body), path


def test_names_load_from_where_type_checkers_find_them():
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (static,) = (node.body for node in tree.body if isinstance(node, ast.If))
    imports = [(node.module, alias.name) for node in static if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert {name: module for module, name in imports if module} == apexgp._HOMES
    assert sorted(name for _, name in imports) == sorted(apexgp.__all__)
    for module, name in imports:
        home = import_module(f"apexgp.{module or name}")
        assert getattr(apexgp, name) is (getattr(home, name) if module else home)
    with pytest.raises(AttributeError, match="'apexgp' has no attribute 'forecasts'"):
        _ = apexgp.forecasts


def test_error_tree_in_the_docstring_is_complete():
    for name in apexgp.errors.__all__:
        assert re.search(rf"\b{name}\b", apexgp.errors.__doc__), name


def test_versions_are_stated_once():
    project = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{apexgp.__version__}"' in project
    assert f"## [{apexgp.__version__}]" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    for path in Path(SOURCE).rglob("*.py"):
        assert apexgp.__version__ not in path.read_text(encoding="utf-8"), path
