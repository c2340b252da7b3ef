"""Names of columns and metrics, in English, German and French: what they say that a column holds.

A name is compared in plain words (`plain_name`), whatever its case, spaces and underscores.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import Literal

import numpy as np

from .._check import FloatArray, format_some
from ..errors import DataError
from ..scale import UNIT_RANGE, Range, format_range
from ..vocabulary import Remedy
from .cells import is_blank
from .known_metrics import KNOWN, KnownMetric

__all__ = [
    "PROBLEM_COUNTS",
    "SPLIT_WORDS",
    "TRAINING",
    "check_within",
    "counts_classes",
    "counts_features",
    "counts_runs",
    "counts_test_cases",
    "counts_training_examples",
    "find_column",
    "is_negated",
    "known_metric",
    "looks_like_per_cent",
    "may_count_examples",
    "metric_name",
    "named_as_splits",
    "numbers_of_runs",
    "per_cent_remedy",
    "plain_name",
    "range_and_direction",
    "range_remedy",
    "same_metric",
    "says_held_out_score",
    "says_mean",
    "says_only_score",
    "says_per_cent",
    "sets_of_splits",
    "sounds_like_a_loss",
    "told_apart_by",
    "unit_counted",
    "without_split",
]

_OF_TRACKERS = re.compile(r"^(?:params?|metrics?|config|summary|hparams|hyperparameters|args)[./](?=.)", re.IGNORECASE)
_ENGLISH = {
    german_or_french: english
    for english, others in {
        "patients": "patienten patientinnen pat patientes population pop",
        "cases": "fälle fall cas",
        "images": "bilder bild aufnahmen fotos photos clichés img imgs",
        "samples": "proben probe stichprobe stichproben échantillons échantillon",
        "examples": "beispiele exemples exemple",
        "subjects": "probanden sujets",
        "slides": "lames lame objektträger",
        "slices": "schnitte coupes schichten",
        "stays": "séjours aufenthalte",
        "reports": "befunde berichte",
        "documents": "belege dokumente dossiers",
        "n": "anzahl anz zahl menge nombre nbre effectif effectifs",
        "size": "grösse groesse taille umfang",
        "training": "trainings lern apprentissage entraînement entrainement app",
        "labelled": "annotés annotées annotiert annotierte",
        "share": "anteil fraction frac proportion part",
        "area": "fläche aire",
        "under": "unter sous",
        "curve": "kurve courbe",
        "date": "datum",
        "data": "daten données datensatz jeu",
        "of": "de des du la le les der die das von pour",
        "run": "lauf durchgang durchlauf essai",
        "runs": "läufe durchgänge durchläufe essais",
        "repeat": "wiederholung répétition",
        "repeats": "wiederholungen répétitions",
        "fold": "falte pli",
        "folds": "falten plis",
        "split": "tirage aufteilung",
        "splits": "tirages aufteilungen",
        "seed": "graine startwert",
        "mean": "mittelwert mittel mw durchschnitt moyenne moy moyen mittlere",
        "sd": "standardabweichung stabw stdabw",
        "median": "médiane",
        "total": "summe gesamt somme",
        "model": "modell modelle modèle modele modèles",
        "method": "verfahren méthode methode",
        "classifier": "klassifikator classifieur",
        "algorithm": "algorithmus algorithme",
        "architecture": "architektur",
        "task": "aufgabe tâche",
        "site": "standort zentrum klinik centre center hôpital hospital",
        "scanner": "gerät appareil",
        "metric": "metrik métrique kennzahl",
        "value": "wert valeur",
        "score": "ergebnis résultat",
        "accuracy": "genauigkeit exactitude justesse",
        "balanced": "balancierte balanciert équilibrée balancée",
        "sensitivity": "sensitivität sensibilité",
        "specificity": "spezifität spécificité",
        "precision": "präzision précision",
        "recall": "rappel",
        "error": "fehler erreur",
        "loss": "verlust perte",
        "macro": "makro",
        "features": "merkmale",
        "classes": "klassen",
        "validation": "validierung",
        "status": "statut zustand",
    }.items()
    for german_or_french in others.split()
}
"""Words of German and French column names, in small letters, by what they mean."""
# Parts of German compounds: Trainingspatienten, Patientenzahl, Fehlerrate.
_COMPOUND = re.compile(
    r"\b(trainings|test|patienten|fall|bilder|stichproben|fehler|proben|zell|röntgen)"
    r"(patienten|pat|fälle|bilder|fotos|aufnahmen|proben|beispiele|daten|anzahl|zahl|grösse|groesse|umfang|menge|rate|quote)"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z][a-z])|(?<=[Tt]est)(?=[A-Z])|(?<=[Tt]rain)(?=[A-Z])")  # rocAuc, TestROC
_SD_IN_FRENCH = re.compile(r"\b[eé]carts?[\s_-]?types?\b")


@lru_cache(maxsize=4096)  # cells are looked at, too, and most of them again and again
def plain_name(name: str) -> str:
    """A name in small letters, its words parted by single spaces: ROC_AUC, Roc-Auc and rocAuc are `roc auc`.

    German and French words are translated: Anzahl Patienten is `n patients`. What trackers of experiments put before a
    name is no part of it: metrics.val_auc is `val auc`.
    """
    own = _OF_TRACKERS.sub("", name.strip())
    apart = _CAMEL.sub(" ", own).casefold()
    apart = _COMPOUND.sub(r"\1 \2", _SD_IN_FRENCH.sub("sd", apart))
    apart = re.sub(r"\b[dl]['’](?=\w)", "", apart).replace("'", "")  # d'erreur, but Cohen's
    return " ".join(_ENGLISH.get(word, word) for word in re.findall(r"[^\W_]+", apart))


_LONGEST_NAME = 200  # characters of the name of a metric
# Words around a name that say where or how it was measured, not what.
_BESIDE = {
    *("test", "testing", "val", "valid", "validation", "holdout", "held", "out", "cv", "eval", "evaluation", "dev"),
    *("mean", "average", "avg", "score", "scores", "value"),
}
# Words that say as much, but only beside the name of a metric: a column that is called `set` holds no scores.
_BESIDE_A_NAME = _BESIDE | {"set", "in", "performance", "percent", "percentage", "pct"}


# What stands in the cells beside the score, said in the name of the column: AUC (95 % CI), Accuracy ± SD, AUC [IQR].
_SPREAD = re.compile(
    r"(?:±|\+/-|[(\[])\s*(?:\d\d(?:\.\d+)?\s*%\s*)?\b(?:CI|CrI|IQR|SD|SEM?|std)\s*[)\]]?\s*$",
    re.IGNORECASE,
)


def _join(words: Sequence[str], without: Collection[str]) -> str:
    """Words in one, without some and without articles: the key of a metric."""
    return "".join(word for word in words if word not in without and word not in ("of", "the"))


_BY_NAME = {_join(plain_name(name).split(), ()): metric for metric in KNOWN for name in (metric.name, *metric.synonyms)}


def known_metric(name: str) -> KnownMetric | None:
    """The metric of that name, whatever its case, spaces and underscores; None where we do not know it.

    What scikit-learn calls neg_... is the metric whose sign it has turned.
    """
    if len(name) > _LONGEST_NAME:
        return None
    text = _SPREAD.sub(" ", name).replace("%", " percent ")
    for part in (text, *re.findall(r"\(([^()]*+)\)", text)):  # what it is in other words, in brackets
        if part is not text and " " not in part.strip():
            continue
        words = plain_name(part).removeprefix("neg ").split()
        found = _BY_NAME.get(_join(words, ())) or _BY_NAME.get(_join(words, _BESIDE_A_NAME))
        if found is not None:
            return found
    return None


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


_TYPICAL_PER_CENT = 20.0  # scores that are per cents are mostly above, losses mostly below

WHAT_ELSE: Remedy = (
    "What was measured? Name it with {}, if it is a known metric such as log loss, RMSE, MCC or R2; otherwise give "
    "the values it can take, such as {} for a loss.",
    "metric",
    ("range", (0, inf)),
)
"""What to do with scores of which nobody has said what they are."""


def range_and_direction(metric: str, scores: FloatArray) -> tuple[Range, Literal["higher", "lower"]]:
    """Which values a metric can take, and which way is better, as far as its name says.

    An unknown metric lies in [0, 1], and higher is better unless it is called a loss.
    """
    known = known_metric(metric)
    if is_negated(metric) and not (scores > 0).any():
        low, high = (0.0, inf) if known is None else known.range
        return (0.0 - high, 0.0 - low), "higher"
    if known is not None:
        return known.range, "lower" if known.lower_is_better else "higher"
    return UNIT_RANGE, "lower" if sounds_like_a_loss(metric) and not is_negated(metric) else "higher"


def looks_like_per_cent(scores: Sequence[float]) -> bool:
    """Whether scores may well be per cents: above 1, at most 100, and most of them no small numbers."""
    return bool(scores) and all(1 < score <= 100 for score in scores) and float(np.median(scores)) > _TYPICAL_PER_CENT


def range_remedy(metric: str, *, stated: bool) -> Remedy:
    """What to do about scores outside the range of their metric."""
    if stated:
        return ()
    if known_metric(metric) is None:
        return WHAT_ELSE
    return (
        "If something else was measured, name it with {}, or give the values it can take with {}.",
        "metric",
        "range",
    )


def per_cent_remedy(metric: str) -> Remedy:
    """What to do about the scores of a table that may be per cents."""
    either = "Or say so with {}, or with a % sign in the column's name"
    if known_metric(metric) is not None:
        return f"{either}.", ("per_cent", True)
    return f"{either}; if they are something else, give the values it can take with {{}}.", ("per_cent", True), "range"


def check_within(name: str, scores: FloatArray, between: Range, metric: str, *, stated: bool) -> None:
    """Refuse scores that their metric, or the range that was stated, does not allow, and ask what they are."""
    outside = scores[(scores < between[0]) | (scores > between[1])]
    if not outside.size:
        return
    known = known_metric(metric)
    whose = " as the range says," if stated else f" as {metric_name(metric)} does," if known else ""
    problem = f"must lie in {format_range(between)},{whose} got {format_some(outside)}."
    if between == UNIT_RANGE and looks_like_per_cent(scores[~np.isnan(scores)].tolist()):
        problem += f" Are these percentages? Divide by 100: {outside[0]:g} becomes {outside[0] / 100:g}."
        raise DataError(problem, argument=name, remedy=("Or keep them, and say so with {}.", ("range", (0, 100))))
    raise DataError(problem, argument=name, remedy=range_remedy(metric, stated=stated))


TRAINING = {"train", "training", "labelled", "labeled", "annotated"}
SPLIT_WORDS = {
    *("split", "splits", "fold", "folds", "seed", "repeat", "repeats", "repetition", "rep", "run", "replicate"),
    *("trial", "iteration", "resample"),
}
_INITIALS = {"s", "r", "k"}  # of such words, before a number
_VALIDATION = {"val", "valid", "validation"}
# What else a number after a metric tells apart: then the columns are no splits of one experiment.
_OTHER_THINGS = {
    *("class", "classes", "site", "centre", "center", "hospital", "reader", "rater", "model", "classifier", "label"),
    *("task", "dataset", "epoch", "layer", "cohort", "group", "year", "step", "stage", "top"),
}
_SPLIT_NUMBER = re.compile(r"\d+")
# By which splits are told apart, after a word that says that they are splits.
_MARK = re.compile(r"\d+|[a-z]|i{1,3}|iv|vi{0,3}|ix")


PROBLEM_COUNTS = {"n_features": 1, "n_classes": 2}
"""Numbers that describe the problem of a curve, and the least that each can be."""

_COUNTED = {
    *("example", "sample", "case", "patient", "image", "row", "observation", "instance", "subject", "scan", "item"),
    *("point", "datum", "pt"),
}
# Counted only in the plural: one of them may name a row.
_COUNTED_SEVERALLY = {
    *("slides", "slices", "stays", "reports", "documents", "tickets", "tiles", "patches", "cells", "records", "exams"),
    *("studies", "volumes", "sequences", "sentences", "texts", "lesions", "visits", "admissions", "biopsies"),
}
# Numbers of them say something else of training than how many examples there were.
_COUNTED_ELSE = {
    "outcome",
    "event",
    "positive",
    "classe",
    "feature",
    "batch",
    "epoch",
    "step",
    "run",
    "fold",
    "iteration",
}
_LABELS = {"label", "annotation"}  # counted only where a word says that they are counted
_AROUND = {"set", "data", "dataset", "subset", "trainset", "in", "used"}
_NUMBER = {"n", "num", "number", "no", "nr", "nb", "amount", "count"}
_COUNTING = _NUMBER | {"total", "of", "the"}
_TEST = {"test", "testing", "testset"}
# How many of them had the outcome, in brackets: patients (events), n [deaths].
_WITH_EVENTS = re.compile(
    r"[(\[]\s*+(?:(?:n|no\.?|number|of|with|#)\s++)*+(?:events?|positives?|deaths?|outcomes?)\s*+[)\]]\s*+$",
    re.IGNORECASE,
)
# Iterations and trials are counted as well, and are often those of one training or one search.
_RUNS = {word.removesuffix("s") for word in SPLIT_WORDS} - {"iteration", "trial"}
_AVERAGED = {"averaged", "average", "mean", "over", "per"}
_FEATURES = {"feature", "predictor", "dimension"}
_BESIDE_FEATURES = {"input", "encoded", "embedding"}


def counts_training_examples(name: str) -> bool:
    """Whether a column counts training examples by its name: size, N, n_train, # samples, patients (events)."""
    words = _words(_WITH_EVENTS.sub("", name))
    if words == ["n"] or words in (["ntrain"], ["trainsize"], ["nsamples"]):
        return True
    left = [_one_of(word) for word in words if word not in _COUNTING | TRAINING | _AROUND]
    if not left:  # n_train, number of training data, but neither `train` nor `no`
        return bool({"n", "num", "number", "amount"} & set(words) and TRAINING & set(words))
    if len(left) == 1 and _NUMBER & set(words) and TRAINING & set(words):
        return left[0] not in _COUNTED_ELSE  # whatever it is that is counted: number of training widgets
    things = [word for word in left if word != "size"]  # train size (patients), sample size
    if len(things) < len(left) and len(left) < 3:
        return not things or things[0] in _COUNTED
    return len(left) == 1 and (left[0] in _COUNTED or (left[0] in _LABELS and bool(_NUMBER & set(words))))


