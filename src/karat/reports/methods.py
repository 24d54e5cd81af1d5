"""The methods paragraph of a paper, and the BibTeX of the works that it cites."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from karat._version import __version__
from karat.comparison.findings import FAMILY_WISE
from karat.evaluation.score_tables import conventions_of
from karat.output.language import plural
from karat.output.toml import own_table

if TYPE_CHECKING:
    from karat.comparison.compare import Comparison
    from karat.comparison.findings import Settings


FOLDER = Path(__file__).parent / "templates"


def methods_paragraph(comparison: Comparison) -> str:
    """Returns the paragraph about methods, for a paper."""
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
    """Returns the conventions in words, for the methods paragraph."""
    return (
        "trec_eval's conventions: documents of equal score in descending order of their ids, missing queries count 0, "
        "unjudged documents are not relevant"
        if conventions == "policy trec"
        else conventions
    )


@cache
def method_words() -> dict[str, Any]:
    """Returns the words and the works for each test and correction, from ``methods.toml``."""
    return own_table(__file__, "templates/methods.toml")


def tested(comparison: Comparison, settings: Settings) -> str:
    """Returns a sentence about the test, its family of comparisons and its correction."""
    words = method_words()
    pairs = (
        f"each run against {comparison.names[settings.baseline]}"
        if settings.baseline is not None
        else "the two runs"
        if len(comparison.names) == 2
        else "all pairs of runs"
    )
    drawn = f", with {settings.resamples:,} resamples and seed {settings.seed}" if settings.resamples else ""
    test = words["tests"][settings.test]["words"]
    sentence = f"We tested {pairs} with {test}{drawn} at α = {settings.alpha:g}"
    method = words["corrections"][settings.correction]["words"]
    if method and settings.comparisons > 1:
        family = "all measures together" if settings.family == "all" else "each measure"
        sentence += f", corrected by {method} over the {settings.comparisons} comparisons of {family}"
    elif settings.test not in FAMILY_WISE and settings.comparisons > 1:
        sentence += f", without correction for {settings.comparisons} comparisons"
    return f"{sentence}."


def bibtex_of(comparison: Comparison) -> str:
    """Returns the works that the paragraph cites, as BibTeX."""
    settings, words = comparison.settings, method_words()
    correction = words["corrections"][settings.correction]["works"] if settings.comparisons > 1 else []
    written = (FOLDER / "works.bib").read_text(encoding="utf-8")
    works = {each.partition("{")[2].partition(",")[0]: each for each in written.strip().split("\n\n")}
    keys = (*words["tests"][settings.test]["works"], *correction, "sakai2014statistical")
    return "\n\n".join(works[key] for key in keys) + "\n"
