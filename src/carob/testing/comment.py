"""A gate's comment on a pull request, in Markdown: verdict, largest losses, noise, and age of the baseline."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING

from carob.output.document import Document, Items, Line, Section, Table
from carob.output.language import filled
from carob.output.layout import decimals

if TYPE_CHECKING:
    from carob.testing.gate_result import Gate, GateCheck

MARK = "<!-- carob gate -->\n"
"""The first line of each comment, which identifies the comment that the next one replaces."""


def comment_of(found: Gate, made: date | None = None) -> str:
    """Returns the comment for a gate that reached a verdict.

    Args:
        found: the result of the gate.
        made: the date on which the baseline was created.
    """
    header = ["", "measure", "baseline", "now", "change", "interval", "limit"]
    rows = [
        [
            outcome(each),
            each.label,
            *(decimals(value, 4, undefined="–") for value in (each.before, each.after)),
            decimals(each.difference, 4, sign=True, undefined="–"),
            f"{each.low:+.4f} to {each.high:+.4f}" if math.isfinite(each.low) and each.kind != "min" else "–",
            f"{each.kind} {each.limit:g}",
        ]
        for each in found.checks
    ]
    lost = [
        [each.label, one.query, f"{one.before:.4f}", f"{one.after:.4f}", f"{one.after - one.before:+.4f}"]
        for each in found.checks
        for one in each.worst
    ]
    noises = [noise(each) for each in found.checks if math.isfinite(each.detectable)]
    notes = [*noises, *aged(found, made), *found.remarks]
    sections = [Section([Line(found.headline, "answer"), Table(header, rows, 2)])]
    if lost:
        header = ["measure", "query", "baseline", "now", "change"]
        sections.append(Section([Table(header, lost, 2)], "queries that lost most"))
    return MARK + Document([*sections, Section([Items(notes)], "noise and baseline")]).to("markdown")


def outcome(check: GateCheck) -> str:
    """Returns the verdict on a check in a word or two."""
    if not check.passed:
        return "FAIL"
    if check.kind == "max-drop" and check.significant:
        return "better" if check.difference > 0 else "worse, tolerated"
    return "pass, not proven" if check.doubtful else "pass"


def noise(check: GateCheck) -> str:
    """Returns the sentence about the size of differences that chance alone causes with these queries."""
    return filled(
        "{label}: {queries:query/queries} detect a change of {detectable:.4f} or more with 80% power. Smaller changes "
        "may be noise.",
        **vars(check),
    )


def aged(found: Gate, made: date | None) -> list[str]:
    """Returns the sentence about the age of the baseline, if it is known."""
    if made is None or not found.baseline:
        return []
    days = (date.today() - made).days
    old = "today" if days < 1 else filled("{count:day} ago", count=days)
    return [f"The baseline, {found.baseline}, was made on {made.isoformat()}, {old}."]
