"""Defines ``Qrels``, the class that stores judgments in memory, and reads judgments by subtopic."""

from __future__ import annotations

import copyreg
import math
import os
from collections.abc import Container, Iterator, Mapping
from itertools import chain
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.inputs.columns import CONSTANT, OfProject, constant_in
from carob.inputs.dicts import MAPPING, is_sample, numbered, numbers_of, plain
from carob.inputs.errors import nothing, refused, scores_as_grades, sentences, skipped_all
from carob.inputs.files import read_as
from carob.inputs.frames import Frame, columns_of, frame_origin, is_frame, listed_in
from carob.inputs.ids import bytes_of, text_of, texts, texts_of
from carob.inputs.layouts import by_query
from carob.inputs.names import Names
from carob.inputs.runs import reading_of
from carob.inputs.sources import Provenance, Readable, Source, kept
from carob.output.errors import NoSuchColumnsError, by_policy, worded
from carob.output.escaping import shown
from carob.output.layout import Display

if TYPE_CHECKING:
    from carob.inputs.columns import Asked
    from carob.inputs.files.table import FileTable
    from carob.inputs.samples import Sample, SampledJudgment
    from carob.lists.rows import Floats, Integers


# Without a registered reducer, Python can pickle the kernel's classes only with protocol 2 or later.
copyreg.pickle(
    _native.Judgments,
    lambda held: (copyreg.__newobj__, (_native.Judgments,), held.__getstate__()),  # type: ignore[attr-defined]
)


TABLE = Provenance("a table")
CODES = (9, 99, 999, 9999)
"""Codes that often mark documents without a grade."""
MISSING = ("nan", "NaN", "None", "<NA>", "NaT", "null", "NULL")
"""Missing values as pandas, Python, JSON and SQL write them as text."""
SEARCHED = 64
"""The approximate number of queries whose documents are searched for missing values."""
RARE, GAP = 0.25, 4
"""The limits for a code: its largest share of the judgments, and its smallest distance from the next grade."""
HIGHEST, SLIPS = 5, 0.01
"""The highest grade of usual scales, and the largest share of judgments with a typing error such as 22."""
JUDGED_TWICE = "document '{document}' is judged twice for query '{query}'"

