"""Advice is followed to the letter: its options belong to the command that gave it, and its commands end well."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import carob
from carob.cli import COMMANDS, commands, main
from strategies import first

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("polars", reason="reads the tables")

QUERIES = [f"q{number}" for number in range(4)]
OPTION = re.compile(r"(?<![\w/'-])--[a-z][a-z-]+")
OF_COMMAND = re.compile(r"\bcarob ([a-z-]+) [^;]*?(?=[;,]| or |\. |$)")
"""A command in a sentence, with what belongs to it."""


def text(columns: Callable[[str, int], list[object]], head: str = "", separator: str = " ") -> str:
    """A line for each of three documents of each query, below a header."""
    rows = (columns(query, place) for query in QUERIES for place in range(3))
    return head + "".join(separator.join(map(str, row)) + "\n" for row in rows)


def judged(grade: Callable[[int], object] = lambda place: 2 - place) -> str:
    return text(lambda query, place: [query, 0, f"{query}d{place}", grade(place)])


def ranked(score: Callable[[int], object] = lambda place: 3.5 - place) -> str:
    return text(lambda query, place: [query, "Q0", f"{query}d{place}", place + 1, score(place), "t"])


def table(head: str, *cells: Callable[[int], object], separator: str = ",") -> str:
    return text(
        lambda query, place: [query, f"{query}d{place}", *(each(place) for each in cells)],
        f"{head}\n",
        separator,
    )


def lines(row: Callable[[str], object]) -> str:
    return "".join(f"{json.dumps(row(query))}\n" for query in QUERIES)


QRELS = {
    "twice.qrels": judged() + "q0 0 q0d0 1\n",
    "by-subtopic.qrels": judged() + "q0 1 q0d0 1\nq0 2 q0d0 1\n",
    "five.qrels": judged().replace("\n", " x\n"),
    "three.qrels": judged().replace(" 0 ", " "),
    "words.qrels": judged(lambda place: ("Good", "Fair", "Bad")[place]),
    "levels.qrels": judged(lambda place: f"L{place}"),
    "comma.qrels": judged(lambda place: f"{place},5"),
    "wide.qrels": judged(lambda place: "12345678901234567890"),
    "empty.qrels": "",
    "two.csv": table("qid,docno,docid,grade", lambda _: "x", lambda _: 1),
    "odd.csv": table("a,b,c", lambda place: place),
    "words.csv": table("qid,docno,grade", lambda place: ("Good", "Fair", "Bad")[place]),
    "scores.csv": table("qid,docno,score", lambda place: place + 0.5),
    "sample.csv": table("qid,docno,grade,probability", lambda place: place, lambda _: 0.5),
    "sample-in-words.csv": table("qid,docno,grade,probability", lambda _: "Good", lambda _: 0.5),
    "size.csv": table("qid,docno,grade,sample_size", lambda place: place, lambda _: 12),
    "lists.jsonl": lines(lambda query: {"query_id": query, "docs": [f"{query}d0"]}),
    "log.jsonl": lines(
        lambda query: {"id": query, "retrieved_ids": ["a"], "reference_ids": ["a"], "relevance": [1]}
    ),
    "per-query.csv": "run,query,AP\nr,q0,0.5\nr,q1,0.25\n",
    "per-query": "map\tq0\t0.5\nmap\tq1\t0.25\n",
    "other.qrels": judged().replace("q", "z"),
}
RUNS = {
    "twice.run": ranked() + "q0 Q0 q0d0 1 3.5 t\n",
    "five.run": ranked().replace(" t\n", "\n"),
    "three.run": text(lambda query, place: [query, f"{query}d{place}", 3.5 - place]),
    "three-by-tabs.run": text(lambda query, place: [query, f"{query}d{place}", 3.5 - place], separator="\t"),
    "four.run": text(lambda query, place: [query, f"{query}d{place}", place + 1, 3.5 - place]),
    "rankless.run": text(lambda query, place: [query, "Q0", f"{query}d{place}", 3.5 - place, "t"]),
    "scoreless.run": text(lambda query, place: [query, "Q0", f"{query}d{place}", place + 1, "t"]),
    "uniterated.run": text(lambda query, place: [query, f"{query}d{place}", place + 1, 3.5 - place, "t"]),
    "uneven.run": ranked() + "q9 Q0 d 1 1 t x\n",
    "joined.run": ranked().replace(" t\n", " t", 1),
    "nan.run": ranked(lambda _: "nan"),
    "word.run": ranked(lambda _: "high"),
    "ties.run": ranked(lambda _: 1),
    "distances.run": ranked(lambda place: place + 0.5),
    "missing.run": "q1 Q0 q1d0 1 1 t\n",
    "empty.run": "",
    "odd.csv": table("a,b,c", lambda place: place),
    "place.csv": table("qid,docno,place", lambda place: place + 1),
    "twice.csv": table("qid,docno,score", lambda place: place) + "q0,q0d0,9\n",
    "null.csv": table("qid,docno,score", lambda place: place) + "q0,q0d9,\n",
    "lists.jsonl": lines(lambda query: {"query_id": query, "docs": ["a"], "items": ["b"]}),
    "rows.jsonl": lines(lambda query: {"query_id": "q", "docs": ["a"]}),
    "per-query.csv": "run,query,AP\nr,q0,0.5\nr,q1,0.25\n",
    "other.run": ranked().replace("q", "z"),
}


@pytest.fixture(autouse=True)
def good(folder: Path) -> Path:
    """A folder with judgments ``Q``, runs ``R``, ``S`` and ``T``, and the record of a run ``mine`` in memory."""
    Path("Q").write_text(judged())
    Path("R").write_text(ranked())
    Path("T").write_text(ranked(lambda place: (1.5, 3.5, 2.5)[place]) + "q0 Q0 unjudged 4 0.5 t\n")
    Path("S").write_text(ranked(lambda place: (2.5, 3.5, 1.5)[place]))
    made = {query: {f"{query}d0": 1} for query in QUERIES}
    carob.record(carob.evaluate(made, made, "AP", name="mine"), "record.json")
    return folder


def calls(qrels: str, run: str) -> list[list[str]]:
    """A call of each command that reads judgments and runs."""
    return [
        each.split()
        for each in (
            f"eval {qrels} {run} -m AP",
            f"compare {qrels} {run} S -m AP",
            f"explain AP {qrels} {run} --query q0",
            f"difference trec_eval-9 carob AP {qrels} {run}",
            f"agreement {qrels} Q {run} S",
            f"plan {qrels} {run} S --difference 0.1 -m AP",
            f"best {qrels} {run} S -m AP",
            f"correlate {qrels} Q {run} S T",
            f"gate {qrels} {run} --min AP=0.1",
            f"gate {qrels} R --baseline {run} --max-drop AP=0.9",
            f"next {qrels} {run} T",
            f"check {qrels} {run}",
            f"verify record.json --qrels {qrels} --run mine={run}",
        )
    ]


def command(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit status of a call, and what it printed, on one line."""
    status = 0
    try:
        main(list(arguments))
    except SystemExit as end:
        status = int(end.code or 0)
    printed = capfd.readouterr()
    return status, " ".join(f"{printed.err} {printed.out if arguments[0] == 'check' else ''}".split())


