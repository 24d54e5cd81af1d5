"""Size of a report, the time to create it, and the time a browser takes to draw it.

``python -m bench.report FOLDER`` creates two pages, for 8 runs × 50 queries and for 30 runs × 6,980 queries. The runs
are the lists of ``bench.data`` with different random disturbances of the scores.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.data import files, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.data import Files

ROOT = Path(__file__).resolve().parents[1]
SHAPES = {"8x50": ("small", 8, 50), "30x6980": ("web", 30, 20)}
"""For each page, the size of ``bench.data``, the number of runs, and the number of documents per list."""
MEASURES = ["nDCG@10", "AP", "RR"]


def run_of(lists: dict[str, list[str]], number: int) -> dict[str, dict[str, float]]:
    """Returns a run, which is the lists with disturbed scores. A higher number means more disturbance."""
    import numpy as np

    draw = np.random.default_rng(number)
    run = {}
    for query, documents in lists.items():
        scores = np.linspace(1, 0, len(documents)) + draw.normal(0, 0.1 * (number + 1), len(documents))
        run[query] = dict(zip(documents, scores.tolist(), strict=True))
    return run


def listed(made: Files, depth: int) -> Iterator[tuple[str, list[str]]]:
    """Returns each query with its first documents and its judged document."""
    judged: dict[str, list[str]] = {}
    for line in made.qrels.read_text().splitlines():
        query, _, document, _ = line.split()
        judged.setdefault(query, []).append(document)
    found: dict[str, list[str]] = {}
    with made.run.open() as lines:
        for line in lines:
            query, _, document, *_ = line.split(None, 3)
            own = found.setdefault(query, [])
            if len(own) < depth:
                own.append(document)
    for query, documents in found.items():
        yield query, list(dict.fromkeys([*judged.get(query, [])[:3], *documents]))[:depth]


def measured(name: str, folder: Path) -> dict[str, Any]:
    """Returns the seconds to create a page, its size, and the seconds until it is drawn (best of three)."""
    import carob

    size, runs, depth = SHAPES[name]
    made = files(folder, size)
    if not made.run.exists():
        write(folder, size)
    lists = dict(listed(made, depth))
    given = {f"run{number:02}": run_of(lists, number) for number in range(runs)}
    qrels = carob.Qrels.of(str(made.qrels))
    start, busy = time.perf_counter(), time.process_time()
    page = folder / f"report-{name}.html"
    carob.report(qrels, given, MEASURES, output=page)
    taken = {"seconds": time.perf_counter() - start, "processor seconds": time.process_time() - busy}
    return {**taken, "bytes": page.stat().st_size, **drawn(page, folder)}


def drawn(page: Path, folder: Path) -> dict[str, float]:
    """Returns the seconds that headless Chromium takes to draw the page, or None without Chromium."""
    sys.path.insert(0, str(ROOT / "tests"))
    from reports import browser

    if browser.chromium() is None:
        return {}
    window = browser.Page(folder / f"profile-{page.stem}")
    try:
        window.resize(1440, 900)
        best = min(window.open(page) for _ in range(3))
        return {"seconds to draw": best}
    finally:
        window.close()


def main() -> None:
    """Prints the measurements as JSON."""
    folder = Path(sys.argv[1])
    wanted = sys.argv[2:] or list(SHAPES)
    print(json.dumps({name: measured(name, folder) for name in wanted}, indent=2))


if __name__ == "__main__":
    main()
