"""Explanations: the value of evaluate, every step on the way, and nothing that a reader would trip over."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings

import carob
from carob import DataError, MeasureError, Policy, PolicyError
from carob.cli.explain import grades_in
from carob.matching.match import Ranking
from carob.measures import REGISTER
from strategies import examples, judgments, runs

if TYPE_CHECKING:
    from carob.diagnosis.explain import Explanation

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"
QRELS, RUN = TEA / "qrels.txt", TEA / "runs" / "bm25.run"
MEASURES = [
    name if REGISTER[name].at != "depth" else f"{name}@5"
    for name in REGISTER
    if REGISTER[name].takes == "grades"
]
MEASURES = [
    f"{name.partition('@')[0]}(max=4){'@5' * ('@5' in name)}"
    if "max" in REGISTER[name.partition("@")[0]].parameters
    else name
    for name in MEASURES
]


def printed(explanation: Explanation) -> list[str]:
    """The words of each line."""
    return [" ".join(line.split()) for line in str(explanation).splitlines()]


# ---------------------------------------------------------------- the value


@settings(max_examples=examples(20), deadline=None)
@given(judgments(), runs())
def test_the_value_is_that_of_evaluate(qrels: dict, run: dict) -> None:
    names = ["AP", "nDCG@2", "Bpref", "RBP", "IPrecMean"]
    for axes in ({}, {"ties": "optimistic"}, {"empty": "one"}, {"unjudged": "removed"}, {"missing": "nan"}):
        policy = Policy(**axes)
        try:
            scores = carob.evaluate(qrels, run, names, policy=policy)
        except DataError:
            assume(False)
        for name in names:
            for query, value in scores.by_query(name).items():
                found = carob.explain(name, qrels, run, query, policy=policy)
                assert found.value == value or (math.isnan(found.value) and math.isnan(value))
                assert str(found).startswith(f"{name} of query {query} = ")


@pytest.mark.parametrize("name", MEASURES)
def test_real_files_at_80_columns(name: str) -> None:
    found = carob.explain(name, QRELS, RUN, "t01")
    assert found.value == carob.evaluate(QRELS, RUN, name).by_query(name)["t01"]
    assert found.steps[-1].values == (found.value,)
    assert found.derivation.value == found.value
    lines = str(found).splitlines()
    assert lines[0] == lines[len(lines) - 1 - lines[::-1].index(lines[0])]
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]


@pytest.mark.parametrize(
    ("measure", "grades", "judged", "values"),
    [
        # Each value is written in the notes, or recomputed from their formulas.
        ("AP(over=retrieved)", "1,1,0,1,0,1", None, ["0.854167", "3.416667", "0.750000", "0.666667"]),
        ("CG@6", "2,1,0,3,0,1", None, ["7"]),
        ("DCG@6", "2,1,0,3,0,1", None, ["4.279167", "1.584963", "0.630930", "1.292030", "0.356207"]),
        ("DCG@6", "3,0,1,2", None, ["4.361353"]),
        ("IDCG(ideal=retrieved)@6", "2,1,0,3,0,1", None, ["5.192536"]),
        ("nDCG(ideal=retrieved)@6", "3,0,1,2", None, ["4.361353", "4.761860", "0.915893"]),
        ("DCG(gain=exp2)@5", "5,3,2,1,2", "5,3,2,1,2,4,0", ["38.507743", "4.416508"]),
        ("nDCG(gain=exp2)@5", "5,3,2,1,2", "5,3,2,1,2,4,0", ["38.507743", "46.416534", "0.829613"]),
        ("DCG(discount=jk(2))", "3,2,1,3,2", None, ["7.992283", "0.630930", "0.861353"]),
        ("nDCG(discount=jk(2), ideal=retrieved)", "1,0,0,1,0", "1,1,1,1,1", ["1.500000", "2", "0.750000"]),
        ("nDCG", "1,0,0,1,0", "1,1,1,1,1", ["0.485229"]),
    ],
)
def test_the_notes_derivations(measure: str, grades: str, judged: str | None, values: list[str]) -> None:
    known = None if judged is None else grades_in(judged)
    found = carob.explain(measure, grades=grades_in(grades), judged=known)
    words = str(found).replace(",", " ").replace(")", " ").split()
    for value in values:
        assert value in words, value


def test_a_derivation_in_full() -> None:
    assert str(carob.explain("AP", grades=[1, None, 0, 1], judged=[1, 0, 1, 2])) == (
        """\
AP = 0.500000

The mean of the precisions at the ranks of the relevant documents.
In full: AP(rel=1, over=relevant)

Ranked list
                       a           b             c
