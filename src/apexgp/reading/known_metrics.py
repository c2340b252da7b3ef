"""Metrics that people measure: their names, which values they can take, which fall as models improve."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf

__all__ = [
    "UNNAMED",
    "KnownMetric",
    "is_negated",
    "known_metric",
    "metric_name",
    "plain_name",
    "same_metric",
    "says_held_out_score",
    "says_mean",
    "says_only_score",
    "says_per_cent",
    "sounds_like_a_loss",
]

# The metric of a curve of which nobody has said what was measured.
UNNAMED = "score"


@dataclass(frozen=True)
class KnownMetric:
    """A metric: its name as people write it, other names, whether lower is better, and which values it can take."""

    name: str
    synonyms: tuple[str, ...] = ()
    lower_is_better: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    logarithmic: bool = False
    """Whether its logarithm is what behaves as a loss does."""

    @classmethod
    def loss(cls, name: str, *synonyms: str) -> KnownMetric:
        """A loss that has no worst value."""
        return cls(name, synonyms, lower_is_better=True, range=(0.0, inf))

    @classmethod
    def coefficient(cls, name: str, *synonyms: str) -> KnownMetric:
        """A coefficient between -1 and 1, of which 0 is chance."""
        return cls(name, synonyms, range=(-1.0, 1.0))


_KNOWN = (
    KnownMetric("AUROC", ("auc", "roc auc", "auc roc", "area under the roc curve")),
    KnownMetric("AUROC (one-vs-rest)", ("roc auc ovr",)),
    KnownMetric("AUROC (one-vs-one)", ("roc auc ovo",)),
    KnownMetric("macro AUROC", ("auc macro", "macro auc", "auroc macro", "macro averaged auroc", "macro averaged auc")),
    KnownMetric("weighted AUROC (one-vs-rest)", ("roc auc ovr weighted",)),
    KnownMetric("weighted AUROC (one-vs-one)", ("roc auc ovo weighted",)),
    KnownMetric("c-statistic", ("c index", "concordance", "concordance index")),
    KnownMetric("accuracy", ("acc", "classification accuracy", "percent correct")),
    KnownMetric("balanced accuracy", ("bal acc", "balanced acc", "bacc")),
    KnownMetric("top-1 accuracy", ("top 1", "top 1 acc")),
    KnownMetric("top-5 accuracy", ("top 5", "top 5 acc")),
    KnownMetric("average precision", ("ap",)),
    KnownMetric("AUPRC", ("pr auc", "auc pr", "area under the precision recall curve")),
    KnownMetric("F1", ("f1 measure", "f measure", "f 1")),
    KnownMetric("macro F1", ("f1 macro",)),
    KnownMetric("micro F1", ("f1 micro",)),
    KnownMetric("weighted F1", ("f1 weighted",)),
    KnownMetric("precision"),
    KnownMetric("recall"),
    KnownMetric("sensitivity", ("sens",)),
    KnownMetric("specificity", ("spec",)),
    KnownMetric("PPV", ("positive predictive value",)),
    KnownMetric("NPV", ("negative predictive value",)),
    KnownMetric("Dice", ("dice coefficient", "dice similarity coefficient", "dsc")),
    KnownMetric("Jaccard index", ("jaccard", "iou", "intersection over union")),
    KnownMetric.coefficient(
        "MCC", "matthews", "matthews corrcoef", "matthews correlation", "matthews correlation coefficient"
    ),
    KnownMetric.coefficient("Cohen's kappa", "kappa", "cohen kappa"),
    KnownMetric.coefficient("weighted kappa", "quadratic weighted kappa", "linear weighted kappa", "qwk"),
    KnownMetric.coefficient("Fleiss' kappa", "fleiss kappa"),
    KnownMetric.coefficient(
        "R",
        "pearson",
        "pearsonr",
        "pearson r",
        "pearson correlation",
        "pearson corrcoef",
        "correlation",
        "correlation coefficient",
        "pearson correlation coefficient",
    ),
    KnownMetric.coefficient("Spearman's rho", "spearman", "spearmanr", "spearman correlation", "spearman corrcoef"),
    KnownMetric.coefficient("Kendall's tau", "kendall", "kendalltau"),
    KnownMetric.coefficient("Gini", "gini coefficient", "gini index", "normalized gini", "somers d"),
    KnownMetric.coefficient("Youden's J", "youden", "youden index", "informedness"),
    KnownMetric.coefficient("adjusted Rand index", "ari", "adjusted rand"),
    KnownMetric(
        "error rate",
        ("error", "err", "test error", "classification error", "misclassification", "misclassification rate"),
        lower_is_better=True,
    ),
    KnownMetric("top-1 error", ("top 1 error rate", "top 1 err"), lower_is_better=True),
    KnownMetric("top-5 error", ("top 5 error rate", "top 5 err"), lower_is_better=True),
    KnownMetric("balanced error rate", ("ber", "balanced error"), lower_is_better=True),
    KnownMetric("zero-one loss", ("0 1 loss",), lower_is_better=True),
    KnownMetric("Hamming loss", ("hamming",), lower_is_better=True),
    KnownMetric("Dice loss", (), lower_is_better=True),
    KnownMetric("equal error rate", ("eer",), lower_is_better=True),
    KnownMetric.loss("Brier score", "brier", "brier loss", "brier score loss"),
    KnownMetric.loss(
        "log loss", "cross entropy", "cross entropy loss", "nll", "negative log likelihood", "deviance", "bce"
    ),
    KnownMetric("log likelihood", (), range=(-inf, 0.0)),
    KnownMetric("perplexity", ("ppl",), lower_is_better=True, range=(1.0, inf), logarithmic=True),
    KnownMetric.loss("hinge loss", "hinge"),
    KnownMetric.loss("word error rate", "wer"),
    KnownMetric.loss("character error rate", "cer"),
    KnownMetric("false positive rate", ("fpr",), lower_is_better=True),
    KnownMetric("false negative rate", ("fnr", "miss rate"), lower_is_better=True),
    KnownMetric("false discovery rate", ("fdr",), lower_is_better=True),
    KnownMetric.loss("MAE", "mean absolute error", "median absolute error"),
    KnownMetric.loss("MSE", "mean squared error"),
    KnownMetric.loss("RMSE", "root mean squared error"),
    KnownMetric.loss("MAPE", "mean absolute percentage error"),
    KnownMetric.loss("sMAPE", "symmetric mean absolute percentage error"),
    KnownMetric.loss("NRMSE", "normalized rmse", "normalised rmse", "normalized root mean squared error"),
    KnownMetric.loss("CRPS", "continuous ranked probability score"),
    KnownMetric.loss("Huber loss", "huber"),
    KnownMetric.loss("pinball loss", "pinball", "quantile loss"),
    KnownMetric.loss("RMSLE", "root mean squared log error"),
    KnownMetric(
        "R2",
        ("r squared", "r2 score", "coefficient of determination"),
        range=(-inf, 1.0),
    ),
    KnownMetric("explained variance", (), range=(-inf, 1.0)),
    KnownMetric("D2 (log loss)", ("d2 log loss",), range=(-inf, 1.0)),
    KnownMetric("D2 (Brier score)", ("d2 brier", "brier skill"), range=(-inf, 1.0)),
    KnownMetric("D2 (absolute error)", ("d2 absolute error",), range=(-inf, 1.0)),
    KnownMetric("ECE", ("expected calibration error",), lower_is_better=True),
    KnownMetric.loss("loss"),
)
# Words around a name that say where or how it was measured, not what.
_BESIDE = {
    *("test", "testing", "val", "valid", "validation", "holdout", "held", "out", "cv", "eval", "evaluation", "dev"),
    *("mean", "average", "avg", "score", "scores", "value"),
}
# Words that say as much, but only beside the name of a metric: a column that is called `set` holds no scores.
_BESIDE_A_NAME = _BESIDE | {"set", "in", "performance", "percent", "percentage", "pct"}


_OF_TRACKERS = re.compile(r"^(?:params?|metrics?|config|summary|hparams|hyperparameters|args)[./](?=.)", re.IGNORECASE)
# What stands in the cells beside the score, said in the name of the column: AUC (95 % CI), Accuracy ± SD, AUC [IQR].
_SPREAD = re.compile(
    r"(?:±|\+/-|[(\[])\s*(?:\d\d(?:\.\d+)?\s*%\s*)?\b(?:CI|CrI|IQR|SD|SEM?|std)\s*[)\]]?\s*$",
    re.IGNORECASE,
)


def plain_name(name: str) -> str:
    """A name in small letters, its words parted by single spaces: ROC_AUC, Roc-Auc and rocAuc are `roc auc`.

    What trackers of experiments put before it is no part of it: metrics.val_auc is `val auc`.
    """
    own = _OF_TRACKERS.sub("", name.strip())
    apart = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", own)
    return " ".join(re.findall(r"[^\W_]+", apart.casefold().replace("'", "")))


_BY_NAME = {plain_name(name).replace(" ", ""): metric for metric in _KNOWN for name in (metric.name, *metric.synonyms)}


def known_metric(name: str) -> KnownMetric | None:
    """The metric of that name, whatever its case, spaces and underscores; None where we do not know it.

    What scikit-learn calls neg_... is the metric whose sign it has turned.
    """
    plain = plain_name(_SPREAD.sub(" ", name).replace("%", " percent ")).removeprefix("neg ")
    bare = "".join(word for word in plain.split() if word not in _BESIDE_A_NAME)
    return _BY_NAME.get(plain.replace(" ", ""), _BY_NAME.get(bare))


def is_negated(name: str) -> bool:
    """Whether a name is that of a loss whose sign scikit-learn has turned: neg_log_loss."""
    found = known_metric(name)
    return plain_name(name).startswith("neg ") and (found is None or found.lower_is_better)


def says_per_cent(name: str) -> bool:
    """Whether a name has per cent for its unit: Accuracy (%), acc_pct; but not AUC (95 % CI)."""
    words = {"percent", "percentage", "pct"} & set(plain_name(name).split())
    return bool(words) or re.search(r"(?<!\d)(?<!\d\s)%", name) is not None


def says_only_score(name: str) -> bool:
    """Whether a name means the score without saying of what: score, Test score, mean value, performance."""
    return bool(words := set(plain_name(name).split())) and words <= _BESIDE | {"performance", "result", "metric"}


_MEAN = {"mean", "average", "avg"}
_OF_CLASSES = {"macro", "micro", "weighted"}  # before an average: one over classes
_MEANS_OF_CASES = {"loss", "log loss", "Dice", "Jaccard index"}  # a mean of these is one over test cases or classes


def says_mean(name: str) -> bool:
    """Whether scores of that name are means over runs: mean AUC, avg_test_score, AUC (mean); not mean squared error."""
    words, metric = plain_name(_SPREAD.sub(" ", name)).split(), known_metric(name)
    said = [i for i, word in enumerate(words) if word in _MEAN and not _OF_CLASSES & set(words[:i])]
    if not said or metric is None:
        return bool(said) and says_only_score(name)
    without = [
        " ".join(words[:i] + words[i + 1 :]) for i in said
    ]  # the same metric, unless the word is part of its name
    return metric.name not in _MEANS_OF_CASES and all(known_metric(name) is metric for name in without)


def metric_name(name: str) -> str:
    """A metric as people write it; one that we do not know as it was given."""
    found = known_metric(name)
    return name if found is None else found.name


def same_metric(one: str, other: str) -> bool:
    """Whether two names mean one metric."""
    return metric_name(one) == metric_name(other)


def sounds_like_a_loss(name: str) -> bool:
    """Whether a metric of that name falls as models improve, as far as one can tell by the name."""
    found = known_metric(name)
    if found is not None:
        return found.lower_is_better
    return any(
        re.match(r"(err|errors?|loss|losses|miss|risk|regret|entropy|deviance|brier|misclass\w*)$", w)
        for w in plain_name(name).split()
    )


def says_held_out_score(name: str) -> bool:
    """Whether a number of that name is a score or a loss of unseen cases, as far as one can tell by the name."""
    if {"train", "training"} & set(plain_name(name).split()):
        return False
    return known_metric(name) is not None or says_only_score(name) or sounds_like_a_loss(name)
