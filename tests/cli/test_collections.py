"""``carob compare --collections``: folders, tables, patterns, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import carob
from carob.cli import main
from toys import command

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"
COLLECTIONS = sorted(each.parent for each in KITCHEN.glob("*/qrels.txt"))


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs ``carob compare --collections``, and returns its code, output and error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = command("compare", "--collections", *map(str, arguments))
        shown = capsys.readouterr()
        return code, shown.out, " ".join(shown.err.split())

    return run


def macro(text: str, measure: str = "nDCG@5") -> dict[str, float]:
    """The macro means of runs in JSON."""
    found = json.loads(text)
    names = [each["name"] for each in found["runs"]]
    return dict(zip(names, found["measures"][measure]["macro"], strict=True))


def test_a_folder_gives_what_python_gives(said) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = said(KITCHEN, "-m", "nDCG@5", "--format", "json")
    assert code == 0
    collections = {
        each.name: (
            str(each / "qrels.txt"),
            {run.stem: str(run) for run in sorted((each / "runs").iterdir())},
        )
        for each in COLLECTIONS
    }
    wanted = carob.compare_collections(collections, "nDCG@5")
    assert macro(out) == pytest.approx(dict(zip(wanted.names, wanted["nDCG@5"].macro, strict=True)))
    alone = carob.evaluate(*collections["rice"], "nDCG@5")
    cells = json.loads(out)["measures"]["nDCG@5"]["collections"]
    rice = next(each for each in cells if each["name"] == "rice")
    assert rice["means"] == pytest.approx([its["nDCG@5"] for its in alone.values()])


def test_beir_tables_patterns_and_values_give_the_same(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    wanted = macro(said(KITCHEN, "-m", "nDCG@5", "--format", "json")[1])
    rows, lines = ["collection,qrels,run"], []
    for each in COLLECTIONS:
        beir = tmp_path / "beir" / each.name
        (beir / "qrels").mkdir(parents=True)
        text = "query-id\tcorpus-id\tscore\n"
        for line in (each / "qrels.txt").read_text().splitlines():
            query, _, document, grade = line.split()
            text += f"{query}\t{document}\t{grade}\n"
        (beir / "qrels" / "test.tsv").write_text(text)
        (beir / "qrels" / "dev.tsv").write_text(text.splitlines()[0] + "\n")
        (beir / "corpus.jsonl").write_text('{"_id": "a", "text": "b"}\n')
        lines += [f"[{each.name}]", f'qrels = "beir/{each.name}/qrels/test.tsv"', "runs = ["]
        for run in sorted((each / "runs").iterdir()):
            (tmp_path / "found" / run.stem).mkdir(parents=True, exist_ok=True)
            copy = tmp_path / "found" / run.stem / f"{each.name}.txt"
            shutil.copy(run, copy)
            shutil.copy(run, beir / run.name)
            rows.append(f"{each.name},beir/{each.name}/qrels/test.tsv,beir/{each.name}/{run.name}")
            lines.append(f'  "beir/{each.name}/{run.name}",')
        lines.append("]")
    (tmp_path / "table.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "table.toml").write_text("\n".join(lines) + "\n")
    common = ("-m", "nDCG@5", "--format", "json")
    for path in (tmp_path / "beir", tmp_path / "table.csv", tmp_path / "table.toml"):
        assert macro(said(path, *common)[1]) == wanted, path
    patterns = [f"{tmp_path}/found/{name}/{{collection}}.txt" for name in wanted]
    assert macro(said(tmp_path / "beir", *patterns, *common)[1]) == wanted
    named = [
        f"new={tmp_path}/found/dense/{{collection}}.txt",
        f"old={tmp_path}/found/bm25/{{collection}}.txt",
    ]
    found = macro(said(KITCHEN, *named, *common)[1])
    assert found == {"new": wanted["dense"], "old": wanted["bm25"]}


def test_a_folder_of_score_files(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for name in ("rice", "soup"):
        (tmp_path / f"{name}.csv").write_text("query,a,b\nq1,0.5,0.25\nq2,0.1,0.2\n")
    code, out, _ = said(tmp_path, "-m", "AP", "--format", "json")
    assert (code, macro(out, "AP")) == (0, {"a": pytest.approx(0.3), "b": pytest.approx(0.225)})


def test_every_format_is_written(said) -> None:  # type: ignore[no-untyped-def]
    for layout, mark in (
        ("text", "macro mean"),
        ("markdown", "| macro mean |"),
        ("latex", "\\begin{tabular}"),
        ("csv", "measure,run,other,collections,difference"),
        ("tsv", "measure\trun\tother"),
    ):
        code, out, _ = said(KITCHEN, "-m", "nDCG@5", "-b", "bm25", "--rope", "0.01", "--format", layout)
        assert code == 0
        assert mark in out, layout


def test_a_missing_run_is_refused_in_the_words_of_the_command_line(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shutil.copytree(KITCHEN, tmp_path / "kitchen")
    (tmp_path / "kitchen" / "rice" / "runs" / "dense.run").unlink()
    code, _, error = said(tmp_path / "kitchen", "-m", "nDCG@5")
    assert code == 2
    assert "dense in rice. Choose --absent skip, zero, drop-collections or drop-runs." in error
    code, out, _ = said(tmp_path / "kitchen", "-m", "nDCG@5", "--absent", "skip")
    assert code == 0
    assert "dense in rice" in out


def test_own_measures_go_with_collections(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """The option stands for no argument of the command, and was refused as one without a meaning."""
    own = tmp_path / "own.py"
    own.write_text(
        "import carob\n@carob.measure('HitsOfKitchens', rows='relevant')\n"
        'def hits(r, rel: float = 1):\n    """The hit rate."""\n    return r.best(r.hits(rel))\n'
    )
    code, out, error = said(KITCHEN, "--import", own, "-m", "HitsOfKitchens@3")
    assert code == 0, error
    assert "HitsOfKitchens@3, macro mean over 7 collections." in " ".join(out.split())


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("{kitchen}", "--orders"), "--orders cannot be used with --collections"),
        (("{kitchen}", "--test", "tukey"), "--test cannot be used with --collections"),
        (("{kitchen}", "--record", "r.json"), "--record cannot be used with --collections"),
        (("{kitchen}", "--people", "x", "--judge", "y"), "cannot be used with --collections"),
        (("{kitchen}", "bm25.run"), "Pass the run of every collection, with {collection} in its path"),
        (("{kitchen}/rice/qrels.txt",), "this is not a table of collections"),
        (("{kitchen}/none",), "No such file"),
        (("{empty}",), "there are no collections"),
        (("{kitchen}", "-b", "bm26"), "No run is called 'bm26'. Did you mean bm25?"),
        (("{kitchen}", "-m", "nDGC"), "nDCG"),
    ],
)
def test_misuse_is_refused_in_a_sentence(said, arguments, wanted, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty").mkdir()
    places = {"{kitchen}": str(KITCHEN), "{empty}": str(tmp_path / "empty")}
    words = []
    for each in arguments:
        for mark, place in places.items():
            each = each.replace(mark, place)
        words.append(each)
    code, _, error = said(*words)
    assert code == 2
    assert wanted in error


def test_options_about_collections_need_collections(capsys: pytest.CaptureFixture[str]) -> None:
    for option, value in (("--average", "micro"), ("--borda", "all"), ("--absent", "skip")):
        with pytest.raises(SystemExit):
            main(["compare", "q", "a", "b", option, value])
        assert f"{option} needs --collections" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("t.csv", "collection,qrels,run\na,,x\n", "line 2: a cell is empty"),
        ("t.csv", "collection,qrels,run\na,q,x,y\n", "line 2: found 4 columns, but the first line has 3"),
        (
            "t.csv",
            "collection,qrels,run\na,q,x.run\na,r,y.run\n",
            "line 3: collection 'a' has two different qrels",
        ),
        (
            "t.csv",
            "collection,qrels,run\na,q,x.run\na,q,b/x.run\n",
            "t.csv, line 3: collection 'a' has two runs called 'x'",
        ),
        (
            "t.csv",
            "collection,qrels,run\na,q,x.run\nb,q,x.run\na,q,x.run\n",
            "t.csv, line 4: collection 'a' lists the run 'x' twice, both times",
        ),
        (
            "t.tsv",
            "collection\tqrels\trun\na\tq\tx.run\na\tq\tx.run\n",
            "line 3: collection 'a' lists the run 'x'",
        ),
        (
            "t.toml",
            "[a]\nqrels = 'q'\nruns = ['x.run', 'x.run']\n",
            "t.toml: collection 'a' lists the run 'x' twice",
        ),
        (
            "t.toml",
            "[a]\nqrels = 'q'\nruns = ['x.run', 'b/x.run']\n",
            'or as runs = {name = "path"} in TOML.',
        ),
        ("t.csv", "collection,qrels,run\n", "there are no collections"),
        ("t.csv", "", "not a table of collections"),
        ("t.csv", "collection,run,AP\na,x,often\n", "line 2"),
        ("t.csv", "collection,run,AP\n,x,0.5\n", "line 2: the name of the collection is empty"),
        ("t.toml", "[a]\nqrels = 3\n", "[a] is not a collection"),
        ("t.toml", "[a]\nqrels = 'q'\nruns = 3\n", "[a] is not a collection"),
        ("t.toml", "what", "this is not TOML"),
        ("t.toml", "", "there are no collections"),
    ],
)
def test_damaged_tables_are_refused_with_their_line(said, name, content, wanted, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / name).write_text(content)
    code, _, error = said(tmp_path / name)
    assert code == 2
    assert wanted in error
    assert "in a table of collections" not in error, "it is one"


@pytest.mark.parametrize("command", ["eval", "compare", "best", "report"])
def test_a_run_that_no_collection_has_is_refused_in_a_sentence(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A misspelt path was left out of all collections in silence."""
    shutil.copytree(KITCHEN, tmp_path / "K")
    monkeypatch.chdir(tmp_path)
    runs = [f"K/{{collection}}/runs/{each}.run" for each in ("bm25", "dense", "dens")]
    output = ["-o", "page.html"] if command == "report" else []
    with pytest.raises(SystemExit) as stopped:
        main([command, "--collections", "K", *runs, "--absent", "skip", "-m", "RR", *output])
    assert stopped.value.code == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(
        "carob: K/{collection}/runs/dens.run: no collection has this run: there is no K/baking/runs/dens.run, "
    )
    assert f"7 in all (working directory: {Path.cwd()}). Correct the path, or leave the run out." in shown.err
    # A run that one collection has is a missing run of the others, as before.
    for each in COLLECTIONS[1:]:
        (tmp_path / "K" / each.name / "runs" / "dense.run").unlink()
    if command == "eval":
        main([command, "--collections", "K", *runs[:2], "-m", "RR"])
        assert "no collection" not in capsys.readouterr().err


