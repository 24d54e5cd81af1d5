"""What is known about the data of each run in each collection, its summary in a few sentences, and results with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob._version import __version__
from carob.comparison.findings import say
from carob.comparison.verdict import listed
from carob.evaluation.score_tables import SAME, facts_of, footers, whole
from carob.evaluation.suspects import CutLists, copies, fingerprint
from carob.output.document import Documented
from carob.output.errors import Worded
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.comparison.evidence import Read, System
    from carob.evaluation.score_tables import Fact
    from carob.evaluation.scores import Scores

NOTED = ("kind", "collection", "run", "other", "count", "of", "sentence")
"""The columns of a table of notes."""

DOUBTFUL = (
    "doubt",
    "failed",
    "same-collection",
    "perfect",
    "identical-runs",
    "lengths",
    "constant",
    "infinite",
    "missing",
    "nothing",
)
"""The kinds that are warnings, the most severe first."""

MOST_PLACES = 5
"""The most runs and collections that a sentence names."""

MOST_ALIKE = 3
"""The most sentences of a kind in a summary, such as warnings with different words."""


@dataclass(frozen=True, eq=False, repr=False)
class Note:
    """Something known about the data of a run in a collection, without which its values may mislead.

    Args:
        collection: the collection; empty if there is only one.
        run: the run; empty if the fact is about all runs of the collection.
        fact: the fact, as in the footer of an evaluation.
        other: the run or the collection that this one equals; None for other facts.
        of: the number of queries or lists that might have been concerned; None if that is not meant.
    """

    collection: str
    run: str
    fact: Fact
    other: str | None = None
    of: int | None = None

    @property
    def kind(self) -> str:
        """The kind of the fact, such as ``missing``, ``duplicates``, ``malformed``, ``tied`` or ``perfect``."""
        return self.fact.kind

    @property
    def count(self) -> int:
        """The number of queries, documents or lines concerned."""
        return self.fact.count

    @property
    def sentence(self) -> str:
        """The fact as a sentence about this run."""
        return self.fact.told()

    @property
    def subject(self) -> str:
        """The run, or both runs or collections that are equal."""
        its = self.run or self.collection
        return its if self.other is None else f"{its} = {self.other}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the note as plain values."""
        return {name: getattr(self, name) for name in NOTED}


def notes_of(collection: str, systems: Mapping[str, System]) -> list[Note]:
    """Returns what is known about the runs of a collection.

    Args:
        collection: the collection.
        systems: its runs.
    """
    notes = [note for name, each in systems.items() for note in notes_of_run(collection, name, each)]
    return [*notes, *equal_runs(collection, systems), *cut_lists(collection, systems)]


def notes_of_run(collection: str, run: str, system: System) -> Iterator[Note]:
    """Yields the facts of the footer and the warnings of a run."""
    scores = system.scores
    counts = scores.counts
    totals = {"missing": counts.judged, "constant": counts.judged - len(counts.missing)}
    for each in facts_of(scores):
        if not each.kind.startswith(SAME):
            yield Note(collection, run, each, of=totals.get(each.kind))
    for said in scores.warnings:
        yield Note(collection, run, whole("doubt", said))


def cut_lists(collection: str, systems: Mapping[str, System]) -> Iterator[Note]:
    """Yields the runs whose lists end before those of another run of the collection, if a measure reads further."""
    cut = CutLists.of({name: each.scores for name, each in systems.items()})
    if cut is None:
        return
    for run in cut.runs:
        words = {"longest": cut.longest, "labels": listed(cut.labels)}
        yield Note(
            collection, run, whole("lengths", say("collections", "lengths", shortest=cut.shortest, **words))
        )


def equal_runs(collection: str, systems: Mapping[str, System]) -> Iterator[Note]:
    """Yields the runs that rank the judged documents as an earlier run does, or have its values for every query."""
    for key, prints in prints_of(systems).items():
        names = list(prints)
        for place, first in copies(list(prints.values())).items():
            fact = whole("identical-runs", say("collections", f"identical:{key}"))
            yield Note(collection, names[place], fact, names[first])


def prints_of(systems: Mapping[str, System]) -> dict[str, dict[str, bytes]]:
    """Returns a text for each run that is the same for the same ``rankings`` or, of scores alone, ``values``."""
    kinds: dict[str, dict[str, bytes]] = {"rankings": {}, "values": {}}
    for name, each in systems.items():
        if each.found is None:
            kinds["values"][name] = fingerprint(each.scores.matrix, np.array(each.scores.ids.texts))
        elif len(each.found.whole.rank):
            rows = each.found.whole
            kinds["rankings"][name] = fingerprint(rows.offsets, rows.rank, rows.grade, rows.length)
    return kinds


MOST_COMPARED = 2000
"""The judgments of a collection whose documents are compared with those of other collections."""


