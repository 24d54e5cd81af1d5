"""Reads judgments in trec_eval's four formats, and builds the lists for a run under each format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.compat.requests import Refusal, as_c_reads
from carob.inputs.sources import from_path
from carob.lists.flat import Flat
from carob.lists.preferences import ContradictionError, Group, PreferenceLists, group_of
from carob.lists.rows import Floats, Integers, JudgedRows, offsets_of, rows_of_groups
from carob.matching.axes import chosen, condensed, to_depth, without_negative
from carob.matching.match import rows_of
from carob.output.errors import DataError

ABORTED = 134
"""trec_eval's exit code after abort(), which discards buffered output."""


COMMENTS = {"qrels": "first-byte", "run": "any"}
"""Where a ``#`` begins a comment in trec_eval 10. ``any`` means as the first byte that is not a blank."""


def dialect(kind: str, version: int) -> dict[str, Any]:
    """Returns the kernel options for reading text as a given version of trec_eval does."""
    comments = COMMENTS[kind] if version >= 10 else "none"
    # Numbers are parsed in the same way as by C's atof and atol.
    blank_lines = "error" if kind == "qrels" else "skip"
    return {"numbers": "c", "comments": comments, "blank_lines": blank_lines, "loose": True}


@dataclass(frozen=True)
class Cut:
    """The rules for cutting rankings before ranks are counted: ``-J`` and ``-M``.

    Args:
        length: the number of documents in the ranking of each query.
        depth: the number of documents that count (``-M``).
        judged_only: whether unjudged documents are removed (``-J``).
    """

    length: Floats
    depth: int
    judged_only: bool

    def apply(self, rows: JudgedRows) -> JudgedRows:
        """Applies both rules to the judged rows, in trec_eval's order."""
        rows = to_depth(without_negative(rows, "unjudged"), self.depth)
        return condensed(rows) if self.judged_only else rows


@dataclass(frozen=True)
class JudgmentFormat(ABC):
    """Judgments in one of trec_eval's formats.

    Args:
        judgments: the judged documents of each query. In plain qrels, repeated documents are kept; in other formats,
            each document occurs once.
    """

    judgments: _native.Judgments

    ties = "trec"
    form = "grades"

    @property
    def queries(self) -> list[bytes]:
        """The queries, in byte order."""
        return self.judgments.queries

    @abstractmethod
    def lists(self, found: _native.Matched, cut: Cut, queries: Integers) -> tuple[Flat, dict[int, Refusal]]:
        """Returns the lists of the requested queries, and the reasons why other queries cannot be evaluated."""


@dataclass(frozen=True)
class PlainQrels(JudgmentFormat):
    """Plain qrels: one grade for each document."""

    def n_positive(self) -> int:
        """Counts the judgments with a grade above 0, regardless of ``-l``."""
        return int((self.judgments.grades > 0).sum())

    def troubles(self, queries: Integers) -> dict[int, Refusal]:
        """Returns the queries that trec_eval refuses because a document is repeated or because no grade is 0 or more.

        Queries without a grade of 0 or more are refused only before the first query that has one, because trec_eval
        does not allocate memory for grades until then (form_res_rels.c, ``rel_levels``).
        """
        twice: dict[int, bytes] = {}
        for query, document, _, _ in self.judgments.duplicates:
            twice[query] = min(document, twice.get(query, document))
        troubles = {
            query: Refusal(4, duplicate("form_res_rels", document, "\n")) for query, document in twice.items()
        }
        graded = np.asarray(_native.best(self.judgments.grades + 1.0, self.judgments.offsets)) > 0
        for query in queries.tolist():
            if graded[query] or query in troubles:
                break
            troubles[query] = Refusal(4, "")
        return troubles

    def lists(self, found: _native.Matched, cut: Cut, queries: Integers) -> tuple[Flat, dict[int, Refusal]]:
        """Returns the lists of the requested queries, and the reasons why other queries cannot be evaluated."""
        rows = replace(rows_of(self.judgments, found), length=cut.length)
        kept = np.zeros(len(cut.length), bool)
        kept[queries] = True
        return Flat(cut.apply(rows if kept.all() else chosen(rows, kept))), self.troubles(queries)