def may_count_examples(name: str) -> bool:
    """Whether a column may count training examples, or be shares of them, although no word says that it counts.

    Training set, Apprentissage (patients), Anteil der Trainingsfotos, data.frac: numbers beneath must bear it out.
    """
    words = set(_words(name))
    rest = words - TRAINING - {"set", "data", "of", "the", "n", "percent", "percentage"}
    things = {word for word in rest if _one_of(word) in _COUNTED}
    if "share" in words:
        return rest - things <= {"share"}
    return bool(words & TRAINING) and rest == things and bool(things or words & {"set", "data"})


# What people count, where a name says it; samples, rows and the like are training examples by another name.
_UNITS = {"patient": "patients", "pt": "patients", "image": "images", "subject": "subjects", "scan": "scans"}


def unit_counted(name: str) -> str | None:
    """Name the things that a column counts: n patients, No. of pts (train); None if it says no more than examples."""
    words = _words(name)
    several = (word for word in words if word in _COUNTED_SEVERALLY)
    return next((_UNITS[one] for one in map(_one_of, words) if one in _UNITS), None) or next(several, None)


def _one_of(word: str) -> str:
    """A word in the singular, as far as it takes to look it up: patient for patients; `case` for slides."""
    return "case" if word in _COUNTED_SEVERALLY else word.removesuffix("s")


