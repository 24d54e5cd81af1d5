"""Validates padded, flat or top-k input and converts it to arrays of shape [query, document]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.inputs.errors import refused
from carob.inputs.query_files import A_WEIGHT, LARGEST, SMALLEST
from carob.lists.arrays import arrays_of, host_view
from carob.output.errors import DataError, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from carob.lists.arrays import Arrays


MASKED = {
    "scores": "scores.data, and mask=~scores.mask for the existing documents",
    "relevance": "relevance.filled(numpy.nan) if masked entries are unjudged documents, or mask= if they are not "
    "documents",
    "judged": "judged.filled(numpy.nan)",
    "ids": "ids.filled(-1)",
    "relevant_ids": "relevant_ids.filled(-1)",
}
"""For each argument, what to pass instead of a masked array."""

NAN_SCORES = ("error", "worst", "skip")
"""The rules for a query with a NaN score, for example from a model that diverged."""

NAN_WARNINGS = {
    "worst": "The scores contain NaN. A query with such a score is ranked in the worst order (nan_scores='worst').",
    "skip": "The scores contain NaN. A query with such a score is left out of the means (nan_scores='skip').",
}
NAN_ADVICE = "give each document a score, mask it, or choose nan_scores='worst' or 'skip'"

ROWS = "'{name}' has {queries:row} and '{other}' has {judged:row}: pass one row for each query in both."
UNHELD = "a score that floating point cannot represent, so different scores would become equal"
"""The problem with whole numbers beyond 2**53 and similar values, for error messages."""


def taken(array: Any, name: str) -> Any:
    """Returns the array in a form ready for computation. On the host, this is a NumPy array in native byte order.

    Args:
        array: an array of any library; anything else is returned unchanged.
        name: the name of the argument, for error messages.

    Raises:
        DataError: the array is masked, or contains values other than real numbers.
    """
    # torch.compile also traces this function, and it cannot handle the names of these types.
    if array is None or isinstance(array, int):
        return array
    array = host_view(array)
    if not hasattr(array, "dtype") or not getattr(array, "shape", ()):
        return array
    if isinstance(array, np.ndarray):
        if hasattr(array, "harden_mask"):  # importing numpy.ma costs more than a small batch
            instead = MASKED.get(name, f"{name}.data")
            raise DataError(f"{name} is a masked array, whose mask would be lost: pass {instead}.")
        array = np.asarray(array)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
    if not arrays_of(array).library.isdtype(array.dtype, ("bool", "integral", "real floating")):
        raise DataError(f"{name} is of type {array.dtype}: pass real numbers, as in {name}.astype(float).")
    return array


def as_scores(arrays: Arrays, scores: Any) -> tuple[Any, Any]:
    """Returns scores as floats, and marks those that rounding may have made equal (None if no score is marked).

    Whole numbers and long doubles are converted to double precision if the device supports it.
    """
    xp = arrays.library
    whole = xp.isdtype(scores.dtype, ("bool", "integral"))
    if not whole and not (arrays.on_host and scores.dtype.itemsize > np.dtype(np.float64).itemsize):
        return scores, None
    floats = xp.astype(scores, widest(arrays))
    if xp.isdtype(scores.dtype, "bool"):
        return floats, None
    exact = 2.0 ** (53 if floats.dtype == xp.float64 else 24)
    found = arrays.range_of(floats)
    if whole and (xp.iinfo(scores.dtype).max <= exact or (found and max(-found[0], found[1]) < exact)):
        return floats, None
    with arrays.quiet():
        unheld = xp.astype(floats, scores.dtype) != scores
    if not whole:
        return floats, unheld & ~arrays.isnan(scores)
    # If a float exceeds the integer type's largest value, the result of converting it back depends on the processor.
    return floats, unheld | (floats >= float(xp.iinfo(scores.dtype).max))


def widest(arrays: Arrays) -> Any:
    """Returns the widest floating-point type that the library supports on the device."""
    if arrays.on_host:
        return np.float64
    if arrays.kind == "torch" and arrays.device.type != "mps":
        return arrays.library.float64
    return arrays.library.asarray([0.0]).dtype


def weights_taken(arrays: Arrays, weights: Any) -> Any:
    """Returns query weights as floats. On a device, an invalid weight becomes NaN, and so does the mean.

    Raises:
        DataError: on the host, a weight is invalid.
    """
    floats = arrays.floats(weights)
    fine = (floats == 0.0) | ((floats >= SMALLEST) & (floats <= LARGEST))
    if not arrays.on_host:
        return arrays.where(fine, floats, float("nan"))
    if not fine.all():
        place = int(fine.argmin())
        raise DataError(f"'weights' contains {weights[place]} at place {place}: {A_WEIGHT}.")
    return floats


def refuse_no_ids(array: Any, name: str) -> None:
    """Refuses ids that are not whole numbers.

    Raises:
        DataError: the ids are not integers: fractions would be rounded, and NaN is no id.
    """
    if not arrays_of(array).library.isdtype(array.dtype, "integral"):
        raise DataError(
            f"{name} is of type {array.dtype}: ids are whole numbers, with -1 where there is none. Number "
            "the documents from 0."
        )


FEW = 2**20
"""This many queries are always accepted. Beyond it, far more queries than documents means that ids were passed."""

AT_A_TIME = 2**17
"""The number of documents in one part of a batch on the host: about as many as fit into a cache."""


class Flaws:
    """The queries whose values are undefined.

    On the host, queries with flaws are refused. On a device, they are marked.

    Args:
        arrays: the array library.
        marks: the queries marked so far; None for none [query].
        first: for a part of a batch, the number of queries before it.
    """

    def __init__(self, arrays: Arrays, marks: Any = None, first: int = 0) -> None:
        self.arrays, self.marks, self.first = arrays, marks, first

    def add(self, which: Any, what: str, advice: str) -> None:
        """Marks further queries as flawed [query].

        Raises:
            DataError: on the host, a query is flawed.
        """
        if not self.arrays.on_host:
            self.marks = which if self.marks is None else self.marks | which
        elif which.any():
            number = self.first + int(which.argmax()) + 1
            raise DataError(f"Query number {number} of the batch has {what}: {advice}.")


@dataclass(frozen=True, eq=False)
class Batch:
    """Documents of many queries, with their scores, grades and flaws.

    Args:
        arrays: the array library.
        scores: the system's scores; None if the documents are already in rank order [query, document].
        grades: the grades, NaN for an unjudged document [query, document].
        mask: True where there is a document; None for all [query, document].
        judged: the grades of all judgments, padded with NaN; None if ``grades`` contains all of them [query, judgment].
        flaws: queries whose values are undefined: on a device, they are marked instead of refused [query].
        first: for a part of a batch, the number of queries before it.
        worst: queries that are ranked in the worst order, because a score is NaN; None for none [query].
        left_out: queries that are left out of the means, because a score is NaN; None for none [query].
    """

    arrays: Arrays
    scores: Any
    grades: Any
    mask: Any = None
    judged: Any = None
    flaws: Any = None
    first: int = 0
    worst: Any = None
    left_out: Any = None

    def parts(self) -> Iterator[Batch]:
        """Yields the batch, or parts of a few queries each if that is faster."""
        queries, width = self.grades.shape
        step = max(1, AT_A_TIME // max(width, 1))
        if not self.arrays.on_host or queries <= step:
            yield self
            return
        names = ("scores", "grades", "mask", "judged", "flaws", "worst", "left_out")
        held = {name: each for name in names if (each := getattr(self, name)) is not None}
        for first in range(0, queries, step):
            part = {name: each[first : first + step] for name, each in held.items()}
            yield replace(self, first=first, **part)

    def marked(self, which: Any, what: str, advice: str) -> Batch:
        """Marks more queries as undefined. On the host, a marked query is an error.

        Raises:
            DataError: on the host, a query is marked.
        """
        flaws = Flaws(self.arrays, self.flaws, self.first)
        flaws.add(which, what, advice)
        return replace(self, flaws=flaws.marks)


def batch_of(
    flaws: Flaws,
    scores: Any,
    relevance: Any,
    mask: Any = None,
    judged: Any = None,
    dtype: Any = None,
    nan_scores: str = "error",
) -> Batch:
    """Returns the batch of padded arrays.

    Raises:
        DataError: the shapes do not match or, on the host, a score is NaN.
    """
    two_axes(scores, "scores")
    for name, each in (("relevance", relevance), ("mask", mask)):
        if each is not None and tuple(array_of(each, name).shape) != tuple(scores.shape):
            raise DataError(
                f"'scores' has shape {shape_text(scores)}, but '{name}' has shape {shape_text(each)}: pass "
                "both as [query, document]."
            )
    if judged is not None and (two_axes(judged, "judged").shape[0] != scores.shape[0]):
        raise refused(ROWS, name="scores", queries=scores.shape[0], other="judged", judged=judged.shape[0])
    arrays = arrays_of(scores, dtype)
    mask = arrays.truth(mask)
    scores, unheld = as_scores(arrays, scores)
    found = arrays.range_of(scores)
    marked = None
    if found is None or found[0] != found[0]:
        marked = any_of(arrays, arrays.isnan(scores), mask)
        if nan_scores == "error":
            flaws.add(marked, "a score that is not a number (NaN)", NAN_ADVICE)
        elif arrays.on_host and marked.any():
            warn(NAN_WARNINGS[nan_scores])
    if unheld is not None:
        flaws.add(any_of(arrays, unheld, mask), UNHELD, "subtract a constant, or cast the scores to double")
    worst, left_out = (marked if nan_scores == rule else None for rule in ("worst", "skip"))
    return Batch(arrays, scores, relevance, mask, judged, flaws.marks, worst=worst, left_out=left_out)


def any_of(arrays: Arrays, wrong: Any, mask: Any) -> Any:
    """Marks the rows in which an entry is wrong, unless the mask excludes the entry."""
    return arrays.library.any(wrong if mask is None else wrong & mask, axis=1)


def array_of(array: Any, name: str) -> Any:
    """Returns an argument after checking that it is an array.

    Raises:
        DataError: the argument is something else.
    """
    if not hasattr(array, "shape"):
        lists = isinstance(array, (list, tuple)) and all(isinstance(each, (list, tuple)) for each in array)
        if lists and len({len(each) for each in array}) > 1:
            raise DataError(
                f"{name} are lists of different lengths: concatenate them, as in numpy.concatenate({name}), "
                "with ragged=carob.tensors.Ragged(queries=numpy.repeat(range(n), lengths))."
            )
        raise DataError(
            f"{name} is a {type(array).__name__}, not an array: convert it, as in numpy.asarray({name})."
        )
    return array


def two_axes(array: Any, name: str) -> Any:
    """Returns an argument after checking that it is an array with two axes.

    Raises:
        DataError: the argument is something else.
    """
    if len(array_of(array, name).shape) == 2:
        return array
    if name == "judged":
        raise DataError(
            f"'judged' has shape {shape_text(array)}. Pass [query, judgment], or [judgment] with the query "
            "of each judgment in ragged=Ragged(judged_queries=…)."
        )
    raise DataError(
        f"'{name}' has shape {shape_text(array)}, but needs two axes [query, document]. For one query, add "
        "an axis. For documents of all queries end to end, pass ragged=Ragged(queries=…)."
    )


def shape_text(array: Any) -> str:
    """Returns an array's shape as text for a message, such as ``[2, 3]``."""
    return f"[{', '.join(map(str, array.shape))}]"


