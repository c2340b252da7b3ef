"""`python release/try_wheel.py dist/*.whl [PYTHON ...]`: try a wheel alone, on every Python that is at hand.

Each interpreter gets an empty environment with the wheel and what it declares, no extra, and makes the same forecast.
By default those of the supported versions are tried that are on the path.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

PAIRS = """size,score,split
60,0.650,a
60,0.670,b
94,0.695,a
94,0.715,b
147,0.712,a
147,0.732,b
230,0.745,a
230,0.765,b
360,0.758,a
360,0.778,b
"""
SIZES = "720,3600"
PACKAGES = ("numpy", "scipy", "sklearn")
TOLERANCE = 0.002  # versions of NumPy and SciPy differ in the last digits of elementary functions


def supported() -> list[str]:
    """The interpreters that pyproject.toml names, where they are on the path."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    named = re.findall(
        r"Programming Language :: Python :: (3\.\d+)", str(tomllib.loads(text)["project"]["classifiers"])
    )
    return [found for version in named if (found := shutil.which(f"python{version}"))]


def forecasts(wheel: Path, python: str, folder: Path) -> dict[str, object]:
    """Install the wheel into an environment of that interpreter's, and give what it forecasts, and with what."""
    home = folder / "home"
    _run([python, "-m", "venv", home], folder)
    inside = home / ("Scripts" if os.name == "nt" else "bin")
    pip = [inside / "python", "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", "--no-compile", wheel], folder)  # most of it is never imported
    _run([*pip, "check"], folder)
    (folder / "pairs.csv").write_text(PAIRS, encoding="utf-8")
    facts = json.loads(_run([inside / "apexgp", "forecast", "pairs.csv", "--at", SIZES, "--json"], folder))
    asked = f"import {', '.join(PACKAGES)}, sys; from apexgp.compiled.loaded import compiled_loops; "
    asked += f"print(sys.version.split()[0], {', '.join(f'{name}.__version__' for name in PACKAGES)}, "
    asked += "compiled_loops() is not None)"
    version, *packages, compiled = _run([inside / "python", "-c", asked], folder).split()
    refused = _run([inside / "apexgp", "forecast", "pairs.csv", "--plot", "curve.png"], folder, code=1)
    if "pip install 'apexgp[plot]'" not in refused:
        raise SystemExit(f"{python}: without the extra, --plot said: {refused}")
    means = [row["mean"] for row in facts["forecast"]]
    return {"python": version, **dict(zip(PACKAGES, packages, strict=True)), "compiled": compiled, "means": means}


def _run(command: list[object], folder: Path, code: int = 0) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        [*map(str, command)], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    if done.returncode != code:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stderr if code else done.stdout


def main() -> None:
    """Try them one after the other; the first sets what the others have to forecast."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("wheel", type=Path)
    options.add_argument("python", nargs="*")
    options.add_argument("--json", action="store_true", help="one line of JSON per interpreter, and nothing else")
    given = options.parse_args()
    found: list[dict[str, object]] = []
    for python in given.python or supported() or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            found.append(forecasts(given.wheel.resolve(), python, Path(folder)))
        facts = found[-1]
        means = " ".join(f"{mean:.6f}" for mean in facts["means"])
        print(json.dumps(facts) if given.json else "  ".join([*map(str, list(facts.values())[:5]), means]), flush=True)
        if any(abs(a - b) > TOLERANCE for a, b in zip(facts["means"], found[0]["means"], strict=True)):
            raise SystemExit(f"Python {facts['python']} forecasts otherwise than {found[0]['python']}.")


if __name__ == "__main__":
    main()
