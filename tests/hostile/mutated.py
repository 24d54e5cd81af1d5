"""Hands mutated pickles, Arrow and Parquet files to carob: ``python tests/hostile/mutated.py --count 10000 --seed 1``.

What comes back from a file is a result or one of carob's own errors; from a pickle it is any exception, since what a
pickle makes is not carob's alone. No input ends the process. Each batch runs in a process of its own, which says the
number of the input that it begins with, so that a crash or a hang names its input. The same seed makes the same inputs.
"""

from __future__ import annotations

import argparse
import io
import pickle
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import carob
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.output.errors import CarobError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__: list[str] = []

QRELS = {f"q{query}": {f"d{each}": each % 3 for each in range(4)} for query in range(5)}
RUN = {f"q{query}": {f"d{each}": 9.0 - each for each in range(6)} for query in range(5)}
TEXT = "".join(
    f"{query} Q0 {each} 0 {score} t\n" for query, row in RUN.items() for each, score in row.items()
).encode()
MEASURES = ["AP", "nDCG@3"]
WITHIN = 60.0
"""Seconds after which an input counts as a hang."""
MEMORY = 3 * 2**30
"""Bytes of address space beyond what the libraries take, which a mutated length must not exceed."""
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        2**31,
        2**62,
        2**70,
        0.5,
        float("nan"),
        float("inf"),
        "d1",
        b"",
        b"d1",
        b"\0" * 9,
        [],
        (),
    ),
    *([None], [b"d1"] * 3, [1.5], [float("nan")] * 20, [-1, 5], [0, 2**62], list(range(21)), {}, object),
)


