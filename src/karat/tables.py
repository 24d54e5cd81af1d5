"""Qrels and runs: judgments held in memory, and rankings that are read when they are matched."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from karat import _native
from karat.columns import Columns, Frame, columns_of, is_frame, row_sentences
from karat.errors import DataError
from karat.policy import Policy
from karat.read import KARAT, Origin, Readable, Reading, Source, sentences, source_of
from karat.subtopics import Lines, Subtopics, lines_of_mapping, subtopics_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = [
    "Qrels",
    "QrelsLike",
    "Run",
    "RunLike",
    "mapping_fault",
    "on_lines",
    "read_weights",
    "short",
    "text_of",
]

TABLE = Origin("a table")
SUFFIXES = (".gz", ".zst", ".bz2", ".xz", ".run", ".txt", ".trec", ".res", ".tsv")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def text_of(identifier: bytes) -> str:
    """An id as text; bytes that are not UTF-8 survive the way there and back."""
    return identifier.decode("utf-8", "surrogateescape")


def bytes_of(identifier: str) -> bytes:
    """An id as the kernel holds it."""
    return identifier.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, eq=False)
class Qrels:
    """Relevance judgments.

    Args:
        name: the path, or what they were made from.
        judgments: the kernel's table: queries in byte order, documents in file order.
        origin: where they came from.
        subtopics: which judgment group each line belongs to; None if that was not asked for.

    Example:
        >>> from karat import Qrels
        >>> Qrels.of({"q1": {"d1": 1, "d2": 0}}).queries
        ['q1']
    """

    name: str
    judgments: _native.Judgments
    origin: Origin = TABLE
    subtopics: Subtopics | None = None

    @classmethod
    def of(
        cls,
        qrels: QrelsLike,
        policy: Policy | None = None,
        reading: Reading = KARAT,
        *,
        subtopics: bool = False,
        query: str | None = None,
        document: str | None = None,
        grade: str | None = None,
    ) -> Qrels:
        """Read judgments from a path, bytes, an open binary file, ``{query: {document: grade}}``, or a data frame.

        A frame is of any library that narwhals knows (pandas, Polars, PyArrow, DuckDB …), or any object with
        Arrow's stream interface.

        Args:
            qrels: the judgments.
            policy: what is done about duplicates and malformed lines.
            reading: how text is read.
            query: a frame's column of queries, text or whole numbers; the one with a usual name if None.
            document: the same of documents.
            grade: the same of grades.
            subtopics: whether the second column, or the second key of ``{query: {subtopic: {document: grade}}}``,
                names a subtopic (judgment group); a document's overall grade is its highest one.

        Raises:
            DataError: text or a frame that cannot be read, or a document judged twice, unless ``policy`` says
                otherwise.
        """
        policy = policy or Policy()
        if isinstance(qrels, Qrels):
            return qrels
        if subtopics:
            if is_frame(qrels):
                raise DataError(
                    "Measures by subtopic read judgments from text or a mapping, not from a frame."
                )
            return cls.by_subtopic(cast("Readable | Mapping[str, Any]", qrels), policy, reading)
        if isinstance(qrels, Mapping):
            judgments = from_mapping(_native.judgments_from_mapping, plain(qrels), "qrels")
            return cls("<mapping>", judgments, Origin("a mapping"))
        keep = policy.duplicates == "error"
        if is_frame(qrels):
            columns = columns_of(qrels, "qrels", query=query, document=document, grade=grade)
            return cls.from_columns(columns, "keep" if keep else policy.duplicates)
        source = source_of(cast("Readable", qrels))
        with sentences(source.name, "qrels"):
            judgments = _native.read_judgments(
                source.handle,
                columns=4,
                numbers=reading.numbers,
                comments=reading.qrels_comments,
                blank_lines=reading.qrels_blank_lines,
                duplicates="keep" if keep else policy.duplicates,
                lenient=policy.malformed == "skip",
            )
        if not judgments.queries:
            raise DataError(f"{source.name} holds no judgments: expected lines 'query 0 document grade'.")
        table = cls(source.name, judgments, source.origin)
        return table.without_duplicates() if keep else table

    @classmethod
    def by_subtopic(cls, qrels: Readable | Mapping[str, Any], policy: Policy, reading: Reading) -> Qrels:
        """Judgments that come by subtopic: ``query subtopic document grade``.

        Raises:
            DataError: text or a mapping that cannot be read, judgments without subtopics, a document judged twice
                for one.
        """
        if isinstance(qrels, Mapping):
            highest, rows = lines_of_mapping(qrels)
            judgments = from_mapping(_native.judgments_from_mapping, highest, "qrels")
            numbers = np.zeros(len(rows), np.int64)
            ids = [[bytes_of(row[column]) for row in rows] for column in range(3)]
            lines = Lines(ids, np.array([float(row[3]) for row in rows]), numbers)
            name, origin = "<mapping>", Origin("a mapping")
        else:
            source = source_of(qrels)
            name, origin = source.name, source.origin
            with sentences(name, "qrels"):
                how: dict[str, Any] = {
                    "numbers": reading.numbers,
                    "comments": reading.qrels_comments,
                    "blank_lines": reading.qrels_blank_lines,
                    "lenient": policy.malformed == "skip",
                }
                judgments = _native.read_judgments(source.from_start(), columns=4, duplicates="max", **how)
                lines = Lines(*_native.read_rows(source.from_start(), columns=4, number="grade", **how))
        if not judgments.queries:
            raise DataError(f"{name} holds no judgments: expected lines 'query subtopic document grade'.")
        return cls(name, judgments, origin, subtopics_of(lines, judgments, policy.duplicates, name))

    @classmethod
    def from_columns(cls, columns: Columns, duplicates: str) -> Qrels:
        """Judgments from the columns of a frame."""
        with row_sentences("qrels"):
            judgments = _native.judgments_from_frame(
                columns.frame,
                query=columns.query,
                document=columns.document,
                grade=cast("int", columns.value),
                duplicates=duplicates,
            )
        if not judgments.queries:
            raise DataError("The qrels frame holds no judgments: it has no rows.")
        return cls("<frame>", judgments, columns.origin).without_duplicates()

    def without_duplicates(self) -> Qrels:
        """Refuse a document that is judged twice for one query."""
        for query, document, *lines in self.judgments.duplicates:
            raise DataError(
                f"{self.name}: document '{text_of(document)}' is judged twice for query "
                f"'{text_of(self.judgments.queries[query])}', {on_lines(self.origin, *lines)}. Remove one, or choose "
                "which counts: --duplicates first, last or max."
            )
        return self

    @property
    def queries(self) -> list[str]:
        """The queries that have judgments, in byte order."""
        return [text_of(query) for query in self.judgments.queries]


@dataclass(frozen=True, eq=False)
class Run:
    """A system's ranked lists, not read before they are matched.

    Args:
        name: what tables call it.
        source: the text, or None.
        mapping: ``{query: {document: score}}``, or None.
        columns: those of a data frame, or None.
    """

    name: str
    source: Source | None
    mapping: dict[str, Any] | None = None
    columns: Columns | None = None

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        if self.columns is not None:
            return self.columns.origin
        return Origin("a mapping") if self.source is None else self.source.origin

    @classmethod
    def of(
        cls,
        run: RunLike,
        name: str | None = None,
        *,
        query: str | None = None,
        document: str | None = None,
        score: str | None = None,
        rank: str | None = None,
    ) -> Run:
        """Take a run from a path, bytes, an open binary file, ``{query: {document: score}}``, or a data frame.

        A frame's rows may stand in any order. Where it has no score, or the rank alone is named, the lowest rank
        comes first and the score is minus the rank. Whole numbers as ids are compared as their decimal text, so
        that a frame gives the numbers of the file that holds the same.

        Args:
            run: the run.
            name: what tables call it.
            query: a frame's column of queries, text or whole numbers; the one with a usual name if None.
            document: the same of documents.
            score: the same of scores.
            rank: the same of ranks.

        Raises:
            DataError: a path or frame that cannot be read.

        Example:
            >>> import karat
            >>> karat.Run.of({"q": {"a": 1.0}}, "bm25").name
            'bm25'
        """
        if isinstance(run, Run):
            return run
        if isinstance(run, Mapping):
            return cls(name or "run", None, plain(run))
        if is_frame(run):
            its = columns_of(run, "run", query=query, document=document, score=score, rank=rank)
            return cls(name or "run", None, columns=its)
        source = source_of(cast("Readable", run))
        return cls(name or short(source.name), source)

    def match(
        self,
        judgments: _native.Judgments,
        policy: Policy,
        *,
        reading: Reading = KARAT,
        ties: str | None = None,
        progress: _native.Progress | None = None,
        scores: bool = False,
        threads: int | None = None,
    ) -> _native.Matched:
        """The rows of judged documents, as the kernel finds them; with ``scores`` also every document's score.

        Text is read by as many ``threads`` as there are cores, or so many.

        Raises:
            DataError: a line, score or id that cannot be used.
        """
        rule, float32 = ties or tie_rule(policy), policy.scores == "float32"
        if self.columns is not None:
            return self.match_columns(self.columns, judgments, policy, rule, scores=scores, threads=threads)
        if self.source is None:
            matched: _native.Matched = from_mapping(
                lambda run: _native.match_mapping(judgments, run, ties=rule, float32=float32, scores=scores),
                self.mapping,
                "run",
            )
            return matched
        with sentences(self.source.name, "run"):
            return _native.match_text(
                judgments,
                self.source.from_start(),
                ties=rule,
                float32=float32,
                duplicates="keep" if policy.duplicates == "error" else policy.duplicates,
                numbers=reading.numbers,
                comments=reading.run_comments,
                blank_lines="skip",
                lenient=policy.malformed == "skip",
                threads=threads or available_cores(),
                progress=progress,
                scores=scores,
            )

    def match_columns(
        self,
        columns: Columns,
        judgments: _native.Judgments,
        policy: Policy,
        ties: str,
        *,
        scores: bool,
        threads: int | None,
    ) -> _native.Matched:
        """What ``match`` does, for a frame."""
        if ties == "rank-column" and columns.rank is None:
            raise DataError(
                f"{self.name} has no column of ranks to settle ties by: name it, or choose another rule."
            )
        with row_sentences("run"):
            return _native.match_frame(
                judgments,
                columns.frame,
                **columns.of_run,
                ties=ties,
                float32=policy.scores == "float32",
                duplicates="keep" if policy.duplicates == "error" else policy.duplicates,
                threads=threads or available_cores(),
                scores=scores,
            )

    def as_mapping(self, queries: Iterable[bytes] | None = None) -> dict[str, dict[str, float]]:
        """What a run in memory holds of some queries, or of all; of a document that stands twice the last row."""
        wanted = None if queries is None else set(queries)
        if self.columns is None:
            return {
                query: its
                for query, its in (self.mapping or {}).items()
                if wanted is None or query.encode("utf-8", "surrogateescape") in wanted
            }
        found: dict[str, dict[str, float]] = {}
        with row_sentences("run"):
            for query, document, score in self.columns.rows(wanted):
                found.setdefault(text_of(query), {})[text_of(document)] = score
        return found

    def listed(self, queries: Collection[bytes], *, last: bool) -> dict[bytes, list[str]]:
        """The documents of some queries in the order of the run's lines, each once: where it stands first, or last."""
        if self.columns is not None:
            with row_sentences("run"):
                rows = self.columns.rows(query for query in queries)
            return in_order(((query, document) for query, document, _ in rows), last=last)
        if self.source is None:
            mapping = {
                query.encode("utf-8", "surrogateescape"): its for query, its in (self.mapping or {}).items()
            }
            return {query: list(its) for query, its in mapping.items() if query in queries}
        with sentences(self.source.name, "run"):
            lines = self.source.content().removeprefix(BYTE_ORDER_MARK).split(b"\n")
        parts = (line.split(None, 5) for line in lines)
        pairs = (
            (fields[0], fields[2])
            for fields in parts
            if len(fields) == 6 and not fields[0].startswith(b"#") and fields[0] in queries
        )
        return in_order(pairs, last=last)

    def ranked(self, query: bytes, policy: Policy) -> tuple[list[bytes], list[float]]:
        """Every document of one query in the order in which ``match`` ranks them, and the scores compared.

        Raises:
            DataError: as ``match``.
        """
        if self.columns is not None:
            with row_sentences("run"):
                documents, scores = _native.ranked_in_frame(
                    self.columns.frame,
                    query,
                    **self.columns.of_run,
                    ties=tie_rule(policy),
                    float32=policy.scores == "float32",
                    duplicates="keep" if policy.duplicates == "error" else policy.duplicates,
                )
            return documents, scores.tolist()
        if self.source is None:
            return self.ranked_mapping(query, policy)
        with sentences(self.source.name, "run"):
            documents, scores = _native.ranked_documents(
                self.source.from_start(),
                query,
                ties=tie_rule(policy),
                float32=policy.scores == "float32",
                duplicates="keep" if policy.duplicates == "error" else policy.duplicates,
                numbers=KARAT.numbers,
                comments=KARAT.run_comments,
                lenient=policy.malformed == "skip",
            )
        return documents, scores.tolist()

    def ranked_mapping(self, query: bytes, policy: Policy) -> tuple[list[bytes], list[float]]:
        """The same of a mapping: with every document judged, ``match`` says where each one stands."""
        scores = (self.mapping or {}).get(text_of(query), {})
        ids = [document.encode("utf-8", "surrogateescape") for document in scores]
        everything = _native.judgments_from_rows([query] * len(ids), ids, np.zeros(len(ids)))
        order = self.match(everything, policy).judgment.tolist() if ids else []
        compared = np.float32 if policy.scores == "float32" else np.float64
        values = [float(compared(value)) for value in scores.values()]
        return [ids[each] for each in order], [values[each] for each in order]


