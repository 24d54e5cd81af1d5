"""Holds carob to the figures of the user's five notes, recomputed from each note's own formula."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from itertools import accumulate
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from carob import DataError, curve, evaluate_grades, evaluate_judged_ranking, explain
from carob.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

DOCS = Path(__file__).parents[1] / "docs"
FIGURE = re.compile(r"^\| (00\d) \|[^|]*\| `(carob [^`]*)` \| ([-\d. ]+) \| ([-\d. –]+) \|$", re.MULTILINE)
"""A row of the pages' table of figures: the note, the command, its value, and what the note prints."""
ENGLISH, CHINESE = (
    FIGURE.findall((DOCS / name).read_text(encoding="utf-8")) for name in ("notes.md", "notes.zh-CN.md")
)

# Note 000: two queries, grades in rank order.
BINARY = [[1, 1, 0, 1, 0, 1], [1, 0, 1, 1]]
GRADED = [[2, 1, 0, 3, 0, 1], [3, 0, 1, 2]]
# Notes 001 and 002: relevant documents at these ranks, of so many.
AT_RANKS = [[1, 1, None, 1, None, None, 1], [1, None, 1, None, 1]]
RELEVANT = [[1] * 4, [1] * 5]
FIRST_AT = [[0, 0, 1], [0, 1], [1]]
FIVE, POOL = [[5, 3, 2, 1, 2]], [[5, 3, 2, 1, 2, 4, 0]]
MIXED, SEVEN = [[1, 0, 2, 2, 1]], [[1, 0, 2, 2, 1, 3, 3]]
R_PRECISE = [[1] * 17 + [None] * 33, [1] * 7 + [None] * 3]
R_OF = [[1] * 50, [1] * 10]
# Note 003: grades, and hits among five bought.
FIVE_AGAIN, HITS = [[3, 2, 1, 3, 2]], [[1, 0, 0, 1, 0]]
BOUGHT = [[1] * 5]
JK, OWN = "discount=jk(2)", "ideal=retrieved"

# Note, ranked grades, all judged grades or None, measure, value of each query.
ROWS = [
    ("000", BINARY, None, "AP(over=retrieved)", [0.854167, 0.805556]),
    ("000", GRADED, None, "CG@6", [7, 6]),
    ("000", GRADED, None, "DCG@6", [4.279167, 4.361353]),
    ("000", GRADED, None, f"IDCG({OWN})@6", [5.192536, 4.761860]),
    ("000", GRADED, None, f"nDCG({OWN})@6", [0.824100, 0.915893]),
    ("001", AT_RANKS, RELEVANT, "AP", [0.830357, 0.453333]),
    ("001", FIRST_AT, None, "RR", [1 / 3, 1 / 2, 1]),
    ("001", FIVE, POOL, "CG@5", [13]),
    ("001", FIVE, POOL, "DCG(gain=exp2)@5", [38.507743]),
    ("001", FIVE, POOL, "IDCG(gain=exp2)@5", [46.416534]),
    ("001", FIVE, POOL, "nDCG(gain=exp2)@5", [0.829613]),
    ("001", MIXED, None, f"nDCG({OWN})@5", [0.774759]),
    # Its first kind of N takes the first n: better documents below rank n do not count.
    ("001", SEVEN, None, "nDCG(ideal=top)@5", [0.774759]),
    ("001", SEVEN, None, "nDCG(gain=exp2,ideal=top)@5", [0.717594]),
    ("001", SEVEN, None, f"nDCG({OWN})@5", [0.454867]),
    ("001", SEVEN, None, f"nDCG(gain=exp2,{OWN})@5", [0.286315]),
    ("001", [[0, 0, 0, 0, 0, 3]], None, "nDCG(ideal=top)@5", [0]),
    ("001", MIXED, None, f"nDCG(gain=exp2,{OWN})@5", [0.717594]),
    ("002", R_PRECISE, R_OF, "Rprec", [0.34, 0.70]),
    ("002", [[1, 1, 0, 1, 1]], None, "P@5", [0.8]),
    ("002", [[0, 0, None]], [[1, 0, 0]], "RR", [0]),
    ("003", FIVE_AGAIN, None, "CG", [11]),
    ("003", FIVE_AGAIN, None, f"DCG({JK})", [7.992283]),
    ("003", FIVE_AGAIN, None, "DCG(gain=exp2)", [13.568084]),
    ("003", FIVE_AGAIN, None, "DCG", [6.827595]),
    ("003", FIVE_AGAIN, None, f"IDCG({JK},{OWN})", [8.692536]),
    ("003", FIVE_AGAIN, None, f"nDCG({JK},{OWN})", [0.919442]),
    ("003", HITS, BOUGHT, f"nDCG({JK},{OWN})", [0.75]),
    ("003", HITS, BOUGHT, "nDCG@5", [0.485229]),
]
MEANS = [
    (BINARY, None, "AP(over=retrieved)", 0.829861),
    (GRADED, None, "CG@6", 6.5),
    (GRADED, None, "DCG@6", 4.320260),
    (GRADED, None, f"nDCG({OWN})@6", 0.869996),
    (AT_RANKS, RELEVANT, "AP", 0.641845),
    (FIRST_AT, None, "RR", 0.611111),
    (R_PRECISE, R_OF, "Rprec", 0.52),
]
# Note 002: measures at every rank. Its own vector of DCG has lost one entry.
G = [[3, 2, 3, 0, 0, 1, 2, 2, 3, 0]]
VECTORS = {
    "CG": [3, 5, 8, 8, 8, 9, 11, 13, 16, 16],
    f"DCG({JK})": [3, 5, 6.8928, 6.8928, 6.8928, 7.2796, 7.9921, 8.6587, 9.6051, 9.6051],
    "IDCG(discount=none)": [3, 6, 9, 11, 13, 15, 16, 16, 16, 16],
    f"IDCG({JK})": [3, 6, 7.8928, 8.8928, 9.7541, 10.5278, 10.8841, 10.8841, 10.8841, 10.8841],
    "nCG": [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.8125, 1, 1],
    f"nDCG({JK})": [1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7955, 0.8825, 0.8825],
}


