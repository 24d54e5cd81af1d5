"""Evidence about runs: the caller's input, the data read in one pass over the files, and the tables of values."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import request_of
from carob.evaluation.engine import Matches, evaluate_together, judgments_for
from carob.evaluation.score_tables import GEOMETRIC_FLOOR, GIVEN, aggregates
from carob.evaluation.scores import Scores, share_judged, weights_given, with_measures
from carob.evaluation.values import shares_judged
from carob.inputs.dicts import MappingRun
from carob.inputs.digests import Exclusion, entry_of_exclusion, identity
from carob.inputs.errors import refused, sentences
from carob.inputs.ids import text_of
from carob.inputs.names import Names
from carob.inputs.qrels import Qrels
from carob.inputs.run import (
    Run,
    RunLike,
    held_together,
    if_pattern,
    named_runs,
    refuse_shared,
    several_of,
)
from carob.inputs.runs import TextRun, as_mapping
from carob.measures.names import names_in
from carob.output.errors import DataError, Worded, did_you_mean
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Collection

    from carob import _native
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike, Request
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.samples import SampledJudgment
    from carob.lists.rows import Floats, Integers
    from carob.matching.match import Match
    from carob.measures import Measure


DEEPEST_JUDGED = 100
"""Collections are not judged beyond this depth, so a deeper measure does not show how well a run is judged."""

LONGEST_LINE = 2**16
"""The number of bytes read to find a run's first line."""


RunsLike: TypeAlias = "Mapping[str, RunLike | Scores] | Sequence[RunLike | Scores]"


@dataclass(frozen=True, eq=False)
class System:
    """A run with its scores.

    Args:
        scores: the scores by the requested measures, in their order.
        judged: the judged share of the run's top documents; NaN if only scores were given.
        found: the match under the policy of the first measure; None if only scores were given.
        run: the run, whose documents can be read again; None if only scores were given.
        matched: the matches under all policies; None if only scores were given.
    """

    scores: Scores
    judged: float
    found: Match | None = None
    run: Run | None = None
    matched: Matches | None = None


@dataclass(frozen=True, eq=False)
class Read:
    """The data read from the evidence. Each file is read once.

    Args:
        systems: the runs by name, in the given order, evaluated with the judgments (people's judgments if there is a
            judge).
        depth: the depth to which judged documents were counted.
        qrels: the judgments; None if only scores were given.
        judge: the same runs evaluated with the judge's judgments; None without a judge.
        sample: people's judgments of sampled documents; None if people judged whole queries.
    """

    systems: dict[str, System]
    depth: int
    qrels: Qrels | None = None
    judge: Read | None = None
    sample: dict[str, dict[str, SampledJudgment]] | None = None

    @cached_property
    def scores(self) -> tuple[Scores, ...]:
        """The scores of each run."""
        return tuple(each.scores for each in self.systems.values())

    @property
    def judged(self) -> tuple[float, ...]:
        """The share of each run's top documents that are judged."""
        return tuple(each.judged for each in self.systems.values())

    @property
    def shown(self) -> Read:
        """The runs evaluated with the judgments that yield a value for every query of a comparison."""
        return self if self.sample is None or self.judge is None else self.judge

    def place_of(self, run: str | int | None) -> int | None:
        """Returns the index of a run that is given by name, path or index; None for None.

        Raises:
            DataError: there is no such run.
        """
        names = list(self.systems)
        if run is None:
            return None
        if isinstance(run, int):
            if not 0 <= run < len(names):
                raise DataError(
                    f"baseline={run}: pass the index of one of the {len(names)} runs, counted from 0."
                )
            return run
        if run in self.systems:
            return names.index(run)
        origins = [each.inputs.get("run") for each in self.scores]
        paths = [os.path.normpath(each.path) if each and each.path else "" for each in origins]
        if os.path.normpath(run) in paths:
            return paths.index(os.path.normpath(run))
        hint = did_you_mean(run, names, f"The runs are {', '.join(names[:20])}.")
        raise DataError(f"No run is called '{run}'. {hint}")