def counts_test_cases(name: str) -> bool:
    """Whether a column counts test cases by its name: n_test, test size, Test cases, # test patients, N (test)."""
    words = _words(name)
    if words in (["ntest"], ["testsize"]):
        return True
    if not _TEST & set(words):
        return False
    left = [word for word in words if word not in _TEST | _AROUND]
    things = {word.removesuffix("s") for word in left if word not in _COUNTING}
    return bool(left) and things <= _COUNTED | {"size"} and bool(things or _NUMBER & set(left))


def counts_runs(name: str) -> bool:
    """Whether a column may count the runs behind a mean by its name: averaged over, n_runs, Number of seeds, folds."""
    words = _words(name)
    if words == ["averaged", "over"] or words in (["nruns"], ["nseeds"], ["nrepeats"], ["nreps"], ["nfolds"]):
        return True
    left = [word for word in words if word not in _COUNTING | _AVERAGED]
    return len(left) == 1 and left[0].endswith("s") and left[0].removesuffix("s") in _RUNS


def counts_features(name: str) -> bool:
    """Whether a column counts features by its name: n_features, # features, Predictors, embedding dimension."""
    words = _words(name)
    if words == ["nfeatures"]:
        return True
    left = [word for word in words if word not in _COUNTING | _BESIDE_FEATURES]
    if len(left) != 1 or left[0].removesuffix("s") not in _FEATURES:
        return False
    return left[0] == "dimension" or left[0].endswith("s") or bool(_NUMBER & set(words))


