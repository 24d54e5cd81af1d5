"""``carob.gate``: checks a run against a baseline with tolerances, and against minimum values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import replace
from carob._numpy import np
from carob.comparison.cautions import skewed_pairs
from carob.comparison.compare import compare
from carob.comparison.design import Test
from carob.comparison.significance import corrected
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import conventions
from carob.evaluation.read_record import Record
from carob.evaluation.score_tables import GIVEN, footers
from carob.evaluation.scores import Scores, weights_given, with_groups
from carob.inputs.errors import refused
from carob.inputs.sources import kept
from carob.measures.names import names_in
from carob.output.errors import DataError, Worded, by_policy
from carob.output.language import filled, plural
from carob.output.layout import listed
from carob.statistics.estimates import detectable, t_quantile
from carob.testing.baseline import (
    both_sides,
    both_valued,
    changed_judgments,
    less_judged,
    record_of,
    refuse_broken,
    refuse_unrecorded,
    run_in,
    run_name,
    scored,
    sides_of,
    unequal_lists,
    unmoved_run,
)
from carob.testing.gate_result import Gate, GateCheck, GroupChange, Moved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from carob.comparison.compare import Comparison
    from carob.comparison.findings import Contest, Pair
    from carob.conventions.arguments import DecideBy
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.query_files import GroupsLike
    from carob.inputs.run import RunLike


NO_VALUE = "No query has a value of {label} in {name}, so no comparison is possible: run carob check to find out why."
Baseline: TypeAlias = "RunLike | Scores | Record"

DEFAULT_MEASURE = "nDCG@10"


@specified
def gate(
    qrels: QrelsLike | None,
    run: RunLike | Scores,
    baseline: Baseline | None = None,
    max_drop: float | Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
    *,
    alpha: float = arguments.ALPHA,
    decide_by: DecideBy | None = arguments.DECIDE_BY,
    worst: int = arguments.WORST,
    by: GroupsLike | None = None,
    baseline_run: str | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    name: str | None = None,
) -> Gate:
    """Decide whether a run may replace its baseline. The run fails if a mean dropped by more than its tolerance.

    The means are over the queries that the baseline answers. A query that only the run answers is left out. A query
    that only the run lacks counts as 0, or the gate cannot decide, so no run passes by answering fewer queries. A pass
    does not prove that there was no drop. Each check states whether its interval excludes a drop beyond the tolerance,
    and whether there are enough queries to detect such a drop. ``decide_by`` can make significance, or this proof, a
    condition.

    Args:
        qrels: the judgments, as in ``carob.evaluate``; None if run and baseline are both scores, or logs that contain
            their judgments.
        run: the run to check, or its scores.
        baseline: the reference: a run, scores, or the path of a record (``--record``) or of output from
            ``carob eval -q --format json``.
        max_drop: the tolerance of each measure, ``{"nDCG@10": 0.005}``. A single number applies to nDCG@10. If there is
            a baseline, the default is 0 for the measures in ``at_least``, or for nDCG@10 without ``at_least``.
        at_least: the minimum for each measure's mean, ``{"nDCG@10": 0.6}``.
        alpha: a difference is significant if its corrected p is below alpha. Intervals have confidence level 1 - alpha.
        decide_by: ``mean``: a check fails if the drop is larger than the tolerance or the mean is below its minimum.
            ``significance``: a check fails only if the difference is also significant, by the paired two-sided t-test
            of ``carob.compare`` with Holm's correction over all checks. ``non-inferiority``: a check fails unless its
            interval excludes a drop larger than the tolerance, or a mean below the minimum. If None, ``max_drop`` and
            ``at_least`` are decided by ``mean``, and the drops in a gate without ``max_drop`` by ``significance``.
        worst: the number of queries to list, with the largest losses first.
        by: the group or groups of each query, as in ``carob.evaluate``. The result then shows each group and lists the
            groups that miss the limit, but the groups do not affect the verdict.
        baseline_run: the run to use from a baseline file with several runs; if None, the run with the same name as
            ``run``.
        policy: as in ``carob.evaluate``. If no profile is given and the baseline's policy is known, the settings here
            modify that policy.
        profile: the profile of the run, as in ``carob.evaluate``.
        name: the name of the run in the output.

    Returns:
        The result, with ``passed``, ``checks``, ``to_text()``, ``to_junit()`` and others.

    Raises:
        DataError: inputs cannot be read, there is no limit or a limit without effect, the two sides have no query in
            common, the baseline retrieves no judged document, the baseline's scores are reversed or its document ids
            are spelled differently, or the run has no value, or no judgments, for queries that the baseline answers.
        MeasureError: a measure does not exist, or the baseline lacks it.
        PolicyError: the policy differs from the baseline's, or ``decide_by`` is not a rule.

    Example:
        >>> import carob
        >>> qrels = {f"q{n}": {"a": 1} for n in range(10)}
        >>> old = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(10)}
        >>> new = {f"q{n}": {"a": 2.0 - (n > 3) * 1.5, "b": 1.0} for n in range(10)}
        >>> found = carob.gate(qrels, new, old, {"RR": 0.05}, name="new")
        >>> found.passed, found.checks[0].verdict
        (False, 'RR fell by 0.3000 (1.0000 to 0.7000), tolerance 0.05')
    """
    zero = policy is not None and "missing" in policy.given and policy.missing == "zero"
    record = record_of(baseline)
    held = baseline if record is None else run_in(record, baseline_run, run_name(run, name))
    if qrels is None:
        from carob.inputs.logs import judgments_in

        qrels = judgments_in({"run": run, "baseline": held}, conventions(profile, policy)[1])
    qrels = kept(qrels)  # it is read twice, once with each run
    assert not isinstance(held, Record)
    if isinstance(held, Scores) and profile is None:
        policy = conventions(None, policy, held.policy)[1]
        profile = None if held.profile == GIVEN else held.profile
    own = conventions(profile, None)[0].measures
    usual = own[0] if own else DEFAULT_MEASURE
    given = limits_in(max_drop, "max_drop", "The tolerance", "0.005", 0, default=usual)
    floors = limits_in(at_least, "at_least", "The least value", "0.6")
    refuse_nothing(given, floors, held)
    drops = given if given or held is None else dict.fromkeys(floors or [usual], 0.0)
    of_drops, of_floors = decide_by or ("mean" if given else "significance"), decide_by or "mean"
    if record is not None and isinstance(held, Scores):
        refuse_unrecorded(record, held, drops)
    weights = weights_given(held) if isinstance(held, Scores) else None
    new = scored(qrels, run, [*drops, *floors], policy, profile, name, weights)
    refuse_limits(new, drops, floors)
    notes = [*new.warnings]
    checks: list[GateCheck] = []
    sides, old, key, unmoved = (new, new), None, "", []
    unpaired = {"missing_after": new.counts.missing}
    if drops and held is not None:
        weights = weights_given(run) if isinstance(run, Scores) else None
        old = scored(qrels, held, list(drops), policy, profile, None, weights)
        notes += [each for each in old.warnings if each not in notes]
        notes += [
            *changed_judgments(old, new, recorded=record is not None),
            *less_judged(old, new, qrels),
            *unequal_lists(old, new, drops),
            *undefined_before(old, new, drops),
        ]
        refuse_unanswered(old, new, drops)
        refuse_broken(old, new)
        sides, unpaired = sides_of(old, new, zero)
        key = f"{old.name} (baseline)" if old.name == new.name else old.name
        notes += both_sides(old, new)
        unmoved = unmoved_run(old, new, sides, drops)
        checks += tested_checks("max-drop", sides, drops, (key, new.name), alpha, of_drops, worst, by)
        notes += [] if given else [no_tolerance(next(iter(drops)), decide_by)]
    grouped = new if by is None else with_groups([new], by)[0]
    if floors and of_floors == "mean":
        checks += [floor_check(grouped, measure, least) for measure, least in floors.items()]
    elif floors:
        both, names = (at_floors(new, floors), new), (f"{new.name} (minimum)", new.name)
        checks += tested_checks("min", both, floors, names, alpha, of_floors, 0, by)
    tested = [place for place, each in enumerate(checks) if each.tested]
    adjusted = corrected([checks[place].p_uncorrected for place in tested], "holm").tolist()
    for place, p in zip(tested, adjusted, strict=True):
        checks[place] = replace(checks[place], p_corrected=p)
        if checks[place].decide_by != "non-inferiority":
            checks[place] = replace(checks[place], detectable=detectable_among(checks[place], len(tested)))
    counted = set(sides[1].queries) if new.policy.missing == "zero" else ()
    return Gate(
        name=new.name,
        baseline="" if old is None else key if record is None else f"{key} in {record.path}",
        checks=tuple(each.decided() for each in checks),
        alpha=alpha,
        compared=len(tested),
        decide_by=of_drops if drops else of_floors,
        in_several_groups=grouped.in_several_groups,
        **unpaired,
        counted_as_zero=tuple(each for each in unpaired["missing_after"] if each in counted),
        warnings=tuple(notes),
        footers=(*footers([new] if old is None else [new, replace(old, name=key)], equal=False), *unmoved),
    )


NO_TOLERANCE = (
    "no tolerance was given, so it is 0, and only a significant drop fails. With {option}, every drop of more than "
    "0.01 fails, significant or not"
)
"""With a tolerance, the gate also decides by another rule, unless the caller chose the rule."""
NO_TOLERANCE_BY_RULE = "no tolerance was given, so it is 0: {option} sets another tolerance"


def no_tolerance(label: str, decide_by: DecideBy | None) -> str:
    """Returns the remark for a gate that has a baseline but no tolerance.

    Args:
        label: the measure to show in the example.
        decide_by: the rule that the caller chose; None if the limits choose it.
    """
    option = Worded(f"max_drop={{'{label}': 0.01}}", f"--max-drop {label}=0.01")
    return filled(NO_TOLERANCE if decide_by is None else NO_TOLERANCE_BY_RULE, option=option)


def detectable_among(check: GateCheck, count: int) -> float:
    """Returns the smallest difference that a check detects with 80% power if the level is split over several checks.

    Args:
        check: a check whose ``detectable`` was computed for a single test.
        count: the number of checks.
    """
    freedom = np.array([check.queries - 1.0])
    alone, among = (
        float(detectable(np.ones(1), freedom, t_quantile(1 - check.alpha / each, freedom))[0])
        for each in (1, count)
    )
    return check.detectable * among / alone


# ---------------------------------------------------------------- limits and sides


def limits_in(
    given: Any, name: str, what: str, example: str, least: float = -math.inf, default: str | None = None
) -> dict[str, float]:
    """Returns the limit for each measure. One key may contain several names of measures.

    Args:
        given: the limits by measure, or None.
        name: the argument's name.
        what: the limit's name in error messages.
        example: a typical limit, such as ``0.005``.
        least: the smallest allowed limit.
        default: the measure that a single number applies to; None if a single number is refused.

    Raises:
        DataError: the limits are not a mapping, a limit is not an allowed number, or a measure has two limits.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        if default is None or isinstance(given, bool) or not isinstance(given, Real):
            number = "a number, or " if default else ""
            raise DataError(
                f"{name} is {given!r}: pass {number}a mapping such as {{'{DEFAULT_MEASURE}': {example}}}."
            )
        given = {default: given}
    found: dict[str, float] = {}
    for text, limit in given.items():
        is_number = not isinstance(limit, bool) and isinstance(limit, Real) and math.isfinite(limit)
        if not is_number or float(limit) < least:
            kind = "a number of at least 0" if least == 0 else "a number"
            raise DataError(f"{what} of {text} is {limit!r}: use {kind}, such as {example}.")
        for measure in map(str, names_in(text)):
            if found.setdefault(measure, float(limit)) != limit:
                first = found[measure]
                raise DataError(
                    f"Two limits were passed for {measure}, {first:g} and {limit:g}: pass only one."
                )
    return found


