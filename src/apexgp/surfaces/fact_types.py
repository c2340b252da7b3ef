"""The types of what `--json` prints and the page's interface gives: one document per answer.

JSON Schemas are made from them (`schemas`): the docstring of a type, and the text below a key, describe it there. Every
document names its schema under the key `schema`; the number at its end rises when a key is removed or renamed, or means
something else, and not when one is added. Annotations are evaluated here, unlike elsewhere, so that programs can read
which keys a document must have.
"""

from typing import Annotated, Literal, NotRequired, TypedDict


class Keywords:
    """Beside a type: what its JSON Schema says of the values beyond their type."""

    def __init__(self, **keywords: float) -> None:
        self.keywords = keywords


Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None
"""What JSON can hold."""
Probability = Annotated[float, Keywords(minimum=0, maximum=1)]
Size = Annotated[float, Keywords(exclusiveMinimum=0)]
"""A training-set size."""
Count = Annotated[int, Keywords(minimum=0)]
Spread = Annotated[float, Keywords(minimum=0)]
"""A standard deviation, the width of an interval, a cost: never negative."""
Interval = Annotated[list[float | None], Keywords(minItems=2, maxItems=2)]
"""The two ends of an interval; None is infinite."""


class Doubted(TypedDict):
    """Reasons to doubt an answer."""

    cautions: list[str]
    """Reasons to doubt the answer, a sentence or more each; empty where there are none."""


class Sentences(Doubted):
    """What every answer says in words: a sentence or more, and reasons for doubt."""

    sentence: str
    """The answer in plain words."""


class Said(Sentences):
    """The same, with a paragraph for the methods section of a paper."""

    methods_text: str
    """A paragraph for the methods section of a paper, with what to cite."""


class Versioned(TypedDict):
    """Which program made a document."""

    apexgp: str
    """Version of apexgp that made the document."""


class PilotFacts(TypedDict):
    """What was measured, by size."""

    metric: str
    """The score as the table calls it."""
    metric_name: str
    """The score as sentences call it."""
    task: str | None
    direction: Literal["higher", "lower"]
    """Whether higher or lower scores are better."""
    range: Interval
    """The lowest and the highest possible score; null where there is none."""
    unit: str
    """What a size counts."""
    unit_name: str
    """What a size counts, as sentences call it."""
    test_share: Probability | None
    """Share of the collected data that is kept for validation and test, where it is known."""
    scores: Count
    """Number of scores."""
    sizes: list[Size]
    means: list[float]
    """Mean score at each size."""
    counts: list[Count]
    """Number of scores at each size."""


class FitFacts(TypedDict, total=False):
    """How a model's parameters were found: the first four by integration, the others by a search."""

    weights: dict[str, Probability]
    """Posterior probability of each shape of the curve."""
    log_evidence: float
    effective_size: Spread
    """Effective sample size of the integration."""
    end_error: Spread | None
    """Numerical error of the ends of the 95 % intervals, as a share of their width."""
    objective: float
    converged: bool


class SettingsFacts(Versioned):
    """The version, and the settings of a model."""

    settings: dict[str, Json]
    """Arguments of the model, as in Python."""


class ModelFacts(SettingsFacts):
    """A fitted model."""

    learner: str | None
    """Kind of learner whose priors were used; null where they are those that all kinds share, or others."""
    pilot: PilotFacts
    parameters: dict[str, float]
    """Estimates of the curve's parameters."""
    fit: FitFacts


class ForecastRow(TypedDict):
    """The forecast at one size; with a target, the probability that the true expected score reaches it."""

    size: Size
    mean: float
    median: float
    std: Spread
    """Standard deviation of the forecast."""
    lower: float
    """Lower end of the interval with probability `level`."""
    upper: float
    """Upper end of that interval."""
    prob_target: NotRequired[Probability]
    """Probability that the true expected score at this size reaches the target."""


class RequiredFacts(TypedDict):
    """What a target takes; a size that is null is infinite."""

    target: float
    confidence: Probability
    """Probability with which the target should be reached."""
    size: Spread | None
    """The smallest size from which on the target is reached with that probability."""
    median: Spread | None
    """The same for a probability of one half."""
    interval: Interval
    """The same for probabilities of 0.1 and 0.9."""
    prob_reachable: Probability
    """Probability that the target is reached with unlimited data."""
    prob_now: Probability
    """Probability that the pilot's largest size reaches it."""
    already_met: bool
    relative_error: Spread | None
    """Monte Carlo standard error of the size, as a share of it; null where the size is infinite, or the error is."""
    digits: Count
    """Number of digits to which sizes are rounded up in words."""
    cautions: NotRequired[list[str]]


