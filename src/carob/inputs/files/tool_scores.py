"""Reads scores from the files of tools that do not write tables: evaluations of TIRA and Kibana."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.inputs.errors import refused
from carob.inputs.nested import Inner, value_at
from carob.output.parsing import json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from carob.inputs.files.header import NumberedLines

Row = dict[str, Any]
NAMES = ("query", "measure", "value")
MEAN = "all"
"""The word that trec_eval writes in the column of query ids for a mean."""


@dataclass(frozen=True)
class ToolScores:
    """The rows of a file with the columns ``query``, ``measure``, ``value`` and, if there are several runs, ``run``.

    Args:
        rows: each row, preceded by its place as the fields of an error.
        smaller: the measures for which the file states that smaller values are better.
        repeated: the largest number of repetitions that were averaged into one value.
    """

    rows: Sequence[tuple[Row, Row]]
    smaller: frozenset[str] = frozenset()
    repeated: int = 1


# ---------------------------------------------------------------- TIRA

# evaluation.prototext is written by tira.io_utils.to_prototext in the package tira. evaluation-per-query.prototext is
# written by TIRA's ir-measures evaluator; its blocks have query_id and measure instead of key.
BLOCK = re.compile(r"measure\s*:?\s*\{([^{}]*)\}")
FIELD = re.compile(r'(\w+)\s*:\s*(?:"((?:[^"\\\n]|\\.)*)"|([^\s"{},;]+))')


def is_prototext(first: str) -> bool:
    """Returns whether a first line begins a block of TIRA's measures."""
    return re.match(r"measure\s*:?\s*\{", first) is not None


def prototext_rows(text: str, file: str) -> Iterator[tuple[Row, Row]]:
    """Yields a row for each block of TIRA's measures.

    Raises:
        DataError: there is text between blocks, or a block has no measure or no value.
    """
    line, end = 1, 0
    for found in BLOCK.finditer(text):
        refuse_rest(text[end : found.start()], file, line)
        line += text.count("\n", end, found.start())
        fields = {name: quoted or bare for name, quoted, bare in FIELD.findall(found[1])}
        place: Row = {"file": file, "line": line}
        measure = fields.get("measure") or fields.get("key")
        if not measure or "value" not in fields:
            raise refused(
                'a measure has no {lacking}: expected blocks such as measure {{ key: "nDCG@10" value: "0.5" }}.',
                "Is the file complete?",
                lacking="value" if measure else "key",
                **place,
            )
        yield place, dict(zip(NAMES, (fields.get("query_id", MEAN), measure, fields["value"]), strict=True))
        line, end = line + text.count("\n", found.start(), found.end()), found.end()
    refuse_rest(text[end:], file, line)


def refuse_rest(rest: str, file: str, line: int) -> None:
    """Refuses text between two blocks, unless it is blank.

    Args:
        rest: the text between two blocks.
        file: the file.
        line: the line on which the text begins.

    Raises:
        DataError: the text is not blank.
    """
    if rest.strip():
        before = rest[: len(rest) - len(rest.lstrip())].count("\n")
        raise refused(
            'found "{found}", expected blocks such as measure {{ key: "nDCG@10" value: "0.5" }}.',
            "Is the file complete?",
            found=rest.strip().partition("\n")[0][:40],
            file=file,
            line=line + before,
        )


# ---------------------------------------------------------------- Kibana's evaluations

# The format is EvaluationScoreDocument in x-pack/platform/packages/shared/kbn-evals-common/impl/schemas of
# github.com/elastic/kibana.
LISTS = ("hits.hits", "scores")
"""The paths of the documents in an answer of Elasticsearch or Kibana."""


def kibana_scores(lines: NumberedLines, document: Any, file: str) -> ToolScores | None:
    """Returns the scores that Kibana's evaluations (``@kbn/evals``) wrote for each example, or None for other files.

    The documents are in a list, one per line, or in an answer of Elasticsearch or Kibana. The query is the example, and
    the measure is the evaluator. The name of the run is the identifier of the run, the model of the task, or both,
    whichever is needed to distinguish the runs; a single run has no name. The value is the mean over repetitions.

    Args:
        lines: the lines of the file.
        document: the value of the file, or None if the file is not a single JSON value.
        file: the file, for errors.

    Raises:
        DataError: the answer does not contain all the documents that were found, or a document lacks a required field.
    """
    if '"evaluator"' not in lines.text or '"example"' not in lines.text:
        return None
    if document is None:
        found: Iterable[tuple[Row, Any]] = (
            ({"file": file, "line": number}, json_or_none(line, file=file, line=number))
            for number, line in lines
        )
    else:
        found = (({"file": file, "row": number}, each) for number, each in enumerate(documents_in(document)))
    # The document of a hit of Elasticsearch, or the document itself.
    documents = [
        (place, each.get("_source", each) if isinstance(each, Mapping) else each) for place, each in found
    ]
    if not documents or not is_score(documents[0][1]):
        return None
    refuse_part(document, len(documents), file)
    return summed([fields_in(each, place) for place, each in documents])


