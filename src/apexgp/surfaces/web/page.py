"""Questions of the page: everything about one curve in one request, advice on what to measure next in another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, TypedDict, get_args

from ...cautions import word_caution
from ...curve import build_curve_columns
from ...estimators import APExGP
from ...model.means import DEFAULT_MEAN, MEANS
from ...question_base.documents import CellsFacts, WithCautions
from ...question_base.markup import escape_markup
from ...question_base.question import Cells, Question, QuestionAnswer, build_table
from ...questions import load_question
from ...questions.backtest import BacktestAnswer, BacktestDocument, BacktestQuestion
from ...questions.check import CheckAnswer, CheckDocument, CheckQuestion
from ...questions.design import AdviceSettings, DesignAnswer, DesignDocument, DesignQuestion
from ...questions.design.sentences import explain_ranking
from ...questions.forecast import ForecastAnswer, ForecastDocument, ForecastSettings, say_briefly
from ...questions.forecast.curve_picture import CurvePicture
from ...questions.learn import list_priors_notes
from ...questions.plan import PlanAnswer, PlanDocument
from ...questions.report import PlannedSettings
from ...questions.sensitivity import SensitivityAnswer, SensitivityDocument, analyse
from ...reading.files import as_csv
from ...settings import DeclaredSetting, Setting, build_vocabulary, list_settings
from ...vocabulary import Vocabulary
from ..chart.figure import build_chart_figure, build_chart_file
from ..report.text import GLOSSARY
from ..reproduce import (
    MEASUREMENTS,
    PRIORS,
    write_design_python,
    write_design_shell,
    write_forecast_python,
    write_forecast_shell,
)
from ..requests import build_fields_vocabulary, list_other_questions, list_request_settings, load_request

__all__ = [
    "PRIORS_CONTROL",
    "AdviceFacts",
    "AdviceQuestion",
    "PageFacts",
    "PageQuestion",
    "build_controls_vocabulary",
    "build_page_vocabulary",
    "fill_in",
    "label_control",
]

PRIORS_CONTROL = "Learnt priors"
_POINTS = 48  # sizes between the ends of a chart that is drawn again with every change


def label_control(one: DeclaredSetting) -> str:
    """A setting as the page's reader knows it: by the label of its control, or by its field where it has none."""
    return f"“{one.setting.control}”" if one.setting.control else one.name


def build_controls_vocabulary(settings: Iterable[DeclaredSetting], fields: Vocabulary) -> Vocabulary:
    """The page's words for the arguments of the library: its controls, and fields for those that have none."""
    labelled = [one for one in settings if one.setting.control]
    return build_vocabulary(labelled, label_control, _set_control, outer=fields)


def build_page_vocabulary(question: type[Question]) -> Vocabulary:
    """The page's words for what a question of its own is set by."""
    known = build_controls_vocabulary(list_request_settings(question), build_fields_vocabulary(question))
    return replace(known, words={**known.words, "priors": f"“{PRIORS_CONTROL}”"})  # a file, and so no setting


def _set_control(label: str, value: Any = None) -> str:
    """A control with what to choose or enter; the value None is the reader's to choose."""
    if value is None:
        return label
    chosen = value if isinstance(value, list) else [value]
    return f"{label} ({', '.join(map(str, chosen))})"


@dataclass(frozen=True, kw_only=True)
class PageQuestion(PlannedSettings):
    """All that the page shows at once: the forecast, the plan where there are costs, the picture, the lines of code."""

    backtest: Annotated[bool, Setting("Also say how well each method would have done on this curve.")] = False
    doubts: Annotated[bool, Setting("Also say what the answer depends on, and check the model against the pilot.")] = (
        False
    )

    def answer(self, model: APExGP) -> PageAnswer:
        """Ask a fitted model everything, from one fit."""
        forecast = self.forecast(model)
        return PageAnswer(
            forecast,
            self.plan(model, forecast),
            BacktestQuestion.beside(model).answer(model.curve_) if self.backtest else None,
            analyse(self, model) if self.doubts else None,
            # A point estimate has nothing to draw from.
            CheckQuestion().answer(model) if self.doubts and model.inference == "bayes" else None,
        )


