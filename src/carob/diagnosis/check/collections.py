"""``carob.check_collections``: finds the faults of all runs on several collections in one call."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from io import IOBase
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from carob._dataclasses import replace
from carob.diagnosis.check import ORDER, Check, check
from carob.diagnosis.check.finding import NOTE, WARNING, found, refusal
from carob.diagnosis.check.inputs import Files, taken
from carob.diagnosis.check.lenient import LenientQrels
from carob.evaluation.collections import CollectionReader, is_values
from carob.evaluation.evidence import Evidence
from carob.evaluation.notes import DOUBTFUL, CollectionPrint, equal_collections, notes_of
from carob.inputs.columns import refuse_no_run
from carob.inputs.run import several_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from carob.conventions.request import MeasuresLike
    from carob.diagnosis.check.finding import Finding
    from carob.evaluation.collections import CollectionsLike
    from carob.evaluation.notes import Note
    from carob.inputs.qrels import Qrels

OF_VALUES = {
    "perfect": "perfect",
    "identical-runs": "identical-runs",
    "missing": "missing-queries",
    "unanswered": "unanswered-queries",
    "constant": "constant-scores",
    "infinite": "infinite-scores",
    "duplicates": "duplicate-documents",
}
"""The kinds of findings about runs for which only values are known, by the kind of note. Other kinds of notes become a
finding of the kind ``told``."""


def check_collections(
    collections: CollectionsLike,
    *,
    runs: Sequence[tuple[str | None, str]] = (),
    measures: MeasuresLike = ("AP", "nDCG@10"),
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, str | Mapping[str, str]] | None = None,
    folders: str | None = None,
    columns: Literal["equal", "trec_eval"] = "equal",
) -> Check:
    """Find the problems in the judgments and runs of several collections.

    A check always finishes: an unreadable input is reported as a finding, and all other inputs are still checked. If
    only the scores of a run exist, they are checked for perfect values and equal runs, and facts stored with the
    scores, such as missing queries, are reported.

    Args:
        collections: as in ``carob.compare_collections``.
        runs: the name (or None) and the path of each run, with ``{collection}`` in place of the collection's name.
        measures: as in ``carob.check``.
        qrels_columns: as in ``carob.check``.
        run_columns: as in ``carob.check``.
        folders: as in ``carob.check``.
        columns: as in ``carob.check``.

    Returns:
        The findings of ``carob.check`` for each collection, whose name is in the field ``collection``, and findings
        about missing runs; most severe first.

    Raises:
        DataError: the collections are given in an unknown form, or columns are given for a run that is in no
            collection.
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
        >>> good, bad = {"q1": {"d1": 2.0}, "q2": {"d3": 1.0}}, {"q1": {"d1": float("nan")}}
        >>> found = carob.check_collections({"web": (qrels, {"a": good}), "news": (qrels, {"a": bad, "b": good})})
        >>> [(each.code, each.collection, each.subject) for each in found if each.severity == "error"]
        [('refused', 'news', 'a'), ('nan-scores', 'news', 'a')]
        >>> [(each.collection, each.subject) for each in found.of("missing-run")]
        [('web', 'b')]
    """
    faults: list[tuple[str | None, DataError]] = []
    own = CollectionReader(faults=faults).read(collections, runs)
    names = {name: runs_of(its) for name, its in own.items()}
    named = dict(run_columns or {})
    refuse_no_run(named, [(each,) for its in names.values() for each in its])
    refusals = (
        (name, refusal("refused-collection", error.file or name or "collections", error))
        for name, error in faults
    )
    findings = [replace(each, collection=name) for name, each in refusals]
    starts = [(stream, stream.tell()) for its in own.values() for stream in streams_in(its)]
    shared = {"measures": measures, "qrels_columns": qrels_columns, "folders": folders, "columns": columns}
    checks = {}
    for name, its in own.items():
        there = [role for role, each in named.items() if not isinstance(each, Mapping) or role in names[name]]
        checks[name] = checked(name, its, run_columns={role: named[role] for role in there}, **shared)
    for name, each in checks.items():
        findings += [replace(finding, collection=name) for finding in each.findings]
    for stream, start in starts:  # the check has read the file
        stream.seek(start)
    findings += copied(own, Files({"qrels": dict(qrels_columns or {}), "run": {}}, folders))
    findings += missing_runs(names)
    findings.sort(key=lambda each: ORDER.index(each.severity))
    subjects = tuple(f"{name}/{subject}" for name, each in checks.items() for subject in each.subjects)
    baselines = tuple(
        replace(row, run=f"{name}/{row.run}") for name, each in checks.items() for row in each.baselines
    )
    return Check(tuple(findings), subjects, baselines, tuple(own))


def checked(name: str, given: Any, **options: Any) -> Check:
    """Checks the judgments and runs of one collection, or the values of its runs."""
    if isinstance(given, tuple) and len(given) == 2:
        if given[1]:
            return check(*given, **options)
        return Check((found("refused-collection", name, "the collection has no runs"),), ())
    if is_values(given):  # a single value for each run cannot be checked further
        return Check((), tuple(given))
    try:
        systems = Evidence(None, given).read(least=1).systems
    except DataError as error:
        return Check((refusal("refused-collection", name, error),), ())
    return Check(tuple(map(told, notes_of(name, systems))), tuple(systems))


def streams_in(given: Any) -> Iterator[IO[bytes]]:
    """Yields those judgments and runs of a collection that are open, seekable files."""
    if isinstance(given, tuple) and len(given) == 2:
        runs = list(given[1].values()) if isinstance(given[1], Mapping) else given[1]
        for each in (given[0], *(runs if isinstance(runs, (list, tuple)) else [runs])):
            if isinstance(each, IOBase) and each.seekable():
                yield cast("IO[bytes]", each)


def copied(own: Mapping[str, Any], files: Files) -> Iterator[Finding]:
    """Yields a finding for each collection that has the judgments, and perhaps the runs, of an earlier collection.

    Runs are read again only if the judgments are equal.

    Args:
        own: the judgments and runs, or the scores, of each collection.
        files: how to read judgments.
    """
    judged: dict[str, Qrels] = {}
    prints: dict[str, CollectionPrint] = {}
    for name, given in own.items():
        if isinstance(given, tuple) and len(given) == 2:
            table = LenientQrels.of(taken(given[0], "qrels", files=files)).table
            if table is not None:
                judged[name], prints[name] = table, CollectionPrint.of({}, table)
        elif not is_values(given):
            with suppress(DataError):
                prints[name] = CollectionPrint.of(Evidence(None, given).read(least=1).systems, None)
    alike = {name for note in equal_collections(prints) for name in (note.collection, note.other)}
    for name in [each for each in judged if each in alike]:
        with suppress(DataError):
            systems = Evidence(judged[name], own[name][1]).read(least=1).systems
            prints[name] = CollectionPrint.of(systems, judged[name])
    for note in equal_collections(prints):
        subject = judged[note.collection].name if note.collection in judged else "scores"
        yield replace(found(note.kind, subject, other=note.other), collection=note.collection)


def told(note: Note) -> Finding:
    """Converts a note on a run's values to a finding, a warning if it makes the values doubtful, else a note."""
    severity = WARNING if note.kind in (*DOUBTFUL, "unanswered") else NOTE
    kind = OF_VALUES.get(note.kind, "told")
    return found(kind, note.run, note.sentence.removesuffix("."), count=note.count, severity=severity)


def runs_of(given: Any) -> list[str]:
    """Returns the names of the runs of a collection."""
    try:
        runs = several_of(given[1] if isinstance(given, tuple) else given)
    except DataError:
        return []  # a finding states the reason
    return (
        list(map(str, runs))
        if isinstance(runs, Mapping)
        else [str(getattr(each, "name", each)) for each in runs]
    )


def missing_runs(runs: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
    """Yields a finding for each run that is missing from a collection although another collection contains it."""
    every = dict.fromkeys(run for its in runs.values() for run in its)
    for name, its in runs.items():
        for run in every:
            if run not in its:
                others = sum(run in each for each in runs.values())
                yield replace(found("missing-run", run, others=others), collection=name)
