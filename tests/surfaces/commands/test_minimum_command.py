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
