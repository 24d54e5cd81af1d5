"""Hands mutated dicts, runs and names to carob: ``make fuzz-python COUNT=100000 SEED=1``.

What comes back is a result or one of carob's own errors; a name that is read reads as itself again. The same seed makes
the same inputs. What only the kernel sees, text and frames, is fuzzed without Python: ``native/fuzz``.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import importlib
import lzma
import math
import random
import sys
import tempfile
import time
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import carob
from carob.fusion.methods import METHODS, NORMALISATIONS
from carob.inputs.decompression import ZSTANDARD
from carob.measures import REGISTER, parse_measure
from carob.output.errors import CarobError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__: list[str] = []

MEASURES = ("AP", "RR", "nDCG@3", "P@2")
IDS: tuple[Any, ...] = (
    *(
        "q1",
        "q2",
        "d1",
        "d2",
        "d3",
        "",
        " ",
        "a b",
        "\0",
        "\n",
        "é",
        "\udcc3\udca9",
        "\ud800",
        "\U0001f375",
        "z" * 300,
    ),
    *(1, 2, True, None, 1.0, math.nan, b"d1", ("d1",), frozenset(), 2**70),
)
NUMBERS: tuple[Any, ...] = (
    *(0, 1, 2, 3, -1, 0.5, 1e300, 5e-324, -0.0, math.nan, math.inf, -math.inf, 2**53 + 1, 2**63, 10**400),
    *(True, None, "1", b"1", "nan", [], {}, 1j, object()),
)
RUN = "".join(f"q{query} Q0 d{each} 0 {9 - each} t\n" for query in range(6) for each in range(5)).encode()
QRELS = {f"q{query}": {"d1": 1} for query in range(6)}
SCRAPS = (
    "@",
    "(",
    ")",
    ",",
    "=",
    "/",
    ".",
    "-",
    "_",
    " ",
    "1e9",
    "@0",
    "@-1",
    "@1.5",
    "9" * 30,
    "é",
    "\0",
    "\n",
    "'",
    "=nan",
)
NAMES = (
    *REGISTER,
    "map",
    "P_10",
    "ndcg_cut_10",
    "recall_1000",
    "MAP@100",
    "official",
    "all_trec",
    "recip_rank",
    "Rprec_mult_0.2",
)


def mapping(draw: random.Random, values: tuple[Any, ...]) -> Any:
    """Query to document to number; one in three holds what neither should be."""
    odd = draw.random() < 1 / 3
    ids, numbers = (IDS, values) if odd else (IDS[:5], values[:5])
    made: dict[Any, Any] = {}
    for _ in range(draw.randrange(5)):
        inner = {draw.choice(ids): draw.choice(numbers) for _ in range(draw.randrange(7))}
        made[draw.choice(ids)] = draw.choice([[], None, 1, "d1"]) if odd and draw.random() < 0.1 else inner
    return made


def dictionaries(draw: random.Random) -> None:
    """Evaluate a run that may hold anything; every value is a number, and what was handed in is unchanged."""
    qrels, run = mapping(draw, NUMBERS), mapping(draw, NUMBERS)
    before = repr((qrels, run))
    try:
        result = carob.evaluate(qrels, run, list(MEASURES))
        assert not any(math.isinf(result[each]) for each in MEASURES)
    finally:
        assert repr((qrels, run)) == before, "the caller's data has changed"


def packers() -> list[Callable[[bytes], bytes]]:
    """Each way to compress that this Python has; the first bytes of each are told by their format."""
    found: list[Callable[[bytes], bytes]] = [gzip.compress, bz2.compress, lzma.compress]
    try:
        zstandard = importlib.import_module(ZSTANDARD)
    except ImportError:
        return found
    checked = {zstandard.CompressionParameter.checksum_flag: 1}
    return [*found, lambda content: zstandard.compress(content, options=checked)]


PACKERS = packers()


def streams(draw: random.Random) -> None:
    """A run in one compressed stream or two, damaged or not: all of it is read, or it is refused."""
    pack, cut = draw.choice(PACKERS), draw.randrange(len(RUN))
    first, second = pack(RUN[:cut]), pack(RUN[cut:])
    packed = bytearray(first + second)
    harm = draw.randrange(4)
    if harm == 1:
        packed[draw.randrange(len(packed))] ^= 1 << draw.randrange(8)
    elif harm == 2:
        del packed[draw.randrange(len(packed)) :]
    elif harm == 3:
        at = draw.randrange(len(packed))
        packed[at:at] = draw.randbytes(draw.randrange(1, 9))
    if not harm:
        assert carob.evaluate(QRELS, bytes(packed), "RR")["RR"] == 0.5, "not all streams are read"
        return
    # A cut between the streams leaves a whole file, and a flag in a header may say that what follows is a comment.
    carob.evaluate(QRELS, bytes(packed), "RR")


def names(draw: random.Random) -> None:
    """Read a name made of parts that names have, and a few that they have not."""
    text = draw.choice(NAMES)
    if draw.random() < 0.5:
        parameters = list(REGISTER[text].parameters) if text in REGISTER else []
        given = [draw.choice([*parameters, "over", "rel", "gain"]) for _ in range(draw.randrange(3))]
        values = ("1", "2", "0.5", "exp2", "capped", "retrieved", "nan", "-1", "0", "", "1e400")
        text += "(" + ",".join(f"{each}={draw.choice(values)}" for each in given) + ")"
    if draw.random() < 0.6:
        text += f"@{draw.choice(('1', '10', '1000', '0', '0.5', '01', '1_0', '٣'))}"
    for _ in range(draw.choice((0, 0, 1, 2))):
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(SCRAPS) + text[at + draw.randrange(3) :]
    read = str(parse_measure(text))
    assert str(parse_measure(read)) == read, f"{text!r} reads as {read!r}, which reads otherwise"


LINES = (
    "",
    "q1 Q0 d1 1 2.5 t",
    "q2 Q0 d1 0 nan t",
    "q1 Q0 d9 0 1e309 t",
    "q3 Q0 é 0 -0 t",
    "q1\tQ0\td2\t1\t0x1p3\tt",
    "x",
)


def text_of_run(draw: random.Random, queries: int = 4) -> bytes:
    """Lines of a run, some of which may be mutated, doubled, out of place or cut."""
    lines = [
        f"q{query} Q0 d{draw.randrange(8)} {rank} {draw.choice((3, 2, 2, 0.5, -1, 1e300, 5e-324))} t"
        for query in draw.sample(range(queries), draw.randrange(1, queries + 1))
        for rank in range(draw.randrange(1, 6))
    ]
    lines = list({tuple(line.split()[::2][:2]): line for line in lines}.values())
    for _ in range(draw.choice((0, 0, 0, 1, 2))):
        lines.insert(draw.randrange(len(lines) + 1), draw.choice([*LINES, draw.choice(lines)]))
    text = "\n".join(lines).encode() + draw.choice((b"", b"\n", b"\n", b"\r\n"))
    if draw.random() < 0.1:
        at = draw.randrange(len(text))
        text = text[:at] + draw.randbytes(draw.randrange(3)) + text[at + draw.randrange(2) :]
    return text


def said(work: Callable[[], Any]) -> Any:
    """The result of some work, or the fact that it is refused."""
    try:
        return work()
    except CarobError:
        return None


def fusions(draw: random.Random) -> None:
    """Fuse runs from files and from memory: the same bytes, or neither is fused."""
    texts = [text_of_run(draw) for _ in range(draw.randrange(2, 5))]
    method, norm = draw.choice(list(METHODS)), draw.choice([None, *NORMALISATIONS])
    weights = draw.choice([None, None, [draw.choice((0, 0.5, 1, 3, 1e300)) for _ in texts]])

    def fused(runs: list[Any]) -> bytes:
        out = BytesIO()
        named = {f"run{place}": each for place, each in enumerate(runs)}
        weighing = None if weights is None else dict(zip(named, weights, strict=True))
        carob.write_run(carob.fuse(named, method, norm, weights=weighing), out, to="trec")
        return out.getvalue()

    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{place}.run" for place in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text)
        plain, memory = (said(lambda its=its: fused(its)) for its in ([*map(str, paths)], texts))
    assert plain == memory, (
        f"{method}, {norm}, {weights}, {texts}: {plain!r} from files, {memory!r} from memory"
    )


def written(draw: random.Random) -> None:
    """Write a run in any format: what is read back has the same scores, or it was refused."""
    text, to = text_of_run(draw), draw.choice(("trec", "csv", "tsv", "jsonl", "json"))
    before = said(lambda: carob.evaluate(QRELS, text, list(MEASURES)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out.{to}"
        if said(lambda: carob.write_run(text, str(path), to=to)) is None or before is None:
            return
        after = carob.evaluate(QRELS, str(path), list(MEASURES))
    same = [before.by_query(each) == after.by_query(each) for each in MEASURES]
    assert all(same), f"{text!r} as {to}: {before} became {after}"


KINDS = (fusions, written, names, names, names, names, dictionaries, dictionaries, streams)


def main(arguments: list[str]) -> int:
    """Run so many inputs; return 1 at the first that something else comes out of than a result or a refusal."""
    parser = argparse.ArgumentParser(description="Mutated dicts, compressed runs and names of measures.")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    begun, refused = time.perf_counter(), 0
    for place in range(options.count):
        draw = random.Random(f"{options.seed} {place}")
        kind = draw.choice(KINDS)
        try:
            kind(draw)
        except CarobError:
            refused += 1
        except BaseException:
            print(f"input {place} of seed {options.seed}, {kind.__name__}:", file=sys.stderr)
            raise
    taken = time.perf_counter() - begun
    print(f"{options.count} inputs, seed {options.seed}: {refused} refused, no other error ({taken:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