@dataclass(frozen=True, eq=False)
class Evidence:
    """The caller's input: judgments and runs, or scores, and the conventions. Nothing is read until ``read``.

    Args:
        qrels: the judgments (people's judgments if there is a judge); None if every run is given as scores or is a log
            with judgments.
        runs: the runs or their scores.
        judge: the judgments of a judge, or the same runs' scores under these judgments; None without a judge.
        policy: the policy, as in ``compare``.
        profile: the profile, as in ``compare``.
        weights: the weight of each query in the means.
    """

    qrels: QrelsLike | None
    runs: RunsLike
    judge: QrelsLike | RunsLike | None = None
    policy: Policy | None = None
    profile: ProfileLike = None
    weights: Mapping[str, float] | None = None

    @classmethod
    def of(cls, first: Any, runs: RunsLike | None, **conventions: Any) -> Evidence:
        """Returns the evidence passed to a function that accepts either judgments and runs or only scores.

        Args:
            first: the judgments, or the scores if ``runs`` is None.
            runs: the runs, or None.
            conventions: the policy and the profile.

        Raises:
            DataError: there are judgments, but no runs.
        """
        if runs is not None:
            return cls(first, runs, **conventions)
        values = first.values() if isinstance(first, Mapping) else first
        if not isinstance(first, (Mapping, list, tuple)) or not all(
            isinstance(each, Scores) for each in values
        ):
            raise refused(
                "Pass scores of several runs, as carob.evaluate and carob.read_scores return them, or qrels and runs."
            )
        return cls(None, first, **conventions)

    @specified
    def read(
        self,
        measures: MeasuresLike = None,
        *,
        least: int = 2,
        judged_at: int | None = arguments.JUDGED_AT,
        progress: _native.Progress | None = None,
        again: bool = False,
    ) -> Read:
        """Reads the judgments and the runs, or uses the given scores. Each file is read once.

        Args:
            measures: the measures, as in ``compare``.
            least: the smallest number of runs that is accepted.
            judged_at: the depth to which judged documents are counted.
            progress: a counter of the bytes read.
            again: whether documents of the runs are needed later. If so, small files are held in memory.
        """
        options: dict[str, Any] = {"judged_at": judged_at, "again": again}
        if self.judge is not None:
            return self.read_twice(measures, least, progress, options)
        given = named(self.runs, least)
        ready = [each for each in given.values() if isinstance(each, Scores)]
        if len(ready) == len(given):
            self.refuse_other_conventions(ready)
            own = ready[0]
            wanted = own.labels if measures is None else map(own.column, names_in(measures))
            labels = tuple(each if isinstance(each, str) else own.labels[each] for each in wanted)
            depth = judged_at or 10
            systems = {
                name: System(with_measures(each, labels).complete(), share_judged(each, depth))
                for name, each in zip(given, ready, strict=True)
            }
            return Read(agreeing(systems), depth)
        if measures is None and ready:
            measures = ready[0].labels
        request = self.request(measures)
        judged = judgments_for(self.runs, self.qrels, request.policy, subtopics=request.groups).complete
        first = next(iter(request.asked.values()))
        depth = judged_at or (first.depth if first.depth and first.depth <= DEEPEST_JUDGED else 10)
        primary = request.policy.of_measure(first)
        unread = {name: each for name, each in given.items() if isinstance(each, Run)}
        if again:
            unread = dict(zip(unread, held_together(unread.values()), strict=True))
        found = dict(
            zip(unread, evaluate_together(judged, list(unread.values()), request, progress), strict=True)
        )
        matches = [matched.found[primary] for _, matched in found.values()]
        shares = dict(zip(unread, shares_judged(matches, depth), strict=True))

        def system(name: str, run: Run | Scores) -> System:
            if isinstance(run, Scores):
                return System(with_measures(run, tuple(request.asked)).complete(), share_judged(run, depth))
            scores, matched = found[name]
            return System(scores.complete(), shares[name], matched.found[primary], unread[name], matched)

        return Read(agreeing({name: system(name, run) for name, run in given.items()}), depth, judged)

    def request(self, measures: MeasuresLike) -> Request:
        """Returns the request for measures under the given conventions."""
        return request_of(measures, self.profile, self.policy, self.weights)

    def read_twice(
        self,
        measures: MeasuresLike,
        least: int,
        progress: _native.Progress | None,
        options: dict[str, Any],
    ) -> Read:
        """Evaluates the runs with people's and with the judge's judgments. Small texts are held in memory meanwhile.

        Raises:
            DataError: only one of people and judge is given as scores, or people's judgments are only a part of a
                sample.
        """
        qrels, sample, request = self.qrels, None, self.request(measures)
        if qrels is None:
            from carob.inputs.logs import judgments_in

            qrels = judgments_in(several_of(self.runs), request.policy, subtopics=request.groups)
        if qrels is not None:
            people = Qrels.of(qrels, request.policy, subtopics=request.groups)
            if people.sample is not None:
                people.sample.refuse_part(people.name)
            sample, qrels = people.drawn, people.known
        runs = named_together(self.runs, least)
        judge: Any = self.judge
        its: RunsLike = runs
        if isinstance(judge, Mapping) and all(isinstance(each, Scores) for each in judge.values()):
            if set(judge) != set(runs) or not all(isinstance(each, Scores) for each in runs.values()):
                raise DataError(
                    "The judge's scores were passed instead of judgments, so people's scores of the same runs are "
                    f"needed: the judge has {', '.join(map(str, judge))}, and people have {', '.join(runs)}."
                )
            judge, its = None, {name: judge[name] for name in runs}
        elif any(isinstance(each, Scores) for each in runs.values()):
            raise DataError(
                "People's scores were passed instead of runs: pass the judge's scores of the same runs as judge=."
            )
        other = replace(self, qrels=judge, runs=its, judge=None).read(measures, least=1, **options)
        own = replace(self, qrels=qrels, runs=runs, judge=None)
        people_read = own.read(measures, least=least, progress=progress, **options)
        return replace(people_read, judge=other, sample=sample)

    def refuse_other_conventions(self, scores: list[Scores]) -> None:
        """Refuses conventions that differ from the conventions under which the scores were computed.

        Raises:
            DataError: the caller passed weights, or a policy or profile other than that of the scores.
        """
        for each in scores:
            other = self.policy is not None and self.policy.over(each.policy) != each.policy
            late = "weights" if self.weights is not None else "policy" if other else "profile"
            if self.weights is not None or other or self.profile not in (None, each.profile or "carob"):
                raise DataError(
                    f"{each.name} consists of scores that are already computed, which {late}= cannot change: pass "
                    f"{late}= to carob.evaluate, or pass the run instead of its scores."
                )


