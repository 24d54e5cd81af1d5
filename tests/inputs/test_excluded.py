"""Documents that are taken out of a run: those below them move up, in every form of run and of pairs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, DataWarning, Policy, PolicyError, Run
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

JUDGED = {"u": {"a": 1, "b": 2, "c": 0}, "v": {"d": 1}}
SHOWN = {
    "u": {"s": 9.0, "a": 8.0, "t": 7.0, "x": 7.0, "b": 7.0, "c": 1.0},
    "v": {"s": 3.0, "d": 2.0, "y": 1.0},
}
SEEN = {"u": ["s", "t", "c"], "v": {"s": 5}, "w": ["z"]}
LEFT = {"u": {"a": 8.0, "x": 7.0, "b": 7.0}, "v": {"d": 2.0, "y": 1.0}}
MEASURES = ["AP", "RR", "nDCG@2", "P@2", "Bpref", "NumRet", "Judged@2", "AUC(micro=true)"]


@pytest.mark.parametrize("ties", ["trec", "ascending", "input", "optimistic", "pessimistic", "expected"])
def test_a_run_without_seen_documents_is_the_run_that_never_had_them(ties: Any, tmp_path: Path) -> None:
    policy = Policy(ties=ties)
    wanted = carob.evaluate(JUDGED, LEFT, MEASURES, policy=policy)
    text = "".join(f"{q} Q0 {d} 0 {s} t\n" for q, its in SHOWN.items() for d, s in its.items()).encode()
    for run in (SHOWN, text):
        found = carob.evaluate(JUDGED, run, MEASURES, policy=policy, exclude=SEEN)
        assert found.matrix.tolist() == wanted.matrix.tolist()
        assert found.bounds == wanted.bounds
        assert found.counts.excluded == 4
        assert "4 documents excluded" in found.footer()
    run = Run.of(SHOWN, exclude=SEEN)
    assert carob.curve("P", JUDGED, run, at=[1, 2])["P"] == carob.curve("P", JUDGED, LEFT, at=[1, 2])["P"]
    explained = str(carob.explain("AP", JUDGED, run, "u", policy=Policy()))
    assert "3 documents retrieved" in explained


@pytest.mark.long
def test_random_runs_without_seen_documents_are_those_that_never_had_them() -> None:
    draw = np.random.default_rng(11)
    for _ in range(60):
        queries = [f"q{number}" for number in range(4)]
        every = [f"d{number}" for number in range(12)]
        run = {q: {d: float(draw.integers(4)) for d in every if draw.random() < 0.7} for q in queries}
        qrels = {
            q: {d: int(draw.integers(-1, 3)) for d in every if draw.random() < 0.4} | {"e": 1}
            for q in queries
        }
        seen = {q: [d for d in every if draw.random() < 0.3] for q in queries}
        left = {q: {d: s for d, s in its.items() if d not in seen[q]} for q, its in run.items()}
        for axes in ({}, {"ties": "expected"}, {"unjudged": "removed"}, {"depth": 3}):
            policy = Policy(overlap="none", **axes)
            wanted = carob.evaluate(qrels, left, MEASURES[:-1], policy=policy)
            found = carob.evaluate(qrels, run, MEASURES[:-1], policy=policy, exclude=seen)
            assert found.matrix.tolist() == wanted.matrix.tolist()


def test_a_tie_below_every_judged_rank_takes_nothing_from_the_next_query() -> None:
    qrels = {"q1": {"z": 1}, "q2": {"c": 1}}
    first = dict.fromkeys(["z", "x1", "x2", "x3", "x4"], 1.0)
    run = {"q1": first, "q2": {"w": 3.0, "y": 2.0, "c": 1.0}}
    found = carob.evaluate(qrels, run, "AP", policy=Policy(ties="pessimistic"), exclude={"q2": ["w", "y"]})
    assert found.by_query("AP") == {"q1": pytest.approx(1 / 5), "q2": 1.0}


def test_a_query_without_judgments_stays_one_where_documents_are_excluded() -> None:
    qrels: Any = {"p": {}, "q": {"b": 1}, "r": {}}
    run = {"p": {"a": 1.0}, "q": {"a": 2.0, "b": 1.0}}
    wanted = carob.evaluate(qrels, {"p": {"a": 1.0}, "q": {"b": 1.0}}, "RR")
    found = carob.evaluate(qrels, run, "RR", exclude={"q": ["a"]})
    assert found.by_query("RR") == wanted.by_query("RR") == {"p": 0.0, "q": 1.0, "r": 0.0}
    assert (found.counts.missing, found.counts.excluded) == (("r",), 1)


def test_ranks_as_given_do_not_move_up_and_are_refused() -> None:
    frames = pytest.importorskip("polars", reason="a run of ranks is a frame")
    run = frames.DataFrame({"query": ["q"] * 3, "document": ["a", "b", "c"], "rank": [1, 2, 3]})
    qrels, seen = {"q": {"c": 1}}, {"q": ["a", "b"]}
    assert carob.evaluate(qrels, run, "RR", exclude=seen)["RR"] == 1.0
    with pytest.raises(PolicyError, match="exclude cannot be combined with ranks=given"):
        carob.evaluate(qrels, run, "RR", policy=Policy(ranks="given"), exclude=seen)


@pytest.mark.parametrize("text", ["q d\nq\n", "q 0 d\n", "q 0 d 1\nq 0 e\n"])
def test_pairs_that_cannot_be_read_have_the_sentence_of_their_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "seen.txt"
    path.write_text(text)
    for given in (str(path), text.encode()):
        with pytest.raises(DataError) as caught:
            Run.of({"q": {"d": 1.0}}, exclude=given)
        assert "line " in str(caught.value)
        assert "grade=1" not in str(caught.value)
        assert "columns have no names" not in str(caught.value)


def test_pairs_come_from_an_open_file_too() -> None:
    run = {"q": {"d": 2.0, "e": 1.0}}
    assert carob.evaluate({"q": {"e": 1}}, run, "RR", exclude=io.BytesIO(b"q 0 d 1\n"))["RR"] == 1.0


def test_documents_excluded_in_two_steps_are_counted_together() -> None:
    once = Run.of(SHOWN, exclude={"u": ["s", "t"]})
    found = carob.evaluate(JUDGED, once, "RR", exclude={"u": ["c"], "v": ["s"]})
    assert found.counts.excluded == 4
    text = Run.of(b"u Q0 a 1 1 t\n", exclude={"u": ["s"]})
    assert Run.of(text, exclude={"u": ["t"]}).source is not None


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ({"q": [152]}, "the document '152', but the run has '00152'; leading zeros"),
        ({"Q": ["00152"]}, "the query 'Q'"),
    ],
)
def test_pairs_that_match_nothing_are_not_silent(seen: Any, told: str) -> None:
    qrels, run = {"q": {"b": 1}}, {"q": {"00152": 2.0, "b": 1.0}}
    with pytest.warns(DataWarning, match=told):
        found = carob.evaluate(qrels, run, "RR", exclude=seen)
    assert "0 documents excluded" in found.footer()
    # What the run does not list need not be in it: the footer says it, and nobody is warned.
    other = carob.evaluate(qrels, run, "RR", exclude={"q": ["elsewhere"]})
    assert (other.warnings, "0 documents excluded" in other.footer()) == ((), True)
    assert "excluded" not in carob.evaluate(qrels, run, "RR").footer()


def test_seen_documents_come_from_a_file_in_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("polars", reason="reads CSV")
    names = {name: str(tmp_path / name) for name in ("qrels.txt", "own.run", "seen.csv", "seen.txt")}
    (tmp_path / "qrels.txt").write_text("u 0 a 1\nv 0 d 1\n")
    (tmp_path / "own.run").write_text("u Q0 s 1 2 t\nu Q0 a 2 1 t\nv Q0 d 1 1 t\n")
    (tmp_path / "seen.csv").write_text("userId,itemId\nu,s\n")
    (tmp_path / "seen.txt").write_text("u 0 s 1\n")
    for seen in ("seen.csv", "seen.txt"):
        path = names["qrels.txt"], names["own.run"], "--exclude", names[seen]
        assert command("eval", "-m", "RR", *path, "--record", str(tmp_path / "record.json")) == 0
        assert "1 document excluded" in capsys.readouterr().out
        assert carob.verify(str(tmp_path / "record.json")).equal
        assert command("gate", "--min", "RR=1", *path) == 0
        assert command("explain", "RR", "--query", "u", *path) == 0
        assert "1 document retrieved" in capsys.readouterr().out


def test_seen_items_leave_lists_of_ids_and_recommendations() -> None:
    scores = carob.evaluate_ids([["a", "b"], ["c"]], [["b"], ["c"]], "RR", exclude=[["a"], []], name="mine")
    assert (scores.name, scores.by_query("RR")) == ("mine", {"1": 1.0, "2": 1.0})
    with pytest.raises(DataError, match="2 lists of retrieved ids but 1 of excluded"):
        carob.evaluate_ids([["a"], ["c"]], [["b"], ["c"]], "RR", exclude=[["a"]])
    lists, seen = {"u": ["s", "a", "b"], "v": ["c", "s"]}, {"u": ["s"], "v": ["c"], "w": ["b"]}
    left = {"u": ["a", "b"], "v": ["s"]}
    names = ["NumItems@1", "Personalisation@1", "Entropy", "Novelty@1"]
    train = {"u": ["a"], "v": ["s", "q"], "w": ["s"]}
    found = carob.beyond_accuracy(lists, names, exclude=seen, train=train)
    wanted = carob.beyond_accuracy(left, names, train=train)
    assert dict(found) == dict(wanted)
    assert "2 excluded" in str(found)
