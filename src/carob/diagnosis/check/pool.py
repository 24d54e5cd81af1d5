"""``carob.check_pool``: estimates how a pool's judgments would score runs that did not contribute to the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import request_of
from carob.estimation.bounds import refuse_unfit_measure
from carob.estimation.shown_documents import refuse_unfit_policy
from carob.evaluation.engine import judgments_for
from carob.evaluation.evidence import Evidence
from carob.evaluation.notes import known_of
from carob.evaluation.score_tables import aggregate
from carob.evaluation.values import values_of
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.query_files import groups_of
from carob.inputs.run import runs_in
from carob.inputs.runs import MatchOptions
from carob.lists.flat import Flat
from carob.lists.rows import JudgedRows, stacked
from carob.matching.axes import without_negative
from carob.matching.match import finished, rows_of
from carob.output.document import Document, Documented, Items, Section, Table
from carob.output.errors import PolicyError, Worded
from carob.output.language import plural
from carob.output.layout import decimals
from carob.output.pictures.figures import whiskers
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from carob import _native
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import RunsLike
    from carob.inputs.qrels import Qrels, QrelsLike
    from carob.inputs.query_files import GroupsLike
    from carob.inputs.run import Run
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure
    from carob.output.pictures.figures import Drawing

DIGITS = 4

SEVERAL, NO_RUN = -1, -2
"""Stand for the team of a judged document that several teams, or no team, contributed to the pool."""

MOST_OTHERS = 0.1
"""The largest share of judged documents outside all runs' top documents that causes no sentence about missing runs."""


@dataclass(frozen=True)
class LeftOut:
    """A run with and without the judgments of documents that only its team contributed to the pool.

    Args:
        run: the run.
        team: the run's team; without teams, the run itself.
        judged: the number of judgments that only the team contributed.
        relevant: the number of these judgments with a grade above 0.
        value: the run's mean with all judgments.
        without: the run's mean without the judgments that only the team contributed.
        change: ``without`` minus ``value``.
        rank: the run's rank among all runs with all judgments; runs with equal means share the best rank.
        rank_without: the run's rank among all runs without the judgments that only the team contributed.
    """

    run: str
    team: str
    judged: int
    relevant: int
    value: float
    without: float
    change: float
    rank: int
    rank_without: int


@dataclass(frozen=True, eq=False, repr=False)
class PoolCheck(Documented):
    """The mean and rank of each run with and without the judgments that only its team contributed (leave one team out).

    Args:
        measures: the results of all runs, best mean first, by the measure's label.
        depth: the number of first documents of each run that were pooled.
        inferred: whether the depth was inferred from the judgments.
        queries: the number of judged queries.
        teams: the number of teams; without teams, the number of runs.
        judged: the number of judgments.
        others: the number of judgments of documents that are in no run's top documents.
        warnings: sentences that say why the data are doubtful.
        footers: further notes on the data.
    """

    measures: dict[str, tuple[LeftOut, ...]]
    depth: int
    inferred: bool
    queries: int
    teams: int
    judged: int
    others: int
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    def __getitem__(self, label: str) -> tuple[LeftOut, ...]:
        """Returns the results of all runs for a measure's label."""
        return self.measures[label]

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``runs``, with a row for each measure and run."""
        rows = [(label, each) for label, its in self.measures.items() for each in its]
        return {"runs": lambda: Records.of(LeftOut, rows, ["measure"])}

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws each run's mean, joined by a line to its mean without its own judgments."""
        rows = [
            (f"{each.run}, {label}", each.value, min(each.value, each.without), max(each.value, each.without))
            for label, its in self.measures.items()
            for each in its
        ]
        return {"runs": lambda drawn: whiskers(drawn, rows, "mean, and without the run's own judgments")}

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a table for each measure, and an explanation of the values."""
        tables = [Section([self.table(label)]) for label in self.measures]
        said = [*map(self.said, self.measures), *self.meaning]
        below = [Section([Items(self.footers, "footer")]), Section.warned(self.warnings)]
        return Document([*tables, Section([Items(said, hang=0)]), *below])

    def table(self, label: str) -> Table:
        """Returns the table of a measure."""
        by_team = self.teams < len(self.measures[label])
        header = [
            "run",
            *(["team"] if by_team else []),
            "only its",
            label,
            f"{label}\nwithout",
            "change",
            "rank",
            "rank\nwithout",
        ]
        rows = [
            [
                each.run,
                *([each.team] if by_team else []),
                f"{each.relevant} of {each.judged}",
                decimals(each.value, DIGITS),
                decimals(each.without, DIGITS),
                decimals(each.change, DIGITS, sign=True),
                str(each.rank),
                str(each.rank_without),
            ]
            for each in self.measures[label]
        ]
        return Table(header, rows, 2 if by_team else 1)

    def said(self, label: str) -> str:
        """Returns a sentence that says how much the runs' means and ranks change."""
        rows = self.measures[label]
        worst = min(rows, key=lambda each: each.change)
        moved = max(rows, key=lambda each: abs(each.rank_without - each.rank))
        places = abs(moved.rank_without - moved.rank)
        mean = float(np.mean([each.change for each in rows]))
        ranks = (
            f"{moved.run} moves by {plural(places, 'rank')}, more than any other run"
            if places
            else "no rank changes"
        )
        return (
            f"Without its own judgments, a run's {label} changes by {decimals(mean, DIGITS, sign=True)} on average "
            f"and by {decimals(worst.change, DIGITS, sign=True)} at worst ({worst.run}); {ranks}."
        )

    def beside(self) -> list[str]:
        """Returns the meaning of the values and the facts about the data, which do not fit in CSV."""
        return [*self.meaning, *super().beside()]

    @property
    def meaning(self) -> list[str]:
        """The sentences that explain the table and its limits."""
        whose = "team" if self.teams < len(next(iter(self.measures.values()))) else "run"
        why = ", to which every run is judged" if self.inferred else ""
        others = (
            f"{self.others:,} of {self.judged:,} judged documents are not among the first {self.depth} of any of "
            f"these runs. If other runs contributed them, those runs may also have contributed judgments that count "
            f"here as a run's own, so the changes are overestimated: pass all runs of the pool."
        )
        return [
            *([others] if self.others > MOST_OTHERS * self.judged else []),
            (
                f"only its: relevant documents, of all judged documents that only this {whose} has among its first "
                f"{self.depth} "
                f"(the depth of the pool{why}). Without these judgments, the run is scored like a new run that did not "
                "contribute to the pool. Its rank is its position among all runs when each is scored in this way."
            ),
            (
                "A new run that resembles the pool's runs less than they resemble one another may lose more. "
                f"Documents that no {whose} retrieved are unknown."
            ),
        ]


