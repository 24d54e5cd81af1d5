"""Kinds of findings of a check: severity, effect on the numbers, remedy."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from karat.output.errors import Worded, by_policy, command_of, reworded, worded
from karat.output.escaping import sentence

if TYPE_CHECKING:
    from karat.output.errors import DataError

__all__ = [
    "ERROR",
    "KINDS",
    "LENIENT",
    "NOTE",
    "WARNING",
    "Finding",
    "Kind",
    "found",
    "without_stop",
]

LENIENT = by_policy("malformed", "skip")
ERROR, WARNING, NOTE = "error", "warning", "note"
"""Cannot be evaluated, or is surely wrong; evaluates, but the number depends on a choice; good to know."""


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Args:
        code: its name.
        severity: ``error``, ``warning`` or ``note``, unless a finding says otherwise.
        meaning: what is the case.
        effect: what it does to the numbers.
        remedy: what to do.
    """

    code: str
    severity: str
    meaning: str
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

    def on_command_line(self) -> Finding:
        """The finding in the command line's words."""
        what, effect, remedy = map(command_of, (self.what, self.effect, self.remedy))
        return replace(self, what=what, effect=effect, remedy=remedy)


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
        reworded(what, sentence),
        count,
        tuple(map(sentence, where)),
        reworded(kind.effect if effect is None else effect, sentence),
        remedy or kind.remedy,
        values or {},
    )


def without_stop(error: DataError) -> str:
    """An error's sentence, as a finding has it: without its full stop."""
    return reworded(error.said, lambda said: said.rstrip("."))


OF_FILES = (
    Kind(
        "unreadable",
        ERROR,
        "There is no such file, or it cannot be opened.",
        "There are no numbers without it.",
        "Give a file that can be read.",
    ),
    Kind(
        "content",
        ERROR,
        "The first bytes are those of another format: ZIP, Parquet, JSON, HTML, a Git LFS pointer, UTF-16 …",
        "It cannot be read.",
        "Give TREC text, plain or as .gz, .zst, .bz2 or .xz.",
    ),
    Kind(
        "empty",
        ERROR,
        "There is no line of data.",
        "There is nothing to measure.",
        "Give the file that holds the lines.",
    ),
    Kind(
        "swapped",
        ERROR,
        "The first file has a run's six columns, the second the four of judgments.",
        "Nothing can be measured.",
        "Give the judgments first, then the run. What follows is said as if they stood so.",
    ),
    Kind(
        "second-judgments",
        ERROR,
        "A file in the place of a run has the four columns of judgments, as the first file does.",
        "It is no run, so it is looked at no further.",
        "See how far two judges agree (karat agreement A B), or what B changes for a run (karat difference A B MEASURE "
        "RUN).",
    ),
    Kind(
        "truncated",
        ERROR,
        "Compressed data end early, or the last line has no newline and too few columns, half a tag or a short list.",
        "What is missing counts as not retrieved, or not judged.",
        "Write or fetch the file again.",
    ),
    Kind(
        "malformed",
        ERROR,
        "Lines have too few columns (in judgments also too many), or a word where a number belongs.",
        worded("It is refused; with ", LENIENT, " the lines are left out and counted."),
        worded("Correct the lines, or skip them with ", LENIENT, "."),
    ),
    Kind(
        "header",
        ERROR,
        "The first line names the columns.",
        worded("The line is refused; with ", LENIENT, " it is left out."),
        "Delete the first line.",
    ),
    Kind(
        "byte-order-mark",
        WARNING,
        "The text begins with the three bytes EF BB BF.",
        "karat skips it. Other tools take it for a part of the first query's id and lose that query.",
        "Save the file as UTF-8 without a mark.",
    ),
    Kind(
        "crlf",
        NOTE,
        "Lines end with CR LF.",
        "None in karat and trec_eval. Tools that split at single blanks keep the CR in the last column.",
        "Convert it with dos2unix if other tools read the file.",
    ),
    Kind(
        "carriage-returns",
        ERROR,
        "CR stands alone, as old Macs end lines.",
        "Only LF ends a line, so many lines are read as one.",
        "Write LF at the end of each line: tr '\\r' '\\n'.",
    ),
    Kind(
        "nul-bytes",
        ERROR,
        "Some lines hold the byte 0.",
        "karat eval refuses the file; trec_eval stops reading there.",
        "Write the file again: it is damaged, or is no plain text.",
    ),
    Kind(
        "not-utf-8",
        WARNING,
        "Some lines are not UTF-8.",
        "Ids are compared as bytes: the same id in another encoding is another id.",
        "Save judgments and runs in one encoding, best UTF-8.",
    ),
    Kind(
        "invisible-characters",
        WARNING,
        "Fields hold no-break spaces, zero-width marks, soft hyphens or a mark in mid-text; in a dict, blanks.",
        "An id with such a character is not equal to the same id without it.",
        "Remove them: no-break spaces, zero-width marks, soft hyphens.",
    ),
    Kind(
        "separators",
        NOTE,
        "Fields are parted by several blanks, by tabs and blanks, or a line begins or ends with blanks.",
        "None in karat and trec_eval. Tools that split at one tab or one blank find other columns.",
        "Part columns by one blank or one tab throughout if other tools read the file.",
    ),
    Kind(
        "comments",
        NOTE,
        "Lines begin with '#'.",
        "karat skips lines that begin with '#'. trec_eval 9 and most libraries do not.",
        "Remove them if other tools read the file.",
    ),
    Kind(
        "blank-lines",
        NOTE,
        "There are blank lines.",
        "karat skips them. trec_eval refuses them in judgments.",
        "Remove them if other tools read the file.",
    ),
    Kind(
        "interleaved",
        NOTE,
        "The lines of a query do not stand together.",
        "None in karat. Tools that read query after query measure each part for itself.",
        "Sort the lines by query if other tools read the file.",
    ),
    Kind(
        "similar-queries",
        WARNING,
        "Two query ids of one file differ only in case, leading zeros, '.0' or characters that nobody sees.",
        "Each is a query of its own and counts for itself.",
        "If they are one query, write its id one way.",
    ),
    Kind(
        "refused",
        ERROR,
        "The kernel refuses it for another reason, such as an id in a dict that is no text.",
        "karat eval refuses it.",
        "Correct what the sentence names.",
    ),
)

