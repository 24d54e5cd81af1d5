"""What a check finds between judgments and runs: ids that one side lacks, and runs that differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.diagnosis.check import check
from diagnosis import broken
from diagnosis.checked import QRELS, codes, lines, only

if TYPE_CHECKING:
    from collections.abc import Callable
from diagnosis.checked import written


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    qrels, runs = written(tmp_path, broken.Case("note"))
    other = written(tmp_path / "more", broken.Case("note", runs=(broken.run(depth=11),)))[1]
    assert codes(check(qrels, *runs, *other)) == {"same-name"}


def test_a_missing_query_is_scored_as_nothing_and_left_out() -> None:
    finding = only("missing-queries", QRELS, lines("q2 Q0 d 1 1"))
    assert finding.values == {"counted as 0": {"AP": 0.5, "RR": 0.5}, "omitted": {"AP": 1.0, "RR": 1.0}}
    assert finding.where == ("query 'q1'",)
    assert "AP 0.5000 counted as 0, 1.0000 omitted" in finding.effect


@pytest.mark.parametrize("form", ["dict of dicts", "dict of lists", "file", "array of results"])
def test_an_empty_list_is_not_missing_to_a_check_or_to_an_evaluation(form: str, tmp_path: Path) -> None:
    qrels = {query: {"d": 1} for query in ("q1", "q2", "q3", "q4")}
    lists: Any = {"q1": ["d"], "q2": ["e", "d"], "q3": []}
    run: Any = lists
    if form == "dict of dicts":
        run = {
            query: {each: 1.0 / place for place, each in enumerate(its, 1)} for query, its in lists.items()
        }
    elif form != "dict of lists":
        rows = [{"id": query, "results": [{"id": each} for each in its]} for query, its in lists.items()]
        run = str(tmp_path / "run.json")
        Path(run).write_text(json.dumps(lists if form == "file" else rows))
    missing, unanswered = check(qrels, run).of("missing-queries") + check(qrels, run).of("unanswered-queries")
    assert missing.what == "1 missing query counted as 0, of 4 judged queries"
    assert unanswered.what == "1 query without retrieved documents, of 4 judged queries"
    assert (missing.where, unanswered.where) == (("query 'q4'",), ("query 'q3'",))
    counted, omitted = (
        carob.evaluate(qrels, run, "AP", policy=carob.Policy(missing=each)) for each in ("zero", "skip")
    )
    for each in (missing, unanswered):
        assert each.what.removesuffix(", of 4 judged queries") in counted.footer().split(" · ")
    assert missing.values["omitted"]["AP"] == omitted["AP"] == pytest.approx(0.5)
    assert missing.values["counted as 0"]["AP"] == counted["AP"] == 0.375


def test_the_remedy_for_missing_queries_says_that_the_means_rise_if_they_do() -> None:
    raises = "Omitting these queries raises the means, and carob gate does not allow it"
    assert raises in only("missing-queries", QRELS, lines("q2 Q0 d 1 1")).on_command_line().remedy
    assert "omit missing queries from the means with --missing skip. " + raises in (
        only("missing-queries", QRELS, lines("q2 Q0 d 1 1")).on_command_line().remedy
    )
    nothing = check(QRELS, lines("q2 Q0 c 1 1")).of("missing-queries")[0]
    assert raises not in nothing.remedy


def test_unjudged_documents_are_scored_with_and_without() -> None:
    run = lines("q1 Q0 x 1 3", "q1 Q0 a 2 2", "q2 Q0 d 1 2")
    finding = only("unjudged", QRELS, run)
    assert finding.values["as not relevant"]["RR"] == 0.75
    assert finding.values["removed"]["RR"] == 1.0
    assert "33%" in finding.what


def test_judgments_of_relevant_documents_alone_have_no_gap_between_runs() -> None:
    """A run that finds more has more judged documents: that is what the measures say, and no fault of the judgments."""
    good = lines("q1 Q0 a 1 2", "q1 Q0 x 2 1", "q2 Q0 d 1 2")
    poor = lines("q1 Q0 x 1 3", "q1 Q0 y 2 2", "q1 Q0 a 3 1", "q2 Q0 x 1 1")
    for nonrelevant, gap in ((b"", False), (b"q1 0 z 0\n", True), (b"q1 0 z -1\n", True)):
        found = check(b"q1 0 a 1\nq2 0 d 1\n" + nonrelevant, good, poor)
        assert ("unjudged-gap" in codes(found)) == gap
        assert ("unjudged" in codes(found)) == gap


@pytest.mark.parametrize(
    ("judged", "written"),
    [
        ("1", "01"),
        ("001", "1"),
        ("q1", "Q1"),
        ("301", "301.0"),
        ("1", "MB1"),
        ("é", "e\u0301"),
        ("7", "7\ufeff"),
    ],
)
def test_a_query_written_otherwise_is_found_and_scored(judged: str, written: str) -> None:
    run = lines(f"{written} Q0 a 1 1").replace(b"\xef\xbb\xbf", b"\xef\xbb\xbf" * 2)
    finding = only("query-spelling", f"{judged} 0 a 1\n".encode(), run)
    assert finding.values["with equal ids"]["RR"] == 1.0


@pytest.mark.parametrize(
    ("judged", "written"), [("1", "01"), ("00000000001", "1"), ("Doc-" + "x" * 30, "doc-" + "X" * 30)]
)
def test_a_document_written_otherwise_is_found_and_scored(judged: str, written: str) -> None:
    finding = only(
        "document-spelling", f"q 0 {judged} 1\n".encode(), lines("q Q0 z 1 2", f"q Q0 {written} 2 1")
    )
    assert finding.values == {"unchanged": {"AP": 0.0, "RR": 0.0}, "with equal ids": {"AP": 0.5, "RR": 0.5}}
    assert "(line 2)" in finding.where[0]


def test_documents_that_the_run_also_has_as_judged_are_no_finding() -> None:
    found = check(b"q 0 a 1\nq 0 b 0\n", lines("q Q0 A 1 3", "q Q0 a 2 2", "q Q0 B 3 1", "q Q0 b 4 0"))
    assert not found.of("document-spelling")


def test_longer_runs_are_scored_at_the_shortest_depth() -> None:
    short, long = lines("q1 Q0 b 1 1", "q2 Q0 d 1 1"), lines("q1 Q0 b 1 2", "q1 Q0 a 2 1", "q2 Q0 d 1 1")
    finding = only("list-lengths", QRELS, short, long)
    assert finding.values["whole"]["RR"] == 0.75
    assert finding.values["cut at 1"]["RR"] == 0.5


def test_a_run_of_other_documents_after_a_broken_line_is_found() -> None:
    finding = only("no-common-document", QRELS, b"q1 Q0\n" + lines("q1 Q0 other 1 1"))
    assert "ids such as 'other'" in finding.what


def test_ids_of_cacm_that_lost_their_zeros_are_found(shared: Callable[..., Path]) -> None:
    """55 lines of the judgments have ids such as 'CACM-950', which the run writes 'CACM-0950'."""
    folder = shared("data", "cacm-anserini")
    found = check(str(folder / "qrels.cacm.txt"), str(folder / "runs" / "cacm-bm25.txt"))
    assert found.count("error") == 1
    assert "'CACM-950' in the judgments, 'CACM-0950' in the run" in found.of("document-spelling")[0].where
