"""All documents of one query in rank order: as the match ranks them, whatever the policy does to their order."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings

from carob import DataError, Policy, Qrels, Run, _native
from carob.conventions.policy import CHOICES
from carob.inputs.runs import MatchOptions
from carob.lists.flat import fill
from carob.matching.match import match, of_query, rankings_of
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


def ranked_documents(source: Any, query: bytes, **options: Any) -> Any:
    return _native.rankings(source, [query], **options)[0]


def test_documents_and_scores_by_hand() -> None:
    documents, scores = ranked_documents(RUN, b"1")
    assert documents == [b"d", b"b", b"e", b"c", b"a"]
    assert scores.tolist() == [7, 2.5, 1.5, 1.5, 1.5]
    assert ranked_documents(RUN, b"1", ties="ascending")[0] == [b"d", b"b", b"a", b"c", b"e"]
    assert ranked_documents(RUN, b"1", ties="input")[0] == [b"d", b"b", b"a", b"c", b"e"]
    assert ranked_documents(RUN, b"3") == ([], pytest.approx([]))


def test_the_rank_column_settles_ties() -> None:
    run = b"1 Q0 a 3 1 t\n1 Q0 b 1 1 t\n1 Q0 c 2 1 t\n"
    assert ranked_documents(run, b"1", ties="rank-column")[0] == [b"b", b"c", b"a"]


@pytest.mark.parametrize(
    ("policy", "documents", "scores"),
    [("first", [b"b", b"a"], [2, 1]), ("last", [b"a", b"b"], [3, 2]), ("max", [b"a", b"b"], [3, 2])],
)
def test_duplicates(policy: str, documents: list[bytes], scores: list[float]) -> None:
    run = b"1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n1 Q0 a 1 3 t\n"
    found, values = ranked_documents(run, b"1", duplicates=policy)
    assert (found, values.tolist()) == (documents, scores)


def test_kept_duplicates_keep_both_ranks() -> None:
    found, values = ranked_documents(b"1 Q0 a 1 1 t\n1 Q0 b 1 2 t\n1 Q0 a 1 3 t\n", b"1")
    assert (found, values.tolist()) == ([b"a", b"b", b"a"], [3, 2, 1])


def test_float32_makes_ties() -> None:
    run = b"1 Q0 a 1 1.00000001 t\n1 Q0 b 1 1 t\n"
    assert ranked_documents(run, b"1")[0] == [b"a", b"b"]
    assert ranked_documents(run, b"1", float32=True)[0] == [b"b", b"a"]


def test_a_bad_line_is_named_also_behind_many_blocks() -> None:
    good = b"".join(b"1 Q0 document%d 1 %d t\n" % (each, each) for each in range(200_000))
    with pytest.raises(_native.LineError) as caught:
        ranked_documents(good + b"\n1 Q0 x 1 nonsense t\n", b"1")
    assert (caught.value.line, caught.value.data_line) == (200_002, 200_001)
    documents, _ = ranked_documents(good + b"1 Q0 x 1 nonsense t\n", b"1", lenient=True)
    assert documents[:2] == [b"document199999", b"document199998"]
    assert len(documents) == 200_000


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(RUN)
    assert ranked_documents(os.fspath(path), b"2")[0] == [b"z", b"b"]
    with pytest.raises(OSError, match="No such file"):
        ranked_documents(os.fspath(tmp_path / "none"), b"2")
    with pytest.raises(ValueError, match="ties must be one of"):
        ranked_documents(RUN, b"2", ties="none")


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
    mine = [rankings_of([alone], Run.of(each), policy, [grades])[0] for each in (run, lines(run))]
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


def test_several_queries_are_ranked_in_one_pass_down_to_a_depth() -> None:
    passes = []

    class Counting(io.BytesIO):
        is_slow = False

        def rewind(self) -> None:
            passes.append(self.seek(0))

    found = _native.rankings(Counting(RUN), [b"2", b"none", b"1"], 2)  # type: ignore[arg-type]
    assert [(documents, scores.tolist()) for documents, scores in found] == [
        ([b"z", b"b"], [9, 1]),
        ([], []),
        ([b"d", b"b"], [7, 2.5]),
    ]
    assert len(passes) <= 1


@pytest.mark.parametrize("form", ["text", "file", "dict", "frame", "without"])
def test_each_source_ranks_several_queries(form: str, tmp_path: Path) -> None:
    run = {"1": {"a": 1.5, "b": 2.5, "c": 1.5}, "2": {"z": 9.0, "b": 1.0}}
    path = tmp_path / "run.txt"
    path.write_bytes(lines(run))
    if form == "frame":
        pandas = pytest.importorskip("pandas")
        rows = [(query, document, score) for query, its in run.items() for document, score in its.items()]
        held = Run.of(pandas.DataFrame(rows, columns=["query", "document", "score"])).held
    else:
        held = Run.of({"text": lines(run), "file": path}.get(form, run)).held
    wanted = [([b"b", b"c"], [2.5, 1.5]), ([b"z", b"b"], [9.0, 1.0])]
    if form == "without":
        held = Run.of(run, exclude={"1": ["b"]}).held
        wanted[0] = ([b"c", b"a"], [1.5, 1.5])
    assert held.rankings([b"1", b"2"], MatchOptions(Policy()), 2) == wanted


def test_a_run_is_split_by_query_whatever_separates_its_columns() -> None:
    run = b"\xef\xbb\xbf2 Q0 z 1 9 t\n# 2 Q0 x\n\n1 Q0 a 1 1 t\r\n2 Q0 y 2 8 t\nan id\tQ0\tb\t1\t1\tt"
    assert _native.lines_of(run, [b"an id", b"2", b"3", b"1"]) == [
        b"an id\tQ0\tb\t1\t1\tt\n",
        b"2 Q0 z 1 9 t\n2 Q0 y 2 8 t\n",
        b"",
        b"1 Q0 a 1 1 t\r\n",
    ]


def test_a_pool_has_the_judged_documents_first_and_then_those_of_runs_in_the_order_of_lines() -> None:
    judged = Qrels.of({"2": {"b": 2}, "1": {"e": 0}, "9": {"x": 1}}).judgments
    pool = _native.Pool(judged, -3.0)
    pool.take(RUN)
    pool.take_rows([b"2", b"1", b"unjudged"], [b"new", b"a", b"q"])
    found = pool.finish()
    assert found.queries == [b"1", b"2", b"9"]
    assert found.documents(0) == [b"e", b"a", b"b", b"c", b"d"]
    assert found.documents(1) == [b"b", b"z", b"new"]
    assert found.documents(2) == [b"x"]
    assert found.grades.tolist() == [0, -3, -3, -3, -3, 2, -3, -3, 1]
    with pytest.raises(_native.LineError):
        pool.take(b"1 Q0 x 1 nonsense t\n")
    with pytest.raises(ValueError, match="the same length"):
        pool.take_rows([b"1"], [])
    with pytest.raises(ValueError, match="finite"):
        _native.Pool(judged, float("nan"))
