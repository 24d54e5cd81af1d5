"""The cost of a command beside its numbers: how often control enters another module, and how often a run is opened."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.toys import command

CHECKOUT = Path(__file__).parent.parent
if not (CHECKOUT / "bench").is_dir():
    pytest.skip("bench/ is in a checkout only", allow_module_level=True)

sys.path.insert(0, str(CHECKOUT))

from bench.walls import entered  # noqa: E402

TEA, COFFEE = (CHECKOUT / "examples" / name for name in ("tea", "coffee"))
TEAS, COFFEES = (sorted(map(str, (folder / "runs").glob("*.run"))) for folder in (TEA, COFFEE))
JUDGED = str(TEA / "qrels.txt")
JUDGE = ["--judge", str(COFFEE / "model.txt"), *COFFEES, "-m", "DCG@10"]
WALKS = {
    "eval": ["eval", JUDGED, TEAS[0]],
    "bounds": ["eval", JUDGED, *TEAS, "-m", "nDCG@10", "--unjudged-bounds"],
    "compare": ["compare", JUDGED, *TEAS],
    "orders": ["compare", JUDGED, *TEAS, "-m", "nDCG@10", "--orders"],
    "people": ["compare", "--people", str(COFFEE / "people.txt"), *JUDGE],
    "sample": ["compare", "--people", str(COFFEE / "documents.csv"), *JUDGE],
    "agreement": [
        "agreement",
        str(COFFEE / "complete.txt"),
        str(COFFEE / "model.txt"),
        *COFFEES,
        "-m",
        "nDCG@10",
    ],
    "next": ["next", JUDGED, *TEAS, "-m", "DCG@20", "--budget", "12", "-o", "next.csv"],
    "best": ["best", JUDGED, *TEAS, "-m", "AP"],
    "check": ["check", JUDGED, *TEAS],
    "report": ["report", JUDGED, *TEAS, "-m", "nDCG@10", "-o", "report.html"],
}
DOORS = {
    "eval": 315,
    "compare": 1000,
    "people": 1115,
    "sample": 1370,
    "next": 695,
    "best": 715,
    "check": 2000,
    "report": 7000,
}
"""The most doors of each command, at most a tenth above the number at the time of writing."""


@pytest.mark.parametrize("name", DOORS)
def test_a_command_does_not_go_from_module_to_module_for_each_document(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    doors = entered(lambda: command(*WALKS[name]))
    assert any(capsys.readouterr())
    assert doors.total() <= DOORS[name], doors.most_common(10)


class Opens:
    """Counts how often files of a folder are opened, by Python or by the kernel, as Linux tells it."""

    OPENED, CLOSED, LOST = 0x20, 0x18, 0x4000

    def __init__(self, folder: Path) -> None:
        self.system: Any = ctypes.CDLL(None, use_errno=True)
        self.folder, self.counts = folder, Counter[str]()

    def __enter__(self) -> Counter[str]:
        self.file = self.system.inotify_init1(os.O_NONBLOCK)
        # Two equal events in a row would be one; a file is closed before it is opened again.
        if (
            self.file < 0
            or self.system.inotify_add_watch(self.file, os.fsencode(self.folder), self.OPENED | self.CLOSED)
            < 0
        ):
            pytest.skip("this system does not tell which files are opened")
        return self.counts

    def __exit__(self, *_: object) -> None:
        data, at = os.read(self.file, 1 << 20), 0
        os.close(self.file)
        while at < len(data):
            _, mask, _, size = struct.unpack_from("iIII", data, at)
            name = data[at + 16 : at + 16 + size].rstrip(b"\0").decode()
            at += 16 + size
            if mask & self.OPENED and name:
                self.counts[name] += 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has inotify")
@pytest.mark.parametrize("name", WALKS)
def test_each_run_is_opened_once_to_see_its_kind_and_once_to_be_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    walk = WALKS[name]
    own, folder = Path(next(each for each in walk if each.endswith(".run"))).parent, tmp_path / "runs"
    shutil.copytree(own, folder)  # which no other process reads
    with Opens(folder) as opened:
        command(*(each.replace(str(own), str(folder)) for each in walk))
    assert opened
    assert max(opened.values()) <= 2, opened
