"""Numbers as sentences hold them."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apexgp import APExGP, CollectionPlan, LearningCurve, RequiredSize
from apexgp._numbers import format_chance, format_money, format_size_needed, round_up
from apexgp.question_base.model_documents import describe_required_size
from apexgp.question_base.phrases import add_article
from apexgp.question_base.question import build_table
from apexgp.question_base.sizes import SizeSpec
from apexgp.question_base.wording import count_total, describe_required_size_methods, say_required_size
from apexgp.questions.compare import say_comparison
from apexgp.questions.forecast import ForecastQuestion
from apexgp.surfaces.output import quote_path
from apexgp.surfaces.report.text import build_required_table
from apexgp.typing import PairComparison


@pytest.mark.parametrize(
    ("size", "digits", "said"),
    [
        (653, 2, "660"),
        (653, 3, "653"),
        (1_001, 2, "1,100"),
        (1_000, 2, "1,000"),
        (1_234_567, 3, "1,240,000"),
        (99, 2, "99"),
        (7, 2, "7"),
        (12_345, 2, "13,000"),
        (2.3e12, 2, "2.3e+12"),
        (1.7e301, 2, "1.7e+301"),
    ],
)
def test_a_size_is_rounded_up(size, digits, said):
    assert format_size_needed(size, digits) == said


@pytest.mark.slow
@given(st.integers(1, 10**17), st.integers(2, 3))
def test_rounding_up_never_takes_away_and_adds_less_than_one_of_the_last_digit(size, digits):
    rounded = round_up(size, digits)
    assert rounded >= size
    assert rounded - size < 10 ** max(0, len(str(size)) - digits)
    assert len(str(rounded).rstrip("0")) <= digits
    assert round_up(rounded, digits) == rounded


@pytest.mark.parametrize(
    ("p", "short_of", "said"),
    [
        (0.876, None, "88 %"),
        (0.931, None, "93 %"),
        (0.9951, None, "more than 99 %"),
        (0.004, None, "less than 1 %"),
        (0.796, 0.8, "under 80 %"),
        (0.796, 0.9, "80 %"),
        (0.8, 0.8, "80 %"),
        (0.794, 0.8, "79 %"),
        (0.9246, 0.925, "92 %"),
        (0.9999, 0.99999, "more than 99 %"),
    ],
)
def test_probabilities_have_no_false_digits_and_do_not_reach_what_they_are_short_of(p, short_of, said):
    assert format_chance(p, short_of) == said


@pytest.mark.parametrize(("amount", "said"), [(6_049.7, "6,000"), (0.456, "0.46"), (37.2, "37"), (123_456, "120,000")])
def test_amounts_have_the_digits_of_what_they_rest_on(amount, said):
    assert format_money(amount) == said


@pytest.mark.parametrize(
    ("size_range", "words", "times"),
    [((538, 811), "between 530 and 820", "3.6 to 5.6"), ((538, math.inf), "530 or more", "3.6 or more")],
)
def test_a_range_is_printed_everywhere_where_the_size_is_not_known(size_range, words, times):
    found = RequiredSize(0.8, 0.6, 653, 512, (300, math.inf), 0.9, 0.2, False, size_range, relative_error=0.187)
    curve = LearningCurve([60, 94, 147], [0.7, 0.72, 0.74], metric="auroc")
    sentence = say_required_size(found, curve)
    assert f"plan for {words} training examples, {times} times the pilot's 147" in sentence
    assert ("not decided" in sentence) == found.is_open
    assert "odds" not in sentence
    assert f"{words} examples reach 0.8" in str(found)
    assert f"{words} training examples on" in describe_required_size_methods(found, curve)
    assert describe_required_size(found)["size_range"] == [None if math.isinf(end) else end for end in size_range]
    assert count_total(found, replace(curve, test_share=0.2)) is None
    _, rows = build_required_table(found, curve)
    assert ["with 60 %", words, times] in rows
    assert ["with 50 %", "520", "3.5"] in rows
    assert ["with 90 %", "none: 90 % at best", "-"] in rows


@pytest.mark.parametrize("cost", [12, 0.1, 7.25, 1234.5])
def test_the_rows_of_a_plan_add_up_as_they_are_shown(cost):
    plan = CollectionPlan(0.8, cost, 5e6, 361, (1_204, 1_877, 12_345), 0.1, (0.3, 0.5, 0.9), 100.0, 90.0, 0.1)
    _, rows = build_table(plan)
    have = 361
    for _, more, size, price, _ in [[cell.replace(",", "") for cell in row] for row in rows]:
        have += int(more)
        assert have == int(size)
        assert float(price) == pytest.approx(int(more) * cost, rel=1e-9)


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (0.012, "the expected difference in AUROC is 0.012."),
        (-0.0001, "the expected difference in AUROC is less than 0.001, too small to choose by."),
    ],
)
def test_a_difference_that_would_be_shown_as_nothing_is_said_to_be_none(gap, said):
    one = np.array([1000.0])
    pair = PairComparison("a", "b", one, np.array([0.46]), np.array([gap]), (), 0, 0.0, one, np.array([0.46]))
    curve = LearningCurve([60, 94, 147], [0.98, 0.99, 0.99], metric="auroc")
    assert said in say_comparison(pair, curve)
    assert "-0.000" not in str(pair)


@pytest.mark.parametrize(("name", "typed"), [("c.csv", "c.csv"), ("-c.csv", "./-c.csv"), ("--json", "./--json")])
def test_a_file_that_is_called_as_an_option_is_typed_so_that_it_is_none(name, typed):
    assert quote_path(Path(name)) == typed


@pytest.mark.parametrize(
    "said",
    ["an AUROC", "an accuracy", "an F1 score", "an R2", "a recall", "a Dice score", "a c-statistic", "a log loss"],
)
def test_metrics_have_the_article_that_is_said(said):
    assert add_article(said.split(maxsplit=1)[1]) == said


def test_a_paragraph_for_a_paper_names_no_arguments_and_no_infinite_bounds():
    losses = LearningCurve(
        [60, 94, 147, 230],
        [1.9, 1.4, 1.1, 0.9],
        metric="log loss",
        direction="lower",
        range=(0, math.inf),
        score_sd=0.1,
    )
    for model in (APExGP("power_law"), APExGP.as_published("power_law")):
        answer = ForecastQuestion(at=SizeSpec(times=(2,))).answer(model.fit(losses))
        facts = answer.document()
        assert any("averaged_over=" in caution for caution in facts["cautions"])  # in Python, where it can be given
        assert "the number of runs behind each is not known" in facts["methods_text"]
        assert "averaged_over" not in facts["methods_text"]
        assert " and a floor of 0." in facts["methods_text"]
        assert "of inf" not in facts["methods_text"]
