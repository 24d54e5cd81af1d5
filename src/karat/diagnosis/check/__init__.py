"""``karat.check``: qrels and runs in; findings out, with what they do to the numbers and how to mend them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.diagnosis.check.finding import KINDS, Finding, Kind, found
from karat.diagnosis.check.inputs import Files, Text, head, taken
from karat.diagnosis.check.lenient import Judged, Pair
from karat.diagnosis.check.qrels import IN_QRELS
from karat.diagnosis.check.qrels_vs_run import QRELS_VS_RUN
from karat.diagnosis.check.result import ORDER, Check
from karat.diagnosis.check.run import IN_RUN
from karat.diagnosis.check.run_vs_run import RUN_VS_RUN
from karat.diagnosis.check.survey import COLUMNS
from karat.diagnosis.check.text import IN_TEXT
from karat.measures import parse_measures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.measures import Measure

__all__ = ["KINDS", "Check", "Finding", "Kind", "check"]


def check(
    qrels: Any,
    *runs: Any,
    measures: Iterable[str | Measure] = ("AP", "nDCG@10"),
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    folders: str | None = None,
) -> Check:
    """Look for what is wrong with judgments and runs, and say what it does to the numbers.

    Nothing stops a check: what cannot be read is a finding, and the rest is looked at.

    Args:
        qrels: judgments as ``karat.evaluate`` takes them: a path, bytes, an open binary file, a ``Qrels``, or
            ``{query: {document: grade}}``.
        runs: any number of runs, each as ``karat.evaluate`` takes them; or one ``{name: run}`` or list of them.
        measures: those that effects are reported in.
        qrels_columns: columns of a table of judgments by what they are, as ``Qrels.of`` takes them, where it is a path.
        run_columns: the same of runs.
        folders: what files in several folders are, as there.

    Returns:
        The findings, the worst first.

    Raises:
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> qrels = {"q1": {"d1": 1, "d2": 0}}
        >>> print(karat.check(qrels, {"01": {"d1": 2.0, "d2": 1.0}}).findings[0].what)
        written otherwise than in the judgments: 1 query of 1
    """
    asked = tuple(map(str, parse_measures([measures] if isinstance(measures, str) else list(measures))))
    files = Files({"qrels": dict(qrels_columns or {}), "run": dict(run_columns or {})}, folders)
    judgments = taken(qrels, "qrels", files=files)
    texts = [taken(run, "run", name, files) for name, run in named(runs)]
    findings: list[Finding] = []
    if len(texts) == 1 and are_swapped(judgments, texts[0]):
        findings.append(found("swapped", judgments.name, "looks like a run, and the run like judgments"))
        judgments, texts = (
            taken(texts[0].given, "qrels", files=files),
            [taken(judgments.given, "run", files=files)],
        )
    second = [text for text in texts if are_judgments(judgments, text)]
    findings += [
        found("second-judgments", text.name, f"has judgments, as {judgments.name} has") for text in second
    ]
    texts = [text for text in texts if text not in second]
    judged = Judged.of(judgments)
    pairs = [Pair.of(judged, text, asked) for text in texts]
    for text in (judgments, *texts):
        text.read()
        findings += text.faults
        findings += [each for look in IN_TEXT for each in look(text)]
    first = next((pair for pair in pairs if pair.matched is not None), None)
    findings += [each for look in IN_QRELS for each in look(judged, first)]
    for pair in pairs:
        findings += [each for table in (QRELS_VS_RUN, IN_RUN) for look in table for each in look(pair)]
    if len(pairs) > 1:
        findings += [each for look in RUN_VS_RUN for each in look(pairs)]
    findings.sort(key=lambda each: ORDER.index(each.severity))
    return Check(tuple(findings), tuple(text.name for text in (judgments, *texts, *second)))


def named(runs: Sequence[Any]) -> list[tuple[str | None, Any]]:
    """Every run that was given, with its name if it has one."""
    if len(runs) == 1:
        only = runs[0]
        if isinstance(only, (list, tuple)):
            return [(None, run) for run in only]
        if isinstance(only, Mapping) and only and all(map(is_run, only.values())):
            return [(str(name), run) for name, run in only.items()]
    return [(None, run) for run in runs]


def is_run(value: Any) -> bool:
    """Whether a value of a dict is a whole run, and not the documents of one query."""
    if not isinstance(value, Mapping):
        return not isinstance(value, (int, float, type(None)))
    return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())


def are_swapped(judgments: Text, run: Text) -> bool:
    """Whether judgments have a run's columns, and the run has those of judgments."""
    if judgments.source is None or run.source is None or not (judgments.is_file and run.is_file):
        return False
    mine, its = usual_width(judgments), usual_width(run)
    return mine >= COLUMNS["run"] and its == COLUMNS["qrels"]


def are_judgments(judgments: Text, run: Text) -> bool:
    """Whether both have the columns of judgments."""
    if judgments.source is None or run.source is None or not (judgments.is_file and run.is_file):
        return False
    return usual_width(judgments) == usual_width(run) == COLUMNS["qrels"]


def usual_width(text: Text) -> int:
    """How many columns most of the first lines have."""
    lines = [line.split() for line in head(text.source).split(b"\n")[:-1]]
    widths = [len(line) for line in lines if line]
    return max(set(widths), key=widths.count, default=0)
