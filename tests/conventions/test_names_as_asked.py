"""A measure's column has the name that was asked, in every output and under every profile."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from pathlib import Path

import pytest
from tests.toys import command as status_of

import carob
from carob.conventions.profiles import every_profile
from carob.evaluation.score_tables import says
from carob.measures import parse_measure

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1, "e": 1}}
RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.7}, "q2": {"x": 0.9, "d": 0.8}}
OTHER = {"q1": {"b": 0.9, "a": 0.8, "c": 0.7}, "q2": {"d": 0.9, "e": 0.8}}
ASKED = ["HR@10", "MAP@10", "MRR", "map", "ndcg@3", "P_5", "nDCG(gain=exp2)@10"]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Runs a command and returns what it prints."""
    assert status_of(*arguments) == 0
    return capsys.readouterr().out


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    grades = [f"{query} 0 {doc} {grade}\n" for query, its in QRELS.items() for doc, grade in its.items()]
    Path("qrels").write_text("".join(grades))
    for name, run in {"one": RUN, "two": OTHER}.items():
        lines = [
            f"{query} Q0 {doc} 1 {score} t\n" for query, its in run.items() for doc, score in its.items()
        ]
        Path(f"{name}.run").write_text("".join(lines))
    return tmp_path


def names_of(profile: str) -> list[str]:
    """Returns names that a profile reads: its own, each with a depth if it takes one, and its default measures."""
    found = every_profile()[profile]
    all_names = (*found.names, *found.measures, "P@3")
    own = [name.replace("@", "@3") if name.endswith("@") else name for name in all_names]
    single = []
    for name in dict.fromkeys(own):
        try:
            measure = found.read_one(name)
        except carob.MeasureError:  # needs a depth or a parameter, or stands for several measures
            continue
        if not measure.definition.groups:
            single.append(name)
    return single


@pytest.mark.parametrize("profile", sorted(every_profile()))
def test_under_every_profile(profile: str) -> None:
    names = names_of(profile)
    scores = carob.evaluate(QRELS, RUN, names, profile=profile)
    assert list(scores) == names
    assert list(scores.means()) == names
    assert list(json.loads(scores.to_json())["measures"]) == names


def test_in_every_output_of_eval(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [word for name in ASKED for word in ("-m", name)]
    text = printed(capsys, "eval", "qrels", "one.run", *asked)
    assert text.splitlines()[0].split() == ["run", *ASKED]
    document = json.loads(printed(capsys, "eval", "qrels", "one.run", "--format", "json", *asked))
    assert list(document["runs"][0]["means"]) == ASKED
    for layout, mark in {"csv": ",", "tsv": "\t"}.items():
        made = printed(capsys, "eval", "qrels", "one.run", "--format", layout, *asked)
        assert next(csv.reader(io.StringIO(made), delimiter=mark)) == ["run", *ASKED]
    for layout in ("markdown", "html", "latex"):
        made = printed(capsys, "eval", "qrels", "one.run", "--format", layout, *asked)
        plain = html.unescape(re.sub(r"\\([\W_])|<!-- -->", r"\1", made))
        assert [name for name in ASKED if name not in plain] == []


def test_in_frames() -> None:
    pytest.importorskip("pandas", reason="frames need pandas")
    frame = carob.evaluate(QRELS, RUN, ASKED).to_frame(backend="pandas")
    assert [name for name in frame.columns if name in ASKED] == ASKED


def test_in_compare_and_report(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("jinja2", reason="the report needs Jinja2")
    result = carob.compare("qrels", ["one.run", "two.run"], ASKED)
    assert list(result.labels) == ASKED
    assert [name for name in ASKED if name not in str(result)] == []
    page = carob.report("qrels", ["one.run", "two.run"], ASKED)
    assert [name for name in ASKED if name not in page.html] == []


def test_the_footer_says_what_a_name_means_unless_it_is_the_measures_own() -> None:
    footer = carob.evaluate(QRELS, RUN, ASKED).footer()
    for said in ("HR@10 is Success@10", "MAP@10 is AP@10", "MRR is RR", "map is AP"):
        assert said in footer
    for name in ("ndcg@3", "P_5", "nDCG(gain=exp2)@10"):
        assert f"{name} is" not in footer


@pytest.mark.parametrize(
    ("label", "measure", "same"),
    [
        ("nDCG@10", "nDCG@10", True),
        ("ndcg@10", "nDCG@10", True),
        ("NDCG@10", "nDCG@10", True),
        ("P_10", "P@10", True),
        ("nDCG(gain=linear)@10", "nDCG@10", True),
        ("INST(gain=linear,max=3)", "INST(gain=linear, max=3)", True),
        ("nDCG@10", "nDCG(gain=exp2)@10", False),
        ("ndcg_cut_10", "nDCG@10", False),
        ("map", "AP", False),
        ("HR@10", "Success@10", False),
    ],
)
def test_which_labels_say_their_measure(label: str, measure: str, same: bool) -> None:
    assert says(label, parse_measure(measure)) is same


def test_a_meaning_common_to_several_runs_is_said_once(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("short.run").write_text("q1 Q0 a 1 1.0 t\n")
    text = printed(capsys, "eval", "qrels", "one.run", "short.run", "-m", "HR@10", "--missing", "zero")
    assert text.count("HR@10 is Success@10") == 1
    assert "all 2 runs: HR@10 is Success@10" in text


def test_scores_answer_to_the_name_asked_and_to_the_measures_own() -> None:
    scores = carob.evaluate(QRELS, RUN, ["ndcg@3"], profile="lightgbm")
    assert scores["ndcg@3"] == scores["nDCG@3"] == scores["nDCG(gain=exp2)@3"]
    with pytest.raises(carob.MeasureError, match="was not evaluated"):
        scores["nDCG(gain=linear)@3"]
