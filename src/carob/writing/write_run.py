"""``carob.write_run``, which reads a run or its parts and writes it in any format, cut, filtered, split or merged."""

from __future__ import annotations

import os
import re
from typing import IO, TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass
from carob.conventions.arguments import RUN_DEPTH, RUN_FORMAT, specified
from carob.conventions.policy import Policy
from carob.inputs.errors import refused, sentences
from carob.inputs.ids import bytes_of, text_of
from carob.inputs.qrels import Qrels
from carob.inputs.query_files import named_groups, queries_in, strangers
from carob.inputs.run import Run, are_several, runs_in
from carob.inputs.runs import MatchOptions, TextRun
from carob.inputs.sources import fields_of
from carob.matching.lines import doubts_of_lines
from carob.output.document import Document, Documented, Line, Section
from carob.output.errors import ArgumentError, NothingError, warn
from carob.output.files import refuse_overwriting
from carob.output.language import filled, plural
from carob.output.layout import UNGROUPED, label_apart
from carob.output.results import Records
from carob.writing.formats import WITHOUT_SCORES, format_of_name
from carob.writing.passes import PartFile, RunPart, RunPass, RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from carob.conventions.arguments import RunFormat
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.query_files import GroupsLike
    from carob.inputs.run import RunLike, Several

TAG = "tag"
PLACE = "{}"
"""The placeholder for the name of a part in the name of an output."""


@dataclass(frozen=True)
class WrittenFile:
    """A file that contains a run.

    Args:
        path: the path of the file.
        queries: the number of queries in the file.
        documents: the total number of documents over all queries.
        size: the size of the file in bytes.
    """

    path: str
    queries: int
    documents: int
    size: int


@dataclass(frozen=True, eq=False, repr=False)
class WrittenRun(Documented):
    """The files that ``carob.write_run`` wrote, and counts of what it omitted. ``str(written)`` returns sentences.

    Args:
        files: the files.
        below_depth: the number of documents below the depth.
        repeats: the number of documents dropped in favour of another with the same id.
        unjudged: the number of unjudged documents.
        other_queries: the number of documents of queries that were not requested.
        malformed: the number of skipped lines.
    """

    files: tuple[WrittenFile, ...]
    below_depth: int
    repeats: int
    unjudged: int
    other_queries: int
    malformed: int

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``files``."""
        return {"files": lambda: Records.of(WrittenFile, self.files)}

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a sentence for each file, and a sentence about what was omitted."""
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
    """Converts, cuts, merges, splits or filters a run, in any format that carob reads.

    The documents of each query are ranked by score, ties are ordered by the policy, and ranks are numbered from 1.
    Queries keep the order in which they are read. Scores are written as the shortest decimals that read back as the
    same number. Only some queries are in memory at a time, unless the rows of a query are not contiguous.

    Args:
        run: the run, or a list of files that are parts of one run, in which a query may occur more than once.
        path: the file to write, or an open binary file. With an ending such as ``.gz``, the file is compressed.
        to: the format: ``trec`` (six columns), ``msmarco`` (query, document and rank), ``csv``, ``tsv``, ``jsonl`` (one
            object per row), ``json`` (``{query: {document: score}}``), ``parquet`` or ``arrow``. By default, the ending
            of the file's name determines the format, and any unknown ending means ``trec``.
        depth: the number of documents to keep for each query; None for all.
        queries: the queries to keep, or a file with one per line.
        judged: judgments; only judged documents are kept.
        tag: the last column of TREC's format; by default, the tag on the first line of the run, or the run's name.
        split_by: a file or a dictionary that assigns queries to groups, or ``tag`` for the tags of TREC text. One file
            is written for each group or tag; the braces in a path such as ``"fold-{}.run"`` stand for the name of the
            part.
        policy: how tied documents are ordered, how repeated documents are treated, and how lines are read.

    Returns:
        The files with their sizes, and how many documents were omitted for each reason.

    Raises:
        DataError: a run cannot be read, a file cannot be written or is an input, or there is nothing to write.
        ArgumentError: the format is unknown.

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
        DataError: a path has no place for the name of the part, two parts have the same path, or the run has no tags.
    """
    if PLACE not in path:
        raise refused(
            "to split a run, its path must contain {{}} for the name of each part, as in fold-{{}}.run.",
            file=path,
        )
    if split_by == TAG:
        parts = [RunPart(part_path(path, tag), None, tag) for tag in tags_of(request)]
    else:
        by_group: dict[str, list[bytes]] = {}
        named = named_groups(split_by)[1]
        none = label_apart(UNGROUPED, {group for its in named.values() for group in its})
        for query, its in named.items():
            by_group.setdefault((its or (none,))[0], []).append(bytes_of(query))
        parts = [RunPart(part_path(path, group), its) for group, its in sorted(by_group.items())]
    paths = [each.path for each in parts]
    again = next((each for each in paths if paths.count(each) > 1), None)
    if again is not None:
        raise refused(
            "two parts would be written to the same file.",
            "Give the parts names that differ in letters or digits.",
            file=again,
        )
    return parts


