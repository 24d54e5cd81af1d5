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
"""An error makes evaluation impossible or wrong; a warning: the number depends on a choice; a note: good to know."""


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
    """A finding of a check.

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
        """Returns every part by name."""
        return {**self.__dict__, "where": list(self.where)}

    def on_command_line(self) -> Finding:
        """Returns the finding with a remedy for the command line."""
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
    """Returns a finding of a kind. Omitted arguments take the kind's defaults."""
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
    """Returns an error's sentence without its full stop, the form used in findings."""
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
        "Give the file with the data.",
    ),
    Kind(
        "swapped",
        ERROR,
        "The first file has a run's six columns, the second the four of judgments.",
        "Nothing can be measured.",
        "Give the judgments first, then the run. The rest of the check assumes that order.",
    ),
    Kind(
        "second-judgments",
        ERROR,
        "A file given as a run has four columns, like the judgments.",
        "It is not a run, so it is not checked further.",
        "Measure how far two judges agree (karat agreement A B), or how B changes a run's score (karat "
        "difference A B MEASURE "
        "RUN).",
    ),
    Kind(
        "truncated",
        ERROR,
        "Compressed data end early; or the last line has no newline and is incomplete: too few columns, "
        "half a tag, a short list.",
        "What is missing counts as not retrieved, or not judged.",
        "Write or fetch the file again.",
    ),
    Kind(
        "malformed",
        ERROR,
        "Lines have too few columns (judgments: or too many), or text in place of a number.",
        worded("karat eval refuses the file; with ", LENIENT, " it skips and counts these lines."),
        worded("Correct the lines, or skip them with ", LENIENT, "."),
    ),
    Kind(
        "header",
        ERROR,
        "The first line names the columns.",
        worded("karat eval refuses the file; with ", LENIENT, " it skips the line."),
        "Delete the first line.",
    ),
    Kind(
        "byte-order-mark",
        WARNING,
        "The text begins with the three bytes EF BB BF.",
        "karat skips it. Other tools read it as part of the first query's id and lose that query.",
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
        "Lines end with CR alone, as on old Macs.",
        "Only LF ends a line, so many lines are read as one.",
        "Write LF at the end of each line: tr '\\r' '\\n'.",
    ),
    Kind(
        "nul-bytes",
        ERROR,
        "Some lines hold the byte 0.",
        "karat eval refuses the file; trec_eval stops reading there.",
        "Write the file again: it is damaged, or not plain text.",
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
        "Fields contain no-break spaces, zero-width characters, soft hyphens or byte-order marks; ids of a "
        "dict contain blanks.",
        "An id with such a character is not equal to the same id without it.",
        "Remove them: no-break spaces, zero-width marks, soft hyphens.",
    ),
    Kind(
        "separators",
        NOTE,
        "Fields are separated by several blanks, or by both tabs and blanks; or lines begin or end with blanks.",
        "None in karat and trec_eval. Tools that split at one tab or one blank find other columns.",
        "Separate columns by exactly one blank or one tab if other tools read the file.",
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
        "The lines of a query are not contiguous.",
        "None in karat. Tools that read one query at a time score each part as a separate query.",
        "Sort the lines by query if other tools read the file.",
    ),
    Kind(
        "similar-queries",
        WARNING,
        "Two query ids of one file differ only in case, leading zeros, '.0' or invisible characters.",
        "Each counts as a separate query.",
        "If they are the same query, write its id in one way.",
    ),
    Kind(
        "refused",
        ERROR,
        "It is refused for another reason, such as an id in a dict that is not text.",
        "karat eval refuses it.",
        "Correct what the finding names.",
    ),
)

