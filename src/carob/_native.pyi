# ruff: noqa: PYI021  -- the module is compiled, so this is where its docstrings are read.
"""The kernel: text, mappings and frames in, judged rows out. It knows no measure and holds no state between calls.

A source of text is a path of a plain file (``str``), its content (``bytes`` or any buffer), or an object with
``readinto(memoryview) -> int`` (0 at the end) and ``rewind()``, both called from any thread, one at a time. If its
``is_slow`` is true, match_text with several threads reads it in a thread of its own. If it has ``interrupt()``, this
is called on Ctrl-C while another thread reads, and ``readinto`` should raise an exception instead of waiting.
Whitespace is C's ``isspace``, only a newline ends a line, ids are opaque bytes, a UTF-8 mark at the start is
skipped.

``numbers="strict"`` takes whole decimal numbers (scores may also be ``inf``); ``"c"`` reads scores as C's
``strtod`` and grades as ``atol``. ``comments`` are lines whose first non-blank byte is ``#`` (``"any"``), whose
very first byte is (``"first-byte"``), or do not exist (``"none"``). With ``lenient`` a malformed line is skipped
and counted; otherwise the earliest one raises LineError, whatever the number of threads. OSError is raised for a
file that cannot be read.

All arrays are read-only.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

class _Stream(Protocol):
    def readinto(self, buffer: memoryview, /) -> int: ...
    def rewind(self) -> object: ...

_Source: TypeAlias = str | Buffer | _Stream

class LineError(ValueError):
    """A line, or a text, that cannot be read."""

    kind: str
    """columns, number, nan, wide (a whole number that a double does not hold), rank, blank, nul (a NUL byte in it),
    too-long (a line of more than a mebibyte), utf-16 or compressed."""
    line: int
    """Counted from 1, every line."""
    data_line: int
    """Counted from 1 without blank lines and comments."""
    detail: bytes
    """The number of columns found, or the token that is not a number."""
    excerpt: bytes
    """The line's first 80 bytes."""

class MappingError(TypeError):
    """A value in a nested dict that cannot be used."""

    kind: str
    """nan, number, infinite (a grade), wide (a whole number that a double does not hold), query or document (an id that
    is neither text nor a whole number), surrogates (in an id, which stand for no bytes), twice (an id as text and as a
    whole number), mapping (no dict where one is needed), changed (the dict changed while it was read)."""
    query: object
    document: object
    detail: str

class FrameError(ValueError):
    """A frame that cannot be read at all."""

class RowError(ValueError):
    """A row of a frame that cannot be used."""

    kind: str
    """row (null as a whole), null, nan, infinite, wide (a whole number that a double does not hold), rank (no whole
    number), index (outside its dictionary) or offsets (text outside its memory)."""
    column: str
    row: int
    """Counted from 0."""
    query: bytes
    document: bytes

class IdError(ValueError):
    """An id that stops the writing of a run."""

    kind: str
    """twice (a document is listed twice for a query) or odd (the lines of a format cannot hold the id)."""
    query: bytes
    document: bytes

class Progress:
    """How far match_text has come; read it from another thread."""

    @property
    def bytes(self) -> int: ...

class Judgments:
    """Relevance judgments, immutable: queries in byte order, each query's documents in the order of the file."""

    @property
    def queries(self) -> list[bytes]:
        """Made once; not to be changed."""
    @property
    def joined_queries(self) -> tuple[bytes, NDArray[np.int64]]:
        """All queries in one piece; query q is bytes offsets[q] to offsets[q + 1]."""
    @property
    def query_count(self) -> int: ...
    @property
    def count(self) -> int:
        """The number of judgments."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Judgments offsets[q] to offsets[q + 1] belong to query q."""
    @property
    def grades(self) -> NDArray[np.float64]: ...
    @property
    def lines(self) -> NDArray[np.int64]:
        """The line of each judgment, 0 where there was no text."""
    def document(self, judgment: int, /) -> bytes: ...
    def documents(self, query: int, /) -> list[bytes]: ...
    def only(self, query: int, /) -> Judgments:
        """The judgments of one query, without the counts of lines."""
    def __getstate__(self, /) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...
    @property
    def duplicates(self) -> list[tuple[int, bytes, int, int]]:
        """Under ``duplicates="keep"`` each repeat: query, document, its first line, this line; in file order."""
    @property
    def dropped(self) -> int:
        """Judgments that gave way to another of the same document."""
    @property
    def blank(self) -> int:
        """Judgments whose query or document is blank text."""
    @property
    def commented(self) -> int:
        """Comments with as many fields as the lines of data, which may be data."""
    @property
    def malformed(self) -> int: ...
    @property
    def malformed_lines(self) -> list[tuple[int, str]]:
        """The first 20 lines skipped by ``lenient``, and why."""
    @property
    def line_count(self) -> int: ...

