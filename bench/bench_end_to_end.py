"""Time of the whole process, from two files to means: sorted lines, the same lines shuffled, and deep judgments."""

from __future__ import annotations

from bench.answer import Answer, Setting, faster_than, size_of
from bench.side_by_side import karat_eval, side_by_side

BARS = {
    "web": ("sorted lines", 27.0),
    "web-shuffled": ("shuffled lines", 8.0),
    "web-dense": ("sorted lines, 200 judged per query", 15.0),
}


def ask(setting: Setting) -> list[Answer]:
    """Times the tools for each order of the lines."""
    return [order(setting, size) for size in BARS]


def order(setting: Setting, size: str) -> Answer:
    """Times karat's command and every other tool on the same files."""
    made = setting.data(size)
    what, limit = BARS[size]
    timings = side_by_side([karat_eval(made), *setting.others("files", made)], setting.times(3))
    bars = faster_than(timings, "pytrec_eval-terrier", limit, f"whole process, {what}")
    return Answer(f"whole process, {what}", f"{made.run.name}, {size_of(made.run)}", timings, bars)