def refuse_nothing(drops: dict[str, float], floors: dict[str, float], baseline: object) -> None:
    """Refuses a gate without a limit.

    Raises:
        DataError: neither a limit nor a baseline was given, or a tolerance was given without a baseline.
    """
    if not drops and not floors and baseline is None:
        raise refused(
            "No limit was passed, so there is nothing to check. Pass a tolerated drop, {drop}, or a minimum, {floor}.",
            drop=Worded("max_drop={'nDCG@10': 0.005}", "--max-drop nDCG@10=0.005"),
            floor=Worded("at_least={'nDCG@10': 0.6}", "--min nDCG@10=0.6"),
        )
    if drops and baseline is None:
        given = Worded("baseline=a run or a record", "--baseline with a run, or a record that --record wrote")
        raise refused("A drop needs a baseline: pass {given}.", given=given)


def refuse_limits(scores: Scores, drops: dict[str, float], floors: dict[str, float]) -> None:
    """Refuses limits that have no effect, such as limits outside a measure's range.

    Raises:
        DataError: a limit has no effect.
    """
    for limits, floor in ((drops, False), (floors, True)):
        for name, limit in limits.items():
            place = scores.column(name)
            label, definition = scores.labels[place], scores.measures[place].definition
            low, high = definition.values
            if scores.queries and scores.counts.empty_for.get(label, 0) >= len(scores.queries):
                raise DataError(
                    f"No query has a document with {scores.measures[place].wanted}, so {label} cannot be used to "
                    f"evaluate {scores.name}: gate another measure, or correct the judgments."
                )
            if definition.smaller_is_better:
                raise DataError(
                    f"{label} is better if it is smaller, but a gate only detects drops: gate a measure that is "
                    f"better if it is larger, such as {DEFAULT_MEASURE}."
                )
            if low <= limit <= high if floor else limit <= high - low:
                continue
            reached = f"a minimum of {limit:g} is {'always' if limit < low else 'never'} reached"
            what = reached if floor else f"with a tolerance of {limit:g}, every run passes"
            percent = f" For {limit:g}% write {limit / 100:g}." if high < limit <= 100 * high else ""
            raise DataError(f"{label} lies between {low:g} and {high:g}: {what}.{percent}")