def options_of(name: str) -> set[str]:
    """The options of a command. A check names those of ``carob eval``, too."""
    found = commands.get_command(click.Context(commands), name)
    assert found is not None
    its = {option for each in found.params for option in each.opts}
    return its | options_of("eval") if name == "check" else its


def strangers(sentence: str, speaker: str) -> list[str]:
    """Words of Python in a sentence, and options of neither the command that it names nor the one that said it."""
    found = []
    for match in OPTION.finditer(sentence):
        named = [
            each[1] for each in OF_COMMAND.finditer(sentence) if each.start() < match.start() < each.end()
        ]
        if named == ["trec-eval"]:
            continue
        if match[0] not in options_of(named[0] if named and named[0] in COMMANDS else speaker):
            found.append(f"{speaker}: {match[0]} in: {sentence}")
    if in_python := re.search(r"\bcarob\.[A-Za-z.]+\(|\bpolicy=|\b\w+=\[", sentence):
        found.append(f"{speaker}: {in_python[0]} in: {sentence}")
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    "file", first([f"qrels/{each}" for each in QRELS] + [f"runs/{each}" for each in RUNS], 20)
)
def test_an_option_in_advice_is_one_of_the_command_that_advises_it(
    file: str, capfd: pytest.CaptureFixture[str]
) -> None:
    kind, name = file.split("/")
    Path(name).write_text({"qrels": QRELS, "runs": RUNS}[kind][name])
    found = []
    for call in calls(name, "R") if kind == "qrels" else calls("Q", name):
        found += strangers(command(capfd, *call)[1], call[0])
    assert found == []


