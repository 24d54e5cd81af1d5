"""Time to evaluate data frames in memory: carob, Polars expressions, and ranx with its from_df."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

from bench.answer import Answer, Bar, Setting, faster_than, ratio
from bench.side_by_side import peer, side_by_side


def ask(setting: Setting) -> list[Answer]:
    """Times text ids and whole-number ids, from Polars and Arrow. Each process has its own frames."""
    if not (find_spec("polars") and find_spec("pyarrow")):
        print("polars or pyarrow is not installed: no frames are timed", file=sys.stderr)
        return []
    made = setting.data("web")
    programs = [
        peer("carob_frames", "carob, Polars frame", "frames", made, sys.executable),
        peer("carob_arrow", "carob, Arrow table", "frames", made, sys.executable),
        peer("carob_whole", "carob, ids as whole numbers", "frames", made, sys.executable),
        peer("polars_expressions", "Polars expressions", "frames", made, sys.executable),
    ]
    if "ranx" in setting.peers:
        programs.append(peer("ranx_frames", "ranx", "frames", made, setting.python))
    timings = side_by_side(programs, setting.times(3))
    polars, arrow, whole = timings[:3]
    bars = []
    for first, what in ((polars, "a Polars frame"), (arrow, "an Arrow table")):
        others = [replace(each) for each in timings[3:]]
        bars += faster_than([first, *others], "Polars expressions", 3.0, what)
        bars += faster_than([first, *others], "ranx", 10.0, what)
    bars.append(
        Bar("whole numbers against text as ids", "at most", 1.0, ratio(polars, whole), "times as long")
    )
    return [Answer("frames in memory, evaluation only", made.run.name, timings, bars)]
