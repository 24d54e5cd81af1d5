"""Tests the fuzz target: one fault is planted in the kernel at a time, and the target must find each.

Run it as ``make plants``. It leaves with exit code 1 and the names of what was not found if there is any.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Plant(NamedTuple):
    """A fault: a file of the kernel, what stands there, and what stands there instead."""

    file: str
    right: str
    wrong: str
    memory: bool = False
    """Whether only a sanitizer sees it."""


PLANTS = {
    "a blank that begins a line": Plant(
        "text/run_lines.h", "(all & (all >> 1) & through) | (all & 1)", "all & (all >> 1) & through"
    ),
    "NUL bytes in the tag": Plant("text/run_lines.h", "|| holds_nul(tag, tag_end)) return", ") return"),
    "more digits than a double holds": Plant(
        "text/numbers.h", "if (mantissa > (std::uint64_t{1} << 53)) return false;", ""
    ),
    "the last of three occurrences": Plant(
        "matching/reduce.cpp", "if (later_wins) held = again.document;", ""
    ),
    "NaN that becomes first": Plant(
        "matching/reduce.cpp",
        "if (std::isnan(documents.documents[0].score)) documents.descending = false;",
        "",
    ),
    "ties of two where many are judged": Plant(
        "matching/reduce.cpp",
        "if (to - from > 1) sort_tied",
        "if (to - from > 2) sort_tied",
    ),
    "tied ids that differ late": Plant(
        "matching/reduce.cpp", ": before(a.document, b.document);", ": a.document < b.document;"
    ),
    "rows of ties": Plant(
        "matching/reduce.cpp", "if (std::is_sorted(begin,", "if (first == 0 || std::is_sorted(begin,"
    ),
    "ties among those without rows": Plant(
        "matching/reduce.cpp",
        "const bool with_row = has_row(hit.judgment);",
        "const bool with_row = judgments_.relevant(hit.judgment);",
    ),
    "a tied group in order that is sorted once too often": Plant(
        "matching/reduce.cpp",
        "if (with_row && !sorted && to - from > 1) {",
        "if (with_row && to - from > 2) {",
    ),
    "the end of a tied group in order": Plant(
        "matching/reduce.cpp",
        "for (to = i + 1; to < count && score(to)",
        "for (to = i + 1; to + 1 < count && score(to)",
    ),
    "the first tie": Plant(
        "matching/rows.h", "its.first_tie == 0 || tie_first < its.first_tie", "its.first_tie == 0"
    ),
    "ties by the rank column": Plant(
        "matching/reduce.cpp",
        "documents.ranks[a] < documents.ranks[b];",
        "documents.ranks[a] > documents.ranks[b];",
    ),
    "a query that comes back": Plant(
        "matching/match.cpp",
        ".exchange(1, std::memory_order_relaxed) != 0",
        ".exchange(1, std::memory_order_relaxed) > 1",
    ),
    "more queries than buckets": Plant(
        "matching/gather.cpp", "(query_count + count - 1) / count", "query_count / count", memory=True
    ),
    "memory that was written out": Plant(
        "matching/gather.cpp", "slabs_used_ = held_ = free_bytes_ = 0;", "slabs_used_ = held_ = 0;"
    ),
    "extents that do not follow": Plant(
        "matching/gather.cpp", "heap.written.back().size == place;", "heap.written.back().size <= place;"
    ),
    "lines of later pieces": Plant("matching/match_frame.cpp", "- piece * piece_rows_ + 1", "+ 1"),
    "a query across two frames": Plant(
        "matching/match_frame.cpp",
        "if (open >= 0) keep_open(feed, sorted);",
        "if (open >= 0 && open_.ids.size() == 0) keep_open(feed, sorted);",
    ),
    "numbers that share a memory": Plant(
        "frames/stretches.h", "memory.number == UNKNOWN || memory.value != value", "memory.number == UNKNOWN"
    ),
    "offsets that fall by one": Plant(
        "frames/frame.cpp", "ends[row] <= ends[row + 1];", "ends[row] <= ends[row + 1] + 1;"
    ),
    "offsets beyond the last one": Plant(
        "frames/frame.cpp", "from == to || ends[to] <= ends[count_]", "true", memory=True
    ),
    "a view one byte too long": Plant(
        "frames/frame.cpp", "> part_sizes_[parts[2]];", "> part_sizes_[parts[2]] + 1;", memory=True
    ),
    "an index that is the size": Plant(
        "frames/frame.cpp",
        "static_cast<std::uint64_t>(index(row)) >= ",
        "static_cast<std::uint64_t>(index(row)) > ",
    ),
    "a Parquet page longer than its column": Plant(
        "frames/parquet.cpp",
        "content >= 0 && content <= last - at",
        "content >= 0 && content <= last - at + 1",
    ),
    "a Parquet page of more values": Plant(
        "frames/parquet.cpp", "its->number(1) <= left", "its->number(1) <= left + 1"
    ),
    "a Parquet column behind the end": Plant("frames/parquet.cpp", "packed <= end - at", "packed <= end"),
    "Parquet levels longer than the page": Plant(
        "frames/parquet.cpp", "repetitions <= size - definitions", "repetitions <= size"
    ),
    "a Parquet header in disorder": Plant(
        "frames/parquet.cpp", "next > field && next", "next >= field && next"
    ),
}


def main() -> int:
    """Plant every fault and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="of faults; all where there is none")
    parser.add_argument("--count", default=300_000, help="inputs within which a fault must be found")
    parser.add_argument("--plain", action="store_true", help="without sanitizers, and what only they see")
    given = parser.parse_args()
    build = ROOT / "build" / "plants"
    native = build / "native"
    shutil.rmtree(native, ignore_errors=True)
    shutil.copytree(ROOT / "native", native)
    target = build / ("plain" if given.plain else "sanitize")
    options = [
        "-G",
        "Ninja",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
        f"-DCAROB_SANITIZE={'OFF' if given.plain else 'ON'}",
        "-DCMAKE_UNITY_BUILD=OFF",  # a fault is in one file
    ]
    done("cmake", "-S", native / "fuzz", "-B", target, *options)
    done("cmake", "--build", target)
    missed = []
    for name in given.names or PLANTS:
        plant = PLANTS[name]
        if plant.memory and given.plain:
            continue
        file = native / plant.file
        right = file.read_text()
        file.write_text(right.replace(plant.right, plant.wrong))
        done("cmake", "--build", target)
        tried = subprocess.run(
            [target / "carob-fuzz", "--count", str(given.count)],
            cwd=target,
            capture_output=True,
            text=True,
            check=False,
        )
        file.write_text(right)
        found = re.search(r"failed at input \d+", tried.stderr)
        sys.stdout.write(
            f"{name}: {'not found' if tried.returncode == 0 else found[0] if found else 'found'}\n"
        )
        sys.stdout.flush()
        if tried.returncode == 0:
            missed.append(name)
    sys.stdout.write(f"{len(missed)} not found\n")
    return 1 if missed else 0


def done(*command: object) -> None:
    """Run a command that must succeed."""
    run = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{run.stdout}{run.stderr}")


if __name__ == "__main__":
    sys.exit(main())