# ---------------------------------------------------------------- other forms


def batch_in(
    scores: Any,
    relevance: Any,
    *,
    mask: Any = None,
    judged: Any = None,
    queries: Any = None,
    judged_queries: Any = None,
    n_queries: int | None = None,
    longest: int | None = None,
    longest_judged: int | None = None,
    dtype: Any = None,
    nan_scores: str = "error",
) -> Batch:
    """Builds a batch from the arrays of a call. Documents and judgments may each be padded or concatenated.

    Raises:
        DataError: the shapes do not match, an argument is passed without another one that it needs or, on the host, a
            query number is out of range.
    """
    refuse_stray("queries", queries, n_queries=n_queries, longest=longest)
    refuse_stray("judged_queries", judged_queries, longest_judged=longest_judged)
    refuse_stray("judged", judged, judged_queries=judged_queries)
    if queries is not None:
        given = {"scores": scores, "relevance": relevance, "queries": queries, "mask": mask}
        refuse_shapes(given, scores, "with queries= scores, relevance, mask and queries are [document]")
    arrays = arrays_of(array_of(scores, "scores"), dtype)
    flaws = Flaws(arrays)
    if queries is not None and n_queries is None and (judged is None or judged_queries is not None):
        n_queries = count_of(queries, mask, judged_queries)
    if judged_queries is not None:
        count: Any = two_axes(scores, "scores").shape[0] if queries is None else n_queries
        n_queries = None if queries is None else count
        given = {"judged": judged, "judged_queries": judged_queries}
        refuse_shapes(given, judged, "with judged_queries= both judged and judged_queries are [judgment]")
        there, laid_out = padded(flaws, judged_queries, None, count, longest_judged, JUDGMENTS)
        judged = arrays.where(there, laid_out(arrays.floats(judged)), float("nan"))
    if queries is not None:
        if n_queries is None:
            n_queries = two_axes(judged, "judged").shape[0]
        mask, laid_out = padded(flaws, queries, arrays.truth(mask), n_queries, longest, DOCUMENTS)
        scores, relevance = laid_out(scores), laid_out(relevance)
    return batch_of(flaws, scores, relevance, mask, judged, dtype, nan_scores)


