"""``carob.fuse``: several runs fused into one, and the derivation of a document's score."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.conventions.arguments import specified, whole_number
from carob.conventions.policy import Policy
from carob.fusion.fused_source import FusedSource
from carob.fusion.recipe import recipe_of
from carob.inputs.errors import refused
from carob.inputs.ids import bytes_of, text_of
from carob.inputs.run import Run, runs_in
from carob.matching.lines import doubts_of_lines
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import ArgumentError, warn
from carob.output.files import write_whole
from carob.output.language import filled
from carob.output.results import Records
from carob.writing.formats import format_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.fusion.recipe import Recipe
    from carob.inputs.run import RunsLike

DEPTH = whole_number(1000, 1)
FEWEST = 2


@dataclass(frozen=True, eq=False)
class FusedRun(Run):
    """A run that ``carob.fuse`` made, with what it was made from.

    Args:
        name: its name in tables.
        held: its lists, as TREC text in memory, or those of large files, which are read at each use.
        named: not used.
        made: the fusion.
    """

    made: FusedSource = None  # type: ignore[assignment]  # fuse passes it

    @property
    def recipe(self) -> Recipe:
        """The method, the normalisation, weights, parameters and rules."""
        return self.made.recipe

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(each.name for each in self.made.runs)

    @property
    def text(self) -> bytes:
        """The lists as TREC text."""
        return self.made.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the run, whole or not at all: as TREC text, or in the format that the file's ending shows.

        Raises:
            DataError: a run cannot be read or fused, the file cannot be written, or carob writes no such format.
        """
        if format_of_name(os.fspath(path)) == ("trec", ""):
            write_whole(path, self.made.write)
            return
        from carob.writing.write_run import write_run

        write_run(self, path)

    def explain(self, query: str, document: str) -> FusedDocument:
        """Returns the derivation of a document's score: its rank, score and points in each list.

        Args:
            query: the query's id.
            document: the document's id.

        Raises:
            DataError: no run retrieves the document for the query.

        Example:
            >>> import carob
            >>> fused = carob.fuse({"bm25": {"q": {"a": 2.0, "b": 1.0}}, "dense": {"q": {"b": 0.9}}})
            >>> fused.explain("q", "b").rank
            1
        """
        found = self.made.explain(bytes_of(query), bytes_of(document))
        if found is None:
            raise refused("No run has query '{query}'.", query=query)
        place, score, lists = found
        if not place:
            raise refused(
                "No run retrieves document '{document}' for query '{query}'.", query=query, document=document
            )
        recipe = self.recipe
        weights = recipe.weights or (1.0,) * len(lists)
        shares = [
            Share(
                run.name,
                rank or None,
                score_in_list if rank and scored else None,
                None if math.isnan(points) else points,
                weight,
            )
            for run, scored, weight, (rank, score_in_list, points) in zip(
                self.made.runs, self.made.scored, weights, lists, strict=True
            )
        ]
        return FusedDocument(
            query, document, score, place, recipe.described(), recipe.formula.formula, tuple(shares)
        )


