"""Notes on the data of each run in each collection, and a summary of the notes in a few sentences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.evaluation.score_tables import data_facts, footers, whole
from carob.evaluation.suspects import CutLists, copies, fingerprint
from carob.inputs.digests import entry_of_judgments, identity
from carob.output.errors import Worded
from carob.output.language import filled
from carob.output.layout import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.evaluation.evidence import System
    from carob.evaluation.score_tables import Fact
    from carob.evaluation.scores import Scores
    from carob.inputs.qrels import Qrels

NOTED = ("kind", "collection", "run", "other", "count", "of", "sentence")
"""The columns of a table of notes."""

DOUBTFUL = (
    "doubt",
    "failed",
    "same-collection",
    "judgments",
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
"""The maximum number of runs and collections that a sentence names."""

MOST_ALIKE = 3
"""The maximum number of notes of one kind with different wordings in a summary."""


@dataclass(frozen=True, eq=False, repr=False)
class Note:
    """A note on the data of a run in a collection. Without the note, the run's values may mislead.

    Args:
        collection: the collection; empty if there is only one.
        run: the run; empty if the fact is about all runs of the collection.
        fact: the fact, as in the footer of an evaluation.
        other: for a copy, the run or the collection that it equals; None for other facts.
        of: the number of queries or lists to which the fact could have applied; None if it is unknown.
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
        """The number of queries, documents or lines to which the fact applies."""
        return self.fact.count

    @property
    def sentence(self) -> str:
        """The fact as a sentence about this run."""
        return self.fact.told()

    @property
    def subject(self) -> str:
        """The run, or the two equal runs or collections."""
        its = self.run or self.collection
        return its if self.other is None else f"{its} = {self.other}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the note as a dictionary of plain values."""
        return {name: getattr(self, name) for name in NOTED}


def notes_of(collection: str, systems: Mapping[str, System]) -> list[Note]:
    """Returns the notes on the runs of a collection.

    Args:
        collection: the collection.
        systems: its runs.
    """
    return [
        *notes_of_runs(collection, systems),
        *equal_runs(collection, systems),
        *cut_lists(collection, systems),
        *otherwise_judged(collection, systems),
    ]


def notes_of_runs(collection: str, systems: Mapping[str, System]) -> list[Note]:
    """Returns the notes on single runs of a collection, without comparisons between runs."""
    return [note for name, each in systems.items() for note in notes_of_run(collection, name, each)]


def notes_of_run(collection: str, run: str, system: System) -> list[Note]:
    """Returns notes with the facts about the data of a run and with the run's warnings."""
    scores = system.scores
    counts = scores.counts
    totals = {"missing": counts.judged, "constant": counts.judged - len(counts.missing)}
    return [
        *(Note(collection, run, each, of=totals.get(each.kind)) for each in data_facts(scores)),
        *(Note(collection, run, whole("doubt", said)) for said in scores.warnings),
    ]


def cut_lists(collection: str, systems: Mapping[str, System]) -> Iterator[Note]:
    """Yields notes on runs whose lists are shorter than another run's, if a measure reads beyond their end."""
    cut = CutLists.of({name: each.scores for name, each in systems.items()})
    if cut is None:
        return
    for run in cut.runs:
        said = (
            f"the longest list has {cut.shortest:,} documents, but {cut.longest:,} in another run, so shorter lists "
            f"are at a disadvantage in {listed(cut.labels)}"
        )
        yield Note(collection, run, whole("lengths", said))


def otherwise_judged(collection: str, systems: Mapping[str, System]) -> Iterator[Note]:
    """Yields notes on runs that were scored with other judgments than most runs."""
    names = list(systems)
    first, others = other_judgments([each.scores for each in systems.values()])
    for run in others:
        said = f"scored with different judgments from {names[first]}, which may cause part of the differences"
        yield Note(collection, names[run], whole("judgments", said))


def other_judgments(scores: Sequence[Scores]) -> tuple[int, list[int]]:
    """Returns the first run with the judgments of most runs, and the runs that were scored with other judgments."""
    known = identities(scores)
    counts = Counter(filter(None, known))
    if len(counts) < 2:
        return 0, []
    usual = counts.most_common(1)[0][0]
    return known.index(usual), [place for place, each in enumerate(known) if each not in ("", usual)]