def test_every_option_and_command_in_the_sentences_exists() -> None:
    """Those of all catalogues and modules, whoever says them."""
    known = set().union(*(options_of(each) for each in COMMANDS if each != "trec-eval")) | {
        "--help",
        "--version",
    }
    others = {"--archives", "--upgrade", "--option"}  # those of Spark and pip, and any
    wrong = []
    for path in sorted(Path(carob.__file__).parent.rglob("*")):
        if (
            path.suffix not in (".py", ".toml")
            or path.parts[-2] in ("compat", "templates")
            or path.name == "options.py"
        ):
            continue
        content = path.read_text(encoding="utf-8")
        wrong += [f"{path.name}: {each}" for each in set(OPTION.findall(content)) - known - others]
        wrong += [
            f"{path.name}: carob {each}"
            for each in set(re.findall(r"(?:use|run|Run|with|and|or|'|`) ?carob ([a-z-]+) [A-Z-]", content))
            if each not in COMMANDS
        ]
    assert wrong == []


HITS = lines(
    lambda query: {
        "query_id": query,
        "hits": {"hits": [{"_id": f"{query}d{place}", "_score": None} for place in range(3)]},
    }
)
FOLLOWED: dict[str, tuple[str, str, str]] = {
    "words": ("words.qrels", QRELS["words.qrels"], "--grade-words Good=2,Fair=1,Bad=0"),
    "words of a table": ("words.csv", QRELS["words.csv"], "--grade-words Good=2,Fair=1,Bad=0"),
    "levels": ("levels.qrels", QRELS["levels.qrels"], "--grade-words L3=3,L2=2,L1=1,L0=0"),
    "levels of a table": (
        "levels.csv",
        table("qid,docno,grade", lambda place: f"L{place}"),
        "--grade-words L3=3,L2=2,L1=1,L0=0",
    ),
    "all names": (
        "odd.csv",
        QRELS["odd.csv"],
        "--qrels-columns query=…,document=…,grade=…=a,b,c",
    ),
    "a document judged twice": ("twice.qrels", QRELS["twice.qrels"], "--duplicates first"),
    "a document listed twice": ("twice.csv", RUNS["twice.csv"], "--duplicates first"),
    "uneven lines": ("uneven.run", RUNS["uneven.run"], "--columns trec_eval"),
    "lenient": ("uneven.run", RUNS["uneven.run"], "--lenient"),
    "part of a run": ("empty.run", "", "--overlap none"),
    "all names of a run": ("odd.run.csv", RUNS["odd.csv"], "--run-columns query=…,document=…,score=…=a,b,c"),
    "a place": ("place.csv", RUNS["place.csv"], "--run-columns rank=…=place"),
    "hits in another order": ("hits.jsonl", HITS, "--run-columns rank=hits.hits"),
    "a sample that is none": ("size.csv", QRELS["size.csv"], "--qrels-columns probability:=1"),
    "grades of what was retrieved": (
        "log.jsonl",
        QRELS["log.jsonl"]
        .replace("[1]", "[1, 0]")
        .replace('"retrieved_ids": ["a"]', '"retrieved_ids": ["a", "b"]'),
        "--qrels-columns document=retrieved_ids,grade=relevance",
    ),
    "lists without grades": ("lists.jsonl", QRELS["lists.jsonl"], "--qrels-columns grade:=1"),
}


