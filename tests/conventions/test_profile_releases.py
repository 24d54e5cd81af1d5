"""The page of profiles: the version that each was compared with, the newest one, and what is said of a newer one."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from carob.conventions.profiles import every_profile

CHECKOUT = Path(__file__).parents[2]
NOT_ON_THE_INDEX = {
    "elasticsearch",
    "elliot",
    "ntcireval",
    "opensearch",
    "quepid",
    "tar_eval",
    "trec_eval-9",
    "trec_eval-10",
}


@pytest.fixture
def script() -> Any:
    found = importlib.util.spec_from_file_location("write_profiles", CHECKOUT / "docs/write_profiles.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    sys.modules["write_profiles"] = module
    found.loader.exec_module(module)
    return module


def test_every_profile_of_a_tool_states_its_version_and_its_package() -> None:
    for name, profile in every_profile().items():
        if name.startswith("note-"):
            assert not profile.version
            continue
        assert profile.version, name
        assert bool(profile.package) == (name not in NOT_ON_THE_INDEX), name
        if profile.package:
            assert profile.held_to[0].isdigit(), name
            assert "." in profile.held_to, name


def test_the_page_of_profiles_is_what_its_script_writes(script: Any) -> None:
    written = script.PAGE.read_text(encoding="utf-8")
    assert written == script.page(), "run 'python docs/write_profiles.py' and commit docs/profiles.md"
    kept = json.loads(script.ANSWERS.read_text(encoding="utf-8"))
    assert set(kept["newest"]) == {each.package for each in every_profile().values() if each.package}
    assert all(f"| `{name}` | {each.version}" in written for name, each in script.tools().items())


@pytest.mark.parametrize(
    ("newest", "held", "is_newer"),
    [
        ("1.10.0", "1.9.1", True),
        ("1.9.1", "1.10.0", False),
        ("22.4", "22.04", False),
        ("3.4.1", "3.4", True),
        ("3.4.0", "3.4", False),
        ("2025.8.1", "2024.12", True),
        ("", "1.0", False),
        ("1.0", "ef83d29", False),
    ],
)
def test_versions_are_compared_by_their_numbers(newest: str, held: str, is_newer: bool, script: Any) -> None:
    assert script.newer(newest, held) == is_newer


def test_a_newer_release_is_said_in_a_sentence_and_by_the_status(
    script: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held = {each.package: each.held_to for each in script.tools().values() if each.package}
    monkeypatch.setattr(sys, "argv", ["write_profiles.py", "--ask"])
    monkeypatch.setattr(script, "installed", lambda package: "0.3.20" if package == "ranx" else "")
    monkeypatch.setattr(script, "newest_of", held.get)
    assert script.main() == 0
    assert "was compared with" not in capsys.readouterr().out
    monkeypatch.setattr(script, "newest_of", lambda package: "99.1" if package == "ranx" else held[package])
    assert script.main() == 1
    shown = capsys.readouterr().out
    version = held["ranx"]
    assert (
        f"Profile ranx was compared with ranx {version}, and 99.1 is on the package index: compare" in shown
    )
    assert next(line for line in shown.splitlines() if line.startswith("ranx")).split() == [
        *("ranx", "ranx", version, "0.3.20", "99.1")
    ]
    monkeypatch.setattr(script, "newest_of", lambda package: "")
    assert script.main() == 0
    assert "The package index does not answer" in capsys.readouterr().out


def test_libraries_that_are_installed_here_are_those_of_the_profiles(script: Any) -> None:
    packages = {each.package for each in every_profile().values() if each.package}
    told = script.sentences({package: script.installed(package) for package in packages}, "installed here")
    if told:  # newer here: the tests of peers compare the profile with it, and this says so
        pytest.skip(" ".join(told))
    assert script.sentences({"ranx": "99.1"}, "installed here")
