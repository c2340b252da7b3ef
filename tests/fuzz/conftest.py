"""What the attacks write goes with the session: worker processes of pytest end without the functions of `atexit`."""

import shutil

import pytest

from fuzz.surface import folder


@pytest.fixture(scope="session", autouse=True)
def _nothing_left():
    yield
    shutil.rmtree(folder(), ignore_errors=True)
