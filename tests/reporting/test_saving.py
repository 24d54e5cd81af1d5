"""A page on the disk: there is a complete one, or what was there before."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from karat.errors import DataError
from karat.reporting.saving import save

if TYPE_CHECKING:
    from pathlib import Path


def test_a_page_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")
    save(str(path), "new 中")
    assert path.read_text(encoding="utf-8") == "new 中"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(DataError, match=r"report\.html: No space left on device"):
        save(str(path), "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Cannot write .*nowhere.*No such file"):
        save(str(tmp_path / "nowhere" / "report.html"), "new")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_new_page_can_be_read_by_those_who_may_read_new_files(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save(str(tmp_path / "report.html"), "new")
    finally:
        os.umask(before)
    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(os.name != "posix", reason="links need no leave on POSIX")
def test_a_link_goes_on_pointing_where_it_did(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real.html")
    save(str(tmp_path / "link.html"), "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"