def identities(scores: Sequence[Scores]) -> list[str]:
    """Returns the identity of each run's judgments; an empty text if it is unknown or if all runs share them."""
    origins = [each.inputs.get("qrels") for each in scores]
    if origins[0] is not None and all(each == origins[0] for each in origins):
        return [""] * len(scores)
    return [
        each.judgments or identity(entry_of_judgments(its)) for each, its in zip(scores, origins, strict=True)
    ]


SAME_IN_TWO = {
    "rankings": "judged documents of the same grades are at the same ranks in two runs",
    "values": "two runs have the same value for every query",
}
"""The sentences about equal runs."""


def equal_runs(collection: str, systems: Mapping[str, System]) -> Iterator[Note]:
    """Yields notes on runs with the same ranking of judged documents, or the same values, as an earlier run."""
    for key, prints in prints_of(systems).items():
        names = list(prints)
        for place, first in copies(list(prints.values())).items():
            fact = whole("identical-runs", SAME_IN_TWO[key])
            yield Note(collection, names[place], fact, names[first])


def prints_of(systems: Mapping[str, System]) -> dict[str, dict[str, bytes]]:
    """Returns a fingerprint of each run, of its ``rankings`` or, if only scores are known, of its ``values``."""
    kinds: dict[str, dict[str, bytes]] = {"rankings": {}, "values": {}}
    for name, each in systems.items():
        if each.found is None:
            kinds["values"][name] = fingerprint(each.scores.matrix, np.array(each.scores.ids.texts))
        elif len(each.found.whole.rank):
            rows = each.found.whole
            kinds["rankings"][name] = fingerprint(rows.offsets, rows.rank, rows.grade, rows.length)
    return kinds


MOST_COMPARED = 2000
"""The approximate number of judgments per collection whose documents are compared with other collections."""


class CollectionPrint(NamedTuple):
    """Fingerprints of the judgments and runs of a collection, by which its copies are recognised.

    Args:
        judgments: equal for equal judgments, whatever the order of lines; None if only scores are known.
        runs: the fingerprint of each run, equal for equal rankings or equal values.
    """

    judgments: bytes | None
    runs: dict[str, bytes]

    @classmethod
    def of(cls, systems: Mapping[str, System], qrels: Qrels | None) -> CollectionPrint:
        """Returns the fingerprint of a collection. If it has many judgments, only every n-th query is used."""
        runs = {run: each for its in prints_of(systems).values() for run, each in its.items()}
        if qrels is None:
            return cls(None, runs)
        judgments = qrels.judgments
        offsets, grades, some = judgments.offsets, judgments.grades, []
        step = 1 + judgments.count // MOST_COMPARED
        for query in range(0, judgments.query_count, step):
            its = grades[offsets[query] : offsets[query + 1]].tolist()
            some += [(query, *each) for each in sorted(zip(judgments.documents(query), its, strict=True))]
        texts = [*judgments.queries, repr(some).encode()]
        return cls(fingerprint(np.array(texts, object).astype(bytes), np.diff(offsets)), runs)


COPIES = {
    "same-collection": "two collections have the same judgments and the same runs, so they count twice",
    "same-judgments": "two collections have the same judgments",
}


def equal_collections(prints: Mapping[str, CollectionPrint]) -> Iterator[Note]:
    """Yields notes on collections that have the judgments of an earlier collection. If the runs are equal as well, the
    collection counts twice.
    """
    first: dict[bytes, str] = {}
    for name, each in prints.items():
        key = fingerprint(np.array(list(each.runs.values()))) if each.judgments is None else each.judgments
        other = first.setdefault(key, name)
        if other != name:
            its = prints[other].runs
            shared = its.keys() & each.runs.keys()
            same = bool(shared) and all(its[run] == each.runs[run] for run in shared)
            kind = "same-collection" if same else "same-judgments"
            yield Note(name, "", whole(kind, COPIES[kind]), other)