Rows: TypeAlias = "list[dict[str, Any]]"
"""Rows as parsed from JSON lines."""
QrelsLike: TypeAlias = "Qrels | Readable | Mapping[Any, Any] | Rows | Frame"


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments.

    Args:
        name: the path, or a name for other input, such as ``<mapping>``.
        judgments: the kernel's table: queries in byte order, documents in file order.
        origin: the origin of the judgments.
        subtopics: the judgment group of each line; None if not requested.
        sample: how the documents were drawn; None if the judgments are not a sample.

    Example:
        >>> from carob import Qrels
        >>> Qrels.of({"q1": {"d1": 1, "d2": 0}}).queries
        ['q1']
    """

    name: str
    judgments: _native.Judgments
    origin: Provenance = TABLE
    subtopics: Subtopics | None = None
    sample: Sample | None = None

    @cached_property
    def fractional(self) -> bool:
        """Whether any grade has a fraction. The grades are rounded part by part, which saves memory."""
        grades, size = self.judgments.grades, 200_000
        parts = (grades[first : first + size] for first in range(0, len(grades), size))
        return any(bool((part != np.round(part)).any()) for part in parts)

    @cached_property
    def fractions(self) -> int:
        """The number of grades between 0 and 1, both exclusive."""
        grades = self.judgments.grades
        return int(np.count_nonzero((grades > 0) & (grades < 1))) if self.fractional else 0

    @cached_property
    def doubtful(self) -> tuple[int, int]:
        """How many grades may not be real grades: the number of lowest ratings, and the number of codes or slips.

        Grades of 1 are the lowest ratings if no grade is lower and some are 4 or more, as with ratings of 1 to 5.
        Grades of 9, 99 or 999 are codes if they are rare and far above all others, and -9, -99 or -999 if they are far
        below all others. A grade of 10 or more is a slip if hardly any document has it and all other grades are at most
        5.
        """
        grades = self.judgments.grades
        top = float(grades.max()) if len(grades) else 0.0
        lowest = int(np.count_nonzero(grades == 1)) if top >= 4 and grades.min() == 1 else 0
        return lowest, self.odd_above(top) or self.codes_below

    @cached_property
    def written_missing(self) -> tuple[str, str] | None:
        """A query and its document whose id looks missing, such as ``nan``, or None. Searches only some queries."""
        judgments = self.judgments
        ids = dict.fromkeys(MISSING, 0.0)
        step = 1 + judgments.query_count // SEARCHED
        found = _native.match_mapping(judgments, dict.fromkeys(texts_of(self.names[::step]), ids))
        if not found.judged.any():
            return None
        place = int(found.judged.argmax())
        written = next(each for each in map(text_of, judgments.documents(place)) if each in MISSING)
        return text_of(self.names[place]), written

    def odd_above(self, top: float) -> int:
        """Returns how many documents have the highest grade, ``top``, if it is a code or a slip; otherwise 0."""
        code = top in CODES
        if not code and top < 2 * HIGHEST:
            return 0
        grades = self.judgments.grades
        others = grades[grades < top]
        count = len(grades) - len(others)
        if not len(others):
            return 0
        if code:
            odd = count <= RARE * len(grades) and others.max() <= min(top - GAP, top / 2)
        else:
            odd = count <= max(1, SLIPS * len(grades)) and others.max() <= HIGHEST
        return count if odd else 0

    @property
    def codes_below(self) -> int:
        """The number of grades of -9, -99 and so on that are far below all other grades."""
        grades = self.judgments.grades
        bottom = float(grades.min()) if len(grades) else 0.0
        if -bottom not in CODES:
            return 0
        others = grades[grades > bottom]
        code = not len(others) or others.min() >= max(bottom + GAP, bottom / 2)
        return len(grades) - len(others) if code else 0

    @classmethod
    def of(
        cls,
        qrels: QrelsLike,
        policy: Policy | None = None,
        *,
        subtopics: bool = False,
        query: str | None = None,
        document: str | None = None,
        grade: str | float | None = None,
        subtopic: str | None = None,
        probability: str | float | None = None,
        sample_size: str | None = None,
        words: Mapping[str, float] | None = None,
        folders: str | None = None,
    ) -> Qrels:
        """Reads judgments from a path, bytes, an open binary file, ``{query: {document: grade}}``, or a data frame.

        Instead of ``{document: grade}``, a query may have a list or a set of its relevant documents. The judgments may
        also be a list of dicts, one for each row, as in JSON lines.

        A path may refer to TREC text, a table (Parquet, Arrow, CSV, TSV, JSON, JSON lines), a folder in BEIR's layout,
        or a folder with the parts of a table; it may also be a pattern. A frame may come from any library that narwhals
        supports (pandas, Polars, PyArrow, DuckDB …) or that has Arrow's stream interface.

        Args:
            qrels: the judgments.
            policy: how to treat duplicates and malformed lines.
            query: a table's query column, which contains text or whole numbers; by default, the column with a usual
                name. With ``":=review1"``, every row of the table belongs to the query ``review1``.
            document: the document column.
            grade: the grade column, or a number that is the grade of every row, for example for clicks and purchases.
            subtopics: whether the second column, or the second key of ``{query: {subtopic: {document: grade}}}``, names
                a subtopic (judgment group); a document's overall grade is the highest of its grades.
            subtopic: a table's subtopic column; implies ``subtopics``.
            probability: the column with the probability with which each document was drawn, if the judgments are a
                sample; 1 if the judgments are complete even though a column has a usual name for such probabilities.
            sample_size: the column with the number of documents in the whole sample.
            words: the number for each grade in words, such as ``{"Good": 3, "Fair": 2, "Bad": 0}``.
            folders: how to read files in several folders: ``parts`` reads them as parts of one table; ``prefix`` reads
                each folder as a data set and adds its name to the query ids, as in ``nq/1``.

        Raises:
            DataError: the judgments cannot be read, or a document is judged twice and ``policy`` does not allow that.
        """
        policy = policy or Policy()
        if isinstance(qrels, Qrels):
            return qrels
        refuse_results(qrels)
        grouped = subtopics or subtopic is not None
        asked: dict[str, str | float | None] = {"query": query, "document": document, "grade": grade}
        asked |= {"probability": probability, "sample_size": sample_size}
        of_one_query = query is not None and query.startswith(CONSTANT)
        if words is not None or (of_one_query and (isinstance(qrels, (list, Mapping)) or is_frame(qrels))):
            return cls.by_value(qrels, policy, asked, words, subtopics=subtopics, subtopic=subtopic)
        if isinstance(qrels, (list, Mapping)):
            qrels = by_query(qrels, "qrels", asked)
        roles = asked | ({"subtopic": subtopic} if grouped else {})
        if not isinstance(qrels, (str, bytes, os.PathLike)) and is_frame(qrels):
            listed = None if grouped else listed_in(qrels, "qrels", asked)
            if listed is not None:
                return cls.in_lists(*listed, policy.duplicates, frame_origin(qrels))
            return cls.in_frame(qrels, roles, policy.duplicates)
        if isinstance(qrels, Mapping):
            constant = constant_in(asked)
            if grouped:
                return cls.by_subtopic(qrels, policy, constant)
            return cls.in_mapping(qrels, constant, complete=isinstance(probability, (int, float)))
        source = read_as(cast("Readable", qrels), "qrels", roles, folders)
        if not isinstance(source, Source):
            return cls.in_files(source, policy, subtopics=grouped)
        if grouped:
            return cls.by_subtopic(source, policy)
        judgments = judgments_of_lines(source, policy)
        table = cls(source.name, judgments, source.origin)
        if policy.duplicates == "error" and judgments.duplicates:
            refuse_subtopics(source, judgments, policy)
        return table.without_duplicates()

    @classmethod
    def by_value(
        cls,
        qrels: Any,
        policy: Policy,
        asked: Asked,
        words: Mapping[str, float] | None,
        *,
        subtopics: bool,
        subtopic: str | None,
    ) -> Qrels:
        """Reads judgments cell by cell: grades in words, or a table whose rows all belong to one query.

        Raises:
            DataError: for the same reasons as in ``of``.
        """
        given: dict[str, Any] = {}
        if str(asked["query"]).startswith(CONSTANT):
            from carob.inputs.one_query import read_one_query

            of_project = isinstance(asked["query"], OfProject)
            qrels = kept(qrels) if of_project else qrels  # the input may have to be read again
            try:
                read, name, origin = read_one_query(qrels, "qrels", asked, words)
            except NoSuchColumnsError:
                if not of_project:
                    raise
                own: Any = {role: name for role, name in asked.items() if not isinstance(name, OfProject)}
                return cls.of(qrels, policy, subtopics=subtopics, subtopic=subtopic, **own, words=words)
        else:
            from carob.inputs.grade_words import in_numbers

            read, name, origin = in_numbers(qrels, asked, words or {})
            given = {role: column for role, column in asked.items() if column is not None}
        found = cls.of(read, policy, subtopics=subtopics, subtopic=subtopic, **given)
        return found if origin is None else replace(found, name=name, origin=origin)

    @classmethod
    def in_mapping(cls, qrels: Mapping[Any, Any], grade: float | None, *, complete: bool = False) -> Qrels:
        """Reads ``{query: {document: grade}}``. Instead of grades, a query may have a list or a set of documents.

        A sample has ``(grade, probability)`` or ``(grade, probability, sample_size)`` instead of each grade.

        Args:
            qrels: the judgments.
            grade: the grade of every document, instead of the grades in ``qrels``; None to use the grades in ``qrels``.
            complete: whether to ignore the probabilities of a sample.

        Raises:
            DataError: an entry cannot be read, or there are no judgments.
        """
        if is_sample(qrels):
            from carob.inputs.samples import in_mapping

            judgments, sample = in_mapping(qrels)
            return cls("<mapping>", judgments, MAPPING, sample=None if complete else sample)
        with sentences("qrels", "qrels"):
            judgments = _native.judgments_from_mapping(plain(numbered(qrels, "qrels", grade)))
        if not judgments.query_count:
            raise nothing("qrels", "the mapping is empty.")
        return cls("<mapping>", judgments, MAPPING)

    @classmethod
    def by_subtopic(
        cls, qrels: Source | Mapping[str, Any], policy: Policy, grade: float | None = None
    ) -> Qrels:
        """Reads judgments by subtopic: ``query subtopic document grade``.

        Raises:
            DataError: the judgments cannot be read, have no subtopics, or contain a document twice for one subtopic.
        """
        if isinstance(qrels, Mapping):
            name, origin = "<mapping>", MAPPING
            judgments, lines = lines_of_mapping(qrels, grade)
        else:
            name, origin = qrels.name, qrels.origin
            with sentences(name, "qrels", origin.files):
                judgments = _native.read_judgments(qrels.from_start(), duplicates="max", **reading_of(policy))
                lines = rows_in(qrels, policy)
        if not judgments.query_count:
            raise nothing(name, "expected lines 'query subtopic document grade'.")
        return cls(name, judgments, origin, subtopics_of(lines, judgments, policy.duplicates, name, origin))

    @classmethod
    def in_files(cls, table: FileTable, policy: Policy, *, subtopics: bool) -> Qrels:
        """Reads judgments from Parquet, CSV, JSON and similar files.

        Raises:
            DataError: rows cannot be used, or contain the scores of a system instead of grades.
        """
        from carob.inputs.nested import SCORES

        with table.named(policy):
            if is_frame(table.content):
                found = cls.in_frame(
                    table.content, table.columns, policy.duplicates, table.origin, table.most
                )
            else:
                found = cls.of(table.content, policy, subtopics=subtopics, **cast("Any", table.columns))
            if table.guessed in SCORES:
                refuse_scores(found.judgments)
        return replace(found, name=table.name, origin=replace(table.origin, whole=found.origin.whole))

    @classmethod
    def in_lists(cls, content: Any, columns: Asked, duplicates: str, origin: Provenance) -> Qrels:
        """Reads judgments from the result of ``listed_in``: a flat frame, or ``{query: {document: grade}}``."""
        if isinstance(content, dict):
            return replace(cls.in_mapping(content, None), name="<frame>", origin=origin)
        return cls.in_frame(content, columns, duplicates, origin)

    @classmethod
    def in_frame(
        cls,
        frame: Any,
        asked: Asked,
        duplicates: str,
        origin: Provenance | None = None,
        most: float = math.inf,
    ) -> Qrels:
        """Reads judgments from the columns of a frame.

        Args:
            frame: the frame.
            asked: the columns' names by role; None looks for a usual name. A number is the grade of every row.
            duplicates: the policy for a document that is judged twice.
            origin: the files from which the frame was read.
            most: the maximum number of bytes that the texts of the rows may take in memory.

        Raises:
            DataError: columns or rows cannot be read, or a document is judged twice.
        """
        columns = columns_of(frame, "qrels", asked, most)
        if origin is not None:
            columns = replace(columns, origin=replace(origin, whole=columns.origin.whole))
        grouped, sample = "subtopic" in columns.places, None
        keep = "max" if grouped else "keep" if duplicates == "error" else duplicates
        with sentences("qrels frame", "qrels"):
            if "probability" in columns.places:
                from carob.inputs.samples import in_frame

                judgments, sample = in_frame(columns)
            else:
                judgments = columns.judgments(keep)
            if not judgments.query_count:
                raise nothing("qrels frame", "it has no rows.")
            if asked.get("grade") is None and columns.name_of("grade").casefold() == "score":
                refuse_scores(judgments)
            if not grouped:
                return cls("<frame>", judgments, columns.origin, sample=sample).without_duplicates()
            ids, grades = columns.by_subtopic()
        lines = ids, np.array(grades), np.arange(1, len(grades) + 1)
        groups = subtopics_of(lines, judgments, duplicates, "qrels frame", columns.origin)
        return cls("<frame>", judgments, columns.origin, groups)

    def without_duplicates(self) -> Qrels:
        """Returns the judgments unchanged after a check that no document is judged twice for a query.

        Raises:
            DataError: a document is judged twice for a query.
        """
        for query, document, *lines in self.judgments.duplicates:
            file = "qrels frame" if self.name == "<frame>" else self.name
            ids = {"query": self.judgments.queries[query], "document": document}
            raise self.origin.twice(file, JUDGED_TWICE, lines, ids)
        return self

    @property
    def complete(self) -> Qrels:
        """The same judgments, for use where documents without a judgment count as unjudged.

        Raises:
            DataError: the judgments are a sample, so nothing is known about the documents that were not drawn.
        """
        if self.sample is not None and not self.sample.everything:
            from carob.inputs.samples import incomplete

            raise incomplete(self.name, self.judgments.count)
        return self

    @property
    def known(self) -> Qrels:
        """The same judgments, without information about how the documents were drawn."""
        return self if self.sample is None else replace(self, sample=None)

    @property
    def drawn(self) -> dict[str, dict[str, SampledJudgment]] | None:
        """The judgments of a sample with their probabilities, or None for complete judgments."""
        if self.sample is None or self.sample.everything:
            return None
        from carob.inputs.samples import SampledJudgment

        size, chances = self.sample.size, iter(self.sample.probability.tolist())
        return {
            query: {
                document: SampledJudgment(grade, next(chances), size)
                for document, grade in zip(documents, grades, strict=True)
            }
            for query, documents, grades in self.lists()
        }

    @property
    def table(self) -> dict[str, dict[str, float]]:
        """The grades by query and document, in the order of ``rows``. For a document judged twice, the last counts."""
        return {query: dict(zip(documents, grades, strict=True)) for query, documents, grades in self.lists()}

    def lists(self) -> Iterator[tuple[str, list[str], list[float]]]:
        """Yields each query with its documents and their grades."""
        held = self.judgments
        documents = [held.documents(place) for place in range(len(held.queries))]
        texts, grades = texts_of(chain.from_iterable(documents)), held.grades.tolist()
        last = 0
        for query, each in zip(texts_of(held.queries), documents, strict=True):
            first, last = last, last + len(each)
            yield query, texts[first:last], grades[first:last]

    def rows(self) -> Iterator[tuple[bytes, bytes, float]]:
        """Yields the query, the document and the grade of each judgment."""
        for query, documents, grades in self.rows_by_query():
            for document, grade in zip(documents, grades, strict=True):
                yield query, document, grade

    def rows_by_query(self) -> Iterator[tuple[bytes, list[bytes], list[float]]]:
        """Yields each query's id with the ids and the grades of its documents."""
        held = self.judgments
        grades, ends = held.grades.tolist(), held.offsets.tolist()
        for place, query in enumerate(held.queries):
            yield query, held.documents(place), grades[ends[place] : ends[place + 1]]

    @cached_property
    def names(self) -> Names:
        """The queries that have judgments, in byte order. The results of all runs share this object."""
        return Names(*self.judgments.joined_queries)

    @property
    def queries(self) -> list[str]:
        """The queries that have judgments, in byte order."""
        return list(self.names.texts)


