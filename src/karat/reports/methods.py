"""The methods paragraph of a paper, and the BibTeX of the works that it cites."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from karat._version import __version__
from karat.evaluation.score_tables import conventions_of
from karat.output.language import plural

if TYPE_CHECKING:
    from karat.comparison.compare import Comparison
    from karat.comparison.findings import Settings

__all__ = ["bibtex_of", "methods_paragraph"]

TESTS = {
    "t": ("two-sided paired t-tests", ("smucker2007comparison", "urbano2019statistical")),
    "randomisation": (
        "two-sided randomisation tests over the signs of the queries' differences",
        ("smucker2007comparison", "phipson2010permutation"),
    ),
    "tukey": (
        "the randomised Tukey HSD test over all pairs of runs",
        ("carterette2012multiple", "phipson2010permutation"),
    ),
    "max-t": (
        "a sign-flip randomisation test of the largest difference over all pairs (max-T)",
        ("westfall1993resampling", "phipson2010permutation"),
    ),
    "wilcoxon": (
        "two-sided Wilcoxon signed-rank tests, which do not test the mean",
        ("smucker2007comparison",),
    ),
    "sign": ("two-sided sign tests, which do not test the mean", ("smucker2007comparison",)),
}
CORRECTIONS = {
    "holm": ("Holm's method", "holm1979simple"),
    "bonferroni": ("the Bonferroni method", None),
    "bh": (
        "Benjamini and Hochberg's method, which bounds the false discovery rate",
        "benjamini1995controlling",
    ),
}


def methods_paragraph(comparison: Comparison) -> str:
    """Returns the methods paragraph."""
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
    """Describes the conventions in words."""
    return (
        "trec_eval's conventions: documents of equal score in descending order of their ids, missing queries count 0, "
        "unjudged documents are not relevant"
        if conventions == "policy trec"
        else conventions
    )


def tested(comparison: Comparison, settings: Settings) -> str:
    """Describes the test, its family and its correction."""
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
    """Returns the works that the paragraph cites, as BibTeX."""
    settings = comparison.settings
    _, keys = TESTS[settings.test]
    own = CORRECTIONS.get(settings.correction, ("", None))[1] if settings.comparisons > 1 else None
    written = (files("karat.reports") / "templates" / "works.bib").read_text(encoding="utf-8")
    works = {each.partition("{")[2].partition(",")[0]: each for each in written.strip().split("\n\n")}
    return "\n\n".join(works[key] for key in (*keys, own, "sakai2014statistical") if key) + "\n"
