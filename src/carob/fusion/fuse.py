"""Defines ``carob.fuse``, which fuses several runs into one and can derive the score of each document."""

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
    """A run made by ``carob.fuse``, with the fusion that computes it.

    Args:
        name: the name of the run in tables.
        held: the fused lists, as TREC text in memory or, for large files, as a source that reads the files at each use.
        named: unused.
        made: the fusion that computes the lists.
    """

    made: FusedSource = None  # type: ignore[assignment]  # fuse passes it

    @property
    def recipe(self) -> Recipe:
        """The recipe: the method, the normalisation, the weights, the parameters and the rules."""
        return self.made.recipe

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the fused runs."""
        return tuple(each.name for each in self.made.runs)

    @property
    def text(self) -> bytes:
        """The fused lists as TREC text."""
        return self.made.text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the run atomically, as TREC text or in the format that the file extension specifies.

        Raises:
            DataError: a run cannot be read or fused, the file cannot be written, or carob cannot write this format.
        """
        if format_of_name(os.fspath(path)) == ("trec", ""):
            write_whole(path, self.made.write)
            return
        from carob.writing.write_run import write_run

        write_run(self, path)

    def explain(self, query: str, document: str) -> FusedDocument:
        """Returns the derivation of a document's fused score: the document's rank, score and points in each list.

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
        method: the fusion method. Methods by rank: ``rrf`` (reciprocal rank fusion), ``isr``, ``log_isr``, ``logn_isr``
            (inverse square ranks), ``rbc`` (rank-biased centroids), ``borda``, ``copeland``. Methods by normalised
            score: ``sum``, ``mnz``, ``anz``, ``gmnz``, ``max``, ``min``, ``med``, ``mean``, ``mixed``. Parameters,
            shown here with their defaults, follow the name: ``rrf(k=60, first=1)``, where ``first`` is the rank of the
            first document, ``rbc(phi=0.8)``, ``gmnz(gamma=1)`` and ``logn_isr(sigma=0.01)``.
        norm: how the scores of each list are normalised: ``min-max``, ``max``, ``sum``, ``z-score``, ``l2``, ``dbsf``
            (mean ± 3 deviations), ``rank``, ``borda`` or ``none``. The default for methods by score is ``min-max``. The
            setting ``equal``, as in ``min-max(equal=0.5)``, specifies the points in a list whose scores are all equal:
            0, 0.5, 1 (the default) or ``sign``, which is 1 for positive scores. ``sum`` and ``dbsf`` accept it as well.
            ``z-score(deviation=sample)`` divides by n − 1 instead of n (``population``, the default); ``dbsf`` accepts
            this setting as well.
        weights: the weight of each run, by name or in the order of the runs, for ``rrf``, ``rbc``, ``borda``, ``sum``,
            ``mnz``, ``mean`` and ``mixed``. A run of weight 0 adds no points, but its documents are included, as in
            search engines: a document that no other run retrieves gets 0 points. To exclude its documents, leave out
            the run.
        profile: the conventions of a search engine or library: ``ranx``, ``pyserini``, ``anserini``,
            ``elasticsearch``, ``opensearch``, ``weaviate``, ``qdrant``, ``chroma``, ``milvus``, ``vespa``, ``azure``,
            ``haystack``, ``llamaindex`` or ``langchain``.
        depth: the number of documents to keep for each query.
        bounds: the theoretical lowest and highest scores of a run, by run name, for ``min-max``; None stands for the
            score observed in the list.
        absent: what a list contributes to a document that it lacks: ``left-out``, ``zero`` or ``lowest``.
        policy: how ties order the documents of each list, what happens to documents that occur twice, and how lines are
            read. Documents with equal fused scores are ordered by id, as under the default policy.
        name: the name of the fused run.

    Returns:
        A run that every carob function accepts. ``save`` writes it to a file, and ``explain`` derives a document's
        score. If the files exceed 256 MiB in total, they are read when the run is used, a few queries at a time.

    Raises:
        DataError: a run cannot be read or fused.
        ArgumentError: a method or setting is unknown.
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
            "{name} is the only run, so there is nothing to fuse it with.",
            "Pass at least two runs.",
            name=given[0].name,
        )
    return given


def warn_of_missing(names: Sequence[str], made: FusedSource) -> None:
    """Warns about runs without documents for queries that other runs contain."""
    for name, (lacking, query) in zip(names, made.lists.lacking, strict=True):
        if lacking:
            warn(
                f"Run {name} has no documents for {lacking:,} of {made.lists.query_count:,} queries, such as "
                f"'{text_of(query)}'. For these queries, the other runs are fused without it."
            )


@dataclass(frozen=True)
class Share:
    """One list's contribution to the score of a document.

    Args:
        run: the run's name.
        rank: the rank of the document in the list; None if the list does not contain it.
        score: the document's score in the list.
        points: the document's points before weighting (for RRF, after weighting); None if the list does not count for
            it.
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
        score: the document's fused score.
        rank: the document's rank in the fused list.
        recipe: a short description of the recipe.
        formula: the formula of the method.
        shares: the contribution of each list.
    """

    query: str
    docid: str
    score: float
    rank: int
    recipe: str
    formula: str
    shares: tuple[Share, ...]

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``lists``."""
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
    """Returns a number at full precision, or a dash for None."""
    return "-" if value is None else repr(value)
