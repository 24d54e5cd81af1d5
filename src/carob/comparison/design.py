"""The classes that describe a request: test, sampling design, limits for unjudged documents, and selection."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

from carob._dataclasses import dataclass, replace
from carob.conventions import arguments
from carob.conventions.arguments import CorrectionName, Family, Interval, Target, TestName, specified
from carob.output.errors import DataError, PolicyError, Worded, worded

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping

    from carob.inputs.qrels import QrelsLike
    from carob.inputs.query_files import GroupsLike


@specified
@dataclass(frozen=True)
class Test:
    """A test of the differences between runs, including its level, its correction and its intervals.

    Args:
        name: ``t`` (the default for two runs or with a baseline), ``randomisation``, ``romano-wolf`` (the default for
            all pairs of three or more runs), ``tukey``, ``max-t``, ``wilcoxon`` or ``sign``.
        correction: ``holm`` (the default), ``bonferroni``, ``bh`` or ``none``. The tests ``romano-wolf``, ``tukey`` and
            ``max-t`` need no correction.
        alpha: the significance level; a difference is significant if its corrected p is below alpha.
        family: the comparisons that are corrected together: ``measure`` for those of one measure, ``all`` for those of
            all measures.
        resamples: the number of resamples for a Monte Carlo test and for a bootstrap; by default 10,000, or more if the
            correction requires it.
        seed: the seed of the resamples; the default is a fixed number. The same seed yields the same p on every
            machine.
        confidence: the confidence level of the intervals.
        interval: ``t``, or ``bootstrap`` (percentiles over resampled queries).
        rope: half the width of a region of practical equivalence. The result then contains the probabilities that a run
            is worse, practically equal or better.
        margin: the margin of an equivalence test: two one-sided tests of whether runs differ by less than the margin.
        looks: the numbers of judged queries, such as ``(20, 40, 60)``, at which interim looks at the comparison are
            planned while people are still judging. Alpha spending determines the level at each look, so that all looks
            together have the level ``alpha``.
        effects: whether to report effect sizes of pairs with intervals: d_z and the probability of superiority.
        other_tests: whether to report how the other tests decide at the same level.

    Raises:
        PolicyError: a name does not exist, a number is outside its range, or the looks are not in ascending order.

    Example:
        >>> import carob
        >>> carob.Test("randomisation", correction="bh").resamples is None
        True
    """

    __test__: ClassVar[bool] = False  # prevents pytest from collecting the class as tests

    name: TestName | None = arguments.one_of(None, TestName, "test")
    correction: CorrectionName | None = arguments.one_of(None, CorrectionName)
    alpha: float = arguments.ALPHA
    family: Family = arguments.one_of("measure", Family)
    resamples: int | None = arguments.whole_number(None, 1)
    seed: int | None = arguments.whole_number(None, 0)
    confidence: float = arguments.CONFIDENCE
    interval: Interval = arguments.one_of("t", Interval)
    rope: float | None = arguments.not_negative(None)
    margin: float | None = arguments.positive(None)
    looks: tuple[int, ...] | None = None
    effects: bool = False
    other_tests: bool = False

    def __post_init__(self) -> None:
        """Rejects looks that are not ascending numbers of queries."""
        if self.looks is None:
            return
        given: Any = self.looks
        found: Any = given if isinstance(given, (tuple, list)) else ()
        rising = all(type(each) is int for each in found) and list(found) == sorted({*found})
        if not found or not rising or found[0] < 2:
            said = ": pass the planned numbers of queries, ascending from 2, as in "
            raise PolicyError(
                Worded(
                    f"looks={self.looks!r}{said}(20, 40, 60).",
                    f"--looks {','.join(map(str, found))}{said}20,40,60.",
                )
            )

    def at(self, queries: int) -> tuple[Test, str]:
        """Returns the test with the level of the current look, and a sentence about this level.

        Args:
            queries: the number of queries judged so far.

        Raises:
            DataError: more queries were judged than planned.
        """
        if self.looks is None:
            return self, ""
        planned = self.looks[-1]
        if queries > planned:
            raise DataError(
                f"{queries} queries are judged, but only {planned} were planned, and alpha is fully spent at that "
                f"number. Compare only the first {planned} queries that were judged."
            )
        from carob.statistics.sequential import level_at

        past = [each for each in self.looks if each < queries]
        level = rounded_down(level_at([each / planned for each in (*past, queries)], self.alpha))
        sentence = (
            f"Look {len(past) + 1}, at {queries} of {planned} planned queries: the level is {level:g}, which keeps the "
            f"level of all looks together at {self.alpha:g} (O'Brien-Fleming alpha spending)."
        )
        joint = math.isclose(self.confidence, 1 - self.alpha)
        return replace(self, alpha=level, confidence=1 - level if joint else self.confidence), sentence

    @classmethod
    def of(cls, given: Test | TestName | None) -> Test:
        """Returns the given test, which may be given by name."""
        if isinstance(given, str):
            return cls(given)
        return arguments.of_class("test", given, cls, "the name of a test, or carob.Test(…)")


def rounded_down(level: float) -> float:
    """Returns a level rounded down to three digits, so that it can be printed exactly.

    Example:
        >>> from carob.comparison.design import rounded_down
        >>> rounded_down(0.00305065), rounded_down(0.05)
        (0.00305, 0.05)
    """
    exponent = math.floor(math.log10(level)) if level > 0 else 0
    nearest = round(level, 2 - exponent)
    return nearest if nearest <= level * (1 + 1e-9) else round(nearest - 10.0 ** (exponent - 2), 2 - exponent)


@specified
@dataclass(frozen=True)
class Design:
    """How queries were sampled, and for which queries values are estimated.

    Args:
        cluster: the cluster of each query, as a mapping or as a file with lines ``query cluster``. Queries of the same
            cluster are not independent.
        weights: the weight of each query in the means, ``{query: weight}``.
        strata: with a judge, the stratum of each query, if people's queries were drawn within strata: a mapping or a
            file with lines ``query stratum``.
        target: with a judge, the queries that estimates and p concern: ``these`` queries only, or all queries
            ``similar`` to them.
        judge_weight: λ, the weight of the judge's values; None fits λ to the data, and 1 makes the estimates exactly
            unbiased.
        tuned_on: with a judge, the queries whose judgments by people were used to tune the judge, for example as
            examples in its prompt: a file with one query per line, or the ids of the queries.
        width: with a judge, the target width of intervals. The result states how many queries people must judge in
            total to reach it. By default, half the current width.
        preregistered: a file, as written by ``carob.plan(…).preregister``, that states the primary measure, the test,
            its level and correction, the baseline, the runs or the queries. ``carob.compare`` uses the file's settings
            instead of defaults and warns about each deviation from the file.
        second_assessor: another assessor's judgments of some of the same documents, which show how much of the variance
            is due to assessors. With a judge and the target ``these``, the standard errors then include this noise.

    Raises:
        PolicyError: a name does not exist, or a number is outside its range.

    Example:
        >>> import carob
        >>> carob.Design(target="similar", judge_weight=1).judge_weight
        1
    """

    cluster: GroupsLike | None = None
    weights: Mapping[str, float] | None = None
    strata: GroupsLike | None = None
    target: Target = arguments.one_of("these", Target)
    judge_weight: float | None = arguments.not_negative(None)
    width: float | None = arguments.not_negative(None)
    tuned_on: str | os.PathLike[str] | Collection[str] | None = None
    preregistered: str | os.PathLike[str] | None = None
    second_assessor: QrelsLike | None = None

    @classmethod
    def of(cls, given: Design | None) -> Design:
        """Returns the given design, or the default design if it is None."""
        return arguments.of_class("design", given, cls, "carob.Design(weights=…)")


WITHOUT_JUDGE = "cluster weights"
WITH_JUDGE = "strata target judge_weight width tuned_on"
OF_COMPARE = "preregistered second_assessor"
"""The parts of a design that apply without a judge, with a judge, and only to ``carob.compare``, respectively."""


@specified
@dataclass(frozen=True)
class UnjudgedLimits:
    """Limits on the unjudged documents' grades and on unseen relevant documents, for bounds on means and differences.

    Args:
        max_grade: the highest grade that judges can give; by default the highest grade in the judgments.
        unseen: the maximum number of relevant documents per query that no run retrieved.

    Raises:
        PolicyError: a number is outside its range.
    """

    max_grade: float | None = arguments.MAX_GRADE
    unseen: int | None = arguments.whole_number(None, 0)


@specified
@dataclass(frozen=True)
class Resampling:
    """How to divide and resample queries to estimate how good a selected run is on other queries.

    Args:
        folds: the number of folds of cross-validation; if there are no more queries than folds, one query at a time is
            left out.
        repeats: the number of random divisions into folds.
        resamples: the number of bootstrap resamples, which determine the set of runs that may be the best and the
            ranks.
        seed: the seed of the divisions and resamples.

    Raises:
        PolicyError: a number is outside its range.

    Example:
        >>> import carob
        >>> carob.Resampling(folds=5).repeats
        20
    """

    folds: int = arguments.whole_number(10, 2)
    repeats: int = arguments.whole_number(20, 1)
    resamples: int = arguments.whole_number(10_000, 1)
    seed: int = arguments.USUAL_SEED


@specified
@dataclass(frozen=True)
class HoldOut:
    """Queries that are left out of all analyses until they are opened to score the selected run.

    Args:
        share: the share of queries to hold out. All queries of a cluster are held out, or none of them.
        salt: a text that determines, together with a query's id, whether the query is held out.
        opened: whether to score the selected run on the held-out queries.
        ledger: the file in which every opening is recorded. Without it, held-out queries cannot be opened.

    Raises:
        PolicyError: the share is outside its range, or ``opened`` is set without a ledger.

    Example:
        >>> import carob
        >>> carob.HoldOut(0.3, salt="tea").opened
        False
    """

    share: float = arguments.between(0.3, "0.3")
    salt: str = ""
    opened: bool = False
    ledger: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        """Refuses to open held-out queries without a ledger."""
        if self.opened and self.ledger is None:
            raise PolicyError(
                "Held-out queries can only be opened with a ledger, the file that records every opening: pass the "
                "path of this file."
            )

    @classmethod
    def of(cls, given: HoldOut | float | None) -> HoldOut | None:
        """Returns the given hold-out, which may be given as a share of the queries."""
        number: Any = given
        if isinstance(number, Real):
            return cls(number)  # type: ignore[arg-type]
        such_as = "a share such as 0.4, or carob.HoldOut(…)"
        return None if given is None else arguments.of_class("hold_out", given, cls, such_as)


def refuse_others(given: Test | Design, applying: str, why: str, **beside: object) -> None:
    """Rejects settings that do not apply and differ from their defaults, including settings that are added later.

    Args:
        given: the settings.
        applying: the names of the settings that apply, separated by spaces.
        why: the end of the error message, which says in which case the other settings do not apply.
        beside: other arguments that do not apply.

    Raises:
        PolicyError: a setting that does not apply differs from its default.
    """
    usual = vars(type(given)())
    for name, value in (*vars(given).items(), *beside.items()):
        default = usual.get(name)
        if name in applying.split() or value is default or (default is not None and value == default):
            continue
        option = {"name": "test", "interval": value}.get(name, name.replace("_", "-"))
        wording = Worded("test" if name == "name" else name, f"--{option}")
        raise PolicyError(worded(wording, f" has no meaning {why}: leave it out."))


def refuse_comparison(test: Test, baseline: object) -> None:
    """Rejects options of a comparison that have no meaning for a single run.

    Raises:
        PolicyError: an option that requires two runs was given.
    """
    why = "for a single run, which is not compared with any other run"
    refuse_others(test, "alpha resamples seed confidence interval", why, baseline=baseline)


def refuse_with_judge(test: Test, design: Design, by: object) -> None:
    """Rejects options of a comparison that do not apply with a judge.

    Raises:
        PolicyError: an option that does not apply was given.
    """
    why = "for estimates from people's and a judge's judgments, which use a t-test"
    applying = "correction alpha family resamples seed confidence rope margin looks effects"
    refuse_others(test, f"{applying} name" if test.name == "t" else applying, why, by=by)
    refuse_others(design, f"{WITH_JUDGE} {OF_COMPARE}", why)


def refuse_outside_compare(design: Design) -> None:
    """Rejects the parts of a design that only ``carob.compare`` accepts.

    Raises:
        PolicyError: the design sets such a part.
    """
    refuse_others(design, f"{WITHOUT_JUDGE} {WITH_JUDGE}", "outside carob.compare")
