"""Result of a check as text, Markdown, JSON and a data frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat._version import __version__
from karat.diagnosis.check.finding import ERROR, NOTE, WARNING, Finding, plural
from karat.inputs.run import short
from karat.output.display import Display
from karat.output.escaping import json_text, sentence
from karat.output.tables import folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Check"]

WIDTH = 80
ORDER = (ERROR, WARNING, NOTE)
MANY, SHOWN = 4, 8
"""A finding in at least ``MANY`` runs is reported once, with the first ``SHOWN`` runs by name."""


@dataclass(frozen=True, eq=False, repr=False)
class Check(Display):
    """The findings of a check, the worst first.

    Args:
        findings: what was found.
        subjects: the files and runs that were looked at.

    Example:
        >>> import karat
        >>> found = karat.check({"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 1.0}})
        >>> [finding.code for finding in found.findings]
        ['constant-scores', 'few-queries']
        >>> found.ok, found.exit_code
        (False, 2)
    """

    findings: tuple[Finding, ...]
    subjects: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there is neither an error nor a warning."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """0 if clean (there may be notes), 1 with warnings, 2 with errors."""
        return 2 if self.count(ERROR) else 1 if self.count(WARNING) else 0

    def count(self, severity: str) -> int:
        """How many findings are so severe."""
        return sum(each.severity == severity for each in self.findings)

    def __iter__(self) -> Iterator[Finding]:
        """The findings."""
        return iter(self.findings)

    def __len__(self) -> int:
        """How many findings there are."""
        return len(self.findings)

    def of(self, code: str) -> list[Finding]:
        """The findings of one kind."""
        return [each for each in self.findings if each.code == code]

    def on_command_line(self) -> Check:
        """The same in the command line's words: remedies are options, not arguments."""
        return Check(tuple(each.on_command_line() for each in self.findings), self.subjects)

    def summary(self) -> str:
        """``2 errors, 1 warning, 3 notes``, or ``clean``."""
        notes = plural(self.count(NOTE), "note")
        if self.ok:
            return f"clean ({notes})" if self.count(NOTE) else "clean"
        counts = [plural(self.count(ERROR), "error"), plural(self.count(WARNING), "warning")]
        return ", ".join([*counts, notes] if self.count(NOTE) else counts)

    def to_text(self, columns: int = WIDTH) -> str:
        """For a terminal: each finding with its places, effect and remedy.

        Args:
            columns: how wide a line may be.
        """
        blocks = ["\n".join(block(each, columns)) for each in grouped(self.findings)]
        return "\n\n".join([*blocks, self.summary()]) + "\n"

    def to_markdown(self) -> str:
        """A table with a row for each finding, and the summary."""
        from karat.output.tables import lay_out

        if not self.findings:
            return self.summary() + "\n"
        rows = [
            [
                each.severity,
                each.code,
                each.subject,
                each.what,
                "; ".join(each.where),
                each.effect,
                each.remedy,
            ]
            for each in self.findings
        ]
        header = ["severity", "code", "in", "what", "where", "what it does", "what to do"]
        return lay_out("markdown", header, rows, len(header)) + "\n" + self.summary() + "\n"

    def to_json(self) -> str:
        """Everything, for programs."""
        document = {
            "exit_code": self.exit_code,
            "errors": self.count(ERROR),
            "warnings": self.count(WARNING),
            "notes": self.count(NOTE),
            "checked": list(self.subjects),
            "findings": [each.as_dict() for each in self.findings],
            "karat": __version__,
        }
        return json_text(document) + "\n"

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame with a row for each finding.

        Args:
            backend: ``pandas``, ``polars``, ``pyarrow`` …; the first of these that is installed, if None.

        Raises:
            DataError: no data frame library is installed.
        """
        import narwhals as nw

        from karat.evaluation.scores import first_installed

        names = ("severity", "code", "subject", "count", "what", "effect", "remedy")
        columns = {name: [getattr(each, name) for each in self.findings] for name in names}
        library: Any = backend or first_installed()
        return nw.from_dict(columns, backend=library).to_native()

    def __str__(self) -> str:
        """As ``to_text`` has it, without the last newline."""
        return self.to_text().rstrip("\n")


def grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Findings one by one; the same one in many runs together."""
    groups: dict[object, list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.severity, each.code), []).append(each)
    together: list[list[Finding]] = []
    for group in groups.values():
        together += [group] if len(group) >= MANY else [[each] for each in group]
    return together


def block(findings: Sequence[Finding], columns: int) -> list[str]:
    """A finding, or the same one in many runs, as lines for a terminal."""
    finding = findings[0]
    if len(findings) > 1:
        head = f"{finding.severity}: {finding.code} in {len(findings)} files"
        lines = [head]
        for each in findings[:SHOWN]:
            lines += wrapped(f"{short(each.subject)}: {each.what}", columns, 4, 8)
        if len(findings) > SHOWN:
            lines += wrapped(f"and {len(findings) - SHOWN} more", columns, 4, 8)
        effect = f"{finding.effect} (The first.)" if finding.values else finding.effect
        return lines + labelled([("effect:", effect), ("to do:", finding.remedy)], columns)
    where = "; ".join(each for each in finding.where if each)
    lines = [
        f"{finding.severity}: {finding.code} in {sentence(finding.subject)}",
        *wrapped(finding.what, columns, 4, 4),
    ]
    parts = [("where:", where), ("effect:", finding.effect), ("to do:", finding.remedy)]
    return lines + labelled(parts, columns)


def labelled(parts: list[tuple[str, str]], columns: int) -> list[str]:
    """Those of the parts that are there, each behind its word."""
    return [line for word, text in parts if text for line in wrapped(f"{word:8}{text}", columns, 4, 12)]


def wrapped(text: str, columns: int, first: int, others: int) -> list[str]:
    """Text in lines, indented."""
    return folded(text, columns, " " * others, " " * first).splitlines()
