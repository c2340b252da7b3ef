"""Questions: settings checked where they are stated, by the library's names; defaults that are stated once."""

import inspect
from dataclasses import MISSING, fields

import pytest

from apexgp import (
    APExGP,
    ForecastRecord,
    backtest,
    design_pilot,
    forecast_many,
    minimum_evaluation_size,
    minimum_sample_size,
    plan_collection,
    predictive_check,
    sensitivity,
    write_report,
)
from apexgp.errors import RequestError
from apexgp.questions.backtest import BacktestQuestion
from apexgp.questions.check import CheckQuestion
from apexgp.questions.design import DesignQuestion
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.minimum import MinimumQuestion
from apexgp.questions.plan import PlanQuestion
from apexgp.question_base.sizes import Reach
from apexgp.questions.reliability import ReliabilityQuestion
from apexgp.questions.report import ReportQuestion
from apexgp.surfaces.cli import COMMANDS, function_of
from apexgp.surfaces.command import command
from conftest import require

SIZES, SCORES = [60, 94, 147, 230, 360], [0.66, 0.705, 0.722, 0.755, 0.768]
CALLED = {
    ForecastQuestion: (APExGP.forecast, APExGP.required_size, forecast_many, sensitivity, write_report),
    CheckQuestion: (predictive_check,),
    PlanQuestion: (plan_collection, write_report),
    DesignQuestion: (design_pilot,),
    BacktestQuestion: (backtest, APExGP.required_size),
    MinimumQuestion: (minimum_sample_size, minimum_evaluation_size),
    ReportQuestion: (write_report,),
    ReliabilityQuestion: (ForecastRecord.reliability,),
}


@pytest.fixture(scope="module")
def model():
    return APExGP(seed=3).fit(SIZES, SCORES)


def defaults_of(question):
    return {field.name: field.default for field in fields(question) if field.default is not MISSING}


@pytest.mark.parametrize("question", CALLED, ids=lambda question: question.__name__)
def test_defaults_are_those_of_the_library(question):
    usual = defaults_of(question)
    for called in CALLED[question]:
        for name, parameter in inspect.signature(called).parameters.items():
            if called is APExGP.required_size and name == "of":
                continue  # a target is about the true expected score, whatever is forecast
            if name in usual and parameter.default is not inspect.Parameter.empty:
                assert parameter.default == usual[name], (called.__name__, name)


def test_commands_and_requests_have_the_defaults_of_the_questions():
    require("fastapi")
    from apexgp.surfaces.web.requests import REQUESTS

    questions = {
        "forecast": ForecastQuestion,
        "plan": PlanQuestion,
        "design": DesignQuestion,
        "backtest": BacktestQuestion,
        "minimum": MinimumQuestion,
        "sensitivity": ForecastQuestion,
        "check": CheckQuestion,
    }
    commands = {name: command(function_of(name)) for name in COMMANDS}
    for kind, question in questions.items():
        options = inspect.signature(commands[kind]).parameters
        for name, usual in defaults_of(question).items():
            if name in options and options[name].default is not inspect.Parameter.empty:
                assert options[name].default == usual, (kind, name)
            field = REQUESTS[kind].model_fields.get(name)
            assert field is None or field.is_required() or field.default == usual, (kind, name)


