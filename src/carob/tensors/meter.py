"""Defines ``carob.Meter``, which computes means across batches and processes from two sums per measure."""

from __future__ import annotations

import hashlib
from copy import copy
from dataclasses import field
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.evaluation.scores import Scores
from carob.lists.arrays import Arrays
from carob.output.errors import DataError, MeasureError
from carob.output.language import plural
from carob.tensors.evaluator import Evaluator, MeasureValues, mean_of, sums_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.lists.rows import Floats


HOST = Arrays(np, None, np.float64, "numpy")
DIGEST = 16
"""The number of bytes in a query's fingerprint. With 10^9 queries, the chance of a collision is below 1e-20."""

SAME = 1e-5
"""The largest allowed difference between the values of a query that occurs twice, for example because the other batch
was computed in single precision."""


@dataclass
class State:
    """The state of a meter.

    Args:
        sums: the running sum and divisor of each measure [measure, 2].
        count: the number of queries so far.
        seen: the fingerprints of the queries with an id.
        queries: each query's scores and its terms in the sums, by query id, if the meter keeps per-query scores.
    """

    sums: Any = None
    count: int = 0
    seen: set[bytes] = field(default_factory=set)
    queries: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)


class Meter:
    """Computes means over queries that arrive in batches, in one process or several.

    A meter stores two numbers per measure, however many queries there are, and waits for a device only in ``compute``.

    - Without ids, a repeated query counts twice.
    - With ids, a query that is repeated in this or another process is an error. The meter stores 16 bytes per query.
    - With ids and ``per_query=True``, a query counts once even if it is repeated, for example by the sampler in
      distributed training. The meter also stores each query's values.

    Args:
        measures: measure names, or ``Measure`` objects; None for the profile's or carob's default measures.
        policy: the conventions; documents with equal scores keep the order of the array if None.
        profile: the name of a tool whose conventions apply (see ``carob.list_profiles()``); None for carob's
            conventions.
        max_grade: the highest grade, if all grades are whole numbers; None if the highest grade is unknown.
        per_query: whether to keep per-query scores, by query id.
        dtype: the floating-point type to compute with, such as ``float64``; None for the type of the scores. The sums
            use double precision.
        nan_scores: how to treat a query with a NaN score: ``error``, ``worst`` or ``skip``, as in
            ``carob.tensors.evaluate``.

    Raises:
        MeasureError: a measure does not exist, or arrays cannot give it.
        PolicyError: a policy that arrays cannot follow.

    Example:
        >>> import numpy as np
        >>> import carob
        >>> meter = carob.Meter(["RR", "P@1"])
        >>> meter.update(np.array([[0.9, 0.2]]), np.array([[0, 1]]))
        >>> meter.update(np.array([[0.3, 0.8]]), np.array([[0, 1]]))
        >>> meter.compute()
        {'RR': 0.75, 'P@1': 0.5}
    """

    def __init__(
        self,
        measures: MeasuresLike = None,
        *,
        policy: Policy | None = None,
        profile: ProfileLike = None,
        max_grade: int | None = None,
        per_query: bool = False,
        dtype: Any = None,
        nan_scores: str = "error",
    ) -> None:
        """Creates an empty meter."""
        self.evaluator = Evaluator(
            measures, policy=policy, profile=profile, max_grade=max_grade, dtype=dtype, nan_scores=nan_scores
        )
        self.measures = tuple(self.evaluator.asked.values())
        self.labels = tuple(self.evaluator.asked)
        self.per_query = per_query
        self.policy = self.evaluator.policy if policy is not None or profile is not None else None
        self.reset()

    def reset(self) -> None:
        """Discards all queries."""
        self.state = State()

    def emptied(self) -> Meter:
        """Returns an empty meter with the same measures and settings."""
        other = copy(self)
        other.reset()
        return other

    # ------------------------------------------------------------ input

    def update(self, scores: Any, relevance: Any, *, ids: Iterable[Any] | None = None, **named: Any) -> None:
        """Adds a batch.

        Args:
            scores: the system's scores [query, document].
            relevance: the grade of each document, in the shape of ``scores``.
            ids: the name or number of each query [query].
            named: further arguments of ``carob.tensors.evaluate``, such as ``mask``, ``judged`` and ``weights``.

        Raises:
            DataError: the shapes do not match, a query was added before, or an id is missing.
        """
        batch, weights = self.evaluator.batch(scores, relevance, **named)
        self.stand_under(self.evaluator.policy)
        self.take(batch.arrays, self.evaluator.columns(batch, weights), int(batch.grades.shape[0]), ids)

    def add(self, scores: Scores) -> None:
        """Adds ``carob.Scores`` of the same measures under the same policy.

        Args:
            scores: the scores of some queries.

        Raises:
            DataError: the scores have different measures or a different policy, or a query was already added.
        """
        if not isinstance(scores, Scores):
            raise DataError(
                f"add() requires carob.Scores, not a {type(scores).__name__}: pass batches to update()."
            )
        if scores.measures != self.measures:
            raise self.other_measures("The scores contain", scores.labels)
        self.stand_under(scores.policy)
        columns = {
            label: MeasureValues(
                scores.matrix[:, place],
                None if scores.weights is None else scores.weights[:, place],
                None if scores.counted is None else scores.counted[:, place],
            )
            for place, label in enumerate(self.labels)
        }
        self.take(HOST, columns, len(scores.queries), scores.queries)

    def take(
        self, xp: Arrays, columns: dict[str, MeasureValues], count: int, ids: Iterable[Any] | None
    ) -> None:
        """Adds the values of some queries."""
        hows = [each.definition.aggregate for each in self.measures]
        if self.per_query:
            with xp.quiet():
                terms = [terms_of(xp, columns[label], how) for label, how in zip(self.labels, hows)]
            values = np.stack([to_host(columns[label].values) for label in self.labels], axis=-1)
            parts = np.stack([np.stack([*map(to_host, each)], axis=-1) for each in terms], axis=1)
            names = ids_as_text(ids, count)
            self.absorb(State(queries=dict(zip(names, zip(values, parts)))))
            return
        seen: set[bytes] = set()
        if ids is not None:
            seen = fingerprints(ids_as_text(ids, count))
            refuse_twice(count - len(seen))
        with xp.quiet():
            sums = [
                xp.library.stack(list(sums_of(xp, columns[label], how)))
                for label, how in zip(self.labels, hows)
            ]
        self.absorb(State(wide(xp, xp.library.stack(sums)), count, seen))

    def merge(self, other: Meter) -> None:
        """Adds the queries of another meter, for example from another process. The order of merging is irrelevant.

        Args:
            other: a meter for the same measures, which is not changed.

        Raises:
            DataError: the measures or the policies differ or, without ``per_query``, a query is in both meters.
        """
        if not isinstance(other, Meter):
            raise DataError(f"merge() requires another carob.Meter, not a {type(other).__name__}.")
        if (other.measures, other.per_query) != (self.measures, self.per_query):
            raise DataError("Only meters with the same measures and the same per_query can be merged.")
        if other.policy is not None:
            self.stand_under(other.policy)
        self.absorb(other.state)

    def absorb(self, other: State) -> None:
        """Adds another state to this one. A query in both states counts once."""
        mine = self.state
        if self.per_query:
            for name, (values, part) in other.queries.items():
                known, _ = mine.queries.setdefault(name, (values, part))
                if not np.allclose(known, values, rtol=0.0, atol=SAME, equal_nan=True):
                    raise DataError(
                        f"Query '{name}' occurs twice with different values: give each query its own id."
                    )
            mine.count = len(mine.queries)
            return
        refuse_twice(len(mine.seen & other.seen))
        mine.sums = together(mine.sums, other.sums)
        mine.seen |= other.seen
        mine.count += other.count

    def other_measures(self, found: str, measures: Iterable[str]) -> DataError:
        """Returns the error for scores or a state whose measures differ from the meter's."""
        return DataError(
            f"{found} the measures {', '.join(measures)}, but the meter has {', '.join(self.labels)}."
        )

    def stand_under(self, policy: Policy) -> None:
        """Stores the policy of the first batch, and refuses a later batch with another policy.

        Raises:
            DataError: the policy of a later batch differs.
        """
        if self.policy is not None and policy != self.policy:
            raise DataError(
                f"The earlier batches have the policy '{self.policy.describe()}', but this batch has "
                f"'{policy.describe()}': use one policy for all batches, as in carob.Meter(policy=...)."
            )
        self.policy = policy

    # ------------------------------------------------------------ results

    def compute(self, *, distributed: bool = False) -> dict[str, float]:
        """Returns the means over all queries.

        Args:
            distributed: whether to include the meters of all ``torch.distributed`` processes; every process must then
                call this method.

        Raises:
            DataError: the meter has no queries or, without ``per_query``, two processes have the same query.
        """
        if distributed:
            return self.gathered().compute()
        if not self.state.count:
            raise DataError("There are no queries yet, so there is no mean: call update() or add() first.")
        sums = self.sums()
        with HOST.quiet():
            return {
                label: float(mean_of(HOST, total, whole, measure.definition.aggregate))
                for label, measure, (total, whole) in zip(self.labels, self.measures, sums)
            }

    def by_query(self, measure: str) -> dict[str, float]:
        """Returns each query's value by id.

        Args:
            measure: the label of one of the meter's measures.

        Raises:
            DataError: the meter does not keep per-query scores.
            MeasureError: the meter does not have the measure.
        """
        if not self.per_query:
            raise DataError("This meter does not store per-query scores: create it with per_query=True.")
        if measure not in self.labels:
            raise MeasureError(
                f"This meter does not have {measure!r}. Its measures are: {', '.join(self.labels)}."
            )
        place = self.labels.index(measure)
        return {name: float(values[place]) for name, (values, _) in self.state.queries.items()}

    @property
    def knows_queries(self) -> bool:
        """Whether the meter has an id for every query, so no query counts twice."""
        return bool(self.per_query or self.state.seen)

    def __len__(self) -> int:
        """Returns the number of queries so far."""
        return self.state.count

    def __repr__(self) -> str:
        """Returns the means so far, the number of queries, and the policy."""
        if not self.state.count:
            means = ", ".join(self.labels)
        else:
            means = ", ".join(f"{label} {value:.4f}" for label, value in self.compute().items())
        queries = plural(self.state.count, "query", "queries")
        policy = (self.policy or self.evaluator.policy).describe()
        return f"<carob.Meter: {means} · {queries} · policy {policy}>"

    def sums(self) -> Floats:
        """Returns the sum and the divisor of each measure [measure, 2]."""
        if not self.per_query:
            none = self.state.sums is None
            return np.zeros((len(self.labels), 2)) if none else to_host(self.state.sums)
        parts = [part for _, (_, part) in sorted(self.state.queries.items())]
        return np.sum(parts, axis=0) if parts else np.zeros((len(self.labels), 2))

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the meter, as plain lists for JSON."""
        queries = {name: [each.tolist() for each in its] for name, its in self.state.queries.items()}
        return {
            "measures": [str(each) for each in self.measures],
            "count": self.state.count,
            "sums": self.sums().tolist(),
            "seen": sorted(each.hex() for each in self.state.seen),
            "queries": queries,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Replaces the state with one from ``state_dict``.

        Args:
            state: the result of ``state_dict``.

        Raises:
            DataError: the state is for different measures, or is not a valid state.
        """
        try:
            measures = list(map(str, state["measures"]))
            known = self.known_from(state)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise DataError(
                f"This is not the state of a carob.Meter ({type(error).__name__}: {error}): pass the value "
                "that state_dict() returned."
            ) from None
        if measures != [str(each) for each in self.measures]:
            raise self.other_measures("The state contains", measures)
        self.state = known

    def known_from(self, state: dict[str, Any]) -> State:
        """Converts a dictionary from ``state_dict`` to a state.

        Raises:
            ValueError: the numbers do not match the measures. A dictionary that is not a state may raise other errors.
        """
        rows = len(state["measures"])
        queries = {
            str(name): (numbers(its[0], (rows,)), numbers(its[1], (rows, 2)))
            for name, its in state["queries"].items()
        }
        count = state["count"]
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError(f"a count of {count!r}")
        return State(
            numbers(state["sums"], (rows, 2)), count, set(map(bytes.fromhex, state["seen"])), queries
        )

    # ------------------------------------------------------------ many processes

    def gathered(self) -> Meter:
        """Returns a meter with the queries of all ``torch.distributed`` processes. Each process gets the same meter.

        A single all-reduce adds the sums. Fingerprints or per-query scores are gathered if the meter has any.

        Raises:
            DataError: without ``per_query``, two processes have the same query.
        """
        import torch
        from torch import distributed

        everything = self.emptied()
        if self.per_query:
            found: list[Any] = [None] * distributed.get_world_size()
            distributed.all_gather_object(found, self.state.queries)
            for queries in found:
                everything.absorb(State(queries=queries))
            return everything
        place = "cuda" if distributed.get_backend() == "nccl" else "cpu"
        numbers = [*self.sums().ravel().tolist(), float(self.state.count), float(len(self.state.seen))]
        reduced = torch.tensor(numbers, dtype=torch.float64, device=place)
        distributed.all_reduce(reduced)
        *sums, count, marked = reduced.tolist()
        state = State(np.array(sums).reshape(-1, 2), int(count))
        if marked:
            sets: list[Any] = [None] * distributed.get_world_size()
            distributed.all_gather_object(sets, self.state.seen)
            state.seen = set().union(*sets)
            if len(state.seen) < marked:
                raise DataError(
                    f"{int(marked) - len(state.seen)} of the queries came from more than one process, and "
                    "would count twice: assign each query to only one process, or create the meter with "
                    "per_query=True, which counts them once."
                )
        everything.state = state
        return everything


