"""Each file of the package has a test file of its name, in the folder of its room."""

from __future__ import annotations

from pathlib import Path

import carob

ROOT = Path(carob.__file__).parent
TESTS = Path(__file__).resolve().parents[1]


def test_each_file_has_a_test_of_its_name() -> None:
    files = {path.relative_to(ROOT) for path in ROOT.rglob("*.py") if path.name[0] != "_"}
    # tests/output/test_formats.py has all formats.
    files = {path for path in files if path.parent.name != "formats"}
    lacking = {
        path.as_posix() for path in files if not (TESTS / path.parts[0] / f"test_{path.stem}.py").exists()
    }
    assert lacking == set(), "add tests/<package>/test_<file>.py for each"
