"""ranx's ``Qrels``, ``Run``, ``evaluate``, ``compare`` and ``fuse`` with carob's measures, tests and fusion.

Only the import changes in programs: ``from carob.compat.ranx import Qrels, Run, compare, evaluate, fuse``. The
arguments, their defaults and the values match ranx 0.3.21. ``docs/ranx.md`` lists the differences.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, ClassVar

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.findings import letter
from carob.conventions.policy import Policy
from carob.evaluation.evaluate import evaluate_run
from carob.fusion import methods
from carob.fusion.fuse import fuse as fused_by_carob
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels as Judgments
from carob.inputs.run import Run as RankedLists
from carob.measures.grammar import is_number
from carob.output.document import Table
from carob.output.errors import ArgumentError, DataError, MeasureError
from carob.output.escaping import shortened, shown
from carob.output.files import write_whole
from carob.output.formats import format_named
from carob.output.frames import frame_of
from carob.output.parsing import number_of
from carob.output.results import Records
from carob.statistics.estimates import paired, wins
from carob.statistics.multiple_comparisons import randomised_tukey
from carob.statistics.resampling import Draw, sign_flip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, KeysView, Sequence

    from typing_extensions import Self

    from carob.lists.rows import Floats, Integers

__all__ = ["Qrels", "Run", "compare", "evaluate", "fuse"]

LAST = Policy(duplicates="last")
"""The policy for reading files: if a document occurs twice, ranx keeps the last line."""
NORMS = {"zmuv": "z-score", "min_max": "min-max", None: "none"}
"""ranx's names for normalisations, with carob's names if they are different."""
EVERY = 10**9
"""A depth that is larger than any fused list."""

TESTS: dict[str, Callable[[Floats, Integers, Draw], Floats]] = {
    "student": lambda scores, pairs, _: paired(scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]).p,
    "fisher": lambda scores, pairs, draw: sign_flip(scores, pairs, draw).p,
    "tukey": lambda scores, pairs, draw: randomised_tukey(scores, pairs, draw).p,
}
"""Functions that return p for each pair of columns, by ranx's name for the test."""


def a_number(value: Any) -> float:
    """Converts a value, which may be text, to a number.

    Raises:
        ValueError: the value is neither a number nor text that contains one.
    """
    number = number_of(value) if isinstance(value, str) else float(value)
    if number is None:
        raise ValueError
    return number


def a_grade(value: Any) -> int:
    """Converts a value, which may be text, to a whole number.

    Raises:
        ValueError: it is not a whole number.
    """
    number = a_number(value)
    if not number.is_integer():
        raise ValueError
    return int(number)