SPARSE = 0.5
"""If a judge's share of judged documents is below this fraction of another judge's, the judgments may be a sample.

For runs that contributed to a pool, the pool's judgments are far above this ratio because they contain all top
documents."""


def sparse(own: Sequence[float], other: Sequence[float]) -> list[int]:
    """Returns the indices of runs for which one judge judged far fewer top documents than another judge.

    Args:
        own: the share of each run's top documents that the first judge judged.
        other: the share of each run's top documents that the other judge judged.
    """
    return [run for run, (few, many) in enumerate(zip(own, other, strict=True)) if few < SPARSE * many]


def said_if_sparse(
    names: tuple[str, str], one: tuple[float, ...], other: tuple[float, ...], depth: int
) -> list[str]:
    """Returns a sentence if one of two judges judged far fewer of the runs' top documents than the other.

    Args:
        names: the judges.
        one: the share of each run's top documents that the first judge judged.
        other: the share of each run's top documents that the second judge judged.
        depth: the number of top documents.
    """
    found = []
    for own, its, (judge, against) in ((one, other, names), (other, one, names[::-1])):
        runs = sparse(own, its)
        if runs:
            few, many = (float(np.mean([shares[run] for run in runs])) for shares in (own, its))
            found.append(
                f"{judge} judged {few:.0%} of the runs' top {depth} documents, but {against} judged {many:.0%}. "
                f"Documents that {judge} did not judge count as not relevant, so the order of the runs under {judge} "
                "is doubtful. Choose the pool 'both' to score runs only on documents that both judged. If "
                f"{judge} judged a sample of the documents, use carob compare --people, which computes estimates "
                "from the sample and its probabilities."
            )
    return found


FEWEST_GRADES = 20
"""With fewer judgments, the largest grades may be absent by chance."""
BEYOND, SHARE_BEYOND = 5, 0.02
"""The minimum number and the minimum share of one judge's grades above all grades of another judge that suggest a
different scale."""
LARGER = 1.6
"""The minimum ratio of two scales' largest grades: below 5 / 3, but above 3 / 2, because a grade may be unused."""


