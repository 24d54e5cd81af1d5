"""The result of a gate: one check per limit, as text, Markdown, JSON, JUnit XML and GitHub annotations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._version import __version__
from carob.comparison.tables import WORST_POINT, of_groups
from carob.output.document import Document, Documented, Items, Line, Part, Section, Table
from carob.output.escaping import command, printable, sentence
from carob.output.language import filled
from carob.output.layout import Marked, decimals, listed
from carob.output.pictures.figures import whiskers
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob.output.pictures.figures import Drawing

VERDICTS = {
    "reached": "{label} {after:.4f} is not below {limit:g}",
    "below": "{label} {after:.4f} is below {limit:g}",
    "not shown": "{label} {after:.4f} is not shown to reach {limit:g}",
    "unchanged": "{label} stayed at {after:.4f}, tolerance {limit:g}",
    "fell": "{label} fell by {change:.4f} ({before:.4f} to {after:.4f}), tolerance {limit:g}",
    "rose": "{label} rose by {change:.4f} ({before:.4f} to {after:.4f}), tolerance {limit:g}",
}
"""Sentences about the change in a mean."""
EVIDENCE = {
    "minimum": "no significance test, because a minimum concerns only the mean",
    "one query": "no significance test, because it needs at least 2 queries",
    "no spread": (
        "the difference is the same in all {queries} queries, so there is no interval; sign-flip test, p "
        "{p}, corrected {adjusted}"
    ),
    "interval": "{percent}% interval {low:+.4f} to {high:+.4f}, p {p}, corrected {adjusted}",
    "identical": "the same value for each of the {queries:query/queries}, so there is nothing to test",
    "interval of the mean": "{percent}% interval of the mean {low:.4f} to {high:.4f}, p {p}, corrected {adjusted}",
}
"""Sentences with the statistics of the difference or of the mean."""
READINGS = {
    "beyond": "larger than the tolerance",
    "significant": "larger than the tolerance, and significantly different from 0",
    "by chance": "larger than the tolerance, but not significantly different from 0",
    "beyond:min": "below the minimum",
    "significant:min": "below the minimum and significant",
    "by chance:min": "below the minimum but not significant",
    "identical": "no query fell, but the runs may differ on other queries",
    "identical:non-inferiority": (
        "passed as identical on these queries; non-inferiority on other queries was not tested"
    ),
    "not inferior": "the interval excludes a drop larger than the tolerance: not inferior",
    "not inferior:min": "the interval excludes a mean below the minimum",
    "not shown": "the drop is not shown to be within the tolerance: a drop of {excluded:.4f} remains possible",
    "not shown:min": "the mean is not shown to reach the minimum: a mean of {low:.4f} remains possible",
    "nothing shown": "too few queries to draw a conclusion: {queries}",
    "too few": (
        "too few queries for this tolerance: {queries} queries detect a drop of {detectable:.4f} or more "
        "(80% power)"
    ),
    "smallest": "{queries} queries detect a drop of {detectable:.4f} or more (80% power)",
}
"""The conclusions that the evidence allows, for drops and for minimums (``:min``)."""
RULES = {
    "mean:max-drop": "A drop fails the gate if it is larger than the tolerance, significant or not.",
    "significance:max-drop": (
        "A drop fails the gate if it is larger than the tolerance and significantly different from 0."
    ),
    "significance:min": "A mean fails the gate if it is below its minimum and the difference is significant.",
    "non-inferiority:max-drop": "The gate fails unless the interval excludes a drop larger than the tolerance.",
    "non-inferiority:min": "The gate fails unless the interval excludes a mean below the minimum.",
}
"""Sentences that state when a gate fails, by the rule and the kind of limit."""
KINDS = {"max-drop": "drops", "min": "minimums"}
"""The plural name of each kind of limit."""
GROUPS = "{label} {what} in {missed} of {total} groups: {groups}"
GROUPS_BEYOND = {"max-drop": "fell by more than the tolerance", "min": "is below the minimum"}
"""Sentences about the groups of queries whose means miss the limit."""
ALONE = {
    "only before": "{count:query/queries} judged only for the baseline, left out of the differences: {queries}",
    "only after": "{count:query/queries} only in the run, left out of the differences: {queries}",
    "missing": "{count:query/queries} missing from the run, counted as 0: {queries}",
    "missing:left out": "{count:query/queries} missing from the run, left out of its means: {queries}",
    "missing:both": "{count:query/queries} missing from both sides, counted as 0 in both: {queries}",
}
"""Sentences about the queries that are missing from one side or from both."""
UNPAIRED = ("only_before", "only_after", "missing_before", "missing_after")
"""The fields with the queries that are missing from one side."""


@dataclass(frozen=True)
class Moved:
    """A query whose value fell.

    Args:
        query: the id of the query.
        before: the value in the baseline.
        after: the value in the run.
    """

    query: str
    before: float
    after: float


@dataclass(frozen=True)
class GroupChange:
    """The mean of a group of queries in the baseline and in the run. It does not affect the verdict.

    Args:
        name: the group.
        ungrouped: whether the group consists of the queries without a group.
        queries: the number of queries.
        before: the baseline's mean; NaN for ``min``.
        after: the run's mean.
        low: the lower end of the interval of the difference; NaN if there is none.
        high: the upper end.
        p_uncorrected: the two-sided p of the difference.
        worst_point: whether the interval and p come from the worst-point method instead of the t-test.
    """

    name: str
    ungrouped: bool
    queries: int
    before: float
    after: float
    low: float = math.nan
    high: float = math.nan
    p_uncorrected: float = math.nan
    worst_point: bool = False


SLACK = 1e-12
"""A difference between a limit and a mean that is at most this large is due to rounding, as in 0.65 - 0.64 > 0.01."""

SHAPES = {
    "worst_point": "many values are equal, so interval and p are worst-point, not from the t-test.",
    "skewed": "a few queries have large differences of one sign, so interval and p are approximate.",
}
"""Sentences about distributions for which Student's t is unsuitable, by the field of a check."""


