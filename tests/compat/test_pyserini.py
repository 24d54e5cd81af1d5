"""Pyserini's evaluation script with carob: judged documents, unjudged ones removed, runs of MS MARCO."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from carob import DataError
from carob.compat import trec_eval as original
from carob.compat.pyserini import trec_eval

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments of some documents, a run in shuffled lines, and the same run as MS MARCO's."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(3)
    queries = [f"q{number}" for number in range(12)]
    documents = [f"d{number}" for number in range(30)]
    judged = [
        (query, each, draw.choice([-1, 0, 1, 2])) for query in queries for each in draw.sample(documents, 12)
    ]
    Path("qrels").write_text("".join(f"{query} 0 {each} {grade}\n" for query, each, grade in judged))
    ranked = {query: draw.sample(documents, draw.randint(1, 20)) for query in [*queries[1:], "unjudged"]}
    lines = [
        f"{query} Q0 {each} {rank} {20 - rank} t\n"
        for query in ranked
        for rank, each in enumerate(ranked[query], 1)
    ]
    draw.shuffle(lines)
    Path("run").write_text("".join(lines))
    Path("msmarco").write_text(
        "".join("\t".join(line.split()[place] for place in (0, 2, 3)) + "\n" for line in lines)
    )


def printed(*arguments: str) -> str:
    command = [sys.executable, "-m", "carob.compat.pyserini", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def lines_of_trec_eval(*arguments: str) -> str:
    return b"".join(original.output(original.request_of(["--compat", "9", *arguments]))).decode()


def pooled(depth: int, lines: list[list[str]]) -> float:
    """The share of judged pairs among the first lines of all queries together."""
    pairs = {tuple(line.split()[:3:2]) for line in Path("qrels").read_text().splitlines()}
    queries = dict.fromkeys(each[0] for each in lines)
    top = [each for query in queries for each in [each for each in lines if each[0] == query][:depth]]
    return sum((each[0], each[2]) in pairs for each in top) / len(top)


def test_plain_measures_are_those_of_trec_eval() -> None:
    given = ("-c", "-m", "ndcg_cut.10", "-m", "map", "qrels", "run")
    assert printed(*given) == lines_of_trec_eval(*given)


def test_judged_is_pooled_over_the_first_lines_of_all_queries() -> None:
    lines = [line.split() for line in Path("run").read_text().splitlines()]
    found = printed("-m", "map", "-m", "judged.1,5", "-m", "judged.30", "qrels", "run")
    shares = [f"{f'judged_{depth}':22}\tall\t{pooled(depth, lines):.4f}\n" for depth in (1, 5, 30)]
    assert found == lines_of_trec_eval("-m", "map", "qrels", "run") + "".join(shares)
    assert len(set(shares)) == 3


@pytest.mark.parametrize("place", [0, 4])
def test_unjudged_documents_are_removed_before_everything(place: int) -> None:
    pairs = {tuple(line.split()[:3:2]) for line in Path("qrels").read_text().splitlines()}
    lines = Path("run").read_text().splitlines(keepends=True)
    Path("kept").write_text("".join(each for each in lines if tuple(each.split()[:3:2]) in pairs))
    given = ["-m", "map", "qrels", "run"]
    given.insert(place, "-remove-unjudged")
    assert printed(*given) == lines_of_trec_eval("-m", "map", "qrels", "kept")
    assert printed(*given) != lines_of_trec_eval("-m", "map", "qrels", "run")
    assert printed("-m", "judged.10", *given).endswith("all\t1.0000\n")


def test_a_run_of_ms_marco_is_scored_by_its_ranks() -> None:
    Path("msmarco").rename("ranks")
    assert printed("-M", "10", "-m", "recip_rank", "qrels", "ranks") == lines_of_trec_eval(
        "-M", "10", "-m", "recip_rank", "qrels", "run"
    )


def test_the_function_returns_the_last_measure(capsys: pytest.CaptureFixture[str]) -> None:
    value = trec_eval(["program", "-q", "-m", "map", "-m", "judged.3", "qrels", "run"], "q3")
    out = capsys.readouterr().out
    assert f"map                   \tq3\t{value:.4f}\n" in out
    assert "judged_3" in out
    assert trec_eval(["program", "-m", "map", "qrels", "run"]) == float(capsys.readouterr().out.split()[-1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-m", "map", "dl19-passage", "run"], "no file 'dl19-passage' of judgments.*pass the file"),
        (["-m", "map", "qrels", "nowhere"], "no file 'nowhere' of run"),
        (["-m", "judged.x", "qrels", "run"], r"'judged.x' is not a measure: .*judged.5,10"),
        (["-m", "nonsense", "qrels", "run"], "nonsense"),
        (["-m", "map", "qrels", "broken"], "broken.*line 2.*a query, a document and a rank"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(arguments: list[str], said: str) -> None:
    Path("broken").write_text("q1\td1\t1\nq1\td2\tfirst\n")
    with pytest.raises(DataError, match=said):
        trec_eval(["program", *arguments])
    command = [sys.executable, "-m", "carob.compat.pyserini", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "Traceback" not in ran.stderr