def graded(qrels: Qrels, queries: Container[bytes] | None = None) -> dict[bytes, dict[bytes, float]]:
    """Returns the non-negative grades by query and document. If a document has several grades, the first one counts.

    Args:
        qrels: the judgments.
        queries: the queries to return; None for all queries.
    """
    found = {}
    for query, documents, grades in qrels.rows_by_query():
        if queries is None or query in queries:
            its = found[query] = dict[bytes, float]()
            for document, grade in zip(documents, grades, strict=True):
                if grade >= 0:
                    its.setdefault(document, grade)
    return found


def rows_in(source: Source, policy: Policy) -> Lines:
    """Reads the four columns of each line of text, and the line numbers."""
    how = reading_of(policy)
    return _native.read_rows(source.from_start(), columns=4, number="grade", numbers="strict", **how)


def refuse_subtopics(source: Source, judgments: _native.Judgments, policy: Policy) -> None:
    """Refuses judgments by subtopic if each document needs a single grade.

    Raises:
        DataError: a document is judged for two subtopics of a query.
    """
    with sentences(source.name, "qrels", source.origin.files):
        ids, _, lines = rows_in(source, policy)
    place = {int(line): number for number, line in enumerate(lines)}
    query, document, *twice = judgments.duplicates[0]
    one, other = (ids[1][place[line]] for line in twice)
    if one != other:
        remedy = worded(
            "Judgments by subtopic need a measure by subtopic, such as alphanDCG@20. For other measures, choose which "
            "grade counts: ",
            by_policy("duplicates", "max"),
            ".",
        )
        said = "document '{document}' of query '{query}' is judged for two subtopics, '{one}' and '{other}'"
        its = {"query": judgments.queries[query], "document": document, "one": one, "other": other}
        raise source.origin.twice(source.name, said, twice, its, remedy)