def part_path(path: str, name: str) -> str:
    """Returns the path of a part; the part's name in the path contains no folder separators."""
    return path.replace(PLACE, re.sub(r"[^\w.+=@-]", "_", name))


def tags_of(request: RunRequest) -> list[str]:
    """Returns the tags of runs in TREC text, in the order of their first lines.

    Raises:
        DataError: a run is not TREC text.
    """
    found: dict[str, None] = {}
    for run in request.runs:
        if not isinstance(run.held, TextRun):
            raise refused("Run {name} is not TREC text, so its lines have no tags.", name=run.name)
        with sentences(run.held.source.name, "run", run.origin.files):
            tags = _native.survey(run.held.source.from_start(), "run").tags
        found |= dict.fromkeys(map(text_of, tags))
    return list(found)


FILES_AT_ONCE = 200
"""The maximum number of files that are open at the same time. Systems allow 256 or more."""


def write_parts(request: RunRequest, parts: list[RunPart], file: Any = None) -> WrittenRun:
    """Writes the parts, and counts the documents that belong to no part.

    Args:
        request: what to write.
        parts: the parts.
        file: the open file for the only part, if it has no path.

    Raises:
        DataError: no part contains a document.
    """
    inputs = [path for run in request.runs for path in run.origin.files]
    for part in parts:
        refuse_overwriting(part.path, inputs)
    passes = [
        RunPass(request, parts[start : start + FILES_AT_ONCE])
        for start in range(0, len(parts), FILES_AT_ONCE)
    ]
    for each in passes:
        each.write(file)
    every = [each for one in passes for each in one.files]
    files = [
        WrittenFile(each.part.path or "output", each.queries, each.documents, each.size)
        for each in every
        if each.documents
    ]
    if not files:
        raise refused("There is nothing to write: no document is left.", error=NothingError)
    warn_of_lists(request, every)
    warn_of_missing(request, every)
    counts = {
        name: sum(getattr(each, name) for each in every) for name in ("below_depth", "repeats", "unjudged")
    }
    rows = sum(each.rows for each in passes) if parts[0].tag is not None else passes[0].rows
    other = rows - sum(each.documents for each in files) - sum(counts.values())
    return WrittenRun(tuple(files), **counts, other_queries=other, malformed=passes[0].malformed)


def warn_of_lists(request: RunRequest, files: list[PartFile]) -> None:
    """Warns about doubtful scores, ties that decide, and doubtful lines, which the written run no longer shows."""
    tags = all(each.part.tag is None for each in files)
    for said in (each for run in request.runs for each in doubts_of_lines(run, tags=tags)):
        warn(said)
    cut = sum(each.cut_ties for each in files)
    if cut:
        warn(
            f"In {plural(cut, 'query', 'queries')}, the last document above the depth and the first below it have "
            f"equal scores: the order of ties ({request.options.policy.ties}) decides which is written."
        )
    tied = sum(each.tied for each in files)
    if tied and request.form in WITHOUT_SCORES:
        warn(
            f"In {plural(tied, 'query', 'queries')}, some of the written documents have equal scores, which "
            f"{request.form} files do not contain: the order of ties ({request.options.policy.ties}) decides their "
            f"ranks."
        )
    constant, infinite, lists = (
        sum(getattr(each, name) for each in files) for name in ("constant", "infinite", "queries")
    )
    if constant or infinite:
        from carob.evaluation.score_tables import equal_throughout, without_end

        policy = request.options.policy
        facts = [*equal_throughout(constant, lists, policy), *without_end(infinite, policy)]
        if facts:
            warn(f"In what is written: {', '.join(each.told() for each in facts)}.")


def warn_of_missing(request: RunRequest, files: list[PartFile]) -> None:
    """Warns about queries that were requested, or belong to a group, but are missing from the run."""
    seen = set().union(*(each.seen for each in files))
    if request.queries is None:
        named = [text_of(query) for each in files for query in each.part.queries or ()]
        said = strangers("split_by", named, set(map(text_of, seen)), owner="the written run does")
        if said is not None:
            warn(said)
        return
    missing = [each for each in request.queries if each not in seen]
    if missing:
        warn(
            f"{plural(len(missing), 'requested query is', 'requested queries are')} not written, such as "
            f"'{text_of(missing[0])}'."
        )