@dataclass(frozen=True)
class GroupedJudgments(JudgmentFormat):
    """Judgments whose lines belong to judgment groups.

    Args:
        query: the query of each line.
        group: the judgment group of each line, numbered over all queries in the order of query and name.
        subgroup: the subgroup of each line, numbered in the order of names.
        document: the document of each line, as a row of ``judgments``.
        number: the grade or level of each line.
        group_offsets: the groups of each query.
    """

    query: Integers
    group: Integers
    subgroup: Integers
    document: Integers
    number: Floats
    group_offsets: Integers

    def ranks(self, found: _native.Matched, depth: float) -> Floats:
        """Returns the rank of each judged document, which is infinite if it was not retrieved within ``depth``.

        If a document is repeated, which is possible only below the depth, the better rank is used.
        """
        ranks = np.full(self.judgments.count, np.inf)
        ranks[found.judgment[::-1]] = found.rank[::-1]
        return np.where(ranks <= depth, ranks, np.inf)


@dataclass(frozen=True)
class Grouped(GroupedJudgments):
    """Grades from several judgment groups."""

    form = "groups"

    def lists(self, found: _native.Matched, cut: Cut, queries: Integers) -> tuple[Flat, dict[int, Refusal]]:
        """Returns the lists of the requested queries, one per judgment group."""
        rank = self.ranks(found, np.inf)[self.document]
        order = np.lexsort((rank, self.group))
        rank, group, grade = rank[order], self.group[order], self.number[order]
        sizes = np.diff(self.group_offsets)
        rows = rows_of_groups(np.repeat(cut.length, sizes), group, rank, grade)
        kept = np.zeros(len(sizes), bool)
        kept[queries] = True
        rows = cut.apply(chosen(rows, np.repeat(kept, sizes)))
        return Flat(replace(rows, group_offsets=np.append(0, np.cumsum(sizes[kept])))), {}


@dataclass(frozen=True)
class Preferred(GroupedJudgments):
    """Preferences, given as levels within subgroups."""

    ties = "ascending"
    form = "preferences"

    def lists(self, found: _native.Matched, cut: Cut, queries: Integers) -> tuple[Flat, dict[int, Refusal]]:
        """Returns the lists of the requested queries, up to the first query whose preferences contradict each other."""
        ranks = self.ranks(found, cut.depth)
        starts = np.searchsorted(self.query, np.arange(len(self.queries) + 1))
        groups, troubles = [], {}
        for query in queries.tolist():
            try:
                groups.append(self.groups(query, slice(starts[query], starts[query + 1]), ranks))
            except ContradictionError as error:
                troubles[query] = self.trouble(query, error, ranks)
                break
        length = np.minimum(cut.length[queries], cut.depth)[: len(groups)]
        none = np.zeros(0)
        offsets = np.zeros(len(groups) + 1, np.int64)
        rows = JudgedRows(length, offsets, none, none, none, none, offsets, none)
        return PreferenceLists(rows, groups), troubles

    def numbers(self, query: int, ranks: Floats) -> tuple[Integers, int]:
        """Numbers the judged documents: first the retrieved documents by rank, then all other documents by id.

        Also returns the number of retrieved documents.
        """
        start, stop = self.judgments.offsets[query : query + 2].tolist()
        names = self.judgments.documents(query)
        order = sorted(range(stop - start), key=lambda place: (ranks[start + place], names[place]))
        number = np.empty(stop - start, np.int64)
        number[order] = np.arange(stop - start)
        return number, int(np.isfinite(ranks[start:stop]).sum())

    def groups(self, query: int, lines: slice, ranks: Floats) -> list[Group]:
        """Returns the judgment groups of a query."""
        number, retrieved = self.numbers(query, ranks)
        documents = number[self.document[lines] - self.judgments.offsets[query]]
        group = self.group[lines]
        found = []
        for each in range(*self.group_offsets[query : query + 2].tolist()):
            inside = group == each
            found.append(
                group_of(
                    self.subgroup[lines][inside],
                    self.number[lines][inside],
                    documents[inside],
                    len(number),
                    retrieved,
                )
            )
        return found

    def trouble(self, query: int, error: ContradictionError, ranks: Floats) -> Refusal:
        """Returns trec_eval's error about contradictory preferences. trec_eval aborts if they form a cycle."""
        by, number = "trec_eval.form_prefs_counts:", error.number
        if error.kind == "levels":
            return Refusal(4, f"{by} Internal docid {number} occurs with different rel_level in same jsg\n")
        if error.kind == "zero":
            place = self.numbers(query, ranks)[0].tolist().index(number)
            name = self.judgments.documents(query)[place].decode("utf-8", "surrogateescape")
            return Refusal(4, f"{by} doc '{name}' has both 0 and non-0 rel_level assigned\n")
        conflict = f"internal rank {number} and internal rank {error.other} are conflicted"
        return Refusal(ABORTED, f"{by} Pref inconsistency found\n      {conflict}\n")


