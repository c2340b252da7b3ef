"""Would more measuring change the decision? What the words and tables of a design say, case by case."""

import math
from dataclasses import replace

import pytest

from apexgp import APExGP, LearningCurve, RequiredSize
from apexgp.question_base.sizes import SizeSpec
from apexgp.questions.design import DesignQuestion
from apexgp.questions.design.sentences import explain_ranking, say_design

CURVE = LearningCurve([60, 94, 147, 230, 360], [0.71, 0.74, 0.77, 0.79, 0.81], metric="auroc")
JARGON = ("Brier", "settled", "CRPS", "fits", "never")


@pytest.fixture(scope="module")
def asked():
    """An answer for every kind of question, in closed form."""
    model = APExGP().fit(CURVE)
    at = SizeSpec(times=(10.0,))
    return {
        "score": DesignQuestion(budget=4, at=at, confirm=0).answer(model),
        "enough": DesignQuestion(budget=4, at=at, target=0.85, confirm=0).answer(model),
        "how many": DesignQuestion(budget=4, target=0.85, confirm=0).answer(model),
        "first": DesignQuestion(budget=9, at=SizeSpec((5000.0,)), target=0.85, n_splits=3, confirm=0).answer(APExGP()),
    }


def known(answer, **changes):
    """The same answer with other figures: of now, and of all designs."""
    of_designs = {name: value for name, value in changes.items() if hasattr(answer.found.designs[0], name)}
    of_now = {name: value for name, value in changes.items() if name not in of_designs}
    designs = tuple(replace(one, **of_designs) for one in answer.found.designs)
    return replace(answer, found=replace(answer.found, designs=designs, **of_now))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (
            {"prob_now": 0.84, "prob_yes": 0.7, "prob_no": 0.05, "prob_right": 0.9},
            [
                "Decided as it stands: 3,600 examples reach a mean AUROC of 0.85, with a probability of 84 %.",
                "Measuring more may change that: with 4 models to train and up to 720 examples, the best option is ",
                "the probability that it casts doubt on this is 30 %, ",
                "right with a probability of 90 % instead of 84 %",
            ],
        ),
        (
            {"prob_now": 0.1, "prob_yes": 0.01, "prob_no": 0.95, "prob_right": 0.93},
            [
                "3,600 examples do not reach a mean AUROC of 0.85; the probability that they do is 10 %.",
                "Nothing that you can afford, with 4 models to train and up to 720 examples, is likely to change that",
                "the probability that it casts doubt on this is 5 %",
            ],
        ),
        (
            {"prob_now": 0.6, "prob_yes": 0.25, "prob_no": 0.2, "prob_right": 0.75},
            [
                "Undecided as it stands: 3,600 examples reach a mean AUROC of 0.85 with a probability of 60 %; ",
                "neither yes nor no has the 80 % that you asked for.",
                "the probability that it settles the question is 45 % (yes 25 %, no 20 %)",
                "right with a probability of 75 % instead of 60 %",
            ],
        ),
        (
            {"prob_now": 0.6, "prob_yes": 0.03, "prob_no": 0.01, "prob_right": 0.61},
            ["Nothing that you can afford", "the probability that it settles the question is 4 %"],
        ),
        ({"risk": 1.0}, ["Nothing that you can afford", "is expected to reduce the doubt."]),
    ],
)
def test_whether_a_size_is_enough(asked, figures, said):
    sentence = say_design(known(asked["enough"], **figures))
    for words in said:
        assert words in sentence
    assert not any(word in sentence for word in JARGON)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("required", "later", "said"),
    [
        ({"size": 1543}, (444, 2311), "between 450 and 2,400 examples"),
        ({"size": 1543}, (444, math.inf), "between 450 and more than 18,000 examples"),
        (
            {"size": 1543},
            (math.inf, math.inf),
            "in nine cases out of ten more than 18,000 examples will then be needed",
        ),
    ],
)
def test_how_many_to_plan_for(asked, required, later, said):
    now = RequiredSize(0.85, 0.8, 1543, 700, (444, math.inf), 0.86, 0.1, False, (1543, 1543))
    sentence = say_design(known(asked["how many"], required_now=replace(now, **required), later_sizes=later))
    assert "As it stands, plan for 1,600 examples to reach a mean AUROC of 0.85 with a probability of 80 %." in sentence
    assert "Measuring more may change that" in sentence
    assert said in sentence


def test_what_no_number_of_examples_reaches_is_not_changed_by_what_shows_the_same(asked):
    now = RequiredSize(0.85, 0.8, math.inf, 700, (444, math.inf), 0.61, 0.1, False, (math.inf, math.inf))
    answer = known(asked["how many"], required_now=now, later_sizes=(math.inf, math.inf))
    sentence = say_design(answer)
    assert "with unlimited data the probability is 61 %." in sentence
    assert "Nothing that you can afford" in sentence
    assert answer.short_table()[1][0][-1] == "none: 61 % at best"


def test_no_row_is_worse_than_to_measure_nothing(asked):
    for kind, answer in asked.items():
        found = answer.found
        worse = replace(found.designs[0], risk=1.01 * found.risk_now)
        wider = replace(found.designs[1], widths=tuple(1.01 * width for width in found.widths_now))
        spoilt = replace(found, designs=(worse, wider, *found.designs[2:]))
        assert worse not in spoilt.helpful
        assert wider not in spoilt.helpful
        assert {spoilt.best, spoilt.frugal} <= set(spoilt.helpful)
        shown = [row[0] for row in (*replace(answer, found=spoilt).short_table()[1], *spoilt.shown().rows)]
        assert spoilt.words(wider) not in shown, kind
        for one in found.helpful:
            assert one.prob_right is None or one.prob_right >= max(found.prob_now, 1 - found.prob_now) - 1e-12


def test_tables_and_notes_are_in_plain_words(asked):
    for answer in asked.values():
        header, _ = answer.short_table()
        told = " ".join([*header, explain_ranking(answer), say_design(answer)])
        assert not any(word in told for word in JARGON)
    assert asked["how many"].short_table()[0][2:] == ["doubt left", "95 % width at 3,600", "then plan for"]
    assert asked["enough"].short_table()[0][-1] == "right about 0.85 at 3,600"


@pytest.mark.slow
def test_a_target_that_is_met_is_a_question_of_yes_or_no():
    model = APExGP().fit(CURVE)
    answer = DesignQuestion(budget=4, target=0.75, confirm=0).answer(model)
    assert answer.found.decided_at == 360
    assert say_design(answer).startswith("Decided as it stands: 360 examples reach a mean AUROC of 0.75, with")
    assert "Nothing that you can afford" in say_design(answer)
