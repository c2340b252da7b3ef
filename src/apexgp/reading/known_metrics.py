"""Metrics that people measure: names in English, German and French, possible values, direction."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

__all__ = ["KNOWN", "UNNAMED", "KnownMetric"]

UNNAMED = "score"
"""The metric of a curve of which nobody has said what was measured."""


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


KNOWN = (
    KnownMetric(
        "AUROC",
        (
            "auc",
            "roc",
            "roc auc",
            "auc roc",
            "area under the curve",
            "area under the roc curve",
            "area under the curve roc",
        ),
    ),
    KnownMetric("AUROC (one-vs-rest)", ("roc auc ovr",)),
    KnownMetric("AUROC (one-vs-one)", ("roc auc ovo",)),
    KnownMetric("macro AUROC", ("auc macro", "macro auc", "auroc macro", "macro averaged auroc", "macro averaged auc")),
    KnownMetric("weighted AUROC (one-vs-rest)", ("roc auc ovr weighted",)),
    KnownMetric("weighted AUROC (one-vs-one)", ("roc auc ovo weighted",)),
    KnownMetric("c-statistic", ("c index", "concordance", "concordance index")),
    KnownMetric(
        "accuracy",
        (
            "acc",
            "classification accuracy",
            "percent correct",
            "korrektklassifikationsrate",
            "share richtig klassifiziert",
        ),
    ),
    KnownMetric("hit rate", ("trefferquote", "trefferrate", "taux de réussite")),
    KnownMetric(
        "balanced accuracy",
        ("bal acc", "balanced acc", "bacc", "accuracy balanced"),
    ),
    KnownMetric("top-1 accuracy", ("top 1", "top 1 acc")),
    KnownMetric("top-5 accuracy", ("top 5", "top 5 acc")),
    KnownMetric("average precision", ("ap",)),
    KnownMetric("AUPRC", ("pr", "pr auc", "auc pr", "area under the precision recall curve")),
    KnownMetric("F1", ("f1 measure", "f measure", "f 1", "f1 maß", "mesure f1")),
    KnownMetric("macro F1", ("f1 macro", "macro averaged f1")),
    KnownMetric("micro F1", ("f1 micro",)),
    KnownMetric("weighted F1", ("f1 weighted",)),
    KnownMetric("precision"),
    KnownMetric("recall"),
    KnownMetric("sensitivity", ("sens",)),
    KnownMetric("specificity", ("spec",)),
    KnownMetric("PPV", ("positive predictive value",)),
    KnownMetric("NPV", ("negative predictive value",)),
    KnownMetric(
        "Dice", ("dice coefficient", "dice similarity coefficient", "dsc", "dice koeffizient", "coefficient de dice")
    ),
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
        (
            *("error", "err", "test error", "classification error", "misclassification", "misclassification rate"),
            *("error quote", "taux d'erreur"),
        ),
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
