"""Defines ``carob.tensors.evaluate`` and ``Evaluator``, which sort a batch once for all measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.conventions.arguments import of_class
from carob.conventions.policy import Policy
from carob.conventions.request import conventions, labelled
from carob.evaluation.score_tables import GEOMETRIC_FLOOR
from carob.inputs.errors import refused
from carob.inputs.runs import all_in_threads, available_cores
from carob.lists.arrays import arrays_of
from carob.output.errors import DataError, MeasureError, refuse_other
from carob.tensors.batch import NAN_SCORES, Batch, array_of, batch_in, taken, topk_batch, weights_taken
from carob.tensors.ranking import beyond, checked, means_over_orders, ranked, refuse_axes, values_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.lists.arrays import Arrays
    from carob.lists.padded import Padded
    from carob.measures import Measure


RANKING = ("ties", "scores", "judgments", "unjudged", "negative", "retrieved", "depth")
"""The axes of a policy that affect the ranking. Measures whose policies agree on these axes share a sort."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """The query of each entry, for lists of different lengths that are concatenated in one-dimensional arrays.

    Args:
        queries: the query of each document as a whole number, counted from 0, if ``scores`` has one axis [document].
        judged_queries: the query of each judgment, as in ``queries``, if ``judged`` has one axis [judgment].
        n_queries: the number of queries; if None, the number of rows of ``judged``, or the highest query number plus 1
            if every lower number occurs. Compilation requires this number. A query without a document is an empty list.
        longest: the maximum number of documents per query, for use with ``queries``. Compilation requires this number.
        longest_judged: the maximum number of judgments per query, for use with ``judged_queries``. Compilation requires
            this number.

    Example:
        >>> import numpy as np
        >>> from carob.tensors import Ragged, evaluate
        >>> scores, grades = np.array([0.9, 0.2, 0.4]), np.array([0, 1, 1])
        >>> evaluate(scores, grades, ["RR"], ragged=Ragged(queries=np.array([0, 0, 1])), per_query=True)
        {'RR': array([0.5, 1. ])}
    """

    queries: Any = None
    judged_queries: Any = None
    n_queries: int | None = None
    longest: int | None = None
    longest_judged: int | None = None


def evaluate(
    scores: Any,
    relevance: Any,
    measures: MeasuresLike = None,
    *,
    mask: Any = None,
    judged: Any = None,
    ragged: Ragged | None = None,
    weights: Any = None,
    per_query: bool = False,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    max_grade: int | None = None,
    dtype: Any = None,
    nan_scores: str = "error",
) -> dict[str, Any]:
    """Evaluates a batch of scored documents given as arrays of any library, on the arrays' device.

    The function copies nothing to the host, and the shapes of its results depend only on the shapes of its arguments,
    so ``jax.jit`` can compile it. For ``torch.compile``, create an ``Evaluator`` first. On a device, carob does not
    inspect numbers. Data that would raise an error on the host, such as a grade above a measure's ``max``, makes the
    values of its query NaN on a device; so does a NaN score under ``nan_scores="error"``.

    Args:
        scores: the system's scores [query, document], or with ``ragged`` the concatenated scores of all queries
            [document].
        relevance: the grade of each document, real or boolean, in the shape of ``scores``; NaN for an unjudged
            document. The policy defines what negative grades mean.
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        mask: True where ``scores`` contains a document, in the same shape. Other entries may have any value. By
            default, all entries are documents.
        judged: the grades of all judgments of each query, retrieved or not, in any order, padded with NaN [query,
            judgment], or [judgment] with ``ragged``. By default, only the given documents are judged. On the
            host, a document whose positive grade is missing from ``judged`` is an error. On a device, its query becomes
            NaN if the grade is higher than the judged grades.
        ragged: the query of each document or judgment, if the lists of all queries are concatenated in one-dimensional
            arrays. The methods of ``Evaluator`` and of ``carob.Meter`` accept its fields as separate arguments.
        weights: the weight of each query in the means, 0 or from 1e-30 to 1e30; equal weights if None [query].
        per_query: whether to return the value of each query instead of the mean.
        policy: the conventions. By default, documents with equal scores keep the order of the array (``input``). The
            position of a document serves as its id, so ``ascending`` gives the same order and ``trec`` the reverse
            order. ``optimistic`` and ``pessimistic`` choose the best and the worst order. ``expected`` computes the
            mean over all orders (on a device, only of measures that are sums over documents). ``empty="skip"`` leaves
            queries without relevant documents out of the mean and returns NaN for them. ``missing="skip"`` does the
            same for queries without documents.
        profile: a named convention, see ``carob.list_profiles()``.
        max_grade: the highest grade, if all grades are whole numbers. Ideal rankings are then computed by counting
            grades instead of sorting them. The values of a query with any other grade become NaN. On the host, carob
            determines the highest grade itself.
        dtype: the floating-point type to compute with, as a type of the library or by name (``float64``); the type of
            the scores if None.
        nan_scores: how to treat a query with a NaN score, on the host and on a device. ``error`` refuses it (on a
            device, its values are NaN). ``worst`` ranks its documents in the worst order, with the lowest grades first.
            ``skip`` leaves it out of the mean, and its values are NaN.

    Returns:
        The mean of each measure as an array without axes, or with ``per_query`` its value for each query [query]. The
        keys are carob's names for the measures (``AP`` for ``map``). The mean is NaN if no query counts.

    Raises:
        DataError: the shapes do not match or, on the host, the data would make values NaN on a device.
        MeasureError: a measure does not exist, or arrays cannot give it.
        PolicyError: a policy that arrays cannot follow.

    Example:
        >>> import numpy as np
        >>> import carob.tensors
        >>> scores = np.array([[0.9, 0.2, 0.4], [0.3, 0.1, 0.2]])
        >>> relevance = np.array([[0, 1, 0], [1, 0, 1]])
        >>> carob.tensors.evaluate(scores, relevance, ["RR", "P@2"], per_query=True)
        {'RR': array([0.33333333, 1.        ]), 'P@2': array([0., 1.])}
    """
    asked = Evaluator(
        measures, policy=policy, profile=profile, max_grade=max_grade, dtype=dtype, nan_scores=nan_scores
    )
    ragged = of_class("ragged", ragged, Ragged, "carob.tensors.Ragged(queries=…)")
    arrays = {"mask": mask, "judged": judged, "weights": weights, **vars(ragged)}
    return asked(scores, relevance, per_query=per_query, **arrays)


def evaluate_topk(
    ids: Any,
    relevant_ids: Any,
    measures: MeasuresLike = None,
    *,
    grades: Any = None,
    mask: Any = None,
    relevant_mask: Any = None,
    weights: Any = None,
    per_query: bool = False,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    max_grade: int | None = None,
    dtype: Any = None,
) -> dict[str, Any]:
    """Evaluates lists of retrieved ids in rank order against the ids of the relevant documents.

    Args:
        ids: whole numbers in rank order; a negative number is padding [query, rank].
        relevant_ids: the ids of the judged documents, in any order; a negative number is padding [query, judgment].
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        grades: the grades of ``relevant_ids``; all 1 if None [query, judgment].
        mask: True where ``ids`` contains a document [query, rank].
        relevant_mask: True where ``relevant_ids`` contains a document [query, judgment].
        weights: the weight of each query in the means, 0 or from 1e-30 to 1e30; None for equal weights [query].
        per_query: whether to return the value of each query instead of the mean.
        policy: the conventions. An id that occurs twice is an error on the host and makes its query's values NaN on a
            device; ``duplicates="first"`` or ``"last"`` keeps that occurrence.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        max_grade: the highest grade, if all grades are whole numbers; None if the highest grade is unknown.
        dtype: the floating-point type to compute with; the library's default if None.

    Returns:
        The mean of each measure, or with ``per_query`` its value for each query [query].

    Raises:
        DataError: the shapes do not match or, on the host, an id occurs twice in a row.
        MeasureError: a measure does not exist, or arrays cannot give it.
        PolicyError: a policy that arrays cannot follow.

    Example:
        >>> import numpy as np
        >>> import carob.tensors
        >>> ids = np.array([[7, 3, 5], [2, 9, -1]])
        >>> relevant = np.array([[3, 8], [2, -1]])
        >>> carob.tensors.evaluate_topk(ids, relevant, ["RR", "R@3"], per_query=True)
        {'RR': array([0.5, 1. ]), 'R@3': array([0.5, 1. ])}
    """
    asked = Evaluator(measures, policy=policy, profile=profile, max_grade=max_grade, dtype=dtype)
    arrays = {"grades": grades, "mask": mask, "relevant_mask": relevant_mask, "weights": weights}
    return asked.topk(ids, relevant_ids, per_query=per_query, **arrays)


class Evaluator:
    """Measures and conventions that are parsed once and applied to many batches, including under ``torch.compile``.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions; documents with equal scores keep the order of the array if None.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        max_grade: the highest grade, if all grades are whole numbers; None if the highest grade is unknown.
        dtype: the floating-point type to compute with, as a type of the library or by name (``float64``); None for the
            type of the scores.
        nan_scores: how to treat a query with a NaN score: ``error``, ``worst`` or ``skip``.

    Raises:
        MeasureError: a measure does not exist, or arrays cannot give it.
        PolicyError: a policy that arrays cannot follow.

    Example:
        >>> import numpy as np
        >>> import carob.tensors
        >>> measured = carob.tensors.Evaluator(["AP", "nDCG@10"])
        >>> scores, relevance = np.array([[0.9, 0.2, 0.4]]), np.array([[0, 1, 1]])
        >>> measured(scores, relevance)["AP"]
        np.float64(0.5833333333333333)
    """

    def __init__(
        self,
        measures: MeasuresLike = None,
        *,
        policy: Policy | None = None,
        profile: ProfileLike = None,
        max_grade: int | None = None,
        dtype: Any = None,
        nan_scores: str = "error",
    ) -> None:
        """Parses the measure names and the policy."""
        refuse_other("nan_scores", nan_scores, NAN_SCORES)
        convention, self.policy = conventions(profile, policy, Policy(ties="input"))
        self.asked = labelled(measures, convention)
        self.max_grade, self.dtype, self.nan_scores = max_grade, dtype, nan_scores
        self.groups: list[tuple[Policy, int, dict[str, Measure]]] = []
        self.rankings: list[Policy] = []  # a list, because torch.compile cannot trace hash(policy)
        groups: dict[Policy, dict[str, Measure]] = {}
        for label, measure in self.asked.items():
            refuse_measure(measure)
            _ = measure.arguments  # cached now, because torch.compile cannot trace the write to the cache
            groups.setdefault(self.policy.of_measure(measure), {})[label] = measure
        for own, its in groups.items():
            refuse_axes(own)
            ranking = Policy(**{axis: getattr(own, axis) for axis in RANKING})
            if ranking not in self.rankings:
                self.rankings.append(ranking)
            self.groups.append((own, self.rankings.index(ranking), its))

    def __call__(
        self, scores: Any, relevance: Any, *, weights: Any = None, per_query: bool = False, **arrays: Any
    ) -> dict[str, Any]:
        """Evaluates a batch. The arguments, result and errors are those of ``carob.tensors.evaluate``.

        The fields of ``Ragged`` are separate arguments, because compilers require this.
        """
        batch, weights = self.batch(scores, relevance, weights, **arrays)
        return given_back(scores, self.answer(batch, weights, per_query=per_query))

    def batch(self, scores: Any, relevance: Any, weights: Any = None, **arrays: Any) -> tuple[Batch, Any]:
        """Returns the arrays of a call as a batch, and the weights of the queries."""
        arrays = {"scores": scores, "relevance": relevance, "weights": weights, **arrays}
        arrays = {name: taken(each, name) for name, each in arrays.items()}
        weights = arrays.pop("weights")
        dtype = dtype_of(self.dtype, arrays["scores"])
        return batch_in(**arrays, dtype=dtype, nan_scores=self.nan_scores), weights

    def topk(
        self, ids: Any, relevant_ids: Any, *, weights: Any = None, per_query: bool = False, **arrays: Any
    ) -> dict[str, Any]:
        """Evaluates retrieved ids. The arguments, result and errors are those of ``carob.tensors.evaluate_topk``."""
        arrays = {"ids": ids, "relevant_ids": relevant_ids, **arrays}
        arrays = {name: taken(each, name) for name, each in arrays.items()}
        dtype = dtype_of(self.dtype, arrays["ids"])
        batch = topk_batch(**arrays, duplicates=self.policy.duplicates, dtype=dtype)
        return given_back(ids, self.answer(batch, taken(weights, "weights"), per_query=per_query))

    def answer(self, batch: Batch, weights: Any, *, per_query: bool) -> dict[str, Any]:
        """Returns per-query scores, or their means.

        Raises:
            DataError: the weights do not match the queries or, on the host, the weights are all 0 or the data would
                make values NaN on a device.
        """
        columns = self.columns(batch, weights)
        if weights is not None and batch.arrays.on_host and len(weights) and not weights.any():
            raise DataError("Every query has the weight 0, so the mean is undefined.")
        if per_query:
            return {label: query_values(batch, each) for label, each in columns.items()}
        return {label: self.mean(batch, label, column) for label, column in columns.items()}

    def mean(self, batch: Batch, label: str, column: MeasureValues) -> Any:
        """Returns the mean, or the sum, of a measure over queries."""
        how = self.asked[label].definition.aggregate
        with batch.arrays.quiet():
            return mean_of(batch.arrays, *sums_of(batch.arrays, column, how), how)

    def columns(self, batch: Batch, weights: Any = None) -> dict[str, MeasureValues]:
        """Returns the values of each measure, by label.

        Raises:
            DataError: the weights do not match the queries or, on the host, the data would make values NaN on a device.
        """
        if weights is not None and tuple(array_of(weights, "weights").shape) != tuple(batch.grades.shape[:1]):
            said = "'weights' has shape {shape}: use one weight for each of {queries:query/queries}."
            raise refused(said, shape=list(weights.shape), queries=batch.grades.shape[0])
        batch = self.looked_at(batch)
        found = on_all_cores(self.part, list(batch.parts()))
        columns = found[0] if len(found) == 1 else joined(batch, found)
        if weights is not None:
            weights = weights_taken(batch.arrays, weights)
            columns = {label: weighed(each, weights) for label, each in columns.items()}
        return {label: columns[label] for label in self.asked}

    def looked_at(self, batch: Batch) -> Batch:
        """Returns the batch, with each query marked that has a fractional grade or a grade above ``max_grade``."""
        if self.max_grade is None:
            return batch
        wrong = beyond(batch, self.max_grade)
        if wrong is None:
            return batch
        what = f"a grade that is not a whole number up to {self.max_grade}"
        return batch.marked(wrong, what, "pass the highest grade as max_grade")

    def part(self, batch: Batch) -> dict[str, MeasureValues]:
        """Returns the values of all measures for a part of the batch, by label."""
        columns: dict[str, MeasureValues] = {}
        made: dict[int, tuple[Batch, Padded]] = {}
        with batch.arrays.quiet():
            for own, number, its in self.groups:
                ranking = self.rankings[number]
                if number not in made:
                    looked = checked(batch, ranking)
                    made[number] = looked, ranked(looked, ranking, self.max_grade)
                looked, lists = made[number]
                if ranking.ties == "expected" and batch.scores is not None:
                    values = means_over_orders(looked, ranking, its, self.max_grade)
                else:
                    values = {label: values_of(looked, lists, measure) for label, measure in its.items()}
                for label, measure in its.items():
                    columns[label] = column_of(looked, lists, values[label], measure, own)
        return columns


def dtype_of(dtype: Any, array: Any) -> Any:
    """Returns the array library's own floating-point type, or None to use the type of the array.

    Raises:
        DataError: the library does not have this floating-point type.
    """
    if dtype is None or not hasattr(array, "dtype"):
        return None
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    library = arrays_of(array).library
    found = getattr(library, name.removeprefix("torch."), None)
    if found is None or not library.isdtype(found, "real floating"):
        raise DataError(f"dtype is {name}, which is not a floating-point type: pass 'float64' or 'float32'.")
    return found


def given_back(like: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Returns the values as arrays of the same library as the arguments."""
    if isinstance(like, np.ndarray):
        return {label: np.asarray(each)[()] for label, each in values.items()}
    if any(isinstance(each, (np.ndarray, np.generic)) for each in values.values()):
        import torch

        return {label: torch.from_numpy(np.asarray(each)) for label, each in values.items()}
    return values