def refuse_results(given: object) -> None:
    """Refuses carob's own results as input. Scores are mappings too, but they contain values rather than documents.

    Raises:
        DataError: the object is a result.
    """
    first = next(iter(given.values()), None) if isinstance(given, Mapping) else None
    result = given if isinstance(given, Display) else first
    if isinstance(result, Display):
        raise refused(
            "A result of type {type} contains neither judgments nor ranked lists.",
            "Pass the qrels and runs that it was computed from. Functions that accept scores (compare, "
            "best, plan, gate, correlate, report) accept scores instead of runs.",
            type=type(result).__name__,
        )


def refuse_scores(judgments: _native.Judgments) -> None:
    """Refuses fractional grades from a column called ``score`` that the caller did not choose.

    Raises:
        DataError: the column contains fractions.
    """
    if np.any(judgments.grades != np.round(judgments.grades)):
        raise scores_as_grades()


def judgments_of_lines(source: Source, policy: Policy) -> _native.Judgments:
    """Reads lines of judgments. If repeated documents are an error, they are kept, and the caller must refuse them.

    Raises:
        DataError: a line cannot be read, or there are no judgments.
    """
    duplicates = "keep" if policy.duplicates == "error" else policy.duplicates
    with sentences(source.name, "qrels", source.origin.files):
        found = _native.read_judgments(source.from_start(), duplicates=duplicates, **reading_of(policy))
    if not found.query_count and found.malformed:
        strict = policy.changed(malformed="error")
        raise skipped_all(source.name, found.malformed, lambda: judgments_of_lines(source, strict))
    if not found.query_count:
        raise nothing(source.name, "expected lines 'query 0 document grade'.")
    return found


