"""All documents of one query in rank order: as the match ranks them, whatever the policy does to their order."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings

from carob import DataError, Policy, Qrels, Run, _native
from carob.conventions.policy import CHOICES
from carob.lists.flat import fill
from carob.matching.match import match, of_query, ranking_of
from strategies import examples, judgments, runs

if TYPE_CHECKING:
    from pathlib import Path

RUN = b"""\
2 Q0 z 1 9 t
1 Q0 a 1 1.5 t
1 Q0 b 2 2.5 t
1 Q0 c 3 1.5 t
# a comment
1 Q0 d 4 7 t
2 Q0 b 9 1 t
1 Q0 e 9 1.5 t
"""


def test_documents_and_scores_by_hand() -> None:
    documents, scores = _native.ranked_documents(RUN, b"1")
    assert documents == [b"d", b"b", b"e", b"c", b"a"]
    assert scores.tolist() == [7, 2.5, 1.5, 1.5, 1.5]
    assert _native.ranked_documents(RUN, b"1", ties="ascending")[0] == [b"d", b"b", b"a", b"c", b"e"]
    assert _native.ranked_documents(RUN, b"1", ties="input")[0] == [b"d", b"b", b"a", b"c", b"e"]
    assert _native.ranked_documents(RUN, b"3") == ([], pytest.approx([]))


def test_the_rank_column_settles_ties() -> None:
    run = b"1 Q0 a 3 1 t\n1 Q0 b 1 1 t\n1 Q0 c 2 1 t\n"
    assert _native.ranked_documents(run, b"1", ties="rank-column")[0] == [b"b", b"c", b"a"]


@pytest.mark.parametrize(
    ("policy", "documents", "scores"),
    [("first", [b"b", b"a"], [2, 1]), ("last", [b"a", b"b"], [3, 2]), ("max", [b"a", b"b"], [3, 2])],
)
def test_duplicates(policy: str, documents: list[bytes], scores: list[float]) -> None:
    run = b"1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n1 Q0 a 1 3 t\n"
    found, values = _native.ranked_documents(run, b"1", duplicates=policy)
    assert (found, values.tolist()) == (documents, scores)


def test_kept_duplicates_keep_both_ranks() -> None:
    found, values = _native.ranked_documents(b"1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n1 Q0 a 1 3 t\n", b"1")
    assert (found, values.tolist()) == ([b"a", b"b", b"a"], [3, 2, 1])


def test_float32_makes_ties() -> None:
    run = b"1 Q0 a 1 1.00000001 t\n1 Q0 b 1 1 t\n"
    assert _native.ranked_documents(run, b"1")[0] == [b"a", b"b"]
    assert _native.ranked_documents(run, b"1", float32=True)[0] == [b"b", b"a"]


def test_a_bad_line_is_named_also_behind_many_blocks() -> None:
    good = b"".join(b"1 Q0 document%d 1 %d t\n" % (each, each) for each in range(200_000))
    with pytest.raises(_native.LineError) as caught:
        _native.ranked_documents(good + b"\n1 Q0 x 1 nonsense t\n", b"1")
    assert (caught.value.line, caught.value.data_line) == (200_002, 200_001)
    documents, _ = _native.ranked_documents(good + b"1 Q0 x 1 nonsense t\n", b"1", lenient=True)
    assert documents[:2] == [b"document199999", b"document199998"]
    assert len(documents) == 200_000


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(RUN)
    assert _native.ranked_documents(os.fspath(path), b"2")[0] == [b"z", b"b"]
    with pytest.raises(OSError, match="No such file"):
        _native.ranked_documents(os.fspath(tmp_path / "none"), b"2")
    with pytest.raises(ValueError, match="ties must be one of"):
        _native.ranked_documents(RUN, b"2", ties="none")


def lines(run: dict[str, dict[str, float]]) -> bytes:
    rows = [f"{query} Q0 {doc} 1 {score} t\n" for query, docs in run.items() for doc, score in docs.items()]
    return "".join(rows).encode()


@settings(max_examples=examples(30), deadline=None)
@given(judgments(), runs())
@pytest.mark.long
def test_the_grades_of_the_documents_are_those_of_the_match(qrels: dict, run: dict) -> None:
    for ties in [each for each in CHOICES["ties"] if each not in ("rank-column", "rank", "error")]:
        for axes in (
            {},
            {"unjudged": "removed"},
            {"negative": "nonrelevant"},
            {"scores": "float32"},
            {"depth": 2},
        ):
            policy = Policy(ties=ties, **axes)
            try:
                judged = Qrels.of(qrels, policy)
                found = match(judged, Run.of(run), policy)
            except DataError:
                assume(False)
            for query in found.queries:
                check_ranking(judged, run, query, policy)


def check_ranking(judged: Qrels, run: dict, query: bytes, policy: Policy) -> None:
    alone = of_query(judged, judged.judgments.queries.index(query))
    rows = fill(match(alone, Run.of(run), policy).rows)
    grades = rows.grade.tolist()
    mine = [ranking_of(alone, Run.of(each), policy, grades) for each in (run, lines(run))]
    assert mine[0] == mine[1]
    scores = run.get(query.decode(), {})
    known = dict(zip(alone.judgments.documents(0), alone.judgments.grades.tolist()))
    assert len(mine[0].documents) == len(mine[0].scores) == len(grades) == len(set(mine[0].documents))
    assert list(mine[0].scores) == sorted(mine[0].scores, reverse=True)
    for document, score, grade in zip(mine[0].documents, mine[0].scores, grades):
        assert scores[document] == score
        own = known.get(document.encode(), -1.0)
        assert max(own, -1.0) == max(grade, -1.0) or (
            policy.negative == "nonrelevant" and own < 0 and grade == 0
        )
