"""The files of several collections: in a folder, in TOML or another table, or at patterns of paths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from carob import DataError
from carob.inputs.files.collections import CollectionFiles, collections_in


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory: a folder of two collections, each with a folder of runs, and of runs that lie apart."""
    (tmp_path / "outside.txt").write_text("q 0 a 1\n")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    for name in ("fish", "soup"):
        Path("all", name, "runs").mkdir(parents=True)
        Path("all", name, "qrels.txt").write_text("q 0 a 1\n")
        Path("all", name, "runs", "bm25.run").write_text("q Q0 a 1 1 t\n")
    Path("all/soup/README.md").write_text("Of soup.\n")
    Path("apart").mkdir()
    Path("apart/fish.dense.txt").write_text("q Q0 a 1 1 t\n")


def wanted(**runs: dict[str, str]) -> list[CollectionFiles]:
    return [CollectionFiles(name, f"all/{name}/qrels.txt", its) for name, its in runs.items()]


BM25 = {name: {"bm25": f"all/{name}/runs/bm25.run"} for name in ("fish", "soup")}


@pytest.mark.usefixtures("home")
def test_each_subfolder_is_a_collection_with_its_judgments_and_runs() -> None:
    assert collections_in("all") == wanted(**BM25)
    Path("all/fish/qrels").mkdir()
    for split in ("test", "train"):
        Path(f"all/fish/qrels/{split}.tsv").write_text("q 0 a 1\n")
    assert collections_in("all")[0].qrels == "all/fish/qrels/test.tsv"


@pytest.mark.usefixtures("home")
def test_files_alone_are_scores() -> None:
    Path("scores").mkdir()
    for name in ("fish.json", "soup.csv", "LICENSE", ".hidden"):
        Path("scores", name).write_text("")
    assert collections_in("scores") == [
        CollectionFiles("fish", scores=("scores/fish.json",)),
        CollectionFiles("soup", scores=("scores/soup.csv",)),
    ]


TOML = """[fish]
qrels = "all/fish/qrels.txt"
runs = ["all/fish/runs/bm25.run"]
[soup]
qrels = "all/soup/qrels.txt"
runs = {bm25 = "all/soup/runs/bm25.run"}
"""
CSV = """collection,qrels,run,name
fish,all/fish/qrels.txt,all/fish/runs/bm25.run,
soup,all/soup/qrels.txt,all/soup/runs/bm25.run,bm25
"""


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("name", "text"), [("t.toml", TOML), ("t.csv", CSV), ("t.tsv", CSV.replace(",", "\t"))]
)
def test_a_table_names_the_files(name: str, text: str) -> None:
    Path(name).write_text(text)
    assert collections_in(name) == wanted(**BM25)


@pytest.mark.usefixtures("home")
def test_runs_at_patterns_take_the_place_of_those_in_the_folder_and_may_lack_a_collection() -> None:
    found = collections_in(
        "all", [(None, "apart/{collection}.dense.txt"), ("old", "all/{collection}/runs/bm25.run")]
    )
    assert found == wanted(
        fish={"dense": "apart/fish.dense.txt", "old": "all/fish/runs/bm25.run"},
        soup={"old": "all/soup/runs/bm25.run"},
    )


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[fish]\nruns = ["a.run"]\n', "t.toml: [fish] is not a collection. Write exactly qrels ="),
        ('[fish]\nqrels = "q.txt"\nruns = 3\n', "t.toml: [fish] is not a collection. Write exactly qrels ="),
        ("fish", "t.toml: this is not TOML: "),
        ("", "t.toml: there are no collections. Pass a folder with a subfolder for each"),
        ('[fish]\nqrels = "gone.txt"\n', "t.toml: collection 'fish' names a file that does not exist: gone.txt."),
        ('[fish]\nqrels = "all/fish/qrels.txt"\nruns = ["a.run", "b/a.txt"]\n',
         "t.toml: collection 'fish' has two runs called 'a', b/a.txt and a.run. Give each run its own name:"),
        ('[fish]\nqrels = "../outside.txt"\n',
         "t.toml: collection 'fish' names ../outside.txt, which is neither in the folder of this table nor in the"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_is_refused(text: str, said: str) -> None:
    Path("t.toml").write_text(text)
    with pytest.raises(DataError) as error:
        collections_in("t.toml")
    assert str(error.value).startswith(said)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("path", "pattern", "said"),
    [
        ("all/fish", None, ("all/fish: the folder is one collection, not a folder of collections: it contains "
         "judgments (all/fish/qrels.txt). Pass all/fish/qrels.txt and all/fish/runs/bm25.run instead")),
        ("all", "all/fish/runs/bm25.run", ("all/fish/runs/bm25.run: this is the run of one collection. Write "
         "{collection} where the paths of the runs differ, as in 'all/{collection}/runs/bm25.run'.")),
        ("all", "apart/{collection}.run", ("apart/{collection}.run: no collection has this run: there is no "
         "apart/fish.run, apart/soup.run (working directory: ")),
        ("gone", None, "gone: No such file or directory."),
    ],
)  # fmt: skip
def test_what_is_no_folder_of_collections_and_no_pattern_is_refused(
    path: str, pattern: str | None, said: str
) -> None:
    with pytest.raises(DataError) as error:
        collections_in(path, [] if pattern is None else [(None, pattern)])
    assert str(error.value).startswith(said)


@pytest.mark.usefixtures("home")
def test_faults_of_single_collections_are_collected_if_asked() -> None:
    Path("all/fish/other-qrels.txt").write_text("q 0 a 1\n")
    Path("all/empty").mkdir()
    faults: Any = []
    assert collections_in("all", faults=faults) == wanted(soup=BM25["soup"])
    assert [(name, str(error).partition(".")[0]) for name, error in faults] == [
        ("empty", "all/empty: the folder contains neither qrels nor runs"),
        ("fish", "all/fish: several files could be the judgments (all/fish/other-qrels"),
    ]
