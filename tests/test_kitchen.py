"""The collections in ``examples/kitchen`` are what their script writes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "kitchen"


def test_the_script_writes_the_collections_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.spec_from_file_location("kitchen", FOLDER / "generate.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    module.main()
    written = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.*")}
    kept = {
        path.relative_to(FOLDER): path.read_bytes()
        for path in FOLDER.rglob("*.*")
        if path.suffix in (".txt", ".run")
    }
    assert written == kept
