"""The vignette for R shows what R prints, where R is installed."""

import pytest

import pages
import r_page
from serving import serving


@pytest.mark.slow
def test_the_vignette_for_r_shows_what_r_prints(tmp_path):
    if reason := r_page.lacking():
        pytest.skip(f"docs/r.md is not tested: {reason}")
    with serving() as (_, _, address):
        remade = r_page.remade(address, tmp_path / "r.png")
    shown = r_page.PAGE.read_text(encoding="utf-8")
    for before, now in zip(shown.splitlines(), remade.splitlines(), strict=True):
        assert pages.alike(before, now), f"{before}\nis now\n{now}\n`make outputs` writes the page anew."
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
