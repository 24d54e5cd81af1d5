"""``carob.write_run``: reads a run or its parts, and writes it in any format, cut, filtered, split or merged."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.conventions.arguments import RUN_DEPTH, RUN_FORMAT, specified
from carob.conventions.policy import Policy
from carob.inputs.errors import refused, sentences
from carob.inputs.frames import Columns
from carob.inputs.ids import bytes_of, text_of
from carob.inputs.qrels import Qrels
from carob.inputs.query_files import queries_in, read_groups
from carob.inputs.run import ExcludingRun, Run, are_several, runs_in
from carob.inputs.runs import MatchOptions, TextRun, Wrapper
from carob.inputs.runs.batches import CameBack, StreamedRun, rows_after
from carob.inputs.sources import ONE_COUNTS, fields_of, source_of
from carob.matching.match import refuse_duplicates
from carob.output.document import Document, Documented, Line, Section
from carob.output.errors import ArgumentError, DataError, NothingError, warn
from carob.output.files import refuse_overwriting, write_whole
from carob.output.language import filled, plural
from carob.output.results import Records
from carob.writing.formats import NeedsTabs, format_of_name, run_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from carob.conventions.arguments import RunFormat
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.query_files import GroupsLike
    from carob.inputs.run import RunLike, Several
    from carob.inputs.runs import RunSource

ROWS_AT_ONCE = 1 << 14
FRAME_ROWS = 1 << 16
"""Rows of a frame: the lists are made by one thread, which has no use for more."""
TAG = "tag"
PLACE = "{}"
"""Stands in the name of an output for the name of a part."""


@dataclass(frozen=True)
class WrittenFile:
    """A file with a run.

    Args:
        path: its path.
        queries: the number of queries in it.
        documents: the number of documents of all queries.
        size: its bytes.
    """

    path: str
    queries: int
    documents: int
    size: int


@dataclass(frozen=True, eq=False, repr=False)
class WrittenRun(Documented):
    """What ``carob.write_run`` wrote, and what it left out. ``str(written)`` returns sentences.

    Args:
        files: the files.
        below_depth: the number of documents below the depth.
        repeats: the number of documents that gave way to another of the same id.
        unjudged: the number of unjudged documents.
        other_queries: the number of documents of queries that were not asked for.
        malformed: the number of lines that were skipped.
    """

    files: tuple[WrittenFile, ...]
    below_depth: int
    repeats: int
    unjudged: int
    other_queries: int
    malformed: int

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``files``."""
        return {"files": lambda: Records.of(WrittenFile, [(each,) for each in self.files])}

    def document(self, layout: str = "text") -> Document:
        """Returns a sentence for each file, and one for what was left out."""
        del layout
        said = [
            filled(
                "{path}: {queries:query/queries}, {documents:document}, {size:byte}.",
                path=each.path,
                queries=each.queries,
                documents=each.documents,
                size=each.size,
            )
            for each in self.files
        ]
        counts = {
            "below the depth": plural(self.below_depth, "document"),
            "that occurred twice": plural(self.repeats, "document"),
            "without a judgment": plural(self.unjudged, "document"),
            "of other queries": plural(self.other_queries, "document"),
            "that cannot be read": plural(self.malformed, "line"),
        }
        left = [f"{count} {which}" for which, count in counts.items() if not count.startswith("0 ")]
        said[-1] += f" Left out: {', '.join(left)}." if left else ""
        return Document([Section([Line(each) for each in said])])


@dataclass(frozen=True, eq=False, repr=False)
class RunRequest:
    """What to write.

    Args:
        runs: the parts of the run.
        form: the format.
        packing: the ending that shows the compression.
        tag: the last column of TREC's format.
        depth: the number of documents to keep for each query; 0 for all.
        queries: the queries to keep; None for all.
        judged: the judgments of the documents to keep; None for all documents.
        options: how the rows are read and ordered.
    """

    runs: tuple[Run, ...]
    form: str
    packing: str
    tag: str
    depth: int
    queries: list[bytes] | None
    judged: _native.Judgments | None
    options: MatchOptions


@dataclass(frozen=True, eq=False, repr=False)
class RunPart:
    """A part of a request, which becomes one file.

    Args:
        path: the file.
        queries: the queries of the part; None for all.
        tag: the tag of the lines to read; None for all lines.
    """

    path: str
    queries: list[bytes] | None = None
    tag: str | None = None


