"""What a gate found, and how it says so: text, Markdown, JSON, JUnit XML, GitHub annotations."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from karat._version import __version__
from karat.output.display import Display
from karat.output.escaping import json_text, markdown, sentence
from karat.output.tables import Marked, folded, lay_out
from karat.testing.gates import ci
from karat.testing.gates.checks import Verdict, shown_p

__all__ = ["Gate"]

WIDTH = 80


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Display, Verdict):
    """Whether a run may pass, with the reasons; ``str()`` of it is the whole answer.

    Args:
        name: the run.
        baseline: what it was held against.
        checks: one per measure and limit.
        alpha: a corrected p below it is not chance.
        compared: how many measures share alpha.
        only_before: queries that only the baseline has; they count in no difference.
        only_after: queries that only the run has.
        notes: what else a reader should know.
        story: the footer of the run's scores.
    """

    def to_text(self, columns: int = WIDTH) -> str:
        """The answer for a terminal or a log.

        Args:
            columns: how wide a line may be.
        """
        lines = [self.headline]
        for each in self.checks:
            lines += wrapped(f"  {'pass' if each.passed else 'FAIL'}  ", each.verdict, columns)
            for said in (each.evidence, *each.reading):
                lines += wrapped("        ", said, columns)
            lines += [
                # The id stands last: a line that began with '::' would be a command to GitHub.
                f"        {one.after - one.before:+.4f}  {one.before:.4f} to {one.after:.4f}  {sentence(one.query)}"
                for one in each.worst
            ]
        for remark in self.remarks:
            lines += wrapped("  ", remark, columns)
        return "\n".join(lines) + "\n"

    def to_markdown(self) -> str:
        """The answer as a table, the worst queries as another: for a summary page or a comment."""
        header = ["", "measure", "before", "after", "change", "limit", "95 % interval", "p", "corrected"]
        rows = [
            [
                "pass" if each.passed else Marked("FAIL", bold=True),
                each.label,
                *(f"{value:.4f}" if math.isfinite(value) else "" for value in (each.before, each.after)),
                f"{each.difference:+.4f}" if math.isfinite(each.difference) else "",
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
        text = f"**{markdown(self.headline)}**\n\n{lay_out('markdown', header, rows, 2)}\n"
        if worst:
            title = ["measure", "query that lost", "before", "after"]
            text += f"{lay_out('markdown', title, worst, 2)}\n"
        readings = [f"{each.label}: {said}" for each in self.checks for said in each.reading]
        return text + "".join(f"- {markdown(line)}\n" for line in [*readings, *self.remarks])

    def to_json(self) -> str:
        """Everything, numbers in full precision, undefined ones as null."""
        checks = [
            {
                key: None if isinstance(value, float) and not math.isfinite(value) else value
                for key, value in (
                    asdict(each) | {"difference": each.difference, "reading": each.reading}
                ).items()
            }
            for each in self.checks
        ]
        document: dict[str, Any] = {
            "passed": self.passed,
            "run": self.name,
            "baseline": self.baseline,
            "alpha": self.alpha,
            "test": "paired t, two-sided",
            "correction": "holm" if self.compared > 1 else "none",
            "checks": checks,
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
            "notes": list(self.notes),
            "scores": self.story,
            "karat": __version__,
        }
        return json_text(document) + "\n"

    def to_junit(self) -> str:
        """JUnit's XML, one test case a check, which every CI server shows."""
        return ci.junit(self)

    def to_github(self) -> str:
        """GitHub's workflow commands: an error for each failed check, a warning for each that proves little."""
        return ci.github(self)

    def __str__(self) -> str:
        """The text."""
        return self.to_text()


def wrapped(start: str, said: str, columns: int) -> list[str]:
    """A sentence in so many columns, its further lines indented as its first."""
    return folded(said, columns, " " * len(start), start).splitlines()