@dataclass(frozen=True)
class GateCheck:
    """The check of one measure against one limit.

    Args:
        label: the measure.
        kind: ``max-drop`` or ``min``.
        limit: the tolerance, or the minimum.
        passed: whether the run passes.
        before: the baseline's mean over the compared queries; NaN for ``min``.
        after: the run's mean over the compared queries; for ``min``, over all queries of the run.
        low: the lower end of the interval of the difference, or of the mean for ``min``; NaN if there is none.
        high: the upper end of the interval.
        p_uncorrected: the two-sided p of the t-test.
        p_corrected: the p after Holm's correction for the number of tested checks.
        detectable: the smallest difference that a test with these queries would detect with 80% power.
        queries: the number of compared queries.
        worst: the queries whose values fell most.
        decide_by: the rule of the check: ``mean``, ``significance`` or ``non-inferiority``.
        alpha: the level of the test; the interval has confidence level 1 - alpha.
        worst_point: whether the interval and p come from the worst-point method, which allows for unobserved values,
            instead of the t-test.
        skewed: whether a few queries have large differences of the same sign, so the interval and p are approximate.
        identical: whether the run and the baseline have the same value for every query. If so, the check passes and has
            no interval.
        groups: the groups of queries, if requested.
    """

    label: str
    kind: str
    limit: float
    passed: bool
    before: float
    after: float
    low: float = math.nan
    high: float = math.nan
    p_uncorrected: float = math.nan
    p_corrected: float = math.nan
    detectable: float = math.nan
    queries: int = 0
    worst: tuple[Moved, ...] = ()
    decide_by: str = "mean"
    alpha: float = 0.05
    worst_point: bool = False
    skewed: bool = False
    identical: bool = False
    groups: tuple[GroupChange, ...] = ()

    @property
    def tested(self) -> bool:
        """Whether the check includes a test. A minimum that is decided by the mean is not tested."""
        return self.kind == "max-drop" or self.decide_by != "mean"

    @property
    def difference(self) -> float:
        """The value of the run minus the value of the baseline."""
        return self.after - self.before

    @property
    def beyond(self) -> bool:
        """Whether the mean misses the limit, significantly or not."""
        return self.misses(self)

    def misses(self, means: GateCheck | GroupChange) -> bool:
        """Returns whether the means of a check or of a group miss the limit."""
        room = means.after - self.limit if self.kind == "min" else means.after - means.before + self.limit
        return room < -SLACK

    @property
    def not_inferior(self) -> bool:
        """Whether the interval excludes a drop larger than the tolerance, or a mean below the minimum.

        If all queries have the same difference, there is no interval, and the sign-flip test decides instead. A run
        that is identical to the baseline on these queries passes.
        """
        if self.identical:
            return True
        if math.isfinite(self.low):
            return self.low >= (self.limit if self.kind == "min" else -self.limit) - SLACK
        return not self.beyond and self.p_uncorrected <= self.alpha

    @property
    def doubtful(self) -> bool:
        """Whether the check passed on weak evidence: a drop beyond the tolerance, or too few queries."""
        few = self.detectable > self.limit if self.kind == "max-drop" else self.tested
        return self.passed and (self.beyond or (few and not self.not_inferior))

    @property
    def significant(self) -> bool:
        """Whether the difference from the baseline, or from the minimum, is significant."""
        return self.p_corrected < self.alpha

    def decided(self) -> GateCheck:
        """Returns the check with ``passed`` set according to its rule."""
        if self.decide_by == "non-inferiority":
            return replace(self, passed=self.not_inferior)
        return replace(self, passed=not (self.beyond and (self.decide_by == "mean" or self.significant)))

    @property
    def title(self) -> str:
        """The limit in the form in which a user types it."""
        return f"{self.kind} {self.label}={self.limit:g}"

    @property
    def verdict(self) -> str:
        """A sentence that reports the change and the limit."""
        if self.kind == "min":
            reached = "reached" if self.passed else "not shown"
            return self.said(VERDICTS["below" if self.beyond else reached])
        key = "unchanged" if self.difference == 0 else "fell" if self.difference < 0 else "rose"
        return self.said(VERDICTS[key], change=abs(self.difference))

    @property
    def evidence(self) -> str:
        """A sentence that reports the interval and the test."""
        if self.kind == "min" and not self.tested:
            return self.said(EVIDENCE["minimum"])
        key = "interval" if math.isfinite(self.low) else "no spread"
        key = "one query" if self.queries < 2 else key
        if self.kind == "min" and key == "interval":
            key = "interval of the mean"
        key = "identical" if self.identical else key
        numbers = {"p": shown_p(self.p_uncorrected), "adjusted": shown_p(self.p_corrected)}
        return self.said(EVIDENCE[key], percent=f"{100 * (1 - self.alpha):.10g}", **numbers)

    @property
    def reading(self) -> list[str]:
        """Sentences that explain which conclusions the evidence allows."""
        if not self.tested:
            return []
        if self.identical:
            return [READINGS["identical" + ":non-inferiority" * (self.decide_by == "non-inferiority")]]
        about = ":min" if self.kind == "min" else ""
        lines = []
        if self.beyond:
            key = "significant" if self.significant else "by chance"
            key = "beyond" if math.isnan(self.p_corrected) else key
            lines.append(self.said(READINGS[key + about]))
        if not self.passed and (self.decide_by != "non-inferiority" or (self.beyond and self.significant)):
            return lines
        if self.not_inferior:
            # The number of queries does not matter if the interval excludes a drop beyond the tolerance.
            return [*lines, self.said(READINGS["not inferior" + about])]
        if not math.isfinite(self.low):
            unshown = not self.passed and not self.beyond
            return [*lines, *([self.said(READINGS["nothing shown"])] if unshown else [])]
        few = (
            [self.said(READINGS["too few" if self.limit > 0 else "smallest"])]  # 0 needs infinitely many
            if self.detectable > self.limit and self.kind == "max-drop"
            else []
        )
        return [*lines, self.said(READINGS["not shown" + about], excluded=abs(self.low)), *few]

    def said(self, text: str, **more: object) -> str:
        """Fills in a sentence about the check with the check's fields and further values."""
        return filled(text, **{**vars(self), **more})