class CollectionPrint(NamedTuple):
    """What shows that a collection is a copy of another one.

    Args:
        judgments: the same for the same judgments, in any order of lines; None of scores alone.
        runs: for each run the same for the same ranking or the same values.
    """

    judgments: bytes | None
    runs: dict[str, bytes]

    @classmethod
    def of(cls, found: Read) -> CollectionPrint:
        """Returns the print of a collection. Only some documents are compared, of queries from first to last."""
        runs = {run: each for its in prints_of(found.systems).values() for run, each in its.items()}
        if found.qrels is None:
            return cls(None, runs)
        judgments = found.qrels.judgments
        offsets, grades, some = judgments.offsets, judgments.grades, []
        step = 1 + judgments.count // MOST_COMPARED
        for query in range(0, judgments.query_count, step):
            its = grades[offsets[query] : offsets[query + 1]].tolist()
            some += [(query, *each) for each in sorted(zip(judgments.documents(query), its, strict=True))]
        texts = [*judgments.queries, repr(some).encode()]
        return cls(fingerprint(np.array(texts, object).astype(bytes), np.diff(offsets)), runs)


def equal_collections(prints: Mapping[str, CollectionPrint]) -> Iterator[Note]:
    """Yields the collections with the judgments of an earlier one. If the runs are equal, too, they count twice."""
    first: dict[bytes, str] = {}
    for name, each in prints.items():
        key = fingerprint(np.array(list(each.runs.values()))) if each.judgments is None else each.judgments
        other = first.setdefault(key, name)
        if other != name:
            its = prints[other].runs
            shared = its.keys() & each.runs.keys()
            same = bool(shared) and all(its[run] == each.runs[run] for run in shared)
            kind = "same-collection" if same else "same-judgments"
            yield Note(name, "", whole(kind, say("collections", kind)), other)


OF_JUDGES = ("failed", "nothing", "fractions", "lowest ratings", "covered", "nearly covered")
"""The kinds of facts that another judge of the same runs adds."""


class Known(NamedTuple):
    """What is known about the data of runs on one collection, without which their values may mislead.

    Args:
        warnings: what makes the values doubtful: scores upside down, equal or perfect runs.
        footers: the lines of the footer of an evaluation.
    """

    warnings: tuple[str, ...]
    footers: tuple[str, ...]


def known_of(
    systems: Mapping[str, System], others: Mapping[str, Mapping[str, System]] | None = None
) -> Known:
    """Returns what an evaluation of the same files says, and which runs are equal or perfect.

    Args:
        systems: the runs, under the first judge if there are several.
        others: the runs under each other judge, for whom only facts that depend on the judgments are reported.
    """
    warned = [doubt for each in systems.values() for doubt in each.scores.warnings]
    warned += summed(notes_of("", systems), ("perfect", "identical-runs", "lengths"), len(systems))
    lines = footers([each.scores for each in systems.values()], without=("perfect",))
    first = summed(notes_of("", systems), OF_JUDGES, len(systems))
    for judge, own in (others or {}).items():
        warned += [doubt for each in own.values() for doubt in each.scores.warnings]
        its = summed(notes_of("", own), OF_JUDGES, len(own))
        lines += [f"{judge}: {each[:1].lower()}{each[1:]}" for each in its if each not in first]
    return Known(tuple(dict.fromkeys(warned)), tuple(lines))


def summed(notes: Iterable[Note], kinds: Sequence[str], runs: int) -> list[str]:
    """Returns the summaries of the notes of some kinds about runs of one collection."""
    return [said for _, said in summaries([each for each in notes if each.kind in kinds], {"": runs})]


# ---------------------------------------------------------------- summaries


def summaries(notes: Iterable[Note], runs: Mapping[str, int]) -> list[tuple[str, str]]:
    """Returns the kind and the sentence of each group of notes. A sentence names the first runs and counts the others.

    Args:
        notes: the notes.
        runs: the number of runs of each collection.
    """
    groups: dict[str, dict[Any, list[Note]]] = {}
    for each in notes:
        fact = each.fact
        words = tuple((key, str(word)) for key, word in fact.words.items() if key not in fact.own)
        groups.setdefault(fact.kind, {}).setdefault((fact.one, words), []).append(each)
    order = [
        *(kind for kind in DOUBTFUL if kind in groups),
        *(kind for kind in groups if kind not in DOUBTFUL),
    ]
    found = []
    for kind in order:
        its = sorted(groups[kind].values(), key=len, reverse=True)
        found += [(kind, summary(each, runs)) for each in its[:MOST_ALIKE]]
        if len(its) > MOST_ALIKE:
            more, json = len(its) - MOST_ALIKE, Worded("notes", "--format json")
            found.append((kind, say("collections", "more notes", count=more, json=json)))
    return found