def read_weights(where: Readable) -> dict[str, float]:
    """What each query weighs: lines ``query weight``, plain or compressed.

    Raises:
        DataError: a line that cannot be read, a weight that is none, or a query that stands twice.
    """
    source = source_of(where)
    with sentences(source.name, "weights"):
        (queries,), values, lines = _native.read_rows(source.from_start(), columns=2, numbers="strict")
    weights: dict[str, float] = {}
    for query, weight, line in zip(map(text_of, queries), values.tolist(), lines.tolist(), strict=True):
        if query in weights:
            raise DataError(
                f"{source.name}, line {line}: query '{query}' has a weight already. Remove one line."
            )
        if not 0 <= weight < math.inf:
            raise DataError(
                f"{source.name}, line {line}: the weight of query '{query}' is {weight!r}: a weight is a number "
                "from 0 on."
            )
        weights[query] = weight
    return weights


def in_order(pairs: Iterable[tuple[bytes, bytes]], *, last: bool) -> dict[bytes, list[str]]:
    """Each query's documents in order, each once: where it stands first, or last."""
    found: dict[bytes, dict[bytes, None]] = {}
    for query, document in pairs:
        documents = found.setdefault(query, {})
        if last:
            documents.pop(document, None)
        documents[document] = None
    return {query: list(map(text_of, documents)) for query, documents in found.items()}