@pytest.mark.parametrize(
    ("question", "settings", "argument"),
    [
        (ForecastQuestion, {"of": "all"}, "of"),
        (ForecastQuestion, {"level": 95}, "level"),
        (ForecastQuestion, {"confidence": 0}, "confidence"),
        (ForecastQuestion, {"target": float("nan")}, "target"),
        (ForecastQuestion, {"target": 0.8, "prevalence": 20}, "prevalence"),
        (ForecastQuestion, {"prevalence": 0.2}, "prevalence"),
        (ForecastQuestion, {"target": 0.8, "cstatistic": 0.8}, "cstatistic"),
        (ForecastQuestion, {"target": 0.8, "prevalence": 0.2, "cstatistic": 0.5}, "cstatistic"),
        (MinimumQuestion, {"prevalence": 0.2, "cstatistic": 0.8}, "parameters"),
        (MinimumQuestion, {"prevalence": 0.2, "purpose": "evaluation"}, "cstatistic"),
        (MinimumQuestion, {"prevalence": 0.2, "purpose": "both", "cstatistic": 0.8}, "purpose"),
        (MinimumQuestion, {"prevalence": 0.2, "parameters": 9, "cstatistic": 0.8, "threshold": 0.2}, "threshold"),
        (MinimumQuestion, {"prevalence": 0.2, "purpose": "evaluation", "cstatistic": 0.8, "margin": 0.1}, "margin"),
        (PlanQuestion, {"target": 0.8, "cost_per_example": 0, "penalty": 9}, "cost_per_example"),
        (PlanQuestion, {"target": 0.8, "cost_per_example": 1, "penalty": -9}, "penalty"),
        (PlanQuestion, {"target": 0.8, "cost_per_example": 1, "penalty": 9, "rounds": 31}, "rounds"),
        (PlanQuestion, {"target": 0.8, "cost_per_example": 1, "penalty": 9, "start": 0}, "start"),
        (PlanQuestion.if_priced, {"target": None, "cost_per_example": 1, "penalty": 9}, "target"),
        (PlanQuestion.if_priced, {"target": 0.8, "cost_per_example": None, "penalty": 9}, "cost_per_example"),
        (PlanQuestion.if_priced, {"target": 0.8, "cost_per_example": 1, "penalty": None}, "penalty"),
        (DesignQuestion, {"budget": 0}, "budget"),
        (DesignQuestion, {"n_splits": 0}, "n_splits"),
        (DesignQuestion, {"available": "many"}, "available"),
        (BacktestQuestion.named, {"holdout": 0}, "holdout"),
        (BacktestQuestion.named, {"confidence": 2}, "confidence"),
        (ReportQuestion, {"budget": -1}, "budget"),
        (CheckQuestion, {"draws": 5}, "draws"),
    ],
)
def test_what_makes_no_sense_is_refused_before_there_is_a_curve(question, settings, argument):
    with pytest.raises(RequestError) as refused:
        question(**settings)
    assert refused.value.argument == argument


def test_a_reach_is_in_rising_order_and_says_each_size_once():
    reach = Reach.checked([720, 100], [2, 10], arguments=("sizes", "times"))
    assert reach.beyond(360) == [100, 720, 3600]
    assert Reach().is_open
    assert ForecastQuestion().sizes_for(APExGP().fit(SIZES, SCORES).curve_) == [720, 3600, 18_000]
    with pytest.raises(RequestError, match=r"^at must be sizes: without a pilot"):
        reach.without_pilot("at")
    for sizes, times, argument in (([0.5], None, "sizes"), (None, [0], "times"), ([], None, "sizes")):
        with pytest.raises(RequestError) as refused:
            Reach.checked(sizes, times, arguments=("sizes", "times"))
        assert refused.value.argument == argument


@pytest.mark.parametrize("settings", [{}, {"ceiling": 0.9, "floor": 0.4, "seed": 2}])
def test_a_model_is_judged_beside_the_methods_that_a_command_judges_by_default(settings):
    beside, named = BacktestQuestion.beside(APExGP(**settings)), BacktestQuestion.named(**settings)
    assert list(beside.methods) == list(named.methods)
    for name, method in named.methods.items():
        assert beside.methods[name].get_params() == method.get_params()
    own = BacktestQuestion.beside(APExGP("auto", noise=0.01)).methods["apexgp"]
    assert (own.mean, own.noise) == ("auto", 0.01)


@pytest.mark.slow
def test_advice_is_asked_with_arguments_that_give_the_same_again(model):
    forecast = ForecastQuestion(at=Reach((720.0, 3600.0)), target=0.8, confidence=0.6)
    question = DesignQuestion.after(forecast, model, budget=1, available=500)
    answer = question.answer(model)
    again = design_pilot(model, **question.arguments(model))
    assert [one.risk for one in answer.found.designs] == [one.risk for one in again.designs]
    assert question.arguments(model)["seed"] == 3


def test_a_report_is_asked_with_the_arguments_that_were_changed():
    assert ReportQuestion().arguments() == {}
    asked = ReportQuestion(
        forecast=ForecastQuestion(at=Reach((), (3.0,)), target=0.8, level=0.9),
        plan=PlanQuestion.if_priced(target=0.8, cost_per_example=2, penalty=9),
    )
    assert asked.arguments() == {"times": [3.0], "target": 0.8, "level": 0.9, "cost_per_example": 2, "penalty": 9}