def on_all_cores(
    work: Callable[[Batch], dict[str, MeasureValues]], parts: list[Batch]
) -> list[dict[str, MeasureValues]]:
    """Returns the result for each part of a batch. It uses all cores, because NumPy releases Python's lock."""
    if len(parts) < 4 or available_cores() < 2:
        return [work(each) for each in parts]
    return all_in_threads(work, parts, available_cores())


def column_of(batch: Batch, lists: Padded, values: Any, measure: Measure, policy: Policy) -> MeasureValues:
    """Returns a measure's values and weights, after applying the policy to empty and missing queries."""
    xp, kept = batch.arrays, None
    graded: Any = None if policy.empty == "zero" else cast("Any", measure.wanted.count(lists)) > 0.0
    listed: Any = None if policy.missing == "zero" else has_documents(batch)
    for rule, present, what in (
        (policy.empty, graded, f"no document of {measure.wanted}"),
        (policy.missing, listed, "no document"),
    ):
        if rule == "skip":
            kept = present if kept is None else kept & present
        elif rule == "error":
            batch = batch.marked(
                ~present, f"{what}, which the policy forbids", "leave it out, or choose another rule"
            )
        elif present is not None and measure.definition.aggregate != "sum":
            values = xp.where(present, values, 1.0 if rule == "one" else float("nan"))
    if batch.left_out is not None:
        kept = ~batch.left_out if kept is None else kept & ~batch.left_out
    if batch.flaws is not None:
        values = xp.where(batch.flaws, float("nan"), values)
    return MeasureValues(values, measure.weigh(lists), kept)


