"""The course of a check: read each text, go through the tables of findings, put the worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from karat.diagnosis.check.finding import Finding, found
from karat.diagnosis.check.grades import IN_JUDGMENTS
from karat.diagnosis.check.inputs import Files, Text, head, taken
from karat.diagnosis.check.judging import Judged
from karat.diagnosis.check.listing import IN_LINES
from karat.diagnosis.check.overlap import BETWEEN
from karat.diagnosis.check.pairing import Pair
from karat.diagnosis.check.rankings import IN_RANKINGS
from karat.diagnosis.check.result import ORDER, Check
from karat.diagnosis.check.several import BETWEEN_RUNS
from karat.diagnosis.check.survey import COLUMNS
from karat.diagnosis.check.texts import IN_TEXTS
from karat.measures import parse_measures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from karat.measures import Measure

__all__ = ["examined"]


def examined(
    qrels: Any, runs: Sequence[Any], measures: Iterable[str | Measure], files: Files | None = None
) -> Check:
    """Look at judgments and runs; see ``karat.check``."""
    asked = tuple(map(str, parse_measures([measures] if isinstance(measures, str) else list(measures))))
    files = files or Files()
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
        findings += [each for look in IN_TEXTS for each in look(text)]
    first = next((pair for pair in pairs if pair.matched is not None), None)
    findings += [each for look in IN_JUDGMENTS for each in look(judged, first)]
    for pair in pairs:
        findings += [
            each for table in (BETWEEN, IN_LINES, IN_RANKINGS) for look in table for each in look(pair)
        ]
    if len(pairs) > 1:
        findings += [each for look in BETWEEN_RUNS for each in look(pairs)]
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
