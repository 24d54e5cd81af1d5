"""Time and memory for many short lists, typical of recommenders: scored, compared and checked in separate processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.answer import Answer, Bar, Setting, faster_than, size_of
from bench.data import SEED, STEPS, Files, columns, digits, text
from bench.side_by_side import CHECKOUT, Program, carob, carob_eval, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bench.side_by_side import Timing

VERSION = 1
USERS, MANY, FEW = 300_000, 3_000_000, 400
ITEMS, LISTED, JUDGED, SEEN = 30_000, 10, 8, 28
"""The number of items, of a user's listed and judged items, and of the items from which both are chosen."""
LONG = 16
"""One in this many items has a long id."""
AT_ONCE = 20_000
"""The number of users whose lines are generated at a time."""
LIMITS = {"eval": (1.5, 250.0), "compare": (4.0, 450.0), "check": (6.0, 450.0)}
"""The maximum processor time in seconds and the maximum memory in megabytes of each command."""


def ask(setting: Setting) -> list[Answer]:
    """Measures the commands on 300,000 users and, on request, ``carob eval`` on ten times as many users."""
    users = FEW if setting.quick else USERS
    one, other = (made(setting, users, run) for run in (1, 2))
    first = carob_eval(one)
    commands = [first, *diagnoses(one, other)]
    timings = side_by_side(commands, setting.times(3))
    bars = [
        bar
        for name, timing in zip(LIMITS, timings)
        for bar in limits(f"{users:,} users, {name}", timing, *LIMITS[name])
    ]
    what = f"many short lists, {users:,} users"
    answers = [Answer(what, f"{one.run.name}, {size_of(one.run)}", timings, bars)]
    others = [each for each in setting.others("files", one) if each.name == "pytrec_eval-terrier"]
    if others:
        timings = side_by_side([first, *others], setting.times(1))
        bars = faster_than(timings, "pytrec_eval-terrier", 4.0, what)
        answers.append(Answer(f"{what}, whole process", f"{one.run.name}, {size_of(one.run)}", timings, bars))
    if setting.huge and not setting.quick:
        answers.append(growth(setting, answers[0].timings[0]))
    return answers


def diagnoses(one: Files, other: Files) -> list[Program]:
    """Returns the commands that compare two runs, and the command that checks one run."""
    # A check exits with 1 or 2 if it finds a problem.
    return [
        Program("carob compare", [*carob(), "compare", str(one.qrels), str(one.run), str(other.run)]),
        Program("carob check", [*carob(), "check", str(one.qrels), str(one.run)], fine=(0, 1, 2)),
    ]


def limits(what: str, timing: Timing, seconds: float, memory: float) -> list[Bar]:
    """Returns the limits of one command."""
    processor = median(timing.processor) if timing.processor else float("nan")
    return [
        Bar(f"{what}, processor time", "at most", seconds, processor, "s"),
        Bar(f"{what}, peak memory", "at most", memory, timing.peak or float("nan"), "MB"),
    ]


def growth(setting: Setting, fewer: Timing) -> Answer:
    """Measures ten times as many users, whose files are deleted afterwards. Time and memory must grow in proportion."""
    large = made(setting, MANY, 1)
    timings = side_by_side([carob_eval(large)], setting.times(1))
    data = f"{large.run.name}, {size_of(large.run)}"
    for path in large:
        path.unlink()
    bars = limits(f"{MANY:,} users, eval", timings[0], 11 * median(fewer.processor), 10 * (fewer.peak or 0.0))
    return Answer(f"many short lists, {MANY:,} users", data, timings, bars)


# ---------------------------------------------------------------- data


def made(setting: Setting, users: int, run: int) -> Files:
    """Returns the judgments and one of the runs, writing the files if they do not exist."""
    stem = setting.folder / f"short-{users}-{SEED}-{VERSION}"
    paths = Files(stem.with_name(stem.name + ".qrels"), stem.with_name(f"{stem.name}-{run}.run"))
    if not (paths.qrels.exists() and paths.run.exists()):
        print(f"making {paths.run.name} ...", file=sys.stderr)
        paths.run.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "bench.bench_short", *map(str, paths), str(users), str(run)]
        subprocess.run(command, check=True, cwd=CHECKOUT)
    return paths


def make(paths: Files, users: int, run: int) -> None:
    """Writes the judgments and a run. Each file gets its name when it is complete."""
    parts = [path.with_name(f"{path.name}.part") for path in paths]
    with parts[0].open("wb") as qrels, parts[1].open("wb") as lists:
        for lines in lines_of(users, run):
            qrels.write(lines[0])
            lists.write(lines[1])
    for part, path in zip(parts, paths):
        part.replace(path)


def lines_of(users: int, run: int) -> Iterator[tuple[bytes, bytes]]:
    """Yields lines of the judgments and of a run, for some users at a time."""
    import numpy as np

    draw, taste = np.random.default_rng(SEED), np.random.default_rng(SEED + run)
    for first in range(0, users, AT_ONCE):
        count = min(AT_ONCE, users - first)
        names = np.arange(first, first + count)
        items = popular(draw, count)
        liked = taste.random(items.shape) - 0.3 * (np.arange(SEEN) < JUDGED)
        listed = np.take_along_axis(items, np.argsort(liked, axis=1)[:, :LISTED], axis=1)
        falls = taste.integers(1, 4, listed.shape)
        scores = falls[:, ::-1].cumsum(axis=1)[:, ::-1].ravel()
        grades = draw.integers(1, 3, count * JUDGED)
        yield (
            text(
                columns(
                    b"u",
                    digits(np.repeat(names, JUDGED), 7),
                    b" 0 ",
                    ids(items[:, :JUDGED]),
                    b" ",
                    digits(grades, 1),
                    b"\n",
                )
            ),
            text(
                columns(
                    b"u",
                    digits(np.repeat(names, LISTED), 7),
                    b" Q0 ",
                    ids(listed),
                    b" ",
                    digits(np.tile(np.arange(1, LISTED + 1), count), 2),
                    b" ",
                    digits(scores // STEPS, 4),
                    b".",
                    digits(scores % STEPS * (1_000_000 // STEPS), 6, padded=True),
                    b" sys\n",
                )
            ),
        )


def popular(draw: Any, count: int) -> NDArray[Any]:
    """Returns distinct items for each user. Their popularity falls as in Zipf's law."""
    import numpy as np

    items: NDArray[Any] = np.floor(ITEMS ** draw.random((count, SEEN))).astype(np.int64)
    while len(twice := np.flatnonzero((np.diff(np.sort(items, axis=1), axis=1) == 0).any(axis=1))):
        again = draw.random((len(twice), SEEN))
        # Half of the items are drawn from all items, because few items are popular.
        items[twice] = np.where(
            again < 0.5, np.floor(ITEMS ** (2 * again)), 1 + np.floor(ITEMS * (2 * again - 1))
        )
    return items


def ids(items: NDArray[Any]) -> NDArray[Any]:
    """Returns the ids of items, some of which are long."""
    import numpy as np

    flat = items.ravel()
    path = np.frombuffer(b"catalogue/2024/spring/item-", np.uint8)
    heads = np.where((flat % LONG == 0)[:, None], path, np.uint8(0)).astype(np.uint8)
    return np.concatenate([heads, columns(b"i", digits(flat, 5))], axis=1)


def main(arguments: Sequence[str]) -> None:
    """Writes the files given as arguments."""
    qrels, run, users, number = arguments
    make(Files(Path(qrels), Path(run)), int(users), int(number))


if __name__ == "__main__":
    main(sys.argv[1:])
