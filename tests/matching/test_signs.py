"""Signs that a run is not what it seems: ranks, distances, equal or infinite scores, other ids."""

from __future__ import annotations

import json
import math
import unicodedata
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob import DataError, DataWarning, Policy, Qrels, Run, _native
from carob.cli import main
from carob.matching.match import match
from carob.matching.signs import Lean
from conftest import SHARED
from strategies import examples, first

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::carob.DataWarning")

IDS = [f"d{number:02}" for number in range(12)]
QRELS = {query: {"d00": 1, "d01": 1, "d05": 0, "d11": 0} for query in ("p", "q", "r")}
"""In the lists below, d00 is best: its rank is 1."""
MIXED = [7, 2, 11, 0, 5, 9, 1, 10, 3, 8, 6, 4]
"""An order of documents that neither rises nor falls."""

Scored = dict[str, dict[str, float]]


def scored(score: Callable[[int], float], order: Any = range(12)) -> Scored:
    """Lists in which the document at rank 1, 2, 3 … has a score by this rank, with their rows in another order."""
    return {query: {IDS[each]: float(score(each + 1)) for each in order} for query in QRELS}


def text(
    run: Scored, rank: Callable[[int, float], object] = lambda row, score: 0, *, mixed: bool = False
) -> bytes:
    """The lists as TREC text, perhaps with the queries' lines mixed, and a rank made of row and score."""
    rows = [(q, d, s, row) for q, its in run.items() for row, (d, s) in enumerate(its.items(), 1)]
    rows = sorted(rows, key=lambda row: row[3]) if mixed else rows
    return "".join(f"{q}\tQ0\t{d}\t{rank(row, s)}\t{s!r}\tt\n" for q, d, s, row in rows).encode()


def framed(run: Scored, library: str) -> Any:
    """The lists as a data frame."""
    pytest.importorskip("narwhals")
    module = pytest.importorskip(library, reason=f"{library} makes the frame")
    rows = [(q, d, s) for q, its in run.items() for d, s in its.items()]
    columns = dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows))))
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def said(run: Any, qrels: Any = QRELS, **how: Any) -> str:
    """What is said about a run, in one line."""
    return " ".join(carob.evaluate(qrels, run, "AP", **how).warnings)


# ---------------------------------------------------------------- ranks and distances

