"""What is known about the data of runs on several collections reaches every output, however many runs there are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main
from carob.output.errors import DataError
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [f"q{number}" for number in range(6)]
QRELS = {query: {"a": 1, "b": 0, "c": 1, "d": 0} for query in QUERIES}


def ranked(order: str, queries: list[str] = QUERIES) -> dict[str, dict[str, float]]:
    """A run with the same list for each query, which ends with a document that is not judged."""
    return {query: {each: float(9 - place) for place, each in enumerate(f"{order}u")} for query in queries}


def varied(first: int) -> dict[str, dict[str, float]]:
    """A run with two kinds of lists, the one for the first queries."""
    return ranked("abcd", QUERIES[:first]) | ranked("bacd", QUERIES[first:])


def compared(collections: dict[str, Any], measures: Any = "AP", **options: Any) -> Any:
    """The comparison of runs on collections that have the same judgments."""
    return carob.compare_collections(
        {name: (QRELS, runs) for name, runs in collections.items()}, measures, **options
    )


def said(found: Any) -> str:
    """The text on one line."""
    return " ".join(found.to_text().split())


def in_files(folder: Path) -> Path:
    """Two collections. In one, run b has a duplicate, a NaN and therefore a missing query."""
    for name in ("A", "B"):
        runs = folder / name / "runs"
        runs.mkdir(parents=True)
        lines = [f"{query} 0 {each} {grade}" for query, its in QRELS.items() for each, grade in its.items()]
        (folder / name / "qrels.txt").write_text("\n".join(lines) + "\n")
        for run, order in (("a", "abcd"), ("b", "bacd")):
            rows = [
                f"{query} Q0 {each} 1 {score} t"
                for query, its in ranked(order).items()
                for each, score in its.items()
            ]
            (runs / f"{run}.run").write_text("\n".join(rows) + "\n")
    broken = folder / "B" / "runs" / "b.run"
    kept = [line for line in broken.read_text().splitlines() if not line.startswith("q5")]
    broken.write_text("\n".join([*kept, "q1 Q0 a 9 -3 t", "q5 Q0 a 1 nan t"]) + "\n")
    return folder


FOOTERS = ("1 duplicate dropped: b in B.", "1 malformed line skipped: b in B.")
MISSING = "1 missing query counted as 0: b in B (1 of 6)."


@pytest.mark.parametrize("layout", ["text", "markdown", "latex", "json"])
def test_the_footers_of_a_collection_are_in_every_format(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--lenient", "--duplicates", "first", "-m", "RR", "--format", layout]
    main(["compare", "--collections", str(in_files(tmp_path)), *options])
    out = " ".join(capsys.readouterr().out.split())
    assert all(each in out for each in (*FOOTERS, MISSING)), out
    assert "policy duplicates first, malformed skip" in out


def test_the_footers_of_a_collection_are_on_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    options = ["--lenient", "--duplicates", "first", "-m", "RR", "-o", str(page)]
    main(["report", "--collections", str(in_files(tmp_path / "in")), *options])
    html = page.read_text()
    assert all(each in html for each in (*FOOTERS, MISSING))


def test_notes_are_objects_a_frame_and_json(tmp_path: Path) -> None:
    policy = carob.Policy(duplicates="first", malformed="skip")
    found = carob.compare_collections(str(in_files(tmp_path)), "RR", policy=policy)
    notes = {each.kind: each for each in found.notes}
    for kind in ("missing", "duplicates", "malformed"):
        assert (notes[kind].collection, notes[kind].run, notes[kind].count) == ("B", "b", 1)
    copy = notes["same-judgments"]
    assert (copy.collection, copy.run, copy.other, copy.subject) == ("B", "", "A", "B = A")
    assert len(notes) == 4  # a run whose first documents are relevant is not perfect, even by RR
    assert notes["missing"].sentence == "1 missing query counted as 0"
    written = json.loads(found.to_json())
    assert [each["kind"] for each in written["notes"]] == [each.kind for each in found.notes]
    assert written["policy"]["duplicates"] == "first"
    assert found.recorded("notes").columns()["run"] == ["b", "b", "b", ""]
    assert found.scores["B"]["b"].counts.missing == ("q5",)


def test_perfect_equal_and_constant_runs_are_warned_of() -> None:
    constant = {query: dict.fromkeys("abcd", 1.0) for query in QUERIES}
    runs = {"oracle": ranked("acbd"), "x": varied(2), "y": varied(2), "flat": constant}
    found = compared({"A": runs, "B": runs | {"y": varied(3)}}, ["AP", "P@10"])
    text = said(found)
    # P@10 cannot be 1 with two relevant documents: 0.2 is the most.
    assert (
        "! Every query has the highest possible value (check that the run was not made from the judgments): oracle "
        "in all 2" in text
    )
    assert "at the same ranks in two runs: y = x in A." in text
    assert (
        "12 lists with all scores equal, ordered by document id, descending: flat in all 2 collections (12 of 12)"
        in text
    )
    kinds = {(each.kind, each.run, each.collection) for each in found.notes}
    assert ("identical-runs", "y", "B") not in kinds
    assert not [each for each in found.notes if each.kind == "perfect" and each.run != "oracle"]


def test_a_run_of_few_queries_is_not_perfect_and_few_equal_scores_are_ties() -> None:
    runs = {"one": ranked("acbd", ["q0"]), "x": varied(1) | {"q0": dict.fromkeys("abcd", 1.0)}}
    kinds = {each.kind for each in compared({"A": runs, "B": runs}).notes}
    assert kinds == {"missing", "tied", "same-collection"}


def test_many_runs_are_counted_where_they_are_not_named() -> None:
    runs = {f"sys{number:02}": varied(number % 4) for number in range(9)}
    lacking = {f"few{number}": ranked("abcd", QUERIES[: number + 1]) for number in range(4)}
    found = compared(dict.fromkeys("ABC", runs | lacking))
    text = said(found)
    # few0 lacks five of six queries in each of three collections, few1 four …
    assert (
        "42 missing queries counted as 0: few0 in all 3 collections (15 of 18), few1 in all 3 collections "
        "(12 of 18), few2 in all 3 collections (9 of 18), few3 in all 3 collections (6 of 18)." in text
    )
    # Runs 4 to 8 equal runs 0 to 3, and one more equals run 0.
    assert "sys04 = sys00 in all 3 collections" in text
    assert len([each for each in found.notes if each.kind == "identical-runs"]) == 15
    six = compared(
        {name: runs | lacking | {"few4": ranked("abcd", QUERIES[:1]), "few5": ranked("b")} for name in "AB"}
    )
    assert "and 1 more." in said(six)


def test_what_the_judgments_cause_is_said_once_for_all_runs() -> None:
    qrels = QRELS | {"q9": {"a": 0}}
    runs = {"x": varied(1), "y": varied(2)}
    found = carob.compare_collections({"A": (qrels, runs), "B": (QRELS, runs)}, "AP")
    assert "1 query without relevant documents counted as 0: every run in A." in said(found)


def test_ties_name_the_widest_range() -> None:
    tied = {query: {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0} for query in QUERIES}
    two = tied | {"q0": {"a": 2.0, "b": 1.0, "c": 0.5, "d": 0.5}}
    found = compared({"A": {"x": tied, "y": varied(1)}, "B": {"x": two, "y": varied(1)}})
    # Of a, then c among two others in any order: AP is (1 + 2/2) / 2 or (1 + 2/4) / 2.
    assert "the widest range: x in A (AP 0.7500–1.0000)" in said(found)


def test_values_of_other_tools_bring_what_is_known_of_them() -> None:
    def values(column: list[float | None]) -> dict[str, dict[str, float]]:
        return {
            "AP": {query: value for query, value in zip(QUERIES, column, strict=True) if value is not None}
        }

    runs = {
        "x": values([0.5] * 6),
        "y": values([0.5] * 6),
        "one": values([1.0] * 6),
        "z": values([0.5] * 5 + [None]),
    }
    scores = carob.read_scores(runs, missing="zero")
    text = said(carob.compare_collections({"A": scores, "B": scores}, "AP"))
    assert "Two runs have the same value for every query: y = x in all 2 collections." in text
    assert "not made from the judgments): one in all 2 collections." in text
    assert "2 missing queries counted as 0: z in all 2 collections (2 of 12)." in text


def test_a_warning_about_a_run_names_the_collection() -> None:
    stranger = ranked("xyz")
    with pytest.warns(carob.DataWarning):
        found = compared({"A": {"s": ranked("abcd"), "t": varied(1)}, "B": {"s": stranger, "t": varied(1)}})
    assert [each.collection for each in found.notes if each.kind == "doubt"] == ["B"]
    assert "carob check reports more details: s in B." in said(found)
    assert "S: " not in said(found)  # a run keeps the letters of its name


def test_notes_of_what_was_left_out_are_left_out() -> None:
    collections = {
        "A": {"x": varied(1), "y": varied(2), "gone": ranked("abcd", QUERIES[:2])},
        "B": {"x": varied(1), "y": varied(2)},
    }
    notes = compared(collections, absent="skip").notes
    assert [each.run for each in notes if each.kind != "same-collection"] == ["gone"]
    assert {each.kind for each in compared(collections, absent="drop-runs").notes} == {"same-collection"}


def test_scores_under_different_policies_are_not_compared() -> None:
    runs = {"x": ranked("abcd", QUERIES[:3]), "y": varied(1)}
    zero = carob.evaluate(QRELS, runs, "AP")
    skip = carob.evaluate(QRELS, runs, "AP", policy=carob.Policy(missing="skip"))
    with pytest.raises(DataError, match="'B' was evaluated under a different policy"):
        carob.compare_collections({"A": zero, "B": skip})


# ---------------------------------------------------------------- collections that are copies, lists that are cut

OTHER = {query: dict(zip("abcd", (0, 1, 1, 0))) for query in QUERIES}
LONG = {
    query: {f"d{each}": 50.0 - each for each in range(40)} | {"a": 20.5, "c": 45.5 + (query == "q2")}
    for query in QUERIES
}
SHORT = {
    query: dict(list(its.items())[:9]) | {"b": 20.5 + 9 * (query == "q1")} for query, its in LONG.items()
}


def as_file(folder: Path, name: str, qrels: Any, runs: dict[str, Any]) -> None:
    """A collection in a folder, whose judgments are in descending order of ids."""
    (folder / name).mkdir(parents=True)
    rows = [f"{query} 0 {each} {grade}" for query, its in qrels.items() for each, grade in its.items()]
    (folder / name / "qrels.txt").write_text("\n".join(reversed(rows) if name == "B" else rows) + "\n")
    for run, lists in runs.items():
        lines = [f"{q} Q0 {each} 1 {score} t" for q, its in lists.items() for each, score in its.items()]
        (folder / name / f"{run}.run").write_text("\n".join(lines) + "\n")


def test_collections_that_are_copies_are_told() -> None:
    runs = {"x": varied(1), "y": varied(2)}
    others = {"x": varied(3), "y": varied(4)}
    twice = compared({"A": runs, "B": others, "C": runs})
    assert "! Two collections have the same judgments and the same runs, so they count twice: C = A." in said(
        twice
    )
    assert "Two collections have the same judgments: B = A." in said(twice)
    both = carob.compare_collections({"A": (QRELS, runs), "B": (OTHER, runs)}, "AP")
    assert not [each for each in both.notes if each.kind.startswith("same")]
    values = {name: carob.evaluate(QRELS, runs, "AP") for name in "AB"}
    assert "the same runs, so they count twice: B = A." in said(carob.compare_collections(values))


@pytest.mark.parametrize("layout", ["text", "json", "csv"])
@pytest.mark.parametrize("name", ["eval", "compare", "best"])
def test_each_command_tells_of_copies_and_cut_lists(
    name: str, layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for each, qrels in (("A", QRELS), ("B", QRELS), ("C", OTHER)):
        as_file(tmp_path, each, qrels, {"x": LONG, "y": SHORT if each != "C" else LONG | {"q0": {"a": 1.0}}})
    words = [name, "--collections", str(tmp_path), "-m", "AP", "-m", "P@5", "--format", layout]
    assert command(*words, *["--resamples", "20"] * (name != "eval")) == 0
    out, err = capsys.readouterr()
    told = " ".join((out + err).split()).casefold()
    assert "two collections have the same judgments and the same runs, so they count twice" in told
    assert (
        "the longest list has 10 documents, but 42 in another run, so shorter lists are at a disadvantage in ap"
        in told
    )
    if layout == "text":
        assert "in ap: y in 2 collections." in told
        assert "twice: b = a." in told


def test_lists_that_are_cut_below_what_is_read_are_not_told() -> None:
    for measures, told in ((["P@5"], False), (["P@5", "R"], True)):
        several = carob.evaluate_collections({"A": (QRELS, {"x": LONG, "y": SHORT})}, measures)
        assert bool([each for each in several.notes if each.kind == "lengths"]) is told


@pytest.mark.parametrize(
    "words",
    [
        "best {q} {x} {y} -m AP --resamples 20",
        "plan {q} {x} {y} -m AP --difference 0.1",
        "agreement {q} {q} {x} {y} -m AP",
        "compare {q} {x} {y} -m AP",
    ],
)
def test_commands_on_one_collection_tell_of_cut_lists(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    as_file(tmp_path, "A", QRELS, {"x": LONG, "y": SHORT})
    paths = {"q": tmp_path / "A" / "qrels.txt", "x": tmp_path / "A" / "x.run", "y": tmp_path / "A" / "y.run"}
    assert command(*words.format(**paths).split()) == 0
    assert "longest list has 10 documents, but 42 in another run" in " ".join(capsys.readouterr().out.split())


def test_retrieved_documents_of_all_runs_are_added_up_and_a_missing_run_is_not_counted() -> None:
    judged = {f"q{n}": {f"d{m}": m % 2 for m in range(30)} for n in range(20)}
    run = {
        query: {each: 1.0 / (1 + place) for place, each in enumerate(its)} for query, its in judged.items()
    }
    both = {"strong": run, "weak": run}
    found = carob.evaluate_collections({"A": (judged, both), "B": (judged, {"strong": run})}, "AP")
    assert (
        "1,800 documents retrieved, all of them judged: every run in A (1,200), strong in B (600)."
        in " ".join(str(found).split())
    )


def test_lines_of_data_that_are_left_out_as_comments_are_counted(tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("# query iteration document grade\nq1 0 a 1\n#rag 0 a 1\n")
    run.write_text("# a run\n" + "".join(f"{query} Q0 a 1 1.0 tag\n" for query in ("q1", "#rag", "#rag2")))
    scores = carob.evaluate(qrels, run, "RR")
    assert scores.counts.commented == 3
    assert "3 lines that begin with '#' left out as comments" in str(scores)
    run.write_text("q1 Q0 a 1 1.0 tag\n")
    found = " ".join(str(carob.evaluate(qrels, run, "RR")).split())
    assert "1 line that begins with '#' left out as a comment" in found


def test_runs_that_retrieve_nothing_relevant_are_warned_of() -> None:
    nothing = {query: {"b": 2.0, "d": 1.0} for query in QUERIES}
    found = compared(
        {"web": {"x": nothing, "y": ranked("abcd")}, "news": {"x": varied(3), "y": ranked("acbd")}}
    )
    assert [(each.kind, each.run) for each in found.notes if each.kind == "nothing"] == [("nothing", "x")]