class TargetFacts(TypedDict, total=False):
    """What a target takes, if there is one, without and with the cases for validation and test."""

    required: RequiredFacts
    total: Spread | None
    """The required size with the cases for validation and test; null where their share is not known."""


class EvaluationCriteria(TypedDict):
    """Patients that it takes to estimate each measure of a model's performance precisely."""

    observed_over_expected: Count
    calibration_slope: Count
    cstatistic: Count
    net_benefit: NotRequired[Count]
    """Where there is a threshold."""


class EvaluationWidths(TypedDict):
    """How wide the 95 % confidence interval for each measure may be."""

    observed_over_expected: Spread
    calibration_slope: Spread
    cstatistic: Spread
    net_benefit: NotRequired[Spread]
    """Where there is a threshold."""


class EvaluationRow(TypedDict):
    """The minimum number of patients for an evaluation, and what was assumed."""

    size: Count
    """Patients: the largest of the criteria."""
    criteria: EvaluationCriteria
    decisive: str
    """The criterion that asks for the most."""
    events: Count
    """Patients with the outcome among them."""
    prevalence: Probability
    cstatistic: Probability
    """The C statistic (AUROC) that the model is expected to have."""
    widths: EvaluationWidths
    threshold: Probability | None
    """Predicted risk above which a patient would be treated."""
    sensitivity: Probability | None
    """Expected at the threshold."""
    specificity: Probability | None


class StudyFacts(TypedDict):
    """The two sizes of a study, for development and for evaluation."""

    paragraph: str
    """Both in words, for those who fund it."""
    evaluation: EvaluationRow


class StudySizes(TypedDict, total=False):
    """The two sizes of a study, where a prevalence was given with the target."""

    study: StudyFacts


class ForecastFacts(ModelFacts, TargetFacts, StudySizes, Said):
    """`apexgp forecast --json`, of one curve."""

    schema: Literal["urn:apexgp:forecast:1"]
    level: Probability
    """Probability of the intervals."""
    forecast: list[ForecastRow]
    without_training: list[ForecastRow] | None
    """The forecast without the training scores, where those are known."""


class TaskFacts(TargetFacts):
    """One curve of a batch; `error` says why it has no forecast."""

    task: str | None
    largest: Size | None
    """Largest size of the pilot."""
    forecast: list[ForecastRow]
    wrong: list[str]
    """Reasons for doubt in brief, or the error."""
    cautions: list[str]
    error: str | None


class BatchFacts(Versioned, Sentences):
    """`apexgp forecast --json`, of several curves."""

    schema: Literal["urn:apexgp:batch:1"]
    level: Probability
    """Probability of the intervals."""
    tasks: list[TaskFacts]
    failed: Count
    """Number of curves without a forecast."""
    target: NotRequired[float]
    confidence: NotRequired[Probability]


class PlannedFacts(TypedDict):
    """A plan as a whole."""

    target: float
    cost_per_example: Spread
    penalty: Spread
    """Cost of missing the target."""
    start: Count
    """Examples at hand."""
    sizes: list[Count]
    """Total examples after each round, as long as the target is not reached."""
    prob_now: Probability
    """Probability that the target is already met."""
    prob_met: list[Probability]
    """Probability that the target is met after each round."""
    expected_cost: Spread
    """Expected cost of the examples, plus the penalty times the failure probability."""
    expected_spend: Spread
    """Expected cost of the examples alone."""
    failure_probability: Probability
    """Probability that the target is missed after the last round."""


class RoundRow(TypedDict):
    """One round of a plan."""

    round: Count
    collect: Count
    """Examples to collect in this round."""
    size: Count
    """Training-set size after it."""
    cost: Spread
    prob_met: Probability


class PlanFacts(ModelFacts, Said):
    """`apexgp plan --json`."""

    schema: Literal["urn:apexgp:plan:1"]
    plan: PlannedFacts
    rounds: list[RoundRow]


