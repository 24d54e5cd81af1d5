"""Defines ``carob.tune_fusion``, which chooses fusion weights on judged queries and estimates their mean on others."""

from __future__ import annotations

import itertools
import json
import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.design import Resampling
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.policy import Policy
from carob.evaluation.engine import judgments_for
from carob.evaluation.evaluate import evaluate
from carob.evaluation.evidence import tables_of
from carob.evaluation.score_tables import footers
from carob.fusion.fuse import several, warn_of_missing
from carob.fusion.fused_source import FusedSource
from carob.fusion.pooled import one_by_column
from carob.fusion.recipe import recipe_of
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.run import Run
from carob.inputs.runs import MatchOptions, Wrapper
from carob.inputs.sources import Provenance
from carob.matching.match import ranks_alone
from carob.measures import parse_measure
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.files import write_whole
from carob.output.language import filled
from carob.output.layout import decimals
from carob.output.results import Records
from carob.selection.best import interval
from carob.statistics.estimates import NOISE, Estimate
from carob.statistics.resampling import Draw
from carob.statistics.selection import RESELECTIONS, cross_validated, reselected_among

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from carob import _native
    from carob.evaluation.evidence import RunTable
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunsLike
    from carob.inputs.runs import Found
    from carob.lists.rows import Floats

STEPS = {2: 10, 3: 5, 4: 4, 5: 4, 6: 3, 7: 3}
"""The number of steps between weights 0 and 1, by the number of runs; ``FEW_STEPS`` for more runs."""
FEW_STEPS = 2
MOST_RUNS = 12
FEWEST = 3
SHOWN = 22
"""The maximum number of settings in a table, which is enough for all settings of two or three runs."""
WHOLE_DEPTH = 1000
"""The depth of the fused lists for a measure without a depth."""

SENTENCES = {
    "gain": (
        "By {measure}, fusing with tuned weights beats the best list on other queries: {gain}, {level} CI "
        "[{low}, {high}]."
    ),
    "loss": (
        "By {measure}, fusing with tuned weights is worse than the best list on other queries: {gain}, {level} CI "
        "[{low}, {high}]."
    ),
    "none": (
        "By {measure}, no gain over the best list is shown: {gain} on other queries, {level} CI [{low}, {high}]."
    ),
    "no interval": "By {measure}, no gain over the best list is shown: {gain} on other queries, without an interval.",
    "method": (
        "On other queries: the weights and the best list are chosen on all folds but one, and scored on that fold "
        "({folds} folds, {repeats:division/divisions}). The {level} intervals repeat both choices in {again} "
        "resamples of the queries. Where many values are equal, the interval of the mean contains the "
        "worst-point interval."
    ),
    "shown": "The table has the {shown} best of {tried} weights; CSV and JSON output contains all weights.",
    "oracle": (
        "With a choice for each query by its own judgments, which is not possible in practice: the best single list "
        "has {list}, and the best of these {tried} weights have {weights}."
    ),
}


@dataclass(frozen=True)
class TriedWeights:
    """One setting of the fusion weights, and its mean.

    Args:
        weights: the weight of each run, in the order of the runs.
        mean: the mean on the queries.
        chosen: the proportion of folds in which cross-validation chose this setting.
    """

    weights: tuple[float, ...]
    mean: float
    chosen: float


@dataclass(frozen=True)
class Alone:
    """The list of one run, evaluated on its own.

    Args:
        run: the name of the run.
        mean: the mean of the list.
        relevant: the number of relevant documents that the list retrieves.
        only: the number of relevant documents that no other list retrieves.
    """

    run: str
    mean: float
    relevant: int
    only: int


