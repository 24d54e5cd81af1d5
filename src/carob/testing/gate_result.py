"""Result of a gate: a check for each limit, as text, Markdown, JSON, JUnit XML and GitHub annotations."""

from __future__ import annotations

import math
from typing import Any

from carob._dataclasses import dataclass
from carob._version import __version__
from carob.comparison.verdict import listed
from carob.output.document import Document, Documented, Items, Line, Part, Section, Table
from carob.output.escaping import command, printable, sentence
from carob.output.layout import Marked, decimals
from carob.testing.record import say


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
class Check:
    """The check of one measure against one limit.

    Args:
        label: the measure.
        kind: ``max-drop`` or ``min``.
        limit: the tolerance, or the least value.
        passed: whether the run passes.
        before: the baseline's mean over the queries that both have; NaN for ``min``.
        after: the run's mean over these queries; for ``min``, over all its queries.
        low: the lower end of the 95 % interval of the difference; NaN for ``min``, and where there is none.
        high: the upper end of this interval.
        p: the two-sided p of the paired t-test.
        adjusted: the p after Holm's correction for the number of gated measures.
        detectable: the smallest difference that these queries would detect with 80 % power.
        queries: the number of queries that both have.
        worst: the queries whose values fell most.
    """

    label: str
    kind: str
    limit: float
    passed: bool
    before: float
    after: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    adjusted: float = math.nan
    detectable: float = math.nan
    queries: int = 0
    worst: tuple[Moved, ...] = ()

    @property
    def difference(self) -> float:
        """The value of the run minus the value of the baseline."""
        return self.after - self.before

    @property
    def beyond(self) -> bool:
        """Returns whether the mean fell by more than the tolerance, significantly or not."""
        return self.kind == "max-drop" and -self.difference > self.limit

    @property
    def doubtful(self) -> bool:
        """Returns whether the check passed on weak evidence: a drop beyond the tolerance, or too few queries."""
        return self.passed and (self.beyond or (self.detectable > self.limit and not self.not_inferior))

    @property
    def not_inferior(self) -> bool:
        """Whether the interval excludes a drop larger than the tolerance."""
        return self.low >= -self.limit

    @property
    def title(self) -> str:
        """The limit as a user types it."""
        return f"{self.kind} {self.label}={self.limit:g}"

    @property
    def verdict(self) -> str:
        """A sentence with the change and the limit."""
        if self.kind == "min":
            return self.said("reached" if self.passed else "below")
        key = "unchanged" if self.difference == 0 else "fell" if self.difference < 0 else "rose"
        return self.said(key, change=abs(self.difference))

    @property
    def evidence(self) -> str:
        """A sentence with the interval and the test."""
        key = "interval" if math.isfinite(self.low) else "no spread"
        key = "minimum" if self.kind == "min" else "one query" if self.queries < 2 else key
        return self.said(key, p=shown_p(self.p), adjusted=shown_p(self.adjusted))

    @property
    def reading(self) -> list[str]:
        """Explains the conclusions that the evidence allows."""
        if self.kind == "min":
            return []
        if not self.passed:
            return [self.said("failed")]
        lines = [self.said("beyond")] if self.beyond else []
        if not math.isfinite(self.low):
            return lines
        if self.not_inferior:
            # The number of queries no longer matters once the interval excludes such a drop.
            return [*lines, self.said("not inferior")]
        few = [self.said("too few")] if self.detectable > self.limit else []
        return [*lines, self.said("not shown", excluded=-self.low), *few]

    def said(self, key: str, **more: object) -> str:
        """Fills a sentence about the check with the check's fields and further values."""
        return say("gate", key, **{**vars(self), **more})


def shown_p(p: float) -> str:
    """Returns a p-value with three decimals, or an empty text for NaN."""
    if math.isnan(p):
        return ""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def detail(check: Check) -> list[str]:
    """Returns the lines under a verdict."""
    lines = [check.evidence, *check.reading]
    return lines + [
        f"{each.after - each.before:+.4f}  {each.before:.4f} to {each.after:.4f}  {sentence(each.query)}"
        for each in check.worst
    ]