NO_SUBTOPIC = (b"0", b"Q0", b"q0")
"""The usual values in the second column of qrels without subtopics."""


Lines: TypeAlias = "tuple[list[list[bytes]], Floats, Integers]"
"""Lines of judgments: the queries, subtopics and documents; the grades; the line numbers (0 for input from memory)."""


@dataclass(frozen=True, eq=False, repr=False)
class Subtopics:
    """The judgment group of each line of the judgments.

    Args:
        group: the number of each line's group; the groups of a query have consecutive numbers [lines].
        document: the document of each line, as a row of the judgments [lines].
        grade: the grade of each line [lines].
        offsets: query ``q`` has the groups ``offsets[q]`` to ``offsets[q + 1]``, exclusive [queries + 1].
        place: the position of each document among the documents of its query in descending byte order of the ids
            [judgments].
    """

    group: Integers
    document: Integers
    grade: Floats
    offsets: Integers
    place: Integers


def subtopics_of(
    lines: Lines, judgments: _native.Judgments, duplicates: str, name: str, origin: Provenance
) -> Subtopics:
    """Groups the lines by query and subtopic.

    Args:
        lines: the lines.
        judgments: the judgments in these lines, with each document only once per query.
        duplicates: the policy for a document that is judged twice for one subtopic.
        name: the file.
        origin: the origin of the judgments.

    Raises:
        DataError: there are no subtopics, or a document is judged twice for one subtopic and ``duplicates`` is
            ``error``.
    """
    ids, grades, _ = lines
    query_of, subtopic_of, document_of = ids
    labels = set(subtopic_of)
    if origin.kind != "a mapping" and len(labels) == 1 and labels <= set(NO_SUBTOPIC):
        raise refused(
            "there are no subtopics: the second column is '{value}' on every line.",
            "A measure by subtopic (judgment group) requires lines 'query subtopic document grade'.",
            file=name,
            value=labels.pop().decode(),
        )
    number = {query: place for place, query in enumerate(judgments.queries)}
    row, place = documents_of(judgments)
    named: list[dict[bytes, int]] = [{} for _ in number]
    kept = once_each(lines, duplicates, name, origin)
    own = [
        (number[query_of[each]], subtopic_of[each], row[query_of[each], document_of[each]]) for each in kept
    ]
    within = [named[query].setdefault(subtopic, len(named[query])) for query, subtopic, _ in own]
    offsets = np.append(0, np.cumsum([len(each) for each in named])).astype(np.int64)
    queries = np.array([query for query, _, _ in own], np.int64)
    return Subtopics(
        group=offsets[queries] + np.array(within, np.int64),
        document=np.array([document for _, _, document in own], np.int64),
        grade=grades[kept],
        offsets=offsets,
        place=place,
    )


