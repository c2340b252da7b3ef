"""The types of what `--json` prints and the page's interface gives: one document an answer.

Annotations are evaluated here, unlike elsewhere, so that programs can read which keys a document must have.
"""

from typing import Literal, NotRequired, TypedDict

Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None
"""What JSON can hold."""
Interval = list[float | None]
"""The two ends of an interval; None is infinite."""


class Doubted(TypedDict):
    """Reasons to doubt an answer."""

    cautions: list[str]


class Sentences(Doubted):
    """What every answer says in words: a sentence or a few, and reasons for doubt."""

    sentence: str


class Said(Sentences):
    """The same, with a paragraph for the methods section of a paper."""

    methods_text: str


class PilotFacts(TypedDict):
    """What was measured, by size."""

    metric: str
    metric_name: str
    task: str | None
    direction: Literal["higher", "lower"]
    range: list[float | None]
    """The least and the greatest possible score; None where there is none."""
    unit: str
    unit_name: str
    test_share: float | None
    scores: int
    sizes: list[float]
    means: list[float]
    counts: list[int]


class FitFacts(TypedDict, total=False):
    """How a model came by its parameters: by integration the first four, by a search the others."""

    weights: dict[str, float]
    log_evidence: float
    effective_size: float
    end_error: float
    objective: float
    converged: bool


class SettingsFacts(TypedDict):
    """The version, and the settings of a model."""

    apexgp: str
    settings: dict[str, Json]


class ModelFacts(SettingsFacts):
    """A fitted model."""

    pilot: PilotFacts
    parameters: dict[str, float]
    fit: FitFacts


class ForecastRow(TypedDict):
    """The forecast at one size; with a target, the probability that the true expected score reaches it."""

    size: float
    mean: float
    median: float
    std: float
    lower: float
    upper: float
    prob_target: NotRequired[float]


class RequiredFacts(TypedDict):
    """What a target takes; a size that is None is infinite."""

    target: float
    confidence: float
    size: float | None
    median: float | None
    interval: Interval
    prob_reachable: float
    prob_now: float
    already_met: bool
    relative_error: float
    digits: int
    """To how many digits words round the sizes up."""
    cautions: NotRequired[list[str]]


class TargetFacts(TypedDict, total=False):
    """What a target takes, where there is one, and how much that is with the cases for validation and test."""

    required: RequiredFacts
    total: float | None


class EvaluationCriteria(TypedDict):
    """Patients that each criterion of an evaluation asks for; net benefit where there is a threshold."""

    observed_over_expected: int
    calibration_slope: int
    cstatistic: int
    net_benefit: NotRequired[int]


class EvaluationWidths(TypedDict):
    """How wide the 95 % confidence interval for each measure of an evaluation may be."""

    observed_over_expected: float
    calibration_slope: float
    cstatistic: float
    net_benefit: NotRequired[float]


class EvaluationRow(TypedDict):
    """The minimum size of an evaluation, and what was assumed."""

    size: int
    criteria: EvaluationCriteria
    decisive: str
    events: int
    prevalence: float
    cstatistic: float
    widths: EvaluationWidths
    threshold: float | None
    sensitivity: float | None
    specificity: float | None


class StudyFacts(TypedDict):
    """The two sizes of a study: a paragraph on development and evaluation, and the numbers of the latter."""

    paragraph: str
    evaluation: EvaluationRow


class StudySizes(TypedDict, total=False):
    """The two sizes of a study, where a prevalence was given with the target."""

    study: StudyFacts


class ForecastFacts(ModelFacts, TargetFacts, StudySizes, Said):
    """`apexgp forecast --json`, of one curve."""

    level: float
    forecast: list[ForecastRow]
    without_training: list[ForecastRow] | None
    """The forecast that there would be without the training scores, where those are known."""


class TaskFacts(TargetFacts):
    """One curve of a batch; `error` says why it has no forecast."""

    task: str | None
    largest: float | None
    forecast: list[ForecastRow]
    wrong: list[str]
    cautions: list[str]
    error: str | None