@specified
def fuse(
    runs: RunsLike,
    method: str = "rrf",
    norm: str | None = None,
    *,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    profile: str | None = None,
    depth: int = DEPTH,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    absent: str | None = None,
    policy: Policy | None = None,
    name: str = "fused",
) -> FusedRun:
    """Fuses several runs into one.

    Args:
        runs: the runs, by name or in a list.
        method: what combines the lists. By rank: ``rrf`` (reciprocal rank fusion), ``isr``, ``log_isr``, ``logn_isr``
            (inverse square ranks), ``rbc`` (rank-biased centroids), ``borda``, ``copeland``. By normalised score:
            ``sum``, ``mnz``, ``anz``, ``gmnz``, ``max``, ``min``, ``med``, ``mean``, ``mixed``. Parameters are
            written as in ``rrf(k=60, first=1)``, where ``first`` is the rank of the first document, ``rbc(phi=0.8)``,
            ``gmnz(gamma=1)`` and ``logn_isr(sigma=0.01)``; these are the defaults.
        norm: how the scores of each list are normalised: ``min-max``, ``max``, ``sum``, ``z-score``, ``l2``, ``dbsf``
            (mean ± 3 deviations), ``rank``, ``borda`` or ``none``. The default for methods by score is ``min-max``.
            ``min-max(equal=0.5)`` sets the points in a list whose scores are all equal (0, 0.5, 1 or ``sign``, which is
            1 for positive scores; 1 by default), also of ``sum`` and ``dbsf``. ``z-score(deviation=sample)`` divides by
            n − 1, also in ``dbsf``; the default is ``population``, which divides by n.
        weights: the weight of each run, by name or in their order, for ``rrf``, ``rbc``, ``borda``, ``sum``, ``mnz``,
            ``mean`` and ``mixed``. A run of weight 0 adds no points, but its documents are fused, as by the engines:
            those that no other run has get 0 points. Leave the run out to leave out its documents.
        profile: the conventions of a search engine or library: ``ranx``, ``pyserini``, ``anserini``,
            ``elasticsearch``, ``opensearch``, ``weaviate``, ``qdrant``, ``chroma``, ``milvus``, ``vespa``, ``azure``,
            ``haystack``, ``llamaindex`` or ``langchain``.
        depth: the number of documents to keep for each query.
        bounds: the theoretical lowest and highest score of a run, by its name, for ``min-max``; None stands for the
            score that is observed in the list.
        absent: what a list contributes to a document that it lacks: ``left-out``, ``zero`` or ``lowest``.
        policy: how ties order the documents of each list, what happens to documents that occur twice, and how lines
            are read. Documents with equal fused scores are ordered by id, as by the default policy.
        name: the name of the fused run.

    Returns:
        A run, which every function of carob accepts. ``save`` writes it, and ``explain`` derives a score. Files of more
        than 256 MiB together are read when the run is used, a few queries at a time.

    Raises:
        DataError: a run cannot be read or fused.
        ArgumentError: an unknown method or setting.
        PolicyError: the profile is unknown, or the policy does not fix the order of documents.

    Example:
        >>> import carob
        >>> runs = {"bm25": {"q": {"a": 9.1, "b": 3.2}}, "dense": {"q": {"b": 0.8, "c": 0.7}}}
        >>> fused = carob.fuse(runs, "rrf(k=60)")
        >>> print(fused.text.decode(), end="")
        q Q0 b 1 0.03252247488101534 fused
        q Q0 a 2 0.01639344262295082 fused
        q Q0 c 3 0.016129032258064516 fused
    """
    given = several(runs)
    if not name or not name.strip():
        raise ArgumentError("The fused run needs a name.")
    names = [each.name for each in given]
    recipe = recipe_of(method, norm, names, weights=weights, bounds=bounds, absent=absent, profile=profile)
    made = FusedSource(tuple(given), recipe, policy or Policy(), depth, name)
    warn_of_missing(names, made)
    for said in (
        each for run in given for each in doubts_of_lines(run, ranks=recipe.rules.ranks == "scores")
    ):
        warn(said)
    return FusedRun(name, made if made.is_streamed else made.in_memory, made=made)


def several(runs: RunsLike) -> list[Run]:
    """Opens two or more runs.

    Raises:
        DataError: there are fewer than two runs.
    """
    given = runs_in(runs)
    if len(given) < FEWEST:
        raise refused(
            "There is one run, {name}, and nothing to fuse it with.",
            "Pass two runs or more.",
            name=given[0].name,
        )
    return given


def warn_of_missing(names: Sequence[str], made: FusedSource) -> None:
    """Warns about runs that lack queries which other runs have."""
    for name, (lacking, query) in zip(names, made.lists.lacking, strict=True):
        if lacking:
            warn(
                f"Run {name} has no documents for {lacking:,} of {made.lists.query_count:,} queries, such as "
                f"'{text_of(query)}': there, the others are fused without it."
            )


@dataclass(frozen=True)
class Share:
    """One list's contribution to the score of a document.

    Args:
        run: the run's name.
        rank: the rank of the document; None if the list lacks it.
        score: its score in the list.
        points: its points, before the weight (with RRF, after it); None if the list does not count for it.
        weight: the weight of the run.
    """

    run: str
    rank: int | None
    score: float | None
    points: float | None
    weight: float


@dataclass(frozen=True, eq=False, repr=False)
class FusedDocument(Documented):
    """The derivation of a document's fused score. ``str(found)`` returns a table.

    Args:
        query: the query.
        docid: the document.
        score: its fused score.
        rank: its rank in the fused list.
        recipe: the recipe in a few words.
        formula: the formula of the method.
        shares: what each list contributed.
    """

    query: str
    docid: str
    score: float
    rank: int
    recipe: str
    formula: str
    shares: tuple[Share, ...]

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``lists``."""
        return {"lists": lambda: Records.of(Share, self.shares)}

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the sentence with the score, and the table of lists."""
        answer = filled(
            "Document {document} has rank {rank} for query {query}, with the score {score}.",
            document=self.docid,
            rank=self.rank,
            query=self.query,
            score=repr(self.score),
        )
        rows = [
            [each.run, *map(in_full, (each.rank, each.score, each.points)), f"{each.weight:g}"]
            for each in self.shares
        ]
        table = Table(["run", "rank", "score", "points", "weight"], rows)
        notes = [f"{self.recipe}: {self.formula}."]
        return Document([Section([Line(answer, "answer")]), Section([table]), Section([Items(notes)])])


def in_full(value: float | None) -> str:
    """Returns a number in full, or a dash if there is none."""
    return "-" if value is None else repr(value)