def changed(draw: random.Random, content: bytes) -> bytes:
    """Bytes with one to four of them changed, taken out, put in, doubled or cut off."""
    made = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(len(made)) if made else 0
        how = draw.randrange(7)
        if how == 0:
            made[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            made[at : at + 1] = bytes([made[at] ^ 1 << draw.randrange(8)] if made else [])
        elif how == 2:
            del made[at : at + draw.randrange(1, 9)]
        elif how == 3:
            made[at:at] = draw.randbytes(draw.randrange(1, 9))
        elif how == 4:
            made[at : at + 8] = struct.pack("<q", draw.choice((-1, 0, 1, 2**31, 2**62, -(2**63))))
        elif how == 5:
            other = draw.randrange(len(made) + 1)
            made[at:at] = made[other : other + draw.randrange(64)]
        elif draw.random() < 0.3:
            del made[at:]
    return bytes(made)


def pickles(draw: random.Random, _: Path) -> None:
    """Unpickle judgments, a run or scores that were changed, and evaluate with what comes out."""
    kind = draw.randrange(4)
    if kind == 0:  # the state itself, whose parts are of the right type or of another
        native = Qrels.of(QRELS).judgments
        state = list(native.__getstate__())
        for _ in range(draw.choice((1, 1, 2))):
            at = draw.randrange(len(state))
            part = state[at]
            if isinstance(part, list) and part and draw.random() < 0.6:
                part = list(part)
                part[draw.randrange(len(part))] = draw.choice([*ODD, part[0]])
                state[at] = part
            elif draw.random() < 0.3:
                del state[at]
            else:
                state[at] = draw.choice(ODD)
            if not state:
                break
        whole: Any = draw.choice([tuple(state), tuple(state), tuple(state), state, draw.choice(ODD)])
        made = type(native).__new__(type(native))
        made.__setstate__(whole)
        used(Qrels("given", made, Qrels.of(QRELS).origin))
        return
    original = (Qrels.of(QRELS), Run.of(TEXT, "mine"), carob.evaluate(QRELS, RUN, MEASURES))[kind - 1]
    content = changed(draw, pickle.dumps(original, draw.randrange(2, pickle.HIGHEST_PROTOCOL + 1)))
    if re.search(rb"\b(sys|posix)\b", content):  # a pickle runs what it names
        return
    found = pickle.loads(content)
    if kind == 1:
        used(found)
    elif kind == 2:
        carob.evaluate(QRELS, found, MEASURES)
    else:
        found.means(), found.to_json()


def used(qrels: Any) -> None:
    """Use judgments as the kernel does."""
    judged = qrels.judgments
    for name in ("queries", "joined_queries", "offsets", "grades", "lines", "duplicates", "malformed_lines"):
        getattr(judged, name)
    assert not judged.query_count or judged.documents(judged.query_count - 1) is not None
    carob.evaluate(qrels, RUN, MEASURES, policy=carob.Policy(overlap="none"))
    pickle.dumps(judged)


def columns() -> dict[str, list[Any]]:
    """The run as columns."""
    rows = [(query, each, score) for query, row in RUN.items() for each, score in row.items()]
    return dict(zip(("query_id", "doc_id", "score"), map(list, zip(*rows, strict=True)), strict=True))


def stored() -> dict[str, list[bytes]]:
    """The run as Parquet and Arrow files in several layouts, by the ending of their names."""
    import polars as pl

    frame = pl.DataFrame(columns())
    found: dict[str, list[bytes]] = {"parquet": [], "arrow": []}
    for packed in ("uncompressed", "zstd", "snappy", "gzip"):
        for ids in (pl.String, pl.Categorical):
            file = io.BytesIO()
            frame.with_columns(pl.col("doc_id").cast(ids)).write_parquet(
                file, compression=packed, row_group_size=7
            )
            found["parquet"].append(file.getvalue())
    for form in ("uncompressed", "lz4"):
        file = io.BytesIO()
        frame.write_ipc(file, compression=form)
        found["arrow"].append(file.getvalue())
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return found
    table = pa.table(columns())
    for version in ("1.0", "2.0"):
        file = io.BytesIO()
        pq.write_table(table, file, data_page_version=version, use_dictionary=version == "2.0")
        found["parquet"].append(file.getvalue())
    return found


STORED: dict[str, list[bytes]] = {}


def in_file(ending: str, draw: random.Random, folder: Path) -> None:
    """Evaluate a changed file."""
    STORED.update(STORED or stored())
    path = folder / f"run.{ending}"
    path.write_bytes(changed(draw, draw.choice(STORED[ending])))
    carob.evaluate(QRELS, str(path), MEASURES, policy=carob.Policy(overlap="none"))


def parquet(draw: random.Random, folder: Path) -> None:
    """Evaluate a changed Parquet file."""
    in_file("parquet", draw, folder)


def arrow(draw: random.Random, folder: Path) -> None:
    """Evaluate a changed Arrow file."""
    in_file("arrow", draw, folder)


KINDS: dict[str, Callable[[random.Random, Path], None]] = {
    "pickle": pickles,
    "parquet": parquet,
    "arrow": arrow,
}


def batch(kind: str, seed: int, first: int, last: int) -> None:
    """Run the inputs of a batch in this process, and say the number of each before it."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY * 3, MEMORY * 3))
    except (ImportError, ValueError):  # another system, or a lower limit
        pass
    warnings.simplefilter("ignore")
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for place in range(first, last):
            print(place, flush=True)
            try:
                KINDS[kind](random.Random(f"{seed} {kind} {place}"), Path(folder))
            except CarobError:
                refused += 1
            except Exception:
                if kind != "pickle":
                    raise
                refused += 1
    print("refused", refused, flush=True)


def fault_in(kind: str, seed: int, first: int, last: int) -> tuple[str | None, int]:
    """Run a batch in a process of its own: what went wrong, if anything, and how many inputs were refused."""
    line = [sys.executable, __file__, "--kind", kind, "--seed", str(seed), "--batch", str(first), str(last)]
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, timeout=WITHIN + 5 * (last - first), check=False
        )
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        return f"{kind}, seed {seed}, input {said.split()[-1:]}: no end", 0
    lines = done.stdout.split("\n")
    if done.returncode == 0 and "refused" in lines[-2]:
        return None, int(lines[-2].split()[1])
    place = next((each for each in reversed(lines) if each), first)
    return f"{kind}, seed {seed}, input {place}: status {done.returncode}\n{done.stderr[-2000:]}", 0


def main(arguments: list[str]) -> int:
    """Run so many inputs of each kind; return 1 if one of them ends a process, or hangs, or gives another error."""
    parser = argparse.ArgumentParser(description="Mutated pickles, Arrow and Parquet files.")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--batch", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.batch is not None:
        batch(options.kind, options.seed, *options.batch)
        return 0
    faults = 0
    for kind in [options.kind] if options.kind else KINDS:
        begun, refused, size = time.perf_counter(), 0, 500
        for first in range(0, options.count, size):
            fault, count = fault_in(kind, options.seed, first, min(first + size, options.count))
            refused += count
            if fault is not None:
                faults += 1
                print(fault, file=sys.stderr, flush=True)
        taken = time.perf_counter() - begun
        print(
            f"{kind}: {options.count} inputs, seed {options.seed}: {refused} refused ({taken:.0f} s)",
            flush=True,
        )
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