class BatchFacts(Sentences):
    """`apexgp forecast --json`, of several curves."""

    apexgp: str
    level: float
    tasks: list[TaskFacts]
    failed: int
    target: NotRequired[float]
    confidence: NotRequired[float]


class PlannedFacts(TypedDict):
    """A plan as a whole."""

    target: float
    cost_per_example: float
    penalty: float
    start: int
    sizes: list[int]
    prob_now: float
    prob_met: list[float]
    expected_cost: float
    expected_spend: float
    failure_probability: float


class RoundRow(TypedDict):
    """One round of a plan."""

    round: int
    collect: int
    size: int
    cost: float
    prob_met: float


class PlanFacts(ModelFacts, Said):
    """`apexgp plan --json`."""

    plan: PlannedFacts
    rounds: list[RoundRow]


class DesignRow(TypedDict):
    """A design, and what it is expected to tell."""

    rank: int
    sizes: list[float]
    n_splits: int
    continued: bool
    fits: int
    cost: float
    risk: float
    risk_error: float
    widths: list[float]
    confirmed: bool
    grid_widths: list[float]
    prob_yes: NotRequired[float]
    prob_no: NotRequired[float]
    prob_right: NotRequired[float]
    later_sizes: NotRequired[Interval]


class DesignAsked(TypedDict):
    """What was asked of a design, and the sizes and the forecast that pictures of it are drawn from."""

    budget: float
    unit: str
    at: list[float]
    target: float | None
    confidence: float
    ranked_by: str
    available: float
    pilot_sizes: list[float]
    grid: list[float]
    grid_median: list[float]
    grid_interval: list[list[float]]


class DesignNow(TypedDict):
    """What is known before anything more is measured."""

    risk: float
    widths: list[float]
    prob: float | None
    required: RequiredFacts | None
    decided_at: float
    verdict: Literal["yes", "no", "open"] | None
    """Whether that size reaches the target."""


class PilotOrNone(SettingsFacts):
    """A model that may not be fitted yet."""

    pilot: PilotFacts | None
    parameters: NotRequired[dict[str, float]]
    fit: NotRequired[FitFacts]


class DesignFacts(PilotOrNone, Said):
    """`apexgp design --json`; before there is a pilot, nothing is fitted."""

    question: DesignAsked
    now: DesignNow
    designs: list[DesignRow]
    frugal: int
    best_at_hand: int | None


class PairFacts(TypedDict):
    """Two models at the sizes of a comparison."""

    first: str
    second: str
    sizes: list[float]
    prob_first_better: list[float]
    difference: list[float]
    crossing: float | None
    shared_splits: int
    correlation: float
    sentence: str


class CompareFacts(Said):
    """`apexgp compare --json`."""

    apexgp: str
    sizes: list[float]
    pilots: dict[str, PilotFacts]
    pairs: list[PairFacts]


class MethodRow(TypedDict):
    """How a method did: on all curves, or on the one of a `task`; None where there is no figure."""

    method: str
    task: NotRequired[str | int | None]
    error: float | None
    bias: float | None
    likelihood: float | None
    coverage_80: float | None
    coverage_95: float | None
    crps: float | None
    curves: int
    failed: str | None


class HeldOutRow(TypedDict):
    """What a method said of one size held out, and what came."""

    method: str
    task: str | int | None
    size: float
    measured: float
    forecast: float
    lower_95: float | None
    upper_95: float | None
    times: float


class NoSize(TypedDict):
    """Why a method does not say what a target takes."""

    error: str


class MethodTargets(TypedDict, total=False):
    """What each method asks for to reach a target, where there is one."""

    required: dict[str, RequiredFacts | NoSize]


class BacktestFacts(MethodTargets, Said):
    """`apexgp backtest --json`."""

    apexgp: str
    methods: list[MethodRow]
    by_curve: list[MethodRow]
    by_size: list[HeldOutRow]


class ScoreRow(TypedDict):
    """Expected score and the ends of its interval at one size."""

    size: float
    mean: float
    lower: float
    upper: float


class ChangeFacts(TypedDict):
    """The answer with one thing changed; `error` says why there is none."""

    name: str
    kind: Literal["none", "prior", "curve", "limit", "data", "question", "seed"]
    forecast: list[ScoreRow]
    required: RequiredFacts | None
    prob_target: float | None
    """Probability that the size `compared_at` reaches the target."""
    effect: float | None
    error: str | None