def shown_p(p: float) -> str:
    """Returns a p-value with three decimals, or an empty text for NaN."""
    if math.isnan(p):
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def detail(check: GateCheck) -> list[str]:
    """Returns the lines to print below a verdict."""
    lines = [check.evidence, *check.reading]
    return lines + [
        f"{each.after - each.before:+.4f}  {each.before:.4f} to {each.after:.4f}  {sentence(each.query)}"
        for each in check.worst
    ]


def valid(text: str) -> str:
    """Replaces characters that are invalid in XML or that control a terminal."""
    return "\n".join(map(printable, text.split("\n")))


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Documented):
    """The result of a gate: whether the run passes, with the reasons. ``str(gate)`` returns the whole text.

    Args:
        name: the run.
        baseline: the baseline's name.
        checks: one check for each measure and limit.
        alpha: the level of the tests; a corrected p below alpha is significant.
        compared: the number of tested checks, over which p is corrected.
        only_before: queries that only the baseline's judgments contain, and that the baseline does not answer. These
            queries are not part of any difference.
        only_after: queries that only the run answers, or that only the run's judgments contain. These queries are not
            part of any difference.
        missing_before: judged queries that the baseline does not answer.
        missing_after: judged queries that the run does not answer.
        counted_as_zero: the queries in ``missing_after`` that count as 0 in the run's means.
        decide_by: the rule for the checks of drops or, if there are none, for the checks of minimums.
        in_several_groups: the number of queries that belong to several groups.
        warnings: further remarks for the reader.
        footers: the footers of the run's scores and of the baseline's.
    """

    name: str
    baseline: str
    checks: tuple[GateCheck, ...]
    alpha: float
    compared: int
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    missing_before: tuple[str, ...] = ()
    missing_after: tuple[str, ...] = ()
    counted_as_zero: tuple[str, ...] = ()
    decide_by: str = "mean"
    in_several_groups: int = 0
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the run passed every check."""
        return all(each.passed for each in self.checks)

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        checks = len(self.checks)
        failed = sum(not each.passed for each in self.checks)
        doubtful = sum(each.doubtful for each in self.checks)
        none = {1: "not proven", 2: "neither proven"}.get(checks, "none proven")
        unsure = "" if not doubtful else f", {none if doubtful == checks else f'{doubtful} not proven'}"
        passed = filled("{count:check} passed", count=checks) + unsure
        count = f"{failed} of {checks} checks failed" if failed else passed
        against = f" against {sentence(self.baseline)}" if self.baseline else ""
        verdict = "passed" if self.passed else "FAILED"
        return f"gate {verdict}: {sentence(self.name)}{against}, {count}; {self.rule}"

    @property
    def rule(self) -> str:
        """The deciding rule, in the words of ``--decide-by``; separate for drops and minimums if their rules differ."""
        rules = {KINDS[each.kind]: each.decide_by for each in self.checks}
        one = next(iter(rules.values()), self.decide_by)
        apart = ", ".join(f"{kind} by {rule}" for kind, rule in rules.items())
        return f"decided by {one}" if len(set(rules.values())) < 2 else f"decided: {apart}"

    @property
    def unpaired(self) -> list[str]:
        """The remarks on queries that are missing from one side."""
        zeros, before = set(self.counted_as_zero), set(self.missing_before)
        alone = [each for each in self.missing_after if each not in before]
        groups = {
            "only before": self.only_before,
            "only after": self.only_after,
            "missing": [each for each in alone if each in zeros],
            "missing:left out": [each for each in alone if each not in zeros],
        }
        return [self.named(key, queries) for key, queries in groups.items() if queries]

    @property
    def remarks(self) -> list[str]:
        """The remarks below the checks: unpaired queries, warnings, the test, and the footers of the scores."""
        lines = self.unpaired
        both = [each for each in self.counted_as_zero if each in set(self.missing_before)]
        if both:
            lines.append(self.named("missing:both", both))
        lines += self.warnings
        for each in self.checks:
            missed = [sentence(group.name) for group in each.groups if each.misses(group)]
            if missed:
                words = {"what": GROUPS_BEYOND[each.kind], "label": each.label, "missed": len(missed)}
                lines.append(filled(GROUPS, total=len(each.groups), groups=listed(missed), **words))
        groups = [group for each in self.checks for group in each.groups]
        if any(not math.isnan(each.p_uncorrected) for each in groups):
            lines.append(of_groups(self.in_several_groups, marked=any(each.worst_point for each in groups)))
        kinds = {each.kind: each.decide_by for each in self.checks if each.tested}
        rules = [RULES[f"{rule}:{kind}"] for kind, rule in kinds.items()]
        if rules:
            holm = f"Holm over {self.compared} checks"
            correction = holm if self.compared > 1 else "one check, no correction"
            paired = "paired t-test" if "max-drop" in kinds else "t-test"
            words = {"alpha": self.alpha, "correction": correction, "paired": paired}
            if self.decide_by == "non-inferiority":
                words["correction"] = "no correction of the interval, because every check must pass"
            rules.append(filled("Test: {paired}, two-sided, alpha {alpha:g}, {correction}.", **words))
            for shape, said in SHAPES.items():
                labels = dict.fromkeys(
                    each.label for each in self.checks if each.tested and getattr(each, shape)
                )
                if labels:
                    rules.append(f"{listed([*labels])}: {said}")
            lines.append(" ".join(rules))
        return [*lines, *self.footers]

    def named(self, key: str, queries: Sequence[str]) -> str:
        """Returns a remark on queries that lists the first few of them."""
        return filled(ALONE[key], count=len(queries), queries=listed(list(map(sentence, queries))))

    def document(self, layout: str = "text", /) -> Document:
        """Returns the verdict, followed by the checks: as lines in text, and as tables in other formats."""
        verdict, _, others = self.headline.partition(": ")
        tone = "good" if self.passed else "bad"
        parts: list[Part] = [Line(others, "answer", mark=f"{verdict}: ", tone=tone)]
        if layout == "text":
            for each in self.checks:
                word, tone = ("pass", "good") if each.passed else ("FAIL", "bad")
                parts.append(Line(each.verdict, mark=f"{word}  ", tone=tone, indent=2))
                parts += [Line(said, indent=8) for said in detail(each)]
            remarks = [Line(each, "footer", indent=2) for each in self.remarks]
            return Document([Section([*parts, *self.group_tables(), *remarks])])
        parts += [table for table in self.tables() if table.rows]
        readings = (f"{each.label}: {said}" for each in self.checks for said in each.reading)
        return Document([Section([*parts, Items([*readings, *self.remarks])])])

    @property
    def interval(self) -> str:
        """The header of the column with the intervals."""
        return f"{100 * (1 - self.alpha):.10g}% interval"

    def tables(self) -> list[Table]:
        """Returns the table of the checks, and the table of the queries whose values fell most."""
        header = ["", "measure", "before", "after", "change", "limit", self.interval, "p", "corrected"]
        rows = [
            [
                "pass" if each.passed else Marked("FAIL", bold=True),
                each.label,
                *(decimals(value, 4, undefined="") for value in (each.before, each.after)),
                decimals(each.difference, 4, sign=True, undefined=""),
                f"{each.kind} {each.limit:g}",
                f"{each.low:+.4f} to {each.high:+.4f}" if math.isfinite(each.low) else "",
                shown_p(each.p_uncorrected),
                shown_p(each.p_corrected),
            ]
            for each in self.checks
        ]
        worst = [
            [each.label, sentence(one.query), f"{one.before:.4f}", f"{one.after:.4f}"]
            for each in self.checks
            for one in each.worst
        ]
        lost = Table(["measure", "query that lost", "before", "after"], worst, 2)
        return [Table(header, rows, 2), lost, *self.group_tables()]

    def group_tables(self) -> list[Table]:
        """Returns the table of the groups of queries if groups were requested."""
        rows = [
            [
                each.label,
                sentence(group.name),
                str(group.queries),
                *(decimals(value, 4, undefined="") for value in (group.before, group.after)),
                decimals(group.after - group.before, 4, sign=True, undefined=""),
                f"{group.low:+.4f} to {group.high:+.4f}" if math.isfinite(group.low) else "",
                f"{shown_p(group.p_uncorrected)}{f' {WORST_POINT}' * group.worst_point}",
            ]
            for each in self.checks
            for group in each.groups
        ]
        header = ["measure", "group", "n", "before", "after", "change", self.interval, "p"]
        return [Table(header, rows, 2)] if rows else []

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``checks``, ``queries`` (those whose values fell most) and, if requested, ``groups``."""
        lost = [(each.label, one) for each in self.checks for one in each.worst]
        groups = [(each.label, one) for each in self.checks for one in each.groups]
        tables = {
            "checks": lambda: Records.of(GateCheck, self.checks, without=["worst", "groups"]),
            "queries": lambda: Records.of(Moved, lost, ["label"]),
        }
        return {**tables, "groups": lambda: Records.of(GroupChange, groups, ["label"])} if groups else tables

    def beside(self) -> list[str]:
        """Returns the verdict and the remarks, which do not fit in CSV."""
        return [self.headline, *self.remarks]

    def contents(self) -> dict[str, Any]:
        """Returns the verdict, every check with its difference and its conclusions, and the warnings."""
        others = (*UNPAIRED, "counted_as_zero", "in_several_groups", "warnings", "footers")
        return {
            "passed": self.passed,
            "run": self.name,
            "baseline": self.baseline,
            "alpha": self.alpha,
            "decide_by": self.decide_by,
            "headline": self.headline,
            "test": "paired t, two-sided",
            "correction": "holm" if self.compared > 1 else "none",
            "checks": [
                vars(each) | {"difference": each.difference, "reading": each.reading} for each in self.checks
            ],
            **{name: getattr(self, name) for name in others},
            "carob": __version__,
        }

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the difference and its interval for each measure with a tolerance."""
        rows = [
            (each.label, each.difference, each.low, each.high)
            for each in self.checks
            if each.kind == "max-drop"
        ]
        return {"differences": lambda drawn: whiskers(drawn, rows, "difference", zero=True)} if rows else {}

    def to_junit(self) -> str:
        """Returns JUnit XML, which every CI server can display, with one suite and a test case per check.

        Source: the schema of Jenkins's xUnit plugin. GitLab and other servers use the same element names.
        """
        from xml.etree import ElementTree as ET

        failures = sum(not each.passed for each in self.checks)
        totals = {"tests": str(len(self.checks)), "failures": str(failures), "errors": "0", "skipped": "0"}
        suites = ET.Element("testsuites", {"name": "carob gate", **totals})
        suite = ET.SubElement(suites, "testsuite", {"name": valid(self.name), **totals})
        for each in self.checks:
            case = ET.SubElement(suite, "testcase", {"classname": "carob.gate", "name": valid(each.title)})
            lines = "\n".join(detail(each))
            if each.passed:
                ET.SubElement(case, "system-out").text = valid(f"{each.verdict}\n{lines}")
            else:
                failure = ET.SubElement(case, "failure", {"message": valid(each.verdict), "type": each.kind})
                failure.text = valid(lines)
        ET.SubElement(suite, "system-out").text = valid("\n".join([self.headline, *self.remarks]))
        ET.indent(suites)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"

    def to_github(self) -> str:
        """Returns one workflow command per line: an error per failed check, and a warning per doubtful pass."""
        lines = []
        for each in self.checks:
            sentences = "\n".join([each.verdict, *detail(each)])
            if not each.passed:
                lines.append(command("error", f"carob gate: {each.title}", sentences))
            elif each.doubtful:
                lines.append(command("warning", f"carob gate: {each.title}", sentences))
        lines += [
            command("warning", "carob gate", sentence(each)) for each in (*self.unpaired, *self.warnings)
        ]
        return "".join(f"{line}\n" for line in lines)
