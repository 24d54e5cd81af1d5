"""The match, part by part: counts, chosen queries, judgment groups, orders of ties, and changes of a policy."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import _native
from carob.conventions.policy import Policy
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.runs import MatchOptions
from carob.matching.axes import MOST_ORDERS, all_orders, chosen, drawn_places, each_or_some, from_all
from carob.matching.match import (
    Counts,
    MatchedOnce,
    end_to_end,
    match,
    match_grades,
    match_judged_ranking,
    of_query,
)
from carob.output.errors import DataError, PolicyError

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"a": 2}, "q3": {"z": 1}}
RUN = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q3": {"y": 1.0}}


def test_counts_of_parts_add_up_and_missing_queries_are_sorted_by_bytes() -> None:
    first = Counts(queries=2, tied=1, missing=("\udcff", "a"), empty_for={"AP": 1, "RR": 3})
    second = Counts(queries=3, lines=7, missing=("\U0001f600",), empty_for={"AP": 2, "P": 0})
    together = first.merge(second, Counts(queries=1))
    assert (together.queries, together.tied, together.lines) == (6, 1, 7)
    assert together.missing == ("a", "\U0001f600", "\udcff")
    assert together.empty_for == {"AP": 3, "RR": 3, "P": 0}
    assert together.as_dict()["missing"] == ["a", "\U0001f600", "\udcff"]
    assert list(together.as_dict()).count("missing") == 1
    assert len(together.as_dict()) == len(together.__dict__)


def test_a_skipped_query_leaves_no_trace_but_its_name() -> None:
    found = match(Qrels.of(QRELS), Run.of(RUN), Policy(missing="skip"))
    assert list(found.queries) == [b"q1", b"q3"]
    assert found.counts.queries == 2
    assert found.counts.missing == ("q2",)
    assert found.missing.tolist() == [False, False]
    assert found.rows.length.tolist() == found.whole.length.tolist() == [3, 1]
    kept = match(Qrels.of(QRELS), Run.of(RUN), Policy())
    assert kept.missing.tolist() == [False, True, False]
    assert kept.counts.queries == 3
    assert (kept.counts.judged, kept.counts.negative, kept.counts.found, kept.counts.relevant_retrieved) == (
        3,
        1,
        3,
        1,
    )


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        ({}, 1.0),  # one of two judged documents is relevant to subtopic 1, and it is first
        ({"negative": "nonrelevant", "unjudged": "removed"}, 1.0),
        ({"judgments": "retrieved"}, 1.0),
    ],
)
def test_the_policy_reaches_judgments_by_group(policy: dict[str, Any], value: float) -> None:
    qrels = {"q": {"1": {"a": 1, "n": -1, "gone": 1}, "2": {"a": 0, "b": 1}}}
    run = {"q": {"a": 3.0, "n": 2.0, "b": 1.0}}
    asked = ["SRecall@1", "GroupAP", "AP"]
    scores = carob.evaluate(qrels, run, asked, policy=Policy(**policy))
    # Subtopic 1: a at rank 1 of 2 relevant documents, or of 1 retrieved; subtopic 2: b at rank 3, or 3 of those judged.
    of_1 = 1.0 if policy.get("judgments") == "retrieved" else 1 / 2
    of_2 = 1 / 3
    assert scores.means()["GroupAP"] == pytest.approx((of_1 + of_2) / 2)
    assert scores.means()["SRecall@1"] == value / 2


def test_reordered_ties_leave_no_groups() -> None:
    qrels = {"q": {"1": {"a": 1}, "2": {"b": 0}}}
    subtopics = Qrels.of(qrels, subtopics=True)
    found = match(subtopics, Run.of({"q": {"a": 1.0, "b": 1.0}}), Policy(ties="pessimistic"))
    assert found.rows.by_group is None
    assert found.whole.document is None
    assert found.rows.rank.tolist() == [1, 2]
    assert found.rows.grade.tolist() == [0, 1]


def test_the_judgments_of_one_query() -> None:
    qrels = Qrels.of(QRELS)
    alone = of_query(qrels, 0)
    assert alone.name == qrels.name
    assert alone.judgments.queries == [b"q1"]
    assert dict(zip(alone.judgments.documents(0), alone.judgments.grades.tolist())) == {
        b"a": 1,
        b"b": 0,
        b"c": -1,
    }
    assert alone.judgments.lines.tolist() == qrels.judgments.lines[:3].tolist()
    nothing = of_query(Qrels.of({"q": {}, "r": {"a": 1}}), 0)
    assert nothing.name == qrels.name
    assert nothing.judgments.queries == [b"q"]
    assert nothing.judgments.documents(0) == []


def test_judged_documents_in_their_order_are_a_ranking() -> None:
    found = match_judged_ranking(Qrels.of(QRELS), Policy())
    assert found.rows.length.tolist() == [3, 1, 1]
    assert found.rows.rank.tolist() == [1, 2, 3, 1, 1]
    assert found.rows.tie_first.tolist() == found.rows.tie_last.tolist() == found.rows.rank.tolist()
    assert found.rows.judged_grades.tolist() == [1, 0, 2, 1]
    assert found.rows.judged_offsets.tolist() == [0, 2, 3, 4]
    assert found.rows.grade.tolist() == [1, 0, -2, 2, 1]
    assert (found.counts.queries, found.counts.judged, found.counts.negative) == (3, 3, 1)
    assert not found.missing.any()


def test_grades_in_rank_order() -> None:
    found = match_grades([[1, None, 0], []], [[1, 0, 2], [1]], Policy())
    assert list(found.queries) == [b"1", b"2"]
    assert found.rows.length.tolist() == [3, 0]
    assert found.rows.rank.tolist() == found.rows.tie_first.tolist() == found.rows.tie_last.tolist() == [1, 3]
    assert found.rows.grade.tolist() == [1, 0]
    assert found.rows.offsets.tolist() == [0, 2, 2]
    assert found.rows.judged_grades.tolist() == [1, 0, 2, 1]
    assert found.rows.judged_offsets.tolist() == [0, 3, 4]
    assert (found.counts.judged, found.counts.queries, found.missing.any()) == (2, 2, False)
    alone = match_grades([[1, None, 0]], None, Policy())
    assert alone.rows.judged_grades.tolist() == [1, 0]
    with pytest.raises(DataError, match="There are 1 ranked lists but 2 lists of judged grades"):
        match_grades([[1]], [[1], [1]], Policy())
    with pytest.raises(DataError, match="Ranked list number 2 has 'x' at position 1"):
        match_grades([[1], ["x"]], None, Policy())  # type: ignore[list-item]
    with pytest.raises(DataError, match="List of judged grades number 1 has nan at position 2"):
        match_grades([[1]], [[1, float("nan")]], Policy())
    with pytest.raises(DataError, match="2 documents of grade 1, but has only 1 judgment"):
        match_grades([[1, 1]], [[1]], Policy())
    assert match_grades([[1, 1]], [[1]], Policy(judgments="retrieved")).rows.grade.tolist() == [1, 1]


def test_lists_end_to_end() -> None:
    values, offsets = end_to_end([[1, None], [], [2.5]], "list")
    assert values.tolist()[::2] == [1, 2.5]
    assert np.isnan(values[1])
    assert offsets.tolist() == [0, 2, 2, 3]
    assert (values.dtype, offsets.dtype) == (np.float64, np.int64)


def one_tie(size: int) -> tuple[int, bool]:
    """How many orders there are of one relevant document among so many of one score, and whether they are drawn."""
    one = np.array([1.0])
    ranks, weights, drawn = each_or_some(one, one, [np.array([0])], [(1, size)])
    assert weights.sum() == pytest.approx(1)
    return len(ranks), drawn


def test_as_many_orders_as_are_enumerated_are_not_drawn() -> None:
    assert one_tie(MOST_ORDERS) == (MOST_ORDERS, False)
    assert one_tie(MOST_ORDERS + 1) == (MOST_ORDERS, True)


def test_drawn_places_are_distinct_and_even() -> None:
    size, count = 12, 4
    assert not from_all(size, count)
    places = drawn_places(np.random.default_rng(5), size, count)
    assert places.shape == (MOST_ORDERS, count)
    assert places.dtype == np.int64
    assert all(len(set(row)) == count for row in places.tolist())
    # Each of 4,000 draws is each of 12 places with equal chance: 333 of each, pass or take five standard deviations.
    drawn = np.bincount(places.ravel(), minlength=size)
    assert len(drawn) == size
    assert abs(drawn - 4000 / 12).max() < 5 * (4000 / 12) ** 0.5
    # So is the first of each sample, and the last.
    for column in (places[:, 0], places[:, -1]):
        assert abs(np.bincount(column, minlength=size) - 1000 / 12).max() < 5 * (1000 / 12) ** 0.5


def test_changes_of_exceptions_are_told_once() -> None:
    plain, skips = Policy(), Policy(empty="skip")
    ap, rr = Policy(by_measure={"AP": {"empty": "one"}}), Policy(by_measure={"RR": {"empty": "nan"}})
    assert ap.changes(plain) == ["AP: empty one"]
    assert plain.changes(ap) == ["AP: empty zero"]
    assert ap.changes(rr) == ["AP: empty one", "RR: empty zero"]
    assert ap.changes(ap) == []
    # The axis itself says it of RR too.
    assert skips.changes(rr) == ["empty skip"]
    assert Policy(empty="skip", by_measure={"RR": {"empty": "nan"}}).changes(plain) == [
        "empty skip",
        "RR: empty nan",
    ]
    both = Policy(by_measure={"AP": {"empty": "one", "ties": "input"}})
    assert both.changes(ap) == ["AP: ties input"]
    assert ap.changes(both) == ["AP: ties trec"]


def test_judged_lines_are_counted() -> None:
    qrels = Qrels.of(b"q 0 a 1\nno grade\nq 0 b 0\n", Policy(malformed="skip"))
    counts = match_judged_ranking(qrels, Policy()).counts
    assert (counts.malformed, counts.lines, counts.judged) == (1, 3, 1)


def test_groups_follow_the_policy_and_leave_no_numbers_of_documents() -> None:
    qrels = Qrels.of({"q": {"1": {"a": 1, "n": -1}, "2": {"b": 1}}, "r": {"1": {"a": 1}}}, subtopics=True)
    run = Run.of({"q": {"a": 3.0, "n": 2.0, "b": 1.0}, "r": {"c": 1.0}})
    found = match(qrels, run, Policy())
    assert found.rows.document is None
    assert found.whole.document is None
    groups = found.rows.by_group
    assert groups is not None
    assert groups.group_offsets is not None
    assert groups.group_offsets.tolist() == [0, 2, 3]
    assert groups.judged_grades.tolist() == [1, 1, 1]
    zero = match(qrels, run, Policy(negative="nonrelevant")).rows.by_group
    assert zero is not None
    assert sorted(zero.judged_grades.tolist()) == [0, 1, 1, 1]
    kept = match(qrels, run, Policy(judgments="retrieved")).rows.by_group
    assert kept is not None
    assert kept.judged_grades.tolist() == [1, 1]


LINES = b"q1 Q0 b 1 2.0 t\nq1 Q0 x 2 1.0 t\nq1 Q0 a 3 3.0 t\nq3 Q0 y 1 1.0 t\n"


def test_known_lines_give_each_document_a_row_and_its_place() -> None:
    qrels = Qrels.of({"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"z": 2, "y": 1}})
    rows = match(qrels, Run.of(LINES), Policy(listing="known")).rows
    assert rows.offsets.tolist() == [0, 3, 3, 4]
    assert rows.rank.tolist() == [1, 2, 3, 1]
    assert rows.grade.tolist() == [1, 0, -1, 1]
    assert rows.tie_first.tolist() == rows.tie_last.tolist() == rows.rank.tolist()
    assert rows.listed is not None
    assert rows.listed.tolist() == [3, 1, 2, 1]
    assert rows.document is None
    assert match(qrels, Run.of(LINES), Policy()).rows.listed is None


def test_known_lines_of_a_document_listed_twice_are_those_that_count() -> None:
    run = b"q Q0 a 1 3.0 t\nq Q0 b 2 2.0 t\nq Q0 a 3 1.0 t\n"
    qrels = Qrels.of({"q": {"a": 1}})
    for duplicates, grades, listed in (("first", [1, -1], [1, 2]), ("last", [-1, 1], [1, 2])):
        policy = Policy(listing="known", duplicates=duplicates)  # type: ignore[arg-type]
        rows = match(qrels, Run.of(run), policy).rows
        assert rows.grade.tolist() == grades
        assert rows.listed is not None
        assert rows.listed.tolist() == listed


def test_known_lines_keep_subtopics() -> None:
    qrels = Qrels.of({"q1": {"1": {"a": 1, "b": 0}, "2": {"b": 2}}}, subtopics=True)
    plain, known = (
        match(qrels, Run.of(LINES), Policy(listing=listing)).rows.by_group  # type: ignore[arg-type]
        for listing in ("ignored", "known")
    )
    assert plain is not None
    assert known is not None
    assert known.rank.tolist() == plain.rank.tolist() == [1, 2, 2]
    assert known.grade.tolist() == plain.grade.tolist() == [1, 0, 2]


def test_an_exception_that_says_what_the_axis_says_is_no_change() -> None:
    same = Policy(by_measure={"AP": {"empty": "zero"}})
    assert Policy().changes(same) == []
    assert same.changes(Policy()) == []


class Asked:
    """A source that counts how often it is matched."""

    by_rank, alone, origin = True, False, "somewhere"

    def __init__(self) -> None:
        self.times = 0

    def match(self, judgments: object, options: MatchOptions) -> tuple[object, object, int]:
        self.times += 1
        return judgments, options, self.times

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None) -> tuple[Any, ...]:
        return queries, options, depth


def test_a_run_is_matched_once_for_each_order_of_its_documents() -> None:
    source = Asked()
    once: Any = MatchedOnce(source)  # type: ignore[arg-type]
    judgments, other = Qrels.of({"q": {"a": 1}}).judgments, Qrels.of({"q": {"a": 1}}).judgments
    options = MatchOptions(Policy())
    first = once.match(judgments, options)
    assert first == (judgments, options, 1)
    assert once.match(judgments, MatchOptions(Policy(missing="skip", empty="nan"))) is first
    for differing in (
        MatchOptions(Policy(ties="ascending")),
        MatchOptions(Policy(scores="float32")),
        MatchOptions(Policy(duplicates="max")),
        MatchOptions(Policy(depth=3)),  # duplicates are an error within the depth only
        MatchOptions(Policy(malformed="skip")),
        MatchOptions(Policy(listing="known")),
        MatchOptions(Policy(), scores=True),
    ):
        before = source.times
        assert once.match(judgments, differing)[2] == before + 1
        assert once.match(judgments, differing)[2] == before + 1
    assert once.match(judgments, MatchOptions(Policy(duplicates="max", depth=3)))[2] == 4
    assert once.match(other, options)[2] == source.times
    assert once.rankings([b"q"], options, 3) == ([b"q"], options, 3)
    assert (once.by_rank, once.alone, once.origin) == (True, False, "somewhere")


def test_every_order_of_a_tie_keeps_the_lines_and_drops_the_scores() -> None:
    run = Run.of(b"q Q0 b 1 1.0 t\nq Q0 a 2 1.0 t\n")
    rows = match(Qrels.of({"q": {"a": 1, "b": 0}}), run, Policy(listing="known"), scores=False).rows
    (orders,) = all_orders(replace(rows, scores=np.ones(2), weight=np.ones(1)))
    assert len(orders.of) == 2
    assert orders.rows.listed is not None
    assert [(1 if each else 2) for each in orders.rows.grade == 0] == orders.rows.listed.tolist()
    assert orders.rows.scores is None
    assert orders.rows.weight is None


FORMS = {
    "text": lambda run: as_text(run),
    "dicts": lambda run: run,
    "frame": lambda run: frame_of(run),
    "batches": lambda run: frame_of(run).to_reader(max_chunksize=7),
}


def as_text(run: dict[str, dict[str, float]]) -> bytes:
    lines = (
        f"{query} Q0 {document} {rank} {score} t"
        for query, its in run.items()
        for rank, (document, score) in enumerate(its.items())
    )
    return "\n".join(lines).encode()


def frame_of(run: dict[str, dict[str, float]]) -> Any:
    pa = pytest.importorskip("pyarrow")
    rows = [(query, document, score) for query, its in run.items() for document, score in its.items()]
    return pa.table(
        dict(zip(("query", "document", "score"), map(list, zip(*rows, strict=True)), strict=True))
    )


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_relevant_documents_alone_are_those_of_all_judged_ones(form: str) -> None:
    for seed in range(60):
        draw = np.random.default_rng(seed)
        documents = [f"d{number}" for number in range(40)]
        qrels = Qrels.of(
            {
                query: {
                    each: int(draw.integers(-2, 3))
                    for each in draw.permutation(documents)[: draw.integers(1, 30)]
                }
                for query in ("1", "2", "3")
            }
        )
        steps = draw.integers(1, 50)
        run = {
            query: {
                each: float(draw.integers(0, steps))
                for each in draw.permutation(documents)[: draw.integers(1, 40)]
            }
            for query in ("1", "2", "4")
        }
        ties = ("trec", "ascending", "input", "optimistic", "pessimistic")[seed % 5]
        policy = Policy(ties=ties, depth=(None, 7)[seed % 2], missing=("zero", "skip")[seed // 2 % 2])
        every = match(qrels, Run.of(FORMS[form](run)), policy)
        few = match(qrels, Run.of(FORMS[form](run)), policy, relevant_only=True)
        assert few.counts.as_dict() == every.counts.as_dict()
        for wanted, found in ((every.rows.relevant, few.rows), (every.whole.relevant, few.whole)):
            for name in (
                "length",
                "offsets",
                "rank",
                "grade",
                "tie_first",
                "tie_last",
                "judged_offsets",
                "judged_grades",
            ):
                assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name


@pytest.mark.parametrize(
    "axes", [{"ties": "expected"}, {"judgments": "retrieved"}, {"unjudged": "removed"}, {"listing": "known"}]
)
def test_policies_that_need_every_judged_document_have_all_rows(axes: dict[str, Any]) -> None:
    qrels, policy = Qrels.of(QRELS), Policy(**axes)
    every = match(qrels, Run.of(as_text(RUN)), policy)
    few = match(qrels, Run.of(as_text(RUN)), policy, relevant_only=True)
    assert few.rows.grade.tolist() == every.rows.grade.tolist()
    assert few.counts.as_dict() == every.counts.as_dict()


# ---------------------------------------------------------------- counts and errors of a match


def test_the_counts_of_a_match_are_those_of_both_files() -> None:
    qrels = Qrels.of(b"q 0 a 1\nno grade\nr 0 a 1\ns 0 a 1\n", Policy(malformed="skip"))
    lines = b"q Q0 b 1 1 t\nq Q0 a 2 2 t\nq Q0 a 3 1 t\nq Q0 c\nq Q0 d\nr Q0 x 1 1 t\nt Q0 a 1 1 t\nu Q0 a 1 1 t\n"
    run = Run.of(lines, exclude={"q": ["b"], "r": ["x"]})
    counts = match(qrels, run, Policy(malformed="skip", duplicates="first")).counts
    assert (counts.queries, counts.judged, counts.extra, counts.missing) == (3, 3, 2, ("s",))
    assert (counts.duplicates, counts.malformed, counts.excluded) == (1, 3, 2)
    assert (counts.lines, counts.found, counts.relevant_retrieved) == (8, 1, 1)
    mixed = Run.of(b"q Q0 b 1 1 t\nq Q0 a 2 2 t\nr Q0 a 1 2 t\nr Q0 b 2 1 t\n")
    assert match(qrels, mixed, Policy()).counts.unordered == 1


def test_an_empty_list_is_missing_only_where_missing_lists_are_undefined() -> None:
    qrels, run = Qrels.of({"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}), {"p": {"a": 1.0}, "q": {}}
    for missing, lacking in (("zero", ("r",)), ("skip", ("r",)), ("nan", ("q", "r"))):
        found = match(qrels, Run.of(run), Policy(missing=missing))  # type: ignore[arg-type]
        assert found.counts.missing == lacking
    values = carob.evaluate(qrels, run, "P@1", policy=Policy(missing="nan")).by_query("P@1")
    assert [str(value) for value in values.values()] == ["1.0", "nan", "nan"]


def test_missing_queries_are_refused_by_name_unless_the_whole_run_is_empty() -> None:
    qrels, error = Qrels.of(QRELS), Policy(missing="error")
    with pytest.raises(
        DataError, match=r"^run: the run lacks 1 of 3 judged queries, starting with 'q2'"
    ) as caught:
        match(qrels, Run.of(RUN), error)
    assert (caught.value.file, caught.value.query) == ("run", "q2")
    assert "Complete it, or choose policy=carob.Policy(missing='zero') or 'skip'." in str(caught.value)
    # A run without any line has an error of its own, and unjudged queries are not an empty run.
    assert len(match(qrels, Run.of({}), error).counts.missing) == 3
    for run, policy in (({"x": {"a": 1.0}}, error), ({}, Policy(missing="error", overlap="none"))):
        with pytest.raises(DataError, match="lacks 3 of 3 judged queries, starting with 'q1'"):
            match(qrels, Run.of(run), policy)
    assert match(qrels, Run.of({**RUN, "q2": {"y": 1.0}}), error).counts.missing == ()


def test_ties_are_refused_where_they_touch_a_judged_document_within_the_depth() -> None:
    qrels = Qrels.of({"p": {"a": 1}, "q": {"a": 1, "z": 0}, "r": {"b": 1}})
    run = Run.of({"p": {"a": 1.0}, "q": {"z": 3.0, "a": 2.0, "b": 2.0}, "r": {"a": 2.0, "c": 2.0, "b": 1.0}})
    with pytest.raises(
        DataError, match="query 'q' has a judged document whose score equals another"
    ) as caught:
        match(qrels, run, Policy(ties="error"))
    assert (caught.value.file, caught.value.query) == ("run", "q")
    assert match(qrels, run, Policy()).counts.tied == 1
    assert match(qrels, run, Policy(depth=2)).counts.tied == 1
    assert match(qrels, run, Policy(ties="error", depth=1)).counts.tied == 0


REPEATED = b"p Q0 a 1 9 t\np Q0 b 2 8 t\np Q0 b 3 7 t\nq Q0 c 1 5 t\nq Q0 c 2 5 t\n"


def test_a_document_listed_twice_is_refused_with_its_file_lines_query_and_document(tmp_path: Path) -> None:
    path = tmp_path / "system.run"
    path.write_bytes(REPEATED)
    qrels = Qrels.of({"p": {"a": 1}, "q": {"a": 1}})
    frame = pytest.importorskip("pyarrow").table(
        {"query": ["p"] * 3, "document": list("abb"), "score": [9, 8, 7]}
    )
    for given, name, place in (
        (str(path), str(path), "line 3: document 'b' is listed twice for query 'p' (first in line 2)"),
        (REPEATED, "<bytes>", "line 3: document 'b' is listed twice for query 'p' (first in line 2)"),
        (frame, "mine", "row 2 (from 0): document 'b' is listed twice for query 'p' (first in row 1)"),
    ):
        with pytest.raises(DataError) as caught:
            match(qrels, Run.of(given, "mine"), Policy())
        assert str(caught.value).startswith(f"{name}, {place}. ")
        assert (caught.value.query, caught.value.document) == ("p", "b")
    # Within the depth only: b is at rank 2 and 3 of the first list, c at rank 1 and 2 of the second.
    with pytest.raises(DataError, match="document 'b'"):
        match(qrels, Run.of(REPEATED), Policy(depth=3))
    with pytest.raises(DataError, match="document 'c' is listed twice for query 'q'"):
        match(qrels, Run.of(REPEATED), Policy(depth=2))
    assert match(qrels, Run.of(REPEATED), Policy(depth=1)).rows.length.tolist() == [1, 1]
    assert match(qrels, Run.of(REPEATED), Policy(duplicates="first")).counts.duplicates == 2


# ---------------------------------------------------------------- scores, given ranks and finite scores


def run_of_ranks(lists: dict[str, dict[str, int]]) -> Run:
    rows = [(query, document, rank) for query, its in lists.items() for document, rank in its.items()]
    columns = dict(zip(("query", "document", "rank"), map(list, zip(*rows, strict=True)), strict=True))
    return Run.of(pytest.importorskip("pyarrow").table(columns), "ranks")


GAPS = {"p": {"x": 2, "a": 5}, "q": {"a": 1, "y": 3, "b": 4, "z": 9}, "s": {"w": 2}}


def test_given_ranks_keep_their_gaps() -> None:
    qrels = Qrels.of({"p": {"a": 1}, "q": {"a": 1, "b": 0}, "r": {"a": 1}, "s": {"a": 1}})
    given = match(qrels, run_of_ranks(GAPS), Policy(ranks="given"))
    assert given.rows.length.tolist() == [5, 9, 0, 2]
    assert (
        given.rows.rank.tolist() == given.rows.tie_first.tolist() == given.rows.tie_last.tolist() == [5, 1, 4]
    )
    assert given.rows.scores is None
    assert given.counts.missing == ("r",)
    # Ranks are finite scores.
    finite = match(qrels, run_of_ranks(GAPS), Policy(ranks="given", retrieved="finite"))
    assert (finite.rows.length.tolist(), finite.rows.rank.tolist()) == ([5, 9, 0, 2], [5, 1, 4])
    cut = match(qrels, run_of_ranks(GAPS), Policy(ranks="given", depth=4))
    assert (cut.rows.length.tolist(), cut.rows.rank.tolist()) == ([4, 4, 0, 2], [1, 4])
    condensed = match(qrels, run_of_ranks(GAPS), Policy(ranks="given", unjudged="removed"))
    assert (condensed.rows.length.tolist(), condensed.rows.rank.tolist()) == ([1, 2, 0, 0], [1, 1, 2])
    counted = match(qrels, run_of_ranks(GAPS), Policy())
    assert counted.rows.length.tolist() == [2, 4, 0, 1]
    assert counted.rows.rank.tolist() == [2, 1, 3]
    # A run of scores has no ranks that could be given.
    of_scores = match(qrels, Run.of({"p": {"x": 9.0, "a": 5.0}}), Policy(ranks="given"))
    assert (of_scores.rows.length.tolist(), of_scores.rows.rank.tolist()) == ([2, 0, 0, 0], [2])


def test_given_ranks_are_whole_places_of_one_document_each() -> None:
    qrels, given = Qrels.of({"p": {"a": 1}, "q": {"a": 1}}), Policy(ranks="given")
    with pytest.raises(DataError, match=r"^ranks: found the rank 0, but ranks count from 1"):
        match(qrels, run_of_ranks({"p": {"a": 1, "b": 2}, "q": {"a": 0}}), given)
    with pytest.raises(DataError, match=r"^ranks: two documents of a list have the same rank"):
        match(qrels, run_of_ranks({"p": {"a": 1, "b": 2}, "q": {"a": 3, "b": 3}}), given)
    # The last rank of one list may be the first of the next.
    found = match(qrels, run_of_ranks({"p": {"x": 1, "a": 2}, "q": {"a": 2}}), given)
    assert found.rows.rank.tolist() == [2, 2]
    assert match(qrels, run_of_ranks({"p": {"a": 2}}), given).rows.length.tolist() == [2, 0]
    with pytest.raises(PolicyError, match="ranks=given, since a run of ranks has no scores"):
        match(qrels, run_of_ranks(GAPS), given, scores=True)
    assert match(qrels, run_of_ranks(GAPS), Policy(), scores=True).rows.scores is not None


def test_scores_are_kept_only_for_measures_that_need_them() -> None:
    qrels, run = Qrels.of(QRELS), Run.of(RUN)
    for policy in (Policy(), Policy(retrieved="finite"), Policy(missing="skip")):
        plain, full = match(qrels, run, policy), match(qrels, run, policy, scores=True)
        assert plain.rows.scores is None
        assert plain.whole.scores is None
        assert full.rows.scores is not None
        assert full.whole.scores is not None
        assert full.rows.scores.tolist() == full.whole.scores.tolist() == [3, 2, 1, 1]


def test_documents_with_score_minus_infinity_are_not_retrieved() -> None:
    none = -math.inf
    qrels = Qrels.of({"p": {"a": 1, "b": 0}, "q": {"a": 2, "b": 1}, "r": {"a": 1}})
    run = Run.of(
        {"p": {"a": 2.0, "b": none, "x": none}, "q": {"b": 3.0, "x": 2.0, "a": 1.0}, "r": {"a": none}}
    )
    finite = match(qrels, run, Policy(retrieved="finite"), scores=True)
    assert finite.rows.length.tolist() == [1, 3, 0]
    assert finite.rows.offsets.tolist() == [0, 1, 3, 3]
    assert finite.rows.rank.tolist() == [1, 1, 3]
    assert finite.rows.grade.tolist() == [1, 1, 2]
    assert finite.rows.scores is not None
    assert finite.rows.scores.tolist() == [2, 3, 2, 1]
    assert (finite.counts.found, finite.counts.relevant_retrieved) == (3, 3)
    plain = match(qrels, run, Policy(retrieved="finite"))
    assert (plain.rows.length.tolist(), plain.rows.rank.tolist()) == ([1, 3, 0], [1, 1, 3])
    every = match(qrels, run, Policy())
    assert every.rows.length.tolist() == [3, 3, 1]
    assert every.counts.found == 5
    above = match(qrels, Run.of({"q": {"b": 3.0, "x": 2.0, "a": 1.0}}), Policy(retrieved="finite"))
    assert above.rows.rank.tolist() == [1, 3]


class Recording:
    """A source that records the options of each match."""

    def __init__(self, held: Any) -> None:
        self.held, self.options = held, []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.held, name)

    def match(self, judgments: Any, options: MatchOptions) -> Any:
        self.options.append(options)
        return self.held.match(judgments, options)


def test_the_reader_of_a_run_gets_the_threads_and_the_progress_of_the_call() -> None:
    run, progress = Run.of(as_text(RUN)), _native.Progress()
    recording: Any = Recording(run.held)
    match(Qrels.of(QRELS), replace(run, held=recording), Policy(), progress, threads=1)
    assert progress.bytes == len(as_text(RUN))
    assert [(each.cores, each.scores, each.relevant_only) for each in recording.options] == [
        (1, False, False)
    ]


# ---------------------------------------------------------------- lists under the policy


def test_lists_are_cut_at_the_depth_before_anything_is_removed() -> None:
    qrels = Qrels.of({"p": {"a": 1, "b": 2, "c": 0}, "q": {"c": 1}})
    run = Run.of(
        {"p": {"x": 5.0, "a": 4.0, "b": 3.0, "c": 2.0}, "q": {"y": 2.0, "x": 2.0, "z": 1.0, "c": 0.0}}
    )
    cut = match(qrels, run, Policy(depth=3), scores=True)
    assert (cut.rows.length.tolist(), cut.rows.rank.tolist()) == ([3, 3], [2, 3])
    assert cut.rows.scores is not None
    assert cut.rows.scores.tolist() == [5, 4, 3, 2, 2, 1]
    assert cut.whole.length.tolist() == [4, 4]
    assert cut.counts.found == 4
    condensed = match(qrels, run, Policy(depth=3, unjudged="removed"), scores=True)
    assert (condensed.rows.length.tolist(), condensed.rows.rank.tolist()) == ([2, 0], [1, 2])
    assert condensed.rows.scores is not None
    assert condensed.rows.scores.tolist() == [4, 3]


def test_ties_of_condensed_lists_have_only_the_judged_documents() -> None:
    qrels = Qrels.of({"p": {"a": 1, "b": 0, "c": 1, "n": -1}, "q": {"a": 1, "b": 2}, "r": {"a": 1}})
    run = Run.of(
        {
            "p": {"x": 2.0, "a": 1.0, "b": 1.0, "n": 1.0, "y": 1.0, "c": 0.5},
            "q": {"b": 3.0, "a": 3.0, "x": 3.0},
            "r": {"a": 3.0},
        }
    )
    rows = match(qrels, run, Policy(unjudged="removed")).rows
    assert rows.length.tolist() == [3, 2, 1]
    assert rows.rank.tolist() == [1, 2, 3, 1, 2, 1]
    assert rows.tie_first.tolist() == [1, 1, 3, 1, 1, 1]
    assert rows.tie_last.tolist() == [2, 2, 3, 2, 2, 1]


def test_judgments_of_retrieved_documents_are_those_of_each_list() -> None:
    qrels = Qrels.of({"p": {"a": 0, "gone": 1, "n": -1}, "q": {"a": 2}, "r": {"a": 1, "b": 1}})
    run = Run.of({"p": {"a": 3.0, "n": 2.0}, "r": {"b": 1.0}})
    rows = match(qrels, run, Policy(judgments="retrieved")).rows
    assert rows.judged_grades.tolist() == [0, 1]
    assert rows.judged_offsets.tolist() == [0, 1, 1, 2]
    every = match(qrels, run, Policy(negative="nonrelevant")).rows
    assert sorted(every.judged_grades.tolist()) == [0, 0, 1, 1, 1, 2]
    zero = match(qrels, run, Policy(judgments="retrieved", negative="nonrelevant")).rows
    assert zero.judged_grades.tolist() == [0, 0, 1]
    with pytest.raises(DataError, match="1 judgment has a negative grade"):
        match(qrels, run, Policy(negative="error"))


def test_chosen_lists_keep_their_judgments_scores_and_weights() -> None:
    qrels = Qrels.of({"p": {"a": 1, "gone": 2}, "q": {"a": 2}, "r": {"b": 0, "a": 3}})
    run = Run.of({"p": {"a": 3.0, "x": 2.0}, "q": {"a": 1.0}, "r": {"y": 7.0, "b": 6.0, "a": 5.0}})
    rows = match(qrels, run, Policy(), scores=True).rows
    weighted = replace(rows, weight=np.array([1.0, 2.0, 3.0]), document=np.arange(4))
    kept = chosen(weighted, np.array([True, False, True]))
    assert (kept.length.tolist(), kept.offsets.tolist()) == ([2, 3], [0, 1, 3])
    assert (kept.rank.tolist(), kept.grade.tolist()) == ([1, 2, 3], [1, 0, 3])
    assert (kept.judged_grades.tolist(), kept.judged_offsets.tolist()) == ([1, 2, 0, 3], [0, 2, 4])
    assert kept.scores is not None
    assert kept.weight is not None
    assert kept.document is not None
    assert (kept.scores.tolist(), kept.weight.tolist()) == ([3, 2, 7, 6, 5], [1, 3])
    assert kept.document.tolist() == [0, 2, 3]


GROUPS = {
    "p": {"1": {"a": 1}},
    "q": {"1": {"a": 1, "b": 2}, "2": {"b": 1, "gone": 1, "n": -1}, "3": {"c": 0}},
    "r": {"1": {"c": 3}, "2": {"a": 1, "c": 1}},
    "s": {"1": {"z": 1}},
}


@pytest.mark.parametrize(
    ("axes", "lists", "judged"),
    [
        ({}, [0, 1, 4, 6, 7], [[1], [1, 2], [1, 1], [0], [3], [1, 1], [1]]),
        ({"missing": "skip"}, [0, 3, 5, 6], [[1, 2], [1, 1], [0], [3], [1, 1], [1]]),
        ({"negative": "nonrelevant"}, [0, 1, 4, 6, 7], [[1], [1, 2], [1, 1, 0], [0], [3], [1, 1], [1]]),
        ({"judgments": "retrieved"}, [0, 1, 4, 6, 7], [[], [1, 2], [1], [0], [3], [1, 1], []]),
    ],
)
def test_each_judgment_group_has_the_list_of_its_query(
    axes: dict[str, Any], lists: list[int], judged: list[list[int]]
) -> None:
    run = {
        "q": {"x": 9.0, "a": 8.0, "b": 7.0, "c": 6.0},
        "r": {"c": 3.0, "y": 2.0, "a": 1.0},
        "s": {"y": 1.0},
    }
    groups = match(Qrels.of(GROUPS, subtopics=True), Run.of(run), Policy(**axes)).rows.by_group
    assert groups is not None
    assert groups.group_offsets is not None
    assert groups.judged_document is not None
    assert groups.group_offsets.tolist() == lists
    first = 7 - lists[-1]
    assert groups.length.tolist() == [0, 4, 4, 4, 3, 3, 1][first:]
    assert groups.offsets.tolist() == [0, 0, 2, 3, 4, 5, 7, 7][first:]
    assert groups.rank.tolist() == groups.tie_first.tolist() == [2, 3, 3, 4, 1, 1, 3]
    assert groups.grade.tolist() == [1, 2, 1, 0, 3, 1, 1]
    assert groups.judged_offsets.tolist() == np.append(0, np.cumsum([len(each) for each in judged])).tolist()
    assert groups.judged_grades.tolist() == [grade for each in judged for grade in each]
    if not axes:  # the numbers of documents by id, descending: n, gone, c, b, a
        assert groups.judged_document.tolist() == [0, 4, 3, 3, 1, 2, 0, 0, 1, 0]


def test_skipped_queries_alone_leave_no_judgment_groups() -> None:
    nothing = match(Qrels.of(GROUPS, subtopics=True), Run.of({}), Policy(missing="skip")).rows.by_group
    assert nothing is not None
    assert (nothing.length.tolist(), nothing.rank.tolist()) == ([], [])