@pytest.mark.parametrize(("note", "ranked", "judged", "measure", "values"), ROWS)
def test_a_figure_of_a_note(note: str, ranked: list, judged: list | None, measure: str, values: list) -> None:
    scores = evaluate_grades(ranked, [measure], judged)
    assert scores.matrix[:, 0].tolist() == pytest.approx(values, abs=5.1e-7), note


@pytest.mark.parametrize(("ranked", "judged", "measure", "mean"), MEANS)
def test_a_mean_of_a_note(ranked: list, judged: list | None, measure: str, mean: float) -> None:
    assert evaluate_grades(ranked, [measure], judged)[measure] == pytest.approx(mean, abs=5.1e-7)


@pytest.mark.parametrize("measure", VECTORS)
def test_a_vector_of_note_002(measure: str) -> None:
    found = curve([measure], grades=G)[measure]
    assert found == pytest.approx(VECTORS[measure], abs=5.1e-5)


def test_note_004_on_its_own_file(shared: Callable[..., Path]) -> None:
    qrels = shared("data", "microblog2014", "qrels.microblog2014.txt")
    scores = evaluate_judged_ranking(qrels, profile="note-004")
    assert {name: f"{value:.5f}" for name, value in scores.means().items()} == {
        "MAP": "0.27786",
        "MRR": "0.18739",
        "NDCG": "0.59977",
    }


@pytest.mark.parametrize(("note", "ranked", "judged", "measure", "values"), ROWS)
def test_a_derivation_ends_in_the_figure_of_a_note(
    note: str, ranked: list, judged: list | None, measure: str, values: list
) -> None:
    found = [
        explain(measure, grades=each, judged=pool).value
        for each, pool in zip(ranked, judged or [None] * len(ranked))
    ]
    assert found == pytest.approx(values, abs=5.1e-7), note


# Under its note's profile a note's own name gives the note's figure: here the arithmetic that the notes do by hand.
IN_ITS_OWN_WORDS = [
    ("note-000", BINARY, None, "MAP", [(1 + 1 + 3 / 4 + 4 / 6) / 4, (1 + 2 / 3 + 3 / 4) / 3]),
    ("note-000", GRADED[1:], None, "DCG@6", [3 + 1 / log2(4) + 2 / log2(5)]),
    ("note-000", GRADED[1:], None, "NDCG@6", [(3 + 1 / 2 + 2 / log2(5)) / (3 + 2 / log2(3) + 1 / 2)]),
    ("note-001", AT_RANKS, RELEVANT, "MAP", [(1 + 1 + 3 / 4 + 4 / 7) / 4, (1 + 2 / 3 + 3 / 5) / 5]),
    ("note-001", FIRST_AT, None, "MRR", [1 / 3, 1 / 2, 1]),
    ("note-001", FIVE, POOL, "DCG@5", [31 + 7 / log2(3) + 3 / 2 + 1 / log2(5) + 3 / log2(6)]),
    ("note-001", FIVE, POOL, "IDCG@5", [31 + 15 / log2(3) + 7 / 2 + 3 / log2(5) + 3 / log2(6)]),
    ("note-002", R_PRECISE, R_OF, "R-Precision", [17 / 50, 7 / 10]),
    ("note-002", G, None, "NDCG@3", [(3 + 2 + 3 / log2(3)) / (3 + 3 + 3 / log2(3))]),
    ("note-003", FIVE_AGAIN, None, "DCG", [3 + 2 + 1 / log2(3) + 3 / 2 + 2 / log2(5)]),
    ("note-003", FIVE_AGAIN, None, "IDCG", [3 + 3 + 2 / log2(3) + 2 / 2 + 1 / log2(5)]),
    ("note-003", FIVE_AGAIN, None, "DCG-2", [7 + 3 / log2(3) + 1 / 2 + 7 / log2(5) + 3 / log2(6)]),
    ("note-003", FIVE_AGAIN, None, "DCG-2-as-run", [3 + 2 / log2(3) + 1 / 2 + 3 / log2(5) + 2 / log2(6)]),
    ("note-003", HITS, BOUGHT, "NDCG", [(1 + 1 / 2) / 2]),
    ("note-004", BINARY, None, "MAP", [(1 + 1 + 3 / 4 + 4 / 6) / 4, (1 + 2 / 3 + 3 / 4) / 3]),
    ("note-004", [[-1, 2, 1]], None, "NDCG", [(2 + 1 / log2(3)) / (2 + 1)]),
]