def refuse_shapes(given: dict[str, Any], like: Any, rule: str) -> None:
    """Refuses arrays that do not have exactly one axis, or whose lengths differ.

    Raises:
        DataError: an array has a different shape from ``like``.
    """
    for name, each in given.items():
        if each is not None and (len(array_of(each, name).shape) != 1 or each.shape != like.shape):
            if len(each.shape) == 1 == len(like.shape):
                said = "'{name}' has {count:entry/entries}, but '{like}' has {other}."
                counts = {"count": each.shape[0], "other": like.shape[0]}
                raise refused(said, name=name, like=next(iter(given)), **counts)
            raise DataError(f"{name} is {shape_text(each)}: {rule}.")


def refuse_stray(owner: str, given: Any, **arguments: Any) -> None:
    """Refuses arguments that are passed without the argument that they require.

    Raises:
        DataError: an argument is passed without the one that it requires.
    """
    for name, each in arguments.items():
        if given is None and each is not None:
            raise DataError(f"{name}= needs {owner}=: pass both arguments or neither.")


def count_of(queries: Any, mask: Any, judged_queries: Any) -> int:
    """Returns the number of queries, inferred from the query numbers, which start at 0. The call waits for the device.

    Raises:
        DataError: a number below the highest does not occur. It could be a query without documents or no query at all,
            for example in a batch from a data set whose queries are numbered.
    """
    arrays = arrays_of(queries)
    xp, there = arrays.library, arrays.truth(mask)
    if not all(each is None or xp.isdtype(each.dtype, "integral") for each in (queries, judged_queries)):
        return 0  # refused where they are laid out
    known = wide(arrays, queries) if there is None else wide(arrays, queries)[there]
    known = known if judged_queries is None else xp.concat([known, wide(arrays, judged_queries)])
    entries = int(known.shape[0])
    if not entries:
        return 0
    count = int(xp.max(known)) + 1
    if int(xp.min(known)) < 0:
        return max(count, 0)  # refused where they are laid out
    if count > entries or not without_gaps(arrays, known, count):
        raise refused(
            "queries has {found:number} of the {count} from 0 to {last}. If the others are queries without documents, "
            "pass n_queries={count}; if not, number the queries without gaps: "
            "numpy.unique(queries, return_inverse=True)[1].",
            found=int(xp.unique_values(known).shape[0]),
            count=count,
            last=count - 1,
        )
    return count


