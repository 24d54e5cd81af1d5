"""What the lines of a run show without judgments, which commands that write its lists tell."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import carob

if TYPE_CHECKING:
    from pathlib import Path


def test_what_the_written_run_no_longer_shows_is_told(tmp_path: Path) -> None:
    lines = [f"q{query} Q0 d{row} {9 - row} {9 - row} one" for query in range(3) for row in range(3)]
    odd = tmp_path / "odd.run"
    odd.write_text("\n".join([*lines, "q4 Q0 a 1 1 two", "q5 Q0 a 1 1 two", ""]))
    for write in (
        lambda: carob.write_run(odd, tmp_path / "out.run"),
        lambda: carob.fuse({"odd": odd, "other": {f"q{query}": {"d1": 1.0} for query in range(6)}}).text,
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            write()
        said = " ".join(str(each.message) for each in caught)
        assert "the sixth column has the tags 'one' and 'two'" in said
        assert "in its first lines, the rank column orders 6 of 6 pairs of documents differently" in said