@dataclass(frozen=True, eq=False)
class PageAnswer(QuestionAnswer):
    """The answers that the page shows, all from one fit."""

    forecast: ForecastAnswer
    plan: PlanAnswer | None
    backtest: BacktestAnswer | None
    sensitivity: SensitivityAnswer | None
    check: CheckAnswer | None

    def table(self) -> Cells:
        """The table of the forecast."""
        return self.forecast.table()

    def document(self) -> PageFacts:
        """The documents, tables, pictures and lines of code."""
        answer, forecast = self.forecast, self.forecast.document()
        plan = None if self.plan is None else self.plan.document()
        backtest = self._backtest()
        for part in (forecast, plan, backtest):
            if part is not None:
                _use_control_labels(part)
        picture, rows = answer.picture(CurvePicture, points=_POINTS), forecast["forecast"]
        columns = dict(zip(rows[0], map(list, zip(*(row.values() for row in rows), strict=True)), strict=True))
        return {
            "forecast": forecast,
            "plan": plan,
            "backtest": backtest,
            "doubts": self._doubts(),
            "tables": self._tables(),
            "figure": build_chart_figure(picture),
            "svg": build_chart_file(picture),
            "csv": as_csv(columns),
            "measurements": as_csv(build_curve_columns([answer.model.curve_])),
            "python": write_forecast_python(answer, self.plan),
            "shell": write_forecast_shell(answer, self.plan),
            "short": say_briefly(answer),
            "glossary": dict(GLOSSARY),
            "notes": list_priors_notes(answer.model),
        }

    def _tables(self) -> dict[str, CellsFacts]:
        judged = None if self.backtest is None or not self.backtest.is_judged else self.backtest
        parts: dict[str, QuestionAnswer | None] = {
            "forecast": self.forecast,
            "plan": self.plan,
            "backtest": judged,
            "sensitivity": self.sensitivity,
            "check": self.check,
        }
        tables = {name: _as_cells(part.table()) for name, part in parts.items() if part is not None}
        study = self.forecast.evaluation
        return tables if study is None else {**tables, "evaluation": _as_cells(build_table(study))}

    def _backtest(self) -> BacktestDocument | NoBacktest | None:
        if self.backtest is None:
            return None
        if self.backtest.is_judged:
            return self.backtest.document()
        # Too few sizes to hold some out: no reason not to forecast.
        return {"error": str(self.backtest.result.pooled[0].failed), "cautions": []}

    def _doubts(self) -> DoubtFacts | None:
        if self.sensitivity is None:
            return None
        changes = self.sensitivity.document()
        _use_control_labels(changes)
        check = self.check
        return {
            "sensitivity": changes,
            "sensitivity_svg": self.sensitivity.svg(),
            "check": None if check is None else check.document(),
            "check_svg": None if check is None else check.svg(),
            "check_note": None if check is None else check.introduction,
        }


@dataclass(frozen=True, kw_only=True)
class AdviceQuestion(AdviceSettings):
    """Advice on further measurements, as the page shows it beside a forecast."""

    pilots: ClassVar[Literal["one"]] = "one"

    def answer(self, model: APExGP) -> AdviceAnswer:
        """Ask a fitted model."""
        forecast = ForecastSettings(at=self.at, target=self.target, confidence=self.confidence)
        question = DesignQuestion.after(forecast, model, budget=self.budget, available=self.available)
        return AdviceAnswer(question.answer(model))


@dataclass(frozen=True, eq=False)
class AdviceAnswer(QuestionAnswer):
    """The advice that the page shows."""

    design: DesignAnswer

    def table(self) -> Cells:
        """The best few designs."""
        return self.design.short_table()

    def document(self) -> AdviceFacts:
        """The document of the designs, the best few as a table, and the lines of code."""
        design = self.design.document()
        _use_control_labels(design)
        return {
            "design": design,
            "table": _as_cells(self.table()),
            "note": explain_ranking(self.design),
            "python": write_design_python(self.design),
            "shell": f"{write_design_shell(self.design, MEASUREMENTS, priors=PRIORS)}\n",
        }


def _as_cells(cells: Cells) -> CellsFacts:
    return {"header": cells[0], "rows": cells[1]}