def numbers(given: Any, shape: tuple[int, ...]) -> Floats:
    """Returns numbers as an array after checking its shape.

    Raises:
        ValueError: the array has another shape.
    """
    found = np.array(given, np.float64)
    if found.shape != shape:
        raise ValueError(f"found numbers of shape {list(found.shape)}, expected {list(shape)}")
    return found


def ids_as_text(ids: Iterable[Any] | None, count: int) -> list[str]:
    """Returns the query ids as strings.

    Raises:
        DataError: ids are missing, or the number of ids differs from the number of queries.
    """
    if ids is None:
        raise DataError(
            "This meter stores per-query scores and needs the queries' ids: update(..., ids=...)."
        )
    names = [str(each) for each in (ids.tolist() if hasattr(ids, "tolist") else ids)]
    if len(names) != count:
        raise DataError(f"There are {len(names)} ids for {count} queries: pass one id per query.")
    return names


def refuse_twice(count: int) -> None:
    """Refuses queries that would count twice.

    Raises:
        DataError: a query would count twice.
    """
    if count:
        raise DataError(
            f"{count} of the queries occur twice and would count twice: remove them, or create the meter "
            "with per_query=True, which counts them once."
        )


def fingerprints(names: list[str]) -> set[bytes]:
    """Returns the fingerprint of each query id."""
    return {
        hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=DIGEST).digest()
        for name in names
    }


def wide(xp: Arrays, sums: Any) -> Any:
    """Converts sums to double precision if the device supports it."""
    if xp.kind == "numpy":
        return np.asarray(sums, np.float64)
    if xp.kind == "torch" and sums.device.type != "mps":
        return sums.double()
    return sums


def together(mine: Any, others: Any) -> Any:
    """Adds two sums on their common device, or on the host if their devices differ. None counts as 0."""
    if mine is None or others is None:
        return others if mine is None else mine
    if type(mine) is not type(others) or getattr(mine, "device", None) != getattr(others, "device", None):
        return to_host(mine) + to_host(others)
    return mine + others


def to_host(array: Any) -> Floats:
    """Copies an array's numbers to NumPy."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
    return np.asarray(array, np.float64)
