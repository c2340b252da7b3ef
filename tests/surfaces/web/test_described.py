"""The description at /openapi.json, taken at its word. `make api` does the same for longer."""

import pytest

from apexgp.surfaces.web.requests import REQUESTS
from conftest import require
from serving import described, send


@pytest.mark.slow
def test_schemathesis_finds_nothing(server):
    require("schemathesis")
    code, said = described(server, "--phases", "examples,fuzzing", "--max-examples", "3", "--seed", "1")
    assert code == 0, said
    paths = send(server, "/openapi.json")[2]["paths"]
    assert {path.rpartition("/")[2] for path in paths} == {*REQUESTS, "read", "examples"}
    assert f"{len(paths)} selected / {len(paths)} total" in said