OF_QRELS = (
    Kind(
        "duplicate-judgments",
        ERROR,
        "A document is judged twice for one query.",
        "karat eval refuses them; which one counts can change a document's grade.",
        worded("Remove all but one, or choose: ", by_policy("duplicates", "first", "last", "max"), "."),
    ),
    Kind(
        "by-subtopic",
        NOTE,
        "Documents are judged once for each subtopic, which the second column names.",
        "Measures by subtopic read them so, and all others beside one then take a document's highest grade; without "
        "one, karat eval refuses such judgments.",
        "Ask for a measure by subtopic, such as -m alphanDCG@20.",
    ),
    Kind(
        "negative-grades",
        NOTE,
        "Some grades are below 0. A warning where it changes a mean.",
        "Such documents are pooled but count as unjudged, as in trec_eval.",
        worded("Choose ", by_policy("negative", "nonrelevant"), " to count them as grade 0."),
    ),
    Kind(
        "float-grades",
        WARNING,
        "Some grades are no whole numbers.",
        "karat keeps the fraction and takes 1 or more for relevant. trec_eval cuts 0.9 to 0; others refuse it.",
        "Multiply the grades to whole numbers, or ask for a threshold: 'AP(rel=0.5)'.",
    ),
    Kind(
        "large-grades",
        NOTE,
        "Some grade is above 10.",
        "2^grade is beyond all bounds, and ERR needs to know the highest grade there can be.",
        "Prefer linear gain, or map the grades to a few levels.",
    ),
    Kind(
        "one-grade",
        NOTE,
        "All judgments have the same grade, 1 or more.",
        "No document is known to be not relevant: bpref, Judged and condensed lists say nothing.",
        "Nothing, if only relevant documents were listed; else complete the judgments.",
    ),
    Kind(
        "all-relevant",
        NOTE,
        "Grades differ and none is below 1, as with stars from 1 to 5.",
        "Measures of relevant documents count from grade 1 on (rel=1), so every judged document is relevant to them.",
        "Say from which grade on a document is relevant, as in AP(rel=4), or write what is not relevant as 0.",
    ),
    Kind(
        "no-relevant",
        NOTE,
        "Queries have no document of grade 1 or more. A warning from half of the queries on, an error for all.",
        "Such a query counts 0 whatever is retrieved.",
        worded("Choose ", by_policy("empty", "skip"), " to leave such queries out."),
    ),
    Kind(
        "few-queries",
        NOTE,
        "Fewer than 20 queries are judged. A warning below 5.",
        "Means of few queries are uncertain, and few differences can be told from chance.",
        "Judge more queries; shallow judgments of many are worth more than deep ones of few.",
    ),
)

