"""Writes the repository's address on every page that quotes it: the one in pyproject.toml, under [project.urls].

While the address is not settled, pyproject.toml has none, and the pages speak of "a clone" only.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

CHECKOUT = Path(__file__).resolve().parents[1]
QUOTES = {
    "README.md": "Get carob, and go to its folder:\n\n```sh\ngit clone {address}\ncd carob\n```\n",
    "README.zh-CN.md": "获取 carob，并进入其文件夹：\n\n```sh\ngit clone {address}\ncd carob\n```\n",
    "CITATION.cff": "repository-code: {address}\n",
}
"""Each page with what it says between its two marks."""

_MARKS = re.compile(
    r"(?P<begin>^(?:<!-- |# )docs/write_address\.py(?: -->)?\n).*?(?P<end>^(?:<!-- |# )end(?: -->)?\n)",
    re.MULTILINE | re.DOTALL,
)


def address() -> str | None:
    """Returns the address that pyproject.toml states, or None."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project.get("urls", {}).get("Repository")


def quoted(page: str, where: str | None) -> str:
    """Returns a page's text with the address between its marks, or nothing if there is none."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    between = QUOTES[page].format(address=where) if where else ""
    changed, places = _MARKS.subn(lambda found: f"{found['begin']}{between}{found['end']}", text)
    if places != 1:
        raise ValueError(f"{page} has {places} places for the repository's address, not one.")
    return changed


if __name__ == "__main__":
    for name in QUOTES:
        (CHECKOUT / name).write_text(quoted(name, address()), encoding="utf-8")
