"""Advice is followed to the letter: its options belong to the command that gave it, and its commands end well."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import carob
from carob.cli import COMMANDS, commands, main

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """A folder with judgments ``Q``, runs ``R`` and ``S``, and the record of a run ``mine`` in memory."""
    Path("Q").write_text(judged())
    Path("R").write_text(ranked())
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
            f"correlate {qrels} Q {run} S R",
            f"gate {qrels} {run} --min AP=0.1",
            f"gate {qrels} R --baseline {run} --max-drop AP=0.9",
            f"next {qrels} {run} S",
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
    """The options in a sentence that neither the command that it names nor the command that said it has."""
    found = []
    for match in OPTION.finditer(sentence):
        named = [
            each[1] for each in OF_COMMAND.finditer(sentence) if each.start() < match.start() < each.end()
        ]
        if named == ["trec-eval"]:
            continue
        if match[0] not in options_of(named[0] if named and named[0] in COMMANDS else speaker):
            found.append(f"{speaker}: {match[0]} in: {sentence}")
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("file", [f"qrels/{each}" for each in QRELS] + [f"runs/{each}" for each in RUNS])
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
