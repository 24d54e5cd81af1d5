"""A separate package, installed beside karat: its measure and profile work wherever karat's own do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import karat

MEASURES = '''
import karat

@karat.measure("Halved", source="our package")
def halved(r, rel=1):
    """Half of precision."""
    return r.ratio(r.total(r.hits(rel)), r.depth) * 0.5
'''
PROFILES = """
import karat

OURS = karat.Profile("ours", "our package", names={"half": "Halved@2"}, measures=("half",))
"""
ENTRY_POINTS = """
[karat.measures]
ours = our_package.measures
broken = our_package.gone

[karat.profiles]
ours = our_package.profiles:OURS
"""
METADATA = "Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages, and the files that the commands read."""
    package, info = tmp_path / "our_package", tmp_path / "our_package-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("")
    (package / "measures.py").write_text(MEASURES)
    (package / "profiles.py").write_text(PROFILES)
    (info / "METADATA").write_text(METADATA)
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 a 1 2 t\nq2 Q0 x 1 2 t\n")
    (tmp_path / "two.run").write_text("q1 Q0 x 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 2 t\n")
    return tmp_path


def ran(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = [str(site), str(Path(karat.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("eval", "qrels.txt", "one.run", "-m", "Halved@2"), "0.1250"),
        (("eval", "qrels.txt", "one.run", "--profile", "ours"), "profile ours"),
        (("compare", "qrels.txt", "one.run", "two.run", "-m", "Halved@2"), "Halved@2"),
        (("explain", "Halved@2", "qrels.txt", "one.run", "--query", "q1"), "Halved@2 of query q1 = 0.25"),
        (("measures", "Halved"), "Half of precision."),
        (("measures",), "Halved"),
        (("profiles", "ours"), "our package"),
        (("profiles",), "ours"),
    ],
)
def test_the_command_line_finds_what_a_package_offers(
    site: Path, command: tuple[str, ...], said: str
) -> None:
    done = ran(site, "-m", "karat", *command)
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


def test_python_finds_it_too(site: Path) -> None:
    script = "import karat; print(karat.evaluate('qrels.txt', 'one.run', 'Halved@2').means())"
    assert ran(site, "-c", script).stdout == "{'Halved@2': 0.125}\n"


def test_a_package_that_cannot_be_loaded_is_a_warning(site: Path) -> None:
    done = ran(site, "-m", "karat", "measures", "Halved")
    assert "our-package offers karat.measures 'broken'" in done.stderr
    assert "Traceback" not in done.stderr


def test_names_of_karats_own_load_no_package(site: Path) -> None:
    done = ran(site, "-m", "karat", "eval", "qrels.txt", "one.run")
    assert (done.returncode, done.stderr) == (0, "")