def ranges_apart(one: Qrels | None, other: Qrels | None) -> tuple[str, str] | None:
    """Returns the ranges of two judges' grades, such as 0 to 1 and 0 to 3, if the scales seem to differ, else None.

    Args:
        one: the first judge's judgments; None if they are unknown.
        other: the second judge's judgments.
    """
    if one is None or other is None:
        return None
    grades = [each.judgments.grades[each.judgments.grades >= 0] for each in (one, other)]
    if min(map(len, grades)) < FEWEST_GRADES:
        return None
    (low, high), (least, most) = ends = [(each.min(), each.max()) for each in grades]
    top = min(high, most)
    beyond = max(int((each > top).sum()) for each in grades)
    wider = grades[0] if high > most else grades[1]
    shifted = low != least and high != most
    if not (shifted or max(high, most) >= LARGER * top) or beyond < max(BEYOND, SHARE_BEYOND * len(wider)):
        return None
    first, second = (f"{start:g} to {end:g}" if start < end else f"all {end:g}" for start, end in ends)
    return first, second


def said_if_scaled(names: tuple[str, str], one: Qrels | None, other: Qrels | None) -> list[str]:
    """Returns a sentence if two judges seem to use different scales.

    Args:
        names: the judges.
        one: the first judge's judgments.
        other: the second judge's judgments.
    """
    ranges = ranges_apart(one, other)
    if ranges is None:
        return []
    return [
        (
            f"{names[0]}'s grades are {ranges[0]}, and {names[1]}'s are {ranges[1]}. If these scales differ, equal "
            "grades have different meanings, and kappa and bias are not informative: convert both to one scale."
        )
    ]


def named(runs: RunsLike, least: int = 2) -> dict[str, Run | Scores]:
    """Returns the runs by name. The name is the given key or, without keys, the run's own name or path.

    Args:
        runs: the runs.
        least: the smallest number of runs that is accepted.

    Raises:
        DataError: there are too few runs, or two have the same name.
    """
    runs = several_of(runs)
    refuse_shared(runs)
    found = [(name, under_name(each, name)) for name, each in named_runs(runs, under_name)]
    if len(found) < least:
        fewest = {1: "one run", 2: "two runs", 3: "three runs"}[least]
        said = f"A comparison needs at least {fewest}, not {len(found)}."
        path = next((each.origin.path for _, each in found if isinstance(each, Run)), None)
        raise DataError(said, remedy=if_pattern(path))
    return dict(found)


def named_together(runs: RunsLike, least: int = 2) -> dict[str, Run | Scores]:
    """Returns the runs by name, as ``named`` does, and keeps small texts in memory to evaluate them under several
    judges.
    """
    given = named(runs, least)
    texts = {name: each for name, each in given.items() if isinstance(each, Run)}
    return given | dict(zip(texts, held_together(texts.values()), strict=True))


def under_name(run: RunLike | Scores, name: str | None = None) -> Run | Scores:
    """Returns a run or scores under another name. The run is not read yet."""
    if isinstance(run, (Run, Scores)):
        return run if name is None or name == run.name else replace(run, name=name)
    return Run.of(run, name)


def tag_of(run: Run) -> str:
    """Returns the tag in the first line of a run, or the run's name if the line has no tag."""
    if run.source is None:
        return run.name
    with sentences(run.source.name), run.source.opened() as file:
        start = file.read(LONGEST_LINE)
    fields = next((line.split() for line in start.splitlines() if line.strip()[:1] not in (b"", b"#")), [])
    return text_of(fields[5]) if len(fields) > 5 else run.name


def agreeing(systems: dict[str, System]) -> dict[str, System]:
    """Returns the systems by name after checking that all scores were computed in the same way."""
    refuse_unlike([each.scores for each in systems.values()])
    return systems


def refuse_unlike(scores: Sequence[Scores]) -> None:
    """Refuses scores that were computed in different ways. The policies of values from another tool are not compared.

    Raises:
        DataError: measures, policies, weights or excluded documents differ.
    """
    known = [each for each in scores if each.profile != GIVEN]
    for each in scores[1:]:
        if each.measures != scores[0].measures:
            raise DataError(
                f"{each.name} and {scores[0].name} were evaluated with different measures: evaluate both with the "
                "same measures."
            )
    for each in known[1:]:
        first = known[0]
        if each.policy != first.policy:
            raise DataError(
                f"{each.name} was evaluated under a different policy ({each.policy.describe()}) from {first.name} "
                f"({first.policy.describe()}): evaluate both under the same policy."
            )
    for each in scores[1:]:
        if not alike_weighted(scores[0], each):
            raise DataError(
                f"The queries of {each.name} and {scores[0].name} have different weights: evaluate both with the same "
                "weights."
            )
    for each in known[1:]:
        refuse_other_exclusion(known[0], each)


