"""Both sizes of a study, for development and for evaluation, wherever a prevalence is given with a target."""

import re
from html import unescape

import pytest

from apexgp import APExGP, minimum_evaluation_size, read, write_report
from apexgp.errors import RequestError
from conftest import document_in, pilot_table, request_fields, require

STUDY = ("--target", 0.79, "--prevalence", 0.2)


@pytest.fixture(scope="module")
def pilot(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "pilot.csv"
    path.write_text(pilot_table())
    return path


@pytest.fixture(scope="module")
def model(pilot):
    return APExGP().fit(read(pilot, metric="auroc").curve)


@pytest.mark.slow
def test_one_paragraph_has_both_sizes(run, shown, facts_of, pilot, model):
    command = ("forecast", pilot, "--metric", "auroc", *STUDY)
    _, sentence, text = shown(*command)
    facts = facts_of(*command)
    found, required = minimum_evaluation_size(0.2, 0.79), model.required_size(0.79)
    paragraph = facts["study"]["paragraph"]
    assert sentence == facts["sentence"]
    assert sentence.startswith(paragraph)  # the target comes first, then the forecast
    assert sentence.count("To reach a mean AUROC of 0.79") == 1
    development, evaluation = paragraph.split(" To evaluate the finished model, ")
    assert development.startswith("To reach a mean AUROC of 0.79 with a probability of 80 %, plan for ")
    assert f"{required.in_words(required.size)} training" in development
    assert f"at least {found.size:,} further patients who had no part in its development" in evaluation
    assert f"about {found.events:,} of them with the outcome if 20 % of all have it" in evaluation
    assert "if its C statistic (AUROC) is 0.79, most are needed for the calibration slope" in evaluation
    total = required.rounded_size + found.size
    assert evaluation.endswith(
        f"The two add up, since no patient can serve both: {total:,.0f} patients, {required.rounded_size:,} for "
        f"development and {found.size:,} for evaluation; those for validation and test still come on top."
    )
    assert facts["study"]["total"] == total
    with_share = facts_of(*command, "--test-share", 0.2)
    assert with_share["study"]["total"] == with_share["total"] + found.size
    assert facts["study"]["evaluation"]["criteria"] == found.criteria
    assert "Minimum sample size for external validation" in text
    assert "10 (how the sizes for development and evaluation were arrived at)" in text
    assert "the size for evaluation (10)" not in text
    assert "study" not in facts_of("forecast", pilot, "--target", 0.8)


@pytest.mark.slow
def test_no_evaluation_is_planned_at_a_target_that_cannot_be_reached(facts_of, pilot, model):
    assert model.required_size(0.97).is_out_of_reach
    command = ("forecast", pilot, "--metric", "auroc", "--target", 0.97, "--prevalence", 0.2)
    study = facts_of(*command)["study"]
    assert study["evaluation"] is study["total"] is None
    assert study["paragraph"].endswith("No evaluation is planned at a target that cannot be reached.")
    assert facts_of(*command, "--cstatistic", 0.8)["study"]["evaluation"]["cstatistic"] == 0.8


@pytest.mark.slow
def test_the_c_statistic_is_the_target_only_where_scores_are_aurocs(run, facts_of, pilot):
    code, out, err = run("forecast", pilot, "--metric", "accuracy", *STUDY)
    assert (code, out) == (1, "")
    assert "--cstatistic must be given with a prevalence: nothing says that the scores (accuracy) are AUROCs." in err
    assert "Give --cstatistic, or --metric auroc if they are AUROCs." in err
    facts = facts_of("forecast", pilot, "--metric", "accuracy", *STUDY, "--cstatistic", 0.9)
    assert facts["study"]["evaluation"]["cstatistic"] == 0.9
    err = run("forecast", pilot, "--metric", "auroc", "--target", 0.4, "--prevalence", 0.2)[2]
    assert "--target must be above 0.5, which is chance" in err


@pytest.mark.slow
def test_the_report_and_the_page_say_the_same(run, facts_of, pilot, tmp_path):
    require("fastapi")
    require("jinja2")
    from apexgp.surfaces.web.answers import answer

    facts = facts_of("forecast", pilot, "--metric", "auroc", *STUDY)
    out = tmp_path / "report.html"
    assert run("report", pilot, "--metric", "auroc", *STUDY, "--budget", 0, "--out", out)[0] == 0
    html = out.read_text()
    assert document_in(html)["forecast"]["study"] == facts["study"]
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
    assert facts["study"]["paragraph"] in text
    size = minimum_evaluation_size(0.2, 0.79).size
    assert f"For evaluation: {size:,} patients, by Riley et al. 2021." in text
    assert "The size for evaluation: examples that no size here includes." not in text
    assert "--prevalence 0.2" in text
    assert "prevalence=0.2" in text
    asked = request_fields("page", table=pilot.read_text(), metric="auroc", target=0.79, prevalence=0.2)
    status, _, body = answer(("page", asked))
    assert status == 200
    for said in (b"minimum_evaluation_size(0.2, 0.79)", b"--prevalence 0.2", b"observed / expected"):
        assert said in body


def test_a_report_on_several_tasks_has_no_one_prevalence(model, tmp_path):
    require("jinja2")
    with pytest.raises(RequestError, match="prevalence applies to one task, whose outcome it describes; there are 2"):
        write_report({"a": model, "b": model}, tmp_path / "r.html", target=0.79, prevalence=0.2)