class Ratings:
    """A number for each document of each query: the base of ``Qrels`` and ``Run``.

    Args:
        ratings: ``{query: {document: number}}``.
        name: the name to show in tables.
    """

    reader: ClassVar[Any]
    number: ClassVar[Any]
    wanted: ClassVar[str]
    line: ClassVar[str]

    def __init__(
        self, ratings: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        """Copies the numbers.

        Raises:
            DataError: the object is not ``{query: {document: number}}``.
        """
        self.name = name
        self.ratings: dict[str, dict[str, float]] = {}
        given: Any = {} if ratings is None else ratings
        if not isinstance(given, Mapping):
            raise refused("expected {{query: {{document: number}}}}, found {found}.", found=shown(given))
        for query, its in given.items():
            if not isinstance(its, Mapping):
                said = "query {query}: expected {{document: number}}, found {found}."
                raise refused(said, query=shown(query), found=shown(its))
            self.add(query, its.keys(), its.values())

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Sets the number of a document."""
        self.ratings.setdefault(q_id, {}).update(self.rated(q_id, [doc_id], [score]))

    def add(self, q_id: str, doc_ids: Iterable[str], scores: Iterable[float]) -> None:
        """Sets the documents of a query, each with its number."""
        self.ratings[q_id] = self.rated(q_id, doc_ids, scores)

    def rated(self, query: str, documents: Iterable[str], numbers: Iterable[float]) -> dict[str, float]:
        """Returns the documents of a query with their numbers.

        Raises:
            DataError: an id is not text, a value is not a number, or the number of values differs from the number of
                documents.
        """
        ids, values = [*documents], [*numbers]
        if len(ids) != len(values):
            said = "query {query} has {documents:document} and {numbers:number}."
            raise refused(said, query=shown(query), documents=len(ids), numbers=len(values))
        for each in (query, *ids):
            if not isinstance(each, str):
                raise refused("the id {id} is not text.", "Pass str(id), as for ranx.", id=shown(each))
        found = {}
        for document, value in zip(ids, values, strict=True):
            try:
                found[document] = self.number(value)
            except (TypeError, ValueError, OverflowError):
                raise refused(
                    "document {document} of query {query}: expected {wanted}, found {found}.",
                    document=shown(document),
                    query=shown(query),
                    wanted=self.wanted,
                    found=shown(value),
                ) from None
        return found

    def add_multi(
        self, q_ids: Iterable[str], doc_ids: Iterable[Iterable[str]], scores: Iterable[Iterable[float]]
    ) -> None:
        """Sets the documents of several queries, each with its number.

        Raises:
            DataError: the number of lists of documents, or of lists of numbers, differs from the number of queries.
        """
        queries, documents, numbers = [*q_ids], [*doc_ids], [*scores]
        if not len(queries) == len(documents) == len(numbers):
            said = "there are {a:query/queries}, {b:list} of documents and {c:list} of numbers."
            raise refused(said, a=len(queries), b=len(documents), c=len(numbers))
        for each in zip(queries, documents, numbers, strict=True):
            self.add(*each)

    def keys(self) -> KeysView[str]:
        """Returns the queries."""
        return self.ratings.keys()

    def __getitem__(self, q_id: str) -> dict[str, float]:
        """Returns the documents of a query with their numbers."""
        return self.ratings[q_id]

    def __len__(self) -> int:
        """Returns the number of queries."""
        return len(self.ratings)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Returns ``{query: {document: number}}``."""
        return {query: dict(its) for query, its in self.ratings.items()}

    def to_dataframe(self) -> Any:
        """Returns a pandas frame with the columns ``q_id``, ``doc_id`` and ``score``."""
        rows = [(query, *each) for query, its in self.ratings.items() for each in its.items()]
        return frame_of(Records(["q_id", "doc_id", "score"], rows).columns(), "pandas")

    def save(self, path: str, kind: str | None = None) -> None:
        """Writes TREC text if the path ends in ``.txt`` or ``.trec`` or ``kind`` is ``trec``, and JSON otherwise."""
        if kind != "trec" and (kind is not None or not path.endswith((".txt", ".trec"))):
            write_whole(path, json.dumps(self.ratings))
            return
        lines = [
            self.line.format(
                query=query, document=document, rank=rank, number=number, name=self.name or "run"
            )
            for query, its in self.ratings.items()
            for rank, (document, number) in enumerate(sorted(its.items(), key=lambda each: -each[1]), 1)
        ]
        write_whole(path, "".join(lines))

    @classmethod
    def read(cls, source: Any, name: str | None = None, **columns: str) -> Self:
        """Reads anything that carob accepts as judgments or as a run, and keeps the order of the lines.

        Raises:
            DataError: the data cannot be read, or the judgments are a sample.
        """
        found: dict[str, dict[str, float]] = {}
        held = cls.reader.of(source, **({"policy": LAST} if cls is Qrels else {}), **columns)
        for query, document, number in (held.complete if cls is Qrels else held.held).rows():
            found.setdefault(text_of(query), {})[text_of(document)] = number
        return cls(found, name or (None if cls is Qrels else held.name))

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, float]], name: str | None = None) -> Self:
        """Creates the object from ``{query: {document: number}}``."""
        return cls(d, name)

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """Reads a file as JSON if ``kind`` is ``json``; otherwise, the file's name and content determine the format."""
        if kind != "json":
            return cls.read(os.fspath(path), name)
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file), name)

    @classmethod
    def from_df(
        cls,
        df: Any,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """Reads a data frame."""
        number = "grade" if cls is Qrels else "score"
        return cls.read(df, name, query=q_id_col, document=doc_id_col, **{number: score_col})

    from_parquet = from_df


class RanxQrels(Ratings):
    """Judgments, like ranx's ``Qrels``.

    Args:
        qrels: ``{query: {document: grade}}``. A grade is a whole number.
        name: the name of the judgments.

    Example:
        >>> from carob.compat.ranx import Qrels
        >>> Qrels({"q1": {"d1": 2, "d2": 0}}).to_dict()
        {'q1': {'d1': 2, 'd2': 0}}
    """

    reader, number, wanted, line = (
        Judgments,
        staticmethod(a_grade),
        "a whole number",
        "{query} 0 {document} {number}\n",
    )

    def __init__(
        self, qrels: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None
    ) -> None:
        """Copies the grades."""
        super().__init__(qrels, name)


class RanxRun(Ratings):
    """A run, like ranx's ``Run``. ``evaluate`` stores values in ``mean_scores``, ``std_scores`` and ``scores``.

    Args:
        run: ``{query: {document: score}}``.
        name: the name to show in tables.

    Example:
        >>> from carob.compat.ranx import Run
        >>> Run({"q1": {"d1": 0.5}}, name="bm25").name
        'bm25'
    """

    reader, number, wanted = RankedLists, staticmethod(a_number), "a number"
    line = "{query} Q0 {document} {rank} {number!r} {name}\n"

    def __init__(self, run: Mapping[str, Mapping[str, float]] | None = None, name: str | None = None) -> None:
        """Copies the scores."""
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, float]] = defaultdict(dict)
        self.mean_scores: dict[str, float] = {}
        self.std_scores: dict[str, float] = {}

    def make_comparable(self, qrels: RanxQrels) -> Self:
        """Adds empty lists for judged queries that have no list, and removes queries without judgments."""
        self.ratings = {query: self.ratings.get(query, {}) for query in qrels.keys()}  # noqa: SIM118
        return self


