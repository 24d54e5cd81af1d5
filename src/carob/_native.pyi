# ruff: noqa: PYI021  -- the module is compiled, so this is where its docstrings are read.
"""The kernel, which converts text, mappings and frames to judged rows. It knows no measures and keeps no state.

A source of text is the path of a plain file (``str``), its content (``bytes`` or any buffer), or an object with
``readinto(memoryview) -> int`` (0 at the end) and ``rewind()``, which may be called from any thread, but only by one at
a time. If ``is_slow`` of the object is true, match_text with several threads reads it in a separate thread. If the
object has ``interrupt()``, this method is called on Ctrl-C while another thread reads, and ``readinto`` should then
raise an exception instead of waiting. Whitespace is what C's ``isspace`` accepts, only a newline ends a line, ids are
opaque bytes, and a UTF-8 mark at the start is skipped.

``numbers="strict"`` accepts only tokens that are complete decimal numbers (scores may also be ``inf``); ``"c"`` reads
scores as C's ``strtod`` does and grades as ``atol`` does. ``comments`` are lines whose first non-blank byte is ``#``
(``"any"``) or whose very first byte is ``#`` (``"first-byte"``); with ``"none"``, no line is a comment. With
``lenient``, malformed lines are skipped and counted; otherwise, the earliest malformed line raises LineError, whatever
the number of threads. OSError is raised for a file that cannot be read.

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
    """columns, number, nan, wide (a whole number that a double cannot represent), rank, blank, nul (the line contains a
    NUL byte), too-long (a line of more than a mebibyte), utf-16 or compressed."""
    line: int
    """The number of the line, counting all lines from 1."""
    data_line: int
    """The number of the line, counted from 1 without blank lines and comments."""
    detail: bytes
    """The number of columns, or the token that is not a number."""
    excerpt: bytes
    """The line's first 80 bytes."""

class MappingError(TypeError):
    """An unusable value in a nested dict."""

    kind: str
    """nan, number, infinite (a grade), wide (a whole number that a double cannot represent), query or document (an id
    that is neither text nor a whole number), surrogates (an id contains surrogates that do not stand for bytes), twice
    (an id occurs as text and as a whole number), mapping (a value is not a dict but should be), or changed (the dict
    changed while it was read)."""
    query: object
    document: object
    detail: str

class FrameError(ValueError):
    """A frame that cannot be read at all."""

class RowError(ValueError):
    """A row of a frame that cannot be used."""

    kind: str
    """row (null as a whole), null, nan, infinite, wide (a whole number that a double cannot represent), rank (not a
    whole number), index (outside its dictionary) or offsets (text outside its memory)."""
    column: str
    row: int
    """The number of the row, counted from 0."""
    query: bytes
    document: bytes

class IdError(ValueError):
    """An id that stops the writing of a run."""

    kind: str
    """twice (a document is listed twice for a query) or odd (the id cannot be written in the lines of a format)."""
    query: bytes
    document: bytes

class Progress:
    """The progress of match_text, to be read from another thread."""

    @property
    def bytes(self) -> int: ...

class Judgments:
    """Immutable relevance judgments: queries in byte order, with each query's documents in file order."""

    @property
    def queries(self) -> list[bytes]:
        """The ids of the queries. The list is created once and must not be changed."""
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
        """The line of each judgment; 0 if the judgments were not read from text."""
    def document(self, judgment: int, /) -> bytes: ...
    def documents(self, query: int, /) -> list[bytes]: ...
    def only(self, query: int, /) -> Judgments:
        """Return the judgments of one query, without the counts of lines."""
    def __getstate__(self, /) -> tuple[Any, ...]: ...
    def __setstate__(self, state: tuple[Any, ...], /) -> None: ...
    @property
    def duplicates(self) -> list[tuple[int, bytes, int, int]]:
        """With ``duplicates="keep"``, each repeat in file order: query, document, its first line, and this line."""
    @property
    def dropped(self) -> int:
        """The number of judgments that were replaced by another judgment of the same document."""
    @property
    def blank(self) -> int:
        """The number of judgments whose query or document is blank text."""
    @property
    def commented(self) -> int:
        """Comments with as many fields as the lines of data, which may be data."""
    @property
    def malformed(self) -> int: ...
    @property
    def malformed_lines(self) -> list[tuple[int, str]]:
        """The first 20 lines that ``lenient`` skipped, each with the reason."""
    @property
    def line_count(self) -> int: ...

class _Spill(Protocol):
    def append(self, rows: memoryview, /) -> int: ...
    def fill(self, place: int, room: memoryview, /) -> object: ...

