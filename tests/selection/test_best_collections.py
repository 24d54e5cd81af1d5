"""``carob best --collections`` selects a run on most collections and scores it on the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import carob
from carob.cli import main
from carob.output.errors import DataError
from carob.selection.held_out import held_out

KITCHEN = Path(__file__).parents[2] / "examples" / "kitchen"

TWO = {
    "w": {"a": 0.9, "b": 0.5},
    "x": {"a": 0.2, "b": 0.5},
    "y": {"a": 0.2, "b": 0.6},
    "z": {"a": 0.9, "b": 0.5},
}


def test_the_expected_value_is_that_of_leaving_out_one_collection_at_a_time() -> None:
    found = carob.best(carob.evaluate_collections(TWO, "AP"))
    best = found["AP"]
    assert (best.run, best.queries, found.unit) == ("a", 4, "collections")
    assert best.apparent == pytest.approx(0.55)
    # Without w or z, b has the better mean (1.6/3 > 1.3/3) and scores .5 there; without x or y, a is selected and
    # scores .2 there.
    assert best.honest.value == pytest.approx((0.5 + 0.2 + 0.2 + 0.5) / 4)
    assert [each.chosen for each in best.candidates] == [0.5, 0.5]


def test_each_collection_counts_the_same_whatever_its_size() -> None:
    def qrels(queries: int) -> dict[str, dict[str, int]]:
        return {f"q{number:03}": {"d": 1} for number in range(queries)}

    def run(queries: int, rank: int) -> dict[str, dict[str, float]]:
        return {
            f"q{number:03}": {"d": 1.0} | {f"x{each}": 2.0 for each in range(rank - 1)}
            for number in range(queries)
        }

    sizes = {"big": 100, "one": 3, "two": 3, "three": 3}
    collections = {
        name: (
            qrels(size),
            {"a": run(size, 1 if name == "big" else 2), "b": run(size, 2 if name == "big" else 1)},
        )
        for name, size in sizes.items()
    }
    best = carob.best(carob.evaluate_collections(collections, "RR"))["RR"]
    # a: (1 + 3/2) / 4 against (1/2 + 3) / 4 of b, although a is better for 100 of 109 queries.
    assert (best.run, best.apparent) == ("b", 0.875)


def test_what_is_known_of_the_data_and_few_collections_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "ABC":
        (tmp_path / name).mkdir()
        queries = [f"q{number}" for number in range(6)]
        (tmp_path / name / "qrels.txt").write_text("".join(f"{each} 0 d 1\n" for each in queries))
        (tmp_path / name / "oracle.run").write_text(
            "".join(f"{each} Q0 d 1 2 t\n{each} Q0 x 2 1 t\n" for each in queries)
        )
        (tmp_path / name / "b.run").write_text(
            "".join(f"{each} Q0 d 1 1 t\n" for each in queries[: ord(name) - 62])
        )
    perfect = "(check that the run was not made from the judgments): oracle in all 3 collections."
    missing = "6 missing queries counted as 0: b in all 3 collections (6 of 18)."
    few = "3 collections are too few for a selection: no sign-flip test can show at level 0.05"
    for layout in ("text", "markdown", "json", "latex", "html"):
        main(["best", "--collections", str(tmp_path), "-m", "RR", "--resamples", "100", "--format", layout])
        out = " ".join(capsys.readouterr().out.split())
        assert all(each in out for each in (perfect, missing, few)), layout
    assert "on these collections" in out
    allowed = ("with all their queries", "missing queries", "Select on the queries of one collection")
    for each in allowed:
        out = out.replace(each, "")
    assert "queries" not in out


def test_with_enough_collections_a_worse_run_is_shown_to_be_worse() -> None:
    def found(count: int) -> Any:
        values = {f"c{row}": {"a": 0.5 + row / 100, "b": 0.1 + row / 90} for row in range(count)}
        return carob.best(carob.evaluate_collections(values, "AP"))

    # Of n signs, 2 of 2 ** n assignments are as extreme: 2/32 > .05 > 2/64.
    assert [each.not_worse for each in found(5)["AP"].candidates] == [True, True]
    assert found(5).warnings
    assert [each.not_worse for each in found(6)["AP"].candidates] == [True, False]
    assert not found(6).warnings


def test_a_missing_run_is_refused_or_its_collections_are_left_out_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    rows = [f"{name},{run},{value}" for name, its in TWO.items() for run, value in its.items()]
    table.write_text("\n".join(["collection,run,AP", *rows, "v,a,0.5"]) + "\n")
    with pytest.raises(SystemExit):
        main(["best", "--collections", str(table)])
    assert "missing from a collection: b in v." in capsys.readouterr().err
    main(["best", "--collections", str(table), "--absent", "skip", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert found["measures"][0]["queries"] == 4
    told = [each["sentence"] for each in found["warnings"]]
    assert "Collections in which a run is missing are left out: b in v." in told


def test_collections_are_held_out_and_opened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        "best",
        "--collections",
        str(KITCHEN),
        "-m",
        "nDCG@5",
        "--resamples",
        "100",
        "--hold-out",
        "0.5",
    ]
    main([*options, "--open", "--ledger", str(tmp_path / "l.jsonl")])
    out = " ".join(capsys.readouterr().out.split())
    assert "1 held-out collection is now opened (share 0.5, salt '')." in out
    assert "on 1 held-out collection" in out
    assert "Intervals on held-out collections are Student's t intervals" in out
    main([*options, "--open", "--ledger", str(tmp_path / "l.jsonl")])
    assert "One or more of these collections were opened 1 time before" in " ".join(
        capsys.readouterr().out.split()
    )


def test_nothing_depends_on_held_out_collections_until_they_are_opened(tmp_path: Path) -> None:
    names = [f"c{place}" for place in range(8)]
    out = dict(zip(names, held_out([each.encode() for each in names], 0.3, "5").tolist(), strict=True))
    last = next(name for name in names if out[name])

    def scored(value: float) -> Any:
        """Scores of runs a and b, where a has this value for each query of one collection that is held out."""
        means = {name: {"a": 0.1 + place / 10, "b": 0.3} for place, name in enumerate(names)}
        means[last]["a"] = value
        return carob.evaluate_collections(
            {
                name: carob.read_scores(
                    {run: {"AP": {f"q{row}": mean for row in range(6)}} for run, mean in its.items()}
                )
                for name, its in means.items()
            }
        )

    how: dict[str, Any] = {"resampling": carob.Resampling(resamples=50)}
    closed = carob.HoldOut(0.3, "5")
    shut = carob.best(scored(1.0), hold_out=closed, **how)
    assert shut.as_dict() == carob.best(scored(0.2), hold_out=closed, **how).as_dict()
    assert not shut.warnings
    looked = carob.HoldOut(0.3, "5", opened=True, ledger=tmp_path / "ledger.jsonl")
    opened = carob.best(scored(1.0), hold_out=looked, **how)
    assert opened.warnings == (
        (
            "Every query has the highest possible value (check that the run was not made from the judgments): "
            f"a in {last}."
        ),
    )


def test_the_command_gives_what_python_gives(capsys: pytest.CaptureFixture[str]) -> None:
    main(["best", "--collections", str(KITCHEN), "-m", "nDCG@5", "--baseline", "bm25", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    wanted = carob.best(carob.evaluate_collections(KITCHEN, "nDCG@5"), baseline="bm25")
    assert found == json.loads(wanted.to_json())
    means = carob.compare_collections(KITCHEN, "nDCG@5")["nDCG@5"].macro
    assert found["measures"][0]["apparent"] == pytest.approx(float(np.max(means)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--cluster", "c.txt"], "--cluster cannot be used with --collections"),
        (["--collections", "-"], "--collections does not read standard input"),
        (["--absent", "skip"], "--absent needs --collections"),
    ],
)
def test_what_has_no_meaning_is_refused(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["best", *(["--collections", str(KITCHEN)] if "--cluster" in options else []), *options])
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_two_collections_are_too_few_and_clusters_are_refused() -> None:
    two = carob.evaluate_collections({name: TWO[name] for name in "wx"}, "AP")
    with pytest.raises(DataError, match="value for 2 collections, but selection needs at least 3"):
        carob.best(two)
    with pytest.raises(DataError, match="there are no clusters of queries"):
        carob.best(carob.evaluate_collections(TWO, "AP"), cluster={"w": "1"})
