"""``carob check --collections`` lists the faults of all runs on all collections at once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.output.errors import DataError
from diagnosis import broken

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"


FEW: dict[str, Any] = {"queries": range(6)}


def submissions(folder: Path) -> Path:
    """Three collections with two runs each, three of them faulty: a NaN, a document listed twice, damaged gzip."""
    for name in ("A", "B", "C"):
        (folder / name / "runs").mkdir(parents=True)
        (folder / name / "qrels.txt").write_text(broken.qrels(queries=6))
        for run in ("x", "y"):
            (folder / name / "runs" / f"{run}.run").write_text(
                broken.run(tag=run, depth=12 - (run == "y"), **FEW)
            )
    nan = broken.run(lambda query, place: "nan" if query == 3 == place else f"{30 - place}.5", **FEW)
    (folder / "A" / "runs" / "x.run").write_text(nan)
    twice = broken.run(**FEW) + "q04 Q0 d04x00 13 1.5 run\n"
    (folder / "B" / "runs" / "y.run").write_text(twice)
    (folder / "C" / "runs" / "x.run").unlink()
    (folder / "C" / "runs" / "x.run.gz").write_bytes(gzip.compress(broken.run(**FEW).encode())[:-20])
    return folder


def ended(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main(["check", "--collections", *map(str, arguments)])
    return int(left.value.code or 0)


def places(found: Any, severity: str = "error") -> set[tuple[str, str | None, str]]:
    """The kind, the collection and the subject of the findings of a severity."""
    return {
        (each.code, each.collection, each.subject) for each in found.findings if each.severity == severity
    }


FAULTS = {("nan-scores", "A", "x"), ("duplicate-documents", "B", "y"), ("truncated", "C", "x")}


def test_the_faults_of_all_submissions_are_listed_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submissions(tmp_path)
    assert ended(folder) == 2
    text = capsys.readouterr().out
    for line in (
        "error: nan-scores in A/x\n    1 score is NaN (of 72)\n    where:  line 40: ",
        "error: duplicate-documents in B/y\n    1 document occurs more than once",
        "error: truncated in C/x\n",
    ):
        assert line in text
    assert ended(folder, "--format", "json") == 2
    found = json.loads(capsys.readouterr().out)
    assert found["collections"] == ["A", "B", "C"]
    errors = [each for each in found["findings"] if each["severity"] == "error"]
    assert {(each["code"], each["collection"], each["subject"]) for each in errors} == FAULTS


def test_tables_patterns_and_python_find_the_same(tmp_path: Path) -> None:
    folder = submissions(tmp_path / "in")
    assert places(carob.check_collections(folder)) == FAULTS
    rows, entries, given = ["collection,qrels,run,name"], [], {}
    for name in ("A", "B", "C"):
        runs = {each.name.partition(".")[0]: each for each in sorted((folder / name / "runs").iterdir())}
        rows += [f"{name},in/{name}/qrels.txt,in/{name}/runs/{each.name},{run}" for run, each in runs.items()]
        paths = ", ".join(f'{run} = "in/{name}/runs/{each.name}"' for run, each in runs.items())
        entries.append(f'[{name}]\nqrels = "in/{name}/qrels.txt"\nruns = {{{paths}}}\n')
        given[name] = (str(folder / name / "qrels.txt"), {run: str(each) for run, each in runs.items()})
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "table.toml").write_text("\n".join(entries))
    for each in (tmp_path / "table.csv", tmp_path / "table.toml", given):
        assert places(carob.check_collections(each)) == FAULTS
    pattern = [("y", str(folder / "{collection}" / "runs" / "y.run"))]
    assert places(carob.check_collections(folder, runs=pattern)) == {("duplicate-documents", "B", "y")}


def test_all_errors_of_a_kind_are_listed_with_their_lines(tmp_path: Path) -> None:
    runs = {}
    for number in range(12):
        path = tmp_path / f"sys{number:02}.run"
        path.write_text(broken.run(**FEW) + f"q{number % 6:02} Q0 d{number % 6:02}x00 13 1.5 run\n")
        runs[path.stem] = str(path)
    (tmp_path / "qrels.txt").write_text(broken.qrels(queries=6))
    text = carob.check_collections({"A": (str(tmp_path / "qrels.txt"), runs)}).to_text()
    for number in range(12):
        assert f"A/sys{number:02}: 1 document occurs more than once" in text
    assert " ".join(text.split()).count("first on line") == 12
    assert "error: duplicate-documents in 12 files" in text


def test_a_clean_folder_exits_with_0_and_a_warning_with_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("A", "B"):
        (tmp_path / name).mkdir()
        judged = broken.qrels()
        (tmp_path / name / "qrels.txt").write_text(
            judged if name == "A" else judged.replace("x02 0", "x02 1", 1)
        )
        (tmp_path / name / "x.run").write_text(broken.run())
    assert ended(tmp_path) == 0
    assert capsys.readouterr().out == "clean\n"
    (tmp_path / "B" / "y.run").write_text(broken.run(depth=11))
    assert ended(tmp_path) == 1
    text = capsys.readouterr().out
    assert (
        "warning: missing-run in A/y\n    the collection lacks this run, which 1 other collection has\n"
        in text
    )
    assert "--absent skip, zero, drop-collections or drop-runs." in " ".join(text.split())
    assert ended(tmp_path, "--strict") == 2


def test_what_cannot_be_found_is_a_finding_and_the_rest_is_checked(tmp_path: Path) -> None:
    folder = submissions(tmp_path)
    (folder / "A" / "qrels.txt").rename(folder / "A" / "judged.txt")
    (folder / "B" / "qrels.txt").write_text("q00 0 d00x00\n")
    (folder / "D").mkdir()
    found = carob.check_collections(folder)
    assert places(found) == {
        ("refused-collection", "A", str(folder / "A" / "judged.txt")),
        ("malformed", "B", str(folder / "B" / "qrels.txt")),
        ("truncated", "C", "x"),
        ("refused-collection", "D", str(folder / "D")),
    }
    assert found.exit_code == 2


def test_a_table_with_several_faults_names_all_of_them(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text(broken.qrels())
    (tmp_path / "x.run").write_text(broken.run())
    table = tmp_path / "table.csv"
    table.write_text(
        "collection,qrels,run\nA,q.txt,x.run\nA,other.txt,y.run\n,q.txt,x.run\nB,q.txt,gone.run\n"
    )
    found = carob.check_collections(table)
    refused = [
        (each.collection, each.what.partition(", ")[2], each.remedy)
        for each in found.of("refused-collection")
    ]
    assert refused == [
        ("A", "line 3: collection 'A' has two different qrels", "Name the same qrels in each of its rows."),
        (None, "line 4: a cell is empty", "Fill in the collection, the qrels and the run."),
    ]
    assert [(each.collection, each.subject) for each in found.of("unreadable")] == [("B", "gone")]


def test_values_are_checked_for_what_values_show() -> None:
    def values(column: list[float | None]) -> dict[str, dict[str, float]]:
        return {"AP": {f"q{row}": each for row, each in enumerate(column) if each is not None}}

    runs = {
        "one": values([1.0] * 6),
        "x": values([0.5] * 6),
        "y": values([0.5] * 6),
        "z": values([0.2] * 5 + [None]),
    }
    scores = carob.read_scores(runs, missing="zero")
    found = carob.check_collections({"A": scores, "B": scores})
    assert places(found, "warning") == {
        (kind, name, run)
        for name in "AB"
        for kind, run in (("perfect", "one"), ("identical-runs", "y"), ("missing-queries", "z"))
    } | {("same-collection", "B", "scores")}


def test_an_empty_list_known_from_scores_is_the_finding_that_the_files_have() -> None:
    qrels = {query: {"d": 1, "e": 0} for query in ("q1", "q2", "q3")}
    run = {"q1": {"e": 2.0, "d": 1.0}, "q2": {}}
    found = carob.check_collections({"A": carob.evaluate(qrels, {"x": run}, "AP")})
    assert places(found, "warning") == {("missing-queries", "A", "x"), ("unanswered-queries", "A", "x")}
    of_files = carob.check_collections({"A": (qrels, {"x": run})})
    assert places(of_files, "warning") >= places(found, "warning")


def test_a_folder_of_values_with_a_gap_or_a_word_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "A.csv").write_text("run,query,AP\nx,q1,0.5\nx,q2,0.5\n")
    (tmp_path / "B.csv").write_text("run,query,AP\nx,q1,0.5\nx,q2,high\n")
    (tmp_path / "C.csv").write_text("run,query,AP\nx,q1,0.5\nx,q1,0.7\n")
    found = carob.check_collections(tmp_path)
    assert [each.collection for each in found.of("refused-collection")] == ["B", "C"]
    assert found.exit_code == 2


def test_comparing_unreadable_runs_names_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = submissions(tmp_path)
    with pytest.raises(SystemExit):
        main(["compare", "--collections", str(folder)])
    assert capsys.readouterr().err.endswith("carob check --collections lists the problems of all runs.\n")
    qrels = {"q1": {"a": 1}}
    bad = {"q1": {"a": float("nan")}}
    with pytest.raises(DataError, match=r"collection 'news': .*carob\.check_collections lists the problems"):
        carob.compare_collections(
            {"web": (qrels, {"a": qrels, "b": qrels}), "news": (qrels, {"a": bad, "b": qrels})}
        )


def test_a_check_needs_files_or_collections(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, said in (
        ([], "or use --collections"),
        (["--collections", "-"], "does not read standard input"),
    ):
        with pytest.raises(SystemExit):
            main(["check", *arguments])
        assert said in capsys.readouterr().err


def test_findings_of_collections_are_a_frame_and_markdown() -> None:
    pytest.importorskip("polars", reason="a frame needs polars")
    found = carob.check_collections(KITCHEN, measures=["RR"])
    assert found.to_frame("polars").columns[0] == "collection"
    assert "| baking/" in found.to_markdown()


def test_a_check_shows_nothing_of_files_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, elsewhere = tmp_path / "in", tmp_path / "secret.txt"
    inside.mkdir()
    monkeypatch.chdir(inside)
    elsewhere.write_text("TOKEN=hush hush hush\n")
    (inside / "q.txt").write_text(broken.qrels(queries=6))
    (inside / "x.run").write_text(broken.run(**FEW))
    rows = ["collection,qrels,run", f"A,q.txt,{elsewhere}", "B,q.txt,x.run", f"C,{elsewhere},x.run"]
    (inside / "table.csv").write_text("\n".join(rows) + "\n")
    assert ended("table.csv", "--format", "json") == 2
    out = capsys.readouterr().out
    assert "hush" not in out
    found = json.loads(out)["findings"]
    assert [each["collection"] for each in found if each["code"] == "refused-collection"] == ["A", "C"]
    assert [each["collection"] for each in found if each["code"] == "few-queries"] == ["B"]


def copies(folder: Path) -> Path:
    """A, its copy B with lines in another order, C with the judgments of A and other runs, and D."""
    for name, run in (("A", "x"), ("B", "x"), ("C", "y"), ("D", "x")):
        (folder / name).mkdir(parents=True)
        judged = broken.qrels(queries=6 - (name == "D"))
        lines = judged.splitlines(keepends=True)
        (folder / name / "qrels.txt").write_text(
            "".join(sorted(lines, reverse=True)) if name == "B" else judged
        )
        score = {
            "x": lambda query, place: f"{30 - place}.5",
            "y": lambda query, place: f"{7 * place % 30}.5",
        }[run]
        text = broken.run(score, **FEW)
        (folder / name / "one.run").write_text(text)
    return folder


def test_copies_of_collections_are_named_as_by_compare(tmp_path: Path) -> None:
    folder = copies(tmp_path / "in")
    found = carob.check_collections(folder)
    named = {(each.code, each.collection) for each in found if each.code.startswith("same-")}
    assert named == {("same-collection", "B"), ("same-judgments", "C")}
    compared = carob.evaluate_collections(folder, "AP").notes
    assert named == {(each.kind, each.collection) for each in compared if each.kind.startswith("same-")}
    (same,) = found.of("same-collection")
    assert (same.what, same.severity) == (
        "the collection has the same judgments and the same runs as A",
        "warning",
    )
    for text in (found.to_text(), found.to_json(), found.to_html(), found.to_csv()):
        assert "the same judgments and the same runs as A" in " ".join(text.split())


def test_copies_of_scores_are_named(tmp_path: Path) -> None:
    folder = copies(tmp_path / "in")
    scores = {
        name: carob.evaluate(folder / name / "qrels.txt", {"one": folder / name / "one.run"}, "AP")
        for name in "ACD"
    }
    found = carob.check_collections({"A": scores["A"], "copy": scores["A"], "D": scores["D"]})
    assert [(each.collection, each.subject) for each in found.of("same-collection")] == [("copy", "scores")]


def test_faulty_runs_of_copied_judgments_leave_a_note(tmp_path: Path) -> None:
    folder = copies(tmp_path / "in")
    (folder / "B" / "one.run").write_text("q00 Q0 d 1 nan t\n")
    found = carob.check_collections(folder)
    assert [each.collection for each in found.of("same-judgments")] == ["B", "C"]
    assert not carob.check_collections(KITCHEN).of("same-judgments")