def refuse_other_exclusion(one: Scores, other: Scores) -> None:
    """Refuses two runs from which different documents were excluded.

    Raises:
        DataError: documents were excluded from only one of the runs, or the excluded documents are known to differ.
    """
    first, second = map(exclusion_from, (one, other))
    if first == second or (first is not None and second is not None and not (first[1] and second[1])):
        return
    raise DataError(
        filled(
            "Different documents were excluded from {one} ({its}) and {other} ({theirs}): exclude the same documents "
            "from both with {option}.",
            one=one.name,
            its=shown_exclusion(first),
            other=other.name,
            theirs=shown_exclusion(second),
            option=Worded("exclude=", "--exclude"),
        )
    )


def shown_exclusion(lost: Exclusion | None) -> str:
    """Describes the excluded documents in words, by the name of their file if it is known."""
    return "none" if lost is None else f"those of {lost.name}" if lost.name else "some"


def exclusion_from(scores: Scores) -> Exclusion | None:
    """Returns the documents that were excluded from a run, or None if no documents were excluded."""
    origin = scores.inputs.get("run")
    if origin is None or scores.exclusion is not None:
        return scores.exclusion or (Exclusion() if scores.counts.excluded else None)
    seen = dict(origin.columns).get("exclude")
    if seen is None:
        return None
    entry = entry_of_exclusion(scores.name, origin)
    return Exclusion(seen.path or "", identity(entry))


def alike_weighted(one: Scores, other: Scores) -> bool:
    """Returns whether the queries of both runs have equal weights. Queries without a given weight have the weight 1."""
    first, second = weights_given(one), weights_given(other)
    if first is None and second is None:
        return True
    first, second = ({} if each is None else each for each in (first, second))
    shared = set(one.queries) & set(other.queries)
    return all(first.get(query, 1.0) == second.get(query, 1.0) for query in shared)


def lists_held(run: Run, queries: Collection[bytes]) -> Run:
    """Returns a run in text unchanged, and any other run as its lists for the given queries, read into memory once."""
    return run if isinstance(run.held, TextRun) else Run(run.name, MappingRun(as_mapping(run.held, queries)))


ROUNDING = 1e-9
"""The tolerance for values outside their measure's range, to allow for rounding errors."""