class _Spill(Protocol):
    def append(self, rows: memoryview, /) -> int: ...
    def fill(self, place: int, room: memoryview, /) -> object: ...

class Frame:
    """A data frame's columns, read in place: takes all batches of an ``arrow_array_stream`` capsule.

    FrameError is raised for a stream that fails or is not a frame, and by every function that reads a column whose
    memory is missing. Arrow states the size of the memory of views, but not of other text: offsets must not decrease,
    and the last one is trusted.
    """

    def __init__(self, stream: object) -> None: ...
    @property
    def fields(self) -> list[tuple[str, str, str]]:
        """Per column its name, what it holds (text, whole, number, other) and Arrow's format of that."""
    @property
    def rows(self) -> int: ...
    @property
    def written_out(self) -> int:
        """The bytes of all text, each row's written out: a dictionary or views hold a text once for many rows."""

class Matched:
    """A run reduced to its judged rows, query by query in the order of the judgments."""

    @property
    def length(self) -> NDArray[np.int64]:
        """Documents retrieved for each query, -1 for a query that the run does not mention."""
    @property
    def judged(self) -> NDArray[np.int64]:
        """Judged documents retrieved for each query, with or without a row."""
    @property
    def first_tie(self) -> NDArray[np.int64]:
        """The first rank that a judged document of each query shares with another document, or 0."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Rows offsets[q] to offsets[q + 1] belong to query q, in rank order."""
    @property
    def rank(self) -> NDArray[np.int64]:
        """From 1."""
    @property
    def tie_first(self) -> NDArray[np.int64]:
        """The rank of the first document with the same score. Among NaN scores, the rank itself."""
    @property
    def tie_last(self) -> NDArray[np.int64]: ...
    @property
    def judgment(self) -> NDArray[np.int64]:
        """Index into the judgments' grades; of a document judged twice, its first judgment."""
    @property
    def scores(self) -> NDArray[np.float64]:
        """If asked for: the scores of all documents retrieved, as compared, query by query, from the highest down."""
    @property
    def signs(self) -> NDArray[np.int64]:
        """For each query, the sum of the signs of its list.

        1: several documents, all of one score. 2: the scores rise from line to line. 4: the scores are 1, 2, 3 …, or
        0, 1, 2 …, or shares of such, in an order that does not fall. 8: several documents have the score 0, below one
        document or several that have different positive scores.
        """
    @property
    def infinite(self) -> int:
        """Infinite scores in the lists of judged queries."""
    @property
    def accord(self) -> tuple[int, int]:
        """Of some pairs of documents, how many the rank column orders as the score does, and how many it does not."""
    @property
    def respelled_count(self) -> int:
        """Of about a thousand relevant documents that were not retrieved, how many were in another spelling."""
    @property
    def respelled(self) -> list[tuple[int, bytes, bytes]]:
        """The first of them: the number of the query, the judged document, and the one retrieved."""
    @property
    def affixed(self) -> list[tuple[int, bytes, bytes]]:
        """Relevant documents and unjudged ones, one of whose ids has all words of the other, in a few queries."""
    @property
    def beyond_ascii(self) -> bool:
        """Whether ids beyond ASCII, with blanks or with ``%``, are among these and the first retrieved documents."""
    @property
    def extra(self) -> list[bytes]:
        """Queries of the run without judgments, in byte order."""
    @property
    def duplicates(self) -> list[tuple[int, bytes, int, int, int, int]]:
        """Under ``duplicates="keep"`` each repeat in a judged query, in file order.

        Query, document, line of its first occurrence, this line, rank of its first occurrence, this rank.
        """
    @property
    def dropped(self) -> int:
        """Documents that gave way to another of the same id."""
    @property
    def relevant_only(self) -> bool:
        """Whether documents with a grade of 0 or less have no rows."""
    @property
    def unordered(self) -> int:
        """Judged queries whose lines are not in descending order of score."""
    @property
    def line_count(self) -> int: ...
    @property
    def commented(self) -> int:
        """Comments with as many fields as the lines of data, which may be data."""
    @property
    def malformed(self) -> int: ...
    @property
    def malformed_lines(self) -> list[tuple[int, str]]: ...
    @property
    def tag(self) -> bytes:
        """The sixth field of the last line of data."""

