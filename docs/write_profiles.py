"""Writes profiles.md, the page of all profiles, with the version of each tool and the newest one on the package index.

``python docs/write_profiles.py --ask`` asks the index through pip, and says for which tools there is a newer release
than the one that the profile was compared with. ``--keep`` also keeps the answers for the page.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from carob.conventions.profiles import Profile, every_profile
from carob.output.formats import lay_out

if TYPE_CHECKING:
    from collections.abc import Mapping

PAGE = Path(__file__).with_name("profiles.md")
ANSWERS = Path(__file__).with_name("releases.json")
TESTS = Path(__file__).parents[1] / "tests/peers"

OPENING = """\
# Profiles

`docs/write_profiles.py` writes this page from the profiles and from the package index's answers of {day}, and a
test checks that the page is up to date. `carob profiles NAME` prints the conventions of one profile.

A profile states the conventions of one version of a tool, since tools change: version 6.0.0 of
sentence-transformers changed its order of ties. The table shows the version with which each profile was compared, and
the newest version on the package index. If a profile was compared with a commit, the release in parentheses was the
newest on 2026-11-25, when releases were first noted. A tool whose newest version is **bold** has a newer release, which
nobody has compared with the profile yet. Profiles with a test were compared with the running tool, on random judgments
and runs, most of them with ties. For the other profiles, the source of the profile says what was run or read.

`.venv/bin/python docs/write_profiles.py --ask` asks the package index through pip, and says which tools have a newer
release than the profile's. The project's own checks print this table with the versions that they installed.
"""


def tools() -> dict[str, Profile]:
    """Returns the profiles of tools by name, without those of course notes."""
    return {name: each for name, each in every_profile().items() if each.version}


def newer(newest: str, held: str) -> bool:
    """Returns whether a version is above another. Versions that are not releases cannot be compared."""
    numbers = [re.fullmatch(r"v?(\d+(?:\.\d+)*)\S*", each) for each in (newest, held)]
    if None in numbers:
        return False
    first, second = ([int(part) for part in found[1].split(".")] for found in numbers if found)
    length = max(len(first), len(second))
    return [*first, *[0] * (length - len(first))] > [*second, *[0] * (length - len(second))]


def newest_of(package: str) -> str:
    """Returns the newest release of a package on the index, or nothing if the index has no answer."""
    command = [sys.executable, "-m", "pip", "index", "versions", package, "--disable-pip-version-check"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - pip
    except subprocess.TimeoutExpired:
        return ""
    found = re.match(rf"{re.escape(package)} \((\S+)\)", done.stdout)
    return found[1] if found else ""


def installed(package: str) -> str:
    """Returns the version of a package that is installed here, or nothing."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return ""


def sentences(found: Mapping[str, str], where: str) -> list[str]:
    """Returns a sentence for each profile whose tool has a newer version than the profile.

    Args:
        found: the version of each package.
        where: where these versions are, such as ``on the package index``.
    """
    return [
        f"Profile {name} was compared with {each.package} {each.held_to}, and {found[each.package]} is {where}: "
        f"compare the profile with it, and correct version in src/carob/conventions/profiles/{name}.toml."
        for name, each in tools().items()
        if newer(found.get(each.package, ""), each.held_to)
    ]


def test_of(name: str) -> str:
    """Returns the test that compares a profile with the running tool."""
    files = {"ndeval": "pyndeval", "xgboost-": "xgboost"}
    path = TESTS / f"test_{files.get(name, name).replace('-', '_')}.py"
    return f"[test](../tests/peers/{path.name})" if path.is_file() else ""


def page() -> str:
    """Returns the text of the page."""
    kept = json.loads(ANSWERS.read_text(encoding="utf-8"))
    header, rows = ["profile", "compared with", "newest", "test", "source"], []
    for name, each in tools().items():
        newest = kept["newest"].get(each.package, "")
        held = f"{each.version} ({each.release})" if each.release else each.version
        shown = f"**{newest}**" if newer(newest, each.held_to) else newest
        rows.append([f"`{name}`", held, shown, test_of(name), each.source])
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))
    return f"{OPENING.format(day=kept['day'])}\n{table}\n"


def main() -> int:
    """Writes the page, or asks the index and prints what it answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", action="store_true", help="ask the package index, and print the versions")
    parser.add_argument("--keep", action="store_true", help="ask, and keep the answers for the page")
    given = parser.parse_args()
    if not (given.ask or given.keep):
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    packages = sorted({each.package for each in tools().values() if each.package})
    found = {package: newest for package in packages if (newest := newest_of(package))}
    here = {package: installed(package) for package in packages}
    rows = [
        [name, each.package, each.held_to, here[each.package], found.get(each.package, "")]
        for name, each in tools().items()
        if each.package
    ]
    told = sentences(found, "on the package index") + sentences(here, "installed here")
    if not found:
        told.append("The package index does not answer: nothing is known of newer releases.")
    header = ["profile", "package", "compared with", "installed", "newest"]
    sys.stdout.write("\n".join([lay_out("text", header, rows, len(header)).rstrip(), "", *told, ""]))
    if given.keep and found:
        kept = {"day": date.today().isoformat(), "newest": found}
        ANSWERS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(), encoding="utf-8")
    return int(bool(sentences(found, "")))


if __name__ == "__main__":
    sys.exit(main())