def without_gaps(arrays: Arrays, numbers: Any, count: int) -> bool:
    """Returns whether all whole numbers from 0 to ``count`` − 1 occur. Counting is faster than sorting."""
    if arrays.kind:
        return bool((arrays.library.bincount(numbers, minlength=count) > 0).all())
    return int(arrays.library.unique_values(numbers).shape[0]) == count


def wide(arrays: Arrays, numbers: Any) -> Any:
    """Converts whole numbers to the library's index type, which can hold -1 and the last number plus 1.

    Other numbers are returned unchanged. Unsigned numbers that are too large for the type become negative.
    """
    return arrays.places(numbers) if arrays.library.isdtype(numbers.dtype, "integral") else numbers


DOCUMENTS = ("document", "queries", "longest")
JUDGMENTS = ("judgment", "judged_queries", "longest_judged")
"""The kind of entry in flat arrays, and the arguments for each entry's query and for the maximum per query."""


def padded(
    flaws: Flaws, queries: Any, mask: Any, n_queries: int, longest: int | None, names: tuple[str, str, str]
) -> tuple[Any, Callable[[Any], Any]]:
    """Computes where entries go in padded rows, from their query numbers. Each query's entries keep their order.

    Returns:
        A mask of the positions that contain an entry [query, column], and a function that converts a flat array to
        padded rows. The values in the padding are arbitrary.

    Raises:
        DataError: on the host, a query number is out of range, or a query has more entries than ``longest``.
    """
    arrays, (what, argument, limit) = flaws.arrays, names
    xp = arrays.library
    if not xp.isdtype(queries.dtype, "integral"):
        raise DataError(f"{argument} is of type {queries.dtype}: pass whole numbers of at least 0.")
    entries, given, queries = int(queries.shape[0]), queries, wide(arrays, queries)
    if n_queries > max(FEW, FEW // 2**10 * entries):
        raise DataError(
            f"{argument} implies {n_queries} queries for {entries} {what}s: number the queries from 0 "
            f"without gaps, as numpy.unique({argument}, return_inverse=True)[1] does."
        )
    # Masked entries are assigned to an extra query after all others.
    beyond = xp.full_like(queries, n_queries)
    numbers = queries if mask is None else xp.where(mask, queries, beyond)
    wrong = (queries < 0) | (queries >= beyond)
    wrong = wrong if mask is None else wrong & mask
    if not arrays.on_host:
        flaws.add(xp.broadcast_to(xp.any(wrong), (n_queries,)), "", "")
    elif wrong.any():
        place = int(wrong.argmax())
        raise DataError(
            f"'{argument}' contains {int(given[place])} at place {place}, but the {n_queries} queries have the "
            f"numbers from 0 to {n_queries - 1}: correct the number, or mask {what}s that belong to no query."
        )
    order = xp.argsort(numbers, stable=True)
    wanted = xp.arange(n_queries + 1, dtype=queries.dtype, device=arrays.device)
    edges = xp.searchsorted(xp.take(numbers, order), wanted)
    starts, sizes = edges[:-1], edges[1:] - edges[:-1]
    longest = (int(xp.max(sizes)) if n_queries else 0) if longest is None else min(longest, entries)
    more = sizes > longest
    if arrays.on_host and more.any():
        raise DataError(
            f"Query {int(more.argmax())} of '{argument}' has more than {longest} {what}s: pass a larger {limit}=, "
            "or leave it out."
        )
    flaws.add(more, "", "")
    column = xp.arange(longest, dtype=edges.dtype, device=arrays.device)[None, :]
    last = xp.asarray(max(entries - 1, 0), dtype=edges.dtype, device=arrays.device)
    place = xp.minimum(starts[:, None] + column, last)
    source = xp.reshape(xp.take(order, xp.reshape(place, (-1,))), (-1,))
    there = column < sizes[:, None]
    return there, lambda array: xp.reshape(xp.take(array, source), tuple(there.shape))


def topk_batch(
    ids: Any,
    relevant_ids: Any,
    grades: Any = None,
    mask: Any = None,
    relevant_mask: Any = None,
    duplicates: str = "error",
    dtype: Any = None,
) -> Batch:
    """Builds a batch from retrieved ids in rank order and judged ids.

    Args:
        ids: the retrieved documents; negative numbers are padding [query, rank].
        relevant_ids: the judged documents; negative numbers are padding [query, judgment].
        grades: the grades of ``relevant_ids``; all 1 if None [query, judgment].
        mask: True where ``ids`` contains a document [query, rank].
        relevant_mask: True where ``relevant_ids`` contains a document [query, judgment].
        duplicates: the rule for an id that occurs more than once: ``error`` refuses it, ``first`` or ``last`` counts
            only that occurrence.
        dtype: the floating-point type; the library's default if None.

    Raises:
        DataError: the shapes do not match or, on the host, an id occurs twice.
    """
    both = {"ids": (ids, mask), "relevant_ids": (relevant_ids, relevant_mask)}
    for name, (array, _) in both.items():
        two_axes(array, name)
    for name, (array, _) in both.items():
        refuse_no_ids(array, name)
    if ids.shape[0] != relevant_ids.shape[0]:
        rows = {"queries": ids.shape[0], "judged": relevant_ids.shape[0]}
        raise refused(ROWS, name="ids", other="relevant_ids", **rows)
    arrays = arrays_of(ids, dtype)
    for name, each, like in (
        ("mask", mask, ids),
        ("relevant_mask", relevant_mask, relevant_ids),
        ("grades", grades, relevant_ids),
    ):
        if each is not None and tuple(array_of(each, name).shape) != tuple(like.shape):
            raise DataError(
                f"'{name}' has shape {shape_text(each)}, but the ids have shape {shape_text(like)}: pass "
                "arrays of equal shapes."
            )
    flaws = Flaws(arrays)
    (ids, kept), (relevant_ids, there) = (
        once_each(flaws, array, present, name, duplicates) for name, (array, present) in both.items()
    )
    judged = arrays.floats(arrays.library.ones_like(there) if grades is None else grades)
    judged = arrays.where(there, judged, float("nan"))
    found = grades_of(arrays, ids, kept, relevant_ids, judged)
    return Batch(arrays, None, found, kept, judged, flaws.marks)


def once_each(flaws: Flaws, ids: Any, mask: Any, name: str, duplicates: str) -> tuple[Any, Any]:
    """Returns ids in the library's index type, and a mask of the documents that count, each of them once.

    Raises:
        DataError: on the host, an id is too large, or an id occurs more than once and ``duplicates`` forbids it.
    """
    arrays, xp = flaws.arrays, flaws.arrays.library
    unsigned = xp.isdtype(ids.dtype, "unsigned integer")
    ids, there = wide(arrays, ids), arrays.truth(mask)
    if unsigned:
        what, advice = f"an id in {name} of 2**63 or more", "number the documents from 0, or mask it"
        flaws.add(any_of(arrays, ids < 0, there), what, advice)
    there = ids >= 0 if there is None else there & (ids >= 0)
    again = repeated(arrays, ids, there, last=duplicates == "last")
    if duplicates == "error":
        flaws.add(
            xp.any(again, axis=1),
            f"an id twice in {name}",
            "remove one, or choose Policy(duplicates='first')",
        )
    return ids, there & ~again


def repeated(arrays: Arrays, ids: Any, there: Any, *, last: bool) -> Any:
    """Marks the repeated ids in each row: all occurrences except the first, or all except the last."""
    xp = arrays.library
    if ids.shape[1] < 2:
        return xp.zeros_like(there)
    # Each padding entry gets its own negative id, so it equals no other entry.
    own = -1 - xp.arange(ids.shape[1], dtype=ids.dtype, device=arrays.device)[None, :]
    ids = xp.where(there, ids, xp.broadcast_to(own, ids.shape))
    order = xp.argsort(ids, axis=1, stable=True)
    placed = xp.take_along_axis(ids, order, axis=1)
    same = placed[:, 1:] == placed[:, :-1]
    none = xp.zeros_like(same[:, :1])
    again = xp.concat([same, none] if last else [none, same], axis=1)
    return xp.take_along_axis(again, xp.argsort(order, axis=1, stable=True), axis=1)


def grades_of(arrays: Arrays, ids: Any, kept: Any, judged_ids: Any, judged: Any) -> Any:
    """Returns the grade of each id, and NaN for unjudged documents and padding.

    The function loops over the columns of judgments, which are few.
    """
    xp = arrays.library
    found = arrays.full(tuple(ids.shape), float("nan"))
    for place in range(judged_ids.shape[1]):
        its = judged[:, place : place + 1]
        same = (ids == judged_ids[:, place : place + 1]) & kept & ~xp.isnan(its)
        found = xp.where(same, its, found)
    return found