def test_a_check_finds_a_run_that_no_collection_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(KITCHEN, tmp_path / "K")
    monkeypatch.chdir(tmp_path)
    runs = [("a", "K/{collection}/runs/bm25.run"), ("b", "K/{collection}/runs/dens.run")]
    (finding,) = carob.check_collections("K", runs=runs).of("refused-collection")
    assert finding.severity == "error"
    assert "K/{collection}/runs/dens.run: no collection has this run" in finding.what
    # A collection that is refused for another reason may have the run.
    (tmp_path / "K" / "rice" / "runs" / "dens.run").write_text("q1 Q0 a 1 1 x\n")
    (tmp_path / "K" / "rice" / "qrels.txt").unlink()
    (finding,) = carob.check_collections("K", runs=runs).of("refused-collection")
    assert "the folder contains no judgments" in finding.what


def test_a_run_that_is_given_twice_is_refused_as_such(said) -> None:  # type: ignore[no-untyped-def]
    twice = said(KITCHEN, *[f"{KITCHEN}/{{collection}}/runs/bm25.run"] * 2)[2]
    assert "collection 'baking' lists the run 'bm25' twice, both times" in twice
    assert twice.endswith("Pass it once.")


def test_damaged_folders_are_refused(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "one" / "a"
    folder.mkdir(parents=True)
    assert "neither qrels nor runs" in said(tmp_path / "one")[2]
    assert "contains no judgments" in said(tmp_path / "one", "x/{collection}.run")[2]
    (folder / "x.run").write_text("q Q0 d 1 1.0 x\n")
    assert "no judgments in its folder" in said(tmp_path / "one")[2]
    (folder / "qrels.txt").write_text("q 0 d 1\n")
    (folder / "b.qrels").write_text("q 0 d 1\n")
    assert "several files could be the judgments" in said(tmp_path / "one")[2]


def test_the_report_is_one_page_with_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    main(
        [
            "report",
            "--collections",
            str(KITCHEN),
            "-m",
            "nDCG@5",
            "--title",
            "Kitchen <runs>",
            "-o",
            str(page),
        ]
    )
    text = page.read_text()
    told = capsys.readouterr().err
    assert "7 collections, 4 runs, 146 queries" in told
    assert told.rstrip().endswith(f", {len(text.encode()) / 1e3:.0f} kB.")
    assert "<title>Kitchen &lt;runs&gt;</title>" in text
    assert text.count("<svg") == 2
    assert text.count("<title>rice: ") == 3
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    for options in (["--queries", "q.tsv"], ["--unjudged-bounds"]):
        with pytest.raises(SystemExit):
            main(["report", "--collections", str(KITCHEN), "-o", str(page), *options])
        assert f"{options[0]} cannot be used with --collections" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["report", "q", "a", "b", "-o", str(page), "--target", "these"])
    assert "--target needs --people and --judge" in capsys.readouterr().err


