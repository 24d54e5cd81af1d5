"""Files of recommendations, interactions, catalogues and features give what the same data give in memory."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

LISTS = {"u": ["a", "b", "c"], "v": ["c", "d", "a"], "w": ["b", "a", "e"]}
TRAIN = [("u", "a"), ("u", "d"), ("u", "d"), ("v", "b"), ("x", "a")]
ITEMS = ["a", "b", "c", "d", "e", "f"]
RELEVANT = {"u": {"b": 2, "d": 0}, "v": {"c": 1}, "x": {"a": 1}}
FEATURES = {each: [float(place % 2), float(place % 3), 1.0] for place, each in enumerate(ITEMS)}
NAMES = ["nDCG@2", "Coverage", "Novelty", "Popularity@2", "ILD", "Serendipity", "Unexpectedness"]


def in_memory(**more: Any) -> dict[str, Any]:
    """All inputs as objects."""
    train = {"user_id": [user for user, _ in TRAIN], "item_id": [item for _, item in TRAIN]}
    return {"train": train, "catalogue": ITEMS, "relevant": RELEVANT, "features": FEATURES} | more


def trec(folder: Path) -> Path:
    """The lists as a run."""
    path = folder / "als.run"
    path.write_text(
        "".join(
            f"{user} Q0 {item} {rank} {9 - rank} als\n"
            for user, its in LISTS.items()
            for rank, item in enumerate(its, 1)
        )
    )
    return path


def rows(header: str, lines: list[tuple[Any, ...]]) -> str:
    """A table as CSV."""
    return "".join(f"{','.join(map(str, line))}\n" for line in [(header,), *lines])


WRITTEN = {
    "train.csv": rows("user_id,item_id,time", [(*pair, place) for place, pair in enumerate(TRAIN)]),
    "train.tsv": "".join(f"{user}\t{item}\n" for user, item in TRAIN),
    "train.txt": "".join(f"{user} 0 {item} 1\n" for user, item in TRAIN),
    "train.jsonl": "".join(json.dumps({"user": user, "item": item}) + "\n" for user, item in TRAIN),
    "train.json": json.dumps({"u": ["a", "d", "d"], "v": ["b"], "x": ["a"]}),
}
CATALOGUES = {
    "items.txt": "\n".join(ITEMS),
    "items.csv": rows("title,item_id", [("x", each) for each in ITEMS]),
    "items.json": json.dumps(ITEMS),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_interactions_in_a_file_count_as_in_memory(name: str, tmp_path: Path) -> None:
    expected = carob.beyond_accuracy(LISTS, NAMES, **in_memory())
    path = tmp_path / name
    path.write_text(WRITTEN[name])
    found = carob.beyond_accuracy(LISTS, NAMES, **in_memory(train=path))
    assert found.as_dict() == expected.as_dict()


@pytest.mark.parametrize("name", CATALOGUES)
def test_a_catalogue_in_a_file_counts_as_in_memory(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(CATALOGUES[name])
    found = carob.beyond_accuracy(LISTS, NAMES, **in_memory(catalogue=tmp_path / name))
    assert found.as_dict() == carob.beyond_accuracy(LISTS, NAMES, **in_memory()).as_dict()


def test_every_input_may_be_a_file(tmp_path: Path) -> None:
    run = trec(tmp_path)
    texts = {
        "train.csv": WRITTEN["train.csv"],
        "items.txt": CATALOGUES["items.txt"],
        "features.csv": rows("item_id,x,y,z", [(item, *its) for item, its in FEATURES.items()]),
        "qrels.txt": "".join(
            f"{user} 0 {item} {grade}\n" for user, its in RELEVANT.items() for item, grade in its.items()
        ),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    train, catalogue, features, relevant = (str(tmp_path / name) for name in texts)
    paths = {"train": train, "catalogue": catalogue, "features": features, "relevant": relevant}
    baseline = {"u": ["a", "d"], "v": ["a", "d"], "w": ["a", "d"]}
    expected = carob.beyond_accuracy(
        LISTS,
        [*NAMES, "Unexpectedness(against=baseline)"],
        baseline=baseline,
        exclude=TRAIN_SETS,
        **in_memory(),
    )
    found = carob.beyond_accuracy(
        run, [*NAMES, "Unexpectedness(against=baseline)"], baseline=baseline, exclude=train, **paths
    )
    assert found.as_dict() == expected.as_dict()


TRAIN_SETS = {"u": ["a", "d"], "v": ["b"], "x": ["a"]}


def test_qrels_without_grades_and_several_runs(tmp_path: Path) -> None:
    run, relevant = trec(tmp_path), tmp_path / "test.csv"
    relevant.write_text("user_id,item_id\nu,b\nv,c\n")
    found = carob.beyond_accuracy(
        [run, carob.Run.of({"u": {"b": 1.0}, "v": {"c": 1.0}}, "best")], ["RR", "NumItems"], relevant=relevant
    )
    assert {name: dict(its) for name, its in found.items()} == {
        "als": {"RR": 0.75, "NumItems": 5.0},
        "best": {"RR": 1.0, "NumItems": 2.0},
    }
    assert "als" in str(found)
    assert found.to_csv("users").splitlines()[1] == "als,u,0.5"


def test_equal_scores_follow_the_policy() -> None:
    tied = carob.Run.of(b"u Q0 a 1 1 t\nu Q0 b 2 1 t\n")
    for ties, first in (("trec", "b"), ("ascending", "a")):
        found = carob.beyond_accuracy(tied, "RR", relevant={"u": [first]}, policy=carob.Policy(ties=ties))
        assert found["RR"] == 1


@pytest.mark.parametrize(
    ("what", "text", "says"),
    [
        ("train", "u,a,3\nv,b,4\n", "expected 'user item' or 'user 0 item grade', found 'u,a,3'"),
        (
            "train",
            '{"person": 1, "thing": 2}\n',
            "train has no columns for users and items.*'person', 'thing'",
        ),
        ("train", "user_id,item_id\nu,\n", "line 2: the row has no 'item_id'"),
        ("catalogue", "name,price\nx,1\n", "the catalogue has no column for items.*'name', 'price'"),
        ("features", "a,1\nb,2\n", "a column item_id and columns of numbers or words.*'a', '1'"),
        ("features", "item_id,x\na,red\nb,2\n", "line 2: the x"),
        ("features", "item_id,title\na,Alien\nb,Brazil\n", "'title' has a different text for each item"),
        ("recommended", "", "There are no recommendations"),
    ],
)
def test_a_wrong_file_gets_a_sentence(what: str, text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "als.run"
    path.write_text(text)
    given: dict[str, Any] = {"recommended": LISTS} | in_memory() | {what: path}
    with pytest.raises(DataError, match=says):
        carob.beyond_accuracy(given.pop("recommended"), None, **given)


def test_a_missing_file_gets_a_sentence(tmp_path: Path) -> None:
    for what in ("train", "catalogue", "relevant", "features", "exclude", "baseline"):
        with pytest.raises(DataError, match="No such file"):
            carob.beyond_accuracy(LISTS, None, **{what: str(tmp_path / "nothing.csv")})  # type: ignore[call-overload]


def test_words_are_features_in_files_and_frames(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    table = tmp_path / "items.csv"
    table.write_text("item_id,genre,year\na,Drama|War,1\nb,War,2\nc,Drama,3\nd,,4\n")
    by_hand = {"a": [1, 1, 1], "b": [0, 1, 2], "c": [1, 0, 3], "d": [0, 0, 4]}
    expected = carob.beyond_accuracy(LISTS, "ILD@2", features=by_hand)
    assert carob.beyond_accuracy(LISTS, "ILD@2", features=table)["ILD@2"] == pytest.approx(expected["ILD@2"])
    frame = pd.read_csv(table)
    assert carob.beyond_accuracy(LISTS, "ILD@2", features=frame)["ILD@2"] == pytest.approx(expected["ILD@2"])
    of_frame = carob.beyond_accuracy(LISTS, "Coverage", catalogue=frame)
    assert of_frame["Coverage"] == carob.beyond_accuracy(LISTS, "Coverage", catalogue=[*"abcd"])["Coverage"]


def test_several_frames_are_several_recommenders() -> None:
    pd = pytest.importorskip("pandas")
    frames = {
        name: pd.DataFrame({"user_id": ["u", "u", "v"], "item_id": its})
        for name, its in {"als": ["a", "b", "c"], "knn": ["a", "b", "a"]}.items()
    }
    named = carob.beyond_accuracy(frames, "NumItems")
    assert {name: its["NumItems"] for name, its in named.items()} == {"als": 3, "knn": 2}
    listed: Any = carob.beyond_accuracy([*frames.values()], "NumItems")
    assert {name: its["NumItems"] for name, its in listed.items()} == {"run 1": 3, "run 2": 2}
    columns = {"user_id": frames["als"]["user_id"], "item_id": frames["als"]["item_id"]}
    assert carob.beyond_accuracy(columns, "NumItems")["NumItems"] == 3


def test_ids_written_otherwise_are_told(tmp_path: Path) -> None:
    seen = tmp_path / "train.csv"
    seen.write_text("user_id,item_id\n1.0,7.0\n1.0,8.0\n")
    lists = {1: [7, 9], 2: [8, 9]}
    with pytest.warns(carob.DataWarning) as told:
        found = carob.beyond_accuracy(lists, ["Novelty"], train=seen, exclude=seen)
    sentences = " ".join(str(each.message) for each in told)
    assert "Nothing was excluded" in sentences
    assert "No recommended item, such as 7, is in train, which has '7.0'" in sentences
    assert len(found.as_dict()["warnings"]) == 2
    assert "0 excluded" in str(found)
    with pytest.warns(carob.DataWarning, match="is in catalogue"):
        carob.beyond_accuracy(lists, "Coverage", catalogue=["x"])


def test_equal_scores_of_a_run_are_counted() -> None:
    found = carob.beyond_accuracy(carob.Run.of(b"u Q0 a 1 2 t\nu Q0 b 2 2 t\nv Q0 a 1 1 t\n"), "NumItems")
    assert "1 users with equal scores" in str(found)
