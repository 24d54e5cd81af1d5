"""Memory of carob, and the growth of time and memory with ten times as many lines."""

from __future__ import annotations

from dataclasses import replace

from bench.answer import Answer, Bar, Setting, size_of
from bench.side_by_side import carob_eval, side_by_side

SIZES = {"web": 60.0, "web10": 60.0}


def ask(setting: Setting) -> list[Answer]:
    """Measures the command on 7 M lines and, on request, on 70 M lines. The large file is deleted afterwards."""
    sizes = [size for size in SIZES if setting.huge or size != "web10"]
    made = {size: setting.data(size) for size in sizes}
    programs = [replace(carob_eval(made[size]), name=f"carob eval, {size}", values=None) for size in sizes]
    sizes_shown = ", ".join(size_of(made[size].run) for size in sizes)
    timings = side_by_side(programs, setting.times(5))
    if "web10" in made and not setting.quick:
        made["web10"].run.unlink()
    bars = [
        Bar(f"peak memory, {size}", "at most", SIZES[size], timing.peak or float("nan"), "MB")
        for size, timing in zip(sizes, timings)
    ]
    if len(timings) == 2:
        growth = timings[1].median / timings[0].median
        bars.append(Bar("time for ten times the lines", "at most", 11.0, growth, "times as long"))
    return [Answer("memory and growth", sizes_shown, timings, bars)]
