"""What is handed out: wheel and sdist, what they hold and need, and the files that forges and authors read."""

import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

import apexgp
from conftest import REPOSITORY, missing, require

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COMMUNITY = ("CODE_OF_CONDUCT.md", "SECURITY.md", "SUPPORT.md")
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))


def versions_of_python():
    named = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text) for text in PROJECT["classifiers"])
    return [found[1] for found in named if found]


def tracked(folder):
    """Files under version control; those of a folder that is no repository are all there are."""
    asked = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    done = subprocess.run(asked, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return {name for name in done.stdout.splitlines() if (REPOSITORY / name).is_file()}
    paths = (path for path in (REPOSITORY / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(REPOSITORY)) for path in paths}


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_forecasts_in_an_empty_environment(tmp_path):
    require("build")
    require("twine")

    # The loops are compiled twice here, so without optimisation, which takes half a minute each time; the package that
    # all other tests run is compiled with it.
    (tmp_path / "cc").write_text('#!/bin/bash\nexec cc "${@/#-O3/-O0}"\n')
    (tmp_path / "cc").chmod(0o755)
    compiler = {"CC": str(tmp_path / "cc")} if shutil.which("cc") else {}

    def carried_out(*command):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | compiler
        done = subprocess.run(
            [*map(str, command)], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    asked = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--dest",
        tmp_path / "index",
        "setuptools",
    ]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        missing("no package index answers")
    # Built with the setuptools that is here. That what pyproject.toml asks for suffices is seen at every installation.
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    carried_out(*build, tmp_path / "dist", REPOSITORY)
    (wheel,), (sdist,) = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    carried_out(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)

    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {name.removeprefix("src/") for name in tracked("src/apexgp")}
    compiled = inside - ours
    assert ours <= inside
    assert all(re.fullmatch(r"apexgp/compiled/loops(\.\w+)*\.(so|pyd)", name) for name in compiled)
    assert len(compiled) == (shutil.which("cc") is not None)  # one, of the stable ABI; without a compiler none
    assert "-cp311-abi3-" in wheel.name  # for this platform, and for every Python from the oldest that is declared
    assert versions_of_python()[0] == "3.11"
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("src", "tests", "docs", "benchmarks", "papers", "article", "release"):
        assert tracked(folder) <= held, folder
    assert {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", "Makefile"} <= held
    assert {f".github/{name}" for name in COMMUNITY} <= held

    # Built again, from the sdist, elsewhere and later, it is the same to the last bit.
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    carried_out(*build, tmp_path / "again", unpacked)
    assert (tmp_path / "again" / wheel.name).read_bytes() == wheel.read_bytes()
    assert contents(tmp_path / "again" / sdist.name) == contents(sdist)

    # Installed with what it declares and nothing else, it forecasts what it forecasts here.
    facts = json.loads(
        carried_out(sys.executable, REPOSITORY / "release" / "try_wheel.py", "--json", wheel, sys.executable)
    )
    curve = apexgp.read(io.StringIO(script("release/try_wheel.py").PAIRS)).curve
    here = apexgp.APExGP().fit(curve).forecast([720, 3600])
    assert facts["means"] == pytest.approx(here.mean.tolist(), abs=0.002)
    assert facts["compiled"] == str(bool(compiled))


def contents(sdist):
    """What an archive holds, with all that is said of each file; but for the list of sources, which grows by a line."""
    with tarfile.open(sdist) as archive:
        return [
            (one.name, one.mtime, one.mode, one.uid, one.uname, archive.extractfile(one).read())
            for one in archive
            if not one.name.endswith("SOURCES.txt")
        ]


def script(path):
    """A program of the repository as a module."""
    spec = importlib.util.spec_from_file_location("script", REPOSITORY / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_readme_are_absolute_once_there_is_an_address():
    made = script("setup.py").readme
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert made(text, "", "main") == text
    address = "https://example.org/x"
    found = made(text, address, "main")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", found)
    assert links
    assert all(link.startswith(("https:", "#")) for _, link in links)
    ours = [(mark, link.removeprefix(f"{address}/")) for mark, link in links if link.startswith(address)]
    assert all(link.startswith("raw/main/" if mark else "blob/main/") for mark, link in ours)
    for _, link in ours:  # and there is something there
        assert (REPOSITORY / link.split("/", 2)[2].partition("#")[0]).exists(), link
    assert made("[![a](b.png)](c.md) [d](https://e) [f](#g)", address, "v1") == (
        f"[![a]({address}/raw/v1/b.png)]({address}/blob/v1/c.md) [d](https://e) [f](#g)"
    )


def test_what_is_not_known_is_blank_in_one_place():
    blanks = tomllib.loads((REPOSITORY / "release" / "blanks.toml").read_text(encoding="utf-8"))
    assert set(blanks) == {"repository", "branch", "documentation", "contact", "doi", "authors"}
    assert not blanks["repository"].endswith("/")
    for name in COMMUNITY:
        assert "release/blanks.toml" in (REPOSITORY / ".github" / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_are_yaml_and_name_targets_that_exist(path):
    workflow = require("yaml").safe_load(path.read_text(encoding="utf-8"))
    assert workflow["name"] == path.stem
    assert workflow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^(\w+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            for words in re.findall(r"\bmake\b([^\n]*)", step.get("run", "")):
                assert {word for word in words.split() if "=" not in word} <= targets
            if "uses" in step:
                assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step["uses"]), "a tag can be moved, a commit not"
            # What GitHub puts into a command is run: a tag may be called anything.
            assert "${{" not in step.get("run", "")
            assert not re.search(r"python -c \"[^\"]*\$", step.get("run", ""))
    for line in path.read_text(encoding="utf-8").splitlines():
        assert "uses:" not in line or re.search(r"  # v\d+\.\d+\.\d+$", line), "and which version that is"


def test_lower_bounds_are_those_that_tests_run_with():
    (path,) = [path for path in WORKFLOWS if path.name == "test.yml"]
    steps = require("yaml").safe_load(path.read_text(encoding="utf-8"))["jobs"]["lowest"]["steps"]
    assert any("make PYTHON=python lowest" in step.get("run", "") for step in steps)
    bounds = {re.split(r"[>=\[]", one)[0]: one for one in PROJECT["dependencies"]}
    assert all(">=" in one for one in bounds.values())
    assert bounds["numpy"] == "numpy>=2.0"  # numpy.trapezoid


@pytest.mark.parametrize(("job", "tool"), [("build", "build"), ("wheels", "cibuildwheel")])
def test_the_jobs_that_build_what_is_published_install_nothing_that_is_not_pinned(job, tool):
    (path,) = [path for path in WORKFLOWS if path.name == "publish.yml"]
    steps = require("yaml").safe_load(path.read_text(encoding="utf-8"))["jobs"][job]
    (install,) = [step for step in steps["steps"] if "install" in step.get("run", "")]
    assert install["run"] == f"python -m pip install {tool}"
    constraint = (steps.get("env", {}) | install.get("env", {}))["PIP_CONSTRAINT"]
    assert {tool, "setuptools"} <= set(pinned(REPOSITORY / constraint))
    assert not any("make" in step.get("run", "") for step in steps["steps"])
    for step in steps["steps"]:
        if "cibuildwheel --output-dir" in step.get("run", ""):  # what its builds install, in a container or not
            name, constraint = step["env"]["CIBW_ENVIRONMENT"].split("=")
            assert (name, pinned(REPOSITORY / constraint)) == ("PIP_CONSTRAINT", ["setuptools"])


def pinned(path):
    """Names that a file of constraints pins, and those of the files that it names."""
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    more = [path.with_name(line.removeprefix("-c ")) for line in lines if line.startswith("-c ")]
    own = [line.partition("==") for line in lines if not line.startswith("-c ")]
    assert all(sign and version for _, sign, version in own), path
    return [name for name, _, _ in own] + [name for other in more for name in pinned(other)]


def test_tests_run_on_every_python_that_is_declared():
    (path,) = [path for path in WORKFLOWS if path.name == "test.yml"]
    matrix = require("yaml").safe_load(path.read_text(encoding="utf-8"))["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python-version"] == versions_of_python()
    platforms = require("yaml").safe_load(path.read_text(encoding="utf-8"))["jobs"]["platforms"]["strategy"]["matrix"]
    assert platforms["os"] == ["windows-latest", "macos-latest"]
    assert platforms["python-version"] == [versions_of_python()[0], versions_of_python()[-1]]


def test_supported_versions_of_python_agree_wherever_they_are_stated():
    first, last = versions_of_python()[0], versions_of_python()[-1]
    assert PROJECT["requires-python"] == f">={first},<3.{int(last.split('.')[1]) + 1}"
    for name in ("README.md", "docs/start_spreadsheet.md"):
        assert f"Python {first} to {last}" in (REPOSITORY / name).read_text(encoding="utf-8"), name
    assert f"{first} to {last}" in (REPOSITORY / "Makefile").read_text(encoding="utf-8")


def test_the_line_under_the_title_of_the_readme_is_true():
    line = (REPOSITORY / "README.md").read_text(encoding="utf-8").splitlines()[2]
    first, last = versions_of_python()[0], versions_of_python()[-1]
    assert line.startswith(f"Version {apexgp.__version__} · Python {first} to {last} · typed · {PROJECT['license']}")
    assert (REPOSITORY / "src" / "apexgp" / "py.typed").exists()


def test_publishing_needs_no_secret_and_waits_for_the_wheel_to_work():
    (path,) = [path for path in WORKFLOWS if path.name == "publish.yml"]
    text = path.read_text(encoding="utf-8")
    assert "secrets." not in text
    jobs = require("yaml").safe_load(text)["jobs"]
    assert jobs["publish"]["needs"] == ["build", "wheels", "try"]
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert any("tests/test_release.py" in step.get("run", "") for step in jobs["try"]["steps"])


def test_hooks_before_a_commit_are_the_linters_of_ci():
    config = require("yaml").safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = config["repos"]
    assert repository["repo"] == "local"  # no second place for versions
    assert any(hook["entry"].endswith("make --silent check") for hook in repository["hooks"])
    assert "make check" in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")


def test_how_to_cite_is_one_and_the_same_everywhere():
    from apexgp.question_base.citations import list_citations

    cited = require("yaml").safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (apexgp.__version__, PROJECT["license"])
    page = " ".join((REPOSITORY / "docs" / "cite.md").read_text(encoding="utf-8").replace("\n> ", " ").split())
    for reference in list_citations(["harvey", "lcdb", "lcdb_1_1"]):
        assert reference.removesuffix(" Data under CC BY 4.0.") in page
    paper, *databases = cited["references"]
    for person in paper["authors"]:
        assert f"{person['family-names']}, {person['given-names']}" in page
    assert [one["title"].partition(":")[0] for one in databases] == ["LCDB 1.0", "LCDB 1.1"]
    for one in databases:
        assert one["title"] in page
        assert all(f"{person['family-names']} {person['given-names'][0]}" in page for person in one["authors"])


def test_the_changelog_is_in_the_form_it_names():
    text = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    version = re.compile(r"\[(Unreleased|\d+\.\d+\.\d+)\]( - (unreleased|\d{4}-\d\d-\d\d))?")
    assert all(version.fullmatch(heading) for heading in re.findall(r"^## (.*)$", text, re.MULTILINE))
    kinds = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    lines = re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)
    assert not [line for line in lines if line.count("\n") > 1], "one or two lines for each change"


def test_the_conda_recipe_asks_for_what_the_package_declares():
    recipe = require("yaml").safe_load((REPOSITORY / "release" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"] == {"version": apexgp.__version__, "python_min": versions_of_python()[0]}
    wanted = {re.sub(r"(?=>=)", " ", one) for one in PROJECT["dependencies"]}
    assert set(recipe["requirements"]["run"]) == {"python"} | wanted


TEMPLATES = sorted((REPOSITORY / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))


def test_a_wrong_forecast_is_reported_with_its_curve_and_what_came():
    forms = {path.stem: require("yaml").safe_load(path.read_text(encoding="utf-8")) for path in TEMPLATES}
    needed = {field["id"] for field in forms["wrong_forecast"]["body"] if field["validations"]["required"]}
    assert needed == {"curve", "asked", "came", "truth", "version"}
    for name, form in forms.items():
        assert name == "config" or {"name", "description", "body"} <= set(form)


@pytest.mark.slow
def test_our_paper_is_as_the_journal_asks_for_it(tmp_path):
    article = script("article/article.py")
    paper, library = ((REPOSITORY / "article" / name).read_text(encoding="utf-8") for name in ("paper.md", "paper.bib"))
    assert article.faults(paper, library) == []
    assert (
        article.faults(paper.replace("# Summary", "# Sumary").replace("[@harvey2023]", "[@nobody1999]"), library) != []
    )
    # What it quotes of the evidence is what the README has.
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert article.with_evidence(paper, readme) == paper, "make article quotes them anew"
    changed = article.with_evidence(paper, re.sub(r"(MAP\) \|)[^|]*\|", r"\1 .1 .2 .3 |", readme))
    assert "| the published method (MAP) | .1 .2 .3 |" in changed
    if shutil.which("pandoc") is None:
        missing("pandoc is not installed")
    (page, *_) = article.compile_paper(tmp_path)
    text = page.read_text(encoding="utf-8")
    assert text.count('class="csl-entry"') == library.count("\n@") + 1
    assert "???" not in text  # a reference that was not found


def test_every_place_that_the_checklist_names_is_there():
    page = (REPOSITORY / "docs" / "checklist.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w./-]+/[\w./-]+|[A-Z_]{4,}(?:\.\w+)?|\w+\.(?:toml|cff))`", page))
    assert {"release/blanks.toml", "LICENSE", "article/paper.md"} <= named
    gone = [name for name in named if not (REPOSITORY / name).exists() and name != "SOURCE_DATE_EPOCH"]
    assert not gone
    targets = set(re.findall(r"^(\w+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {word for words in re.findall(r"`make ([\w ]+)`", page) for word in words.split()} <= targets
