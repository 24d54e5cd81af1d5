"""How long a page takes beside the comparison that it shows, and one explanation of a very long list."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from bench.answer import Answer, Bar, Setting, ratio
from bench.data import SEED
from bench.side_by_side import CHECKOUT, Program, karat, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

RUNS, QUERIES, DEPTH, JUDGED = 2, 200, 1000, 60
TINY = (2, 8, 50, 20)
LONG = 1_000_000
"""Documents of the list that is explained."""
MEASURES = ("nDCG@10", "AP", "RR")
TIMES, SECONDS = 12.0, 10.0
"""A page shows 50 queries of each run and 300 derivations, and carries a drawing library of 0.9 MB, which takes two
seconds of a second core to put together."""


def ask(setting: Setting) -> list[Answer]:
    """``karat report`` beside ``karat compare`` on the same files; ``karat explain`` of a million documents."""
    folder = made(setting, TINY if setting.quick else (RUNS, QUERIES, DEPTH, JUDGED))
    qrels, *runs = (str(folder / name) for name in ("qrels", "run000.run", "run001.run"))
    asked = [part for measure in MEASURES for part in ("-m", measure)]
    page = str(setting.folder / "report.html")
    programs = [
        Program("karat compare", [*karat(), "compare", qrels, *runs, *asked]),
        Program("karat report", [*karat(), "report", qrels, *runs, *asked, "-o", page]),
    ]
    timings = side_by_side(programs, setting.times(5))
    bars = [
        Bar("a page, beside its comparison", "at most", TIMES, ratio(timings[0], timings[1]), "times as long")
    ]
    qrels, run = long_list(setting.folder, 1000 if setting.quick else LONG)
    explain = [*karat(), "explain", "nDCG", qrels, run, "--query", "q"]
    explained = side_by_side([Program("karat explain", explain)], setting.times(3))
    return [
        Answer("a page", f"{folder.name}, whole process", timings, bars),
        Answer(
            "an explanation of a long list",
            f"{LONG:,} documents, whole process",
            explained,
            [Bar("a long list explained", "at most", SECONDS, explained[0].median, "s")],
        ),
    ]


def made(setting: Setting, size: tuple[int, int, int, int]) -> Path:
    """The folder of judgments and runs of a size, written if it is not there."""
    folder = setting.folder / f"report-{'x'.join(map(str, size))}-{SEED}"
    if not folder.exists():
        print(f"making {folder.name} ...", file=sys.stderr)
        command = [sys.executable, "-m", "bench.bench_many_runs", "make", str(folder), *map(str, size)]
        subprocess.run(command, check=True, cwd=CHECKOUT)
    return folder


def long_list(folder: Path, count: int) -> tuple[str, str]:
    """Judgments and a run of one query with so many documents, written if they are not there."""
    qrels, run = folder / f"long-{count}.qrels", folder / f"long-{count}.run"
    if not run.exists():
        folder.mkdir(parents=True, exist_ok=True)
        qrels.write_text("".join(f"q 0 d{7 * number} {number % 3}\n" for number in range(count // 500)))
        run.write_text(
            "".join(f"q Q0 d{number} {number + 1} {count - number / 7:.5f} long\n" for number in range(count))
        )
    return str(qrels), str(run)