OF_QRELS = (
    Kind(
        "duplicate-judgments",
        ERROR,
        "A document is judged twice for one query.",
        "karat eval refuses them: the document's grade depends on which one counts.",
        worded("Remove all but one, or choose: ", by_policy("duplicates", "first", "last", "max"), "."),
    ),
    Kind(
        "by-subtopic",
        NOTE,
        "Documents are judged once per subtopic; the second column names it.",
        "Measures by subtopic use all of them; other measures in the same call take a document's highest "
        "grade. Without a "
        "measure by subtopic, karat eval refuses such judgments.",
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
        "Some grades are not whole numbers.",
        "karat keeps the fraction; 1 or more is relevant. trec_eval truncates 0.9 to 0; other tools refuse it.",
        "Scale the grades to whole numbers, or set a threshold: 'AP(rel=0.5)'.",
    ),
    Kind(
        "large-grades",
        NOTE,
        "Some grade is above 10.",
        "2^grade becomes huge, and ERR needs to know the highest possible grade.",
        "Prefer linear gain, or map the grades to a few levels.",
    ),
    Kind(
        "one-grade",
        NOTE,
        "All judgments have the same grade, 1 or more.",
        "No document is judged not relevant, so bpref, Judged and condensed lists are meaningless.",
        "Nothing, if the file lists only relevant documents by design; else add the other judgments.",
    ),
    Kind(
        "all-relevant",
        NOTE,
        "Grades differ but none is below 1, as with ratings of 1 to 5 stars.",
        "Measures of relevant documents count grades of 1 or more (rel=1), so every judged document is relevant.",
        "Set the lowest relevant grade, as in AP(rel=4), or give documents that are not relevant the grade 0.",
    ),
    Kind(
        "no-relevant",
        NOTE,
        "Queries have no document of grade 1 or more. A warning for half of the queries, an error for all.",
        "Such a query scores 0, whatever is retrieved.",
        worded("Choose ", by_policy("empty", "skip"), " to skip such queries."),
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
        "A document is listed twice for one query.",
        "karat eval refuses them: with a document counted twice, a measure may exceed 1.",
        worded("Remove all but one, or choose: ", by_policy("duplicates", "first", "last", "max"), "."),
    ),
    Kind(
        "nan-scores",
        ERROR,
        "Some score is NaN.",
        "NaN cannot be ranked: karat eval refuses the line.",
        worded("Correct the system that wrote them, or skip the lines with ", LENIENT, "."),
    ),
    Kind(
        "infinite-scores",
        WARNING,
        "Some score is infinite.",
        "All infinite scores are equal, so these documents are tied.",
        "Write finite scores, such as the negated rank.",
    ),
    Kind(
        "constant-scores",
        ERROR,
        "All scores of a list are equal, in a fifth of the lists or more. An error for half of the lists, "
        "else a warning.",
        "Document ids decide the order, so the score says nothing about the system.",
        worded(
            "Write scores, or use the order of lines: ",
            by_policy("ties", "input"),
            "; or of the rank column: ",
            by_policy("ties", "rank"),
            ".",
        ),
    ),
    Kind(
        "ties",
        NOTE,
        "Judged documents have tied scores. A warning where they can move a mean by 0.001.",
        "The order of documents with equal scores is decided by their ids.",
        worded(
            "See ",
            Worded("Scores.bounds", "--tie-bounds"),
            "; choose a rule with ",
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
        "Judged documents have another order by rank column than by score.",
        "karat and trec_eval order by score; tools that order by the rank column evaluate another ranking.",
        "Write scores that fall with increasing rank.",
    ),
    Kind(
        "ascending-scores",
        ERROR,
        "Scores rise from line to line nearly everywhere. A warning if fewer than 10 lines show it.",
        "The lowest score comes first: these are probably distances, and the run is evaluated upside down.",
        "Write negated distances as scores.",
    ),
    Kind(
        "unsorted",
        NOTE,
        "Lines are not in order of score; the rank column agrees with the scores or is unusable.",
        "None in karat and trec_eval, which sort by score. Tools that use the order of lines differ.",
        "Sort the lines by query and falling score if other tools read the file.",
    ),
    Kind(
        "constant-ranks",
        NOTE,
        "Every line has the same rank.",
        "None in karat and trec_eval. Tools that order by rank cannot rank the documents.",
        "Write ranks starting at 1 if other tools read the file.",
    ),
    Kind(
        "odd-ranks",
        NOTE,
        "Some rank is not a whole number.",
        "None in karat and trec_eval, which ignore the column. karat refuses it where it is to order ties.",
        "Write whole numbers starting at 1.",
    ),
    Kind(
        "several-tags",
        WARNING,
        "The sixth column differs between lines.",
        "They are read as one run.",
        "If they are several systems, give each its own file.",
    ),
    Kind(
        "wide-lines",
        NOTE,
        "Lines have more than six columns.",
        "karat reads the sixth column as the tag and ignores the rest. Some tools refuse the line.",
        "Write tags without blanks.",
    ),
    Kind(
        "no-common-query",
        ERROR,
        "No query of the run is judged.",
        "There is nothing to measure; tools that do not check print 0.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "query-spelling",
        ERROR,
        "The run spells a judged query's id differently: '01' for '1', 'Q1', '1.0', 'MB1'.",
        "Such a query counts as missing.",
        "Write query ids the same way in both files.",
    ),
    Kind(
        "missing-queries",
        WARNING,
        "The run lacks judged queries.",
        "karat counts them as 0, as trec_eval -c does.",
        worded("Complete the run, or choose ", by_policy("missing", "skip"), "."),
    ),
    Kind(
        "extra-queries",
        NOTE,
        "The run has unjudged queries.",
        "They enter no mean.",
        "Nothing, if these queries were never judged.",
    ),
    Kind(
        "no-common-document",
        ERROR,
        "No judged document is retrieved. A warning where fewer than 20 are judged.",
        "Every measure is 0.",
        "Check that both files are about the same collection, and that both use documents or both passages.",
    ),
    Kind(
        "document-spelling",
        ERROR,
        "The run has judged documents only in another spelling: other capitals or leading zeros.",
        "Such a document counts as not retrieved.",
        "Write document ids the same way in both files.",
    ),
    Kind(
        "unjudged",
        NOTE,
        "More than a tenth of the first 10 documents of all lists have no judgment.",
        "Unjudged documents count as not relevant.",
        worded(
            "Report Judged@10 with the scores; evaluate condensed lists with ",
            by_policy("unjudged", "removed"),
            ".",
        ),
    ),
    Kind(
        "self-retrieval",
        WARNING,
        "A tenth of the queries or more retrieve a document with the query's own id, mostly at rank 1.",
        "Queries that are documents of the collection find themselves first. BEIR removes such documents.",
        "Remove a query's own document from its list, and report that.",
    ),
    Kind(
        "perfect",
        WARNING,
        "Every requested measure is 1 for every query.",
        "The number is correct, but no system is that good.",
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
        "Tables show their paths instead of their names.",
        "Give the files different names.",
    ),
    Kind(
        "list-lengths",
        WARNING,
        "The longest list of one run is at least 1.5 times as long as that of another.",
        "A longer list can only gain in AP and recall: the shorter runs are at a disadvantage.",
        worded("Cut all runs at the length of the shortest one: ", by_policy("depth", 100), " for example."),
    ),
    Kind(
        "unjudged-gap",
        WARNING,
        "The shares of judged documents in the first 10 differ by a tenth or more.",
        "The run with fewer judged documents is underestimated.",
        worded(
            "Judge the top documents of both runs, or compare condensed lists: ",
            by_policy("unjudged", "removed"),
            ".",
        ),
    ),
)

KINDS = {kind.code: kind for kind in (*OF_FILES, *OF_QRELS, *OF_RUNS, *OF_SEVERAL_RUNS)}
"""Every kind of finding by its code."""