class DesignRow(TypedDict):
    """A design, and what it is expected to show."""

    rank: Count
    sizes: list[Size]
    """Training-set sizes to measure."""
    n_splits: Count
    continued: bool
    """Whether these are the pilot's own splits, continued at other sizes."""
    fits: Count
    """Models to train."""
    cost: Spread
    risk: float
    """What designs are ranked by (see `ranked_by`); lower is better."""
    risk_error: Spread
    """Monte Carlo standard error of the risk, where it was confirmed."""
    widths: list[Spread]
    """Expected width of the 95 % interval at each size of `at`."""
    confirmed: bool
    """Whether risk and widths come from fits to simulated data, rather than from closed forms."""
    grid_widths: list[Spread]
    """Expected width of the 95 % interval at each size of `grid`."""
    prob_yes: NotRequired[Probability]
    """Probability that after the design the answer to "does `decided_at` reach the target?" is yes."""
    prob_no: NotRequired[Probability]
    """Probability that it is no."""
    prob_right: NotRequired[Probability]
    """Probability that the likelier answer is right."""
    later_sizes: NotRequired[Interval]
    """Range in which the required size after the design lies in eight cases out of ten."""


class DesignAsked(TypedDict):
    """What was asked of a design, and the sizes and the forecast that its pictures show."""

    budget: Spread
    unit: str
    """What the budget is counted in: fits, hours, or cost."""
    at: list[Size]
    """Sizes at which the score matters."""
    target: float | None
    confidence: Probability
    ranked_by: Literal["score", "required_size"]
    """What the risk is about: "score", the expected CRPS of the forecast at the sizes of `at`; or "required_size", the
    expected Brier score of "this size suffices"."""
    available: Size
    """Most examples available for training."""
    pilot_sizes: list[Size]
    grid: list[Size]
    """Sizes from the end of the pilot on."""
    grid_median: list[float]
    """Median of the forecast at those sizes, as it is now."""
    grid_interval: list[list[float]]
    """Lower and upper ends of its 95 % intervals."""


class DesignNow(TypedDict):
    """What is known before anything more is measured."""

    risk: float
    widths: list[Spread]
    prob: Probability | None
    """Probability that the size `decided_at` reaches the target."""
    required: RequiredFacts | None
    decided_at: Size
    verdict: Literal["yes", "no", "open"] | None
    """Whether that size reaches the target."""


class PilotOrNone(SettingsFacts):
    """A model that may not be fitted yet."""

    pilot: PilotFacts | None
    learner: NotRequired[str | None]
    """Kind of learner whose priors were used."""
    parameters: NotRequired[dict[str, float]]
    fit: NotRequired[FitFacts]


class DesignFacts(PilotOrNone, Said):
    """`apexgp design --json`; before there is a pilot, no model is fitted."""

    schema: Literal["urn:apexgp:design:1"]
    question: DesignAsked
    now: DesignNow
    designs: list[DesignRow]
    frugal: Count
    """Rank of the cheapest design whose risk is at most a tenth above that of the best."""
    best_at_hand: Count | None
    """Rank of the best design that helps and needs no more examples than the pilot had."""


class PairFacts(TypedDict):
    """Two models at the sizes of a comparison."""

    first: str
    second: str
    sizes: list[Size]
    prob_first_better: list[Probability]
    difference: list[float]
    """Expected score of the first minus that of the second, at each size."""
    crossing: Size | None
    """Size at which the lead changes for the last time; null where the same model leads throughout."""
    shared_splits: Count
    """Number of splits on which both were measured; their scores are paired."""
    correlation: Annotated[float, Keywords(minimum=-1, maximum=1)]
    """Correlation of the two models' noise on those splits."""
    sentence: str


class CompareFacts(Versioned, Said):
    """`apexgp compare --json`."""

    schema: Literal["urn:apexgp:compare:1"]
    sizes: list[Size]
    pilots: dict[str, PilotFacts]
    """By the name of the model."""
    pairs: list[PairFacts]


class MethodRow(TypedDict):
    """How a method did on all curves, or on that of one `task`; null where there is no value."""

    method: str
    task: NotRequired[str | int | None]
    error: Spread | None
    """Mean absolute error of the forecast score at the held-out sizes."""
    bias: float | None
    """Mean of forecast minus measured score."""
    likelihood: Probability | None
    """Probability that the forecast assigned to within 0.01 of the measured score."""
    coverage_80: Probability | None
    """Share of the measured scores inside the 80 % intervals."""
    coverage_95: Probability | None
    """Share of the measured scores inside the 95 % intervals."""
    crps: Spread | None
    """Continuous ranked probability score; lower is better."""
    curves: Count
    """Number of curves behind the values."""
    failed: str | None
    """Why there are no values for some curve."""


