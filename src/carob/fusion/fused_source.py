"""The fused lists as the source of a run. The kernel fuses plain files query by query; other runs are pooled first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.fusion import formulas
from carob.fusion.formulas import Points
from carob.fusion.fused_lists import Block, fused_lists, row_points, trec_text
from carob.fusion.pooled import PooledLists, RunLists
from carob.fusion.rules import EQUAL_POINTS, Rules
from carob.inputs.run import HELD_TOGETHER
from carob.inputs.runs import MatchOptions, TextRun
from carob.inputs.sources import Provenance, memory
from carob.writing.formats import tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import BinaryIO

    from carob.conventions.policy import Policy
    from carob.fusion.recipe import Recipe
    from carob.inputs.run import Run
    from carob.inputs.runs import Found, Ranked, Row
    from carob.lists.rows import Floats

LONGEST = 2**16
"""The documents of the longest list that the kernel fuses by rank: it gets the points of so many ranks."""
TABLES = ("rrf", "isr", "rbc")
"""The points by rank that depend on nothing but the rank."""
COMBINED: dict[Callable[[Points], Floats], str] = {
    formulas.anz: "anz",
    formulas.mean: "mean",
    formulas.greatest: "max",
    formulas.least: "min",
    formulas.median: "med",
}
"""The kernel's names of functions that combine points. Other functions multiply the sum of the points by a factor."""