def read_judgments(
    source: _Source,
    *,
    columns: int = 4,
    numbers: str = "strict",
    comments: str = "any",
    blank_lines: str = "skip",
    duplicates: str = "keep",
    lenient: bool = False,
    loose: bool = False,
) -> Judgments:
    """Read lines of exactly ``columns`` fields: query first, grade last, document before it."""

def judgments_from_mapping(qrels: Mapping[Any, Mapping[Any, float]], *, whole_ids: bool = True) -> Judgments:
    """Take ``{query: {document: grade}}``; a query without documents is kept.

    Ids are text or, with ``whole_ids``, whole numbers, which are their decimal text. Only dicts.

    Raises:
        MappingError: an id that is neither, a grade that is not a finite number.
    """

def judgments_from_rows(
    queries: list[bytes],
    documents: list[bytes],
    grades: NDArray[np.float64],
    lines: NDArray[np.int64] | None = None,
    duplicates: str = "keep",
) -> Judgments:
    """Take one judgment a row."""

def read_rows(
    source: _Source,
    *,
    columns: int,
    numbers: str = "c",
    number: str = "level",
    comments: str = "any",
    blank_lines: str = "skip",
    lenient: bool = False,
    loose: bool = False,
) -> tuple[list[list[bytes]], NDArray[np.float64], NDArray[np.int64]]:
    """Read a rare format: a list for each column but the last, the last as numbers, and the line of each row.

    ``number`` says whether the last column is read like a score (``"level"``) or like a grade (``"grade"``).
    """