@dataclass(frozen=True, eq=False, repr=False)
class TunedFusion(Documented):
    """Fusion weights chosen on judged queries. ``str(found)`` first states whether fusing beats the best list.

    Args:
        measure: the measure's label.
        queries: the number of queries.
        runs: the names of the runs.
        recipe: the recipe with the chosen weights.
        apparent: the mean of the chosen weights on the queries on which they were chosen.
        held_out: the expected mean of the chosen weights on other queries.
        optimism: the expected amount by which the apparent mean is too high.
        gain: the gain over the best list on other queries. The best list is chosen by the same cross-validation.
        equal: the mean with equal weights.
        best_list: the mean of the best list on these queries.
        per_query_list: the mean if the best list is chosen for each query separately.
        per_query_weights: the mean if the best weights are chosen for each query separately.
        curve: every setting, in the order of the grid.
        alone: the result of each list on its own.
        alpha: 1 minus the confidence level.
        resampling: the folds.
        warnings: doubts about the data.
        footers: further notes on the data, about ties, unjudged queries, and queries missing from some or all runs.
    """

    measure: str
    queries: int
    runs: tuple[str, ...]
    recipe: Any
    apparent: float
    held_out: Estimate
    optimism: Estimate
    gain: Estimate
    equal: float
    best_list: float
    per_query_list: float
    per_query_weights: float
    curve: tuple[TriedWeights, ...]
    alone: tuple[Alone, ...]
    alpha: float
    resampling: Resampling
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    @property
    def weights(self) -> dict[str, float]:
        """The chosen weight of each run, by name."""
        return dict(zip(self.runs, self.recipe.weights or (), strict=True))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes weights, method, normalisation and profile as JSON, which ``carob fuse --weights FILE`` reads.

        Raises:
            DataError: the file cannot be written.
        """
        content = {"weights": self.weights, **self.recipe.arguments(), "measure": self.measure}
        write_whole(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    def contents(self) -> dict[str, Any]:
        """Returns the fields of the result by name, with a short description of the recipe."""
        return {**super().contents(), "recipe": self.recipe.described(), "weights": self.weights}

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``curve`` (the tried weights) and ``alone`` (the single lists)."""
        names = [*(f"weight {name}" for name in self.runs), "mean", "chosen"]
        return {
            "curve": lambda: Records(names, [[*each.weights, each.mean, each.chosen] for each in self.curve]),
            "alone": lambda: Records.of(Alone, self.alone),
        }

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the answer, the table of means, the curve of weights and the notes."""
        level = f"{100 * (1 - self.alpha):g}%"
        kind = "gain" if self.gain.low > NOISE else "loss" if self.gain.high < -NOISE else "none"
        kind = kind if self.gain.bounded else "no interval"
        gain, low, high = (
            decimals(each, 4, sign=True) for each in (self.gain.value, self.gain.low, self.gain.high)
        )
        words: dict[str, Any] = {"measure": self.measure, "gain": gain, "low": low, "high": high}
        words |= {"level": level, "shown": SHOWN, "tried": len(self.curve), "again": RESELECTIONS}
        words |= {"folds": self.resampling.folds, "repeats": self.resampling.repeats}
        words |= {
            "list": decimals(self.per_query_list, 4),
            "weights": decimals(self.per_query_weights, 4),
        }
        said = {name: filled(text, **words) for name, text in SENTENCES.items()}
        rows = [
            ["best list, these queries", decimals(self.best_list, 4), "-"],
            ["equal weights, these queries", decimals(self.equal, 4), "-"],
            ["tuned, these queries (apparent)", decimals(self.apparent, 4), "-"],
            ["tuned, other queries", *cells(self.held_out)],
            ["difference (optimism)", *cells(self.optimism, sign=True)],
            ["gain over the best list, other queries", *cells(self.gain, sign=True)],
        ]
        chosen = self.recipe.weights or ()
        best_first = sorted(self.curve, key=lambda its: (its.weights != chosen, -its.mean))
        shown = self.curve if len(self.curve) <= SHOWN else best_first[:SHOWN]
        curve = [
            [
                ", ".join(f"{each:.3g}" for each in its.weights),
                decimals(its.mean, 4),
                decimals(its.chosen, 2),
                "chosen" if its.weights == chosen else "",
            ]
            for its in shown
        ]
        alone = [
            [each.run, decimals(each.mean, 4), str(each.relevant), str(each.only)] for each in self.alone
        ]
        notes = [
            *([] if shown is self.curve else [said["shown"]]),
            f"{self.recipe.described()}: {self.recipe.formula.formula}.",
            said["method"],
            said["oracle"],
        ]
        return Document(
            [
                Section([Line(said[kind], "answer")]),
                Section([Table([self.measure, "value", f"{level} CI"], rows)]),
                Section([Table([f"weights of {', '.join(self.runs)}", "mean", "share of folds", ""], curve)]),
                Section([Table(["list alone", "mean", "relevant found", "by it alone"], alone)]),
                Section([Items([*self.footers, *notes])]),
                Section.warned(self.warnings),
            ]
        )


def cells(found: Estimate, *, sign: bool = False) -> list[str]:
    """Returns an estimate and its interval as two cells."""
    value, low, high = (decimals(each, 4, sign=sign) for each in (found.value, found.low, found.high))
    return [value, f"[{low},{high}]" if math.isfinite(found.low) else "-"]


def weight_grid(runs: int) -> list[tuple[float, ...]]:
    """Returns the settings to try: all weights in equal steps that sum to 1, and equal weights.

    Example:
        >>> len(weight_grid(2)), len(weight_grid(3)), len(weight_grid(7)), weight_grid(2)[3]
        (11, 22, 85, (0.3, 0.7))
    """
    steps = STEPS.get(runs, FEW_STEPS)
    whole = (each for each in itertools.product(range(steps + 1), repeat=runs) if sum(each) == steps)
    equal = [] if steps % runs == 0 else [(1 / runs,) * runs]
    return [*(tuple(part / steps for part in each) for each in whole), *equal]


@specified
def tune_fusion(
    qrels: QrelsLike | None,
    runs: RunsLike,
    measure: str = "nDCG@10",
    method: str = "rrf",
    norm: str | None = None,
    *,
    profile: str | None = None,
    policy: Policy | None = None,
    alpha: float = arguments.ALPHA,
    resampling: Resampling | None = None,
) -> TunedFusion:
    """Chooses fusion weights on judged queries, and estimates their mean on other queries.

    On the queries on which the best weights were chosen, their mean is too high. Cross-validation chooses weights on
    most queries and scores them on the remaining queries, as ``carob.best`` does with runs. The best list, with which
    the fusion is compared, is chosen on the same folds.

    Args:
        qrels: the judgments; None if the runs are logs, which contain their own judgments.
        runs: the runs, by name or in a list; at most twelve. Weights are tried in steps of 0.1 (two runs), 0.2 (three),
            0.25 (four or five), 1/3 (six or seven) or 1/2 (more); equal weights are always tried.
        measure: the measure.
        method: the fusion method, with or without parameters, as in ``carob.fuse``; it must accept weights.
        norm: the normalisation, as in ``carob.fuse``.
        profile: the conventions of a search engine or library, as in ``carob.fuse``.
        policy: the policy for the evaluation and for the lists.
        alpha: 1 minus the confidence level.
        resampling: the folds of cross-validation.

    Raises:
        DataError: a run or the judgments cannot be read, or there are too few queries or too many runs.
        ArgumentError: the method or a setting is unknown, or the method does not accept weights.

    Source: Varma and Simon, BMC Bioinformatics 2006, on nested cross-validation.

    Example:
        >>> import carob
        >>> qrels = {f"q{n}": {"a": 1} for n in range(8)}
        >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
        >>> bad = {query: {"b": 2.0, "a": 1.0} for query in qrels}
        >>> found = carob.tune_fusion(qrels, {"good": good, "bad": bad}, "RR")
        >>> found.gain.value, found.weights["good"] > 0.5
        (0.0, True)
    """
    resampling = arguments.of_class("resampling", resampling, Resampling, "carob.Resampling(folds=…)")
    given = several(runs)
    if len(given) > MOST_RUNS:
        raise refused(
            "{count} runs have too many combinations of weights to try.",
            "Pass {most} runs or fewer.",
            count=len(given),
            most=MOST_RUNS,
        )
    names = [each.name for each in given]
    first = recipe_of(method, norm, names, weights=[1] * len(names), profile=profile)
    asked = parse_measure(measure)
    made = FusedSource(tuple(given), first, policy or Policy(), asked.depth or WHOLE_DEPTH, "fused")
    warn_of_missing(names, made)
    grid = weight_grid(len(names))
    judged = judgments_for(runs, qrels, policy).complete
    refuse_unjudged(made, judged.judgments.queries)
    tried = tried_weights(made, grid, judged.judgments, relevant_only=asked.rows == "relevant")
    labels = [*(f"weights {', '.join(f'{each:g}' for each in weights)}" for weights in grid), *names]
    lists = {label: Run(label, each) for label, each in zip(labels, tried, strict=True)}
    scores = evaluate(judged, lists, measure, policy=policy)
    (table,) = tables_of(list(scores.values()))[1]
    table = table.complete()
    if len(table.values) < FEWEST:
        raise refused(
            "{count:judged query is/judged queries are} too few: tuning needs at least {least}.",
            "Judge more queries.",
            count=len(table.values),
            least=FEWEST,
        )
    counts = relevant_found([each.found for each in tried[len(grid) :]], judged.judgments)
    found = tuned(table, grid, made, counts, alpha, resampling)
    even = min(range(len(grid)), key=lambda each: unevenness(grid[each]))
    known = [scores[labels[even]], *(scores[name] for name in names)]
    doubts = dict.fromkeys(doubt for each in known for doubt in each.warnings)
    return replace(found, warnings=tuple(doubts), footers=tuple(footers(known, equal=False)))


def refuse_unjudged(made: FusedSource, judged: Sequence[bytes]) -> None:
    """Refuses runs if none contains a judged query.

    Raises:
        DataError: no run contains a judged query.
    """
    answered = made.lists.queries
    if judged and answered and not set(answered).intersection(judged):
        raise refused(
            "No run has a judged query: the judgments have '{judged}', and the runs have '{answered}'.",
            "Pass judgments for the queries of these runs.",
            judged=text_of(judged[0]),
            answered=text_of(answered[0]),
        )


@dataclass(frozen=True, eq=False, repr=False)
class TriedList(Wrapper):
    """The lists of one setting of the weights or of one run. All settings and runs were matched in one call.

    Args:
        held: the source of the lists, for matches with other judgments or options.
        judgments: the judgments.
        options: the options of the stored match.
        found: the rows of the stored match.
    """

    judgments: _native.Judgments
    options: MatchOptions
    found: _native.Matched

    @property
    def origin(self) -> Provenance:
        """The provenance of lists in memory."""
        return Provenance("bytes")

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        known = self.options
        fits = (
            judgments is self.judgments
            and options.order == known.order
            and not (options.float32 or options.scores)
            and (options.relevant_only or not known.relevant_only)
        )
        return self.found if fits else self.held.match(judgments, options)


def tried_weights(
    made: FusedSource, grid: Sequence[tuple[float, ...]], judgments: _native.Judgments, *, relevant_only: bool
) -> list[TriedList]:
    """Returns the fused lists for each setting of the weights, followed by the lists of each run.

    Args:
        made: the fusion, whose weights are ignored.
        grid: the weights.
        judgments: the judgments.
        relevant_only: whether the measure needs only the rows of relevant documents.
    """
    few = relevant_only and ranks_alone(made.policy)
    options = MatchOptions(made.policy, relevant_only=few)
    weights = np.array(grid)
    found = made.fused(
        lambda lists, recipe: lists.match_weights(
            recipe, weights, judgments, ties=options.rule, relevant_only=few, threads=options.threads
        )
    )
    by_column = made.recipe.rules.ranks == "column"
    runs = map(one_by_column, made.runs) if by_column else made.runs
    held = [*map(made.weighted, grid), *(each.held for each in runs)]
    return [TriedList(lists, judgments, options, its) for lists, its in zip(held, found, strict=True)]


def tuned(
    table: RunTable,
    grid: Sequence[tuple[float, ...]],
    made: FusedSource,
    counts: Sequence[tuple[int, int]],
    alpha: float,
    resampling: Resampling,
) -> TunedFusion:
    """Returns the chosen weights and their estimates.

    Args:
        table: the scores for each setting in the grid, followed by the scores of each list [queries, settings and
            lists].
        grid: the weights.
        made: the fusion, whose weights are ignored.
        counts: for each list, the number of relevant documents, and the number of relevant documents in no other list.
        alpha: 1 minus the confidence level.
        resampling: the folds.
    """
    names = [each.name for each in made.runs]
    sign, values = table.sign, table.sign * table.exchangeable
    fused, lists = values[:, : len(grid)], values[:, len(grid) :]
    how: dict[str, Any] = {"folds": resampling.folds, "repeats": resampling.repeats, "seed": resampling.seed}
    by_weights, by_list = cross_validated(fused, **how), cross_validated(lists, **how)
    both, draw = (slice(len(grid)), slice(len(grid), None)), Draw(RESELECTIONS, resampling.seed)
    again, better = reselected_among(values, both, folds=resampling.folds, draw=draw)
    means, other = fused.mean(axis=0), float(by_weights.scores.mean())
    # Many gains are 0, because the best weights often select a single list, so the gain has no worst-point interval.
    gain = sign * (other - float(by_list.scores.mean()))
    place = middle_of_best(means, grid)
    even = min(range(len(grid)), key=lambda each: unevenness(grid[each]))
    return TunedFusion(
        table.label,
        len(values),
        tuple(names),
        replace(made.recipe, weights=grid[place]),
        sign * float(means[place]),
        interval(sign * other, again[:, 1], table, alpha, own=sign * by_weights.scores, pairs=False),
        interval(float(means.max()) - other, again[:, 0] - again[:, 1], table, alpha),
        interval(gain, again[:, 1] - better[:, 1], table, alpha),
        sign * float(means[even]),
        sign * float(lists.mean(axis=0).max()),
        sign * float(lists.max(axis=1).mean()),
        sign * float(fused.max(axis=1).mean()),
        tuple(
            TriedWeights(weights, sign * float(mean), float(share))
            for weights, mean, share in zip(grid, means, by_weights.chosen, strict=True)
        ),
        tuple(
            Alone(name, sign * float(mean), *count)
            for name, mean, count in zip(names, lists.mean(axis=0), counts, strict=True)
        ),
        alpha,
        resampling,
    )


def unevenness(weights: Sequence[float]) -> float:
    """Returns the squared distance of weights from equal weights."""
    return sum((each - 1 / len(weights)) ** 2 for each in weights)


def middle_of_best(means: Floats, grid: Sequence[tuple[float, ...]]) -> int:
    """Returns the index of the highest mean. Of tied means, the one with the most equal weights is chosen."""
    best = np.flatnonzero(means >= means.max() - NOISE).tolist()
    return min(best, key=lambda each: unevenness(grid[each]))


def relevant_found(lists: Sequence[_native.Matched], judgments: _native.Judgments) -> list[tuple[int, int]]:
    """Returns each list's number of relevant documents (grade 1 or more), in total and found by no other list."""
    places = [its.judgment[judgments.grades[its.judgment] >= 1] for its in lists]
    times = np.bincount(np.concatenate(places), minlength=1)
    return [(len(each), int((times[each] == 1).sum())) for each in places]