def has_documents(batch: Batch) -> Any:
    """Returns a mask of the queries that have a document [query]. A query without documents is missing."""
    if batch.mask is None:
        return batch.arrays.full(tuple(batch.grades.shape[:1]), float(batch.grades.shape[1])) > 0.0
    return batch.arrays.library.any(batch.mask, axis=1)


def query_values(batch: Batch, column: MeasureValues) -> Any:
    """Returns the value of each query, which is NaN if the query does not count."""
    if column.kept is None:
        return column.values
    return batch.arrays.where(column.kept, column.values, float("nan"))


def weighed(column: MeasureValues, weights: Any) -> MeasureValues:
    """Returns the column with the caller's weights applied."""
    return MeasureValues(
        column.values, weights if column.weights is None else column.weights * weights, column.kept
    )


def joined(batch: Batch, parts: list[dict[str, MeasureValues]]) -> dict[str, MeasureValues]:
    """Concatenates the columns of a batch's parts into the columns of the whole batch."""

    def end_to_end(label: str, name: str) -> Any:
        each = [getattr(part[label], name) for part in parts]
        return None if each[0] is None else batch.arrays.library.concat(each)

    names = ("values", "weights", "kept")
    return {label: MeasureValues(*(end_to_end(label, name) for name in names)) for label in parts[0]}