@specified
def write_run(
    run: RunLike | Several,
    path: str | os.PathLike[str] | IO[bytes],
    *,
    to: RunFormat | None = RUN_FORMAT,
    depth: int | None = RUN_DEPTH,
    queries: str | os.PathLike[str] | Collection[str] | None = None,
    judged: QrelsLike | None = None,
    tag: str | None = None,
    split_by: GroupsLike | None = None,
    policy: Policy | None = None,
) -> WrittenRun:
    """Writes a run in any format that carob reads: converted, cut, merged, split, filtered.

    The documents of each query are ranked by score, ties are ordered by the policy, and ranks are numbered from 1.
    Queries keep the order in which they are read. Scores are the shortest decimals that read back as the same number.
    Only some queries are in memory at a time, unless the rows of a query are not together.

    Args:
        run: the run, or a list of files that are parts of one run, in which a query may occur more than once.
        path: the file to write, or an open binary file. Endings such as ``.gz`` compress it.
        to: the format: ``trec`` (six columns), ``msmarco`` (query, document and rank), ``csv``, ``tsv``, ``jsonl`` (one
            object a row), ``json`` (``{query: {document: score}}``), ``parquet`` or ``arrow``. By default, the ending
            of the file's name shows it, and any other ending stands for ``trec``.
        depth: the number of documents to keep for each query; None for all.
        queries: the queries to keep, or a file with one in each line.
        judged: judgments; only judged documents are kept.
        tag: the last column of TREC's format; by default, that of the first line of the run, or the run's name.
        split_by: writes one file for each group of queries, which a file or a dictionary gives, or for each
            ``tag`` of TREC text. The braces in a path such as ``"fold-{}.run"`` stand for the name of the part.
        policy: how ties order documents, what happens to documents that occur twice, and how lines are read.

    Returns:
        The files with their sizes, and how many documents were left out, for each reason.

    Raises:
        DataError: a run that cannot be read, a file that cannot be written or is an input, or nothing to write.
        ArgumentError: an unknown format.

    Example:
        >>> import io, carob
        >>> made = io.BytesIO()
        >>> written = carob.write_run({"q": {"a": 0.5, "b": 2.0, "c": 1.0}}, made, depth=2, tag="bm25")
        >>> print(made.getvalue().decode(), end="")
        q Q0 b 1 2.0 bm25
        q Q0 c 2 1.0 bm25
        >>> written.below_depth
        1
    """
    several = isinstance(run, (list, tuple)) and are_several(run)
    runs = tuple(runs_in(run) if several else [Run.of(run)])  # type: ignore[arg-type]
    policy = policy or Policy()
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    form, packing = format_of_name(name)
    request = RunRequest(
        runs,
        to or form,
        packing,
        own_tag(runs[0]) if tag is None else tag,
        depth or 0,
        None if queries is None else list(map(bytes_of, queries_in(queries))),
        None if judged is None else Qrels.of(judged, policy).judgments,
        MatchOptions(policy),
    )
    if split_by is None:
        return write_parts(request, [RunPart(name)], None if name else path)
    if not name:
        raise ArgumentError("Pass a path such as 'fold-{}.run' to split a run: an open file holds one part.")
    return write_parts(request, parts_by(split_by, request, name))


def own_tag(run: Run) -> str:
    """Returns the tag of the first line of TREC text, or the name of another run."""
    for line in [] if run.source is None else run.source.start().split(b"\n"):
        fields = fields_of(line, 6)
        if len(fields) >= 6 and not fields[0].startswith(b"#"):
            return text_of(fields[5])
    return run.name


def parts_by(split_by: GroupsLike, request: RunRequest, path: str) -> list[RunPart]:
    """Returns the parts of a run, by groups of queries or by tags.

    Raises:
        DataError: a path without a place for the name of the part, parts with the same path, or tags that are not read.
    """
    if PLACE not in path:
        raise refused(
            "the path of a run that is split needs {{}} for the name of each part, as in fold-{{}}.run.",
            file=path,
        )
    if split_by == TAG:
        parts = [RunPart(part_path(path, tag), None, tag) for tag in tags_of(request)]
    else:
        groups = split_by if isinstance(split_by, Mapping) else read_groups(source_of(split_by))
        by_group: dict[str, list[bytes]] = {}
        for query, group in groups.items():
            by_group.setdefault(str(group), []).append(bytes_of(str(query)))
        parts = [RunPart(part_path(path, group), its) for group, its in sorted(by_group.items())]
    paths = [each.path for each in parts]
    again = next((each for each in paths if paths.count(each) > 1), None)
    if again is not None:
        raise refused(
            "two parts have the same file.", "Give them names that differ in letters or digits.", file=again
        )
    return parts


