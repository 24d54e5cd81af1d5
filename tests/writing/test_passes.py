"""The parts of a run are written in one pass, and each holds what it would hold if it were written alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.conventions.policy import Policy
from carob.writing import passes, write_run

if TYPE_CHECKING:
    from pathlib import Path

FIRST: Any = Policy(duplicates="first")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The runs whose rows were read, one for each pass."""
    found: list[Any] = []
    take = passes.take_run

    def noted(maker: Any, held: Any, options: Any) -> None:
        found.append(held)
        take(maker, held, options)

    monkeypatch.setattr(passes, "take_run", noted)
    return found


def random_lines(rng: random.Random, tags: str) -> list[str]:
    """Lines of some queries, in their order or not, some with a blank in an id."""
    document = ["d 1", "d2"][rng.random() < 0.8]
    lines = [
        f"q{rng.randrange(9)}\tQ0\t{document}{rng.randrange(9)}\t1\t{rng.randrange(4)}\t{rng.choice(tags)}\n"
        for _ in range(rng.randrange(1, 60))
    ]
    return sorted(lines) if rng.random() < 0.5 else lines


@pytest.mark.parametrize("ending", ["run", "run.gz", "csv", "json"])
@pytest.mark.parametrize("seed", range(20))
def test_each_group_of_queries_is_as_if_written_alone(seed: int, ending: str, tmp_path: Path) -> None:
    rng = random.Random(seed)
    text = "".join(random_lines(rng, "t")).encode()
    groups = {f"q{number}": rng.choice("abc") for number in range(7)}
    alone: dict[str, bytes] = {}
    for group in "abc":
        path = tmp_path / f"alone.{ending}"
        try:
            carob.write_run(
                text, path, queries=[each for each, its in groups.items() if its == group], policy=FIRST
            )
        except carob.DataError:
            continue
        alone[group] = path.read_bytes()
    if not alone:
        with pytest.raises(carob.DataError, match="nothing to write"):
            carob.write_run(text, tmp_path / f"fold-{{}}.{ending}", split_by=groups, policy=FIRST)
        return
    written = carob.write_run(text, tmp_path / f"fold-{{}}.{ending}", split_by=groups, policy=FIRST)
    assert {path.name[5]: path.read_bytes() for path in tmp_path.glob("fold-*")} == alone
    assert [each.size for each in written.files] == [len(alone[each]) for each in sorted(alone)]
    rows = text.count(b"\n")
    assert sum(each.documents for each in written.files) + written.repeats + written.other_queries == rows


@pytest.mark.parametrize("seed", range(20))
def test_each_system_is_as_if_written_alone(seed: int, tmp_path: Path) -> None:
    lines = random_lines(random.Random(seed), "xyz")
    carob.write_run("".join(lines).encode(), tmp_path / "{}.run", split_by="tag", policy=FIRST)
    for tag in {line.split()[-1] for line in lines}:
        its = "".join(line for line in lines if line.endswith(f"\t{tag}\n"))
        carob.write_run(its.encode(), tmp_path / "alone", policy=FIRST)
        assert (tmp_path / f"{tag}.run").read_bytes() == (tmp_path / "alone").read_bytes()


def test_a_run_of_whole_queries_is_read_once_for_all_parts(tmp_path: Path, taken: list[Any]) -> None:
    text = b"".join(b"q%d Q0 d 1 1 t\n" % number for number in range(9))
    carob.write_run(text, tmp_path / "{}.run", split_by={f"q{number}": str(number) for number in range(9)})
    assert len(taken) == 1
    assert len(list(tmp_path.iterdir())) == 9


def test_more_parts_than_open_files_take_more_passes(
    tmp_path: Path, taken: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_run, "FILES_AT_ONCE", 2)
    text = b"".join(b"q%d Q0 d 1 1 t%d\n" % (number, number) for number in range(5))
    written = carob.write_run(
        text, tmp_path / "{}.run", split_by={f"q{number}": str(number) for number in range(3)}
    )
    assert (len(taken), len(written.files), written.other_queries) == (2, 3, 2)
    written = carob.write_run(text, tmp_path / "{}.run", split_by="tag")
    assert (len(taken), len(written.files), written.other_queries) == (5, 5, 0)


def test_a_fault_leaves_no_part(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(b"old")
    with pytest.raises(carob.DataError, match="line 3"):
        carob.write_run(
            b"q1 Q0 d 1 1 t\nq2 Q0 d 1 1 t\nq3 Q0\n", tmp_path / "{}.run", split_by={"q1": "a", "q2": "b"}
        )
    assert [each.name for each in tmp_path.iterdir()] == ["a.run"]
    assert (tmp_path / "a.run").read_bytes() == b"old"
