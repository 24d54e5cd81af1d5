"""The kernel fuses plain files and lists in memory to the bytes of plain Python, for every recipe and any files."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import carob
from carob.fusion.methods import METHODS, NORMALISATIONS
from carob.fusion.profiles import known_profiles
from carob.fusion.recipe import recipe_of
from fused_by_hand import fused_text
from strategies import examples

if TYPE_CHECKING:
    from pathlib import Path

    from carob.fusion.fused_source import FusedSource
    from fused_by_hand import List

Lists = dict[str, dict[str, str]]
"""The scores of documents by query, as they are written."""

QUERIES = ("q", "q1", "q10", "Q", "long-" * 30)
DOCUMENTS = ("a", "b", "aa", "clueweb09-en0000-00-00001", "clueweb09-en0000-00-00002", "\u00e9", "d" * 90)
SCORES = st.one_of(
    st.sampled_from(
        [
            "0",
            "-0.000",
            "1",
            "2",
            "2.5",
            "-1",
            "0.1",
            "0.30000000000000004",
            "7e-7",
            "1e150",
            "1e16",
            "5e-324",
        ]
    ),
    st.floats(0, 1).map(repr),
    st.floats(-1e9, 1e9).map(lambda each: f"{each:.4f}"),
)


@st.composite
def several_lists(draw: st.DrawFn) -> list[Lists]:
    """Two to five runs that have a query in common."""
    rows = st.dictionaries(st.sampled_from(DOCUMENTS), SCORES, min_size=1)
    runs = draw(st.lists(st.dictionaries(st.sampled_from(QUERIES), rows, min_size=1), min_size=2, max_size=5))
    for each in runs[:2]:
        each.setdefault("q1", {"a": "1"})
    return runs


def lines_of(lists: Lists) -> list[str]:
    """The lines of a run."""
    return [
        f"{query} Q0 {document} {rank} {score} tag"
        for query, its in lists.items()
        for rank, (document, score) in enumerate(its.items())
    ]


def files_of(folder: Path, runs: list[Lists]) -> list[str]:
    """Writes runs, and returns their paths."""
    return [
        written(folder, f"{number}.run", "\n".join([*lines_of(each), ""])) for number, each in enumerate(runs)
    ]


def written(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(text.encode())
    return str(path)


def in_memory(made: FusedSource) -> FusedSource:
    """The same fusion of lists in memory."""
    made = replace(made)
    made.__dict__["plain"] = None
    return made


def several_ways(files: list[str], *recipe: Any, **options: Any) -> list[bytes | str]:
    """The fused text from plain files and from lists in memory, or what was wrong."""
    found: list[bytes | str] = []
    for way in (lambda made: made, in_memory):
        try:
            made = carob.fuse(files, *recipe, **options).made
            assert made.plain is not None
            found.append(way(made).text)
        except carob.CarobError as error:
            found.append(str(error))
    return found


def in_order(lists: Lists, policy: carob.Policy) -> dict[bytes, List]:
    """The lists of a run in the order of a policy."""
    found: dict[bytes, List] = {}
    for query, its in lists.items():
        rows = [(document.encode(), float(score) + 0.0) for document, score in its.items()]
        if policy.scores == "float32":
            with np.errstate(over="ignore"):
                rows = [(document, float(np.float32(score))) for document, score in rows]
        if policy.ties != "input":
            rows.sort(reverse=policy.ties != "ascending")
        found[query.encode()] = sorted(rows, key=lambda row: -row[1])
    return found


def check_bytes(
    folder: Path, runs: list[Lists], method: str, norm: str | None = None, **options: Any
) -> bytes | str:
    """Requires the bytes of plain Python from every way, and returns them, or what was wrong."""
    files = files_of(folder, runs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, other = several_ways(files, method, norm, **options)
    assert found == other
    depth, policy = options.pop("depth", 1000), options.pop("policy", carob.Policy())
    names = [str(number) for number in range(len(runs))]
    lists = {name: in_order(each, policy) for name, each in zip(names, runs, strict=True)}
    recipe = recipe_of(method, norm, names, **options)
    if isinstance(found, str):
        assert any(
            each in found for each in ("upside down", "largest floating-point number", "a score is inf")
        )
    else:
        assert found == fused_text(lists, recipe, depth, ascending=policy.ties == "ascending")
    return found


RECIPES = [
    *((method, None) for method, its in METHODS.items() if its.by_rank),
    *((method, norm) for method, its in METHODS.items() if not its.by_rank for norm in NORMALISATIONS),
]


@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), runs=several_lists())
def test_every_way_gives_the_bytes_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, runs: list[Lists]
) -> None:
    method, norm = data.draw(st.sampled_from(RECIPES))
    options: dict[str, Any] = {
        "depth": data.draw(st.sampled_from([1, 3, 1000])),
        "absent": data.draw(st.sampled_from([None, "left-out", "zero", "lowest"])),
        "policy": carob.Policy(
            ties=data.draw(st.sampled_from(["trec", "ascending", "input"])),
            scores=data.draw(st.sampled_from(["double", "float32"])),
        ),
    }
    if METHODS[method].weights and data.draw(st.booleans()):
        options["weights"] = data.draw(
            st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.5]), min_size=len(runs) - 1, max_size=len(runs) - 1)
        )
        options["weights"].append(0.7)
    if norm in ("min-max", "sum", "dbsf"):
        norm += data.draw(st.sampled_from(["", "(equal=0.5)", "(equal=sign)", "(equal=0)"]))
    elif norm == "z-score":
        norm += data.draw(st.sampled_from(["", "(deviation=sample)"]))
    check_bytes(tmp_path_factory.mktemp("runs"), runs, method, norm, **options)


PROFILED = [
    (profile.name, method)
    for profile in known_profiles().values()
    for method in profile.methods
    if profile.rules.get("ranks") != "column"
]


@settings(max_examples=examples(75), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), runs=several_lists())
def test_so_it_does_by_each_profile(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, runs: list[Lists]
) -> None:
    profile, method = data.draw(st.sampled_from(PROFILED))
    check_bytes(tmp_path_factory.mktemp("runs"), runs, method, profile=profile)


def test_points_between_0_and_the_least_of_opensearch_stay(tmp_path: Path) -> None:
    runs = [{"q": {"a": "1"}}, {"q": {"a": "1.0", "b": "7e-4", "c": "0"}}]
    found = check_bytes(tmp_path, runs, "mean", profile="opensearch")
    assert isinstance(found, bytes)
    assert b"q Q0 c 2 0.0005" in found
    assert b"q Q0 b 3 0.00034999" in found


def many_lists(queries: int, documents: int, runs: int = 4) -> list[Lists]:
    """Runs with more queries than are fused at once, whose blocks are longer than the searched stretch."""
    dice = random.Random(3)
    return [
        {
            f"{dice.choice('ab')}{query}" if query % 50 == 0 else str(query): {
                f"d{each}": f"{dice.gauss(0, 1):.3f}" for each in dice.sample(range(2 * documents), documents)
            }
            for query in range(queries)
        }
        for _ in range(runs)
    ]


def test_neither_threads_nor_the_order_of_queries_change_a_byte(tmp_path: Path) -> None:
    runs = many_lists(100, 150)
    fast = check_bytes(tmp_path, runs, "rrf")
    files = files_of(tmp_path, runs)
    made = carob.fuse(files).made
    for lists in (made.plain, made.pooled.in_kernel):
        assert lists is not None
        for threads in (1, 3):
            assert lists.text(made.in_kernel(), threads=threads) == (fast, [0] * 4)
    mixed = dict(random.Random(0).sample(list(runs[1].items()), len(runs[1])))
    written(tmp_path, "1.run", "\n".join(lines_of(mixed)))  # without a last line end, too
    assert carob.fuse(files).text == fast


PLAIN = "q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 a 1 5 t\n"
OTHERS = {
    "interleaved": "q1 Q0 a 1 9 t\nq2 Q0 a 1 5 t\nq1 Q0 b 2 8 t\n",
    "comments": "# made by hand\nq1 Q0 a 1 9 t\n# more\nq1 Q0 b 2 8 t\n\nq2 Q0 a 1 5 t\n",
    "blanks": " q1 Q0  a 1 9 t\nq1 Q0 b 2 8 t \nq2 Q0 a 1 5 t\n",
    "tabs": PLAIN.replace(" ", "\t"),
    "returns": PLAIN.replace("\n", "\r\n"),
    "a mark": "\ufeff" + PLAIN,
    "seven columns": PLAIN.replace(" t\n", " t u\n"),
    "signs": PLAIN.replace(" 9 ", " +9 ").replace(" 5 ", " 5. "),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_layouts_give_the_same_bytes(tmp_path: Path, name: str) -> None:
    other = written(tmp_path, "other.run", "q1 Q0 b 1 3 t\nq2 Q0 c 1 3 t\n")
    files = [written(tmp_path, "odd.run", OTHERS[name]), other]
    wanted = carob.fuse([written(tmp_path, "plain.run", PLAIN), other], "sum").text
    assert carob.fuse(files, "sum").text == wanted


BAD = {
    "q1 Q0 a 1 nine t\n": "line 1: 'nine' is not a number",
    "q1 Q0 a 1 9 t\nq1 Q0 a 2 8 t\n": "line 2: document 'a' is listed twice",
    "q1 Q0 a 1 inf t\n": "a score is inf",
    "q1 Q0 a 1 9\n": "line 1",
    "q3 Q0 a 1 9 t\n": "No two of the runs have a query in common",
    "\n": "contains no documents",
}


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("large", [False, True])
def test_what_cannot_be_fused_is_refused_by_the_sentence_of_other_sources(
    tmp_path: Path, text: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("carob.fusion.fused_source.HELD_TOGETHER", 0)
    files = [written(tmp_path, "odd.run", text), written(tmp_path, "good.run", PLAIN)]
    with pytest.raises(carob.DataError) as found:
        carob.fuse(files, "sum").save(tmp_path / "fused.run")
    assert BAD[text] in str(found.value)
    assert not (tmp_path / "fused.run").exists()


def test_large_files_are_read_when_the_run_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = many_lists(40, 20)
    files = files_of(tmp_path, runs)
    wanted = carob.fuse(files, "sum", depth=7)
    monkeypatch.setattr("carob.fusion.fused_source.HELD_TOGETHER", 0)
    fused = carob.fuse(files, "sum", depth=7)
    fused.save(tmp_path / "fused.run")
    assert (tmp_path / "fused.run").read_bytes() == wanted.text
    assert "text" not in fused.made.__dict__
    assert fused.explain("1", next(iter(runs[0]["1"]))).score > 0
    assert pickle.loads(pickle.dumps(fused)).text == wanted.text
    # A list that is not plain shows after a part was written, of which nothing is left.
    rest, last = (tmp_path / "0.run").read_text().rstrip().rsplit("\n", 1)
    files[0] = written(tmp_path, "odd.run", f"{rest}\n{last.replace(' Q0 ', '  Q0 ')}\n")
    fused = carob.fuse(files, "sum", depth=7)
    assert fused.made.is_streamed
    fused.save(tmp_path / "again.run")
    assert (tmp_path / "again.run").read_bytes() == wanted.text


@pytest.mark.parametrize("ties", ["trec", "expected", "input", "rank-column"])
def test_an_evaluation_of_large_files_has_the_values_of_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ties: Any
) -> None:
    runs = many_lists(60, 30)
    files = files_of(tmp_path, runs)
    dice = random.Random(5)
    qrels = {
        query: {document: dice.choice([0, 1, 2]) for document in dice.sample(sorted(its), 12)}
        for query, its in runs[0].items()
        if query != "7"
    }
    text = carob.fuse(files, depth=25).text
    monkeypatch.setattr("carob.fusion.fused_source.HELD_TOGETHER", 0)
    fused = carob.fuse(files, depth=25)
    policy = carob.Policy(ties=ties, scores="float32" if ties == "input" else "double")
    for measures in (["nDCG@10", "AP", "Judged@10"], ["RR"]):
        found, wanted = (
            carob.evaluate(qrels, {"fused": each}, measures, policy=policy) for each in (fused, text)
        )
        assert found["fused"].to_json() == wanted["fused"].to_json()
    assert "text" not in fused.made.__dict__


def test_the_command_writes_to_files_and_pipes(tmp_path: Path) -> None:
    files = files_of(tmp_path, many_lists(20, 5))
    command = [sys.executable, "-m", "carob", "fuse", *files, "-o"]
    subprocess.run([*command, str(tmp_path / "fused.run")], check=True, capture_output=True)
    piped = subprocess.run([*command, "-"], check=True, capture_output=True)
    assert piped.stdout == (tmp_path / "fused.run").read_bytes() == carob.fuse(files).text
    named = subprocess.run([*command, "/dev/stdout"], check=True, capture_output=True)
    assert named.stdout == piped.stdout


@pytest.mark.parametrize("large", [False, True])
def test_a_name_that_is_not_utf_8_is_written_as_its_bytes(
    tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if large:
        monkeypatch.setattr("carob.fusion.fused_source.HELD_TOGETHER", 0)
    files = [written(tmp_path, f"{name}.run", PLAIN) for name in ("one", "two")]
    in_memory = [carob.Run.of({"q1": {"a": 1.0}}, name) for name in ("one", "two")]
    for runs in (files, in_memory):
        carob.fuse(runs, name="a b\udcff").save(tmp_path / "fused.run")
        assert (tmp_path / "fused.run").read_bytes().split(b"\n")[0].endswith(b" a_b\xff")