def counts_classes(name: str) -> bool:
    """Whether a column counts classes by its name: n_classes, # classes, Number of classes; `class` is a label."""
    words = _words(name)
    return words == ["nclasses"] or [word for word in words if word not in _COUNTING] == ["classes"]


def numbers_of_runs(name: str, cells: Sequence[str], sizes: Sequence[object]) -> bool:
    """Whether a column named as splits are, in the plural, holds how many there were: `repeats`, and 10 in every row.

    Labels of splits would differ within a size; so this takes the same number, above 1, in every row, or one row for
    each of the `sizes`.
    """
    if not counts_runs(name):
        return False
    filled = [cell.strip() for cell in cells if not is_blank(cell)]
    whole = bool(filled) and all(re.fullmatch(r"[1-9]\d*", cell) and cell != "1" for cell in filled)
    return whole and (len(set(filled)) == 1 or len(set(sizes)) == len(sizes))


def _words(name: str) -> list[str]:
    return plain_name(name.replace("#", " number ")).split()


def sets_of_splits(names: Sequence[str], metric: str | None = None) -> list[list[str]]:
    """Sets of columns of which each is a split: split1, split2, or AUC (fold 1), AUC (fold 2), or 1, 2.

    Of several sets those remain that say what they measure, the metric asked for before all; scores on test before
    those on validation. A set that says nothing goes behind a single column that is called after a metric. More than
    one set is left where the names do not decide.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        rest = without_split(name)
        if rest is not None and not TRAINING & set(rest.split()):
            groups[rest].append(name)
    sets = {rest: own for rest, own in groups.items() if len(own) > 1 and not _told_apart_by_more(own)}
    of_scores = {rest: own for rest, own in sets.items() if not rest or known_metric(rest) or says_only_score(rest)}
    of_metric = {rest: own for rest, own in of_scores.items() if metric is not None and same_metric(rest, metric)}
    alone = [name for name in names if known_metric(name) and not any(name in own for own in sets.values())]
    best = of_metric or of_scores or (sets if len(sets) == 1 and not alone else {})
    tested = [own for rest, own in best.items() if not _VALIDATION & set(rest.split())]
    return tested if len(tested) == 1 else list(best.values())


def told_apart_by(names: Sequence[str]) -> list[str]:
    """Strip names of the words that stand in all of them: LR and RF are left of AUC (LR), AUC (RF)."""
    words = [re.findall(r"[^\s()\[\],:;_]+", name) for name in names]
    shared = set.intersection(*({word.casefold() for word in own} for own in words)) if words else set()
    return [" ".join(word for word in own if word.casefold() not in shared) for own in words]


def named_as_splits(names: Sequence[str]) -> bool:
    """Whether columns that a caller lists together are plainly splits: by a number, a letter, or a word that says so.

    Sites, readers and models are told apart by numbers and letters, too: beside those only a metric may be named.
    """
    if all(_with_split_word(_words_and_numbers(name)) is not None for name in names):
        return True
    words = [" ".join(_words_and_numbers(name)) for name in names]
    apart = told_apart_by(words)
    if not all(re.fullmatch(r"\d+|[a-z]", rest) for rest in apart):
        return False
    shared = " ".join(word for word in words[0].split() if word != apart[0])
    return not shared or known_metric(shared) is not None or says_only_score(shared)


def _told_apart_by_more(names: Sequence[str]) -> bool:
    """Whether names that only a number tells apart are metrics (top1 and top5, F1 and F2), or do not count up.

    AP50 and AP75, recall@5 and recall@10, AUC 2019 and AUC 2020 are no splits of one experiment; AUC 1 to AUC 5 are.
    """
    if any(_with_split_word(_words_and_numbers(name)) is not None for name in names):
        return False
    numbers = sorted(int(_words_and_numbers(name)[-1]) for name in names)
    counts_up = numbers in (list(range(len(names))), list(range(1, len(names) + 1)))
    return not counts_up or any("@" in name or known_metric(name) for name in names)


def without_split(name: str) -> str | None:
    """Strip a name of the number of its split, in plain words; None where it has no such number."""
    words = _words_and_numbers(name)
    rest = _with_split_word(words)
    if rest is not None:
        return rest
    if not words or not words[-1].isdigit() or _OTHER_THINGS & set(words) or re.search(r"\d[^\w)\]]*%", name):
        return None
    return " ".join(words[:-1])


def _words_and_numbers(name: str) -> list[str]:
    # fold1_auc is fold 1 auc; but F1 stays what it is where a split is told by another word
    return plain_name(re.sub(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])", " ", name)).split()


def _with_split_word(words: Sequence[str]) -> str | None:
    """Strip words of one that says split and of the number behind it; None where there is no such word."""
    for saying, marks in ((SPLIT_WORDS, _MARK), (_INITIALS, _SPLIT_NUMBER)):
        for i, (word, mark) in enumerate(pairwise(words)):
            if word in saying and marks.fullmatch(mark):
                after = words[i + 2 :]
                of_all = 2 if len(after) > 1 and after[0] == "of" and after[1].isdigit() else 0  # fold 1 of 5
                return " ".join([*words[:i], *after[of_all:]])
    return None


def find_column(asked: str, names: Sequence[str]) -> str | None:
    """The column of that name, in whatever case and spelling if there is only one."""
    if asked in names:
        return asked
    alike = [name for name in names if plain_name(name) == plain_name(asked)] if plain_name(asked) else []
    return alike[0] if len(alike) == 1 else None