def documents_in(document: Any) -> list[Any]:
    """Returns the score documents in the JSON value of a file."""
    if isinstance(document, list):
        return document
    its = (at(document, path) for path in LISTS)
    return next((each for each in its if isinstance(each, list)), [document])


def at(value: Any, path: str) -> Any:
    """Returns the value at a path of field names joined by dots, or None."""
    return value_at(value, Inner.of(tuple(path.split("."))))


def is_score(document: Any) -> bool:
    """Returns whether a document is the score of an example."""
    parts = all(isinstance(at(document, each), Mapping) for each in ("example", "task", "evaluator"))
    return parts and (at(document, "run_id") or at(document, "experiment_id")) is not None


def refuse_part(document: Any, there: int, file: str) -> None:
    """Refuses an answer with only some of the documents that were found. Elasticsearch returns 10 by default.

    Raises:
        DataError: the answer states that more documents were found.
    """
    total = at(document, "hits.total.value") or at(document, "total")
    if isinstance(total, int) and total > there:
        raise refused(
            "the answer contains only {there} of {total} scores.",
            "Request all scores from Elasticsearch, with a larger size.",
            there=there,
            total=total,
            file=file,
        )


@dataclass(frozen=True)
class ScoreDocument:
    """The parts of one score document.

    Args:
        place: the place of the document, as the fields of an error.
        run: the identifier of the run.
        model: the model of the task.
        query: the data set and the example.
        measure: the evaluator.
        repetition: the number of the repetition.
        value: the score, or None.
        smaller: whether smaller scores are better.
    """

    place: Row
    run: str
    model: str
    query: tuple[str, str]
    measure: str
    repetition: Any
    value: float | None
    smaller: bool


def fields_in(document: Any, place: Row) -> ScoreDocument:
    """Returns the parts of a score document.

    Raises:
        DataError: a field is missing.
    """
    lacking = next((each for each in ("example.id", "evaluator.name") if not at(document, each)), None)
    if lacking is None and "score" not in at(document, "evaluator"):
        lacking = "evaluator.score"
    if lacking is not None:
        raise refused(
            "the document has no '{field}', which each score of Kibana's evaluations has.",
            "Add it, or remove the document.",
            field=lacking,
            **place,
        )
    score = at(document, "evaluator.score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise refused(
            "the document's evaluator.score is not a number: '{found}'.",
            "Correct it, or write null.",
            found=str(score)[:40],
            **place,
        )
    run = at(document, "run_id") or at(document, "metadata.execution_id") or at(document, "experiment_id")
    return ScoreDocument(
        place,
        str(run),
        str(at(document, "task.model.id")),
        (str(at(document, "example.dataset.id")), str(at(document, "example.id"))),
        str(at(document, "evaluator.name")),
        at(document, "task.repetition_index"),
        score,
        at(document, "evaluator.direction") == "minimize",
    )


def summed(parts: Sequence[ScoreDocument]) -> ToolScores:
    """Returns a row for each run, evaluator and example. Its value is the mean over repetitions.

    Evaluators that write only labels and no scores are omitted.
    """
    names = run_names({(each.run, each.model) for each in parts})
    several = len({each.query for each in parts}) > len({each.query[1] for each in parts})
    scored = {each.measure for each in parts if each.value is not None}
    groups: dict[tuple[Any, ...], dict[Any, ScoreDocument]] = {}
    again = count()
    for each in parts:
        if each.measure in scored:
            query = "/".join(each.query) if several else each.query[1]
            key: tuple[Any, ...] = (names[each.run, each.model], query, each.measure)
            if each.repetition in groups.get(key, ()):
                key = (*key, next(again))  # the reader of the rows refuses a repeated row
            groups.setdefault(key, {})[each.repetition] = each
    rows = []
    for (run, query, measure, *_), its in groups.items():
        row = dict(
            zip(NAMES, (query, measure, mean_of_those([each.value for each in its.values()])), strict=True)
        )
        rows.append((next(iter(its.values())).place, row if run is None else {"run": run, **row}))
    smaller = frozenset(each.measure for each in parts if each.smaller)
    return ToolScores(rows, smaller, max(map(len, groups.values()), default=1))


def run_names(pairs: set[tuple[str, str]]) -> dict[tuple[str, str], str | None]:
    """Returns the name of each run by its identifier and model, or None if there is only one run."""
    if len(pairs) == 1:
        return dict.fromkeys(pairs)
    if len({run for run, _ in pairs}) == len(pairs):
        return {pair: pair[0] for pair in pairs}
    if len({model for _, model in pairs}) == len(pairs):
        return {pair: pair[1] for pair in pairs}
    return {pair: " ".join(pair) for pair in pairs}


def mean_of_those(values: Sequence[float | None]) -> float | None:
    """Returns the mean of the values that are not None, or None if there are no such values."""
    there = [each for each in values if each is not None]
    return math.fsum(there) / len(there) if there else None