@pytest.mark.parametrize(("profile", "ranked", "judged", "name", "values"), IN_ITS_OWN_WORDS)
def test_a_profile_gives_a_note_its_own_figure(
    profile: str, ranked: list, judged: list | None, name: str, values: list
) -> None:
    scores = evaluate_grades(ranked, name, judged, profile=profile)
    assert list(scores.by_query(name).values()) == pytest.approx(values, rel=1e-12)


def test_what_the_program_of_note_004_gets_wrong() -> None:
    """It divides by zero for the second query, and gives MAP = 1.5 for the other two."""
    right_at_four_and_five = [[0, 0, 0, 1], [0], [0], [0, 0, 0, 0, 1]]
    scores = evaluate_grades(right_at_four_and_five, profile="note-004")
    assert scores["MRR"] == pytest.approx((1 / 4 + 1 / 5) / 4)
    assert scores.counts.empty == 2
    with pytest.raises(DataError, match=r"line 3: .* \(first in line 1\)"):
        evaluate_judged_ranking(b"q 0 d 1\nq 0 x 0\nq 0 d 1\n", profile="note-004")
    other_bytes = evaluate_judged_ranking(b"q 0 d\xe9 1\nq 0 x 0\nq 0 d\xe8 1\n", profile="note-004")
    assert other_bytes["MAP"] == pytest.approx((1 + 2 / 3) / 2)


def test_the_vectors_of_note_002_by_hand() -> None:
    """The third of the entries that are alike, at ranks 3 to 5, is the one that the note lost."""
    found = curve(["DCG", "IDCG", "NDCG"], grades=G, profile="note-002")
    reached = [*accumulate([3, 2, 3 / log2(3), 0, 0, 1 / log2(6), 2 / log2(7), 2 / log2(8), 3 / log2(9), 0])]
    best = [3, 3, 3 / log2(3), 2 / log2(4), 2 / log2(5), 2 / log2(6), 1 / log2(7), 0, 0, 0]
    possible = [*accumulate(best)]
    assert found["DCG"] == pytest.approx(reached, rel=1e-12)
    assert found["IDCG"] == pytest.approx(possible, rel=1e-12)
    assert found["NDCG"] == pytest.approx([a / b for a, b in zip(reached, possible, strict=True)], rel=1e-12)


def test_both_pages_have_the_same_figures_of_all_notes() -> None:
    assert ENGLISH == CHINESE
    assert {note for note, *_ in ENGLISH} == {f"00{number}" for number in range(5)}


@pytest.mark.parametrize(("command", "shown"), [row[1:3] for row in ENGLISH])
def test_a_command_of_the_page_gives_its_figure(
    command: str, shown: str, shared: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, capfd
) -> None:
    if "microblog2014" in command:
        monkeypatch.chdir(shared("data", "microblog2014", "qrels.microblog2014.txt").parent)
    if "$(" in command:
        if not shutil.which("seq"):
            pytest.skip("no 'seq' on this machine to write fifty grades")
        echoed = subprocess.run(["sh", "-c", f"echo {command}"], capture_output=True, text=True, check=True)
        command = echoed.stdout
    main([*shlex.split(command)[1:], "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    if "curves" in found:
        (its,) = found["curves"].values()
        values = its["mean"]
    else:
        values = [found["value"]] if "value" in found else [*found["runs"][0]["means"].values()]
    decimals = 4 if len(values) > 1 else 5 if "runs" in found else 6
    assert values == pytest.approx([float(each) for each in shown.split()], abs=0.51 * 10**-decimals)