class SensitivityFacts(ModelFacts, Said):
    """`apexgp sensitivity --json`."""

    level: float
    target: float | None
    confidence: float
    compared_at: float
    unchanged: ChangeFacts
    changes: list[ChangeFacts]


class CheckRow(TypedDict):
    """A number that sums up a pilot: as measured, and as the model would have measured it."""

    check: str
    measured: float
    expected: float
    lower: float
    upper: float
    prob_larger: float
    tail_probability: float
    fails: bool


class CheckedSize(TypedDict):
    """The mean score at one of the pilot's sizes: as measured, and as the model would have measured it."""

    size: float
    measured: float
    expected: float
    lower: float
    upper: float


class CheckFacts(ModelFacts, Said):
    """`apexgp check --json`."""

    draws: int
    checks: list[CheckRow]
    absent: dict[str, str]
    sizes: list[CheckedSize]


class CriteriaFacts(TypedDict):
    """Patients that each criterion asks for."""

    overall_risk: int
    shrinkage: int
    optimism: int
    individual_risk: int


class MinimumRow(TypedDict):
    """The minimum sample size, and what was assumed."""

    size: int
    criteria: CriteriaFacts
    decisive: str
    events: int
    events_per_parameter: float
    prevalence: float
    parameters: int
    r2: float
    max_r2: float
    cstatistic: float | None


class MinimumFacts(Said):
    """`apexgp minimum --json`: the size for development."""

    apexgp: str
    purpose: Literal["development"]
    minimum: MinimumRow


class EvaluationFacts(Said):
    """`apexgp minimum --for evaluation --json`."""

    apexgp: str
    purpose: Literal["evaluation"]
    minimum: EvaluationRow


class ReportFacts(TypedDict):
    """The numbers of a report about one task: the documents of its answers."""

    forecast: ForecastFacts
    plan: PlanFacts | None
    design: DesignFacts | None
    sensitivity: SensitivityFacts
    check: CheckFacts | None
    backtest: BacktestFacts


class MeasuredFacts(TypedDict):
    """A curve of an experiment."""

    sizes: list[float]
    means: list[float]
    splits: list[int]


class TableFacts(TypedDict):
    """A table as a paper sets it."""

    caption: str
    header: list[str]
    rows: list[list[str]]


class ExperimentFacts(Said):
    """`apexgp experiment --json`."""

    apexgp: str
    experiment: dict[str, Json]
    curves: dict[str, MeasuredFacts]
    figures: list[dict[str, Json]]
    dense: list[dict[str, Json]]
    tables: dict[str, TableFacts]
    fits: int
    seconds: float
    notes: list[str]


class ExperimentFolderFacts(ExperimentFacts):
    """The same in the folder of an experiment, with the names of the files there."""

    files: list[str]


class CellsFacts(TypedDict):
    """A table as it is shown."""

    header: list[str]
    rows: list[list[str]]


class NoBacktest(Doubted):
    """Why a curve cannot be judged."""

    error: str


class DoubtFacts(TypedDict):
    """What the answer depends on, and whether the model would have measured the pilot; pictures as SVG."""

    sensitivity: SensitivityFacts
    sensitivity_svg: str
    check: CheckFacts | None
    check_svg: str | None
    check_note: str | None


class PageFacts(TypedDict):
    """All that the page shows: the documents of its answers, tables, the chart, files and lines of code."""

    forecast: ForecastFacts
    plan: PlanFacts | None
    backtest: BacktestFacts | NoBacktest | None
    doubts: DoubtFacts | None
    tables: dict[str, CellsFacts]
    figure: str
    svg: str
    csv: str
    measurements: str
    python: str
    shell: str
    short: str
    """The answer in a line that fits a phone."""
    glossary: dict[str, str]
    notes: list[str]


class AdviceFacts(TypedDict):
    """What the page shows of what more measuring would change."""

    design: DesignFacts
    table: CellsFacts
    note: str
    python: str
    shell: str