class Frame:
    """The columns of a data frame, read in place from all batches of an ``arrow_array_stream`` capsule.

    FrameError is raised for a stream that fails or is not a frame, and by every function that reads a column whose
    memory is missing. Arrow states the size of the memory for views, but not for other text. There, offsets must not
    decrease, and the last offset is trusted.
    """

    def __init__(self, stream: object) -> None: ...
    @property
    def fields(self) -> list[tuple[str, str, str]]:
        """For each column, its name, the kind of its values (text, whole, number, other), and their Arrow format."""
    @property
    def rows(self) -> int: ...
    @property
    def written_out(self) -> int:
        """The size of all text in bytes if every row's text is written out; a dictionary or views store it once."""

class Matched:
    """A run reduced to its judged rows, query by query in the order of the judgments."""

    @property
    def length(self) -> NDArray[np.int64]:
        """The number of documents retrieved for each query; -1 for a query that is not in the run."""
    @property
    def judged(self) -> NDArray[np.int64]:
        """The number of judged documents retrieved for each query, with or without a row."""
    @property
    def first_tie(self) -> NDArray[np.int64]:
        """The first rank that a judged document of each query shares with another document, or 0."""
    @property
    def offsets(self) -> NDArray[np.int64]:
        """Rows offsets[q] to offsets[q + 1] belong to query q, in rank order."""
    @property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each row's document, from 1."""
    @property
    def tie_first(self) -> NDArray[np.int64]:
        """The rank of the first document with the same score; for a NaN score, the rank itself."""
    @property
    def tie_last(self) -> NDArray[np.int64]: ...
    @property
    def judgment(self) -> NDArray[np.int64]:
        """The index of each row's judgment; for a document judged twice, that of its first judgment."""
    @property
    def scores(self) -> NDArray[np.float64]:
        """If requested, the scores of all retrieved documents, as compared, query by query from the highest down."""
    @property
    def signs(self) -> NDArray[np.int64]:
        """For each query, the sum of the codes of the signs found in its list.

        1: several documents, all with the same score. 2: the scores rise from line to line. 4: the scores are 1, 2, 3
        …, or 0, 1, 2 …, or fractions of such numbers, and are not in descending order. 8: several documents have the
        score 0, below one or more documents with different positive scores.
        """
    @property
    def infinite(self) -> int:
        """The number of infinite scores in the lists of judged queries."""
    @property
    def accord(self) -> tuple[int, int]:
        """For some pairs of documents, how many the rank column orders as the score does, and how many it does not."""
    @property
    def respelled_count(self) -> int:
        """How many of about a thousand relevant documents that were not retrieved occur in another spelling."""
    @property
    def respelled(self) -> list[tuple[int, bytes, bytes]]:
        """The first respelled documents: the number of the query, the judged id, and the retrieved id."""
    @property
    def affixed(self) -> list[tuple[int, bytes, bytes]]:
        """Pairs of relevant and unjudged documents where one id contains all words of the other, in a few queries."""
    @property
    def beyond_ascii(self) -> bool:
        """Whether any of these or of the first retrieved ids contains non-ASCII characters, blanks or ``%``."""
    @property
    def extra(self) -> list[bytes]:
        """The queries of the run that have no judgments, in byte order."""
    @property
    def duplicates(self) -> list[tuple[int, bytes, int, int, int, int]]:
        """With ``duplicates="keep"``, each repeat in a judged query, in file order.

        An entry contains the query, the document, the line of its first occurrence, this line, the rank of its first
        occurrence, and this rank.
        """
    @property
    def dropped(self) -> int:
        """The number of documents that were replaced by another document with the same id."""
    @property
    def relevant_only(self) -> bool:
        """Whether documents with a grade of 0 or less have no rows."""
    @property
    def unordered(self) -> int:
        """The number of judged queries whose lines are not in descending order of score."""
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
    """Read lines of exactly ``columns`` fields, with the query first, the document last but one, and the grade last."""

def judgments_from_mapping(qrels: Mapping[Any, Mapping[Any, float]], *, whole_ids: bool = True) -> Judgments:
    """Convert ``{query: {document: grade}}`` to judgments; a query without documents is kept.

    Ids are text or, with ``whole_ids``, whole numbers, which are converted to decimal text. Only dicts are accepted.

    Raises:
        MappingError: an id has another type, or a grade is not a finite number.
    """