rank  grade  hits(rel=1)  running(a)  a * b / rank
   1      1            1           1      1.000000
   2      ·            0           1             0
   3      0            0           1             0
   4      1            1           2      0.500000
· is an unjudged document.

Steps to the value
   step                   in numbers        value
d  total(c)                              1.500000
e  size(relevant, rel=1)                        3
f  ratio(d, e)            ratio(1.5, 3)  0.500000

AP = 0.500000

"""
        + "\n".join(str(carob.explain("AP", grades=[1])).splitlines()[-5:])
        + "\n"
    )


def test_every_word_is_explained() -> None:
    for name in MEASURES:
        found = carob.explain(name, grades=[3, None, 0, 1], judged=[3, 3, 1, 0])
        used = {word for step in found.steps for word in re.findall(r"(?<![\w.])(\w+)\(", step.expression)}
        assert used <= set(found.derivation.words), name
        assert all(f"\n{word} " in str(found) for word in used), name


# ---------------------------------------------------------------- real lists


def test_documents_and_scores_stand_at_their_ranks() -> None:
    lines = printed(carob.explain("RR", QRELS, RUN, "t01"))
    assert "1 tea-033 3.007536 0 0 0" in lines
    assert "2 tea-067 2.726166 1 1 0.500000" in lines
    assert "bm25: 50 documents retrieved, 27 of them judged. qrels.txt: 39 judgments, 13 of" in lines


LONG_QRELS = {"q": {"d07": 2, "d31": 1, "d33": 1, "d50": 0, "absent": 1}}
LONG_RUN = {"q": {f"d{place:02}": float(100 - place) for place in range(1, 101)}}


def test_a_long_list_shows_head_judged_and_end() -> None:
    found = carob.explain("P@100", LONG_QRELS, LONG_RUN, "q", rows=16)
    ranks = [line.split()[0] for line in str(found).splitlines() if re.match(r" *(\d+|…)(  |$)", line)]
    assert ranks == [*map(str, range(1, 11)), "…", "31", "32", "33", "…", "50", "…", "99", "100"]
    assert "16 of 100 documents are shown; none of the 84 others is judged. · is an" in str(found)
    short = carob.explain("P@100", LONG_QRELS, LONG_RUN, "q", rows=14)
    assert "1 of the 85 others is judged" in " ".join(str(short).split())
    whole = carob.explain("P@100", LONG_QRELS, LONG_RUN, "q", rows=None)
    assert "…" not in str(whole)
    assert len(str(whole).splitlines()) > 100


def test_what_ties_did_is_said() -> None:
    qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "z": 1.0, "c": 0.5}}
    text = " ".join(str(carob.explain("RR", qrels, run, "q")).split())
    assert (
        "Equal scores at ranks 1–3 affect judged documents: document ids break the tie, in descending" in text
    )
    assert "Their worst and best order give 0.333333 and 1.000000." in text
    lines = printed(carob.explain("RR", qrels, run, "q", policy=Policy(ties="optimistic")))
    assert "1 a 1.0 1 1 1" in lines
    assert "2 z 1.0 · 0 0" in lines
    tie_free = carob.explain("RR", qrels, {"q": {"a": 2.0, "b": 1.0}}, "q")
    assert "Equal scores" not in str(tie_free)
    deeper = carob.explain("P@1", {"q": {"a": 1, "b": 1}}, {"q": {"x": 3.0, "a": 1.0, "b": 1.0}}, "q")
    assert "Equal scores" not in str(deeper)


def test_the_mean_over_orders_is_told_from_the_one_shown() -> None:
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}
    found = carob.explain("RR", qrels, run, "q", policy=Policy(ties="expected"))
    assert found.value == 0.75
    assert "this order gives 0.500000" in " ".join(str(found).split())


def test_what_else_was_decided_is_said() -> None:
    run = b"q Q0 a 1 3 t\nq Q0 b 1 2 t\nq Q0 a 1 1 t\n"
    qrels = b"q 0 a 1\nq 0 b -1\n"
    found = carob.explain("AP", qrels, run, "q", policy=Policy(duplicates="first", unjudged="removed"))
    assert "1 line of the run dropped because its document occurs twice (duplicates=first)." in found.facts
    assert "1 negative grade treated as unjudged (negative=unjudged)." in found.facts
    assert "Unjudged documents were removed before ranks were counted (unjudged=removed)." in found.facts
    assert [step.values for step in found.steps[:1]] == [(1.0,)]


LACKING = {f"x{number}": 1 for number in range(1, 7)} | {"x3": 3, "bad": 0, "gone": -1, "found": 2}


def test_relevant_documents_that_were_not_retrieved_are_named() -> None:
    found = carob.explain("AP", {"q": LACKING}, {"q": {"found": 2.0, "odd": 1.0}}, "q")
    named = "x3 (grade 3), x1 (grade 1), x2 (grade 1), x4 (grade 1), x5 (grade 1)"
    assert f"Relevant, but not retrieved: {named} and 1 more." in found.facts
    assert f"{named} and 1 more." in found.to_html()
    lacking = [
        {"document": "x3", "grade": 3.0},
        *({"document": f"x{n}", "grade": 1.0} for n in (1, 2, 4, 5, 6)),
    ]
    assert found.as_dict()["not_retrieved"] == lacking
    chinese = carob.explain("nDCG(gain=linear)@1", {"q": LACKING}, {"q": {"odd": 1.0}}, "q", lang="zh")
    assert "相关而没有检索到：x3（等级 3）, found（等级 2）, x1（等级 1）" in " ".join(chinese.facts)


def test_what_counts_as_relevant_and_as_retrieved_is_the_measures_and_the_policys() -> None:
    def said(measure: str, run: dict[str, float], **axes: str | int) -> list[str]:
        found = carob.explain(measure, {"q": LACKING}, {"q": run}, "q", policy=Policy(**axes))
        return [fact for fact in found.facts if "not retrieved" in fact]

    both = {"found": 2.0, "odd": 1.0}
    assert said("P(rel=2)@1", {"odd": 1.0}) == ["Relevant, but not retrieved: x3 (grade 3), found (grade 2)."]
    assert said("P(rel=2)@1", both | {"x3": 0.5}) == []  # below the measure's cut, but retrieved
    assert said("P(rel=2)@9", {"odd": 2.0, "found": 1.0}, depth=1) == [
        "Relevant, but not retrieved down to rank 1: x3 (grade 3), found (grade 2)."
    ]
    assert said("AP", both, judgments="retrieved") == []
    assert "not retrieved" not in str(carob.explain("AP", grades=[1], judged=[1, 1]))


def test_a_query_that_the_run_lacks() -> None:
    qrels = {"q": {"a": 1}, "p": {"a": 1}}
    found = carob.explain("AP", qrels, {"p": {"a": 1.0}}, "q")
    assert found.value == 0
    assert "The run does not contain this query, so the list is empty." in found.facts
    assert "No document was retrieved." in str(found)
    undefined = carob.explain("AP", qrels, {"p": {"a": 1.0}}, "q", policy=Policy(missing="nan"))
    assert str(undefined).startswith("AP of query q = undefined\n")
    assert (
        "The formula is not used, because the value of a missing query is undefined (missing=nan)."
        in undefined.facts
    )
    with pytest.raises(
        DataError,
        match=r"'q' is excluded from the evaluation, because run does not contain it \(missing=skip\)",
    ):
        carob.explain("AP", qrels, {"p": {"a": 1.0}}, "q", policy=Policy(missing="skip"))


def test_a_query_without_relevant_documents() -> None:
    found = carob.explain("AP", grades=[0, 0], policy=Policy(empty="one"))
    assert (found.value, found.derivation.value) == (1, 0)
    assert "without a relevant document the value is 1 (empty=one)" in found.facts[0]
    with pytest.raises(DataError, match="no relevant document"):
        carob.explain("AP", grades=[0, 0], policy=Policy(empty="skip"))


def test_an_unknown_query_gets_the_nearest() -> None:
    with pytest.raises(DataError, match=r"qrels.txt has no judgments for query 'T01'.* Did you mean t01"):
        carob.explain("AP", QRELS, RUN, "T01")
    with pytest.raises(DataError, match="They begin with query 'q'"):
        carob.explain("AP", {"q": {"a": 1}}, {"zzz": {"a": 1.0}}, "zzz")


def test_faults_of_other_queries_do_not_matter() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    found = carob.explain("AP", qrels, b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n2 Q0 a 2 1 t\n", "1")
    assert found.value == 1
    with pytest.raises(
        DataError, match=r"line 3: document '.*' is listed twice for query '2' \(first in line 2\)"
    ):
        carob.explain("AP", qrels, b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n2 Q0 a 2 1 t\n", "2")


def test_a_judged_ranking() -> None:
    ranking = b"q Q0 x -2\nq Q0 y 2\nq Q0 z 1\np Q0 x 1\n"
    found = carob.explain("NDCG", judged_ranking=ranking, query="q", profile="note-004")
    assert (
        found.value
        == carob.evaluate_judged_ranking(ranking, "NDCG", profile="note-004").by_query("NDCG")["q"]
    )
    lines = printed(found)
    assert "In full: nDCG(gain=linear, discount=jk(2), ideal=retrieved)" in lines
    assert "2 y 2 2 1.000000 2.000000" in lines
    removed = carob.explain("RR", judged_ranking=ranking, query="q", policy=Policy(unjudged="removed"))
    assert "1 y 2 1 1.000000" in printed(removed)


def test_what_cannot_be_explained() -> None:
    for arguments in (
        {},
        {"qrels": QRELS, "grades": [1]},
        {"qrels": QRELS, "run": RUN, "query": "t01", "judged": [1]},
    ):
        with pytest.raises(DataError, match="Pass 'qrels', 'run' and 'query', or 'grades'"):
            carob.explain("AP", **arguments)
    with pytest.raises(DataError, match="name it with query="):
        carob.explain("AP", QRELS, RUN)
    with pytest.raises(DataError, match="needs both judgments and a run"):
        carob.explain("AP", QRELS, query="t01")
    with pytest.raises(MeasureError, match="stands for 9 measures"):
        carob.explain("P", grades=[1])
    with pytest.raises(MeasureError, match="Did you mean"):
        carob.explain("nDCGG", grades=[1])
    with pytest.raises(PolicyError, match="no profile"):
        carob.explain("AP", grades=[1], profile="none")


# ---------------------------------------------------------------- forms

ODD = {"q": {"<b>&_|": 1, "x": 0}}, {"q": {"<b>&_|": 2.0, "x": 1.0, "y": 0.5}}


def test_markdown() -> None:
    text = carob.explain("RR", *ODD, "q").to_markdown()
    assert text.startswith("### RR of query q = 1.000000\n\n1 / the rank of the first relevant document")
    assert (
        "| rank | document | score | grade | a<br>hits(rel=1) | b<br>a / rank |\n| ---: | --- | ---: |"
        in text
    )
    assert "| 1 | &lt;b>&\\_\\| | 2.0 | 1 | 1 | 1 |" in text
    assert "- `best`: The largest value of each list" in text
    assert "\n\n\n" not in text


def test_latex() -> None:
    text = carob.explain("Bpref", *ODD, "q").to_latex()
    assert text.startswith("\\paragraph{Bpref of query q = 1.000000}")
    assert "n\\_relevant(rel=1)" in text
    assert "\\textless{}b\\textgreater{}\\&\\_\\textbar{}" in text
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") >= 3
    plain = re.sub(r"\\begin\{align\*\}.*?\\end\{align\*\}", "", text, flags=re.DOTALL)  # the formula
    assert not re.search(r"(?<!\\)[&_#%](?! )(?<! )", plain.replace(" & ", "").replace(" &", ""))
    for table in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end", text, re.DOTALL):
        assert {line.count(" & ") for line in table[1].splitlines() if line.endswith("\\\\")} == {
            len(table[0]) - 1
        }


class Balance(HTMLParser):
    """Collects what is wrong with a page: tags left open, and anything that would be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list) -> None:
        if tag not in ("br", "meta"):
            self.open.append(tag)
        self.wrong += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_a_page_of_its_own() -> None:
    for name in MEASURES:
        page = carob.explain(name, *ODD, "q").to_html()
        reader = Balance()
        reader.feed(page)
        assert (reader.open, reader.wrong) == ([], []), name
        assert page.startswith("<!doctype html>")
        assert "prefers-color-scheme: dark" in page
        assert "http" not in page
        assert "<b>&_|" in reader.text
        assert "<b>&_|" not in page