@dataclass(frozen=True, eq=False)
class RunTable:
    """The scores of all runs by one measure.

    Args:
        label: the name of the measure.
        measure: the measure.
        values: the per-query scores, NaN for a query for which a run has no value [queries, runs].
        weights: the weight of each value in its mean, or None [queries, runs].
        clusters: the cluster of each query, or None [queries].
    """

    label: str
    measure: Measure
    values: Floats
    weights: Floats | None = None
    clusters: Integers | None = None
    geometric: bool = field(init=False)
    """Whether the aggregate is a geometric mean. If so, tests use logarithms."""
    sign: float = field(init=False)
    """1 if larger values are better, else -1."""
    limits: tuple[float, float] = field(init=False)
    """The lowest and the highest value of a query; infinite unless the aggregate is a mean with one weight per query.

    Options such as ``ideal=`` can produce values outside the declared range. Then the limits are infinite as well.
    """
    shares: Floats | None = field(init=False)
    """The weight of each value in its mean, on average 1; None if all are equal [queries, runs]."""
    leverage: Floats | None = field(init=False)
    """The weight of each query in the means, on average 1 over the queries; None if all are equal [queries]."""

    def __post_init__(self) -> None:
        """Computes and stores the fields that depend on the measure, the values and the weights."""
        definition, values, weights, shares = self.measure.definition, self.values, self.weights, None
        least, greatest = definition.values
        uneven = weights is not None and (weights != weights[:, :1]).any()
        with np.errstate(invalid="ignore", divide="ignore"):
            outside = (values < least - ROUNDING) | (values > greatest + ROUNDING)
            if weights is not None and definition.aggregate != "sum":
                shares = np.asarray(weights * (len(weights) / weights.sum(axis=0)))
            leverage = None if shares is None else shares.mean(axis=1)
        bounded = definition.aggregate == "mean" and not uneven and not outside.any()
        vars(self).update(
            geometric=definition.aggregate == "geometric",
            sign=-1.0 if definition.smaller_is_better else 1.0,
            limits=(least, greatest) if bounded else (-np.inf, np.inf),
            shares=shares,
            leverage=leverage,
        )

    @property
    def means(self) -> tuple[float, ...]:
        """The aggregate of each run."""
        return means_of([self])[0]

    def part(self, rows: Any) -> RunTable:
        """Returns the table restricted to some queries."""
        return replace(
            self,
            values=self.values[rows],
            weights=None if self.weights is None else self.weights[rows],
            clusters=None if self.clusters is None else self.clusters[rows],
        )

    @cached_property
    def observed(self) -> Floats:
        """Values whose mean is the aggregate, or the logarithm of a geometric mean [queries, runs].

        Their mean has the standard error of the aggregate: a weighted mean is a ratio of two sums, and its error is
        approximated by its linear part, the weight times the distance from the mean (Cochran, Sampling Techniques,
        1977, 6.3).
        """
        values, shares = self.exchangeable, self.shares
        return values if shares is None else np.asarray(values + (1 - shares) * values.mean(axis=0))

    @cached_property
    def exchangeable(self) -> Floats:
        """Values with the same mean as ``observed``, each of which depends only on its own query.

        Tests that exchange the scores of two runs on a query, or use the sign of a difference, use these values because
        the differences are symmetric about 0 if neither run is better.
        """
        values, n = self.values, len(self.values)
        if self.measure.definition.aggregate == "sum":
            return values * n
        if self.geometric:
            values = np.log(np.maximum(values, GEOMETRIC_FLOOR))
        shares = self.shares
        return values if shares is None else np.where(shares > 0, values, 0.0) * shares

    def shared(self, first: Integers, second: Integers) -> list[tuple[RunTable, Integers]]:
        """Groups pairs of runs by their common queries; returns each group's table of queries and pairs' indices."""
        there = ~np.isnan(self.values)
        if there.all():
            return [(self, np.arange(len(first)))]
        groups: dict[bytes, list[int]] = {}
        for place, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
            groups.setdefault((there[:, one] & there[:, other]).tobytes(), []).append(place)
        return [(self.part(np.frombuffer(mask, bool)), np.array(places)) for mask, places in groups.items()]

    def complete(self) -> RunTable:
        """Returns the table restricted to queries for which all runs have a value."""
        return self.part(~np.isnan(self.values).any(axis=1))


def tables_of(scores: Sequence[Scores]) -> tuple[Names, list[RunTable]]:
    """Returns the queries of all runs in byte order, and a table of the scores of all runs for each measure."""
    first = scores[0]
    same = all(each.ids == first.ids for each in scores)
    ids = first.ids if same else Names.of_bytes(sorted({query for each in scores for query in each.ids}))
    shape = (len(first.labels), len(ids), len(scores))
    values = np.full(shape, np.nan)
    weights = np.ones(shape) if any(each.weights is not None for each in scores) else None
    for place, each in enumerate(scores):
        rows = slice(None) if same or each.ids == ids else each.ids.places_in(ids)
        kept = each.matrix if each.counted is None else np.where(each.counted, each.matrix, np.nan)
        values[:, rows, place] = kept.T
        if weights is not None and each.weights is not None:
            weights[:, rows, place] = each.weights.T
    return ids, [
        RunTable(label, measure, values[place], None if weights is None else unequal(weights[place], measure))
        for place, (label, measure) in enumerate(zip(first.labels, first.measures, strict=True))
    ]


def means_of(tables: Sequence[RunTable]) -> list[tuple[float, ...]]:
    """Returns the aggregate of each run in each table."""
    columns = [(table, run) for table in tables for run in range(table.values.shape[1])]
    there = [~np.isnan(table.values[:, run]) for table, run in columns]
    values = [table.values[its, run] for its, (table, run) in zip(there, columns, strict=True)]
    weights = [
        None if table.weights is None else table.weights[its, run]
        for its, (table, run) in zip(there, columns, strict=True)
    ]
    means = iter(aggregates(values, [table.measure.definition.aggregate for table, _ in columns], weights))
    return [tuple(islice(means, table.values.shape[1])) for table in tables]


def unequal(weights: Floats, measure: Measure) -> Floats | None:
    """Returns the weights, or None if all queries have the same weight in the aggregate. Sums are always unweighted."""
    if measure.definition.aggregate == "sum" or not (weights != weights[:1]).any():
        return None
    return weights