def refuse_unanswered(old: Scores, new: Scores, drops: dict[str, float]) -> None:
    """Refuses a comparison in which nothing is judged, or in which the run lacks values that the baseline has.

    Raises:
        DataError: neither side retrieved a judged document, or the run has no value for a query for which the baseline
            has one.
    """
    either = old.counts.found or new.counts.found or GIVEN in (old.profile, new.profile)
    if not either and "none" not in (old.policy.overlap, new.policy.overlap):
        raise DataError(
            f"Neither {new.name} nor {old.name} retrieves a judged document, so no comparison is possible: run carob "
            "check to find the reason."
        )
    absent, own = set(new.counts.missing) - set(old.counts.missing), set(new.queries)
    for name in drops:
        before, after = old.by_query(name), new.by_query(name)
        lost = [
            query
            for query, value in before.items()
            if query in absent | own and not math.isnan(value) and math.isnan(after.get(query, math.nan))
        ]
        if lost and not absent.issuperset(lost):
            raise DataError(
                f"{new.name} has no value of {name} for {len(lost)} of {len(before)} queries for which {old.name} has "
                f"a value, starting with '{lost[0]}', so a run with fewer values could pass. Add the missing values."
            )
        if lost:
            raise refused(
                "{new} lacks {lost} of {total} queries that {old} answers, starting with '{first}', and "
                "missing={missing} leaves these queries out of {measure}, so a run that answers fewer queries "
                "could pass. Complete the run, or count missing queries as 0: {zero}.",
                new=new.name,
                old=old.name,
                lost=len(lost),
                total=len(before),
                first=lost[0],
                missing=new.policy.of_measure(new.measures[new.column(name)]).missing,
                measure=name,
                zero=by_policy("missing", "zero"),
            )


