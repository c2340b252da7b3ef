from apexgp import minimum_sample_size
from conftest import has_row


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


def test_minimum_wants_one_statement_of_how_well_the_model_will_do(run):
    common = ("minimum", "--prevalence", "0.2", "--parameters", "12")
    for more, came in (((), "neither"), (("--r2", "0.1", "--cstatistic", "0.8"), "both")):
        code, out, err = run(*common, *more)
        assert (code, out) == (1, "")
        assert f"got {came}. Give --r2 or --cstatistic." in err
    assert "above 0.5, which is chance, and below 1, got 0.5" in run(*common, "--cstatistic", "0.5")[2]
    assert "Write 0.8 for 80 %" in run(*common, "--cstatistic", "80")[2]
    assert "--nagelkerke applies to r2" in run(*common, "--cstatistic", "0.8", "--nagelkerke")[2]