# ---------------------------------------------------------------- reading


FORMATS = {
    "qrels": ("get_qrels", "get_qrels", "qrels"),
    "qrels_jg": ("get_qrels_jg", "get_qrels_jg", "qrels"),
    "prefs": ("get_prefs", "get_prefs", "prefs"),
    "qrels_prefs": ("get_prefs", "get_qrels_prefs", "prefs"),
}
"""For each of trec_eval's formats, the functions that report unreadable files and malformed lines, and the kind."""


def duplicate(by: str, document: bytes, end: str) -> str:
    """Returns trec_eval's message about a document that occurs twice."""
    return f"trec_eval.{by}: duplicate docs {document.decode('utf-8', 'surrogateescape')}{end}"


def read_judged(path: str, form: str, version: int) -> JudgmentFormat:
    """Reads a judgment file.

    Args:
        path: the file; ``-`` means a file with this name.
        form: a key of ``FORMATS``.
        version: 9 or 10.

    Raises:
        Refusal: trec_eval refuses the format, the file or a line.
    """
    if form not in FORMATS:
        raise Refusal(2, f"trec_eval: Illegal rel_format '{form}'\n")
    unreadable, malformed, kind = FORMATS[form]
    quit_in = f"trec_eval: Quit in file '{path}'\n"
    try:
        judged = read_grades(path, version) if form == "qrels" else read_lines(path, form, version, quit_in)
    except _native.LineError as error:
        raise Refusal(2, f"trec_eval.{malformed}: Malformed line {error.data_line}\n{quit_in}") from None
    except (OSError, DataError):
        judged = None
    if judged is None or not judged.queries:
        raise Refusal(2, f"trec_eval.{unreadable}: Cannot read {kind} file '{path}'\n{quit_in}")
    return judged


def read_grades(path: str, version: int) -> PlainQrels:
    """Reads plain qrels."""
    how = dialect("qrels", version) | {"columns": 4, "duplicates": "keep"}
    return PlainQrels(as_c_reads(from_path(path), lambda handle: _native.read_judgments(handle, **how)))


def read_lines(path: str, form: str, version: int, quit_in: str) -> GroupedJudgments:
    """Reads one of the formats with judgment groups."""
    number_is = "grade" if form == "qrels_jg" else "level"
    how = dialect("qrels", version) | {"columns": 5 if form == "prefs" else 4, "number": number_is}
    columns, number, _ = as_c_reads(from_path(path), lambda handle: _native.read_rows(handle, **how))
    subgroups = columns[2] if form == "prefs" else [b""] * len(columns[0])
    lines = list(zip(columns[0], columns[1], subgroups, columns[-1]))
    if form != "qrels_jg":
        return in_order(
            Preferred, lines, number if version >= 10 else number.astype(np.float32).astype(np.float64)
        )
    for line, following in pairwise(sorted(lines)):
        if line == following:
            raise Refusal(2, duplicate("get_qrels", line[-1], "\n") + quit_in)
    return in_order(Grouped, lines, number)


def in_order(
    kind: type[GroupedJudgments], lines: list[tuple[bytes, bytes, bytes, bytes]], number: Floats
) -> GroupedJudgments:
    """Sorts lines (query, group, subgroup, document) by query and group, and replaces all names with numbers."""
    queries, _, subgroups, documents = map(list, zip(*lines)) if lines else ([], [], [], [])
    judgments = _native.judgments_from_rows(queries, documents, np.zeros(len(lines)), None, "first")
    order = sorted(range(len(lines)), key=lambda place: lines[place][:2])
    ordered = [lines[place] for place in order]
    query_number = {name: place for place, name in enumerate(judgments.queries)}
    groups = {name: place for place, name in enumerate(dict.fromkeys(line[:2] for line in ordered))}
    subgroup_number = {name: place for place, name in enumerate(sorted(set(subgroups)))}
    row = {
        (query, document): int(judgments.offsets[place]) + each
        for place, query in enumerate(judgments.queries)
        for each, document in enumerate(judgments.documents(place))
    }
    numbers = [
        (query_number[query], groups[query, group], subgroup_number[subgroup], row[query, document])
        for query, group, subgroup, document in ordered
    ]
    query_of_group = np.array([query_number[query] for query, _ in groups], np.int64)
    offsets = offsets_of(query_of_group, len(query_number))
    query, group, subgroup, document = np.array(numbers, np.int64).reshape(-1, 4).T.copy()
    return kind(judgments, query, group, subgroup, document, number[order], offsets)