VALUES = "collection,query,run,value\n"


@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        (
            "gap.csv",
            f"{VALUES}c1,q1,a,.1\nc1,q2,a,\nc1,q1,b,.3\nc1,q2,b,.3\n",
            ("gap.csv: collection 'c1': a has",),
        ),
        ("cell.csv", f"{VALUES}c1,q1,a,x\n", ("cell.csv, line 2: collection 'c1': the value is not",)),
        (
            "twice.csv",
            "collection,run,value\nc1,a,.1\nc1,b,.3\nc1,a,.4\n",
            ("twice.csv, line 4: a has a second value of value for collection 'c1'.",),
        ),
        (
            "files.csv",
            "collection,qrels,run\nc1,qrels.txt,nope\n",
            ("files.csv: collection 'c1' names a file", "nope. Correct"),
        ),
        (
            "files.csv",
            "collection,qrels,run\nc1,-,qrels.txt\n",
            ("files.csv: collection 'c1' names a file that does not exist",),
        ),
        (
            "files.toml",
            '[c1]\nqrels = "qrels.txt"\nruns = ["nope"]\n',
            ("files.toml: collection 'c1' names a file", "nope. Correct"),
        ),
    ],
)
def test_a_refused_table_names_itself_and_the_collection(  # type: ignore[no-untyped-def]
    said, tmp_path: Path, name: str, text: str, sentences: tuple[str, ...]
) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n")
    (tmp_path / name).write_text(text)
    code, out, error = said(tmp_path / name)
    assert (code, out) == (2, "")
    for each in sentences:
        assert each in error