OF_RUNS = ("judgments", "perfect", "identical-runs", "lengths")
"""The kinds of notes about runs that matter when the order of the runs is compared with another order."""
OF_RETRIEVED = ("covered", "nearly covered")
"""The kinds of facts that count retrieved documents of a run."""
OF_JUDGES = ("failed", "nothing", "fractions", "lowest ratings", "codes", *OF_RETRIEVED)
"""The kinds of facts that are reported again for another judge of the same runs."""


class Known(NamedTuple):
    """Notes on the data of runs on one collection. Without these notes, the runs' values may mislead.

    Args:
        warnings: sentences that say why the values are doubtful: scores upside down, equal runs or perfect runs.
        footers: the lines of the footer of an evaluation.
    """

    warnings: tuple[str, ...]
    footers: tuple[str, ...]


def known_of(
    systems: Mapping[str, System], others: Mapping[str, Mapping[str, System]] | None = None
) -> Known:
    """Returns the warnings and footers of an evaluation of the same files, and notes on equal or perfect runs.

    Args:
        systems: the runs, under the first judge if there are several.
        others: the runs under each other judge, for whom only facts that depend on the judgments are reported.
    """
    warned = [doubt for each in systems.values() for doubt in each.scores.warnings]
    warned += summed(notes_of("", systems), OF_RUNS, len(systems))
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
    """Returns the kind and the sentence of each group of notes. Sentences name the first runs and count the others.

    Args:
        notes: the notes.
        runs: the number of runs of each collection.
    """
    groups: dict[str, dict[Any, list[Note]]] = {}
    for each in notes:
        fact = each.fact
        words = tuple((key, str(word)) for key, word in fact.words.items() if key not in fact.own)
        groups.setdefault(fact.kind, {}).setdefault((fact.sentence, words), []).append(each)
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
            many = "{count:other warning or note/other warnings or notes} of this kind: {json} contains all."
            found.append((kind, filled(many, count=more, json=json)))
    return found


def summary(notes: Sequence[Note], runs: Mapping[str, int]) -> str:
    """Returns one sentence for notes that state the same fact about several runs or collections."""
    fact, places, most = notes[0].fact, places_of(notes, runs), ""
    said = fact.told() if len(notes) == 1 else fact.told(total=sum(count for _, count, _ in places))
    widest = max(notes, key=lambda each: each.fact.reach)
    if len(notes) > 1 and widest.fact.reach > 0:
        where = f"{widest.run}{within([widest.collection], runs)}"
        most = filled("; the widest range: {place}{moved}", place=where, **widest.fact.words)
    plain = len(places) == 1 or "{count" not in fact.sentence
    shown = [
        f"{place} ({count:,} of {of:,})" if of else place if plain else f"{place} ({count:,})"
        for place, count, of in places
    ]
    # Do not capitalise the name of a run.
    start = said[:1] if any(said.startswith(f"{each.run}:") for each in notes) else said[:1].upper()
    return f"{start}{said[1:].removesuffix('.')}: {listed(shown, MOST_PLACES)}{most}."


def places_of(notes: Sequence[Note], runs: Mapping[str, int]) -> list[tuple[str, int, int]]:
    """Returns where a fact applies, how often, and out of how many; facts that apply to every run come first.

    A fact with the same count for every run of a collection is due to its judgments and counts once. Counts of
    retrieved documents are added up because they differ by run, and a collection in which a run is missing does not
    count as having every run.
    """
    retrieved = notes[0].kind in OF_RETRIEVED
    all_runs = len({each.run for each in notes})
    by_collection: dict[str, list[Note]] = {}
    by_subject: dict[str, list[Note]] = {}
    for each in notes:
        by_collection.setdefault(each.collection, []).append(each)
    every = {
        name: sum(each.count for each in own) if retrieved else own[0].count
        for name, own in by_collection.items()
        if own[0].run
        and len(own) == runs[name] > 1
        and (len(own) == all_runs or not retrieved)
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
    """Returns the name of one collection, or the number of several; an empty text for one without a name."""
    if list(collections) == [""]:
        return ""
    if len(collections) == 1:
        return f" in {collections[0]}"
    every = "all " if len(collections) == len(runs) else ""
    return f" in {every}{len(collections)} collections"
