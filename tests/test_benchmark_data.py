"""Benchmarks on third-party data, where these are absent: one line that says where to have them from."""

import os
import subprocess
import sys

import pytest

from conftest import REPOSITORY, require


@pytest.mark.slow  # each starts Python
@pytest.mark.parametrize(
    ("benchmark", "said"),
    [
        (["comparison.py"], "lcdb_dev.csv.gz: AUROC of single runs of the Learning Curve Database 1.0"),
        (["calibration.py", "--tasks", "paper"], "tufts: the results that Harvey et al. (2023) published"),
        (["calibration.py", "--folds", "none.json"], "There is no none.json. Write it"),
    ],
)
def test_absent_data_are_named_with_their_origin(benchmark, said, tmp_path):
    require("pandas")
    done = subprocess.run(
        [sys.executable, *benchmark],
        cwd=REPOSITORY / "benchmarks",
        env=os.environ | {"APEXGP_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