def valid(text: str) -> str:
    """Removes characters that XML forbids or that control a terminal."""
    return "\n".join(map(printable, text.split("\n")))


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Documented):
    """The result of a gate: whether the run passes, with the reasons. ``str(gate)`` returns the whole text.

    Args:
        name: the run.
        baseline: the baseline's name.
        checks: a check for each measure and limit.
        alpha: a corrected p below it is significant.
        compared: the number of measures over which p is corrected.
        only_before: queries that only the baseline has, which are not part of any difference.
        only_after: queries that only the run has.
        notes: further remarks for the reader.
        story: the footer of the run's scores.
    """

    name: str
    baseline: str
    checks: tuple[Check, ...]
    alpha: float
    compared: int
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    story: str = ""

    @property
    def passed(self) -> bool:
        """Whether the run passed every check."""
        return all(each.passed for each in self.checks)

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        failed = sum(not each.passed for each in self.checks)
        doubtful = sum(each.doubtful for each in self.checks)
        unsure = f", {doubtful} of {len(self.checks)} not proven" if doubtful else ""
        count = f"all checks{unsure}" if not failed else f"{failed} of {len(self.checks)} checks"
        against = f" against {sentence(self.baseline)}" if self.baseline else ""
        return f"gate {'passed' if self.passed else 'FAILED'}: {sentence(self.name)}{against}, {count}"

    @property
    def remarks(self) -> list[str]:
        """The remarks below the checks: unpaired queries, notes, the test, and the footer of the scores."""
        lines = [
            say("gate", "unpaired", owner=owner, queries=listed(list(map(sentence, queries))))
            for queries, owner in ((self.only_before, "baseline"), (self.only_after, "run"))
            if queries
        ]
        lines += self.notes
        if self.compared:
            holm = f"Holm over {self.compared} measures"
            correction = holm if self.compared > 1 else "one measure, no correction"
            lines.append(say("gate", "test", alpha=self.alpha, correction=correction))
        return [*lines, self.story] if self.story else lines

    def document(self, layout: str = "text") -> Document:
        """Returns the verdict, with lines below each check in text, or with tables in other formats."""
        verdict, _, others = self.headline.partition(": ")
        tone = "good" if self.passed else "bad"
        parts: list[Part] = [Line(others, "answer", mark=f"{verdict}: ", tone=tone)]
        if layout == "text":
            for each in self.checks:
                word, tone = ("pass", "good") if each.passed else ("FAIL", "bad")
                parts.append(Line(each.verdict, mark=f"{word}  ", tone=tone, indent=2))
                parts += [Line(said, indent=8) for said in detail(each)]
            return Document([Section([*parts, *(Line(each, "footer", indent=2) for each in self.remarks)])])
        parts += [table for table in self.tables() if table.rows]
        readings = (f"{each.label}: {said}" for each in self.checks for said in each.reading)
        return Document([Section([*parts, Items([*readings, *self.remarks])])])

    def tables(self) -> list[Table]:
        """Returns the table of the checks, and the table of the queries whose values fell most."""
        header = ["", "measure", "before", "after", "change", "limit", "95 % interval", "p", "corrected"]
        rows = [
            [
                "pass" if each.passed else Marked("FAIL", bold=True),
                each.label,
                *(decimals(value, 4, undefined="") for value in (each.before, each.after)),
                decimals(each.difference, 4, sign=True, undefined=""),
                f"{each.kind} {each.limit:g}",
                f"{each.low:+.4f} to {each.high:+.4f}" if math.isfinite(each.low) else "",
                shown_p(each.p),
                shown_p(each.adjusted),
            ]
            for each in self.checks
        ]
        worst = [
            [each.label, sentence(one.query), f"{one.before:.4f}", f"{one.after:.4f}"]
            for each in self.checks
            for one in each.worst
        ]
        return [Table(header, rows, 2), Table(["measure", "query that lost", "before", "after"], worst, 2)]

    def as_dict(self) -> dict[str, Any]:
        """Returns the verdict, every check with its difference and its reading, and the notes."""
        return {
            "passed": self.passed,
            "run": self.name,
            "baseline": self.baseline,
            "alpha": self.alpha,
            "test": "paired t, two-sided",
            "correction": "holm" if self.compared > 1 else "none",
            "checks": [
                vars(each) | {"difference": each.difference, "reading": each.reading} for each in self.checks
            ],
            "only_before": self.only_before,
            "only_after": self.only_after,
            "notes": self.notes,
            "scores": self.story,
            "carob": __version__,
        }

    def to_junit(self) -> str:
        """Returns JUnit XML, which every CI server shows, with one suite and a test case per check.

        Source: the schema of Jenkins's xUnit plugin. GitLab and other servers read the same names.
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
        """Returns a workflow command per line: an error for a failed check, and a warning for a doubtful pass."""
        lines = []
        for each in self.checks:
            sentences = "\n".join([each.verdict, *detail(each)])
            if not each.passed:
                lines.append(command("error", f"carob gate: {each.title}", sentences))
            elif each.doubtful:
                lines.append(command("warning", f"carob gate: {each.title}", sentences))
        lines += [command("warning", "carob gate", sentence(each)) for each in self.notes]
        return "".join(f"{line}\n" for line in lines)