class Seen:
    """How many lines have something; the number of the first one, 0 without one, and its first 60 bytes."""

    @property
    def count(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def excerpt(self) -> str: ...

class Survey:
    """Counts of one pass over a text, with the first line of each kind.

    A row is a line with data, whatever its columns; a usable row has as many as it needs. Queries, ranks, scores and
    tags are those of usable rows; ranks to ``spellings`` are a run's only.
    """

    @property
    def lines(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def usable(self) -> int: ...
    @property
    def marked(self) -> bool:
        """Whether the text begins with a byte-order mark."""

    @property
    def closed(self) -> bool:
        """Whether the last line has a newline."""

    @property
    def widths(self) -> dict[int, Seen]:
        """Rows by their number of fields."""

    @property
    def returns(self) -> Seen:
        """Rows that end with CR LF."""

    @property
    def bare_returns(self) -> int:
        """CR anywhere else."""

    @property
    def padded(self) -> Seen:
        """Rows with more blanks than one between fields, or with blanks around them."""

    @property
    def tabs(self) -> int: ...
    @property
    def spaces(self) -> int: ...
    @property
    def comments(self) -> int: ...
    @property
    def blank(self) -> int: ...
    @property
    def nul(self) -> Seen:
        """Rows with a byte 0."""

    @property
    def undecodable(self) -> Seen:
        """Rows that are not UTF-8."""

    @property
    def invisible(self) -> Seen:
        """Rows with invisible characters."""

    @property
    def first(self) -> list[bytes]:
        """The fields of the first row."""

    @property
    def example(self) -> list[bytes]:
        """The fields of the first usable row."""

    @property
    def last(self) -> list[bytes]:
        """The fields of the last row."""

    @property
    def last_line(self) -> int: ...
    @property
    def query_count(self) -> int: ...
    @property
    def queries(self) -> dict[bytes, int]:
        """Every query with its first line."""

    @property
    def similar_queries(self) -> bool:
        """Whether two queries may be one in two spellings."""

    def strangers(self, judgments: Judgments) -> tuple[list[bytes], list[bytes]]:
        """Judged queries that the text lacks, and its queries without judgments."""

    @property
    def groups(self) -> int:
        """How often the query changes from row to row."""

    @property
    def shortest_group(self) -> int:
        """Rows of one query in succession, the last group apart."""

    @property
    def longest_group(self) -> int: ...
    @property
    def last_group(self) -> int: ...
    @property
    def nan(self) -> Seen: ...
    @property
    def infinite(self) -> Seen: ...
    @property
    def rank_falls(self) -> Seen:
        """Rows whose rank is not above that of the row before, in the same query."""

    @property
    def rank_odd(self) -> Seen:
        """Ranks that are not whole numbers of at most eight digits."""

    @property
    def low_rank(self) -> int: ...
    @property
    def high_rank(self) -> int: ...
    @property
    def own(self) -> Seen:
        """Rows whose document has the query's id."""

    @property
    def own_first(self) -> int:
        """How many of them are first in their list."""

    @property
    def own_queries(self) -> int: ...
    @property
    def rises(self) -> int:
        """How often the score rises from one row to the next of the same query."""

    @property
    def falls(self) -> int: ...
    @property
    def blurred(self) -> int:
        """How often it changes by less than single precision can represent."""

    @property
    def tags(self) -> dict[bytes, int]:
        """The first 1,000 tags, each with its first line."""

    def spellings(self, judgments: Judgments) -> list[tuple[bytes, bytes, int]]:
        """Judged documents that the run may have in another spelling only, that spelling and its first line."""

def survey(source: _Source, kind: str, judgments: Judgments | None = None, *, block_bytes: int = 0) -> Survey:
    """Survey ``"qrels"`` or a ``"run"``; with judgments also how the run writes their documents."""

def changed_run(source: _Source, change: str) -> bytes:
    """The usable rows of a run, with scores ``"negated"``, ordered ``"by-rank"``, or ``"without-own"`` documents."""

def lines_of(source: _Source, queries: list[bytes]) -> list[bytes]:
    """The lines of a run for each query, which is given once."""

def match_text(
    judgments: Judgments,
    source: _Source,
    *,
    ties: str = "trec",
    float32: bool = False,
    duplicates: str = "keep",
    numbers: str = "strict",
    comments: str = "any",
    blank_lines: str = "skip",
    lenient: bool = False,
    loose: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
    block_bytes: int = 0,
    scores: bool = False,
    relevant_only: bool = False,
    spill: _Spill | None = None,
    memory: int | None = None,
) -> Matched:
    """Rank a run's documents by score and find the judged ones.

    ``ties``: document id descending by unsigned bytes (``"trec"``) or ascending, order of the file (``"input"``),
    or the integer of the fourth column ascending (``"rank-column"``). NaN scores, read under ``numbers="c"``, are
    placed where trec_eval places them. ``block_bytes`` sets how much is read at once (0: the kernel chooses).
    ``scores`` asks for every score, 8 bytes a document. With ``relevant_only``, documents with a grade of 0 or less are
    only counted.

    If the lines of a query are not contiguous, every line is kept; with a ``spill``, an object with
    ``append(memoryview) -> place`` and ``fill(place, memoryview)``, beyond about ``memory`` bytes it goes there. Both
    are called from any thread, one at a time.
    """

def rankings(
    source: _Source,
    queries: list[bytes],
    depth: int | None = None,
    *,
    ties: str = "trec",
    float32: bool = False,
    duplicates: str = "keep",
    numbers: str = "strict",
    comments: str = "any",
    blank_lines: str = "skip",
    lenient: bool = False,
    loose: bool = False,
) -> list[tuple[list[bytes], NDArray[np.float64]]]:
    """The documents that a run has for each query, in the order in which match_text ranks, and the scores compared.

    All, or the first ``depth``. The source is read once; each query is given once.
    """

class Pool:
    """Judgments, and behind each query's own the documents of runs that it lacks, in the order of their lines."""

    def __init__(self, judgments: Judgments, grade: float) -> None:
        """``grade`` is that of the documents added."""
    def take(self, source: _Source, *, lenient: bool = False, loose: bool = False) -> None:
        """Add the documents that a run has for judged queries."""
    def take_rows(self, queries: list[bytes], documents: list[bytes]) -> None:
        """Add the documents of judged queries, one a row."""
    def finish(self) -> Judgments:
        """To be called once."""

class FusionRecipe:
    """What a fusion computes, as carob.fusion completed it."""

    def __init__(
        self,
        *,
        method: str,
        norm: str,
        parameters: dict[str, float],
        absent: str,
        summation: str,
        by_position: bool,
        from_one: bool,
        equal: float,
        sample: bool,
        floor: float,
        weights: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        depth: int,
        ties: str,
        float32: bool,
        ascending: bool,
        checked: bool,
        tag: bytes,
    ) -> None:
        """``norm`` is not read for methods by rank.

        ``equal``: the points of equal scores, NaN for the sign of the score. ``floor`` and the bounds ``low`` and
        ``high`` of each run: NaN for none. ``depth``: 0 for all documents. ``ties`` and ``float32`` are about the
        lists, ``ascending`` about documents with equal fused scores. ``checked``: the caller has looked for negative
        scores, of which the kernel would make nothing where they are divided by the highest one.
        """

class RunsByQuery:
    """The lists of several runs. Where one of them cannot be fused here, the methods say so and nothing is wrong."""

    @property
    def queries(self) -> list[bytes]:
        """The queries of all runs, in byte order."""
    @property
    def query_count(self) -> int: ...
    @property
    def lacking(self) -> list[tuple[int, bytes]]:
        """For each run, how many of these it lacks, and the first of them."""
    def write(self, recipe: FusionRecipe, file: int, *, threads: int = 1) -> list[int] | None:
        """Write the fused lists to the start of an open file. None, after a part was written, if some list is odd.

        Returns for each run how many of its lists have three documents or more, all of one score.

        Raises:
            OSError: the file cannot be written.
            IdError: an id that no line of a run can hold.
        """
    def text(self, recipe: FusionRecipe, *, threads: int = 1) -> tuple[bytes, list[int]] | None:
        """The same text in memory and these numbers, or None."""
    def match(
        self,
        recipe: FusionRecipe,
        judgments: Judgments,
        *,
        ties: str = "trec",
        float32: bool = False,
        duplicates: str = "keep",
        scores: bool = False,
        relevant_only: bool = False,
        threads: int = 1,
    ) -> Matched | None:
        """The fused lists reduced to judged rows, as match_text does it with the text; or None."""
    def match_weights(
        self,
        recipe: FusionRecipe,
        weights: NDArray[np.float64],
        judgments: Judgments,
        *,
        ties: str = "trec",
        relevant_only: bool = False,
        threads: int = 1,
    ) -> list[Matched] | None:
        """The same of several weights of the runs, and behind them of each run alone, or None.

        The rows of fused lists are those of ``match`` where the ties are the same in the lists and in the match, but
        nothing is noticed in these lists.
        """
    def explain(
        self, recipe: FusionRecipe, query: int, document: bytes
    ) -> tuple[int, float, list[tuple[int, float, float]]] | None:
        """The rank and score of a document, 0 if no run has it, and its rank, score and points in each list, or None.

        The rank is 0 in a list that lacks the document, and the points are NaN if the list does not count for it.
        """

class PlainRuns(RunsByQuery):
    """Runs in files that have, without any exception, lines of six fields with single blanks, query after query.

    The files must not change.
    """

    @staticmethod
    def of(files: list[str], *, threads: int = 1) -> PlainRuns | None:
        """Find the lines of each query; None if the files are not plain, or no two have a query in common.

        Raises:
            OSError: a file cannot be read.
        """

class PooledRuns(RunsByQuery):
    """Runs in memory, whose lists run from the best document down. Only numbers that are too large cannot be fused."""

    def __init__(
        self,
        judgments: Judgments,
        offsets: list[NDArray[np.int64]],
        documents: list[NDArray[np.int64]],
        scores: list[NDArray[np.float64]],
    ) -> None:
        """The documents are numbers of judgments, which are those of all runs. The arrays must not change.

        Raises:
            ValueError: offsets or documents that do not fit the judgments, or scores that are not finite.
        """

def match_mapping(
    judgments: Judgments,
    run: Mapping[Any, Mapping[Any, float]],
    *,
    ties: str = "trec",
    float32: bool = False,
    scores: bool = False,
    relevant_only: bool = False,
    whole_ids: bool = True,
) -> Matched:
    """Rank ``{query: {document: score}}``, with ids as ``judgments_from_mapping`` takes them. Only dicts.

    Raises:
        MappingError: an invalid id, or a score that is NaN or not a number.
    """

def judgments_from_frame(
    frame: Frame,
    *,
    query: int,
    document: int,
    grade: int | None = None,
    constant: float = 1.0,
    duplicates: str = "keep",
) -> Judgments:
    """Judgments from columns by number; lines are rows from 1. Raises RowError for the first unfit row.

    Without a column of grades every grade is ``constant``.
    """

def match_frame(
    judgments: Judgments,
    frame: Frame,
    *,
    query: int,
    document: int,
    score: int | None = None,
    rank: int | None = None,
    ties: str = "trec",
    float32: bool = False,
    duplicates: str = "keep",
    threads: int = 1,
    scores: bool = False,
    relevant_only: bool = False,
) -> Matched:
    """As match_text, from columns by number; without a score the lowest rank comes first. Raises RowError."""

class FrameMatcher:
    """As match_frame, for rows that come in one frame after another; rows are counted over all of them.

    A query is reduced once a frame is taken that does not end within it. With ``gathered`` rows are kept until the
    end, as match_text keeps them. An object that raised an error cannot be used further.
    """

    def __init__(
        self,
        judgments: Judgments,
        *,
        query: int,
        document: int,
        score: int | None = None,
        rank: int | None = None,
        ties: str = "trec",
        float32: bool = False,
        duplicates: str = "keep",
        threads: int = 1,
        scores: bool = False,
        relevant_only: bool = False,
        gathered: bool = False,
        spill: _Spill | None = None,
        memory: int | None = None,
    ) -> None: ...
    def take(self, frame: Frame) -> bool:
        """False when a query came back that was reduced already: begin again, gathered. Raises RowError."""
    def finish(self) -> Matched:
        """To be called once."""

def rows_of_frame(
    frame: Frame,
    wanted: list[bytes] | None = None,
    *,
    query: int,
    document: int,
    score: int | None = None,
    rank: int | None = None,
    constant: float = 1.0,
) -> tuple[list[bytes], list[bytes], list[float]]:
    """Query, document and score (or minus the rank, or else ``constant``) of each row; all queries or the wanted."""

def ranked_in_frame(
    frame: Frame,
    wanted: bytes,
    *,
    query: int,
    document: int,
    score: int | None = None,
    rank: int | None = None,
    ties: str = "trec",
    float32: bool = False,
    duplicates: str = "keep",
) -> tuple[list[bytes], NDArray[np.float64]]:
    """As rankings of one query, from columns by number."""

class RankedLists:
    """Ranked lists of some queries, each from the best document down."""

    def __init__(
        self,
        queries: list[bytes],
        offsets: NDArray[np.int64],
        documents: list[bytes],
        scores: NDArray[np.float64],
    ) -> None: ...
    @property
    def queries(self) -> list[bytes]: ...
    @property
    def joined_queries(self) -> tuple[bytes, NDArray[np.int64]]:
        """All queries in one piece; query q is bytes offsets[q] to offsets[q + 1]."""
    @property
    def joined_documents(self) -> tuple[bytes, NDArray[np.int64]]: ...
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Documents offsets[q] to offsets[q + 1] belong to query q."""
    @property
    def scores(self) -> NDArray[np.float64]: ...
    @property
    def has_blanks(self) -> bool:
        """Whether an id contains a blank."""
    def text(self, layout: str, tag: bytes = b"", *, tabs: bool = False) -> bytes:
        """The lists as ``"trec"``, ``"msmarco"``, ``"csv"``, ``"tsv"``, ``"jsonl"`` or ``"json"``, from rank 1.

        Without the header of a table, and without the braces around all queries in JSON. Scores are the shortest
        decimals that read back as the same. Raises IdError.
        """

class ListMaker:
    """Makes ranked lists of rows: filtered, without repeats, ranked and cut, for each part of a run.

    The rows of a query in a part are together unless ``gathered``. The number of a part and its lists are handed to
    ``emit``, some queries at a time. The methods return False when a query came back whose list was made already: begin
    again, gathered. What raised an error cannot go on. IdError is raised for a document that is listed twice, if
    ``duplicates`` is ``"keep"``.
    """

    def __init__(
        self,
        emit: Callable[[int, RankedLists], object],
        *,
        ties: str = "trec",
        float32: bool = False,
        duplicates: str = "keep",
        depth: int = 0,
        judged: Judgments | None = None,
        parts: list[tuple[list[bytes] | None, bytes | None]] | None = None,
        gathered: bool = False,
    ) -> None:
        """``depth`` 0 keeps all documents, ``judged`` judged ones only.

        ``parts`` has the queries of each part, or None for all, and the tag of its lines, or None for all. Several
        parts have no query in common, or a tag each. By default, one part has all rows.
        """
    def take_text(self, source: _Source, *, lenient: bool = False, loose: bool = False) -> bool: ...
    def take_frame(
        self, frame: Frame, *, query: int, document: int, score: int | None = None, rank: int | None = None
    ) -> bool:
        """As match_frame reads it. Raises RowError."""
    def take_rows(
        self, queries: list[bytes], documents: list[bytes], scores: NDArray[np.float64]
    ) -> bool: ...
    def finish(self) -> bool:
        """To be called once, at the end."""
    @property
    def rows(self) -> int:
        """Rows read, with a tag of a part if parts have tags."""
    @property
    def malformed(self) -> int:
        """Lines skipped by ``lenient``."""
    @property
    def repeats(self) -> list[int]:
        """Documents of each part that gave way to another of the same id."""
    @property
    def below_depth(self) -> list[int]: ...
    @property
    def cut_ties(self) -> list[int]:
        """Queries of each part whose list is cut between documents of equal scores."""
    @property
    def unjudged(self) -> list[int]: ...

def parquet_damage(file: Buffer) -> str | None:
    """What contradicts itself in the footer or the pages' headers of a Parquet file; None if nothing does."""

def json_sizes(lines: Buffer) -> tuple[int, int]:
    """The most objects and lists open at once on any line of JSON, and the digits of its longest whole number."""

class PlainJson:
    """Makes lines of TREC text of a run in plain JSON, block by block. Threads must not share one."""

    def __init__(self, form: str, names: list[bytes], others: list[bytes] = []) -> None:
        """``form`` is ``lines``, a ``list`` of rows, or an ``object`` ``{query: {document: score}}``.

        ``names`` are those of a row's query, document and score, and maybe rank, ``others`` those that the rows of a
        list may have as well. They do not matter to an object.
        """
    def take(self, text: Buffer) -> bytes | None:
        """The lines of the whole rows in the next bytes; none at all end the text.

        None if the text is not plain, after which nothing may be taken: an id with an escape, with a blank at its end
        or without letters, a list without documents, a key twice, a number that a double may not hold, or no run.
        """

def total(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of each segment, strictly from left to right; 0 for an empty one."""

def count(marks: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The number of marked places of each segment."""

def best(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest value of each segment; 0 for an empty one."""

def running_sum(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum up to and with each value of its segment; 0 outside every segment."""

def running_product(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The product up to and with each value of its segment."""

def running_max(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The largest value up to and with each value of its segment."""

def descending(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of the values, each segment from its highest down and NaN last; equal values keep their order.

    The offsets cover all values.
    """

def arranged(
    grade: NDArray[np.float64],
    tie_first: NDArray[np.float64],
    tie_last: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *,
    best: bool,
    of_zero: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The best or the worst order of each tie: the rank and the grade of each row then, and its place before.

    Rows of one list with the same ``tie_first`` are one tie. Grades above 0 have the first ranks of a tie in its best
    order and its last ones in its worst, the greatest grade outermost, and the others have its other end. Equal grades
    keep their order. Grade 0 is ordered as ``of_zero``. The offsets cover all rows.
    """

def leans(
    grade: NDArray[np.float64],
    tie_first: NDArray[np.float64],
    tie_last: NDArray[np.float64],
    offsets: NDArray[np.int64],
    until: NDArray[np.float64],
) -> tuple[NDArray[np.float64], int, int, float, float]:
    """By how many standard deviations relevant documents are nearer to each list's end than chance puts them.

    Only the first ``until`` documents of a list count, and tied documents share their mean place. A list whose grades
    do not tell orders apart has NaN. With these: how many lists have a number, how many have one above 0, their sum,
    and the sum of the squares of those above 0. The offsets cover all rows.
    """

def relevant_first(grade: NDArray[np.float64], rank: NDArray[np.float64], offsets: NDArray[np.int64]) -> bool:
    """Whether the relevant documents of each list have the ranks 1, 2, 3 … The offsets cover all rows."""

def extremes(
    grade: NDArray[np.float64],
    tie_first: NDArray[np.float64],
    tie_last: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *,
    of_zero: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The lists with ties, each arranged once from the worst and once from the best, in the orders of ``arranged``.

    Returns the rank, the grade and the place before of each row, the offsets of the lists, and the numbers of the lists
    before. All lists in their worst order come before all in their best.
    """
