"""The fused lists as the source of a run. The kernel reads plain files query by query. Other runs are pooled first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.fusion.pooled import PooledLists, refuse_scores
from carob.fusion.rules import EQUAL_POINTS
from carob.inputs.errors import refused
from carob.inputs.run import HELD_TOGETHER
from carob.inputs.runs import MatchOptions, TextRun
from carob.inputs.sources import Provenance, memory
from carob.output.errors import warn
from carob.writing.formats import refuse_odd_ids, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import BinaryIO, TypeVar

    from carob.conventions.policy import Policy
    from carob.fusion.recipe import Recipe
    from carob.inputs.run import Run
    from carob.inputs.runs import Found, Ranked, Row

    Made = TypeVar("Made")
IN_KERNEL = ("plain", "pooled")
"""The attributes that refer to the kernel and are not pickled."""


@dataclass(frozen=True, eq=False, repr=False)
class FusedSource:
    """The lists that result from fusing several runs.

    Args:
        runs: the runs.
        recipe: the recipe.
        policy: the policy for the runs' lists.
        depth: the number of documents to keep for each query; None for all.
        name: the run name in the last column of the TREC text.
    """

    runs: tuple[Run, ...]
    recipe: Recipe
    policy: Policy
    depth: int | None
    name: str
    alone: ClassVar[bool] = False
    by_rank: ClassVar[bool] = False

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state to pickle, without references to the kernel."""
        return {name: value for name, value in self.__dict__.items() if name not in IN_KERNEL}

    @property
    def origin(self) -> Provenance:
        """The provenance of the fused lists."""
        return Provenance("bytes")

    @property
    def is_streamed(self) -> bool:
        """Whether the files are too large to keep the fused lists in memory; if so, each use computes them."""
        return self.plain is not None and sum(each.origin.size or 0 for each in self.runs) > HELD_TOGETHER

    @cached_property
    def plain(self) -> _native.PlainRuns | None:
        """The runs in the kernel, or None if they are not plain files or if lists in memory are required."""
        files = [path for each in self.runs if (path := plain_file(each)) is not None]
        order = MatchOptions(self.policy).rule
        known = order in ("trec", "ascending", "input") and self.policy.ties in (order, "error")
        if self.recipe.rules.ranks == "column" or not known:
            return None
        if len(files) < len(self.runs):
            return None
        try:
            return _native.PlainRuns.of(files, threads=self.threads)
        except OSError:
            return None  # reading the runs as pooled lists will report the error

    @cached_property
    def pooled(self) -> PooledLists:
        """The lists of the runs.

        Raises:
            DataError: a run cannot be read, or cannot be fused with the other runs.
        """
        found = PooledLists.of(self.runs, self.policy, self.recipe.rules.ranks)
        refuse_scores(found, self.recipe)
        return found

    def weighted(self, weights: tuple[float, ...]) -> FusedSource:
        """Returns the same fusion with other weights. It shares the lists that are already read."""
        other = replace(self, recipe=replace(self.recipe, weights=weights))
        other.__dict__.update({name: self.__dict__[name] for name in IN_KERNEL if name in self.__dict__})
        return other

    @property
    def lists(self) -> _native.RunsByQuery:
        """The lists of the runs in the kernel."""
        return self.plain or self.pooled.in_kernel

    @property
    def scored(self) -> list[bool]:
        """Whether each run has scores instead of only ranks."""
        return [each.scored for each in self.pooled.runs] if self.plain is None else [True] * len(self.runs)

    def fused(
        self,
        work: Callable[[_native.RunsByQuery, _native.FusionRecipe], Made | None],
        *,
        whole: bool = False,
    ) -> Made:
        """Returns the result of ``work`` for the plain files if possible, otherwise for the lists in memory.

        Args:
            work: a function that computes a result from runs and a recipe, or returns None if a list cannot be used.
            whole: whether to keep every document.

        Raises:
            DataError: a run cannot be read or fused.
        """
        made = None if self.plain is None else work(self.plain, self.in_kernel(whole=whole))
        if made is None:
            made = work(self.pooled.in_kernel, self.in_kernel(whole=whole, checked=True))
        if made is None:
            raise refused(
                "With {recipe}, the fused score of at least one document exceeds the largest floating-point number.",
                "Choose smaller weights and parameters.",
                recipe=self.recipe.described(),
            )
        return made

    @cached_property
    def text(self) -> bytes:
        """The fused lists as TREC text.

        Raises:
            DataError: a run cannot be read or fused, or an id cannot be written in TREC text.
        """
        with refuse_odd_ids("Rename it."):
            text, constant = self.fused(lambda lists, recipe: lists.text(recipe, threads=self.threads))
        self.warn_of_equal(constant)
        return text

    def write(self, file: BinaryIO) -> None:
        """Writes the fused lists as TREC text to an open file, if possible without keeping the text in memory."""
        if self.plain is not None and "text" not in self.__dict__ and file.seekable():
            constant = self.plain.write(self.in_kernel(), file.fileno(), threads=self.threads)
            if constant is not None:
                self.warn_of_equal(constant)
                return
            file.seek(0)
            file.truncate()
        file.write(self.text)

    def warn_of_equal(self, constant: list[int]) -> None:
        """Warns about runs in which the scores of many lists are all equal.

        Args:
            constant: the number of such lists of each run.
        """
        if not any(constant):
            return
        from carob.evaluation.score_tables import equal_throughout

        for run, count, (lacking, _) in zip(self.runs, constant, self.lists.lacking, strict=True):
            for fact in equal_throughout(count, self.lists.query_count - lacking, self.policy):
                warn(f"Run {run.name}: {fact.told()}.")

    @property
    def threads(self) -> int:
        """The number of threads that the kernel uses."""
        return MatchOptions(self.policy).threads

    def in_kernel(self, *, whole: bool = False, checked: bool = False) -> _native.FusionRecipe:
        """Returns the recipe in the kernel's form.

        Args:
            whole: whether to keep every document.
            checked: whether ``refuse_scores`` has already checked the scores; if not, the kernel checks them.
        """
        recipe, count = self.recipe, len(self.runs)
        rules, options = recipe.rules, MatchOptions(self.policy)
        bounds = [recipe.bounds.get(each.name, (None, None)) for each in self.runs]
        low, high = (
            np.array([math.nan if each[end] is None else each[end] for each in bounds]) for end in (0, 1)
        )
        return _native.FusionRecipe(
            method=recipe.method,
            norm=recipe.norm,
            parameters=recipe.parameters,
            absent=rules.absent,
            summation="single" if rules.precision == "single" else rules.summation,
            by_position=rules.weighting == "position",
            from_one=rules.top == "one",
            equal=EQUAL_POINTS.get(rules.equal, math.nan),
            sample=rules.deviation == "sample",
            floor=math.nan if recipe.formula.by_rank or rules.floor is None else rules.floor,
            weights=np.ones(count) if recipe.weights is None else np.array(recipe.weights, np.float64),
            low=low,
            high=high,
            depth=0 if whole else self.depth or 0,
            ties=options.rule,
            float32=options.float32,
            ascending=self.policy.ties == "ascending",
            checked=checked,
            tag=tag_of(self.name),
        )

    def explain(
        self, query: bytes, document: bytes
    ) -> tuple[int, float, list[tuple[int, float, float]]] | None:
        """Returns the fused rank and score of a document, and its rank, score and points in each list.

        In a list that does not contain the document, its rank is 0. Points that do not count are NaN.

        Returns:
            The rank, the score and the values in each list; None if no run contains the query.
        """
        queries = self.lists.queries
        if query not in queries:
            return None
        place = queries.index(query)
        return self.fused(lambda lists, recipe: lists.explain(recipe, place, document), whole=True)

    @property
    def in_memory(self) -> TextRun:
        """The TREC text as the source of a run."""
        return TextRun(memory(self.text))

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        if self.plain is not None and "text" not in self.__dict__:
            found = self.plain.match(
                self.in_kernel(), judgments, **options.order, **options.returned, threads=options.threads
            )
            if found is not None:
                return found
        return self.in_memory.match(judgments, options)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query, or the first ``depth`` of them, in the order of ``match``."""
        return self.in_memory.rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, for the given queries or for all."""
        return self.in_memory.rows(queries)


def plain_file(run: Run) -> str | None:
    """Returns the path of a run in uncompressed TREC text, or None for other runs."""
    if isinstance(run.held, TextRun) and isinstance(run.held.source.handle, str):
        return run.held.source.handle
    return None