def refuse_measure(measure: Measure) -> None:
    """Refuses a measure that cannot be computed from arrays of grades.

    Raises:
        MeasureError: the measure counts preferences or judgment groups, or compares scores of different queries.
    """
    if measure.micro:
        raise MeasureError(
            f"{measure} compares the scores of all queries, and a batch may contain only some: use "
            f"{measure.name} with the documents of all queries as one list, or evaluate a run."
        )
    if measure.definition.takes != "grades":
        raise MeasureError(
            f"{measure} counts preferences or judgment groups, but an array of grades contains none: "
            "evaluate files with 'carob trec-eval'."
        )


@dataclass(frozen=True, eq=False)
class MeasureValues:
    """The values of one measure.

    Args:
        values: the value of each query [query].
        weights: the weight of each query in the mean; None for equal weights [query].
        kept: True for each query that counts in the mean; None for all [query].
    """

    values: Any
    weights: Any = None
    kept: Any = None


def terms_of(xp: Arrays, column: MeasureValues, how: str) -> tuple[Any, Any]:
    """Returns the terms that each query adds to the measure's sum and to its divisor.

    Args:
        xp: the array library.
        column: the values of the measure.
        how: how the values are aggregated: ``mean``, ``geometric`` or ``sum``.
    """
    values, weights = column.values, column.weights
    if how == "geometric":
        values = xp.log(xp.maximum(values, GEOMETRIC_FLOOR))
    if how == "sum" or weights is None:
        weights = xp.full(tuple(values.shape), 1.0)
    if column.kept is not None:
        weights = xp.where(column.kept, weights, 0.0)
    return xp.where(weights > 0.0, values * weights, 0.0), weights


def sums_of(xp: Arrays, column: MeasureValues, how: str) -> tuple[Any, Any]:
    """Returns the sums of the terms of all queries."""
    terms, weights = terms_of(xp, column, how)
    return xp.library.sum(terms, dtype=xp.dtype), xp.library.sum(weights, dtype=xp.dtype)


def mean_of(xp: Arrays, total: Any, whole: Any, how: str) -> Any:
    """Returns the mean, which is the sum of the terms divided by the sum of the weights, or NaN if no query counts."""
    if how == "sum":
        return total
    mean = xp.where(whole > 0.0, total / xp.maximum(whole, 1e-30), float("nan"))
    return xp.library.exp(mean) if how == "geometric" else mean
