"""What a check can find: each kind of finding with its weight, what it does to the numbers, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ERROR", "KINDS", "NOTE", "WARNING", "Finding", "Kind", "found", "plural"]

ERROR, WARNING, NOTE = "error", "warning", "note"
"""Cannot be evaluated as it is or is surely wrong; evaluates, but the number hangs on a choice; good to know."""


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Args:
        code: its name.
        severity: ``error``, ``warning`` or ``note``, unless a finding says otherwise.
        effect: what it does to the numbers.
        remedy: what to do.
    """

    code: str
    severity: str
    effect: str
    remedy: str


@dataclass(frozen=True)
class Finding:
    """Something that a check found.

    Args:
        code: the kind, a key of ``KINDS``.
        severity: ``error``, ``warning`` or ``note``.
        subject: the file or the run.
        what: what was found, as a sentence without its full stop.
        count: how many times.
        where: the first places.
        effect: what it does to the numbers.
        remedy: what to do.
        values: means under the alternatives, ``{alternative: {measure: mean}}``.
    """

    code: str
    severity: str
    subject: str
    what: str
    count: int
    where: tuple[str, ...]
    effect: str
    remedy: str
    values: dict[str, dict[str, float]] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Every part by name."""
        return {**self.__dict__, "where": list(self.where)}


def found(
    code: str,
    subject: str,
    what: str,
    *,
    count: int = 1,
    where: tuple[str, ...] = (),
    effect: str | None = None,
    remedy: str | None = None,
    severity: str | None = None,
    values: dict[str, dict[str, float]] | None = None,
) -> Finding:
    """A finding of a kind; what is not given is as the kind has it."""
    kind = KINDS[code]
    return Finding(
        code,
        severity or kind.severity,
        subject,
        what,
        count,
        where,
        kind.effect if effect is None else effect,
        remedy or kind.remedy,
        values or {},
    )


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun; thousands are parted by commas."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


OF_FILES = (
    Kind("unreadable", ERROR, "There are no numbers without it.", "Give a file that can be read."),
    Kind("content", ERROR, "It cannot be read.", "Give TREC text, plain or as .gz, .zst, .bz2 or .xz."),
    Kind("empty", ERROR, "There is nothing to measure.", "Give the file that holds the lines."),
    Kind(
        "swapped",
        ERROR,
        "Nothing can be measured.",
        "Give the judgments first, then the run. What follows is said as if they stood so.",
    ),
    Kind(
        "truncated",
        ERROR,
        "What is missing counts as not retrieved, or not judged.",
        "Write or fetch the file again.",
    ),
    Kind(
        "malformed",
        ERROR,
        "karat eval refuses the file; with --lenient the lines are left out and counted.",
        "Correct the lines, or skip them with --lenient.",
    ),
    Kind(
        "header",
        ERROR,
        "karat eval refuses the line; with --lenient it is left out.",
        "Delete the first line.",
    ),
    Kind(
        "byte-order-mark",
        WARNING,
        "karat skips it. Other tools take it for a part of the first query's id and lose that query.",
        "Save the file as UTF-8 without a mark.",
    ),
    Kind(
        "crlf",
        NOTE,
        "None in karat and trec_eval. Tools that split at single blanks keep the CR in the last column.",
        "Convert it with dos2unix if other tools read the file.",
    ),
    Kind(
        "carriage-returns",
        ERROR,
        "Only LF ends a line, so many lines are read as one.",
        "Write LF at the end of each line: tr '\\r' '\\n'.",
    ),
    Kind(
        "nul-bytes",
        WARNING,
        "They are read as part of an id, which then meets no other.",
        "Write the file again: it is damaged, or is no plain text.",
    ),
    Kind(
        "not-utf-8",
        WARNING,
        "Ids are compared as bytes: the same id in another encoding is another id.",
        "Save judgments and runs in one encoding, best UTF-8.",
    ),
    Kind(
        "invisible-characters",
        WARNING,
        "An id with such a character is not equal to the same id without it.",
        "Remove them: no-break spaces, zero-width marks, soft hyphens.",
    ),
    Kind(
        "separators",
        NOTE,
        "None in karat and trec_eval. Tools that split at one tab or one blank find other columns.",
        "Part columns by one blank or one tab throughout if other tools read the file.",
    ),
    Kind(
        "comments",
        NOTE,
        "karat skips lines that begin with '#'. trec_eval 9 and most libraries do not.",
        "Remove them if other tools read the file.",
    ),
    Kind(
        "blank-lines",
        NOTE,
        "karat skips them. trec_eval refuses them in judgments.",
        "Remove them if other tools read the file.",
    ),
    Kind(
        "interleaved",
        NOTE,
        "None in karat. Tools that read query after query measure each part for itself.",
        "Sort the lines by query if other tools read the file.",
    ),
    Kind(
        "similar-queries",
        WARNING,
        "Each is a query of its own and counts for itself.",
        "If they are one query, write its id one way.",
    ),
    Kind(
        "refused",
        ERROR,
        "karat eval refuses it.",
        "Correct what the sentence names.",
    ),
)

OF_QRELS = (
    Kind(
        "duplicate-judgments",
        ERROR,
        "karat eval refuses them; which one counts can change a document's grade.",
        "Remove all but one, or choose: --duplicates first, last or max.",
    ),
    Kind(
        "negative-grades",
        NOTE,
        "Such documents are pooled but count as unjudged, as in trec_eval.",
        "Choose --negative nonrelevant to count them as grade 0.",
    ),
    Kind(
        "float-grades",
        WARNING,
        "karat keeps the fraction and takes 1 or more for relevant. trec_eval cuts 0.9 to 0; others refuse it.",
        "Multiply the grades to whole numbers, or ask for a threshold: 'AP(rel=0.5)'.",
    ),
    Kind(
        "large-grades",
        NOTE,
        "2^grade is beyond all bounds, and ERR needs to know the highest grade there can be.",
        "Prefer linear gain, or map the grades to a few levels.",
    ),
    Kind(
        "one-grade",
        NOTE,
        "No document is known to be not relevant: bpref, Judged and condensed lists say nothing.",
        "Nothing, if only relevant documents were listed; else complete the judgments.",
    ),
    Kind(
        "no-relevant",
        NOTE,
        "Such a query counts 0 whatever is retrieved.",
        "Choose --empty skip to leave such queries out.",
    ),
    Kind(
        "few-queries",
        NOTE,
        "Means of few queries are uncertain, and few differences can be told from chance.",
        "Judge more queries; shallow judgments of many are worth more than deep ones of few.",
    ),
)

OF_RUNS = (
    Kind(
        "duplicate-documents",
        ERROR,
        "karat eval refuses them: a document counted twice breaks every measure's bounds.",
        "Remove all but one, or choose: --duplicates first, last or max.",
    ),
    Kind(
        "nan-scores",
        ERROR,
        "NaN has no place in an order: karat eval refuses the line.",
        "Correct the system that wrote them, or leave the lines out with --lenient.",
    ),
    Kind(
        "infinite-scores",
        WARNING,
        "All infinite scores are equal, so their order is that of ties.",
        "Write finite scores, such as the negated rank.",
    ),
    Kind(
        "constant-scores",
        ERROR,
        "The order is that of document ids, which says nothing of the system.",
        "Write scores, or take the order of lines: --ties input; of the rank column: --ties rank.",
    ),
    Kind(
        "ties",
        NOTE,
        "The order of documents with equal scores is decided by their ids.",
        "See --tie-bounds; decide with --ties (expected is the mean over all orders).",
    ),
    Kind(
        "single-precision",
        NOTE,
        "trec_eval 9, pytrec_eval and ir_measures round scores to float32, where these are equal.",
        "Compare with such tools under --scores float32; write scores further apart.",
    ),
    Kind(
        "rank-order",
        WARNING,
        "karat and trec_eval order by score; tools that order by the rank column see another run.",
        "Write scores that fall as the rank rises.",
    ),
    Kind(
        "ascending-scores",
        ERROR,
        "The lowest score stands first: these are distances, and the run is measured upside down.",
        "Write negated distances as scores.",
    ),
    Kind(
        "unsorted",
        NOTE,
        "None in karat and trec_eval, which sort by score. Tools that trust the order of lines differ.",
        "Sort the lines by query and falling score if other tools read the file.",
    ),
    Kind(
        "constant-ranks",
        NOTE,
        "None in karat and trec_eval. Tools that order by rank have nothing to go by.",
        "Write ranks from 1 on if other tools read the file.",
    ),
    Kind(
        "odd-ranks",
        NOTE,
        "None in karat and trec_eval, which do not read the column. --ties rank refuses it.",
        "Write whole numbers from 1 on.",
    ),
    Kind(
        "several-tags",
        WARNING,
        "They are read as one run.",
        "If they are several systems, give each its own file.",
    ),
    Kind(
        "wide-lines",
        NOTE,
        "karat takes the sixth column for the tag and ignores what follows. Some tools refuse the line.",
        "Write tags without blanks.",
    ),
    Kind(
        "no-common-query",
        ERROR,
        "There is nothing to measure; tools that do not look say 0.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "query-spelling",
        ERROR,
        "Such a query counts as missing.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "missing-queries",
        WARNING,
        "karat counts them 0, as trec_eval -c does.",
        "Complete the run, or choose --missing skip.",
    ),
    Kind(
        "extra-queries",
        NOTE,
        "They are left out of every mean.",
        "Nothing, if these queries were never judged.",
    ),
    Kind(
        "no-common-document",
        ERROR,
        "Every measure is 0.",
        "Check that both files speak of the same collection, and of documents or passages alike.",
    ),
    Kind(
        "document-spelling",
        ERROR,
        "Such a document counts as not retrieved.",
        "Write document ids the same way in both files.",
    ),
    Kind(
        "unjudged",
        NOTE,
        "Documents that nobody judged count as not relevant.",
        "Report Judged@10 beside the scores; see the condensed lists with --unjudged removed.",
    ),
    Kind(
        "self-retrieval",
        WARNING,
        "Where queries are documents of the collection, each finds itself first. BEIR leaves it out.",
        "Remove a query's own document from its list, and say so.",
    ),
    Kind(
        "perfect",
        WARNING,
        "Nothing is wrong with the number, but no system is that good.",
        "Check that the run was not made from the judgments.",
    ),
)

OF_SEVERAL_RUNS = (
    Kind(
        "identical-runs",
        WARNING,
        "Their scores are equal in every measure.",
        "Check that the right files were given.",
    ),
    Kind("same-name", NOTE, "Tables show their paths instead.", "Give the files different names."),
    Kind(
        "list-lengths",
        WARNING,
        "A longer list can only gain in AP and recall: the shorter runs are at a disadvantage.",
        "Cut all runs at the depth of the shortest with --depth.",
    ),
    Kind(
        "unjudged-gap",
        WARNING,
        "The run with fewer judged documents is scored lower than it deserves.",
        "Judge the top of both, or compare condensed lists: --unjudged removed.",
    ),
)

KINDS = {kind.code: kind for kind in (*OF_FILES, *OF_QRELS, *OF_RUNS, *OF_SEVERAL_RUNS)}
"""Every kind of finding by its code."""