@dataclass(frozen=True, eq=False, repr=False)
class FusedSource:
    """The lists that a fusion makes of several runs.

    Args:
        runs: the runs.
        recipe: the recipe.
        policy: the policy of the runs' lists.
        depth: the number of documents to keep for each query; None for all.
        name: the last column of its text.
        pool: the lists of the runs, if they were read.
    """

    runs: tuple[Run, ...]
    recipe: Recipe
    policy: Policy
    depth: int | None
    name: str
    pool: PooledLists | None = None
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state to pickle, without what the kernel holds."""
        return {name: value for name, value in self.__dict__.items() if name != "plain"}

    @property
    def origin(self) -> Provenance:
        """The provenance of the fused lists."""
        return Provenance("bytes")

    @property
    def is_streamed(self) -> bool:
        """Whether the files are too large to hold their fused lists, which are then computed at each use."""
        return self.plain is not None and sum(each.origin.size or 0 for each in self.runs) > HELD_TOGETHER

    @cached_property
    def plain(self) -> _native.PlainRuns | None:
        """The runs in the kernel, or None if they are no plain files, or if only lists in memory will do."""
        files = [path for each in self.runs if (path := plain_file(each)) is not None]
        order = MatchOptions(self.policy).rule
        known = order in ("trec", "ascending", "input") and self.policy.ties in (order, "error")
        if self.pool is not None or self.recipe.rules.ranks == "column" or not known:
            return None
        if len(files) < len(self.runs):
            return None
        try:
            return _native.PlainRuns.of(files, threads=self.threads)
        except OSError:
            return None  # the other way says what is wrong

    @cached_property
    def pooled(self) -> PooledLists:
        """The lists of the runs.

        Raises:
            DataError: a run that cannot be read, or that cannot be fused with the others.
        """
        return self.pool or PooledLists.of(self.runs, self.policy, self.recipe.rules.ranks)

    @property
    def query_count(self) -> int:
        """The number of queries of all runs."""
        return len(self.pooled.queries) if self.plain is None else self.plain.query_count

    @property
    def lacking(self) -> list[tuple[int, bytes]]:
        """The number of queries that each run lacks, and the first of them."""
        if self.plain is not None:
            return self.plain.lacking
        places = [np.flatnonzero(each.lengths == 0) for each in self.pooled.runs]
        return [(len(its), self.pooled.queries[int(its[0])] if len(its) else b"") for its in places]

    @cached_property
    def text(self) -> bytes:
        """The fused lists as TREC text.

        Raises:
            DataError: a run that cannot be read or fused.
        """
        made = None if self.plain is None else self.plain.text(self.in_kernel, threads=self.threads)
        if made is not None:
            return made
        lists = fused_lists(self.pooled, self.recipe, self.depth, ascending=self.policy.ties == "ascending")
        return trec_text(lists, self.name)

    def write(self, file: BinaryIO) -> None:
        """Writes the fused lists as TREC text to an open file, without holding the text in memory if possible."""
        if self.plain is not None and "text" not in self.__dict__ and file.seekable():
            if self.plain.write(self.in_kernel, file.fileno(), threads=self.threads):
                return
            file.seek(0)
            file.truncate()
        file.write(self.text)

    @property
    def threads(self) -> int:
        """The number of threads of the kernel."""
        return MatchOptions(self.policy).threads

    @property
    def in_kernel(self) -> _native.FusionRecipe:
        """The recipe as the kernel reads it."""
        return kernel_recipe(self)

    @property
    def in_memory(self) -> TextRun:
        """The text as the source of a run."""
        return TextRun(memory(self.text))

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        if self.plain is not None and "text" not in self.__dict__:
            found = self.plain.match(
                self.in_kernel, judgments, **options.order, **options.returned, threads=options.threads
            )
            if found is not None:
                return found
        return self.in_memory.match(judgments, options)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query, or the first ones, in the order of ``match``."""
        return self.in_memory.rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, for some queries or all."""
        return self.in_memory.rows(queries)


def plain_file(run: Run) -> str | None:
    """Returns the path of a run in TREC text that is not compressed, or None for other runs."""
    if isinstance(run.held, TextRun) and isinstance(run.held.source.handle, str):
        return run.held.source.handle
    return None


def kernel_recipe(made: FusedSource) -> _native.FusionRecipe:
    """Returns a recipe as the kernel reads it: with points by rank and factors of sums in tables."""
    recipe, count = made.recipe, len(made.runs)
    rules, kind = recipe.rules, recipe.formula.by_rank
    weights = np.ones(count) if recipe.weights is None or kind == "rrf" else np.array(recipe.weights)
    bounds = [recipe.bounds.get(each.name, (None, None)) for each in made.runs]
    low, high = (
        np.array([math.nan if each[end] is None else each[end] for each in bounds]) for end in (0, 1)
    )
    combined = COMBINED.get(recipe.formula.combine, "sum")
    if recipe.formula.combine is formulas.mnz and recipe.weights is not None:
        combined = "mnz"
    return _native.FusionRecipe(
        norm="table" if kind in TABLES else "borda-points" if kind == "borda" else recipe.norm or "none",
        combine="copeland" if kind == "copeland" else combined,
        absent=rules.absent,
        summation="single" if rules.precision == "single" else rules.summation,
        equal=EQUAL_POINTS.get(rules.equal, math.nan),
        sample=rules.deviation == "sample",
        floor=math.nan if kind or rules.floor is None else rules.floor,
        weights=weights,
        low=low,
        high=high,
        tables=points_by_rank(recipe, count) if kind in TABLES else np.zeros((count, 0)),
        factors=factors(recipe, count),
        depth=made.depth or 0,
        ties=MatchOptions(made.policy).rule,
        float32=MatchOptions(made.policy).float32,
        ascending=made.policy.ties == "ascending",
        tag=tag_of(made.name),
    )


def points_by_rank(recipe: Recipe, runs: int) -> Floats:
    """Returns the points of each rank in each run [runs, ranks]."""
    nothing = np.zeros(LONGEST)
    offsets = np.array([0, LONGEST])
    ranks = RunLists("", offsets, nothing.astype(np.int64), nothing, True)
    block = Block(0, offsets, 0, (ranks,))
    return np.stack([row_points(ranks, block, recipe, place) for place in range(runs)])


def factors(recipe: Recipe, runs: int) -> Floats:
    """Returns the factor of the sum of the points of a document, for each number of lists that have it [runs + 1]."""
    has = np.arange(runs)[:, np.newaxis] < np.arange(runs + 1)
    ones = np.zeros(has.shape)
    ones[0] = 1.0
    its = recipe.parameters
    points = Points(ones, has, has, None, Rules(), its.get("gamma", 1.0), its.get("sigma", 0.01))
    return np.ascontiguousarray(recipe.formula.combine(points))