def documents_of(judgments: _native.Judgments) -> tuple[dict[tuple[bytes, bytes], int], Integers]:
    """Returns the row of each judged document, and its position within the query in descending order of ids."""
    row: dict[tuple[bytes, bytes], int] = {}
    place = np.empty(judgments.count, np.int64)
    for query, name in enumerate(judgments.queries):
        start, documents = int(judgments.offsets[query]), judgments.documents(query)
        row.update({(name, document): start + at for at, document in enumerate(documents)})
        order = sorted(range(len(documents)), key=documents.__getitem__, reverse=True)
        place[start + np.array(order, np.int64)] = np.arange(len(order))
    return row, place


def once_each(lines: Lines, duplicates: str, name: str, origin: Provenance) -> Integers:
    """Returns the index of one line of judgments for each query, subtopic and document."""
    found: dict[tuple[bytes, ...], int] = {}
    ids, grades, numbers = lines
    for each, key in enumerate(zip(*ids, strict=True)):
        first = found.setdefault(key, each)
        if first == each:
            continue
        if duplicates == "error":
            said = "document '{document}' is judged twice for subtopic '{subtopic}' of query '{query}'"
            names = dict(zip(("query", "subtopic", "document"), key, strict=True))
            raise origin.twice(name, said, map(int, numbers[[first, each]]), names)
        if duplicates == "last" or (duplicates == "max" and grades[each] > grades[first]):
            found[key] = each
    return np.array(list(found.values()), np.int64)