def summary(notes: Sequence[Note], runs: Mapping[str, int]) -> str:
    """Returns one sentence in place of notes that say the same about several runs or collections."""
    fact, places, most = notes[0].fact, places_of(notes, runs), ""
    said = fact.told() if len(notes) == 1 else fact.told(total=sum(count for _, count, _ in places))
    widest = max(notes, key=lambda each: each.fact.reach)
    if len(notes) > 1 and widest.fact.reach > 0:
        where = f"{widest.run}{within([widest.collection], runs)}"
        most = say("collections", "widest", place=where, **widest.fact.words)
    plain = len(places) == 1 or "{count}" not in fact.many
    shown = [
        f"{place} ({count} of {of})" if of else place if plain else f"{place} ({count})"
        for place, count, of in places
    ]
    # A name keeps its own letters.
    start = said[:1] if any(said.startswith(f"{each.run}:") for each in notes) else said[:1].upper()
    return f"{start}{said[1:].removesuffix('.')}: {listed(shown, MOST_PLACES)}{most}."


def places_of(notes: Sequence[Note], runs: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """Returns where something was found, how often, and of how many; first what is found in every run.

    What is found equally often in every run of a collection comes from its judgments, and counts once.
    """
    by_collection: dict[str, list[Note]] = {}
    by_subject: dict[str, list[Note]] = {}
    for each in notes:
        by_collection.setdefault(each.collection, []).append(each)
    every = {
        name: own[0].count
        for name, own in by_collection.items()
        if own[0].run
        and len(own) == runs[name] > 1
        and own[0].of is None
        and len({each.count for each in own}) == 1
    }
    for each in notes:
        if each.collection not in every:
            by_subject.setdefault(each.subject, []).append(each)
    found = [
        (
            subject + (within([each.collection for each in own], runs) if own[0].run else ""),
            sum(each.count for each in own),
            sum(each.of or 0 for each in own),
        )
        for subject, own in by_subject.items()
    ]
    found.sort(key=lambda place: -place[1])
    return [(f"every run{within(list(every), runs)}", sum(every.values()), 0)] * bool(every) + found


def within(collections: Sequence[str], runs: Mapping[str, int]) -> str:
    """Returns the name of one collection, or the number of several; nothing if one has no name."""
    if list(collections) == [""]:
        return ""
    if len(collections) == 1:
        return f" in {collections[0]}"
    every = "all " if len(collections) == len(runs) else ""
    return f" in {every}{len(collections)} collections"


# ---------------------------------------------------------------- results


@dataclass(frozen=True, eq=False, repr=False)
class OnCollections(Documented):
    """A result about runs on several collections, with what is known about their data.

    Args:
        collections: the collections.
        names: the runs.
        scores: the scores of each collection by run; empty where only means are known.
        lacking: the pairs of a run and a collection that lacks it.
        notes: what is known about the data of each run in each collection.
    """

    collections: tuple[str, ...]
    names: tuple[str, ...]
    scores: dict[str, dict[str, Scores]]
    lacking: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]

    @cached_property
    def first(self) -> Scores | None:
        """The scores of one run, whose policy and profile are those of all runs; None where only means are known."""
        return next((each for its in self.scores.values() for each in its.values()), None)

    @cached_property
    def noted(self) -> list[tuple[str, str]]:
        """The kind and the sentence of each summary of notes."""
        return summaries(self.notes, {name: len(self.scores.get(name, ())) for name in self.collections})

    @property
    def remarks(self) -> list[str]:
        """The sentences about the data that are not warnings, such as those about duplicates and ties."""
        return [said for kind, said in self.noted if kind not in DOUBTFUL]

    @property
    def doubts(self) -> list[str]:
        """The sentences about the data that are warnings."""
        return [said for kind, said in self.noted if kind in DOUBTFUL]

    def lacks(self, key: str) -> list[str]:
        """Returns the sentence that names the missing runs, if there are any.

        Args:
            key: the sentence, which says how they are treated.
        """
        where = [f"{run} in {name}" for run, name in self.lacking]
        return [say("collections", key, count=len(where), shown=listed(where))] if where else []

    def note_records(self) -> Records:
        """Returns a row for each fact about the data of a run."""
        return Records(NOTED, [list(each.as_dict().values()) for each in self.notes])

    def footers(self) -> list[str]:
        """Returns the sentences below the tables that are not warnings."""
        raise NotImplementedError

    def warnings(self) -> list[str]:
        """Returns what makes the result doubtful."""
        raise NotImplementedError

    def beside(self) -> list[str]:
        """Returns what is known about the data, which CSV and TSV have no place for."""
        return [*self.warnings(), *self.remarks]

    def known(self) -> dict[str, Any]:
        """Returns what is known about the data as the last fields of the JSON document."""
        return {
            "warnings": self.warnings(),
            "footers": self.footers(),
            "notes": [each.as_dict() for each in self.notes],
            "policy": None if self.first is None else self.first.policy.as_dict(),
            "profile": None if self.first is None else self.first.profile,
            "carob": __version__,
        }