@pytest.mark.parametrize("case", FOLLOWED)
def test_an_option_that_is_advised_mends_the_fault(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Names in an option stand for … in the advice."""
    name, content, option = FOLLOWED[case]
    advised, *names = re.split(r"(?<=…)=", option)
    Path(name).write_text(content)
    judged = name.endswith(".qrels") or option.startswith(("--qrels", "--grade"))
    pair = [name, "R"] if judged else ["Q", name]
    status, said = command(capfd, "eval", *pair, "-m", "AP")
    assert status == 2
    assert advised in said.replace("first, last or max", "first")
    for each in names[0].split(",") if names else ():
        advised = advised.replace("…", each, 1)
    assert command(capfd, "eval", *pair, "-m", "AP", *advised.split())[0] == 0


REWRITTEN: dict[str, tuple[str, str]] = {
    "five columns of judgments": ("five.qrels", QRELS["five.qrels"]),
    "three columns of judgments": ("three.qrels", QRELS["three.qrels"]),
    "no tag": ("five.run", RUNS["five.run"]),
    "no rank": (
        "rankless.run",
        text(lambda query, place: [query, "Q0", f"{query}d{place}", 3.5 - place, "t"]),
    ),
    "three columns of a run": ("three.run", RUNS["three.run"]),
    "four columns of a run": ("four.run", RUNS["four.run"]),
}


@pytest.mark.skipif(shutil.which("awk") is None, reason="runs awk")
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("case", REWRITTEN)
def test_a_command_that_is_advised_rewrites_the_file(
    case: str, end: str, capfd: pytest.CaptureFixture[str]
) -> None:
    name, content = REWRITTEN[case]
    Path(name).write_bytes(content.replace("\n", end).encode())
    kind = 0 if name.endswith("qrels") else 1
    pair = ["Q", "R"]
    expected = carob.evaluate(*pair, "nDCG")["nDCG"]
    pair[kind] = name
    status, said = command(capfd, "eval", *pair, "-m", "nDCG")
    assert status == 2
    advised = re.search(r"awk [^']*'[^']*'", said)
    assert advised
    done = subprocess.run(f"{advised[0]} {name}", shell=True, capture_output=True, check=True)
    Path("new").write_bytes(done.stdout)
    pair[kind] = "new"
    assert carob.evaluate(*pair, "nDCG")["nDCG"] == expected


NUMBERS = {
    "0,5": "write 0.5. If a point separates thousands, remove it: 1234 for 1.234.",
    "1.234,5": "write 1234.5. If a point",
    "1 234,5": "write 1234.5. If a point",
    '"16,783"': "The comma is a thousands separator or a decimal comma: write 16783 or 16.783.",
    '"1,234.5"': "Remove the thousands separators: write 1234.5.",
    "1.234.567": "Remove the thousands separators: write 1234567.",
    "87%": "Remove the sign or unit from every line: write 87.",
    "87,5 %": "Remove the sign or unit from every line: write 87.5.",
    "-3 ms": "Remove the sign or unit from every line: write -3.",
}


def test_the_files_of_one_collection_are_told_where_they_belong(capfd: pytest.CaptureFixture[str]) -> None:
    """The judgments, too, belong in a folder below."""
    Path("all").mkdir()
    for name, path in (("Q", "judgments"), ("R", "a.run"), ("S", "b.run")):
        shutil.copy(name, f"all/{path}")
    said = command(capfd, "eval", "--collections", "all")[1]
    assert (
        "put the files of each collection into a separate folder, with judgments in a file whose name" in said
    )
    Path("all/web").mkdir()
    for name, path in (("judgments", "qrels"), ("a.run", "a.run"), ("b.run", "b.run")):
        Path(f"all/{name}").rename(f"all/web/{path}")
    assert command(capfd, "eval", "--collections", "all")[0] == 0


@pytest.mark.parametrize("name", ["sample", "values"])
def test_small_tables_tell_how_numbers_are_read(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    tables = {
        "sample": table("qid;docno;grade;probability", lambda _: 1, lambda _: "0,5", separator=";"),
        "values": "run;query;AP\na;q0;0,5\nb;q0;0,25\n",
    }
    calls = {"sample": ["--people", "sample.csv", "--judge", "Q", "R", "S"], "values": ["values.csv"]}
    Path(f"{name}.csv").write_text(tables[name])
    status, said = command(capfd, "compare", *calls[name])
    assert status == 2
    assert "The number has a decimal comma: write 0.5." in said


def test_a_sample_in_words_is_read_by_the_option_that_is_advised(capfd: pytest.CaptureFixture[str]) -> None:
    Path("sample.csv").write_text(QRELS["sample-in-words.csv"])
    call = ["compare", "--people", "sample.csv", "--judge", "Q", "R", "S"]
    status, said = command(capfd, *call)
    assert status == 2
    option = re.search(r"--grade-words \S+\d", said)
    assert option
    assert command(capfd, *call, *option[0].split())[0] == 0


@pytest.mark.parametrize("written", NUMBERS)
def test_numbers_for_people_are_told_how_carob_reads_them(
    written: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("run.csv").write_text(f"qid;docno;score\nq0;q0d0;{written}\nq0;q0d1;1.234\n")
    status, said = command(capfd, "eval", "Q", "run.csv")
    assert status == 2
    assert NUMBERS[written] in said
    plain = re.search(r"write (-?[0-9.]*[0-9])", said)
    assert plain
    Path("run.csv").write_text(f"qid;docno;score\nq0;q0d0;{plain[1]}\n")
    assert command(capfd, "eval", "Q", "run.csv")[0] == 0


def test_the_measure_of_a_curve_is_told_the_option_for_depths(capfd: pytest.CaptureFixture[str]) -> None:
    status, said = command(capfd, "curve", "Q", "R", "-m", "P@10")
    assert status == 2
    assert "pass the depths or levels as --at 1,5,10." in said
    assert command(capfd, "curve", "Q", "R", "-m", "P", "--at", "1,5,10")[0] == 0


def test_the_line_for_excel_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    content = table("qid;docno;score", lambda place: 3 - place, separator=";")
    Path("run.csv").write_text(f"sep=;\n{content}")
    status, said = command(capfd, "eval", "Q", "run.csv")
    assert status == 2
    assert "run.csv, line 1: the first line states the separator for Excel ('sep=;')" in said
    Path("run.csv").write_text(content)
    assert command(capfd, "eval", "Q", "run.csv")[0] == 0


@pytest.mark.parametrize("name", ["per-query", "per-query.csv"])
@pytest.mark.parametrize("place", [0, 1])
def test_per_query_scores_are_named_as_such(name: str, place: int, capfd: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(QRELS[name])
    pair = ["Q", "R"]
    pair[place] = name
    for speaker in ("eval", "check"):
        assert "look like per-query scores" in command(capfd, speaker, *pair)[1]


@pytest.mark.parametrize("name", ["ids.json", "ids.jsonl"])
@pytest.mark.parametrize("by_line", [False, True])
def test_ids_by_query_are_a_ranking_or_relevant(
    name: str, by_line: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    ids = {query: [f"{query}d1", f"{query}d0"] for query in QUERIES}
    content = "".join(f'{{"{query}": {json.dumps(ids[query])}}}\n' for query in ids)
    Path(name).write_text(content if by_line else json.dumps(ids))
    assert carob.evaluate("Q", name, "nDCG")["nDCG"] == carob.evaluate("Q", ids, "nDCG")["nDCG"]
    assert carob.evaluate(name, "R", "AP")["AP"] == carob.evaluate(ids, "R", "AP")["AP"]
    assert command(capfd, "check", "Q", name)[0] < 2
    Path(name).write_text(f"{content}{content}")
    with pytest.raises(
        carob.DataError, match=rf"{name}: query 'q0' has two rows that list .* line 1 and line 5"
    ):
        carob.evaluate("Q", name, "AP")


@pytest.mark.parametrize("name", ["five", "three", "four", "rankless", "scoreless", "uniterated"])
def test_a_command_that_adds_columns_makes_the_run_that_was_meant(
    name: str, good: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("a.run").write_text(RUNS[f"{name}.run"])
    status, printed = command(capfd, "eval", "Q", "a.run", "-m", "AP")
    assert status == 2
    program = re.findall(r"awk ('.*?')", printed)[0]
    Path("b.run").write_text(subprocess.check_output(f"awk {program} a.run", shell=True, text=True))
    run = carob.evaluate("Q", "b.run", ["AP", "nDCG"])
    assert run.means() == carob.evaluate("Q", "R", ["AP", "nDCG"]).means()


@pytest.mark.parametrize("column", range(6))
def test_a_line_that_lacks_a_column_is_not_mended_by_changing_all_lines(
    column: int, good: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, whole, arguments in (
        ("a.run", ranked(), ("Q", "a.run")),
        ("a.qrels", judged(), ("a.qrels", "R")),
    ):
        rows = [line.split() for line in whole.splitlines()]
        del rows[4][column % len(rows[4])]
        Path(name).write_text("".join(" ".join(row) + "\n" for row in rows))
        for asked in ("eval", "check"):
            status, printed = command(capfd, asked, *arguments)
            assert status == 2
            assert "line 5" in printed
            assert "awk" not in printed
