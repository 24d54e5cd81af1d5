"""``carob.check``: finds problems in qrels and runs, and reports their effects on the scores and remedies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from carob._dataclasses import dataclass, replace
from carob._version import __version__
from carob.conventions.request import request_of
from carob.diagnosis.check.baselines import Baseline, baselines_of, no_better, saturated
from carob.diagnosis.check.baselines import section as baseline_table
from carob.diagnosis.check.finding import ERROR, KINDS, NOTE, WARNING, Finding, Kind, found
from carob.diagnosis.check.inputs import COLUMNS, Files, known_as, taken, usual_width
from carob.diagnosis.check.lenient import (
    LENIENT,
    LenientQrels,
    RunAndQrels,
    score_together,
    with_same_judgments,
)
from carob.diagnosis.check.mismatch import QRELS_VS_RUN, RUN_VS_RUN
from carob.diagnosis.check.qrels import IN_QRELS
from carob.diagnosis.check.run import IN_ANY_RUN, IN_RUN
from carob.diagnosis.check.text import IN_TEXT, unreadable
from carob.inputs.columns import refuse_no_run
from carob.inputs.run import are_several, refuse_shared
from carob.inputs.sources import called
from carob.output.document import Document, Documented, Line, Section, Table, Terms
from carob.output.escaping import sentence
from carob.output.language import plural
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from carob.conventions.request import MeasuresLike

__all__ = ["KINDS", "Check", "Finding", "Kind", "check"]


ORDER = (ERROR, WARNING, NOTE)
MANY, SHOWN = 4, 8
"""``MANY`` or more findings of a kind are reported together, and only the first ``SHOWN`` runs are named."""


@dataclass(frozen=True, eq=False, repr=False)
class Check(Documented):
    """The findings of a check, most severe first.

    Args:
        findings: the findings.
        subjects: the names of the checked files and runs.
        baselines: the mean of each run by each measure, and the means of rankings that ignore the query.
        collections: the names of the collections; empty unless several collections were checked.

    Example:
        >>> import carob
        >>> found = carob.check({"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "a": 1.0}})
        >>> [finding.code for finding in found.findings]
        ['constant-scores', 'few-queries']
        >>> found.ok, found.exit_code
        (False, 2)
    """

    findings: tuple[Finding, ...]
    subjects: tuple[str, ...]
    baselines: tuple[Baseline, ...] = ()
    collections: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the check found neither an error nor a warning."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """The exit code: 0 if there are no warnings or errors, 1 if there are warnings, 2 if there are errors."""
        return 2 if self.count(ERROR) else 1 if self.count(WARNING) else 0

    def count(self, severity: str) -> int:
        """Returns the number of findings of a severity."""
        return sum(each.severity == severity for each in self.findings)

    def __iter__(self) -> Iterator[Finding]:
        """Iterates over the findings."""
        return iter(self.findings)

    def __len__(self) -> int:
        """Returns the number of findings."""
        return len(self.findings)

    def of(self, code: str) -> list[Finding]:
        """Returns the findings of one kind."""
        return [each for each in self.findings if each.code == code]

    def on_command_line(self) -> Check:
        """Returns the check with remedies that name options of the command line instead of arguments."""
        return replace(self, findings=tuple(each.on_command_line() for each in self.findings))

    def summary(self) -> str:
        """Returns the numbers of findings by severity, such as ``2 errors, 1 warning, 3 notes``, or ``clean``."""
        notes = plural(self.count(NOTE), "note")
        if self.ok:
            return f"clean ({notes})" if self.count(NOTE) else "clean"
        counts = [plural(self.count(ERROR), "error"), plural(self.count(WARNING), "warning")]
        return ", ".join([*counts, notes] if self.count(NOTE) else counts)

    def document(self, layout: str = "text", /) -> Document:
        """Returns a section for each finding in text, or a table of the findings in other formats."""
        summary = Section([Line(self.summary(), "verdict")])
        # With many collections, the table would show only the first runs of the first collection.
        table = [baseline_table(self.baselines)] if self.baselines and not self.collections else []
        if layout == "text":
            groups = grouped(self.findings, 2 if self.collections else MANY)
            return Document([*map(section, groups), *table, summary])
        header = ["severity", "code", "in", "what", "where", "what it does", "what to do"]
        rows = [
            (each.severity, each.code, each.place, each.what, "; ".join(each.where), each.effect, each.remedy)
            for each in self.findings
        ]
        return Document([*([Section([Table(header, rows, len(header))])] if rows else []), *table, summary])

    def contents(self) -> dict[str, Any]:
        """Returns the exit code, the number of findings of each severity, and all findings."""
        return {
            "exit_code": self.exit_code,
            "counts": {severity: self.count(severity) for severity in ORDER},
            "checked": self.subjects,
            **({"collections": self.collections} if self.collections else {}),
            "findings": self.findings,
            "baselines": self.baselines,
            "carob": __version__,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``findings`` and ``baselines``."""
        return {
            "findings": self.finding_records,
            "baselines": lambda: Records.of(Baseline, self.baselines, without=["near"]),
        }

    def finding_records(self) -> Records:
        """Returns a row for each finding."""
        several = ["collection"] if self.collections else []
        names = [*several, "severity", "code", "subject", "count", "what", "effect", "remedy"]
        return Records(names, [[getattr(each, name) for name in names] for each in self.findings])

    def beside(self) -> list[str]:
        """Returns the number of findings of each severity."""
        return [self.summary()]

    def __str__(self) -> str:
        """Returns the text without its final newline."""
        return self.to_text().rstrip("\n")


def grouped(findings: Sequence[Finding], many: int = MANY) -> list[list[Finding]]:
    """Groups the findings. If there are at least ``many`` findings of a kind, they form one group."""
    groups: dict[object, list[Finding]] = {}
    for each in findings:
        groups.setdefault((each.severity, each.code), []).append(each)
    together: list[list[Finding]] = []
    for group in groups.values():
        together += [group] if len(group) >= many else [[each] for each in group]
    return together


def section(findings: Sequence[Finding]) -> Section:
    """Returns one finding, or the same finding in many runs, as lines of text."""
    finding, *others = findings
    where, effect, label = "; ".join(filter(None, finding.where)), finding.effect, sentence(finding.place)
    lines = [Line(finding.what, indent=4)]
    if others:
        # Because all errors must be corrected, all are listed with their places.
        shown = findings if finding.severity == ERROR else findings[:SHOWN]
        lines = [Line(in_short(each), indent=4, hang=8) for each in shown]
        if len(findings) > len(shown):
            lines.append(Line(f"and {len(findings) - len(shown)} more", indent=4))
        # A file can have several findings of a kind, for example one for each measure.
        files = len({each.place for each in findings})
        where, label = "", f"{files} files" if files > 1 else label
        effect += " (The first.)" if finding.values else ""
    head = Line(f"{finding.code} in {label}", "answer", mark=f"{finding.severity}: ", tone=finding.severity)
    labels = [("where:", where), ("effect:", effect), ("to do:", finding.remedy)]
    return Section([head, *lines, Terms(labels, indent=4, role="footer", gap=1)])


def in_short(finding: Finding) -> str:
    """Describes a finding in one line of a list of findings of the same kind."""
    name = called(finding.subject) if finding.collection is None else finding.place
    where = "; ".join(filter(None, finding.where)) if finding.severity == ERROR else ""
    return f"{name}: {finding.what}" + (f" ({where})" if where else "")


def check(
    qrels: Any,
    *runs: Any,
    measures: MeasuresLike = ("AP", "nDCG@10"),
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, str | Mapping[str, str]] | None = None,
    folders: str | None = None,
    columns: Literal["equal", "trec_eval"] = "equal",
) -> Check:
    """Find problems in judgments and runs, and show their effect on the scores.

    A check always finishes: an unreadable input is reported as a finding, and all other inputs are still checked.

    Args:
        qrels: judgments in a form that ``carob.evaluate`` accepts: a path, bytes, an open binary file, a ``Qrels``, or
            ``{query: {document: grade}}``.
        runs: any number of runs, each in a form that ``carob.evaluate`` accepts; or a single ``{name: run}`` or list of
            runs.
        measures: the measures whose means show the effects of problems.
        qrels_columns: the column names of a table of judgments by role, as for ``Qrels.of``, for a file, a frame or a
            list of rows; ``words`` maps grades in words to numbers, for every form of judgments.
        run_columns: the column names of runs, as for ``Run.of``; the names for a single run are listed under the name
            of the run: ``{"query": "qid", "b": {"query": "question"}}``.
        folders: how to read files in several folders: ``parts`` or ``prefix``.
        columns: how to read lines of a run, as in ``carob.Policy``.

    Returns:
        The findings, most severe first.

    Raises:
        DataError: the same open file is given as two runs, or columns are given for a run that does not exist.
        MeasureError: a measure does not exist.
        PolicyError: ``columns`` has an unknown value.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"d1": 1, "d2": 0}}
        >>> print(carob.check(qrels, {"01": {"d1": 2.0, "d2": 1.0}}).findings[0].what)
        the run spells 1 query of 1 differently from the judgments
    """
    request = request_of(measures, None, LENIENT.changed(columns=columns))
    request = replace(request, asked={str(each): each for each in request.asked.values()})
    files = Files({"qrels": dict(qrels_columns or {}), "run": dict(run_columns or {})}, folders)
    named = runs_with_names(runs)
    refuse_no_run(files.columns["run"], [known_as(run, name) for name, run in named])
    judgments = taken(qrels, "qrels", files=files)
    texts = [taken(run, "run", name, files) for name, run in named]
    findings: list[Finding] = []
    like_judgments = [text for text in texts if usual_width(text) == COLUMNS["qrels"]]
    if len(texts) == len(like_judgments) == 1 and usual_width(judgments) >= COLUMNS["run"]:
        findings.append(found("swapped", judgments.name))
        texts = [taken(judgments.given, "run", files=files)]
        judgments = taken(like_judgments[0].given, "qrels", files=files)
    second = like_judgments if usual_width(judgments) == COLUMNS["qrels"] else []
    second = [text for text in texts if text in second]
    findings += [found("second-judgments", text.name, other=judgments.name) for text in second]
    texts = [text for text in texts if text not in second]
    judged = LenientQrels.of(judgments)
    pairs = [RunAndQrels.of(judged, text, request) for text in texts]
    for text in (judgments, *texts):
        text.read()
        findings += text.faults
        findings += [each for look in IN_TEXT for each in look(text)]
    for together in with_same_judgments(pairs):
        score_together(together)
    first = next((pair for pair in pairs if pair.matched is not None), None)
    findings += unreadable(judgments, None if judged.table is None else judged.judgments)
    if judged.table is not None:
        findings += [each for look in IN_QRELS for each in look(judged, first)]
    for pair in pairs:
        looks = (*QRELS_VS_RUN, *IN_ANY_RUN, *IN_RUN) if pair.matched is not None else IN_ANY_RUN
        findings += [each for look in looks for each in look(pair)]
    if len(pairs) > 1:
        findings += [each for look in RUN_VS_RUN for each in look(pairs)]
    baselines = baselines_of(pairs)
    findings += [*no_better(baselines), *saturated(pairs)]
    findings.sort(key=lambda each: ORDER.index(each.severity))
    names = tuple(text.name for text in (judgments, *texts, *second))
    return Check(tuple(findings), names, tuple(each for _, its in baselines for each in its))


def runs_with_names(runs: Sequence[Any]) -> list[tuple[str | None, Any]]:
    """Returns every given run, with its name if the caller passed one."""
    together = runs[0] if len(runs) == 1 and are_several(runs[0]) else runs
    refuse_shared(together)
    if isinstance(together, Mapping):
        return [(str(name), run) for name, run in together.items()]
    return [(None, run) for run in together]
