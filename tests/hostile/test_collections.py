"""Attacks by tables and folders of collections: files that are not their business, pipes, devices, and many of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import carob
from hostile.attack import asked, attacked

SECRET = "GITHUB_TOKEN=ghp_SECRET123\n"
QRELS = "".join(f"q{each} 0 a 1\n" for each in range(4))
RUNS = {name: "".join(f"q{each} Q0 {name} 1 1.5 t\n" for each in range(4)) for name in "ab"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which carob runs; a secret lies beside it."""
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a.run").write_text(SECRET)
    home = tmp_path / "home"
    for each in ("A", "B"):
        (home / "tables" / each / "runs").mkdir(parents=True)
        (home / "tables" / each / "qrels.txt").write_text(QRELS)
        for name, text in RUNS.items():
            (home / "tables" / each / "runs" / f"{name}.run").write_text(text)
    monkeypatch.chdir(home)
    return home


def table(last: str, *, qrels: str = "B/qrels.txt", ending: str = "csv") -> str:
    """Write a table whose last file is given, and return its path."""
    if ending == "toml":
        text = (
            f'[A]\nqrels = "A/qrels.txt"\nruns = ["A/runs/a.run", "A/runs/b.run"]\n[B]\nqrels = "{qrels}"\n'
        )
        text += f'runs = {{a = "B/runs/a.run", b = "{last}"}}\n'
    else:
        rows = ["A,A/qrels.txt,A/runs/a.run,a", "A,A/qrels.txt,A/runs/b.run,b", f"B,{qrels},B/runs/a.run,a"]
        text = "\n".join(["collection,qrels,run,name", *rows, f"B,{qrels},{last},b", ""])
    Path(f"tables/cc.{ending}").write_text(text)
    return f"tables/cc.{ending}"


def test_a_table_whose_files_are_its_own_is_read() -> None:
    for ending in ("csv", "toml"):
        attacked("compare", "--collections", table("B/runs/b.run", ending=ending), "-m", "AP").answered(
            "2 collections"
        )


@pytest.mark.parametrize("ending", ["csv", "toml"])
@pytest.mark.parametrize("way", ["absolute", "climbing", "a link", "a link to a folder", "qrels"])
def test_no_content_of_files_elsewhere_is_shown(way: str, ending: str, home: Path) -> None:
    path = {"absolute": str(home.parent / "secret"), "climbing": "../../secret", "qrels": "B/runs/b.run"}.get(
        way, ""
    )
    if way == "a link":
        path = "B/runs/link.run"
        Path("tables", path).symlink_to(home.parent / "secret")
    elif way == "a link to a folder":
        path = "link/a.run"
        Path("tables/link").symlink_to(home.parent / "secrets")
    given = table(path, ending=ending, qrels="../../secret" if way == "qrels" else "B/qrels.txt")
    done = attacked("compare", "--collections", given, "-m", "AP").refused(given, "collection 'B'")
    assert "SECRET" not in done.err
    assert "working directory" in done.err
    done = asked(lambda: carob.compare_collections(given, measures="AP"))
    assert "SECRET" not in done.refused("working directory").err


def test_neither_does_a_folder_with_a_link_show_it(home: Path) -> None:
    Path("tables/B/runs/b.run").unlink()
    Path("tables/B/runs/b.run").symlink_to(home.parent / "secret")
    done = attacked("compare", "--collections", "tables", "-m", "AP").refused(
        "collection 'B'", "working directory"
    )
    assert "SECRET" not in done.err


def test_nor_does_the_name_of_a_collection_lead_elsewhere() -> None:
    Path("tables/cc.csv").write_text(
        "collection,qrels\nA,A/qrels.txt\n../../secrets,B/qrels.txt\n",
    )
    given = ("--collections", "tables/cc.csv", "tables/{collection}/a.run")
    done = attacked("compare", *given, "-m", "AP")
    assert done.code == 2
    assert "SECRET" not in done.err
    assert "working directory" in done.err


