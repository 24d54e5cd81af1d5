"""The files that a command has read or written: it writes none of them again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from carob.output.errors import DataError
from carob.output.files import write_whole
from carob.output.taken import own_input, refuse_taken, remembered, take
from hostile.attack import asked

if TYPE_CHECKING:
    from pathlib import Path


def test_one_command_writes_no_file_twice(folder: Path) -> None:
    with remembered():
        write_whole("out", "first")
        asked(lambda: write_whole("out", "second")).refused("out", "not overwritten")
    write_whole("out", "third")  # another call may
    assert (folder / "out").read_text() == "third"


def test_what_was_read_is_forgotten_when_a_command_ends(folder: Path) -> None:
    with remembered():
        take("one.run")
        with remembered():
            write_whole("two.run", "inner")
        asked(lambda: write_whole("one.run", "outer")).refused("one.run")
        write_whole("two.run", "outer")
    assert (folder / "two.run").read_text() == "outer"


def test_a_file_is_known_under_any_link_and_only_within_a_command(folder: Path) -> None:
    os.link("one.run", "hard.run")
    (folder / "soft.run").symlink_to("one.run")
    with remembered():
        take("one.run")
        take(os.devnull)
        for name in ("one.run", "hard.run", "soft.run"):
            with pytest.raises(DataError) as refused:
                refuse_taken(name)
            assert str(refused.value) == str(own_input(name, "one.run"))
        for name in ("two.run", "none.run", os.devnull):
            refuse_taken(name)
    refuse_taken("one.run")
    assert str(own_input("out", "one.run")) == (
        "out: this file is the input one.run, so it is not overwritten. Pass another file."
    )