def _use_control_labels(document: WithCautions) -> None:
    """Let cautions name the controls of the page, which its reader knows."""
    vocabulary = build_page_vocabulary(PageQuestion)
    document["cautions"] = [word_caution(vocabulary, caution) for caution in document["cautions"]]


class NoBacktest(WithCautions):
    """Why no backtest is possible on a curve."""

    error: str


class DoubtFacts(TypedDict):
    """Sensitivity of the answer, and the check of the model against the pilot; pictures as SVG."""

    sensitivity: SensitivityDocument
    sensitivity_svg: str
    check: CheckDocument | None
    check_svg: str | None
    check_note: str | None


class PageFacts(TypedDict):
    """Everything that the page shows: the documents of its answers, tables, the chart, files and code."""

    forecast: ForecastDocument
    plan: PlanDocument | None
    backtest: BacktestDocument | NoBacktest | None
    doubts: DoubtFacts | None
    tables: dict[str, CellsFacts]
    """Forecast, plan, backtest, changes and checks as tables."""
    figure: str
    """The chart as a piece of HTML."""
    svg: str
    """The chart as an SVG file."""
    csv: str
    """The forecast as comma-separated values."""
    measurements: str
    """The curve as comma-separated values, as the commands read them."""
    python: str
    """Python code that reproduces the numbers."""
    shell: str
    """Commands that reproduce the numbers."""
    short: str
    """The answer in a line short enough for a phone."""
    glossary: dict[str, str]
    """The glossary."""
    notes: list[str]
    """Messages from the computation."""


class AdviceFacts(TypedDict):
    """Advice on further measurements, as the page shows it."""

    design: DesignDocument
    table: CellsFacts
    """The best few designs."""
    note: str
    """What the columns mean."""
    python: str
    """Python code that continues that of the page."""
    shell: str
    """The command that reproduces the numbers."""


def list_means() -> dict[str, str]:
    """Label the choices of the control for the mean by their values; that of the recommended one is empty."""
    others = {name: mean.label for name, mean in MEANS.items() if name != DEFAULT_MEAN}
    return {"": f"{MEANS[DEFAULT_MEAN].label} (recommended)", **others, "auto": "average weighted by evidence"}


def fill_in(page: str) -> str:
    """Put the choices of mean, and questions that have no place made for them, where the page's comments stand."""
    choices = (f'<option value="{name}">{escape_markup(label)}</option>' for name, label in list_means().items())
    page = page.replace("<!-- the choices of mean -->", "\n            ".join(choices))
    return page.replace("<!-- the other questions -->", "\n    ".join(map(_build_block, list_other_questions())))


def _build_block(name: str) -> str:
    """The block of a question: its controls, and room for its answer."""
    question = load_question(name)
    summary = escape_markup((question.__doc__ or name).split("\n")[0])
    fields = " ".join(load_request(name).model_fields)
    controls = "".join(_build_control(name, one) for one in list_settings(question))
    return (
        f'<details class="question" data-question="{name}" data-fields="{fields}"><summary>{summary}</summary>'
        f'<form class="pair" autocomplete="off">{controls}</form><p class="sentence" aria-live="polite"></p></details>'
    )


def _build_control(question: str, one: DeclaredSetting) -> str:
    """A labelled control for a setting: a box to tick, words to choose from, or room to write."""
    place = f'id="{question}-{one.name}" name="{one.name}"'
    usual = one.setting.default or ("" if one.written_default is None else str(one.written_default))
    if one.is_switch:
        control = f'<input type="checkbox" {place}{" checked" if one.default else ""}>'
    elif one.choices:
        words = "".join(f"<option>{escape_markup(word)}</option>" for word in ("", *one.choices))
        control = f"<select {place}>{words}</select>"
    else:
        alternatives = get_args(one.written_type) or (one.written_type,)
        kind = "list" if list[str] in alternatives else "text" if str in alternatives else "number"
        control = f'<input {place} data-kind="{kind}" placeholder="{escape_markup(usual)}">'
    label = escape_markup(one.setting.control or one.setting.help)
    return f'<p class="field"><label for="{question}-{one.name}">{label}</label>{control}</p>'