Qrels, Run = RanxQrels, RanxRun


def evaluate(
    qrels: Any,
    run: Any,
    metrics: Sequence[str] | str,
    return_mean: bool = True,
    return_std: bool = False,
    threads: int = 0,
    save_results_in_run: bool = True,
    make_comparable: bool = False,
) -> Any:
    """Evaluates a run like ranx's function of the same name.

    Args:
        qrels: judgments, as ``Qrels`` or dicts.
        run: the run, as ``Run`` or dicts.
        metrics: one or several of ranx's names, such as ``ndcg@10`` or ``map-l2``.
        return_mean: whether to return means instead of an array with the value of each query, sorted by id.
        return_std: whether to return ``{"mean": …, "std": …}``.
        threads: ignored.
        save_results_in_run: whether to store the values in a ``Run``.
        make_comparable: whether to count judged queries without a list as empty lists, and ignore queries without
            judgments.

    Returns:
        The value if there is only one metric, or a dict of values for several metrics.

    Raises:
        DataError: the run and the judgments have different queries, or the data cannot be read.
        MeasureError: a metric does not exist.

    Example:
        >>> from carob.compat.ranx import Qrels, Run, evaluate
        >>> qrels, run = Qrels({"q1": {"d1": 1, "d2": 0}}), Run({"q1": {"d2": 0.9, "d1": 0.8}})
        >>> evaluate(qrels, run, ["mrr", "ndcg@5"])
        {'mrr': 0.5, 'ndcg@5': 0.6309297535714575}
    """
    del threads
    names = [metrics] if isinstance(metrics, str) else [*metrics]
    if make_comparable and isinstance(run, RanxRun):
        run.make_comparable(qrels)
    judged = (RanxQrels(qrels) if isinstance(qrels, dict) else qrels).to_dict()
    ranked = (RanxRun(run) if isinstance(run, dict) else run).to_dict()
    if judged.keys() != ranked.keys():
        raise DataError(
            "The queries of qrels and run differ.",
            remedy="Pass make_comparable=True, so that missing lists count as empty, and queries without judgments "
            "are left out.",
        )
    values = {name: values_of_metric(judged, ranked, name) for name in names}
    means: dict[str, Any] = {name: float(its.mean()) for name, its in values.items()}
    if isinstance(run, RanxRun) and save_results_in_run:
        run.mean_scores.update(means)
        for name, its in values.items():
            run.scores[name].update(zip(sorted(judged), its.tolist(), strict=True))
            if return_std and return_mean:
                run.std_scores[name] = float(its.std())
    found: dict[str, Any] = values if not return_mean else means
    if return_std and return_mean:
        found = {name: {"mean": means[name], "std": float(its.std())} for name, its in values.items()}
    return found[names[0]] if len(names) == 1 else found


def values_of_metric(judged: dict[str, Any], ranked: dict[str, Any], metric: str) -> Floats:
    """Returns the values of a metric for the queries, sorted by id.

    ``-l2`` in ranx's names omits the judgments with grades below 2. Only bpref needs these judgments, as nonrelevant
    ones.

    Raises:
        MeasureError: the metric does not exist, or the level is not a number.
    """
    name, minus, level = metric.partition("-l")
    if minus and not is_number(level):
        raise MeasureError(f"'{shortened(metric)}': a level is a number such as 2, not '{shortened(level)}'.")
    if name.startswith("rbp"):
        name = f"RBP(p=0.{name[4:]})"
    if level and name == "bpref":
        name = f"Bpref(rel={level})"
    elif level:
        lowest = float(level)
        judged = {
            query: {document: grade for document, grade in its.items() if grade >= lowest}
            for query, its in judged.items()
        }
    # A list without documents counts as a query that is missing from the run.
    policy = Policy(missing="zero")
    scores = evaluate_run(judged, ranked, name, profile="ranx", policy=policy, bounds=False)
    by_query = scores.by_query(name)
    return np.array([by_query[query] for query in sorted(judged)])