@specified
def check_pool(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = ("AP", "nDCG@10"),
    *,
    pool_depth: int | None = arguments.POOL_DEPTH,
    teams: GroupsLike | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> PoolCheck:
    """Return the mean and the rank of each run with and without the judgments that only this run contributed.

    A pool's judgments can be reused for a new run if the runs in the pool would have had similar scores without their
    own contributions. Each run, or team of runs, is left out in turn: documents that are among the first ``pool_depth``
    documents of only this run or team count as unjudged, and all runs are scored again (Zobel 1998).

    Args:
        qrels: the judgments.
        runs: ``{name: run}``, or a list of runs, which all contributed to the pool.
        measures: as in ``carob.evaluate``.
        pool_depth: the number of top documents of each run that were judged; by default, the greatest depth down to
            which every document of every run is judged.
        teams: the team of each run, ``{run: team}``, or a file with lines ``run team``; by default, each run is its own
            team.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Raises:
        DataError: scores are given instead of runs, there are fewer than two teams, ``pool_depth`` is missing and the
            first document of a list is unjudged, or a measure is not a mean over queries.
        PolicyError: the policy does not determine the order of documents.

    Example:
        >>> import carob
        >>> qrels = {"q": {"a": 1, "b": 1, "c": 0}}
        >>> runs = {"one": {"q": {"a": 2.0, "c": 1.0}}, "two": {"q": {"c": 2.0, "b": 1.0}}}
        >>> found = carob.check_pool(qrels, runs, "RR")
        >>> [(each.run, each.value, each.without) for each in found["RR"]]
        [('one', 1.0, 0.0), ('two', 0.5, 0.0)]
    """
    request = request_of(measures, profile, policy)
    refuse_unfit_policy(request.policy)
    for label, measure in request.asked.items():
        refuse_unfit_measure(label, measure)
        own = request.policy.of_measure(measure)
        if "nan" in (own.empty, own.missing):
            raise PolicyError(
                "Runs cannot be ranked by means that may be undefined: choose empty=zero or empty=skip, and "
                "missing=zero."
            )
    judged = judgments_for(runs, qrels, request.policy).complete
    read = Evidence(judged, runs_in(runs), policy=policy, profile=profile).read(measures, again=True)
    names = list(read.systems)
    held = [each.run for each in read.systems.values() if each.run is not None]
    groups = groups_of(dict(zip(names, names, strict=True)) if teams is None else teams, names, "run")
    team_names, codes = groups.names, groups.codes
    if len(team_names) < 2:
        raise refused(
            "All runs are from the team '{team}', but checking a pool requires at least two teams.",
            team=team_names[0],
        )
    pool = Pooled.of(judged, held, request.policy, pool_depth)
    alone = pool.owed_to(codes, len(team_names))
    everything = np.ones(len(pool.grade), bool)
    whole = pool.means(everything, request.asked, request.policy)
    found: dict[str, list[LeftOut]] = {label: [] for label in request.asked}
    for team, name in enumerate(team_names):
        owed = alone == team
        means = pool.means(~owed, request.asked, request.policy) if owed.any() else whole
        for run in np.flatnonzero(codes == team).tolist():
            for label, rows in found.items():
                better = request.asked[label].definition.smaller_is_better
                value, without = whole[label][run], means[label][run]
                rows.append(
                    LeftOut(
                        names[run],
                        name,
                        int(owed.sum()),
                        int((owed & (pool.grade > 0)).sum()),
                        value,
                        without,
                        without - value,
                        rank_of(value, whole[label], smaller=better),
                        rank_of(without, means[label], smaller=better),
                    )
                )
    return PoolCheck(
        {label: tuple(sorted(rows, key=lambda each: (each.rank, each.run))) for label, rows in found.items()},
        pool.depth,
        pool_depth is None,
        len(pool.judgments.queries),
        len(team_names),
        len(pool.grade),
        int((alone == NO_RUN).sum()),
        *known_of(read.systems),
    )


@dataclass(frozen=True, eq=False)
class Pooled:
    """The judged documents that runs retrieve, under one policy.

    Args:
        judgments: the judgments.
        grade: the grade of each judgment [judgments].
        rows: the judged rows of each run, before the depth of a measure cuts them.
        judgment: for each run, the index of each row's judgment [rows].
        depth: the number of first documents of each run that were pooled.
    """

    judgments: _native.Judgments
    grade: Floats
    rows: list[JudgedRows]
    judgment: list[Integers]
    depth: int

    @classmethod
    def of(cls, qrels: Qrels, runs: Sequence[Run], policy: Policy, depth: int | None) -> Pooled:
        """Matches the runs with the judgments.

        Raises:
            DataError: no depth is given and the first document of a list is unjudged.
        """
        judgments = qrels.complete.judgments
        found = [run.match(judgments, MatchOptions(policy)) for run in runs]
        rows = [rows_of(judgments, each) for each in found]
        if depth is None:
            depths = [judged_depth(each) for each in rows]
            least = int(np.argmin([each.min() for each in depths]))
            depth = int(min(depths[least].min(), max(each.length.max() for each in rows)))
            if not depth:
                raise refused(
                    "the first document for query '{query}' is unjudged, so there is no depth to which all runs are "
                    "judged.",
                    "Pass the depth of the pool as {option}, or leave out the runs that did not contribute to it.",
                    file=runs[least].name,
                    query=text_of(judgments.queries[int(depths[least].argmin())]),
                    option=Worded("pool_depth=", "--pool-depth"),
                )
        return cls(judgments, judgments.grades, rows, [each.judgment for each in found], depth)

    def owed_to(self, teams: Integers, count: int) -> Integers:
        """Returns, for each judged document, the only team that ranks it within the pool's depth [judgments].

        If several teams or no team do, the entry is ``SEVERAL`` or ``NO_RUN``.

        Args:
            teams: the team of each run.
            count: the number of teams.
        """
        has = np.zeros((count, len(self.grade)), bool)
        for team, rows, judgment in zip(teams.tolist(), self.rows, self.judgment, strict=True):
            has[team, judgment[rows.rank <= self.depth]] = True
        teams_with = has.sum(axis=0)
        return np.where(teams_with == 1, has.argmax(axis=0), np.where(teams_with, SEVERAL, NO_RUN))

    def means(
        self, kept: NDArray[np.bool_], measures: Mapping[str, Measure], policy: Policy
    ) -> dict[str, list[float]]:
        """Returns the mean of each run by each measure, using only some of the judgments."""
        offsets = np.append(0, np.cumsum(kept))[self.judgments.offsets]
        pool: dict[str, Any] = {"judged_offsets": offsets, "judged_grades": self.grade[kept]}
        reduced = stacked(
            [
                without_negative(replace(rows.kept(kept[judgment]), **pool), policy.negative)
                for rows, judgment in zip(self.rows, self.judgment, strict=True)
            ]
        )
        found = {}
        for label, measure in measures.items():
            own = policy.of_measure(measure)
            lists = finished(reduced, own)
            values = values_of(lists, [measure])[:, 0].reshape(len(self.rows), -1)
            if own.empty != "zero":
                nothing = np.asarray(measure.wanted.count(Flat(lists))).reshape(values.shape) == 0
                values = np.where(nothing, 1.0 if own.empty == "one" else np.nan, values)
            found[label] = [aggregate(each[~np.isnan(each)], "mean") for each in values]
        return found


def judged_depth(rows: JudgedRows) -> Floats:
    """Returns the depth down to which each list is fully judged, infinite if all its documents are judged [lists]."""
    place = np.arange(len(rows.rank)) - rows.offsets[:-1][rows.list_of_row] + 1
    in_front = np.bincount(rows.list_of_row[rows.rank == place], minlength=len(rows.length))
    return np.where(in_front >= rows.length, np.inf, in_front)


def rank_of(value: float, others: Sequence[float], *, smaller: bool) -> int:
    """Returns the rank of a mean among other means, starting at 1."""
    return 1 + sum(other < value if smaller else other > value for other in others)
