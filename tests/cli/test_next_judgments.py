"""``carob next``: its table of documents to judge, its formats, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import carob
from carob import DataError
from carob.cli import main

COFFEE = Path(__file__).resolve().parents[2] / "examples" / "coffee"
RUNS = [str(path) for path in sorted((COFFEE / "runs").glob("*.run"))]


def test_a_table_in_which_grades_are_filled_in_is_not_replaced(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text("q 0 a 2\nq 0 b 0\n")
    Path("r.run").write_text("q Q0 x 1 3 r\nq Q0 a 2 2 r\nq Q0 y 3 1 r\n")
    ask = ["next", "q.txt", "r.run", "-m", "DCG@3", "--budget", "2", "-o", "next.csv"]
    main(ask)
    main(ask)  # carob itself filled in the grades of a and b
    empty = Path("next.csv").read_text()
    assert empty.count("\nq,") == 4
    for filled in (
        empty.replace("q,x,,", "q,x,1,"),
        "\ufeff" + empty.replace("q,x,,", "q,x,1,").replace(",", ";").replace("\n", "\r\n"),
    ):
        Path("next.csv").write_bytes(filled.encode())
        capfd.readouterr()
        with pytest.raises(SystemExit):
            main(ask)
        error = capfd.readouterr().err
        assert "next.csv: 1 grade of this table is filled in, and would be lost" in error
        assert "another file to -o" in error
        assert Path("next.csv").read_bytes() == filled.encode()
    found = carob.next_judgments("q.txt", ["r.run"], "DCG@3", budget=2)
    Path("next.csv").write_text(empty.replace("q,x,,", "q,x,1,").replace("q,y,,", "q,y,0,"))
    with pytest.raises(DataError, match="2 grades of this table are filled in"):
        found.save(Path("next.csv"))
    found.save(tmp_path / "other.csv")
    assert Path("other.csv").read_text() == empty


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--people", "x", RUNS[0]), "--people needs --judge"),
        (("--judge", str(COFFEE / "model.txt")), "Pass at least one RUN"),
        ((str(COFFEE / "model.txt"),), "Pass a QRELS file and at least one RUN"),
        ((str(COFFEE / "people.txt"), RUNS[0], "-m", "AP", "-m", "RR"), "Pass one measure"),
        ((str(COFFEE / "people.txt"), RUNS[0], "-o", RUNS[0]), "is not overwritten"),
    ],
)
def test_the_command_refuses_impossible_requests(words, sentence, capfd) -> None:
    with pytest.raises(SystemExit):
        main(["next", *words])
    assert sentence in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("layout", ["json", "csv", "markdown", "html"])
def test_the_command_writes_every_format(layout, capfd) -> None:
    main(
        [
            "next",
            "--judge",
            str(COFFEE / "model.txt"),
            *RUNS,
            "-m",
            "DCG@15",
            "--format",
            layout,
            "--budget",
            "3",
        ]
    )
    out = capfd.readouterr().out
    if layout == "json":
        assert len(json.loads(out)["documents"]) == 3
    else:
        assert "query" in out