class EitherOrder(dict):  # type: ignore[type-arg]
    """A dict whose keys are pairs, which can be looked up in either order."""

    def __getitem__(self, key: Iterable[str]) -> Any:
        """Returns the value of a pair."""
        return super().__getitem__(frozenset(key))


@dataclass(frozen=True, eq=False, repr=False)
class RanxReport:
    """A comparison of runs, like ranx's ``Report``.

    Args:
        model_names: the names of the runs.
        results: the means by run and metric.
        comparisons: ``p_value`` and ``significant`` by pair of runs and metric.
        metrics: the metrics.
        max_p: the largest p-value that counts as significant.
        win_tie_loss: the numbers of queries on which a run is better, equal and worse, by ordered pair of runs and
            metric.
        rounding_digits: the number of decimals in tables.
        show_percentages: whether tables show percentages.
        stat_test: ``student``, ``fisher`` or ``tukey``.
    """

    model_names: list[str]
    results: dict[str, dict[str, float]]
    comparisons: EitherOrder
    metrics: list[str]
    max_p: float
    win_tie_loss: dict[tuple[str, str], dict[str, dict[str, int]]]
    rounding_digits: int
    show_percentages: bool
    stat_test: str

    def cell(self, run: str, metric: str) -> str:
        """Returns a run's mean, and the letters of the runs that it significantly outperforms."""
        own = self.results[run][metric]
        percent = 2 if self.show_percentages else 0
        above = "".join(
            letter(place)
            for place, other in enumerate(self.model_names)
            if other != run
            and self.comparisons[run, other][metric]["significant"]
            and own > self.results[other][metric]
        )
        return f"{own * 10**percent:.{max(self.rounding_digits - percent, 0)}f} {above}".rstrip()

    @property
    def table(self) -> Table:
        """The means of each run as a table, with letters that mark significant differences."""
        rows = [
            [letter(place), run, *(self.cell(run, each) for each in self.metrics)]
            for place, run in enumerate(self.model_names)
        ]
        return Table(["#", "Model", *self.metrics], rows, range(len(self.metrics) + 2))

    def to_table(self) -> str:
        """Returns the means as text."""
        return self.table.text(10**4)

    __str__ = __repr__ = to_table

    def to_latex(self) -> str:
        """Returns the means as a LaTeX table, which needs the package booktabs."""
        return self.table.written(format_named("latex"))

    def to_dict(self) -> dict[str, Any]:
        """Returns means, p-values and counts by run, in the same structure as ranx's report."""
        found: dict[str, Any] = {
            "stat_test": self.stat_test,
            "metrics": self.metrics,
            "model_names": self.model_names,
        }
        for run in self.model_names:
            others = [each for each in self.model_names if each != run]
            found[run] = {
                "scores": self.results[run],
                "comparisons": {
                    other: {name: its["p_value"] for name, its in self.comparisons[run, other].items()}
                    for other in others
                },
                "win_tie_loss": {other: self.win_tie_loss[run, other] for other in others},
            }
        return found

    def save(self, path: str) -> None:
        """Writes ``to_dict`` as JSON."""
        write_whole(path, json.dumps(self.to_dict(), indent=4))