def undefined_before(old: Scores, new: Scores, drops: Mapping[str, float]) -> Iterator[str]:
    """Yields a note for each measure that is defined only for the run on some queries that both sides answer."""
    absent = set(old.counts.missing)
    for name in drops:
        before, after = old.by_query(name), new.by_query(name)
        undefined = (
            each for each in old.queries if math.isnan(before.get(each, math.nan)) and each not in absent
        )
        lacking = [each for each in undefined if not math.isnan(after.get(each, math.nan))]
        if lacking:
            have = plural(len(lacking), "query has", "queries have")
            yield f"{name}: {have} a value only in the run, left out of the differences: {listed(lacking)}"


# ---------------------------------------------------------------- checks


def floor_check(scores: Scores, measure: str, least: float) -> GateCheck:
    """Compares a measure's mean with a minimum, without a test, and returns the check."""
    value = scores[measure]
    label = scores.labels[scores.column(measure)]
    if math.isnan(value):
        raise DataError(filled(NO_VALUE, label=label, name=scores.name))
    groups = tuple(
        GroupChange(name, name == scores.ungrouped, len(own.queries), math.nan, own[measure])
        for name, own in scores.by_group().items()
    )
    return GateCheck(label, "min", least, False, math.nan, value, queries=len(scores.queries), groups=groups)


def at_floors(scores: Scores, floors: Mapping[str, float]) -> Scores:
    """Returns scores in which the value of every query is the measure's minimum, for a test to compare the run with."""
    matrix = scores.matrix.copy()
    for name, least in floors.items():
        matrix[:, scores.column(name)] = least
    return replace(scores, matrix=matrix, bounds={}, caps={})


