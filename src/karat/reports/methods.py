"""The methods paragraph of a paper, and the BibTeX of the works that it cites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat._version import __version__
from karat.evaluation.score_tables import conventions_of
from karat.output.language import plural

if TYPE_CHECKING:
    from karat.comparison import Comparison, Settings

__all__ = ["bibtex_of", "methods_paragraph"]

SMUCKER = """@inproceedings{smucker2007comparison,
  author = {Mark D. Smucker and James Allan and Ben Carterette},
  title = {A comparison of statistical significance tests for information retrieval evaluation},
  booktitle = {Proceedings of CIKM 2007},
  pages = {623--632},
  year = {2007}
}"""
URBANO = """@inproceedings{urbano2019statistical,
  author = {Juli{\\'a}n Urbano and Harlley Lima and Alan Hanjalic},
  title = {Statistical significance testing in information retrieval:
    an empirical analysis of type {I}, type {II} and type {III} errors},
  booktitle = {Proceedings of SIGIR 2019},
  pages = {505--514},
  year = {2019}
}"""
CARTERETTE = """@article{carterette2012multiple,
  author = {Benjamin A. Carterette},
  title = {Multiple testing in statistical analysis of systems-based information retrieval experiments},
  journal = {ACM Transactions on Information Systems},
  volume = {30},
  number = {1},
  year = {2012}
}"""
HOLM = """@article{holm1979simple,
  author = {Sture Holm},
  title = {A simple sequentially rejective multiple test procedure},
  journal = {Scandinavian Journal of Statistics},
  volume = {6},
  number = {2},
  pages = {65--70},
  year = {1979}
}"""
BENJAMINI = """@article{benjamini1995controlling,
  author = {Yoav Benjamini and Yosef Hochberg},
  title = {Controlling the false discovery rate: a practical and powerful approach to multiple testing},
  journal = {Journal of the Royal Statistical Society, Series B},
  volume = {57},
  number = {1},
  pages = {289--300},
  year = {1995}
}"""
PHIPSON = """@article{phipson2010permutation,
  author = {Belinda Phipson and Gordon K. Smyth},
  title = {Permutation p-values should never be zero: calculating exact p-values when permutations are randomly drawn},
  journal = {Statistical Applications in Genetics and Molecular Biology},
  volume = {9},
  number = {1},
  year = {2010}
}"""
WESTFALL = """@book{westfall1993resampling,
  author = {Peter H. Westfall and S. Stanley Young},
  title = {Resampling-based multiple testing: examples and methods for p-value adjustment},
  publisher = {Wiley},
  year = {1993}
}"""
SAKAI = """@article{sakai2014statistical,
  author = {Tetsuya Sakai},
  title = {Statistical reform in information retrieval?},
  journal = {SIGIR Forum},
  volume = {48},
  number = {1},
  pages = {3--12},
  year = {2014}
}"""

TESTS = {
    "t": ("two-sided paired t-tests", (SMUCKER, URBANO)),
    "randomisation": (
        "two-sided randomisation tests over the signs of the queries' differences",
        (SMUCKER, PHIPSON),
    ),
    "tukey": ("the randomised Tukey HSD test over all pairs of runs", (CARTERETTE, PHIPSON)),
    "max-t": (
        "a sign-flip randomisation test of the largest difference over all pairs (max-T)",
        (WESTFALL, PHIPSON),
    ),
    "wilcoxon": ("two-sided Wilcoxon signed-rank tests, which do not test the mean", (SMUCKER,)),
    "sign": ("two-sided sign tests, which do not test the mean", (SMUCKER,)),
}
CORRECTIONS = {
    "holm": ("Holm's method", HOLM),
    "bonferroni": ("the Bonferroni method", None),
    "bh": ("Benjamini and Hochberg's method, which bounds the false discovery rate", BENJAMINI),
}


def methods_paragraph(comparison: Comparison) -> str:
    """The methods paragraph."""
    settings = comparison.settings
    counts = comparison.scores[0].counts
    measures = ", ".join(str(contest.measure) for contest in comparison.contests.values())
    conventions = conventions_of(comparison.scores[0])
    kind = "percentile bootstrap" if settings.interval == "bootstrap" else "t"
    count = plural(len(comparison.queries), "query", "queries")
    compared = f"We compared {len(comparison.names)} runs on {count} by {measures}, computed with karat {__version__}"
    effect = (
        f"We report mean differences with {settings.confidence * 100:g} % {kind} intervals and d_z, the mean"
    )
    sentences = [
        f"{compared} ({said(conventions)}).",
        tested(comparison, settings),
        f"{effect} difference divided by the standard deviation of the queries' differences.",
    ]
    if counts.missing:
        sentences.append("Queries that a run does not answer are treated as the policy states.")
    depth = comparison.judged_depth
    shares = [share for share in comparison.judged if share == share]
    if shares:
        sentences.append(
            f"Between {min(shares):.1%} and {max(shares):.1%} of the first {depth} documents are judged."
        )
    return " ".join(sentences)


def said(conventions: str) -> str:
    """The conventions in words."""
    return (
        "trec_eval's conventions: documents of equal score in descending order of their ids, missing queries count 0, "
        "unjudged documents are not relevant"
        if conventions == "policy trec"
        else conventions
    )


def tested(comparison: Comparison, settings: Settings) -> str:
    """The test, its family and its correction."""
    said, _ = TESTS[settings.test]
    pairs = (
        f"each run against {comparison.names[settings.baseline]}"
        if settings.baseline is not None
        else "the two runs"
        if len(comparison.names) == 2
        else "all pairs of runs"
    )
    drawn = f", with {settings.resamples:,} resamples and seed {settings.seed}" if settings.resamples else ""
    sentence = f"We tested {pairs} with {said}{drawn} at α = {settings.alpha:g}"
    if settings.correction in CORRECTIONS and settings.comparisons > 1:
        family = "all measures together" if settings.family == "all" else "each measure"
        method = CORRECTIONS[settings.correction][0]
        sentence += f", corrected by {method} over the {settings.comparisons} comparisons of {family}"
    elif settings.test in ("t", "randomisation", "wilcoxon", "sign") and settings.comparisons > 1:
        sentence += f", without correction for {settings.comparisons} comparisons"
    return f"{sentence}."


def bibtex_of(comparison: Comparison) -> str:
    """The works that the paragraph rests on, as BibTeX."""
    settings = comparison.settings
    _, works = TESTS[settings.test]
    own = CORRECTIONS.get(settings.correction, ("", None))[1] if settings.comparisons > 1 else None
    return "\n\n".join([*works, *([own] if own else []), SAKAI]) + "\n"
