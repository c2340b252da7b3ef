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
from apexgp.question_base.sizes import SizeSpec
from apexgp.questions import list_questions, load_question
from apexgp.questions.backtest import BacktestQuestion
from apexgp.questions.check import CheckQuestion
from apexgp.questions.design import DesignQuestion
from apexgp.questions.forecast import ForecastQuestion
from apexgp.questions.minimum import MinimumQuestion
from apexgp.questions.plan import PlanQuestion
from apexgp.questions.record import RecordQuestion
from apexgp.questions.report import ReportQuestion
from apexgp.questions.sensitivity import SensitivityQuestion
from apexgp.settings import REQUIRED, list_settings
from apexgp.surfaces.cli import load_command
from apexgp.surfaces.command import build_command
from apexgp.surfaces.reproduce import list_options, write_design_python
from conftest import require
from small_pilots import SCORES, SIZES

CALLED = {
    ForecastQuestion: (APExGP.forecast, APExGP.required_size, forecast_many, sensitivity, write_report),
    CheckQuestion: (predictive_check,),
    PlanQuestion: (plan_collection, write_report),
    DesignQuestion: (design_pilot,),
    BacktestQuestion: (backtest, APExGP.required_size),
    MinimumQuestion: (minimum_sample_size, minimum_evaluation_size),
    ReportQuestion: (write_report,),
    RecordQuestion: (ForecastRecord.reliability,),
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


@pytest.mark.parametrize("name", list_questions())
def test_commands_and_requests_have_the_settings_of_the_questions_with_their_defaults(name):
    require("fastapi")
    from apexgp.surfaces.web.answers import list_requests

    question = load_question(name)
    options = inspect.signature(build_command(load_command(name))).parameters
    for one in list_settings(question):
        required = one.default is REQUIRED
        if (name, one.name) != ("design", "budget"):  # of the command line, which takes hours, too
            assert options[one.name].default == (inspect.Parameter.empty if required else one.written_default)
        if question.is_served:
            field = list_requests()[name].model_fields[one.name]
            assert field.is_required() == required
            assert required or field.default == one.written_default, one.name
            assert one.setting.help in field.description


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
        (ReportQuestion, {"cost_per_example": 1, "penalty": 9}, "target"),
        (ReportQuestion, {"target": 0.8, "penalty": 9}, "cost_per_example"),
        (ReportQuestion, {"target": 0.8, "cost_per_example": 1}, "penalty"),
        (DesignQuestion, {"budget": 0}, "budget"),
        (DesignQuestion, {"n_splits": 0}, "n_splits"),
        (DesignQuestion, {"available": "many"}, "available"),
        (BacktestQuestion, {"holdout": 0}, "holdout"),
        (BacktestQuestion, {"confidence": 2}, "confidence"),
        (ReportQuestion, {"budget": -1}, "budget"),
        (CheckQuestion, {"draws": 5}, "draws"),
    ],
)
def test_what_makes_no_sense_is_refused_before_there_is_a_curve(question, settings, argument):
    with pytest.raises(RequestError) as refused:
        question(**settings)
    assert refused.value.argument == argument


def test_sizes_are_in_rising_order_each_once():
    asked = SizeSpec.build([720, 100], [2, 10], arguments=("sizes", "times"))
    assert asked.list_sizes(360) == [100, 720, 3600]
    assert SizeSpec().is_open
    assert ForecastQuestion().list_sizes(APExGP().fit(SIZES, SCORES).curve_) == [720, 3600, 18_000]
    with pytest.raises(RequestError, match=r"^at must be sizes: without a pilot"):
        asked.list_without_pilot("at")
    for sizes, times, argument in (([0.5], None, "sizes"), (None, [0], "times"), ([], None, "sizes")):
        with pytest.raises(RequestError) as refused:
            SizeSpec.build(sizes, times, arguments=("sizes", "times"))
        assert refused.value.argument == argument


@pytest.mark.parametrize("settings", [{}, {"ceiling": 0.9, "floor": 0.4, "seed": 2}])
def test_a_model_is_judged_beside_the_methods_that_a_command_judges_by_default(settings):
    beside = BacktestQuestion.beside(APExGP(**settings)).build_methods()
    named = BacktestQuestion(**settings).build_methods()
    assert list(beside) == list(named)
    for name, method in named.items():
        assert beside[name].get_params() == method.get_params()
    own = BacktestQuestion.beside(APExGP("auto", noise=0.01)).build_methods()["apexgp"]
    assert (own.mean, own.noise) == ("auto", 0.01)


@pytest.mark.slow
def test_advice_comes_with_lines_that_give_the_same_again(model):
    forecast = ForecastQuestion(at=SizeSpec((720.0, 3600.0)), target=0.8, confidence=0.6)
    question = DesignQuestion.after(forecast, model, budget=1, available=500)
    answer, names = question.answer(model), {"model": model, "print": lambda _: None}
    exec(write_design_python(answer), names)
    assert [one.risk for one in answer.found.designs] == [one.risk for one in names["found"].designs]
    assert names["found"].target == 0.8


def test_only_settings_that_were_changed_are_typed_again():
    assert list_options(ReportQuestion()) == []
    asked = ReportQuestion(at=SizeSpec((500.0,), (3.0,)), target=0.8, level=0.9, cost_per_example=2, penalty=9)
    typed = "--at 500 --at 3x --target 0.8 --level 0.9 --cost 2 --penalty 9"
    assert list_options(asked) == typed.split()
    assert list_options(asked, SensitivityQuestion) == typed.split()[:8]
    minimum = MinimumQuestion(prevalence=0.2, purpose="evaluation", cstatistic=0.8)
    assert list_options(minimum) == ["--for", "evaluation", "--prevalence", "0.2", "--cstatistic", "0.8"]