def tested_checks(
    kind: str,
    sides: tuple[Scores, Scores],
    limits: Mapping[str, float],
    names: tuple[str, str],
    alpha: float,
    decide_by: DecideBy,
    worst: int,
    by: GroupsLike | None,
) -> list[GateCheck]:
    """Returns the check of each measure, with a test of the differences per query.

    Args:
        kind: ``max-drop`` or ``min``.
        sides: the baseline, or the minimum values, and the run, with the same queries.
        limits: the limit of each measure.
        names: the names of the two sides.
        alpha: the level of the tests.
        decide_by: the rule by which the gate decides.
        worst: the number of queries to list.
        by: the groups of the queries, or None.
    """
    runs = dict(zip(names, both_valued(*sides, limits), strict=True))
    test = Test("t", alpha=alpha, confidence=1 - alpha)
    found = compare(None, runs, list(limits), baseline=0, test=test, by=by)
    checks = []
    for label, limit in zip(found.labels, limits.values(), strict=True):
        check = replace(drop_check(found, label, limit, worst), decide_by=decide_by)
        if kind == "min":
            contest = found.contests[label]
            if decide_by != "significance" or check.worst_point or contest.worst_point[1]:
                # The interval of the mean itself, because a mean has a narrower range than a difference.
                low, high = contest.low[1], contest.high[1]
            else:  # the interval of the t-test, which is consistent with p
                low, high = limit + check.low, limit + check.high
            check = replace(check, kind=kind, before=math.nan, low=low, high=high)
            groups = tuple(
                GroupChange(each.name, each.ungrouped, each.queries, math.nan, each.after)
                for each in check.groups
            )
            worst_point = contest.worst_point[1]
            check = replace(check, worst_point=worst_point, skewed=False, identical=False, groups=groups)
        checks.append(check)
    return checks


def drop_check(found: Comparison, label: str, limit: float, worst: int) -> GateCheck:
    """Compares a measure with the baseline, and returns the check.

    Raises:
        DataError: the measure is a count, to which a tolerance for a mean does not apply, or no query has a value on
            both sides.
    """
    contest = found.contests[label]
    if contest.measure.definition.aggregate != "mean":
        raise DataError(
            f"{label} is not a mean over queries: gate a measure that is a mean, such as {DEFAULT_MEASURE}."
        )
    (pair,) = contest.pairs
    before, after = contest.means
    if not pair.n or math.isnan(pair.difference):
        raise DataError(filled(NO_VALUE, label=label, name=" and ".join(found.names)))
    if pair.identical:
        pair = replace(pair, low=math.nan, high=math.nan, detectable=math.nan)
    return GateCheck(
        label=label,
        kind="max-drop",
        limit=limit,
        passed=False,
        before=before,
        after=after,
        **tested_in(pair, "low", "high", "p_uncorrected"),
        detectable=pair.detectable,
        queries=pair.n,
        worst=lost(contest, found.queries, worst),
        alpha=found.settings.alpha,
        worst_point=pair.worst_point and not pair.identical,
        skewed=bool(skewed_pairs(contest)),
        identical=pair.identical and pair.n > 1,
        groups=groups_in(contest),
    )


def groups_in(contest: Contest) -> tuple[GroupChange, ...]:
    """Returns the means of each group of queries, with the test of their difference if there is one."""
    found = []
    for each in contest.groups:
        (pair,) = each.pairs
        tested = {} if pair.identical else tested_in(pair, "low", "high", "p_uncorrected", "worst_point")
        before, after = each.means
        found.append(GroupChange(each.name, each.ungrouped, pair.n, before, after, **tested))
    return tuple(found)


def tested_in(pair: Pair, *fields: str) -> dict[str, Any]:
    """Returns the given fields of the test of a pair, or no fields for a single query, which cannot be tested."""
    return {name: getattr(pair, name) for name in fields} if pair.n > 1 else {}


def lost(contest: Contest, queries: tuple[str, ...], count: int) -> tuple[Moved, ...]:
    """Returns the queries whose values fell most, but at most ``count`` queries."""
    change = contest.values[:, 1] - contest.values[:, 0]
    order = np.argsort(change, kind="stable")
    first = [place for place in order.tolist() if change[place] < 0][: max(count, 0)]
    return tuple(Moved(queries[place], *contest.values[place, :2].tolist()) for place in first)
