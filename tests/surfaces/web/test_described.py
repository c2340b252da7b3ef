"""The description at /openapi.json, taken at its word. `make api` does the same for longer."""

import pytest

from conftest import require
from serving import described


@pytest.mark.slow
def test_schemathesis_finds_nothing(server):
    require("schemathesis")
    code, said = described(server, "--phases", "examples,fuzzing", "--max-examples", "6", "--seed", "1")
    assert code == 0, said
    assert "11 selected / 11 total" in said