def part_path(path: str, name: str) -> str:
    """Returns the path of a part, whose name in the path has no separators of folders."""
    return path.replace(PLACE, re.sub(r"[^\w.+=@-]", "_", name))


def tags_of(request: RunRequest) -> list[str]:
    """Returns the tags of runs in TREC text, in the order of their first lines.

    Raises:
        DataError: a run that is not TREC text.
    """
    found: dict[str, None] = {}
    for run in request.runs:
        if not isinstance(run.held, TextRun):
            raise refused("Run {name} is not TREC text, so its lines have no tags.", name=run.name)
        with sentences(run.held.source.name, "run", run.origin.files):
            tags = _native.survey(run.held.source.from_start(), "run").tags
        found |= dict.fromkeys(map(text_of, tags))
    return list(found)


def write_parts(request: RunRequest, parts: list[RunPart], file: Any = None) -> WrittenRun:
    """Writes the parts, and counts what no part has.

    Args:
        request: what to write.
        parts: the parts.
        file: the open file for the only part, if it has no path.

    Raises:
        DataError: no part has a document.
    """
    inputs = [path for run in request.runs for path in run.origin.files]
    for part in parts:
        refuse_overwriting(part.path, inputs)
    passes: list[RunPass] = []
    files: list[WrittenFile] = []
    for part in parts:
        made = RunPass(request, part)
        try:
            size = made.into(file) if file is not None else made.into_path()
        except NothingError:
            if part is parts[-1] and not files:
                raise
        else:
            files.append(WrittenFile(part.path or "output", made.queries, made.documents, size))
        passes.append(made)
    warn_of_missing(request, passes)
    counts = {
        name: sum(getattr(each, name) for each in passes) for name in ("below_depth", "repeats", "unjudged")
    }
    rows = sum(each.rows for each in passes) if parts[0].tag is not None else passes[0].rows
    other = rows - sum(each.documents for each in files) - sum(counts.values())
    return WrittenRun(tuple(files), **counts, other_queries=other, malformed=passes[0].malformed)


def warn_of_missing(request: RunRequest, passes: list[RunPass]) -> None:
    """Warns of queries that were asked for and that the run does not have."""
    if request.queries is None:
        return
    seen = set().union(*(each.seen for each in passes))
    missing = [each for each in request.queries if each not in seen]
    if missing:
        warn(
            f"{plural(len(missing), 'query', 'queries')} that were asked for are not written, such as "
            f"'{text_of(missing[0])}'."
        )


class RunPass:
    """The writing of one part. What it counts is complete when the file is."""

    def __init__(self, request: RunRequest, part: RunPart) -> None:
        self.request, self.part = request, part
        self.begin()

    def begin(self) -> None:
        """Counts from 0."""
        self.seen: set[bytes] = set()
        self.queries = self.documents = self.rows = 0
        self.below_depth = self.repeats = self.unjudged = self.malformed = 0

    def into_path(self) -> int:
        """Writes the file whole or not at all, and returns its size."""
        write_whole(self.part.path, self.put)
        return os.path.getsize(self.part.path)

    def put(self, file: IO[bytes]) -> None:
        """Writes to a file that was opened for this part."""
        if file.seekable():
            self.fill(file)
        else:
            self.into(file)

    def into(self, file: IO[bytes]) -> int:
        """Writes to an open file, in which nothing can be written again, and returns the number of bytes."""
        with tempfile.TemporaryFile(prefix="carob-") as whole:
            self.fill(whole)
            size = whole.tell()
            whole.seek(0)
            shutil.copyfileobj(whole, file, 1 << 20)
        return size

    def fill(self, file: IO[bytes]) -> None:
        """Writes the lists, and begins again if that needs all rows in memory, or tabs between columns.

        Raises:
            DataError: a row that cannot be used, a document that occurs twice, or nothing to write.
        """
        gathered = tabs = False
        while True:
            self.begin()
            try:
                self.attempt(file, gathered=gathered, tabs=tabs)
            except CameBack:
                gathered = True
            except NeedsTabs:
                tabs = True
            except _native.IdError as error:
                raise self.twice(error.query, error.document) from None
            else:
                return
            file.seek(0)
            file.truncate()

    def attempt(self, file: IO[bytes], *, gathered: bool, tabs: bool) -> None:
        """Writes the lists.

        Raises:
            CameBack: the rows of a query are not together, and ``gathered`` is false.
            NeedsTabs: an id contains a blank, and ``tabs`` is false.
            NothingError: there is nothing to write.
        """
        its = self.request
        out = run_file(
            file, its.form, its.packing, its.tag if self.part.tag is None else self.part.tag, tabs=tabs
        )

        def emit(lists: _native.RankedLists) -> None:
            out.put(lists)
            if its.queries is not None:
                self.seen.update(lists.queries)
            self.queries += len(lists.offsets) - 1
            self.documents += len(lists.scores)

        maker = _native.ListMaker(
            emit,
            **its.options.order,
            depth=its.depth,
            judged=its.judged,
            queries=self.wanted,
            tag=None if self.part.tag is None else bytes_of(self.part.tag),
            gathered=gathered,
        )
        for run in its.runs:
            take_run(maker, run.held, its.options)
        begin_again_unless(maker.finish())
        out.close()
        if self.documents == 0:
            raise refused("There is nothing to write: no document is left.", error=NothingError)
        self.rows, self.malformed = maker.rows, maker.malformed
        self.below_depth, self.repeats, self.unjudged = maker.below_depth, maker.repeats, maker.unjudged

    @property
    def wanted(self) -> list[bytes] | None:
        """The queries to keep; None for all."""
        asked, its = self.request.queries, self.part.queries
        if asked is None or its is None:
            return asked if its is None else its
        return list(set(asked).intersection(its))

    def twice(self, query: bytes, document: bytes) -> DataError:
        """Returns the error for a document that occurs twice for a query, in one part of the run or in two."""
        found = []
        judged = _native.judgments_from_rows([query], [document], np.ones(1))
        options = replace(
            self.request.options, policy=Policy(malformed=self.request.options.policy.malformed)
        )
        for run in self.request.runs:
            match = run.match(judged, options)
            refuse_duplicates(run, judged, match, options.policy)
            found += [run.name] * (len(match.rank) > 0)
        return refused(
            "document '{document}' is listed twice for query '{query}', in {runs}.",
            query=text_of(query),
            document=text_of(document),
            runs=" and in ".join(found[:2]),
            remedy=ONE_COUNTS,
        )