def compare(
    qrels: RanxQrels,
    runs: Sequence[RanxRun],
    metrics: Sequence[str] | str,
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
) -> RanxReport:
    """Compares runs like ranx's function of the same name: a separate test for each pair, without a correction.

    Unlike this function, ``carob.compare`` corrects for the number of comparisons, and reports intervals and which run
    is better.

    Args:
        qrels: judgments.
        runs: the runs.
        metrics: as in ``evaluate``.
        stat_test: ``student`` (paired t-test), ``fisher`` (paired randomisation test, exact if this is cheap) or
            ``tukey`` (Tukey's HSD, by permuting the scores of each query).
        n_permutations: the number of permutations.
        max_p: the largest p-value that counts as significant.
        random_seed: the random seed for the permutations.
        threads: ignored.
        rounding_digits: the number of decimals in tables.
        show_percentages: whether tables show percentages.
        make_comparable: as in ``evaluate``.

    Raises:
        ArgumentError: the test is unknown, or max_p is not a probability.
        DataError: two runs have the same name, or as in ``evaluate``.
        MeasureError: as in ``evaluate``.

    Example:
        >>> from carob.compat.ranx import Qrels, Run, compare
        >>> qrels = Qrels({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}})
        >>> old = Run({"q1": {"x": 2, "a": 1}, "q2": {"b": 1}, "q3": {"x": 2, "c": 1}}, name="old")
        >>> new = Run({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}, name="new")
        >>> print(compare(qrels, [old, new], ["mrr", "precision@1"]))
        #  Model  mrr    precision@1
        a  old    0.667  0.333
        b  new    1.000  1.000
        <BLANKLINE>
    """
    names = [metrics] if isinstance(metrics, str) else [*metrics]
    models = [run.name if run.name is not None else f"run_{place}" for place, run in enumerate(runs, 1)]
    if len({*models}) < len(models):
        raise DataError("Two runs have the same name.", remedy="Give each run another name.")
    if not 0 <= max_p <= 1:
        raise ArgumentError(f"max_p is {max_p!r}, and expected is a probability between 0 and 1.")
    if stat_test not in TESTS:
        raise ArgumentError(f"There is no test '{stat_test}'. The choices are {', '.join(TESTS)}.")
    tables = []
    for run in runs:
        found = evaluate(
            qrels, run, names, return_mean=False, threads=threads, make_comparable=make_comparable
        )
        tables.append([found] if len(names) == 1 else [found[name] for name in names])
    report = RanxReport(
        models,
        {model: {} for model in models},
        EitherOrder({frozenset(each): {} for each in combinations(models, 2)}),
        names,
        max_p,
        {each: {} for each in permutations(models, 2)},
        rounding_digits,
        show_percentages,
        stat_test,
    )
    draw = Draw(n_permutations, random_seed)
    for name, columns in zip(names, zip(*tables, strict=True), strict=True):
        scores = np.column_stack(columns)
        for model, its in zip(models, columns, strict=True):
            report.results[model][name] = float(its.mean())
        pairs = np.array([*combinations(range(len(models)), 2)])
        differences = scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]
        p = TESTS[stat_test](scores, pairs, draw)
        for (a, b), own, won, tied, lost in zip(combinations(models, 2), p, *wins(differences), strict=True):
            report.comparisons[a, b][name] = {"p_value": float(own), "significant": bool(own <= max_p)}
            report.win_tie_loss[a, b][name] = {"W": int(won), "T": int(tied), "L": int(lost)}
            report.win_tie_loss[b, a][name] = {"W": int(lost), "T": int(tied), "L": int(won)}
    return report


def fuse(
    runs: Sequence[RanxRun],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, Any] | None = None,
) -> RanxRun:
    """Fuses runs like ranx's function of the same name.

    Args:
        runs: the runs, which must have the same queries.
        norm: the normalisation of scores; None for no normalisation.
        method: ranx's name of a method. Methods that are trained on judgments, and condorcet, are not supported.
        params: the parameters of the method: ``weights``, ``k``, ``phi``, ``gamma`` or ``sigma``, and ``name``.

    Raises:
        ArgumentError: the method, the normalisation or a parameter is unknown.
        DataError: there are fewer than two runs, or their queries differ.

    Example:
        >>> from carob.compat.ranx import Run, fuse
        >>> fuse([Run({"q": {"a": 2.0, "b": 1.0}}), Run({"q": {"b": 3.0}})], method="rrf").to_dict()
        {'q': {'b': 0.03252247488101534, 'a': 0.01639344262295082}}
    """
    given = {**(params or {})}
    name, weights = given.pop("name", method), given.pop("weights", None)
    if len(runs) < 2:
        raise DataError("Fusion requires at least two runs.")
    for place, run in enumerate(runs):
        if run.keys() != runs[0].keys():
            raise refused(
                "The queries of runs 0 and {place} differ.", "Call make_comparable first.", place=place
            )
    recipe = method + (f"({', '.join(f'{key}={value}' for key, value in given.items())})" if given else "")
    known = methods.METHODS.get(methods.ALIASES.get(method, method))
    by_rank = known is not None and known.by_rank
    lists = {f"run {place}": run.to_dict() for place, run in enumerate(runs)}
    found = fused_by_carob(
        lists,
        recipe,
        None if by_rank else NORMS.get(norm, norm),
        weights=weights,
        profile="ranx",
        depth=EVERY,
    )
    return RanxRun.read(found, name)