OF_RUNS = (
    Kind(
        "duplicate-documents",
        ERROR,
        "A document stands twice in one list.",
        "karat eval refuses them: a document counted twice breaks every measure's bounds.",
        worded("Remove all but one, or choose: ", by_policy("duplicates", "first", "last", "max"), "."),
    ),
    Kind(
        "nan-scores",
        ERROR,
        "Some score is NaN.",
        "NaN has no place in an order: karat eval refuses the line.",
        worded("Correct the system that wrote them, or leave the lines out with ", LENIENT, "."),
    ),
    Kind(
        "infinite-scores",
        WARNING,
        "Some score is infinite.",
        "All infinite scores are equal, so their order is that of ties.",
        "Write finite scores, such as the negated rank.",
    ),
    Kind(
        "constant-scores",
        ERROR,
        "All scores of a list are equal, in a fifth of the lists or more. An error from half on, else a warning.",
        "The order is that of document ids, which says nothing of the system.",
        worded(
            "Write scores, or take the order of lines: ",
            by_policy("ties", "input"),
            "; of the rank column: ",
            by_policy("ties", "rank"),
            ".",
        ),
    ),
    Kind(
        "ties",
        NOTE,
        "Equal scores touch judged documents. A warning where they can move a mean by 0.001.",
        "The order of documents with equal scores is decided by their ids.",
        worded(
            "See ",
            Worded("Scores.bounds", "--tie-bounds"),
            "; decide with ",
            Worded("policy=karat.Policy(ties=…)", "--ties"),
            " (expected is the mean over all orders).",
        ),
    ),
    Kind(
        "single-precision",
        NOTE,
        "Documents change rank when scores are rounded to float32. A warning where it moves a mean by 0.001.",
        "trec_eval 9, pytrec_eval and ir_measures round scores to float32, where these are equal.",
        worded(
            "Compare with such tools under ", by_policy("scores", "float32"), "; write scores further apart."
        ),
    ),
    Kind(
        "rank-order",
        WARNING,
        "The rank column puts judged documents in another order than the scores.",
        "karat and trec_eval order by score; tools that order by the rank column see another run.",
        "Write scores that fall as the rank rises.",
    ),
    Kind(
        "ascending-scores",
        ERROR,
        "Nearly everywhere scores rise from line to line. A warning where fewer than 10 lines say so.",
        "The lowest score stands first: these are distances, and the run is measured upside down.",
        "Write negated distances as scores.",
    ),
    Kind(
        "unsorted",
        NOTE,
        "Lines are not in order of score, while the ranks are true or say nothing.",
        "None in karat and trec_eval, which sort by score. Tools that trust the order of lines differ.",
        "Sort the lines by query and falling score if other tools read the file.",
    ),
    Kind(
        "constant-ranks",
        NOTE,
        "Every line has the same rank.",
        "None in karat and trec_eval. Tools that order by rank have nothing to go by.",
        "Write ranks from 1 on if other tools read the file.",
    ),
    Kind(
        "odd-ranks",
        NOTE,
        "Some rank is no whole number.",
        "None in karat and trec_eval, which do not read the column; where it orders ties it is refused.",
        "Write whole numbers from 1 on.",
    ),
    Kind(
        "several-tags",
        WARNING,
        "The sixth column is not the same on all lines.",
        "They are read as one run.",
        "If they are several systems, give each its own file.",
    ),
    Kind(
        "wide-lines",
        NOTE,
        "Lines have more than six columns.",
        "karat takes the sixth column for the tag and ignores what follows. Some tools refuse the line.",
        "Write tags without blanks.",
    ),
    Kind(
        "no-common-query",
        ERROR,
        "No query of the run is judged.",
        "There is nothing to measure; tools that do not look say 0.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "query-spelling",
        ERROR,
        "A judged query that the run lacks is there in another writing: '01' for '1', 'Q1', '1.0', 'MB1'.",
        "Such a query counts as missing.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "missing-queries",
        WARNING,
        "The run lacks judged queries.",
        "karat counts them 0, as trec_eval -c does.",
        worded("Complete the run, or choose ", by_policy("missing", "skip"), "."),
    ),
    Kind(
        "extra-queries",
        NOTE,
        "The run has queries without judgments.",
        "They are left out of every mean.",
        "Nothing, if these queries were never judged.",
    ),
    Kind(
        "no-common-document",
        ERROR,
        "No judged document is retrieved. A warning where fewer than 20 are judged.",
        "Every measure is 0.",
        "Check that both files speak of the same collection, and of documents or passages alike.",
    ),
    Kind(
        "document-spelling",
        ERROR,
        "Judged documents stand in the run with other capitals or leading zeros, and nowhere as they are judged.",
        "Such a document counts as not retrieved.",
        "Write document ids the same way in both files.",
    ),
    Kind(
        "unjudged",
        NOTE,
        "More than a tenth of the documents in the first 10 of each list have no judgment.",
        "Documents that nobody judged count as not relevant.",
        worded(
            "Report Judged@10 beside the scores; see the condensed lists with ",
            by_policy("unjudged", "removed"),
            ".",
        ),
    ),
    Kind(
        "self-retrieval",
        WARNING,
        "Lists of a tenth of the queries or more hold the document with the query's own id, mostly at the top.",
        "Where queries are documents of the collection, each finds itself first. BEIR leaves it out.",
        "Remove a query's own document from its list, and say so.",
    ),
    Kind(
        "perfect",
        WARNING,
        "Every measure asked for is 1 in every query.",
        "Nothing is wrong with the number, but no system is that good.",
        "Check that the run was not made from the judgments.",
    ),
)

OF_SEVERAL_RUNS = (
    Kind(
        "identical-runs",
        WARNING,
        "Two runs rank all judged documents alike.",
        "Their scores are equal in every measure.",
        "Check that the right files were given.",
    ),
    Kind(
        "same-name",
        NOTE,
        "Two files have the same name in different folders.",
        "Tables show their paths instead.",
        "Give the files different names.",
    ),
    Kind(
        "list-lengths",
        WARNING,
        "The longest list of one run is half as long again as that of another.",
        "A longer list can only gain in AP and recall: the shorter runs are at a disadvantage.",
        worded("Cut all runs at the depth of the shortest: ", by_policy("depth", 100), " or the like."),
    ),
    Kind(
        "unjudged-gap",
        WARNING,
        "The shares of judged documents in the first 10 differ by a tenth or more.",
        "The run with fewer judged documents is scored lower than it deserves.",
        worded("Judge the top of both, or compare condensed lists: ", by_policy("unjudged", "removed"), "."),
    ),
)

KINDS = {kind.code: kind for kind in (*OF_FILES, *OF_QRELS, *OF_RUNS, *OF_SEVERAL_RUNS)}
"""Every kind of finding by its code."""
