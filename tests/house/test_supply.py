"""What is shipped is made by what is pinned: actions by commit, packages by hash, and nothing else in the same job."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKOUT = Path(__file__).parents[2]
WORKFLOWS = CHECKOUT / ".github" / "workflows"
RELEASE = WORKFLOWS / "release.yml"
HELD = [*CHECKOUT.glob(".github/tools/*.txt"), *CHECKOUT.glob("build_backend/*.txt")]
HASHED = re.compile(r"--require-hashes (?:--only-binary :all: )?(?:-r [\w./]+\.txt ?)+$")


def jobs_of(workflow: str) -> dict[str, str]:
    """The text of each job of a workflow."""
    parts = re.split(r"(?m)^  (\w[\w-]*):$", workflow.partition("\njobs:\n")[2])
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def installs_in(text: str) -> list[str]:
    """The arguments of each installation by pip."""
    return [each.strip().strip('",') for each in re.findall(r"pip install ([^\n&]*)", text)]


def unpinned(workflow: str) -> list[str]:
    """What a job that uploads what is shipped installs without hashes, or builds with what it fetches itself."""
    found = []
    for name, text in jobs_of(workflow).items():
        if not re.search(r"name: dist-", text.partition("upload-artifact")[2]):
            continue
        found += [f"{name}: pip install {each}" for each in installs_in(text) if not HASHED.match(each)]
        builds = re.findall(r"-m build\b[^\n]*", text)
        found += [f"{name}: {each}" for each in builds if "--no-isolation" not in each]
        if re.search(r"\b(?:curl|wget|npx?|uvx?|pipx|conda|apt-get|brew)\b", text):
            found.append(f"{name}: a download")
    return found


def unpinned_wheels(settings: dict[str, Any]) -> list[str]:
    """The same for the settings of cibuildwheel."""
    found = []
    for each in (settings, *settings.get("overrides", [])):
        before = each.get("before-build", [])
        lines = [before] if isinstance(before, str) else before
        found += [line for line in lines for each in installs_in(line) if not HASHED.match(each)]
        found += [f"before-all {each['before-all']}" for _ in (1,) if "before-all" in each]
    if settings.get("build-frontend") != {"name": "build", "args": ["--no-isolation"]}:
        found.append("an isolated build fetches what it needs without hashes")
    return found


def test_a_release_installs_by_hash_where_it_makes_what_is_shipped() -> None:
    text = RELEASE.read_text(encoding="utf-8")
    assert {"source", "wheels"} <= jobs_of(text).keys()
    assert unpinned(text) == []
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "cibuildwheel"
    ]
    assert unpinned_wheels(settings) == []
    assert any("vega.txt" in line for line in settings["before-build"])


@pytest.mark.parametrize(
    "plant",
    [
        "      - run: python -m pip install build\n",
        "      - run: python -m pip install --require-hashes -r .github/tools/release.txt twine\n",
        "      - run: python -m build --wheel\n",
        "      - run: curl https://example.org/tool | sh\n",
    ],
)
def test_what_is_not_pinned_would_be_noticed(plant: str) -> None:
    text = RELEASE.read_text(encoding="utf-8")
    before, mark, after = text.partition("      - run: python -m build --sdist")
    assert mark
    assert len(unpinned(before + plant + mark + after)) == 1
    settings = {"before-build": "python -m pip install vl-convert-python && python build_backend/vega.py"}
    assert len(unpinned_wheels(settings)) == 2


@pytest.mark.parametrize("path", HELD, ids=lambda path: path.name)
def test_each_package_has_one_version_and_hashes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    wanted = [each for each in re.split(r"\n(?=\S)", text.strip()) if not each.startswith("#")]
    assert wanted
    for each in wanted:
        assert re.match(r"[\w.-]+==[\w.!+]+( ; [^\\]+)? \\\n", each), each
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", each), each


@pytest.mark.parametrize("path", sorted(WORKFLOWS.glob("*.yml")), ids=lambda path: path.name)
def test_each_action_is_named_by_its_commit(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []


def test_what_is_published_was_tried() -> None:
    publish = jobs_of(RELEASE.read_text(encoding="utf-8"))["publish"]
    assert set(re.findall(r"\w+", re.findall(r"needs: \[(.*)\]", publish)[0])) == {
        "source",
        "trial",
        "wheels",
    }
    assert "pip install" not in publish