RANKS: dict[str, Scored] = {
    "in their order": scored(lambda rank: rank),
    "shuffled": scored(lambda rank: rank, MIXED),
    "1.5, 2.5, 3.5": scored(lambda rank: rank + 0.5, MIXED),
    "1, 3, 5": scored(lambda rank: 2 * rank - 1, MIXED),
    "10, 20, 30": scored(lambda rank: 10 * rank, MIXED),
    "from 0": scored(lambda rank: rank - 1, MIXED),
    "shares": scored(lambda rank: rank / 12, MIXED),
    "one list is right": {**scored(lambda rank: rank, MIXED), "q": scored(lambda rank: 13 - rank)["q"]},
}
DISTANCES: dict[str, Scored] = {
    "distances": scored(lambda rank: 0.1 * rank**2),
    "one over the score": scored(lambda rank: 1 / (20 - rank)),
    "with ties": scored(lambda rank: rank // 2 + 0.5),
}
FORMS: dict[str, Callable[[Scored], Any]] = {
    "dict": lambda run: run,
    "text": text,
    "text in which queries are mixed": lambda run: text(run, mixed=True),
    "pandas": lambda run: framed(run, "pandas"),
    "pyarrow": lambda run: framed(run, "pyarrow"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", RANKS)
def test_ranks_given_as_scores_are_said_in_any_order_of_rows(case: str, form: str) -> None:
    with pytest.warns(DataWarning, match=r"the scores are 1, 2, 3 ….*upside down"):
        scores = carob.evaluate(QRELS, FORMS[form](RANKS[case]), "RR")
    assert scores.by_query("RR")["p"] == 1 / 11  # d01, the last but one
    assert len(scores.warnings) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", DISTANCES)
def test_distances_in_ascending_order_are_said(case: str, form: str) -> None:
    assert "the scores rise from row to row in 3 of 3 lists, like ranks or distances, but" in said(
        FORMS[form](DISTANCES[case])
    )


def test_distances_beside_lists_of_ids_in_json_lines_are_said(tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    rows = [
        {"query_id": query, "retrieved_ids": list(its), "scores": list(its.values())}
        for query, its in DISTANCES["distances"].items()
    ]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "like ranks or distances, but" in said(tmp_path / "run.jsonl")


RIGHT: dict[str, Any] = {
    "points of a vote": scored(lambda rank: 13 - rank),
    "points of a vote, in order of ids": scored(lambda rank: 13 - rank, range(11, -1, -1)),
    "points of a vote, shuffled": scored(lambda rank: 13 - rank, MIXED),
    "points of a vote, shuffled text with ranks": text(
        scored(lambda rank: 13 - rank, MIXED), lambda row, score: int(13 - score)
    ),
    "lists of two": {query: {"d11": 1.0, "d00": 2.0} for query in QRELS},
    "few and short lists": {"p": {"d00": 1.0, "d05": 2.0, "d11": 3.0}},
    "whole scores with a gap": {
        query: {**its, "d00": 13.0} for query, its in scored(lambda rank: 13 - rank, MIXED).items()
    },
    "whole scores with a tie": {
        query: {**its, "d11": 3.0} for query, its in scored(lambda rank: 13 - rank, MIXED).items()
    },
    "best last": text(scored(lambda rank: 20 - rank**1.1, range(11, -1, -1)), lambda row, score: 13 - row),
    "best last, without ranks": scored(lambda rank: 20 - rank**1.1, range(11, -1, -1)),
    "ranks below 0": scored(lambda rank: -rank, MIXED),
    "lists of ids": dict.fromkeys(QRELS, IDS),
}
"""Runs that are as they should be."""


@pytest.mark.parametrize("case", RIGHT)
def test_of_scores_that_are_right_nothing_is_said(case: str) -> None:
    assert not said(RIGHT[case])


def test_a_column_that_the_caller_names_is_refused_if_it_holds_ranks_in_any_order() -> None:
    for library in ("pandas", "pyarrow"):
        for order in (range(12), MIXED):
            frame = framed(scored(lambda rank: rank, order), library)
            named = (
                frame.rename(columns={"score": "place"})
                if library == "pandas"
                else frame.rename_columns(["query_id", "doc_id", "place"])
            )
            with pytest.raises(DataError, match=r"'place' are 1, 2, 3 … or other .*score='place!'"):
                carob.evaluate(QRELS, Run.of(named, score="place"), "AP")
            assert carob.evaluate(QRELS, Run.of(named, rank="place"), "RR")["RR"] == 1


FOUND = {query: {"d00": 1, "d01": 2, "d03": 1, "d05": 0} for query in ("p", "q", "r")}
"""Judgments by which the best documents of the lists are relevant."""
UPSIDE_DOWN: dict[str, Scored] = {
    "distances": scored(lambda rank: 0.1 * rank**2, MIXED),
    "distances below 0": scored(lambda rank: rank**1.5 - 90, MIXED),
    "logarithms of ranks": scored(lambda rank: math.log(rank), MIXED),
    "averaged ranks": scored(lambda rank: (rank + 1) // 2 * 2 - 0.5, MIXED),
    "ranks with gaps": scored(lambda rank: rank + 3 * (rank > 4), MIXED),
}
"""Runs in which nothing but the relevant documents shows that the lowest score is the best."""
BELOW = (
    "run: relevant documents are nearer to the end than to the top in 3 of 3 lists, far more than by chance, and the "
    "highest score comes first"
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", UPSIDE_DOWN)
def test_a_run_upside_down_is_said_whatever_its_scores_look_like(case: str, form: str) -> None:
    run = UPSIDE_DOWN[case]
    assert said(FORMS[form](run), FOUND).count("upside down") == 1
    negated = {query: {each: -score for each, score in its.items()} for query, its in run.items()}
    assert not said(FORMS[form](negated), FOUND)
    (found,) = carob.check(FOUND, FORMS[form](run)).of("relevant-last")
    assert (found.severity, found.count) == ("error", 3)


def test_the_lean_of_lists_is_a_linear_rank_test() -> None:
    # Ranks 12, 11 and 9 of 12 with grades 1, 2 and 1, from their middle: 5.5 + 2 · 4.5 + 2.5 = 17. The variance over
    # all orders is (1 + 4 + 1 - 4² / 12) · 12 · 13 / 12 = 182 / 3.
    qrels, run = Qrels.of(FOUND), Run.of(UPSIDE_DOWN["distances"])
    lean = Lean.of(match(qrels, run, Policy()).whole)
    assert lean.below.tolist() == [True] * 3
    assert lean.excess == pytest.approx(17 / (182 / 3) ** 0.5 * 3**0.5)
    equal = match(qrels, Run.of(scored(lambda rank: 1.0)), Policy()).whole
    assert Lean.of(equal).of_lists.tolist() == [0.0] * 3
    every = Qrels.of({query: dict.fromkeys(IDS, 2) for query in FOUND})
    nothing = Lean.of(match(every, run, Policy()).whole)
    assert (nothing.lists, nothing.excess) == (0, 0.0)


def test_a_rank_column_that_counts_the_worst_as_1_does_not_hide_distances() -> None:
    for library in ("pandas", "pyarrow"):
        frame = both_columns(UPSIDE_DOWN["distances"], lambda row, score: 13 - (10 * score) ** 0.5, library)
        assert BELOW in said(frame, FOUND)


@pytest.mark.parametrize("form", ["polars", "duckdb"])
def test_an_engine_s_run_upside_down_is_said(form: str) -> None:
    pytest.importorskip("polars")
    frame = framed(UPSIDE_DOWN["distances"], "polars")
    lazy = pytest.importorskip("duckdb").sql("select * from frame") if form == "duckdb" else frame.lazy()
    assert BELOW in said(Run.of(lazy, extract="engine"), FOUND)


def log_of(run: dict[str, dict[str, float]]) -> list[dict[str, Any]]:
    """The run as a log, whose relevant documents are the same for each query."""
    return [
        {
            "query_id": query,
            "retrieved_ids": list(its),
            "scores": list(its.values()),
            "reference_ids": ["d00", "d01", "d03"],
        }
        for query, its in run.items()
    ]


def test_logs_and_collections_say_it(tmp_path: Path) -> None:
    run = UPSIDE_DOWN["logarithms of ranks"]
    assert "upside down" in " ".join(carob.evaluate(log_of(run), measures="AP").warnings)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text(
            "".join(f"{q} 0 {d} {g}\n" for q, its in FOUND.items() for d, g in its.items())
        )
        (tmp_path / name / "sys.run").write_bytes(text(run))
    with pytest.warns(DataWarning, match="nearer to the end"):
        carob.evaluate_collections(
            {
                name: (str(tmp_path / name / "qrels.txt"), {"sys": str(tmp_path / name / "sys.run")})
                for name in ("one", "two")
            },
            "AP",
        )


# ---------------------------------------------------------------- some lists only


def parts(lists: int, wrong: int, score: Callable[[int], float], order: Any = MIXED) -> tuple[Any, Scored]:
    """Judgments and a good run, of which the first lists, as from another shard, have a score by the rank."""
    good = {IDS[each]: 20.0 - (each + 1) ** 1.1 for each in order}
    bad = {IDS[each]: float(score(each + 1)) for each in order}
    queries = [f"q{number:02}" for number in range(lists)]
    run = {query: dict(bad if at < wrong else good) for at, query in enumerate(queries)}
    return dict.fromkeys(queries, FOUND["p"]), run


SOME: dict[str, tuple[Callable[[int], float], Any]] = {
    "distances": (lambda rank: 0.1 * rank**2, MIXED),
    "distances, in their order": (lambda rank: 0.1 * rank**2, range(12)),
    "ranks": (lambda rank: rank, MIXED),
    "ranks, in their order": (lambda rank: rank, range(12)),
    "distances of the best last": (lambda rank: 0.1 * rank**2, range(11, -1, -1)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", [8, 5])
@pytest.mark.parametrize("case", SOME)
def test_a_part_of_the_lists_upside_down_is_said(case: str, wrong: int, form: str) -> None:
    qrels, run = parts(16, wrong, *SOME[case])
    found = said(FORMS[form](run), qrels)
    assert f"in {wrong} of 16 lists" in found
    assert "upside down" in found
    assert "every list" not in found
    checked = carob.check(qrels, FORMS[form](run))
    assert [each.count for each in checked if each.severity == "error"] == [wrong]
    assert not said(FORMS[form](parts(16, 0, *SOME[case])[1]), qrels)


def test_a_part_of_the_lists_upside_down_is_said_by_each_face(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, run = parts(16, 8, lambda rank: 0.1 * rank**2)
    good = parts(16, 0, lambda rank: 0.0)[1]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text(
            "".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items())
        )
        (tmp_path / name / "bad.run").write_bytes(text(run))
        (tmp_path / name / "good.run").write_bytes(text(good))
    paths = [str(tmp_path / "one" / each) for each in ("qrels.txt", "bad.run", "good.run")]
    for words in (
        ["eval", *paths, "--format", "csv"],
        ["compare", *paths, "-m", "AP"],
        ["best", *paths, "-m", "AP", "--resamples", "20"],
        ["plan", *paths, "-m", "AP", "--difference", "0.1"],
        ["gate", *paths[:2], "--min", "AP=0"],
        ["eval", "--collections", str(tmp_path), "-m", "AP"],
    ):
        main(words)
        out, err = capsys.readouterr()
        assert "far nearer to the end than by chance in 8 of 16 lists, such as the list of query 'q00'" in (
            " ".join((out + err).split())
        ), words
    lazy = pytest.importorskip("polars").DataFrame(
        [(q, d, s) for q, its in run.items() for d, s in its.items()],
        schema=["query_id", "doc_id", "score"],
        orient="row",
    )
    assert "in 8 of 16 lists" in said(Run.of(lazy.lazy(), extract="engine"), qrels)
    assert "in 8 of 16 lists" in " ".join(carob.evaluate(log_of(run), measures="AP").warnings)


# ---------------------------------------------------------------- no false alarm

LENGTHS = {
    "two, one relevant": (2, 1),
    "three, one relevant": (3, 1),
    "three, two relevant": (3, 2),
    "ten, one relevant": (10, 1),
    "ten, three relevant": (10, 3),
    "twelve, nine relevant": (12, 9),
    "fifty, five relevant": (50, 5),
}


def drawn(
    draw: np.random.Generator,
    lists: int,
    length: int,
    relevant: int,
    lean: float = 0.0,
    *,
    counting: bool = False,
    ascending: bool = True,
) -> tuple[Any, Scored]:
    """Judgments, and lists in which relevant documents are ``lean`` deviations higher.

    The rows are in ascending order of score, or begin with the relevant documents.
    """
    run: Scored = {}
    for number in range(lists):
        own = draw.normal(size=length) + lean * (np.arange(length) < relevant)
        rows = sorted(zip(own.tolist(), range(length)))
        its = {each: float(place) if counting else score for place, (score, each) in enumerate(rows, 1)}
        run[f"q{number}"] = {f"d{each}": its[each] for each in (its if ascending else sorted(its))}
    grades = {f"d{each}": int(each < relevant) for each in range(length)}
    return dict.fromkeys(run, grades), run


def rate(draws: int, **how: Any) -> float:
    """How often a system is said to be upside down."""
    draw = np.random.default_rng(7)
    return (
        sum("upside down" in said(run, qrels) for qrels, run in (drawn(draw, **how) for _ in range(draws)))
        / draws
    )


@pytest.mark.thorough
@pytest.mark.parametrize("ascending", first([False, True], 1))
@pytest.mark.parametrize("counting", first([False, True], 1))
@pytest.mark.parametrize("lists", first([3, 10, 4, 30], 2))
@pytest.mark.parametrize("case", LENGTHS)
def test_random_systems_are_said_to_be_upside_down_in_one_of_20_draws_at_most(
    case: str, lists: int, counting: bool, ascending: bool
) -> None:
    length, relevant = LENGTHS[case]
    how = {"counting": counting, "ascending": ascending}
    assert rate(max(examples(300), 120), lists=lists, length=length, relevant=relevant, **how) <= 0.05


@pytest.mark.thorough
@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize(("lists", "least"), [(5, 0.7), (10, 0.95), (25, 1.0)])
def test_distances_and_ranks_of_middling_systems_are_found(lists: int, least: float, counting: bool) -> None:
    """Their relevant documents are one standard deviation above others, which makes nDCG about 0.6."""
    assert (
        rate(max(examples(300), 60), lists=lists, length=20, relevant=4, lean=-1.0, counting=counting)
        >= least
    )


def test_lists_in_ascending_order_are_told_unless_something_shows_them_to_be_right() -> None:
    for lean, told in ((0.0, True), (-2.0, True), (2.0, False)):
        qrels, run = drawn(np.random.default_rng(3), 12, 20, 4, lean)
        scores = carob.evaluate(qrels, run, "AP")
        assert ("12 lists in ascending order of score" in scores.footer()) is told
        assert scores.counts.rising == 12 * told
        assert bool(scores.warnings) is (lean < 0)
        other = {query: {each: -score for each, score in its.items()} for query, its in run.items()}
        two = carob.compare(qrels, {"one": run, "two": other}, "AP")
        assert ("in ascending order of score" in str(two)) is told
    ranked = text(run, lambda row, score: 21 - row)
    assert "ascending" not in carob.evaluate(qrels, ranked, "AP").footer()


@pytest.mark.parametrize("scores", [(1.0, 2.0), (0.2, 0.3, 0.7), (1.0, 2.0, 3.0)])
def test_short_lists_of_relevant_documents_from_the_worst_to_the_best_are_right(
    scores: tuple[float, ...],
) -> None:
    run = {f"q{each}": dict(zip("abc", scores)) for each in range(30)}
    every = {query: dict.fromkeys("abc", 1) for query in run}
    assert not said(run, every)
    last = "abc"[len(scores) - 1]
    nearly = {query: its | ({"a": 0} if query in ("q1", "q2") else {}) for query, its in every.items()}
    assert not said(run, nearly)
    wrong = {query: {**its, last: 0} for query, its in every.items()}
    assert "upside down" in said(run, wrong)


def test_points_of_a_vote_are_right_also_where_relevant_documents_come_anywhere() -> None:
    points = scored(lambda rank: 13 - rank, MIXED)
    weak = {"p": {"d06": 1}, "q": {"d03": 1}, "r": {"d09": 1}}  # ranks 7, 4 and 10
    assert not said(points, weak)
    for library in ("pandas", "pyarrow"):
        frame = framed(points, library)
        named = (
            frame.rename(columns={"score": "borda"})
            if library == "pandas"
            else frame.rename_columns(["query_id", "doc_id", "borda"])
        )
        assert not said(Run.of(named, score="borda"), weak)


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
@pytest.mark.parametrize("order", [range(12), MIXED])
def test_nothing_is_said_of_scores_that_the_caller_insists_on(
    library: str, order: Any, tmp_path: Path
) -> None:
    frame = framed(scored(lambda rank: rank, order), library)
    named = (
        frame.rename(columns={"score": "ord"})
        if library == "pandas"
        else frame.rename_columns(["query_id", "doc_id", "ord"])
    )
    assert not said(Run.of(named, score="ord!"), FOUND)
    if library == "pandas":
        named.to_csv(tmp_path / "run.csv", index=False)
        assert not said(Run.of(tmp_path / "run.csv", score="ord!"), FOUND)
        with pytest.raises(DataError, match="'ord' are 1, 2, 3"):
            said(Run.of(tmp_path / "run.csv", score="ord"), FOUND)


@pytest.mark.parametrize("form", ["text", "pandas", "pyarrow"])
def test_the_ranks_of_a_first_stage_contradict_no_second_stage_that_is_better(form: str) -> None:
    first = [11, 3, 1, 0, 4, 2, 8, 7, 6, 5, 9, 10]  # finds d03, d01 and d00 at ranks 2, 3 and 4
    better = scored(lambda rank: 20 - rank**1.1, first)
    worse = scored(lambda rank: 20.0 - first.index(rank - 1))
    qrels = {f"{query}{copy}": its for query, its in FOUND.items() for copy in range(4)}
    for lists, contradicts in ((better, False), (worse, True)):
        run = dict.fromkeys(qrels, lists["p"])
        kept = text(run, lambda row, score: row)
        held = kept if form == "text" else both_columns(run, lambda row, score: row, form)
        assert ("the rank column orders" in said(held, qrels)) is contradicts


def test_the_command_line_says_so_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, its in QRELS.items() for d, g in its.items())
    )
    (tmp_path / "one.run").write_bytes(text(RANKS["shuffled"]))
    (tmp_path / "two.run").write_bytes(text(DISTANCES["distances"]))
    main(["eval", str(tmp_path / "q"), str(tmp_path / "one.run"), str(tmp_path / "two.run")])
    error = capsys.readouterr().err
    assert error.count("upside down") == 2
    assert "one: the scores are 1, 2, 3" in error
    assert "two: the scores rise" in error


def appended(first: float, last: Sequence[str], best: int = 6) -> Scored:
    """Lists of which the first documents have scores from ``first`` down, and the last ones 0."""
    return {
        query: {f"x{rank}": first - rank for rank in range(best)} | dict.fromkeys(last, 0.0)
        for query in map(str, range(12))
    }


@pytest.mark.parametrize("form", [*FORMS, "fused", "fused, in a file"])
def test_documents_of_score_0_at_the_end_show_no_order(form: str, tmp_path: Path) -> None:
    """A fusion keeps the documents of a list of weight 0, with 0 points."""
    pool = {"x0": 1} | dict.fromkeys(IDS[:8], 1)
    run = appended(9.0, IDS)
    if form.startswith("fused"):
        lists = [
            {q: {d: s for d, s in its.items() if (s > 0) is head} for q, its in run.items()}
            for head in (True, False)
        ]
        lists[1] = {q: {d: 12.0 - rank for rank, d in enumerate(its)} for q, its in lists[1].items()}
        files = []
        for number, each in enumerate(lists):
            files.append(tmp_path / f"{number}.run")
            files[-1].write_bytes(text(each))
        given: Any = carob.fuse(files, "sum", weights=[1, 0])
        if form.endswith("file"):
            given.save(tmp_path / "fused.run")
            given = str(tmp_path / "fused.run")
    else:
        given = FORMS[form](run)
    qrels = dict.fromkeys(run, pool)
    assert not said(given, qrels)
    assert not carob.check(qrels, given).of("relevant-last")


@pytest.mark.parametrize("weights", [(0.9, 0.1), (0.8, 0.2)])
def test_a_second_list_of_low_weight_is_not_upside_down(weights: tuple[float, float]) -> None:
    """Its relevant documents come after all that the first list ranks, but at the top of what is appended."""
    queries = [str(number) for number in range(12)]
    first = {q: {f"x{rank}": 60.0 - rank for rank in range(60)} for q in queries}
    second = {q: {f"y{rank}": 40.0 - rank for rank in range(40)} for q in queries}
    qrels = {q: {"x0": 1, "x9": 1, "y0": 1, "y1": 1, "y2": 1, "y4": 1, "y7": 1} for q in queries}
    fused = carob.fuse([first, second], "sum", "sum", weights=weights)
    assert not said(fused, qrels)


@pytest.mark.parametrize(
    ("lengths", "relevant"),
    [
        ([60] * 12, [0, 9]),
        ([20] * 60 + [40], [0, 1, 2, 3, 8]),
        ([40] * 20, [2, 3, 4, 5, 7, 10]),
        ([40] * 20, [5, 7, 9, 11, 13]),
        ([40] * 20, [0, 3, 6, 9]),
        ([1000] * 12, [1, 30, 120, 249, 400]),
    ],
)
def test_distances_are_said_to_be_upside_down_wherever_relevant_documents_are_near_the_top(
    lengths: list[int], relevant: list[int]
) -> None:
    """Of which the first may be the query's own, and duplicates of it."""
    run = {
        str(query): {
            f"x{rank}": (rank + 1) ** 1.5 for rank in (*range(length // 2, length), *range(length // 2))
        }
        for query, length in enumerate(lengths)
    }
    assert "nearer to the end" in said(run, {q: {f"x{rank}": 1 for rank in relevant} for q in run})


@pytest.mark.parametrize("others", [0, 3])
def test_distances_of_0_to_duplicates_are_said_to_be_upside_down(others: int) -> None:
    run = {
        str(query): {f"x{rank}": max(0.0, (rank - 1) ** 0.5) for rank in (*range(30, 50), *range(1, 30))}
        | {"x0": 0.0}
        for query in range(30)
    }
    qrels = {q: {f"x{rank}": 1 for rank in range(2 + others)} for q in run}
    assert "nearer to the end" in said(run, qrels)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("levels", [2, 4])
def test_distances_of_a_few_levels_from_0_are_said_to_be_upside_down(levels: int, form: str) -> None:
    run = {
        query: {d: float(each * levels // 12) for each, d in enumerate(IDS)} for query in map(str, range(20))
    }
    run = {query: {IDS[each]: its[IDS[each]] for each in MIXED} for query, its in run.items()}
    pool = dict.fromkeys(IDS[: 12 // levels + 2], 1) | {"d11": 0}
    assert "nearer to the end" in said(FORMS[form](run), dict.fromkeys(run, pool))


def test_the_kernel_sees_every_order_of_three() -> None:
    judgments = Qrels.of({"q": {"a": 1}}).judgments
    for order in permutations((1.0, 2.0, 3.0)):
        expected = 0 if order == (3, 2, 1) else 4 + 2 * (order == (1, 2, 3))
        run = {"q": dict(zip("abc", order))}
        assert _native.match_mapping(judgments, run).signs.tolist() == [expected]
        lines = "".join(f"q Q0 {d} 0 {s} t\n" for d, s in run["q"].items()).encode()
        for threads in (1, 2):
            assert _native.match_text(judgments, lines, threads=threads).signs.tolist() == [expected]


# ---------------------------------------------------------------- the rank column


def both_columns(run: Scored, rank: Callable[[int, float], float], library: str) -> Any:
    """A frame with scores and ranks."""
    module = pytest.importorskip(library)
    rows = [(q, d, s, rank(row, s)) for q, its in run.items() for row, (d, s) in enumerate(its.items(), 1)]
    columns = dict(zip(("query_id", "doc_id", "score", "rank"), map(list, zip(*rows))))
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("form", ["text", "text in which queries are mixed", "pandas", "pyarrow"])
def test_a_rank_column_that_contradicts_the_scores_is_said(form: str) -> None:
    right = scored(lambda rank: 20 - rank**1.1)
    ranks: dict[str, tuple[Callable[[int, float], int], bool]] = {
        "right": (lambda row, score: row, False),
        "from 0": (lambda row, score: row - 1, False),
        "all the same": (lambda row, score: 1, False),
        "worst first": (lambda row, score: 13 - row, True),
        "another order": (lambda row, score: 1 + row * 5 % 12, True),
    }
    many = {f"{query}{copy}": its for query, its in right.items() for copy in range(12)}
    qrels = dict.fromkeys(many, QRELS["p"])
    for name, (rank, contradicts) in ranks.items():
        if form in ("pandas", "pyarrow"):
            run = both_columns(many, rank, form)
        else:
            run = text(many, rank, mixed=form != "text")
        found = said(run, qrels)
        assert ("the rank column orders" in found) is contradicts, name


@pytest.mark.parametrize("form", ["text", "text in which queries are mixed", "pandas", "pyarrow"])
def test_a_rank_column_that_contradicts_scores_within_the_lists_is_told(form: str, tmp_path: Path) -> None:
    """The first and the last row of each list are right."""
    right = scored(lambda rank: 20 - rank**1.1)
    shuffled = [1, 9, 4, 7, 2, 11, 5, 10, 3, 8, 6, 12]
    for rank, told, warned in (
        (lambda row, score: row, False, False),
        (lambda row, score: shuffled[row - 1], True, True),
        (lambda row, score: {6: 7, 7: 6}.get(row, row), True, False),
    ):
        if form in ("pandas", "pyarrow"):
            run = both_columns(right, rank, form)
        else:
            run = text(right, rank, mixed=form != "text")
        scores = carob.evaluate(QRELS, run, "AP")
        assert ("of documents in another order in the rank column" in scores.footer()) is told
        assert bool(scores.counts.misranked) is told
        if form != "text in which queries are mixed":
            assert ("the rank column orders" in " ".join(scores.warnings)) is warned
    by_rank = carob.evaluate(QRELS, run, "AP", policy=Policy(ties="rank-column"))
    assert "rank column" not in by_rank.footer().replace("ties=rank-column", "")
    path = tmp_path / "x.run"
    path.write_bytes(text(right, lambda row, score: shuffled[row - 1]))
    two = carob.compare(QRELS, {"x": path, "y": scored(lambda rank: 13 - rank)}, "AP")
    assert "of documents in another order in the rank column: x" in " ".join(str(two).split())
    assert "rank-order" in {each.code for each in carob.check(QRELS, path)}


# ---------------------------------------------------------------- ids


def respelled(change: Callable[[str], str], every: int = 2) -> Scored:
    """Lists of which some documents are spelled differently."""
    run = scored(lambda rank: 20 - rank**1.1)
    return {
        q: {change(d) if at % every == 0 else d: s for at, (d, s) in enumerate(its.items())}
        for q, its in run.items()
    }


def renamed(qrels: dict[str, dict[str, int]], change: Callable[[str], str]) -> dict[str, dict[str, int]]:
    return {
        query: {change(document): grade for document, grade in its.items()} for query, its in qrels.items()
    }


def apart(judged: Callable[[str], str], ranked: Callable[[str], str]) -> tuple[Any, Scored]:
    """Judgments with one spelling, and a run that spells every second document otherwise."""
    run = scored(lambda rank: 20 - rank**1.1)
    return renamed(QRELS, judged), {
        q: {(judged if at % 2 else ranked)(d): s for at, (d, s) in enumerate(its.items())}
        for q, its in run.items()
    }


def full_width(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) for each in text)


NUMBERS = {query: {"0101": 1, "0305": 1, "0077": 0} for query in ("p", "q")}
SPELLED: dict[str, tuple[Any, Any, str]] = {
    "capitals": (QRELS, respelled(str.upper), "upper and lower case differ"),
    "small letters": (
        renamed(QRELS, str.upper),
        respelled(str.upper, every=3),
        "upper and lower case differ",
    ),
    "a fraction": (
        NUMBERS,
        {query: {"0101": 3.0, "0305.0": 2.0, "0999": 1.0} for query in NUMBERS},
        "ids became numbers with fractions",
    ),
    "zeros lost": (
        NUMBERS,
        {query: {"0101": 3.0, "305": 2.0, "0999": 1.0} for query in NUMBERS},
        "leading zeros",
    ),
    "zeros added": (
        renamed(NUMBERS, lambda each: each.lstrip("0")),
        {query: {"0101": 2.5, "305": 2.0, "0999": 1.0} for query in NUMBERS},
        "leading zeros",
    ),
    "letters composed otherwise": (
        renamed(QRELS, lambda each: f"é{each}"),
        {
            query: {
                unicodedata.normalize("NFD" if at % 2 else "NFC", f"é{d}"): s
                for at, (d, s) in enumerate(its.items())
            }
            for query, its in scored(lambda rank: 20 - rank).items()
        },
        "normalise both to NFC",
    ),
    "a blank inside": (*apart(str, "{0[0]} {0[1]}{0[2]}".format), "has spaces or other invisible characters"),
    "no blank inside": (*apart("my {}".format, "my{}".format), "has spaces or other invisible characters"),
    "a no-break space": (*apart("my {}".format, "my\u00a0{}".format), "spaces or other invisible characters"),
    "a zero-width space": (*apart(str, "\u200b{}".format), "invisible characters"),
    "a zero-width joiner": (*apart(str, "{}\u200d".format), "invisible characters"),
    "a byte-order mark": (*apart(str, "\ufeff{}".format), "invisible characters"),
    "a mark in the judgments": (*apart("\ufeff{}".format, str), "invisible characters"),
    "full-width letters": (*apart(str, full_width), "full-width"),
    "full-width in the judgments": (*apart(full_width, str), "full-width"),
    "codes of a URL": (*apart("a/b c{}".format, "a%2Fb%20c{}".format), "URL escape codes"),
    "codes in the judgments": (*apart("a%2Fb%20c{}".format, "a/b c{}".format), "URL escape codes"),
    "quotation marks": (*apart(str, '"{}"'.format), "quotation marks"),
    "quotation marks in the judgments": (*apart('"{}"'.format, str), "quotation marks"),
    "codes of a letter": (*apart("é{}".format, "%C3%A9{}".format), "URL escape codes"),
}
"""Judgments, a run that spells a part of the documents otherwise, and what is to be said."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", SPELLED)
def test_ids_of_which_a_part_is_spelled_otherwise_are_said(case: str, form: str) -> None:
    qrels, run, why = SPELLED[case]
    found = said(FORMS[form](run), qrels)
    assert "may retrieve judged documents under other ids, which count as unjudged: in query" in found
    assert why in found


AFFIXES: dict[str, tuple[str, str]] = {
    "a file's ending": ("{}.txt", "the ending '.txt' is on one side only: add or remove it"),
    "a folder": ("docs/{}", "the prefix 'docs/' is on one side only"),
    "a chunk": ("{}#0", "passages"),
    "a passage": ("{}_p3", "passages"),
    "a kind": ("doc:{}", "the prefix 'doc:' is on one side only"),
    "an address": ("https://example.org/en/{}", "the prefix 'https://example.org/en/' is on one side only"),
    "a version": ("{}-v2", "the ending '-v2' is on one side only"),
    "a name space": ("msmarco_v2_{}", "the prefix 'msmarco_v2_' is on one side only"),
}


def affixed(affix: str, every: int, *, judged: bool = False, lists: int = 5) -> tuple[Any, Scored]:
    """Judgments and a run, of which one side has an affix at each document of so many."""
    names = [f"D{number}" for number in range(40)]
    queries = [f"q{number}" for number in range(lists)]

    def named(name: str, there: bool) -> str:
        return affix.format(name) if there and int(name[1:]) % every == 0 else name

    qrels = {
        query: {named(name, judged): int(place % 2 == 0) for place, name in enumerate(names[:18])}
        for query in queries
    }
    run = {
        query: {named(name, not judged): 50.0 - 1.1 * place for place, name in enumerate(names)}
        for query in queries
    }
    return qrels, run


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.parametrize("case", AFFIXES)
def test_an_affix_of_a_third_of_the_ids_on_one_side_is_said(case: str, judged: bool, form: str) -> None:
    affix, why = AFFIXES[case]
    qrels, run = affixed(affix, 3, judged=judged)
    found = said(FORMS[form](run), qrels)
    assert "may retrieve judged documents under other ids, which count as unjudged: in query" in found
    assert why in found
    assert "document-spelling" in {each.code for each in carob.check(qrels, FORMS[form](run))}


WORDS: dict[str, tuple[Callable[[str], str], str]] = {
    "an underscore": (lambda each: each.replace("-", "_"), "the punctuation differs"),
    "no punctuation": (lambda each: each.replace("-", ""), "the punctuation differs"),
    "zeros lost behind letters": (lambda each: each.replace("-00", "-"), "numbers lost their leading zeros"),
    "other zeros and case": (
        lambda each: each.replace("D-00", "d"),
        "write them in the same way on both sides",
    ),
    "a chunk behind colons": ("{}::3".format, "passages of judged documents"),
    "a chunk in words": ("{}__chunk_3".format, "passages of judged documents"),
    "a chunk with zeros": ("{}-0003".format, "passages of judged documents"),
    "a version": ("{}v2".format, "the ending 'v2' is on one side only"),
    "a query string": ("{}?v=1".format, "the ending '?v=1' is on one side only"),
    "an address and an ending": (
        "https://example.org/{}.html".format,
        "the prefix 'https://example.org/' and the ending '.html' are on one side only",
    ),
    "a kind and a chunk": ("doc:{}#1".format, "the prefix 'doc:' and the ending '#1' are on one side only"),
}
"""Changes of ids that leave their words, and what is to be said."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("case", WORDS)
def test_ids_that_differ_but_for_their_words_are_said(case: str, every: int, form: str) -> None:
    change, why = WORDS[case]
    qrels, right = affixed("{}", 1)
    named = {
        query: {f"D-{int(name[1:]) + 1:04}": grade for name, grade in its.items()}
        for query, its in qrels.items()
    }
    run = {
        query: {
            (change(d) if place % every == 0 else d): score
            for place, (d, score) in enumerate((f"D-{int(name[1:]) + 1:04}", s) for name, s in its.items())
        }
        for query, its in right.items()
    }
    assert why in said(FORMS[form](run), named)
    codes = {each.code for each in carob.check(named, FORMS[form](run))}
    assert codes & {"document-spelling", "no-common-document"}


def test_judgments_of_two_spellings_name_documents_in_which_words_are_not_all() -> None:
    qrels = {
        f"q{each}": {f"D-{n}": 1 for n in range(9)} | {f"D_{n}": 0 for n in range(3)} for each in range(3)
    }
    run = {query: {**{f"D_{n}": 9.5 - n for n in range(3, 9)}, "D-0": 1.0} for query in qrels}
    assert not said(run, qrels)


CACM = SHARED / "data" / "cacm-anserini"


@pytest.mark.skipif(not CACM.is_dir(), reason="the runs of others are not here")
def test_a_published_run_writes_zeros_that_its_judgments_lack() -> None:
    qrels, run = CACM / "qrels.cacm.txt", CACM / "runs" / "cacm-bm25.txt"
    assert "'CACM-0950' where the judgments have 'CACM-950'" in said(run, qrels)


def test_an_affix_of_numbers_and_of_queries_is_said() -> None:
    qrels = {f"q{each}": {f"{number}": 1 for number in range(10, 20)} for each in range(3)}
    run = {
        query: {f"doc{number}" if number % 3 else f"{number}": 9.5 - number for number in range(10, 30)}
        for query in qrels
    }
    for form in ("dict", "text", "pandas"):
        assert "the prefix 'doc' is on one side only" in said(FORMS[form](run), qrels)
    lists = scored(lambda rank: 20 - rank)["p"]
    many = {f"q{each}": lists for each in range(9)}
    other = {query if at % 3 else f"topic-{query}": its for at, (query, its) in enumerate(many.items())}
    for form in ("dict", "text", "pandas"):
        found = said(FORMS[form](other), dict.fromkeys(many, QRELS["p"]))
        assert "the run writes 'topic-q0' for 'q0'; the prefix 'topic-' is on one side only" in found


@pytest.mark.parametrize("form", FORMS)
def test_ids_that_are_parts_of_others_by_their_scheme_are_right(form: str) -> None:
    """Passages beside their documents, titles, and numbers that are parts of names."""
    both = {
        f"q{each}": {f"D{n}-{p}" if p else f"D{n}": int(n < 3) for n in range(6) for p in range(3)}
        for each in range(5)
    }
    passages = {q: {f"D{n}-{p}": 9.5 - n - p / 10 for n in range(6) for p in range(2, 6)} for q in both}
    assert not said(FORMS[form](passages), both)
    titles = {f"q{each}": {"Mercury": 1, "Venus": 1, "Mars": 0, "Earth": 1} for each in range(5)}
    other = {
        q: {"Mercury_(element)": 3.5, "Venus": 2.0, "Mars, Pennsylvania": 1.0, "Mars": 0.5} for q in titles
    }
    assert not said(FORMS[form](other), titles)
    found = {q: {"Mercury": 4.0, "Mercury_(element)": 3.5, "Venus.txt": 1.5, "Venus": 2.0} for q in titles}
    assert not said(FORMS[form](found), titles)


@pytest.mark.parametrize("form", FORMS)
def test_other_spellings_are_said_behind_a_document_that_is_rightly_not_retrieved(form: str) -> None:
    qrels = {f"q{each}": {"a-lost": 2, "doc-b": 1, "doc-c": 1, "d": 0} for each in range(3)}
    run = {query: {"DOC-B": 3.0, "d": 2.0, "DOC-C": 1.5, "x": 1.0} for query in qrels}
    assert "judged documents under other ids" in said(FORMS[form](run), qrels)


@pytest.mark.parametrize("case", SPELLED)
def test_a_check_finds_them_too(case: str) -> None:
    qrels, run, _ = SPELLED[case]
    assert "document-spelling" in {each.code for each in carob.check(qrels, run)}


def test_queries_of_which_a_part_is_spelled_otherwise_are_said() -> None:
    run = scored(lambda rank: 20 - rank)
    run["Q"] = run.pop("q")
    for form in ("dict", "text", "pandas"):
        found = said(FORMS[form](run))
        assert (
            "may have judged queries under other ids, which count as missing: the run writes 'Q' for 'q'"
            in found
        )


@pytest.mark.parametrize("form", ["dict", "pandas", "pyarrow"])
@pytest.mark.parametrize("change", [" {}", "{} ", "{}\t", "{}\r"])
def test_blanks_around_ids_are_said_where_they_belong_to_the_id(form: str, change: str) -> None:
    qrels, run = apart(str, change.format)
    assert "one has spaces or other invisible characters" in said(FORMS[form](run), qrels)


@pytest.mark.parametrize("other", ["\uff51", "q\u200b", "q\ufeff", "q\u00a0"])
def test_a_query_with_characters_that_look_alike_is_said(other: str) -> None:
    run = scored(lambda rank: 20 - rank)
    run[other] = run.pop("q")
    for form in ("dict", "text", "pandas"):
        assert "may have judged queries under other ids" in said(FORMS[form](run))


def test_documents_that_both_spellings_judge_are_two() -> None:
    qrels = {"q": {"a": 1, "A": 0, "b": 1}}
    assert not said({"q": {"A": 2.0, "b": 1.0}}, qrels)
    assert not said({"q": {"\uff41": 2.0, "b": 1.0}}, {"q": {"a": 1, "\uff41": 0, "b": 1}})


def test_documents_that_the_run_ranks_in_both_spellings_are_two() -> None:
    assert not said({"q": {"a": 3.0, "\uff41": 2.0, "a%20": 1.0}}, {"q": {"a": 1}})


# ---------------------------------------------------------------- the footer

EQUAL = scored(lambda rank: 1.0)


@pytest.mark.parametrize("form", FORMS)
def test_lists_with_equal_scores_are_counted_in_the_footer(form: str) -> None:
    scores = carob.evaluate(QRELS, FORMS[form](EQUAL), "AP")
    assert "3 lists with all scores equal, ordered by document id, descending" in scores.footer()
    assert scores.counts.constant == 3
    assert json.loads(scores.to_json())["runs"][0]["counts"]["constant"] == 3


@pytest.mark.parametrize(
    ("ties", "order"),
    [
        ("ascending", "ordered by document id, ascending"),
        ("input", "in the run's own order"),
        ("optimistic", "in their best order"),
        ("expected", "as the mean over their orders"),
    ],
)
def test_the_footer_says_what_orders_such_lists(ties: Any, order: str) -> None:
    footer = carob.evaluate(QRELS, EQUAL, "AP", policy=Policy(ties=ties)).footer()
    assert f"3 lists with all scores equal, {order}" in footer


def test_of_several_runs_the_one_with_equal_scores_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "q").write_text(
        "".join(f"{q} 0 {d} {g}\n" for q, its in QRELS.items() for d, g in its.items())
    )
    (tmp_path / "equal.run").write_bytes(text(EQUAL))
    (tmp_path / "right.run").write_bytes(text(scored(lambda rank: 20 - rank)))
    main(["eval", "-m", "AP", *(str(tmp_path / each) for each in ("q", "equal.run", "right.run"))])
    out = capsys.readouterr().out
    assert "equal: 3 queries" in out
    assert out.count("all scores equal") == 1


def test_a_few_lists_with_equal_scores_are_among_the_ties() -> None:
    run = {f"q{each}": dict(scored(lambda rank: 20 - rank)["p"]) for each in range(9)} | {"p": EQUAL["p"]}
    scores = carob.evaluate(dict.fromkeys(run, QRELS["p"]), run, "AP")
    assert scores.counts.constant == 1
    assert "all scores equal" not in scores.footer()


@pytest.mark.parametrize("form", ["dict", "text", "pyarrow"])
def test_infinite_scores_are_counted_in_the_footer(form: str) -> None:
    best = scored(lambda rank: float("inf") if rank == 1 else -rank)
    both = scored(lambda rank: float("inf") if rank < 3 else float("-inf"), MIXED)
    assert " 3 infinite scores " in carob.evaluate(QRELS, FORMS[form](best), "AP").footer()
    assert " 36 infinite scores " in carob.evaluate(QRELS, FORMS[form](both), "AP").footer()
    finite = carob.evaluate(QRELS, FORMS[form](both), "AP", policy=Policy(retrieved="finite"))
    assert "infinite" not in finite.footer()


def test_a_number_beyond_the_range_of_doubles_is_infinite() -> None:
    run = text(scored(lambda rank: 20 - rank)).replace(b"\t19.0\t", b"\t1e400\t")
    scores = carob.evaluate(QRELS, run, "AP")
    assert (scores.counts.infinite, "3 infinite scores" in scores.footer()) == (3, True)


def test_grades_below_the_cut_of_a_measure_are_counted_even_if_others_reach_it() -> None:
    qrels = {query: {"d00": 1, "d01": 0.33, "d05": 0.67, "d07": 0} for query in QRELS}
    run = scored(lambda rank: 20 - rank)
    scores = carob.evaluate(qrels, run, ["AP", "nDCG@10", "P@5"])
    assert "6 grades between 0 and 1 counted as not relevant (AP, P@5)" in scores.footer()
    assert scores.counts.fractions == 6
    for measure in ("AP(rel=0.33)", "nDCG"):
        assert "between" not in carob.evaluate(qrels, run, measure).footer()
    assert "between" not in carob.evaluate(QRELS, run, "AP").footer()


@pytest.mark.parametrize("form", FORMS)
def test_ratings_of_which_the_lowest_counts_as_relevant_are_told(form: str) -> None:
    """Every document of a table of ratings from 1 to 5 is relevant to a measure that cuts at 1."""
    qrels = {query: {"d00": 5, "d01": 1, "d05": 3, "d07": 1} for query in QRELS}
    run = FORMS[form](scored(lambda rank: 20 - rank))
    said = f"{2 * len(QRELS)} grades of 1, the lowest, counted as relevant (AP, P@5)"
    assert said in carob.evaluate(qrels, run, ["AP", "nDCG@10", "P@5"]).footer()
    assert "lowest" not in carob.evaluate(qrels, run, ["AP(rel=4)", "nDCG"]).footer()
    # Relevant documents alone, in three grades, and ratings beside documents that are not relevant.
    for other in ({"d00": 3, "d01": 1}, {"d00": 5, "d01": 1, "d05": 0}):
        assert "lowest" not in carob.evaluate(dict.fromkeys(QRELS, other), run, "AP").footer()
    two = {"one": run, "two": scored(lambda rank: rank * 7 % 19)}
    assert "grades of 1, the lowest" in str(carob.compare(qrels, two, "AP"))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("grade", "told"), [(22, 1), (10, 1), (7, 0)])
def test_a_grade_that_is_a_slip_is_told(grade: int, told: int, form: str) -> None:
    qrels = {query: {"d00": 2, "d01": 1, "d05": 0, "d07": 1} for query in QRELS}
    qrels[next(iter(QRELS))]["d00"] = grade
    scores = carob.evaluate(qrels, FORMS[form](scored(lambda rank: 20 - rank)), ["AP", "nDCG@10"])
    assert scores.counts.codes == told
    assert ("1 grade far from all other grades" in scores.footer()) is bool(told)
    # Counts, such as those of plays, have no usual scale.
    plays = {query: {"d00": 3, "d01": 40, "d05": 7, "d07": 900} for query in QRELS}
    assert not carob.evaluate(plays, scored(lambda rank: 20 - rank), "AP").counts.codes
    assert not carob.evaluate({"q": {"a": 22}}, {"q": {"a": 1.0}}, "AP").counts.codes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("grades", "told"),
    [((0, 1, 2, 9), 3), ((0, 1, 0, 99), 3), ((6, 7, 8, 9), 0), ((9, 9, 9, 0), 0), ((0, 1, 2, 8), 0)],
)
def test_codes_in_place_of_grades_are_told(grades: Any, told: int, form: str) -> None:
    qrels = {query: dict(zip(("d00", "d01", "d05", "d07"), grades, strict=True)) for query in QRELS}
    run = FORMS[form](scored(lambda rank: 20 - rank))
    scores = carob.evaluate(qrels, run, ["AP", "nDCG@10"])
    assert scores.counts.codes == told
    assert (f"{told} grades far from all other grades" in scores.footer()) is bool(told)
    two = {"one": run, "two": scored(lambda rank: rank * 7 % 19)}
    assert ("far from all other grades" in str(carob.compare(qrels, two, "AP"))) is bool(told)
    assert ("code-grades" in {each.code for each in carob.check(qrels, run)}) is bool(told)


def test_documents_that_are_judged_in_two_spellings_are_found() -> None:
    for one, other in (("d01", "D01"), ("017", "17"), ("é", "e\u0301")):
        qrels = {"p": {one: 1, other: 0, "x": 0}, "q": {"x": 1}}
        found = carob.check(qrels).of("similar-documents")
        assert [each.count for each in found] == [1]
        assert not carob.check({"p": {one: 1, "x": 0}, "q": {other: 1}}).of("similar-documents")


@pytest.mark.parametrize("form", FORMS)
def test_a_run_joined_with_its_judgments_is_said(form: str) -> None:
    qrels = {query: {each: int(each < "d03") for each in IDS} for query in QRELS}
    run = scored(lambda rank: 20 - rank)
    assert (
        "36 documents retrieved, all of them judged" in carob.evaluate(qrels, FORMS[form](run), "AP").footer()
    )
    by_label = carob.evaluate(qrels, FORMS[form](run), "AP", policy=Policy(judgments="retrieved"))
    assert "all of them" not in by_label.footer()
    run["p"]["another"] = 1.0
    assert "all of them" not in carob.evaluate(qrels, FORMS[form](run), "AP").footer()
    single = {"p": run["q"]}
    assert "all of them" not in carob.evaluate({"p": qrels["p"]}, FORMS[form](single), "AP").footer()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("others", "told"), [(1, True), (3, True), (4, False)])
def test_a_run_joined_with_its_judgments_may_hold_a_few_documents_more(
    others: int, told: bool, form: str
) -> None:
    names = [f"q{number}" for number in range(25)]
    qrels = {query: {each: int(each < "d03") for each in [*IDS, "never retrieved"]} for query in names}
    run = {query: dict(scored(lambda rank: 20 - rank)["p"]) for query in names}
    for query in names[:others]:
        run[query]["another"] = 0.5
    scores = carob.evaluate(qrels, FORMS[form](run), "AP")  # 300 of 301, 303 or 304 documents
    assert (f" {300 + others} documents retrieved, nearly all of them judged" in scores.footer()) is told
    assert "几乎全部判断过" in scores.footer("zh") or not told


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", DISTANCES)
def test_a_check_calls_it_an_error_where_an_evaluation_warns_of_distances(case: str, form: str) -> None:
    found = carob.check(QRELS, FORMS[form](DISTANCES[case])).of("ascending-scores")
    assert [each.severity for each in found] == ["error"]


@pytest.mark.parametrize("case", RIGHT)
def test_a_check_calls_nothing_upside_down_of_which_an_evaluation_says_nothing(case: str) -> None:
    found = carob.check(QRELS, RIGHT[case])
    assert not [each for each in found.of("ascending-scores") if each.severity == "error"]
    assert not found.of("ranks-as-scores")


@pytest.mark.parametrize("lists", [1, 3])
def test_the_last_list_of_a_table_is_held_to_its_rank_column_too(lists: int, tmp_path: Path) -> None:
    """A table's last list waits for rows in a next batch, which may not come."""
    scores = (0.1, 0.5, 0.3, 0.9, 0.4)
    rows = [(f"q{q}", f"d{rank}", rank, scores[rank - 1]) for q in range(lists) for rank in range(1, 6)]
    text = tmp_path / "a.run"
    text.write_text("".join(f"{q} Q0 {d} {rank} {score} t\n" for q, d, rank, score in rows), encoding="utf-8")
    table = tmp_path / "a.csv"
    table.write_text(
        "query_id,doc_id,rank,score\n" + "".join(f"{q},{d},{rank},{score}\n" for q, d, rank, score in rows),
        encoding="utf-8",
    )
    columns = dict(zip(("query_id", "doc_id", "rank", "score"), map(list, zip(*rows)), strict=True))
    frame = pytest.importorskip("pandas").DataFrame(columns)
    qrels = {f"q{q}": {"d1": 1} for q in range(lists)}
    for form in (str(text), str(table), frame):
        counts = carob.evaluate(qrels, form, "RR")
        assert f"{2 * lists} compared pairs of documents in another order in the rank column" in str(counts)
