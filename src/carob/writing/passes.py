"""Passes over the rows of a run that write the files of its parts, in a single pass for all parts if possible."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.inputs.errors import refused, sentences
from carob.inputs.frames import Columns
from carob.inputs.ids import bytes_of, text_of
from carob.inputs.runs import MatchOptions, TextRun, Wrapper
from carob.inputs.runs.batches import CameBack, StreamedRun, rows_after
from carob.inputs.runs.excluded import ExcludingRun
from carob.inputs.sources import ONE_COUNTS
from carob.matching.match import refuse_duplicates
from carob.matching.signs import FEWEST
from carob.output.files import whole_file
from carob.writing.formats import NeedsTabs, run_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from carob.inputs.run import Run
    from carob.inputs.runs import RunSource
    from carob.lists.rows import Floats, Integers
    from carob.output.errors import DataError
    from carob.writing.formats import RunFile

ROWS_AT_ONCE = 1 << 14
FRAME_ROWS = 1 << 16
"""The number of rows of a frame. A single thread makes the lists, so larger frames would save no time."""


@dataclass(frozen=True, eq=False, repr=False)
class RunRequest:
    """The request to write a run.

    Args:
        runs: the parts of the run.
        form: the format.
        packing: the ending that shows the compression.
        tag: the last column of TREC's format.
        depth: the number of documents to keep for each query; 0 for all.
        queries: the queries to keep; None for all.
        judged: the judgments of the documents to keep; None for all documents.
        options: how to read and order the rows.
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

    def wanted(self, asked: list[bytes] | None) -> list[bytes] | None:
        """Returns the requested queries to keep in this part; None for all."""
        if asked is None or self.queries is None:
            return asked if self.queries is None else self.queries
        return list(set(asked).intersection(self.queries))


class PartFile:
    """The file of a part while it is written, and counts of its content."""

    def __init__(self, request: RunRequest, part: RunPart) -> None:
        self.request, self.part = request, part
        self.file: IO[bytes]
        self.out: RunFile | None = None
        self.seen: set[bytes] = set()
        self.queries = self.documents = self.size = 0
        self.below_depth = self.repeats = self.unjudged = self.cut_ties = 0
        self.constant = self.infinite = self.tied = 0
        self.tabs = self.must_begin_again = False

    @contextmanager
    def opened(self, file: IO[bytes] | None) -> Iterator[None]:
        """Opens the file, which is kept only if it is complete and contains at least one document.

        Args:
            file: the open file, which cannot be rewritten; None to open the path of the part.
        """
        with ExitStack() as stack:
            if file is None:
                file = stack.enter_context(whole_file(self.part.path, lambda: self.documents > 0))
            apart = not (self.part.path and file.seekable())
            self.file = stack.enter_context(tempfile.TemporaryFile(prefix="carob-")) if apart else file
            stack.callback(self.abandon)
            yield
            if apart and self.documents > 0:
                self.file.seek(0)
                shutil.copyfileobj(self.file, file, 1 << 20)

    def begin(self) -> None:
        """Begins to write from the start of the file."""
        self.abandon()
        self.file.seek(0)
        self.file.truncate()
        its = self.request
        tag = its.tag if self.part.tag is None else self.part.tag
        self.out = run_file(self.file, its.form, its.packing, tag, tabs=self.tabs)
        self.seen.clear()
        self.queries = self.documents = 0
        self.constant = self.infinite = self.tied = 0
        self.must_begin_again = False

    def put(self, lists: _native.RankedLists) -> None:
        """Writes some lists, unless the file must begin again with tabs between columns."""
        if self.must_begin_again or self.out is None:
            return
        try:
            self.out.put(lists)
        except NeedsTabs:
            self.tabs = self.must_begin_again = True
            return
        if self.request.queries is not None or self.part.queries is not None:
            self.seen.update(lists.queries)
        self.queries += len(lists.offsets) - 1
        self.documents += len(lists.scores)
        self.count_scores(lists.scores, lists.offsets)

    def count_scores(self, scores: Floats, offsets: Integers) -> None:
        """Counts infinite scores, lists whose three or more documents all have the same score, and lists with ties."""
        self.infinite += int(np.count_nonzero(np.isinf(scores)))
        ends = scores[offsets[:-1]] == scores[offsets[1:] - 1]
        self.constant += int(np.count_nonzero(ends & (np.diff(offsets) >= FEWEST)))
        above = np.flatnonzero(scores[:-1] == scores[1:])
        lists = np.searchsorted(offsets, above, "right")
        self.tied += len(np.unique(lists[above + 1 < offsets[lists]]))

    def abandon(self) -> None:
        """Closes an unfinished writer of the file, because a compressor would otherwise write to the file later."""
        if self.out is not None:
            with suppress(Exception):  # the output is discarded, and the first error should be reported
                self.out.close()
            self.out = None

    def close(self) -> None:
        """Writes the end of the file."""
        if self.out is not None:
            self.out.close()
            self.out = None
        self.size = self.file.tell()