def on_lines(origin: Origin, first: int, second: int) -> str:
    """Where something stands twice: lines of a file from 1, rows of a frame from 0."""
    if origin.kind == "a frame":
        return f"in rows {first - 1} and {second - 1} (from 0)"
    return f"on lines {first} and {second}"


def tie_rule(policy: Policy) -> str:
    """The kernel's rule for equal scores: what the policy does beyond it is done on judged rows."""
    return policy.ties if policy.ties in ("ascending", "input", "rank-column") else "trec"


QrelsLike: TypeAlias = "Qrels | Readable | Mapping[str, Mapping[str, Any]] | Frame"
RunLike: TypeAlias = "Run | Readable | Mapping[str, Mapping[str, Any]] | Frame"


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def short(path: str) -> str:
    """A file's name without the endings that every run has."""
    name = os.path.basename(path)
    while True:
        stem, suffix = os.path.splitext(name)
        if suffix not in SUFFIXES:
            return name
        name = stem


def plain(mapping: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The mapping as dicts of dicts, which the kernel walks; nothing is copied where they are dicts already."""
    if type(mapping) is dict and all(type(inner) is dict for inner in mapping.values()):
        return cast("dict[str, Any]", mapping)
    rows: dict[str, Any] = dict(mapping)
    return {key: dict(inner) if isinstance(inner, Mapping) else inner for key, inner in rows.items()}


def from_mapping(make: Any, mapping: Any, kind: str) -> Any:
    """Call the kernel on a mapping and turn its refusals into sentences.

    Raises:
        DataError: an id that is no text, a score or grade that is no number, or NaN.
    """
    try:
        return make(mapping)
    except _native.MappingError as error:
        raise DataError(mapping_fault(error, kind)) from None


def mapping_fault(error: _native.MappingError, kind: str) -> str:
    """What the kernel found in a mapping, as a sentence; ``kind`` is ``qrels`` or ``run``."""
    value = "grade" if kind == "qrels" else "score"
    where = f"{kind}, query {error.query!r}"
    if error.document is not None:
        where += f", document {error.document!r}"
    reasons = {
        "nan": f"the {value} is NaN, which has no place in an order",
        "infinite": f"the {value} is infinite: give a finite number",
        "number": f"the {value} is not a number ({error.detail})",
        "query": f"the query id is not text ({error.detail}): write it as str",
        "document": f"the document id is not text ({error.detail}): write it as str",
        "mapping": f"expected {{document: {value}}} ({error.detail})",
        "changed": "the dictionary changed while it was read: let no other thread write to it meanwhile",
    }
    return f"{where}: {reasons.get(error.kind, f'{error.kind} ({error.detail})')}."