def test_the_callers_own_paths_of_runs_may_lead_anywhere(home: Path) -> None:
    for each in ("A", "B"):
        os.renames(f"tables/{each}/runs", home.parent / "runs" / each)
        Path("tables", each, "runs").mkdir()
    runs = [f"{name}={home.parent}/runs/{{collection}}/{name}.run" for name in "ab"]
    attacked("compare", "--collections", "tables", *runs, "-m", "AP").answered("2 collections")


def test_below_the_working_directory_a_table_may_name_files_of_other_folders(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("B.run").write_text(RUNS["b"])
    attacked("compare", "--collections", table("../B.run"), "-m", "AP").answered("2 collections")
    monkeypatch.chdir("tables")
    attacked("compare", "--collections", "cc.csv", "-m", "AP").refused("working directory")
    monkeypatch.chdir(home.parent)
    attacked("compare", "--collections", "home/tables/cc.csv", "-m", "AP").answered("2 collections")


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


@needs_pipes
@pytest.mark.parametrize(
    "where", ["a run in a table", "qrels in a table", "a run in a folder", "qrels in a folder"]
)
def test_no_pipe_is_opened(where: str) -> None:
    if where.endswith("table"):
        os.mkfifo("tables/B/pipe")
        given = table("B/pipe") if where == "a run in a table" else table("B/runs/b.run", qrels="B/pipe")
    else:
        place = Path("tables/B/runs/b.run" if where == "a run in a folder" else "tables/B/qrels.txt")
        place.unlink()
        os.mkfifo(place)
        given = "tables"
    done = attacked("compare", "--collections", given, "-m", "AP", within=10)
    assert done.code == 2, done


@needs_pipes
@pytest.mark.parametrize("name", ["parts/b.csv", "beir/qrels/test.tsv"])
def test_no_pipe_among_the_files_of_a_folder_is_opened(name: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    done = attacked("eval", name.split("/")[0], "tables/A/runs/a.run", within=10)
    assert done.code == 2, done


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_no_device_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Path(table("/dev/zero")).resolve()
    attacked("compare", "--collections", given, "-m", "AP", within=10).refused("/dev/zero")
    monkeypatch.chdir("/")
    attacked("compare", "--collections", given, "-m", "AP", within=10).refused("neither a file nor a folder")


@pytest.mark.thorough
def test_a_thousand_collections_take_no_longer_than_their_values(tmp_path: Path) -> None:
    """The exact test took time that grew with the cube of their number: 2,000 took more than a minute."""
    rows = [
        f"c{number},{run},{value}"
        for number in range(1_000)
        for run, value in (("a", number / 7), ("b", 0.5))
    ]
    (tmp_path / "values.csv").write_text("\n".join(["collection,run,AP", *rows, ""]))
    attacked("compare", "--collections", tmp_path / "values.csv", within=45, most=10**6).answered(
        "1,000 collections"
    )


@pytest.mark.parametrize("count", [1, 2, 3, 11, 40])
def test_the_tails_of_signed_ranks_are_counts_of_assignments(count: int) -> None:
    from carob.statistics.signed_ranks import tails

    ways = {0: 1}  # the number of assignments of signs by the sum that they give
    for rank in range(1, count + 1):
        sums = {sign * rank + each for each in ways for sign in (1, -1)}
        ways = {each: ways.get(each - rank, 0) + ways.get(each + rank, 0) for each in sums}
    total = count * (count + 1) // 2
    wanted = [
        sum(number for each, number in ways.items() if abs(each) >= far) / 2**count
        for far in range(total + 1)
    ]
    assert tails(count).tolist() == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("command", ["eval", "best", "check", "compare", "report"])
def test_no_command_shows_a_file_elsewhere(command: str, home: Path) -> None:
    given = table(str(home.parent / "secret"))
    done = attacked(
        command,
        "--collections",
        given,
        *(() if command == "check" else ("-m", "AP")),
        *(("-o", "r.html") if command == "report" else ()),
    )
    assert done.code in (1, 2), done
    assert "working" in done.out + done.err
    assert "SECRET" not in done.out + done.err
