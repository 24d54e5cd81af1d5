"""Chinese beside English: a catalogue without holes, chosen where carob is called, and English as it was."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import carob
from carob import PolicyError
from carob.cli import commands
from carob.measures import REGISTER, parse_measure
from carob.output.language import ENGLISH, LANGUAGES, filled, language_named, language_of
from carob.output.layout import width
from cases import CASES
from strategies import first

SPOKEN = [
    Path(carob.__file__).parent / name for name in ("evaluation/score_tables.py", "diagnosis/explain.py")
]
CHINESE = re.compile("[\u4e00-\u9fff]")
MOST_UNTRANSLATED = 5
"""The measures whose sentence nobody has translated yet."""
TEXTS, MEASURES = language_named("zh").texts, language_named("zh").measures


def literals(path: Path) -> set[str]:
    """The sentences that a module says: literal arguments of ``say``, and those that count."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and str(node.value).startswith(("{count} ", "{count:")):
            found.add(str(node.value))
        if isinstance(node, ast.Call) and re.fullmatch(r"(self\.)?say", ast.unparse(node.func)):
            found |= {
                each.value
                for each in node.args
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            }
    return found


@pytest.mark.parametrize("path", SPOKEN, ids=lambda path: path.stem)
def test_every_sentence_that_is_said_has_its_chinese(path: Path) -> None:
    said = literals(path)
    assert said
    assert not {
        each
        for each in said
        if each not in TEXTS and re.search("[a-z]{2}", re.sub(r"\{\w+\}", "", of_one(each)))
    }


def of_one(text: str) -> str:
    """A sentence in which ``{count:query/queries}`` is ``{count} query``: a translation has no plural."""
    word = r"(?:[^{}/]|\{\w+\})*"
    return re.sub(rf"\{{(\w+):({word})(?:/{word})?\}}", r"{\1} \2", text)


def test_a_sentence_keeps_what_stands_in_its_braces() -> None:
    for english, chinese in TEXTS.items():
        mine, its = (sorted(re.findall(r"\{\w*\}", of_one(each))) for each in (english, chinese))
        assert mine == its, english
        assert CHINESE.search(chinese) or chinese in ("run", "{said}。{dots}", "{label} 即 {measure}"), (
            english
        )


def test_a_noun_is_told_from_a_format() -> None:
    for count, noun, number in ((1, "1 gene", "1"), (1200, "1,200 genes", "1200")):
        assert filled("{count:gene} {count:g} {count:x<6}", count=count) == f"{noun} {number} {number:x<6}"
    assert ENGLISH("{count:gene} {count:n}", count=1200) == "1200 genes 1200"


def test_measures_have_their_sentences_and_for_a_new_one_the_english_stands_in() -> None:
    assert set(MEASURES) <= set(REGISTER)
    assert len(REGISTER.keys() - MEASURES.keys()) <= MOST_UNTRANSLATED
    assert all(CHINESE.search(each) and each.endswith("。") for each in MEASURES.values())

    @carob.measure("Halved", source="here")
    def halved(r: Any) -> Any:
        """Half of the hit rate."""
        return r.best(r.hits(1)) / 2

    assert "Half of the hit rate." in carob.explain("Halved", grades=[1], lang="zh").to_text()


@pytest.mark.parametrize(
    "name",
    first(sorted({each.measure for each in CASES if parse_measure(each.measure).name in MEASURES}), 60),
)
def test_an_explanation_has_no_english_sentence_left(name: str) -> None:
    case = next(each for each in CASES if each.measure == name)
    found = carob.explain(name, grades=case.ranked or [0], judged=case.judged, lang="zh")
    text = found.to_text()
    for line in text.splitlines():
        words = re.findall(r"\b[a-z]{2,} [a-z]{2,} [a-z]{2,}\b", line)
        assert not words, line
        assert width(line) <= 90 or "(" in line
    english = carob.explain(name, grades=case.ranked or [0], judged=case.judged)
    # The words of the steps, too: only names of parameters, their values and logarithms stay as they are.
    assert all(CHINESE.search(word) for word in found.words if word not in ("ln", "log2"))
    words = english.words.keys() - {"ln", "log2"}
    assert not [word for word in words if re.search(rf"\b{word}\(", text)], text
    assert found.value == english.value or found.value != found.value
    assert '<html lang="zh">' in found.to_html()
    assert not CHINESE.search(english.to_text())


QRELS = {"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"d": 0}, "q3": {"e": 1}}
RUN = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"d": 1.0}, "q9": {"x": 1.0}}


def test_a_footer_in_chinese_says_the_same() -> None:
    scores = carob.evaluate(QRELS, RUN, ["AP", "nDCG@10"])
    assert scores.footer() == scores.footer("en")
    assert "3 queries" in scores.footer()
    chinese = scores.footer("zh")
    assert "3 个查询" in chinese
    assert "run 里缺 1 个查询，按 0 计" in chinese
    assert "同分涉及 1 个查询" in chinese
    assert not re.search(r"\b(queries|query|without|missing|counted)\b", chinese)


def test_facts_of_an_explanation_are_chinese_too() -> None:
    found = carob.explain("AP", QRELS, RUN, "q1", lang="zh")
    assert all(CHINESE.search(each) for each in found.facts)
    assert "同分" in "".join(found.facts)


def test_another_language_is_refused() -> None:
    with pytest.raises(PolicyError, match="lang must be en or zh"):
        carob.explain("AP", grades=[1], lang="de")
    with pytest.raises(PolicyError, match="lang must be en or zh"):
        carob.evaluate(QRELS, RUN, "AP").footer("fr")


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LC_ALL": "zh_TW"}, "zh"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US.UTF-8"}, "zh"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
    ],
)
def test_the_locale_decides_where_nothing_is_asked(
    environment: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert language_of(environment) == name
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    output = CliRunner().invoke(commands, ["explain", "AP", "--grades", "1,0,1"]).output
    assert bool(CHINESE.search(output)) == (name == "zh")
    for lang in LANGUAGES:
        output = CliRunner().invoke(commands, ["explain", "AP", "--grades", "1,0,1", "--lang", lang]).output
        assert bool(CHINESE.search(output)) == (lang == "zh")
    # Python's functions never look at the locale.
    assert not CHINESE.search(str(carob.explain("AP", grades=[1, 0, 1])))
    assert not CHINESE.search(carob.evaluate(QRELS, RUN, "AP").footer())


def test_the_command_eval_has_its_footer_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text("q1 0 a 1\n")
    (tmp_path / "r.txt").write_text("q1 Q0 a 1 1.0 t\n")
    files = [str(tmp_path / "q.txt"), str(tmp_path / "r.txt")]
    english = CliRunner().invoke(commands, ["eval", *files, "-m", "RR", "--lang", "en"]).output
    chinese = CliRunner().invoke(commands, ["eval", *files, "-m", "RR", "--lang", "zh"]).output
    assert english.splitlines()[:-1] == chinese.splitlines()[:-1]  # the table is the same
    assert chinese.splitlines()[-1] == "1 个查询 · 策略 trec"