def judgments_from_rows(
    queries: list[bytes],
    documents: list[bytes],
    grades: NDArray[np.float64],
    lines: NDArray[np.int64] | None = None,
    duplicates: str = "keep",
) -> Judgments:
    """Convert rows to judgments, one for each row."""

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
    """Read a rare format, and return a list for each column but the last, the last as numbers, and each row's line.

    ``number`` sets whether the last column is read like a score (``"level"``) or like a grade (``"grade"``).
    """

class Seen:
    """The number of lines with a property, and the number (0 if none) and the first 60 bytes of the first such line."""

    @property
    def count(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def excerpt(self) -> str: ...

class Survey:
    """The counts from one pass over a text, with the first line of each kind.

    A row is a line with data, whatever its number of columns; a usable row has the required number of columns. Queries,
    ranks, scores and tags are taken from usable rows. The attributes from the ranks to ``spellings`` apply only to
    runs.
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
        """The number of CR characters anywhere else."""

    @property
    def padded(self) -> Seen:
        """Rows with more than one blank between fields, or with blanks at the start or the end."""

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
        """Rows that contain a NUL byte."""

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
        """Return judged queries that are missing from the text, and queries of the text without judgments."""

    @property
    def groups(self) -> int:
        """How often the query changes from row to row."""

    @property
    def shortest_group(self) -> int:
        """The length of the shortest group of consecutive rows of one query, not counting the last group."""

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
        """Rows whose rank is not greater than that of the previous row of the same query."""

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
        """How many of these documents are first in their list."""

    @property
    def own_queries(self) -> int: ...
    @property
    def rises(self) -> int:
        """How often the score rises from one row to the next of the same query."""

    @property
    def falls(self) -> int: ...
    @property
    def blurred(self) -> int:
        """How often the score changes by less than single precision can represent."""

    @property
    def tags(self) -> dict[bytes, int]:
        """The first 1,000 tags, each with its first line."""

    def spellings(self, judgments: Judgments) -> list[tuple[bytes, bytes, int]]:
        """Return judged documents that the run may have only in another spelling, the spelling and its first line."""

def survey(source: _Source, kind: str, judgments: Judgments | None = None, *, block_bytes: int = 0) -> Survey:
    """Survey ``"qrels"`` or a ``"run"``; with judgments, also check how the run spells their documents."""

def changed_run(source: _Source, change: str) -> bytes:
    """Return a run's usable rows, with scores ``"negated"``, ordered ``"by-rank"``, or ``"without-own"`` documents."""

def lines_of(source: _Source, queries: list[bytes]) -> list[bytes]:
    """Return the lines of a run for each query; each query must be given only once."""

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

    ``ties`` orders tied documents by descending id compared as unsigned bytes (``"trec"``), by ascending id
    (``"ascending"``), in file order (``"input"``), or by the ascending integer in the fourth column
    (``"rank-column"``). NaN scores, read with ``numbers="c"``, are placed where trec_eval places them. ``block_bytes``
    sets how much is read at a time (0: the kernel chooses). ``scores`` requests every score, at 8 bytes per document.
    With ``relevant_only``, documents with a grade of 0 or less are only counted.

    If the lines of a query are not contiguous, every line is kept in memory. With a ``spill``, which is an object with
    ``append(memoryview) -> place`` and ``fill(place, memoryview)``, lines beyond about ``memory`` bytes go there. Both
    methods are called from any thread, but only by one at a time.
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
    """Return the documents of a run for each query, in the order in which match_text ranks, with their scores.

    All documents are returned, or the first ``depth``. Scores are as compared. The source is read once; each query must
    be given only once.
    """

class Pool:
    """Judgments followed, for each query, by the unjudged documents of runs in the order of their lines."""

    def __init__(self, judgments: Judgments, grade: float) -> None:
        """``grade`` is the grade of the added documents."""
    def take(self, source: _Source, *, lenient: bool = False, loose: bool = False) -> None:
        """Add the documents of a run for judged queries."""
    def take_rows(self, queries: list[bytes], documents: list[bytes]) -> None:
        """Add the documents of judged queries, one per row."""
    def finish(self) -> Judgments:
        """To be called once."""

class FusionRecipe:
    """The parameters of a fusion, as completed by carob.fusion."""

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
        """``norm`` is ignored for methods by rank.

        ``equal`` is the points of equal scores, or NaN for the sign of the score. ``floor`` and the bounds ``low`` and
        ``high`` of each run are NaN for none. A ``depth`` of 0 keeps all documents. ``ties`` and ``float32`` apply to
        the lists, ``ascending`` to documents with equal fused scores. ``checked`` means that the caller has already
        checked for negative scores, which the kernel would otherwise reject if they are divided by the highest score.
        """

class RunsByQuery:
    """The lists of several runs. If a list cannot be fused here, methods return None, which is not an error."""

    @property
    def queries(self) -> list[bytes]:
        """The queries of all runs, in byte order."""
    @property
    def query_count(self) -> int: ...
    @property
    def lacking(self) -> list[tuple[int, bytes]]:
        """For each run, how many of these queries are missing from it, and the first missing query."""
    def write(self, recipe: FusionRecipe, file: int, *, threads: int = 1) -> list[int] | None:
        """Write the fused lists to the start of an open file. May return None after a part was written.

        Returns for each run how many of its lists have three documents or more, all with the same score.

        Raises:
            OSError: the file cannot be written.
            IdError: an id cannot be written in a line of a run.
        """
    def text(self, recipe: FusionRecipe, *, threads: int = 1) -> tuple[bytes, list[int]] | None:
        """Return the text that ``write`` writes and the numbers that it returns, or None."""
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
        """Reduce the fused lists to judged rows, as match_text does with their text; or return None."""
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
        """Do the same for several sets of weights and then for each single run; or return None.

        The rows of the fused lists equal those of ``match`` if the lists and the match treat ties in the same way, but
        no signs are looked for in these lists.
        """
    def explain(
        self, recipe: FusionRecipe, query: int, document: bytes
    ) -> tuple[int, float, list[tuple[int, float, float]]] | None:
        """Return a document's rank and score (0 if no run contains it), and those and its points in each list; or None.

        The rank is 0 in a list that does not contain the document, and the points are NaN if the list does not count
        for it.
        """

class PlainRuns(RunsByQuery):
    """Runs in files whose lines all have six fields separated by single blanks, grouped by query.

    The files must not change.
    """

    @staticmethod
    def of(files: list[str], *, threads: int = 1) -> PlainRuns | None:
        """Find the lines of each query; return None if the files are not plain, or no two have a query in common.

        Raises:
            OSError: a file cannot be read.
        """

class PooledRuns(RunsByQuery):
    """Runs in memory, with lists from the best document down. All can be fused unless a number is too large."""

    def __init__(
        self,
        judgments: Judgments,
        offsets: list[NDArray[np.int64]],
        documents: list[NDArray[np.int64]],
        scores: list[NDArray[np.float64]],
    ) -> None:
        """The documents are indices of judgments, which contain the documents of all runs. The arrays must not change.

        Raises:
            ValueError: offsets or documents do not fit the judgments, or scores are not finite.
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
    """Rank ``{query: {document: score}}``, which must be dicts, with ids as in ``judgments_from_mapping``.

    Raises:
        MappingError: an id is invalid, or a score is NaN or not a number.
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
    """Read judgments from columns by number; lines are rows from 1. Raises RowError for the first invalid row.

    Without a column of grades, every grade is ``constant``.
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
    """Match columns by number as match_text does; without scores, the lowest rank comes first. Raises RowError."""

class FrameMatcher:
    """Works like match_frame for rows that arrive frame by frame; rows are counted over all frames.

    A query is reduced as soon as a frame continues beyond it. With ``gathered``, rows are kept until the end, as
    match_text keeps them. An object that raised an error must not be used further.
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
        """Return False if a query reappears after it was reduced: begin again with ``gathered``. Raises RowError."""
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
    """Return each row's query, document and score (or minus the rank, or ``constant``), for all or wanted queries."""

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
    """Return the ranking of one query as ``rankings`` does, from columns by number."""

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
        """Return the lists as ``"trec"``, ``"msmarco"``, ``"csv"``, ``"tsv"``, ``"jsonl"`` or ``"json"``, from rank 1.

        The text omits the header of a table, and the braces around all queries in JSON. Scores are the shortest
        decimals that read back as the same number. Raises IdError.
        """

class ListMaker:
    """Makes ranked lists from rows, filtered, without repeats, ranked and cut, for each part of a run.

    The rows of a query in a part must be contiguous unless ``gathered`` is set. The number of a part and its lists are
    passed to ``emit``, some queries at a time. The methods return False if a query reappears after its list was made:
    begin again with ``gathered``. An object that raised an error must not be used further. IdError is raised for a
    document that is listed twice, if ``duplicates`` is ``"keep"``.
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
        """A ``depth`` of 0 keeps all documents; with ``judged``, only judged documents are kept.

        ``parts`` contains the queries of each part, or None for all, and the tag of its lines, or None for all. Several
        parts must either have no query in common or have a tag each. By default, one part contains all rows.
        """
    def take_text(self, source: _Source, *, lenient: bool = False, loose: bool = False) -> bool: ...
    def take_frame(
        self, frame: Frame, *, query: int, document: int, score: int | None = None, rank: int | None = None
    ) -> bool:
        """Take the rows of a frame, read as match_frame does. Raises RowError."""
    def take_rows(
        self, queries: list[bytes], documents: list[bytes], scores: NDArray[np.float64]
    ) -> bool: ...
    def finish(self) -> bool:
        """To be called once, at the end."""
    @property
    def rows(self) -> int:
        """The number of rows read; if parts have tags, only rows with the tag of a part."""
    @property
    def malformed(self) -> int:
        """The number of lines that ``lenient`` skipped."""
    @property
    def repeats(self) -> list[int]:
        """For each part, the number of documents that were replaced by another document with the same id."""
    @property
    def below_depth(self) -> list[int]: ...
    @property
    def cut_ties(self) -> list[int]:
        """For each part, the number of queries whose list is cut between documents with equal scores."""
    @property
    def unjudged(self) -> list[int]: ...

def parquet_damage(file: Buffer) -> str | None:
    """Describe a contradiction in the footer or the page headers of a Parquet file; return None if there is none."""

def json_sizes(lines: Buffer) -> tuple[int, int]:
    """Return the maximum nesting depth of any line of JSON, and the number of digits of its longest whole number."""

class PlainJson:
    """Makes lines of TREC text from a run in plain JSON, block by block. Threads must not share an object."""

    def __init__(self, form: str, names: list[bytes], others: list[bytes] = []) -> None:
        """``form`` is ``lines``, a ``list`` of rows, or an ``object`` ``{query: {document: score}}``.

        ``names`` are the names of a row's query, document and score, and optionally rank; ``others`` are further names
        that the rows of a list may have. An ``object`` ignores them.
        """
    def take(self, text: Buffer) -> bytes | None:
        """Return the lines of the complete rows in the next bytes; pass no bytes at the end of the text.

        Returns None if the text is not plain, after which ``take`` must not be called again: an id that has an escape,
        has a blank at either end or is empty, a list without documents, a repeated key, a number that a double may not
        represent, or a text that is not a run.
        """

def total(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each segment, strictly from left to right; 0 for an empty segment."""

def count(marks: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the number of marked places in each segment."""

def best(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the largest value of each segment; 0 for an empty segment."""

def running_sum(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of each segment up to and including each value; 0 outside all segments."""

def running_product(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the product of each segment up to and including each value."""

def running_max(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the largest value of each segment up to and including each value."""

def descending(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of the values, each segment from its highest value down and NaN last; ties keep their order.

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
    """Return the best or worst order of each tie: the rank and grade of each row, and its previous place.

    Rows of one list with the same ``tie_first`` form one tie. Grades above 0 take the first ranks of a tie in its best
    order and the last ranks in its worst order, with the greatest grade outermost; all other grades take the opposite
    end. Equal grades keep their order. Grade 0 is ordered as ``of_zero``. The offsets must cover all rows.
    """

def leans(
    grade: NDArray[np.float64],
    tie_first: NDArray[np.float64],
    tie_last: NDArray[np.float64],
    offsets: NDArray[np.int64],
    until: NDArray[np.float64],
) -> tuple[NDArray[np.float64], int, int, float, float]:
    """Return by how many standard deviations relevant documents are nearer to each list's end than by chance.

    Only the first ``until`` documents of a list count, and tied documents share their mean place. The value is NaN for
    a list whose grades do not distinguish orders. The function also returns how many values are numbers, how many are
    above 0, the sum of the numbers, and the sum of the squares of those above 0. The offsets must cover all rows.
    """

def relevant_first(grade: NDArray[np.float64], rank: NDArray[np.float64], offsets: NDArray[np.int64]) -> bool:
    """Return whether each list's relevant documents have ranks 1, 2, 3 …; the offsets must cover all rows."""

def extremes(
    grade: NDArray[np.float64],
    tie_first: NDArray[np.float64],
    tie_last: NDArray[np.float64],
    offsets: NDArray[np.int64],
    *,
    of_zero: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the lists with ties in their worst and in their best order, each arranged as by ``arranged``.

    The result contains the rank, the grade and the previous place of each row, the offsets of the lists, and the
    previous numbers of the lists. All lists in their worst order come before all lists in their best order.
    """