def test_a_notebook_shows_the_same_without_the_page() -> None:
    found = carob.explain("RR", grades=[0, 1])
    assert found._repr_html_() in found.to_html()
    assert "<html" not in found._repr_html_()
    for rule in re.findall(
        r"^([^\s@}][^{]*)\{",
        found._repr_html_().partition("</style>")[0].partition("<style>")[2],
        re.MULTILINE,
    ):
        assert rule.startswith(".carob"), rule


class Counted(float):
    """A score that counts how often it is written out."""

    written = 0

    def __format__(self, how: str) -> str:
        Counted.written += 1
        return super().__format__(how)


def test_only_the_documents_that_are_shown_are_written_out() -> None:
    grades = [1, 0] * 2000
    found = carob.explain("AP", grades=grades, rows=20)
    ranking = Ranking(tuple(f"d{place}" for place in range(4000)), tuple(map(Counted, range(4000, 0, -1))))
    Counted.written = 0
    text = str(replace(found, ranking=ranking))
    shown = re.search(r"(\d+) of 4000 documents are shown", text)
    assert shown
    assert Counted.written <= 2 * int(shown[1]) < 100


def test_grades_alone_are_of_no_query() -> None:
    with pytest.raises(carob.DataError, match="Pass 'qrels', 'run' and 'query', or 'grades'"):
        carob.explain("R@1", grades=[1], query="q")
