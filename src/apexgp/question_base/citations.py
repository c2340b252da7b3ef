"""References for answers: the software, and those whose methods it used."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import TYPE_CHECKING

from ..model.means import MEANS, select_means

if TYPE_CHECKING:
    from ..estimators import APExGP

__all__ = ["credit_method", "list_citations", "list_method_sources", "list_sources", "say_how_to_cite"]

_SOURCES: dict[str, str] = {
    "alabdulmohsin": (
        "Alabdulmohsin IM, Neyshabur B, Zhai X. Revisiting Neural Scaling Laws in Language and Vision. NeurIPS 2022. "
        "arXiv:2209.06640."
    ),
    "caballero": ("Caballero E, Gupta K, Rish I, Krueger D. Broken Neural Scaling Laws. ICLR 2023. arXiv:2210.14891."),
    "chaloner": (
        "Chaloner K, Verdinelli I. Bayesian Experimental Design: A Review. Statistical Science 1995;10:273-304."
    ),
    "collins": (
        "Collins GS, Moons KGM, Dhiman P, et al. TRIPOD+AI statement: updated guidance for reporting clinical "
        "prediction models that use regression or machine learning methods. BMJ 2024;385:e078378."
    ),
    "gelman": (
        "Gelman A, Meng XL, Stern H. Posterior Predictive Assessment of Model Fitness via Realized Discrepancies. "
        "Statistica Sinica 1996;6:733-807."
    ),
    "harvey": (
        "Harvey E, Chen W, Kent DM, Hughes MC. A Probabilistic Method to Predict Classifier Accuracy on Larger "
        "Datasets given Small Pilot Data. Machine Learning for Health (ML4H), PMLR 225, 2023. arXiv:2311.18025."
    ),
    "jain": (
        "Jain A, Swaminathan G, Favaro P, et al. A Meta-Learning Approach to Predicting Performance and Data "
        "Requirements. CVPR 2023:3623-3632."
    ),
    "lcdb": (
        "Mohr F, Viering TJ, Loog M, van Rijn JN. LCDB 1.0: An Extensive Learning Curves Database for Classification "
        "Tasks. ECML PKDD 2022:3-19. Data under CC BY 4.0."
    ),
    "lcdb_1_1": (
        "Yan C, Mohr F, Viering T. LCDB 1.1: A Database Illustrating Learning Curves Are More Ill-Behaved Than "
        "Previously Thought. NeurIPS 2025. arXiv:2505.15657. Data under CC BY 4.0."
    ),
    "mahmood_a": (
        "Mahmood R, Lucas J, Acuna D, et al. How Much More Data Do I Need? Estimating Requirements for Downstream "
        "Tasks. CVPR 2022."
    ),
    "mahmood_b": (
        "Mahmood R, Lucas J, Alvarez JM, Fidler S, Law MT. Optimizing Data Collection for Machine Learning. NeurIPS "
        "2022;35:29915-29928."
    ),
    "riley": (
        "Riley RD, Ensor J, Snell KIE, et al. Calculating the sample size required for developing a clinical "
        "prediction model. BMJ 2020;368:m441."
    ),
    "riley_c": (
        "Riley RD, Van Calster B, Collins GS. A note on estimating the Cox-Snell R2 from a reported C statistic "
        "(AUROC) to inform sample size calculations for developing a prediction model with a binary outcome. "
        "Statistics in Medicine 2021;40:859-864."
    ),
    "riley_evaluation": (
        "Riley RD, Debray TPA, Collins GS, et al. Minimum sample size for external validation of a clinical prediction "
        "model with a binary outcome. Statistics in Medicine 2021;40:4230-4251."
    ),
    "van_smeden": (
        "van Smeden M, Moons KGM, de Groot JAH, et al. Sample size for binary logistic prediction models: Beyond "
        "events per variable criteria. Statistical Methods in Medical Research 2019;28:2455-2474."
    ),
    **{name: mean.citation for name, mean in MEANS.items() if mean.citation is not None},
}
"""References by the keys that answers give as their sources; that of a mean by the mean's name."""


def list_citations(sources: Iterable[str]) -> list[str]:
    """The software, and each of the sources once."""
    software = f"The apexgp authors. apexgp, version {version('apexgp')} [software]."
    return [software, *(_SOURCES[source] for source in dict.fromkeys(sources))]


def say_how_to_cite(*sources: str) -> str:
    """The end of a paragraph for a paper."""
    return " ".join(["How to cite:", *list_citations(sources)])


# How the methods of a backtest are credited in a sentence; one of the caller's own is nobody's that we know.
_METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "apexgp": (
        "a Bayesian model after APEx-GP, Harvey et al. 2023, with priors from LCDB 1.0 and 1.1",
        ("harvey", "lcdb", "lcdb_1_1"),
    ),
    "apexgp_published": ("APEx-GP as published, Harvey et al. 2023", ("harvey",)),
    "power_law": ("the baseline of Harvey et al. 2023", ("harvey",)),
    "arctan": ("the baseline of Harvey et al. 2023", ("harvey",)),
    "piecewise_power_law": ("Jain et al. 2023", ("jain",)),
    **{
        f"mahmood_{name}": ("Mahmood et al. 2022", ("mahmood_a",))
        for name in ("power_law", "arctan", "logarithm", "root")
    },
    **{name: ("LCDB, Mohr et al. 2022", ("lcdb",)) for name in ("pow4", "mmf4", "wbl4")},
    "burr": ("the curve of the default model, after Burr 1942", ("burr",)),
    "m4": ("M4, Alabdulmohsin et al. 2022", ("alabdulmohsin",)),
    "bnsl": ("a broken neural scaling law, Caballero et al. 2023", ("caballero",)),
}


def credit_method(method: str) -> str:
    """A method of a backtest with its source in brackets, where that is known."""
    return f"{method} ({_METHODS[method][0]})" if method in _METHODS else method


def list_method_sources(methods: Iterable[str]) -> tuple[str, ...]:
    """Keys of the references for the methods of a backtest, each once, in alphabetical order."""
    return tuple(sorted({source for name in methods if name in _METHODS for source in _METHODS[name][1]}))


def list_sources(model: APExGP) -> tuple[str, ...]:
    """Keys of the references that a model rests on."""
    calibrated = model.get_params(deep=False)["priors"] == "calibrated" or (
        model.inference == "bayes" and model.priors_.learnt is not None
    )
    of_means = (mean.name for mean in select_means(model.mean) if mean.citation is not None)
    return ("harvey", *of_means, *(("lcdb", "lcdb_1_1") if calibrated else ()))
