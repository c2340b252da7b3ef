import pytest


@pytest.mark.slow
def test_demo_compares_the_forecast_with_the_truth(run):
    code, out, err = run("demo", "--seed", 1)
    assert (code, err) == (0, "")
    assert "The truth: trained on 1,300 examples" in out
    assert "the interval from" in out
    assert run("demo", "--seed", 1)[1] == out
