"""Time of the whole process, from two files to means, for sorted lines, the same lines shuffled, and deep judgments.

The time for sorted lines is also compared with ``wc -l`` and, for compressed files, with decompression tools.
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from bench.answer import Answer, Bar, Setting, faster_than, ratio, size_of
from bench.data import Files
from bench.side_by_side import Program, carob_eval, side_by_side

if TYPE_CHECKING:
    from pathlib import Path

BARS = {
    "web": ("sorted lines", 27.0),
    "web-shuffled": ("shuffled lines", 8.0),
    "web-dense": ("sorted lines, 200 judged per query", 15.0),
}
LINES = 5.0
"""The maximum ratio of the time for sorted lines to the time of ``wc -l``."""
UNPACKED = {"gzip": (".gz", 1.0), "zstd": (".zst", 1.2)}
"""The decompression tools, the file extension of each, and the maximum ratio of carob's time to the tool's time."""


def ask(setting: Setting) -> list[Answer]:
    """Times the tools for each order of the lines, and for compressed lines."""
    made = setting.data("web")
    answers = [order(setting, size) for size in BARS]
    count = shutil.which("wc")
    if count:
        line_count = Program("wc -l", [count, "-l", str(made.run)])
        answers.append(reading(setting, made, line_count, "sorted lines", LINES))
    for name, (end, limit) in UNPACKED.items():
        tool = shutil.which(name)
        if tool:
            packed = Files(made.qrels, compressed(made.run, tool, end))
            unpack = Program(f"{name} -dc", [tool, "-dc", str(packed.run)], unheard=True)
            answers.append(reading(setting, packed, unpack, f"compressed by {name}", limit))
    return answers


def compressed(path: Path, tool: str, end: str) -> Path:
    """Returns the compressed file, which is created if it does not exist."""
    made = path.with_name(path.name + end)
    if not made.exists():
        part = made.with_name(f"{made.name}.part")
        with part.open("wb") as file:
            subprocess.run([tool, "-c", str(path)], stdout=file, check=True)
        part.replace(made)
    return made


def reading(setting: Setting, made: Files, reader: Program, what: str, limit: float) -> Answer:
    """Times carob's command and a program that only reads the same run."""
    timings = side_by_side([carob_eval(made), reader], setting.times(9))
    bars = [Bar(f"{what}, against {reader.name}", "at most", limit, 1 / ratio(*timings), "times as long")]
    return Answer(f"{what} and {reader.name}", f"{made.run.name}, {size_of(made.run)}", timings, bars)


def order(setting: Setting, size: str) -> Answer:
    """Times carob's command and every other tool on the same files."""
    made = setting.data(size)
    what, limit = BARS[size]
    timings = side_by_side([carob_eval(made), *setting.others("files", made)], setting.times(3))
    bars = faster_than(timings, "pytrec_eval-terrier", limit, f"whole process, {what}")
    return Answer(f"whole process, {what}", f"{made.run.name}, {size_of(made.run)}", timings, bars)
