"""Arrays of neighbours: .npy, .ivecs, and the HDF5 of ann-benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.inputs.columns import of_project
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

TRUE = np.array([[1, 2, 3], [4, 5, 6]])
FOUND = np.array([[2, 9, 1], [7, 4, -1]])
"""One of three neighbours at rank 1 and one at rank 3; one at rank 2, and two documents in all."""


def ivecs(path: Path, array: Any, kind: str = "<i4") -> None:
    """Writes an .ivecs or .fvecs file: the length of each row, then its numbers."""
    lengths = np.full((len(array), 1), array.shape[1], "<i4").view(kind)
    np.concatenate([lengths, array.astype(kind)], axis=1).tofile(path)


def hdf5(path: Path, **sets: Any) -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for name, array in sets.items():
            file[name] = array


def files(folder: Path, form: str) -> tuple[str, str]:
    paths = folder / f"true.{form}", folder / f"found.{form}"
    for path, array in zip(paths, (TRUE, FOUND)):
        if form == "ivecs":
            ivecs(path, array)
        elif form == "hdf5":
            hdf5(path, train=np.zeros((2, 2)), test=np.zeros((2, 2)), neighbors=array, distances=array * 0.5)
        else:
            with path.open("wb") as file:
                np.save(file, array)
    return str(paths[0]), str(paths[1])


@pytest.mark.parametrize("form", ["npy", "ivecs", "hdf5", "out"])
def test_rows_are_queries_and_negative_ids_pad_them(form: str, tmp_path: Path) -> None:
    """A file of any name is recognised by its first bytes."""
    scores = carob.evaluate(*files(tmp_path, form), ["RR", "R@10", "NumRet"])
    assert scores.by_query("RR") == {"1": 1.0, "2": 0.5}
    assert scores.by_query("R@10") == {"1": pytest.approx(2 / 3), "2": pytest.approx(1 / 3)}
    assert scores.by_query("NumRet") == {"1": 3.0, "2": 2.0}


def test_the_data_set_of_ids_may_be_named(tmp_path: Path) -> None:
    hdf5(tmp_path / "own.h5", ids=FOUND, vectors=np.zeros((2, 2)))
    path = str(tmp_path / "own.h5")
    with pytest.raises(DataError, match=r"no data set 'neighbors'. Its data sets are: 'ids', 'vectors'"):
        carob.Run.of(path)
    run = carob.Run.of(path, document="ids")
    assert carob.evaluate({"2": {"4": 1}}, run, "RR").by_query("RR") == {"2": 0.5}


@pytest.mark.parametrize("role", ["query", "document", "score", "rank", "distance"])
@pytest.mark.parametrize("form", ["npy", "ivecs", "hdf5"])
def test_no_column_of_an_array_can_be_named(form: str, role: str, tmp_path: Path) -> None:
    """A column of distances seemed to be used: the order in the file counted, and the scores said otherwise."""
    if (form, role) == ("hdf5", "document"):
        return  # this names the data set
    true, found = files(tmp_path, form)
    said = rf"found.{form}: the file is an array of ids without columns, so it has no {role} 'distances': each row is"
    with pytest.raises(DataError, match=said):
        carob.Run.of(found, **{role: "distances"})
    if role in ("query", "document"):
        with pytest.raises(
            DataError, match=f"so it has no {role} 'x': each row is a query, and every id in the row"
        ):
            carob.Qrels.of(true, **{role: "x"})


@pytest.mark.parametrize("form", ["npy", "ivecs", "hdf5"])
def test_an_array_has_no_grades_in_words_and_no_query_of_its_own(form: str, tmp_path: Path) -> None:
    true, found = files(tmp_path, form)
    with pytest.raises(DataError, match="so it has no grade 'Good'"):
        carob.Qrels.of(true, words={"Good": 1})
    for read in (lambda: carob.Run.of(found, query=":=q"), lambda: carob.Qrels.of(true, query=":=q")):
        with pytest.raises(DataError, match="so it has no query ':=q'"):
            read()


@pytest.mark.parametrize("form", ["npy", "ivecs", "hdf5"])
def test_columns_of_a_project_are_for_its_tables(form: str, tmp_path: Path) -> None:
    named: dict[str, Any] = {"document": "docno", "score": "sim"}
    true, found = files(tmp_path, form)
    for own in (named, {"document": "docno", "distance": "far"}, {"query": ":=q"}):
        run = carob.Run.of(found, **of_project(own))
        assert carob.evaluate(true, run, "RR").by_query("RR") == {"1": 1.0, "2": 0.5}
        assert not run.origin.columns
    for own in ({"document": "docno"}, {"query": ":=q", "grade": "rel"}):
        assert carob.Qrels.of(true, **of_project(own)).queries == ["1", "2"]


@pytest.mark.parametrize(
    ("name", "array", "said"),
    [
        ("f.npy", FOUND * 0.5, r"the type float64, but neighbours must be whole numbers"),
        ("f.npy", FOUND[0], r"the array has the shape \(3\)"),
        ("f.npy", np.array([[3, 3]]), r"row 0 \(from 0\): document '3' is listed twice"),
        ("f.fvecs", FOUND, "contains vectors, not ids of neighbours"),
    ],
)
def test_other_arrays_are_one_sentence(name: str, array: Any, said: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("npy"):
        np.save(path, array)
    else:
        ivecs(path, array, "<f4")
    with pytest.raises(DataError, match=said):
        carob.Run.of(str(path))


def test_damaged_and_dangerous_arrays_are_one_sentence(tmp_path: Path) -> None:
    cut, objects = tmp_path / "cut.ivecs", tmp_path / "objects.npy"
    ivecs(cut, TRUE)
    cut.write_bytes(cut.read_bytes()[:-3])
    np.save(objects, np.array([{}], object), allow_pickle=True)
    (tmp_path / "cut.npy").write_bytes(b"\x93NUMPY\x01\x00")
    (tmp_path / "empty.npy").write_bytes(b"")
    for path in (cut, objects, tmp_path / "cut.npy", tmp_path / "empty.npy"):
        with pytest.raises(DataError, match=path.name):
            carob.Run.of(str(path))


def test_distances_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("query_id,doc_id,distance\nq,a,0.5\nq,b,0.25\n")
    with pytest.raises(
        DataError,
        match="'distance' seems to contain distances, where smaller is better: name it as the distance",
    ):
        carob.Run.of(str(path))
    with pytest.raises(
        DataError, match="suggests distances, which would turn each list upside down if used as scores"
    ):
        carob.Run.of(str(path), score="distance")
    run = carob.Run.of(str(path), distance="distance")
    assert carob.evaluate({"q": {"a": 1}}, run, "RR").by_query("RR") == {"q": 0.5}
    run = carob.Run.of(str(path), score="distance!")
    assert carob.evaluate({"q": {"a": 1}}, run, "RR").by_query("RR") == {"q": 1.0}
