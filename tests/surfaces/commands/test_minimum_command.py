import pytest

from apexgp import minimum_evaluation_size, minimum_sample_size
from conftest import has_row


@pytest.mark.slow
def test_minimum_prints_every_criterion(shown, facts_of):
    command = ("minimum", "--prevalence", "0.05", "--parameters", "30", "--r2", "0.05")
    lines, sentence, text = shown(*command)
    found = minimum_sample_size(0.05, 30, 0.05)
    for name, size in found.criteria.items():
        assert has_row(lines, name.replace("_", " "), f"{size:,}")
        assert f"{size:,}" in text
    assert "needs at least 5,249 patients, 263 of them with the outcome" in sentence
    assert "(8.7 events per parameter)" in text
    content = facts_of(*command)["minimum"]
    assert content["criteria"] == dict(found.criteria)
    assert (content["size"], content["decisive"], content["events"]) == (5249, "shrinkage", 263)


def test_minimum_takes_every_assumption(facts_of):
    options = {"margin": 0.04, "shrinkage": 0.95, "optimism": 0.03, "error": 0.06}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    facts = facts_of("minimum", "--prevalence", 0.2, "--parameters", 40, "--r2", 0.3, "--nagelkerke", *words)
    found = minimum_sample_size(0.2, 40, 0.3, nagelkerke=True, **options)
    assert facts["minimum"]["criteria"] == dict(found.criteria)
    assert facts["cautions"] == list(found.cautions) != []


@pytest.mark.slow
def test_minimum_takes_the_auroc_that_clinicians_have(shown, facts_of, run):
    command = ("minimum", "--prevalence", "0.174", "--parameters", "24", "--cstatistic", "0.89")
    _, _, text = shown(*command)
    found = minimum_sample_size(0.174, 24, cstatistic=0.89)
    content = facts_of(*command)["minimum"]
    assert (content["r2"], content["cstatistic"], content["size"]) == (found.r2, 0.89, found.size)
    assert "a Cox-Snell R2 of 0.291 (derived from a C statistic of 0.89 after Riley et al. 2021; maximum" in text
    assert "A note on estimating the Cox-Snell R2 from a reported C statistic" in text
    help_text = " ".join(run("minimum", "--help")[1].split())
    assert (
        "Outcomes of several categories and times to an event have criteria of their own, which are not here."
        in help_text
    )


@pytest.mark.slow
def test_minimum_wants_one_statement_of_how_well_the_model_will_do(run):
    common = ("minimum", "--prevalence", "0.2", "--parameters", "12")
    for more, came in (((), "neither"), (("--r2", "0.1", "--cstatistic", "0.8"), "both")):
        code, out, err = run(*common, *more)
        assert (code, out) == (1, "")
        assert f"got {came}. Give --r2 or --cstatistic." in err
    assert "above 0.5, which is chance, and below 1, got 0.5" in run(*common, "--cstatistic", "0.5")[2]
    assert "Write 0.8 for 80 %" in run(*common, "--cstatistic", "80")[2]
    assert "--nagelkerke applies to r2" in run(*common, "--cstatistic", "0.8", "--nagelkerke")[2]


@pytest.mark.slow
def test_minimum_for_evaluation_works_alone(shown, facts_of):
    command = ("minimum", "--for", "evaluation", "--prevalence", "20%", "--cstatistic", "0.8")
    lines, sentence, text = shown(*command)
    found = minimum_evaluation_size(0.2, 0.8)
    for label, name in (("observed / expected", "observed_over_expected"), ("calibration slope", "calibration_slope")):
        assert has_row(lines, label, "0.2", f"{found.criteria[name]:,}")
    assert has_row(lines, "C statistic", "0.1", "471")
    assert "takes at least 2,671 patients who had no part in its development, 535 of them with the outcome" in sentence
    assert "2,671 for the calibration slope (width 0.2) and 471 for the C statistic (width 0.1)" in text
    assert "Minimum sample size for external validation of a clinical prediction model with a binary outcome" in text
    facts = facts_of(*command)
    assert (facts["schema"], facts["minimum"]["criteria"]) == ("urn:apexgp:evaluation:1", found.criteria)


@pytest.mark.slow
def test_minimum_for_evaluation_takes_every_width_and_a_threshold(shown, facts_of):
    widths = {"oe_width": 0.3, "slope_width": 0.4, "cstatistic_width": 0.06, "net_benefit_width": 0.3}
    words = [word for name, value in widths.items() for word in (f"--{name.replace('_', '-')}", value)]
    command = ("minimum", "--for", "evaluation", "--prevalence", 0.1, "--cstatistic", 0.7, "--threshold", 0.15, *words)
    found = minimum_evaluation_size(0.1, 0.7, threshold=0.15, **widths)
    content = facts_of(*command)["minimum"]
    assert content["criteria"] == found.criteria
    assert list(content["widths"].values()) == list(widths.values())
    assert (content["sensitivity"], content["specificity"]) == (found.sensitivity, found.specificity)
    assert "for the standardised net benefit at a risk threshold of 0.15 (width 0.3)" in shown(*command)[2]