class RunPass:
    """Writes the files of some parts. Its counts are complete when the files are.

    Args:
        request: what to write.
        parts: the parts.
    """

    def __init__(self, request: RunRequest, parts: Sequence[RunPart]) -> None:
        self.request = request
        self.files = [PartFile(request, each) for each in parts]
        self.rows = self.malformed = 0

    def write(self, file: IO[bytes] | None = None) -> None:
        """Writes the files, each either completely or not at all.

        Args:
            file: the open file for the only part, if it has no path.

        Raises:
            DataError: a row cannot be used, or a document occurs twice.
        """
        with ExitStack() as stack:
            for each in self.files:
                stack.enter_context(each.opened(file))
            self.fill(self.files)

    def fill(self, files: list[PartFile]) -> None:
        """Writes the lists, beginning again if this requires all rows in memory or tabs between columns."""
        gathered = False
        while files:
            for each in files:
                each.begin()
            try:
                self.attempt(files, gathered=gathered)
            except CameBack:
                gathered = True
            except NeedsTabs:
                continue
            except _native.IdError as error:
                raise self.twice(error.query, error.document) from None
            else:
                files = [each for each in files if each.must_begin_again]

    def attempt(self, files: list[PartFile], *, gathered: bool) -> None:
        """Writes the lists in one pass.

        Raises:
            CameBack: the rows of a query are not contiguous, and ``gathered`` is false.
            NeedsTabs: all files must begin again.
        """
        its = self.request

        def emit(part: int, lists: _native.RankedLists) -> None:
            files[part].put(lists)
            if files[part].must_begin_again and all(each.must_begin_again for each in files):
                raise NeedsTabs

        maker = _native.ListMaker(
            emit,
            **its.options.order,
            depth=its.depth,
            judged=its.judged,
            parts=[
                (each.part.wanted(its.queries), None if each.part.tag is None else bytes_of(each.part.tag))
                for each in files
            ],
            gathered=gathered,
        )
        for run in its.runs:
            take_run(maker, run.held, its.options)
        begin_again_unless(maker.finish())
        for number, each in enumerate(files):
            if not each.must_begin_again:
                each.close()
                each.below_depth, each.repeats = maker.below_depth[number], maker.repeats[number]
                each.unjudged, each.cut_ties = maker.unjudged[number], maker.cut_ties[number]
        if files == self.files:
            self.rows, self.malformed = maker.rows, maker.malformed

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
    """Runs the pass again, with all rows in memory, if a query reappeared.

    Raises:
        CameBack: a query reappeared in the second pass as well.
    """
    if not found:
        raise CameBack


def take_run(maker: _native.ListMaker, held: Any, options: MatchOptions) -> None:
    """Passes all rows of a run to the kernel.

    Raises:
        DataError: a row cannot be used.
        CameBack: the rows of a query are not contiguous.
    """
    if isinstance(held, Wrapper) and not isinstance(held, ExcludingRun):
        with held.named(options.policy):
            take_run(maker, held.held, options)
    elif isinstance(held, TextRun):
        with sentences(held.source.name, "run", held.origin.files):
            begin_again_unless(maker.take_text(held.source.from_start(), **held.reading(options)))
    elif isinstance(held, (Columns, StreamedRun)):
        take_frames(maker, held, options)
    else:
        options.refuse_without_ranks(ranks=False)
        take_rows(maker, held)


def take_frames(maker: _native.ListMaker, held: Columns | StreamedRun, options: MatchOptions) -> None:
    """Passes the rows of a frame, or of several consecutive frames, to the kernel."""
    columns = held.places if isinstance(held, StreamedRun) else held.of_run
    options.refuse_without_ranks(ranks=columns["rank"] is not None)
    before = 0
    for frame in replace(held, size=FRAME_ROWS).frames() if isinstance(held, StreamedRun) else [held.frame]:
        with rows_after(before), sentences("run frame", "run"):
            begin_again_unless(maker.take_frame(frame, **columns))
        before += frame.rows
        del frame  # freed before the next frame is made


def take_rows(maker: _native.ListMaker, held: RunSource) -> None:
    """Passes rows made in Python to the kernel."""
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
