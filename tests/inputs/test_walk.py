"""How many of carob's modules a run passes from its path to the printed table: what a reader of the code must visit.

A module is counted if one of its functions is called, during ``carob eval -m nDCG@10``, with the run among its
arguments: its path, or an object made from it (its source, table, rows, match, lists or scores). Modules that only read
names, options or judgments are not counted, nor are ``_dataclasses`` and ``_cached``, which set the fields of objects.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import carob

SCRIPT = """
import contextlib, io, sys
from pathlib import Path

import numpy as np
from carob import _native
from carob.cli import main
from carob.evaluation.scores import Scores
from carob.inputs.files.paths import Place
from carob.inputs.files.table import FileRun, FileTable, TableRequest
from carob.inputs.run import Run
from carob.inputs.runs.batches import StreamedRun
from carob.inputs.runs import TextRun
from carob.lists import Lists
from carob.lists.rows import JudgedRows
from carob.matching.match import Match

root, path = sys.argv[1:]
made = (Run, TextRun, FileRun, FileTable, Place, TableRequest, StreamedRun, Match, JudgedRows, Lists, Scores)
made += (_native.Matched, _native.Frame)
passed = set()

def is_run(given):
    if isinstance(given, (list, tuple)):
        return any(map(is_run, given[:3]))
    return given == path if isinstance(given, str) else isinstance(given, made) or getattr(given, "name", "") == path

def watch(frame, event, _):
    file = frame.f_code.co_filename
    if event == "call" and file.startswith(root) and frame.f_code.co_name != "<module>":
        if any(map(is_run, list(frame.f_locals.values()))):
            passed.add(str(Path(file).relative_to(root)))

command = ["eval", "-m", "nDCG@10", "qrels.txt", path]
for hook in (None, watch):  # the first time imports
    with contextlib.redirect_stdout(io.StringIO()):
        sys.setprofile(hook)
        main(command)
        sys.setprofile(None)
print(*sorted(passed - {"_dataclasses.py", "_cached.py"}), sep="\\n")
"""


@pytest.mark.parametrize(("kind", "most"), [("run", 26), ("parquet", 30)])
def test_a_run_passes_few_modules(kind: str, most: int, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    if kind == "run":
        (tmp_path / "a.run").write_text("q Q0 b 1 2 t\nq Q0 a 2 1 t\n")
    else:
        polars = pytest.importorskip("polars")
        table = polars.DataFrame({"query_id": ["q", "q"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
        table.write_parquet(tmp_path / "a.parquet")
    root = str(Path(carob.__file__).parent)
    arguments = [sys.executable, "-c", SCRIPT, root, f"a.{kind}"]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(done.stdout.split()) <= most, done.stdout