def lines_of_mapping(
    mapping: Mapping[Any, Any], grade: float | None = None
) -> tuple[_native.Judgments, Lines]:
    """Reads ``{query: {subtopic: {document: grade}}}``.

    Returns judgments with each document's highest grade, and a line for each subtopic and document.

    Args:
        mapping: the judgments.
        grade: the grade of every document; None to use the grades in the judgments.

    Raises:
        DataError: a subtopic has no documents, or an entry cannot be read.
    """
    highest: dict[str, dict[str, Any]] = {}
    rows: list[tuple[Any, ...]] = []
    for query, subtopics in texts(mapping).items():
        own = highest.setdefault(query, {})
        for subtopic, its in subtopics.items() if isinstance(subtopics, Mapping) else [("", None)]:
            documents = numbers_of(query, its, "qrels", grade)
            if not isinstance(documents, Mapping):
                names = {"query": query, "name": shown(query), "documents": shown(documents)}
                raise refused(
                    "query {name}: expected {{document: grade}} for a subtopic, found {documents}.",
                    "A measure by subtopic (judgment group) requires {{query: {{subtopic: {{document: grade}}}}}}.",
                    file="qrels",
                    **names,
                )
            for document, worth in texts(documents).items():
                rows.append((query, str(subtopic), document, worth))
                known = own.get(document)
                if not isinstance(known, Real) or not isinstance(worth, Real) or float(worth) > float(known):
                    own[document] = worth
    with sentences("qrels", "qrels"):
        judgments = _native.judgments_from_mapping(highest)
    ids = [[bytes_of(row[column]) for row in rows] for column in range(3)]
    return judgments, (ids, np.array([float(row[3]) for row in rows]), np.zeros(len(rows), np.int64))
