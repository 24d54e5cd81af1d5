"""Tests that each fault that ``make plants`` plants has exactly one place in the kernel."""

from __future__ import annotations

from plants import PLANTS, ROOT


def test_every_fault_has_one_place() -> None:
    for name, plant in PLANTS.items():
        text = (ROOT / "native" / plant.file).read_text(encoding="utf-8")
        assert text.count(plant.right) == 1, name