class HeldOutRow(TypedDict):
    """What a method forecast at one held-out size, and what was measured."""

    method: str
    task: str | int | None
    size: Size
    measured: float
    forecast: float
    lower_95: float | None
    upper_95: float | None
    times: Spread
    """The size as a multiple of the largest that was fitted."""


class NoSize(TypedDict):
    """Why a method cannot say what a target takes."""

    error: str


class MethodTargets(TypedDict, total=False):
    """What each method asks for to reach a target, if there is one."""

    required: dict[str, RequiredFacts | NoSize]


class BacktestFacts(Versioned, MethodTargets, Said):
    """`apexgp backtest --json`."""

    schema: Literal["urn:apexgp:backtest:1"]
    methods: list[MethodRow]
    """Over all curves."""
    by_curve: list[MethodRow]
    by_size: list[HeldOutRow]


class ScoreRow(TypedDict):
    """Expected score and the ends of its interval at one size."""

    size: Size
    mean: float
    lower: float
    upper: float


class ChangeFacts(TypedDict):
    """The answer with one thing changed; `error` says why there is none."""

    name: str
    """What was changed."""
    kind: Literal["none", "prior", "curve", "limit", "data", "question", "seed"]
    forecast: list[ScoreRow]
    required: RequiredFacts | None
    prob_target: Probability | None
    """Probability that the size `compared_at` reaches the target."""
    effect: float | None
    """How far the answer moves: the change in `prob_target` if there is a target, else in the expected score."""
    error: str | None


class SensitivityFacts(ModelFacts, Said):
    """`apexgp sensitivity --json`."""

    schema: Literal["urn:apexgp:sensitivity:1"]
    level: Probability
    """Probability of the intervals."""
    target: float | None
    confidence: Probability
    compared_at: Size
    """Size at which effects are compared."""
    unchanged: ChangeFacts
    changes: list[ChangeFacts]
    """The largest effect first."""


class CheckRow(TypedDict):
    """A summary statistic of the pilot: as measured, and as simulated from the model."""

    check: str
    measured: float
    expected: float
    lower: float
    """Lower end of the 95 % interval of the simulated values."""
    upper: float
    prob_larger: Probability
    """Probability that a simulated value is larger."""
    tail_probability: Probability
    """Probability of a simulated value as extreme, on either side."""
    fails: bool


class CheckedSize(TypedDict):
    """The mean score at one of the pilot's sizes: as measured, and as simulated from the model."""

    size: Size
    measured: float
    expected: float
    lower: float
    upper: float


class CheckFacts(ModelFacts, Said):
    """`apexgp check --json`."""

    schema: Literal["urn:apexgp:check:1"]
    draws: Count
    """Number of pilots simulated from the model."""
    checks: list[CheckRow]
    absent: dict[str, str]
    """Checks that are impossible with this pilot, and why."""
    sizes: list[CheckedSize]


class MovedFacts(TypedDict):
    """A number before and after priors were learnt."""

    before: float
    after: float


class LeftOutFacts(MovedFacts):
    """A figure of tasks that were left out, before and after."""

    error: Spread
    """Standard error of the change, clustered by task."""


class LearnFacts(Versioned, Said):
    """`apexgp learn --json`."""

    schema: Literal["urn:apexgp:learn:1"]
    priors: str
    """The file that the priors were written to."""
    curves: Count
    """Number of whole curves that they were learnt from."""
    tasks: Count
    pilots: Count
    """Number of pilots cut from the curves."""
    metric: str
    unit: str
    """What a size counts."""
    pull: float
    """Number of curves that the priors before count for."""
    related: Probability
    """Share of the moves that was kept, by how far they help with tasks that are left out."""
    seed: int
    moved: dict[str, MovedFacts]
    """What moved, by name."""
    left_out: dict[str, LeftOutFacts]
    """Figures of tasks left out in turn; empty where there is one task."""


class LevelRow(TypedDict):
    """How often intervals of one level covered the later score."""

    level: Probability
    covered: Count
    """Number of later scores inside the interval."""
    compared: Count
    share: Probability | None
    """Share of later scores inside the interval; null where nothing was compared."""
    lower: Probability
    """Lower end of the 95 % confidence interval of that share, with one observation per curve."""
    upper: Probability