def begin_again_unless(found: bool) -> None:
    """Begins again, with all rows in memory, if a query came back.

    Raises:
        CameBack: it did.
    """
    if not found:
        raise CameBack


def take_run(maker: _native.ListMaker, held: Any, options: MatchOptions) -> None:
    """Lets the kernel take all rows of a run.

    Raises:
        DataError: a row that cannot be used.
        CameBack: the rows of a query are not together.
    """
    if isinstance(held, Wrapper) and not isinstance(held, ExcludingRun):
        with naming_files(held, options.policy):
            take_run(maker, held.held, options)
    elif isinstance(held, TextRun):
        with sentences(held.source.name, "run", held.origin.files):
            begin_again_unless(maker.take_text(held.source.from_start(), **options.reading))
    elif isinstance(held, (Columns, StreamedRun)):
        take_frames(maker, held, options)
    else:
        options.refuse_without_ranks(ranks=False)
        take_rows(maker, held)


@contextmanager
def naming_files(held: Wrapper, policy: Policy) -> Iterator[None]:
    """Names the file of a table in errors about its rows."""
    from carob.inputs.files.table import FileRun

    if isinstance(held, FileRun):
        with held.table.named(policy):
            yield
    else:
        yield


def take_frames(maker: _native.ListMaker, held: Columns | StreamedRun, options: MatchOptions) -> None:
    """Lets the kernel take the rows of a frame, or of one frame after another."""
    columns = held.places if isinstance(held, StreamedRun) else held.of_run
    options.refuse_without_ranks(ranks=columns["rank"] is not None)
    before = 0
    for frame in replace(held, size=FRAME_ROWS).frames() if isinstance(held, StreamedRun) else [held.frame]:
        with rows_after(before), sentences("run frame", "run"):
            begin_again_unless(maker.take_frame(frame, **columns))
        before += frame.rows
        del frame  # before the next one is made


def take_rows(maker: _native.ListMaker, held: RunSource) -> None:
    """Lets the kernel take rows that Python makes."""
    rows = iter(held.rows())
    while some := list(islice(rows, ROWS_AT_ONCE)):
        queries, documents, scores = zip(*some, strict=True)
        odd = np.flatnonzero(np.isnan(scores))
        if len(odd):
            query, document = some[int(odd[0])][:2]
            raise refused(
                "query '{query}', document '{document}': the score is NaN, which cannot be ranked.",
                query=text_of(query),
                document=text_of(document),
            )
        begin_again_unless(maker.take_rows(list(queries), list(documents), np.array(scores, np.float64)))