def test_a_folder_of_values_names_the_collection_with_a_gap(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "c1.csv").write_text("query,run,AP\nq1,a,.1\nq2,a,\nq1,b,.3\nq2,b,.3\n")
    (tmp_path / "c2.csv").write_text("query,run,AP\nq1,a,.1\nq1,b,.3\n")
    code, _, error = said(tmp_path)
    assert code == 2
    assert "c1.csv: collection 'c1': a has no value of AP for 1 of 2 queries: q2." in error


def test_standard_input_is_no_collection(said) -> None:  # type: ignore[no-untyped-def]
    code, _, error = said("-")
    assert code == 2
    assert "--collections does not read standard input: pass a folder or a table." in error


def test_a_report_has_a_rope_only_with_collections(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    main(["report", "--collections", str(KITCHEN), "-m", "nDCG@5", "--rope", "0.02", "-o", str(page)])
    assert "P(worse)" in page.read_text()
    with pytest.raises(SystemExit):
        main(["report", "qrels.txt", "a.run", "b.run", "--rope", "0.02", "-o", str(page)])
    assert "--rope needs --collections." in capsys.readouterr().err


def test_a_file_that_adds_a_run_is_no_collection_of_its_own(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    flat, nested = tmp_path / "flat", tmp_path / "nested"
    flat.mkdir()
    for place, name in enumerate(("dl19", "dl20", "dl21")):
        (nested / name).mkdir(parents=True)
        for run, ending in (("bm25", ""), ("sys61", "-sys61")):
            text = f"run,query,AP\n{run},q1,0.{place + len(run)}\n{run},q2,0.3\n"
            (flat / f"{name}{ending}.csv").write_text(text)
            (nested / name / f"{run}.csv").write_text(text)
    for absent in ("refuse", "skip"):
        code, _, err = said(flat, "--absent", absent)
        assert code == 2
        assert (
            "'dl19' and 'dl19-sys61' have no run in common, but would count as two collections, because each file of "
            "this folder is a collection. If 'dl19-sys61' adds a run to 'dl19', make a folder for each collection"
            in err
        )
        assert str(flat / "dl19" / "sys61.json") in err
    code, out, _ = said(nested)
    assert code == 0
    assert out.startswith("3 collections | 2 runs | 6 queries")


def test_names_are_cut_only_where_width_matters(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    runs = ("webis-team-with-a-long-name-touche2020", "other-team-with-a-long-name-touche2020")
    names = ("a-collection-with-a-long-name", "b-collection-with-a-long-name")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "qrels.txt").write_text("q1 0 a 1\n")
        for place, run in enumerate(runs):
            lines = "q1 Q0 a 1 3 t\n" if place else "q1 Q0 b 1 4 t\nq1 Q0 a 1 3 t\n"
            (tmp_path / name / f"{run}.run").write_text(lines)
    latex = said(tmp_path, "-m", "RR", "--format", "latex")[1].partition("\\begin{tabular}")[2]
    assert "\N{HORIZONTAL ELLIPSIS}" not in latex.partition("\\begin{tikzpicture}")[0]
    assert all(name in latex for name in (*names, *(run[:-4] for run in runs)))
    pipes = [
        line for line in said(tmp_path, "-m", "RR", "--format", "markdown")[1].splitlines() if line[:1] == "|"
    ]
    assert "\N{HORIZONTAL ELLIPSIS}" not in "".join(pipes)
    assert "\N{HORIZONTAL ELLIPSIS}" in said(tmp_path, "-m", "RR")[1]


def test_a_report_shows_as_many_runs_and_pairs_as_one_asks_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    rows = [f"c{row},sys{run:02},{(run * 7 + row * 3) % 41 / 41}" for row in range(3) for run in range(35)]
    table.write_text("\n".join(["collection,run,AP", *rows]) + "\n")
    main(["report", "--collections", str(table), "-o", str(page)])
    assert "15 more runs are compared and not shown (--top 20)." in page.read_text()
    main(["report", "--collections", str(table), "-o", str(page), "--top", "35", "--pairs", "all"])
    html = page.read_text()
    assert "compared and not shown" not in html
    assert html.count("<tr>") > 35 * 34 / 2
    for option in (["--top", "5"], ["--pairs", "all"]):
        with pytest.raises(SystemExit):
            main(["report", "q", "a", "b", "-o", str(page), *option])
        assert f"{option[0]} needs --collections." in capsys.readouterr().err