class ComparedRow(TypedDict):
    """What was forecast at one size, and what was measured there later."""

    name: str | None
    """Name under which the curve was recorded."""
    task: str | None
    metric: str
    unit: str
    """What a size counts."""
    date: str
    """When the forecast was recorded."""
    size: Size
    times: Spread
    """The size as a multiple of the pilot's largest."""
    n_splits: Count
    """Number of scores whose mean is compared."""
    measured: float
    """That mean."""
    median: float
    """Median of the forecast."""
    lower_80: float
    upper_80: float
    lower_95: float
    upper_95: float
    pit: Probability
    """Share of the forecast below what was measured."""
    covered_50: bool
    """Whether the 50 % interval covers what was measured."""
    covered_80: bool
    covered_90: bool
    covered_95: bool


class RecordFacts(Versioned, Said):
    """`apexgp record --json`."""

    schema: Literal["urn:apexgp:record:1"]
    record: str
    """The file."""
    metric: str | None
    """The metric that was asked about; null for all."""
    task: str | None
    """The task that was asked about; null for all."""
    curves: Count
    """Number of curves with forecasts that could be compared."""
    waiting: Count
    """Forecasts at sizes that have not been measured yet."""
    known: Count
    """Forecasts that do not count: the size had been measured before, or is no larger than the pilot."""
    unlike: Count
    """Forecasts that what was measured cannot be compared with."""
    above_median: Probability | None
    """Share of later scores above the median forecast."""
    levels: list[LevelRow]
    comparisons: list[ComparedRow]


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


class MinimumFacts(Versioned, Said):
    """`apexgp minimum --json`: patients to develop a model."""

    schema: Literal["urn:apexgp:minimum:1"]
    minimum: MinimumRow


class EvaluationFacts(Versioned, Said):
    """`apexgp minimum --for evaluation --json`: patients to evaluate a model."""

    schema: Literal["urn:apexgp:evaluation:1"]
    minimum: EvaluationRow


class ReportedFacts(TypedDict):
    """The numbers of a report about one task: the documents of its answers."""

    forecast: ForecastFacts
    plan: PlanFacts | None
    design: DesignFacts | None
    sensitivity: SensitivityFacts
    check: CheckFacts | None
    backtest: BacktestFacts


class ReportFacts(Versioned):
    """All the numbers of a report, which it offers as a file."""

    schema: Literal["urn:apexgp:report:1"]
    tasks: dict[str, ReportedFacts]
    """By the name of the task; a single task without a name has the empty name."""
    failed: dict[str, str]
    """Why other tasks have no forecast."""


class MeasuredFacts(TypedDict):
    """A curve of an experiment."""

    sizes: list[Size]
    means: list[float]
    splits: list[Count]
    """Number of splits at each size."""


class TableFacts(TypedDict):
    """A table as a paper sets it."""

    caption: str
    header: list[str]
    rows: list[list[str]]


class ExperimentFacts(Versioned, Said):
    """`apexgp experiment --json`."""

    schema: Literal["urn:apexgp:experiment:1"]
    experiment: dict[str, Json]
    """What the configuration says."""
    curves: dict[str, MeasuredFacts]
    """By task."""
    figures: list[dict[str, Json]]
    """How each method did within each range of sizes."""
    dense: list[dict[str, Json]]
    """Coverage where a size was measured many times."""
    tables: dict[str, TableFacts]
    fits: Count
    """Models trained."""
    seconds: Spread
    notes: list[str]
    files: NotRequired[list[str]]
    """Names of the files beside it, where it is the `experiment.json` of a folder."""


class CellsFacts(TypedDict):
    """A table as it is shown."""

    header: list[str]
    rows: list[list[str]]


class NoBacktest(Doubted):
    """Why no backtest is possible on a curve."""

    error: str


class DoubtFacts(TypedDict):
    """What the answer depends on, and whether the model fits the pilot; pictures as SVG."""

    sensitivity: SensitivityFacts
    sensitivity_svg: str
    check: CheckFacts | None
    check_svg: str | None
    check_note: str | None


class PageFacts(TypedDict):
    """Everything that the page shows: the documents of its answers, tables, the chart, files and code."""

    forecast: ForecastFacts
    plan: PlanFacts | None
    backtest: BacktestFacts | NoBacktest | None
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
    """What the page shows about what measuring more would change."""

    design: DesignFacts
    table: CellsFacts
    """The best few designs."""
    note: str
    """What the columns mean."""
    python: str
    """Python code that continues that of the page."""
    shell: str
    """The command that reproduces the numbers."""
