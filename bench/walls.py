"""The modules of carob that a call enters: ``python -m bench.walls [FACE QRELS RUN…]``, by default all faces.

A module is entered if at least one of its functions runs between the call and its result. Imports do not count. Doors
count how often control enters another module, through a call or when a generator resumes; a dataclass that stores its
fields does not count. Without arguments, all calls run on the bundled example.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.side_by_side import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

MEASURES = ["nDCG@10", "AP", "RR"]
NEW_LOCALS = 2
"""The flag of a function's code (``inspect.CO_NEWLOCALS``), which is not set for the body of a class."""


SILENT = ("_dataclasses.py", "_cached.py")
"""The modules that replace Python's own modules."""


def entered(work: Callable[[], object]) -> Counter[str]:
    """Returns the modules of carob in which a function runs during a call, as paths, and how often each is entered."""
    import carob

    home = f"{Path(carob.__file__).parent}/"
    silent = {home + name for name in SILENT}
    doors: Counter[str] = Counter()

    def counts(frame: FrameType | None) -> bool:
        name = "" if frame is None else frame.f_code.co_filename
        return frame is None or (name.startswith(home) and name not in silent)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & NEW_LOCALS and counts(frame):
            caller = frame.f_back
            while not counts(caller):
                caller = None if caller is None else caller.f_back
            if caller is not None and caller.f_code.co_filename == code.co_filename:
                return
            above = frame.f_back
            while above is not None and above.f_code.co_name != "<module>":
                above = above.f_back
            # A function that runs during the import of its caller's module does not count.
            if above is None or not above.f_code.co_filename.startswith(home):
                doors[code.co_filename.removeprefix(home)] += 1

    gc.disable()  # Python 3.11 may crash if one thread collects frames that another thread's hook has inspected
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        gc.enable()
    return doors


def faces(folder: Path, qrels: str, runs: list[str]) -> dict[str, Callable[[], object]]:
    """Returns the calls to examine, keyed by the name of their face."""
    import carob
    from carob.matching.match import match

    report, compare, explain = carob.report, carob.compare, carob.explain
    policy = carob.Policy()
    return {
        "match": lambda: match(carob.Qrels.of(qrels), carob.Run.of(runs[0]), policy),
        "evaluate": lambda: str(carob.evaluate(qrels, runs[0], MEASURES)),
        "compare": lambda: str(compare(qrels, runs, MEASURES)),
        "explain": lambda: str(explain("AP", qrels, runs[0], query=carob.Qrels.of(qrels).queries[0])),
        "report": lambda: report(qrels, runs, MEASURES, output=folder / "report.html"),
    }


def main(face: str = "", qrels: str = "", *runs: str) -> None:
    """Prints the modules of one face, or of all faces, and their number."""
    example = CHECKOUT / "examples" / "tea"
    qrels = qrels or str(example / "qrels.txt")
    files = list(runs) or sorted(map(str, (example / "runs").glob("*.run")))[:2]
    with tempfile.TemporaryDirectory() as folder:
        for name, work in faces(Path(folder), qrels, files).items():
            if face in ("", name):
                found = entered(work)
                listed = "\n  ".join(f"{module}: {count}" for module, count in sorted(found.items()))
                print(f"{name}:\n  {listed}\n  doors: {found.total()}\n  modules: {len(found)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
