"""``carob.evaluate_collections``: computes the scores of runs on several collections, by measure, query and run."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.conventions import arguments
from carob.conventions.policy import Policy
from carob.evaluation.evidence import Evidence, tables_of
from carob.evaluation.notes import (
    DOUBTFUL,
    NOTED,
    CollectionPrint,
    Note,
    equal_collections,
    notes_of,
    summaries,
)
from carob.evaluation.score_files import (
    Cells,
    Layout,
    by_role,
    chosen,
    holds_scores,
    measure_named,
    read_scores,
    scores_of,
    text,
)
from carob.evaluation.score_tables import (
    MISSING,
    document_of,
    shown,
    signature,
    whole,
    with_missing,
)
from carob.evaluation.scores import Scores, ScoresByRun
from carob.evaluation.suspects import beyond_range
from carob.inputs.files.collections import collections_in, is_table_of_files, noted, rows_in
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.frames import is_frame
from carob.inputs.names import Names
from carob.matching.match import Counts
from carob.measures.names import names_in
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, Worded, one_of, refuse_other, worded
from carob.output.formats import lay_out
from carob.output.language import filled
from carob.output.layout import apart, listed
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunTable
    from carob.inputs.files.collections import CollectionFiles, Faults
    from carob.lists.rows import Floats
    from carob.measures import Measure

HEADING = "{collections:collection} | {runs:run} | {queries:query/queries}"
HEADING_OF_MEANS = "{collections:collection} | {runs:run}"
TITLE = "{runs:run} on {collections:collection}"
UNKNOWN_FORM = (
    "Collection '{collection}' has no supported form: pass (qrels, runs), scores by run, or numbers."
)
INSIDE = "collection '{collection}': {said}"
MACRO = "Macro: each collection has the same weight."
LACKING = {
    "absent:skip": (
        "{count:missing run is/missing runs are} skipped: {shown}. A pair is compared on the collections "
        "that have both runs, and means over different collections (see the column 'of') are not comparable."
    ),
    "no mean": "{count:missing run has/missing runs have} neither a value nor a mean over all collections: {shown}.",
    "absent:zero": "{count:missing run counts/missing runs count} as 0 on every query: {shown}.",
    "absent:drop-collections": "Collections in which a run is missing are left out: {shown}.",
    "absent:drop-runs": "Runs that are missing from a collection are left out: {shown}.",
}
"""The sentences about missing runs, by the way missing runs are treated."""

MARK = "collection "
"""The prefix of a collection's name that takes the place of a query, because ``all`` would mean the mean."""

REMEDY = Worded(
    f"Choose absent={one_of([repr(each) for each in arguments.ABSENT.words[1:]])}.",
    f"Choose --absent {one_of(list(arguments.ABSENT.words[1:]))}.",
)

MOST_NAMED = 5

CollectionsLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A folder or table, ``{collection: (qrels, runs)}``, ``{collection: scores}``, ``{collection: {run: value}}``."""


@dataclass(frozen=True, eq=False)
class CollectionValues:
    """The values of one collection by one measure.

    Args:
        means: the mean of each run; NaN for a missing run [runs].
        queries: the number of queries; None if only means are known.
        left_out: the number of queries that were left out because a run has no value for them.
        table: the values [queries, runs], NaN for a missing run; None if only means are known.
    """

    means: Floats
    queries: int | None
    left_out: int = 0
    table: Floats | None = None

    def changed(self, change: Callable[[Floats], Floats]) -> CollectionValues:
        """Returns the values with a function applied to their arrays, whose last axis is the runs."""
        table = None if self.table is None else change(self.table)
        return replace(self, means=change(self.means), table=table)


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of runs on several collections.

    Args:
        collections: the collections.
        runs: the runs of all collections, in the order in which they were found.
        measures: the measures by label.
        values: for each label, the values of each collection.
        lacking: the pairs of a missing run and the collection in which it is missing.
        scores: the scores of each collection by run; empty if only means are known.
        notes: notes on the runs' data.
    """

    collections: tuple[str, ...]
    runs: tuple[str, ...]
    measures: dict[str, Measure]
    values: dict[str, list[CollectionValues]]
    lacking: tuple[tuple[str, str], ...]
    scores: dict[str, dict[str, Scores]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()


def scored(
    given: CollectionsLike,
    runs: Sequence[tuple[str | None, str]],
    measures: MeasuresLike,
    *,
    absent: str = "refuse",
    policy: Policy | None = None,
    profile: ProfileLike = None,
    least: int = 2,
    **opening: Any,
) -> Scored:
    """Returns the scores of runs on several collections, after treating missing runs as ``absent`` says.

    Args:
        given: the collections, as for ``compare_collections``.
        runs: the name and the path of each run, with ``{collection}`` in the path; empty if the runs are given with the
            qrels.
        measures: the measures.
        absent: one of the words in ``carob.conventions.arguments.ABSENT``.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        least: the smallest number of runs and of collections that is accepted.
        opening: the arguments ``opened`` and ``judged`` of ``CollectionReader``.

    Raises:
        DataError: as in ``compare_collections``.
        PolicyError: ``absent`` is an unknown word.
    """
    refuse_other("absent", absent, arguments.ABSENT.words)
    missing = "error" if policy is None or "missing" not in policy.given else policy.missing
    own = CollectionReader(measures, missing, **opening).read(given, runs)
    if not own:
        raise DataError("There are no collections: pass at least two.")
    if all(is_values(its) for its in own.values()):
        return decided(from_means(own, measures), absent, least)
    return decided(from_scores(own, measures, {"policy": policy, "profile": profile}), absent, least)


@dataclass(frozen=True, eq=False)
class CollectionReader:
    """Reads the collections that a caller passes: the qrels and runs, the scores, or the means of each collection.

    Args:
        measures: the measures.
        missing: how to treat values that are missing from a file, as in ``read_scores``.
        opened: a function that opens a run, given its name and path; by default, it returns the path.
        judged: a function that opens judgments, given their path; by default, it returns the path.
        faults: the list to which errors about one collection are added; None to raise the first error.
    """

    measures: MeasuresLike = None
    missing: str = "zero"
    opened: Callable[[str, str], Any] = lambda _, path: path
    judged: Callable[[str], Any] = lambda path: path
    faults: Faults | None = None

    def read(self, given: CollectionsLike, runs: Sequence[tuple[str | None, str]] = ()) -> dict[str, Any]:
        """Returns the qrels and runs, the scores or the means of each collection.

        Args:
            given: as in ``scored``.
            runs: as in ``scored``.

        Raises:
            DataError: the collections are given in an unknown form, or their files are not found or are ambiguous.
        """
        found: dict[str, Any] = {}
        if isinstance(given, (str, os.PathLike)):
            with noted(self.faults):
                found = self.from_path(os.fspath(given), runs)
        elif is_frame(given):
            with noted(self.faults):
                found = self.from_rows("frame", list(SmallTable.of(given, "frame")))
        elif isinstance(given, Mapping):
            found = {str(name): its for name, its in given.items()}
        else:
            raise DataError(
                f"Collections cannot be read from {type(given).__name__}: pass a folder, a table, or a mapping "
                "from collections to (qrels, runs)."
            )
        return found

    def from_path(self, path: str, runs: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
        """Returns the qrels and runs, or the scores, of each collection in a folder or table."""
        table = not os.path.isdir(path) and not path.endswith(".toml")
        if table and not runs:
            rows = rows_in(path)
            if not is_table_of_files(rows):
                return self.from_rows(path, rows)
        found = {}
        for each in collections_in(path, runs, self.faults):
            with noted(self.faults, each.name):
                found[each.name] = self.of_files(each)
                if each.qrels is None and os.path.dirname(each.scores[0]) == path.rstrip(os.sep):
                    refuse_part(path, each.name, found)
        return found

    def of_files(self, files: CollectionFiles) -> Any:
        """Returns the qrels and runs of a collection, or its scores.

        Raises:
            DataError: there are neither judgments nor per-query scores.
        """
        if files.qrels is not None:
            return self.judged(files.qrels), {
                name: self.opened(name, path) for name, path in files.runs.items()
            }
        for each in files.scores:
            if not holds_scores(each):
                raise DataError(
                    "this file does not contain per-query scores, and there are no judgments in its folder: "
                    "put the files of each collection into a separate folder, with judgments in a file "
                    "whose name contains 'qrels'.",
                    file=each,
                )
        with inside(files.name, files.scores[0]):
            return read_scores(list(files.scores), self.measures, missing=self.missing)

    def from_rows(
        self, file: str, rows: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
    ) -> dict[str, Any]:
        """Returns the scores of each collection in a table of values. A column for the query is optional.

        Without a column for the query, each collection has one value for each run and measure.

        Raises:
            DataError: the table has no rows or no column of collections, or a collection has no name.
        """
        if not rows or "collection" not in rows[0][1]:
            raise DataError(
                "the table has no column 'collection', or no rows. Name the columns collection, run, optionally "
                "query, and add one column for each measure.",
                file=file,
            )
        only = [] if self.measures is None else names_in(self.measures)
        alone = str(only[0]) if len(only) == 1 else None
        names = [each for each in rows[0][1] if each != "collection"]
        by_query = Layout.fits(names)
        layout = Layout.of(names if by_query else [*names, "query"], alone, file)
        cells: dict[str, Cells] = {}
        for place, row in rows:
            name = text(row["collection"])
            if not name:
                raise DataError("the name of the collection is empty. Fill it in.", **place)
            rest = {key: value for key, value in row.items() if key != "collection"}
            if by_query:
                with inside(name, file):
                    own = cells.setdefault(name, Cells(file=file))
                    by_role(own, rest, "run", place, layout)
            else:
                own = cells.setdefault("", Cells(file=file, mark=MARK))
                by_role(own, {**rest, "query": MARK + name}, "run", place, layout)
        if by_query:
            found: dict[str, Any] = {}
            for name, each in cells.items():
                with inside(name, file):
                    found[name] = scores_of(each, only, self.missing)
            return found
        # A collection without any value is kept, so its runs are reported as missing.
        means: dict[str, Any] = {text(row["collection"]): {} for _, row in rows}
        for run, its in scores_of(cells[""], only, "skip").items():
            for query, values in zip(its.ids.texts, its.matrix.tolist(), strict=True):
                means[query.removeprefix(MARK)][run] = dict(zip(its.labels, values, strict=True))
        return means


def refuse_part(folder: str, name: str, found: Mapping[str, Any]) -> None:
    """Refuses a file of values that seems to add a run to another file's collection, as ``web-bm25`` does to ``web``.

    Args:
        folder: the folder of the files, each of which is a collection.
        name: the name of the file.
        found: the scores by run of each file read so far, including this file.

    Raises:
        DataError: the file's name begins with the name of another file or the reverse, and they have no run in common.
    """
    for other, its in found.items():
        whole, part = sorted((name, other), key=len)
        if part.startswith(tuple(f"{whole}{mark}" for mark in "-_.")) and not set(found[name]) & set(its):
            run = next(iter(found[part]))
            raise DataError(
                filled(
                    "'{whole}' and '{part}' have no run in common, but would count as two collections, because each "
                    "file of this folder is a collection. If '{part}' adds a run to '{whole}', make a folder for each "
                    "collection with a file for each run, such as {path}.",
                    whole=whole,
                    part=part,
                    path=os.path.join(folder, whole, f"{run}.json"),
                ),
                file=folder,
            )


@contextmanager
def inside(collection: str, file: str) -> Iterator[None]:
    """Adds the collection to the sentence of an error, and the file if the error names none.

    Raises:
        DataError: the error raised in the block, with the collection and the file added.
    """
    try:
        yield
    except DataError as error:
        named = error.within(lambda said: filled(INSIDE, collection=collection, said=said))
        raise named.at(file=error.file or file) from None


# ---------------------------------------------------------------- values


def is_values(given: Any) -> bool:
    """Returns whether the values of a collection are means: ``{run: number}`` or ``{run: {measure: number}}``."""

    def number(each: Any) -> bool:
        return each is None or (isinstance(each, (int, float, np.number)) and not isinstance(each, bool))

    if not isinstance(given, Mapping) or any(isinstance(each, Scores) for each in given.values()):
        return False
    return all(
        number(each)
        or (isinstance(each, Mapping) and bool(each) and all(number(value) for value in each.values()))
        for each in given.values()
    )


def from_means(own: Mapping[str, Any], measures: MeasuresLike) -> Scored:
    """Returns the values of collections for which only the means are known.

    Raises:
        DataError: a mean is infinite, or a requested measure is missing.
    """
    only = [] if measures is None else names_in(measures)
    label = str(only[0]) if only else "value"
    tables = {
        name: {str(run): its if isinstance(its, Mapping) else {label: its} for run, its in each.items()}
        for name, each in own.items()
    }
    known = dict.fromkeys(str(key) for each in tables.values() for its in each.values() for key in its)
    labels = chosen({key: measure_named(key) for key in known}, only)
    runs = tuple(dict.fromkeys(run for each in tables.values() for run in each))
    found: dict[str, list[CollectionValues]] = {}
    notes: list[Note] = []
    measured = {label: measure_named(key) for label, key in labels.items()}
    for label, key in labels.items():
        found[label] = []
        for name, each in tables.items():
            means = [each.get(run, {}).get(key) for run in runs]
            row = np.array([np.nan if value is None else float(value) for value in means])
            if np.isinf(row).any():
                raise DataError(
                    f"The value of run '{runs[int(np.flatnonzero(np.isinf(row))[0])]}' for collection "
                    f"'{name}' is infinite: use a finite number."
                )
            found[label].append(CollectionValues(row, None))
            doubts = [
                beyond_range(run, label, measured[label], row[at : at + 1]) for at, run in enumerate(runs)
            ]
            said = zip(runs, doubts, strict=True)
            notes += [Note(name, run, whole("doubt", each)) for run, each in said if each is not None]
    lacking = lacking_in(tuple(tables), runs, found)
    return Scored(tuple(tables), runs, measured, found, lacking, notes=tuple(notes))


def from_scores(own: Mapping[str, Any], measures: MeasuresLike, conventions: Mapping[str, Any]) -> Scored:
    """Returns the values of collections whose runs are evaluated, or whose per-query scores are given.

    Raises:
        DataError: a collection is given in an unknown form, or the measures or the policies of two collections differ.
    """
    scores: dict[str, dict[str, Scores]] = {}
    notes: list[Note] = []
    prints: dict[str, CollectionPrint] = {}
    for name, given in own.items():
        wanted = measures
        if measures is None and scores:
            wanted = next(iter(next(iter(scores.values())).values())).labels
        with told_of_check(name):
            read = read_of(name, given, wanted, conventions)
        scores[name] = {run: each.scores for run, each in read.systems.items()}
        notes += notes_of(name, read.systems)
        prints[name] = CollectionPrint.of(read.systems, read.qrels)
    notes += equal_collections(prints)
    runs = tuple(dict.fromkeys(run for each in scores.values() for run in each))
    first = next(iter(next(iter(scores.values())).values()))
    for name, its in scores.items():
        one = next(iter(its.values()))
        if one.measures != first.measures:
            raise DataError(
                f"Collection '{name}' and the first collection were evaluated with different measures: use the same "
                "measures for all collections."
            )
        if one.policy != first.policy:
            raise DataError(
                f"Collection '{name}' was evaluated under a different policy ({one.policy.describe()}) from the first "
                f"collection ({first.policy.describe()}): evaluate all collections under the same policy."
            )
    found: dict[str, list[CollectionValues]] = {label: [] for label in first.labels}
    for name, its in scores.items():
        for table in tables_of(list(its.values()))[1]:
            found[table.label].append(values_of(table, [runs.index(each) for each in its], len(runs), name))
    measured = dict(zip(first.labels, first.measures, strict=True))
    lacking = lacking_in(tuple(scores), runs, found)
    return Scored(tuple(scores), runs, measured, found, lacking, scores, tuple(notes))


@contextmanager
def told_of_check(collection: str) -> Iterator[None]:
    """Adds the collection to an error that does not name it, and a remedy that says how to see the faults of all runs.

    Raises:
        DataError: the error raised in the block, with the additions.
    """
    try:
        yield
    except DataError as error:
        if collection not in str(error):
            error.within(lambda said: filled(INSIDE, collection=collection, said=said))
        check = Worded("carob.check_collections", "carob check --collections")
        all_faults = filled("{check} lists the problems of all runs.", check=check)
        raise error.at(remedy=worded(*([error.remedy, " "] if error.remedy else []), all_faults)) from None


def read_of(name: str, given: Any, measures: MeasuresLike, conventions: Mapping[str, Any]) -> Read:
    """Returns the runs of one collection with their scores.

    Raises:
        DataError: the collection is given in an unknown form, or has no runs.
    """
    if isinstance(given, tuple) and len(given) == 2:
        qrels, runs = given
        if not runs:
            raise DataError(f"Collection '{name}' has no runs: add runs, or leave the collection out.")
    elif isinstance(given, (Mapping, list)):
        values = given.values() if isinstance(given, Mapping) else given
        if not given or not all(isinstance(each, Scores) for each in values):
            raise DataError(filled(UNKNOWN_FORM, collection=name))
        qrels, runs = None, given
    else:
        raise DataError(filled(UNKNOWN_FORM, collection=name))
    return Evidence(qrels, runs, **conventions).read(measures, least=1)


def values_of(table: RunTable, places: list[int], runs: int, name: str) -> CollectionValues:
    """Returns the values of one collection by one measure, with a column for each run of all collections.

    Args:
        table: the values of the collection's runs.
        places: the columns in the result for these runs.
        runs: the number of all runs.
        name: the collection.

    Raises:
        DataError: the aggregate is a geometric mean, or no query has a value in all runs.
    """
    if table.geometric:
        raise DataError(
            f"{table.label} is a geometric mean, which cannot be averaged over collections. Use a measure with an "
            "arithmetic mean, such as AP instead of GMAP."
        )
    whole = table.complete()
    if not len(whole.values):
        raise DataError(
            f"Collection '{name}': no query has a value of {table.label} in all runs. Check the runs, or "
            "leave the collection out."
        )
    own = np.full((len(whole.values), runs), np.nan)
    own[:, places] = whole.observed
    return CollectionValues(own.mean(axis=0), len(own), len(table.values) - len(own), own)


# ---------------------------------------------------------------- missing runs


def lacking_in(
    names: tuple[str, ...], runs: tuple[str, ...], values: Mapping[str, list[CollectionValues]]
) -> tuple[tuple[str, str], ...]:
    """Returns the pairs of a run and a collection in which the run has no value for at least one measure."""
    there = np.array([[each.means for each in its] for its in values.values()])
    return tuple(
        (runs[run], names[place]) for place, run in np.argwhere(np.isnan(there).any(axis=0)).tolist()
    )


def decided(found: Scored, absent: str, least: int = 2) -> Scored:
    """Returns the values after treating missing runs as requested.

    Raises:
        DataError: a run is missing and the caller did not choose how to treat it, or nothing is left to compare.
    """
    if found.lacking and absent == "refuse":
        shown = ", ".join(f"{run} in {name}" for run, name in found.lacking[:MOST_NAMED])
        more = len(found.lacking) - MOST_NAMED
        words = {"count": len(found.lacking), "shown": shown + (f" and {more} more" if more > 0 else "")}
        raise DataError(
            filled("{count:run is/runs are} missing from a collection: {shown}.", **words), remedy=REMEDY
        )
    if found.lacking and absent == "zero":
        found = replace(
            found,
            values={
                label: [each.changed(np.nan_to_num) for each in its] for label, its in found.values.items()
            },
        )
    elif found.lacking and absent.startswith("drop"):
        found = without(found, collections=absent == "drop-collections")
    if len(found.collections) < least or len(found.runs) < least:
        words = {"collections": len(found.collections), "runs": len(found.runs)}
        raise DataError(
            filled(
                "{collections:collection} and {runs:run} are left, which are too few to compare: pass at least "
                "two collections and two runs.",
                **words,
            )
        )
    return found


def without(found: Scored, *, collections: bool) -> Scored:
    """Returns the values without the collections in which a run is missing, or without those runs."""
    lost = {name if collections else run for run, name in found.lacking}
    names = [name for name in found.collections if not collections or name not in lost]
    runs = [run for run in found.runs if collections or run not in lost]
    columns = [found.runs.index(run) for run in runs]
    return replace(
        found,
        collections=tuple(names),
        runs=tuple(runs),
        values={
            label: [
                each.changed(lambda array: array[..., columns])
                for name, each in zip(found.collections, its, strict=True)
                if name in names
            ]
            for label, its in found.values.items()
        },
        scores={
            name: {run: each for run, each in found.scores.get(name, {}).items() if run in runs}
            for name in names
        },
        notes=tuple(
            each for each in found.notes if (each.collection if collections else each.run) not in lost
        ),
    )


# ---------------------------------------------------------------- results


@dataclass(frozen=True, eq=False, repr=False)
class OnCollections(Documented):
    """A result about runs on several collections. The subclasses document the fields."""

    collections: tuple[str, ...]
    names: tuple[str, ...]
    scores: dict[str, dict[str, Scores]]
    lacking: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]

    @cached_property
    def first(self) -> Scores | None:
        """The scores of one run, whose policy and profile all runs share; None if only means are known."""
        return next((each for its in self.scores.values() for each in its.values()), None)

    @cached_property
    def noted(self) -> list[tuple[str, str]]:
        """The kind and the sentence of each summary of notes."""
        return summaries(self.notes, {name: len(self.scores.get(name, ())) for name in self.collections})

    @property
    def remarks(self) -> list[str]:
        """The sentences about the data that are not warnings, such as sentences about duplicates and ties."""
        return [said for kind, said in self.noted if kind not in DOUBTFUL]

    @property
    def doubts(self) -> list[str]:
        """The sentences about the data that are warnings."""
        return [said for kind, said in self.noted if kind in DOUBTFUL]

    @property
    def queries(self) -> int | None:
        """The total number of queries in all collections; None if only means are known."""
        counts = [max(len(each.ids) for each in its.values()) for its in self.scores.values() if its]
        return sum(counts) if self.scores else None

    @property
    def title(self) -> str:
        """The title of a page."""
        return filled(TITLE, runs=len(self.names), collections=len(self.collections))

    def heading(self) -> str:
        """Returns the number of collections, runs and queries."""
        words = {"collections": len(self.collections), "runs": len(self.names), "queries": self.queries}
        return filled(HEADING_OF_MEANS if self.queries is None else HEADING, **words)

    def lacks(self, key: str) -> list[str]:
        """Returns a list with the sentence about the missing runs, empty if no run is missing.

        Args:
            key: the key of the sentence that states how missing runs are treated.
        """
        where = [f"{run} in {name}" for run, name in self.lacking]
        return [filled(LACKING[key], count=len(where), shown=listed(where))] if where else []

    def note_records(self) -> Records:
        """Returns a row for each fact about the data of a run."""
        return Records(NOTED, [list(each.as_dict().values()) for each in self.notes])

    def footers(self) -> list[str]:
        """Returns the sentences below the tables that are not warnings."""
        raise NotImplementedError

    def warnings(self) -> list[str]:
        """Returns sentences that say why the result is doubtful."""
        raise NotImplementedError

    def beside(self) -> list[str]:
        """Returns the facts about the data, which do not fit in CSV and TSV."""
        return [*self.warnings(), *self.remarks]

    def known(self) -> dict[str, Any]:
        """Returns the facts about the data as the last fields of the JSON document."""
        return {
            "warnings": self.warnings(),
            "footers": self.footers(),
            "notes": [each.as_dict() for each in self.notes],
            "policy": None if self.first is None else self.first.policy.as_dict(),
            "profile": None if self.first is None else self.first.profile,
            "carob": __version__,
        }


LONGEST_NAME = 24
"""The maximum width of a name in text, because tables must fit the line."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionsScores(OnCollections):
    """The scores of runs on several collections. ``str(scores)`` returns a table for each measure, with footers.

    Args:
        collections: the collections.
        names: the runs.
        scores: the scores of each collection by run; empty if only means are known.
        lacking: the pairs of a missing run and the collection in which it is missing.
        notes: the facts about the data of each run in each collection.
        measures: the measures by label.
        values: the mean of each run on each collection, by label and collection; NaN for a missing run.
        absent: how missing runs are treated, as in ``evaluate_collections``.

    Example:
        >>> import carob
        >>> values = {"web": {"a": 0.3, "b": 0.4}, "news": {"a": 0.2, "b": 0.5}}
        >>> found = carob.evaluate_collections(values, "AP")
        >>> found.means("AP"), found.values["AP"]["news"]["b"]
        ({'a': 0.25, 'b': 0.45}, 0.5)
    """

    measures: dict[str, Measure]
    values: dict[str, dict[str, dict[str, float]]]
    absent: str = "skip"

    def means(self, measure: str) -> dict[str, float]:
        """Returns the macro mean of each run over all collections; NaN for a run that is missing in any collection.

        Args:
            measure: the label of the measure.

        Raises:
            KeyError: the measure was not evaluated.
        """
        columns = [[its[run] for its in self.values[measure].values()] for run in self.names]
        return {run: math.fsum(each) / len(each) for run, each in zip(self.names, columns, strict=True)}

    def by_collection(self) -> ScoresByRun:
        """Returns the scores of each run with collections instead of queries, in the form ``carob.best`` accepts."""
        ids = Names.of_bytes(sorted(each.encode("utf-8", "surrogateescape") for each in self.collections))
        policy = Policy() if self.first is None else self.first.policy
        made = []
        for run in self.names:
            matrix = np.array(
                [[self.values[label][name][run] for label in self.measures] for name in ids.texts]
            )
            made.append(
                Scores(
                    name=run,
                    labels=tuple(self.measures),
                    measures=tuple(self.measures.values()),
                    ids=ids,
                    matrix=np.nan_to_num(matrix),
                    policy=policy,
                    counts=Counts(queries=len(ids), judged=len(ids)),
                    bounds={},
                    counted=None if not np.isnan(matrix).any() else ~np.isnan(matrix),
                )
            )
        return ScoresByRun(made)

    def without(self, collections: Collection[str]) -> CollectionsScores:
        """Returns the scores without some collections and the notes on their data."""
        kept = [name for name in self.collections if name not in collections]
        return replace(
            self,
            collections=tuple(kept),
            values={label: {name: its[name] for name in kept} for label, its in self.values.items()},
            scores={name: self.scores[name] for name in kept if name in self.scores},
            lacking=tuple(each for each in self.lacking if each[1] in kept),
            notes=tuple(each for each in self.notes if each.collection in kept),
        )

    # ------------------------------------------------------------ sentences

    def footers(self) -> list[str]:
        """Returns the sentences about the data that are not warnings, a sentence about the means, and the policy."""
        said = [*self.remarks, MACRO]
        if self.first is not None:
            said.append(signature(self.first))
        return said

    def warnings(self) -> list[str]:
        """Returns the warnings about the data and the sentence about missing runs."""
        key = "no mean" if self.absent == "skip" else f"absent:{self.absent}"
        return [*self.doubts, *self.lacks(key)]

    # ------------------------------------------------------------ formats

    def document(
        self, layout: str = "text", /, *, digits: int | None = None, per_query: bool = False
    ) -> Document:
        """Returns a table of runs and collections for each measure, and the sentences below.

        Args:
            layout: ``text`` or the name of a format.
            digits: the number of decimals; by default that of the profile.
            per_query: whether to show one table of all queries instead.
        """
        places = digits if digits is not None else 4 if self.first is None else self.first.digits
        if per_query:
            header, rows = self.rows(places, per_query=True)
            tables = [Section([Table(header, rows, 3, 3)])]
        else:
            tables = [Section([self.table(label, layout, places)], label) for label in self.measures]
        below = [Section([Items(self.footers(), "footer", hang=0)]), Section.warned(self.warnings())]
        title = self.title if layout == "html" else ""
        return Document([Section([Line(self.heading())]), *tables, *below], title)

    def table(self, label: str, layout: str, digits: int) -> Table:
        """Returns the values by one measure: a row for each run, a column for each collection, and the mean."""
        names, titles = list(self.names), list(self.collections)
        if layout == "text":
            names, titles = apart(names, LONGEST_NAME), apart(titles, LONGEST_NAME)
        cell, means = self.cell(label, digits), self.means(label)
        rows = [
            [name, *(cell(self.values[label][each][run]) for each in self.collections), cell(means[run])]
            for run, name in zip(self.names, names, strict=True)
        ]
        return Table(["run", *titles, "macro\nmean"], rows, 1)

    def cell(self, label: str, digits: int | None) -> Callable[[float], str]:
        """Returns the function that writes a value of a measure."""
        return partial(shown, kind=self.measures[label].definition.aggregate, digits=digits)

    def rows(self, digits: int | None, *, per_query: bool = False) -> tuple[list[str], list[list[str]]]:
        """Returns the header and a row for each collection and run, or rows for each of their queries and for the mean.

        Args:
            digits: the number of decimals; None for full precision.
            per_query: whether to include a row for each query.
        """
        exact = per_query and digits is None
        header = ["collection", "run", *["query"] * per_query, *self.measures, *[MISSING] * exact]
        cells = {label: self.cell(label, digits) for label in self.measures}
        found = []
        for name in self.collections:
            for run in self.names:
                scores, rows = self.scores.get(name, {}).get(run), []
                if per_query and scores is not None:
                    by_query = {label: scores.by_query(label) for label in self.measures}
                    rows = [
                        [query, *(cells[label](its.get(query, math.nan)) for label, its in by_query.items())]
                        for query in scores.queries
                    ]
                whole = [cells[label](its[name][run]) for label, its in self.values.items()]
                whole = [*["all"] * per_query, *whole]
                if exact:
                    rows = [[*whole, ""]] if scores is None else with_missing(scores, rows, whole)
                else:
                    rows.append(whole)
                found += [[name, run, *row] for row in rows]
        return header, found

    def separated(self, layout: str) -> str:
        """Returns CSV or TSV with a row for each collection, run and query, and a row for each mean, in full precision.

        Args:
            layout: ``csv`` or ``tsv``.
        """
        return lay_out(layout, *self.rows(None, per_query=True), 3)

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``collections``, with a row for each collection and run, and the table ``notes``."""
        return {"collections": self.cell_records, "notes": self.note_records}

    def cell_records(self) -> Records:
        """Returns a row for each collection and run."""
        rows = [
            (name, run, *(its[name][run] for its in self.values.values()))
            for name in self.collections
            for run in self.names
        ]
        written = {label: self.cell(label, None) for label in self.measures}
        return Records(["collection", "run", *self.measures], rows, written)

    def contents(self, *, per_query: bool = False) -> dict[str, Any]:
        """Returns a JSON document like that of ``carob eval`` for each collection, with means over collections.

        Args:
            per_query: whether to include the per-query scores.
        """
        documents = [
            {
                "name": name,
                "runs": document_of(list(self.scores[name].values()), per_query=per_query)["runs"]
                if self.scores.get(name)
                else [
                    {"name": run, "means": {label: its[name][run] for label, its in self.values.items()}}
                    for run in self.names
                ],
            }
            for name in self.collections
        ]
        return {
            "collections": documents,
            "means": {label: self.means(label) for label in self.measures},
            "measures": {label: str(each) for label, each in self.measures.items()},
            "lacking": [{"run": run, "collection": name} for run, name in self.lacking],
            "absent": self.absent,
            **self.known(),
        }


def evaluate_collections(
    collections: CollectionsLike,
    measures: MeasuresLike = None,
    *,
    runs: Sequence[tuple[str | None, str]] = (),
    absent: str = "skip",
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> CollectionsScores:
    """Score runs on several collections: a table of runs and collections for each measure.

    Args:
        collections: as in ``carob.compare_collections``.
        measures: names or ``Measure`` objects; carob's default measures if None.
        runs: as in ``carob.compare_collections``.
        absent: how to treat a run that is missing in a collection: ``skip`` omits its value and its mean; ``refuse``,
            ``zero``, ``drop-collections`` and ``drop-runs`` work as in ``carob.compare_collections``.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Returns:
        The values, the scores of each run in each collection, and the facts about the data.

    Raises:
        DataError: the input is invalid, or a run is missing, unless ``absent`` allows it.
        MeasureError: a measure does not exist.
        PolicyError: ``absent`` is an unknown word.

    Example:
        >>> import carob
        >>> qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2.0, "d1": 1.0}}
        >>> found = carob.evaluate_collections({"web": (qrels, {"a": run}), "news": (qrels, {"a": qrels})}, "RR")
        >>> found.means("RR"), found.scores["web"]["a"].by_query("RR")
        ({'a': 0.75}, {'q1': 0.5})
    """
    return evaluated_collections(
        scored(collections, runs, measures, absent=absent, policy=policy, profile=profile, least=1), absent
    )


def evaluated_collections(found: Scored, absent: str) -> CollectionsScores:
    """Returns the scores of runs on several collections, after treating missing runs as requested."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    for label, its in found.values.items():
        values[label] = {}
        for name, each in zip(found.collections, its, strict=True):
            own = found.scores.get(name, {})
            values[label][name] = {
                # The mean over all queries that the run has, not only over the queries that all runs have.
                run: own[run][label] if run in own else mean
                for run, mean in zip(found.runs, each.means.tolist(), strict=True)
            }
    return CollectionsScores(
        found.collections,
        found.runs,
        found.scores,
        found.lacking,
        found.notes,
        found.measures,
        values,
        absent,
    )
