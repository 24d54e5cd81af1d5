"""Builds the documentation site into ``build/site``: ``make site``. Any warning, such as a broken link, is an error.

The pages stay where code hosts show them. They are copied side by side with the files that they link to, so that each
link leads to the same place in both.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import carob

CHECKOUT = Path(__file__).resolve().parents[1]
FIRST = "README.md"  # becomes index.md

PAGES = {
    "Tutorials": "docs/tutorial-student docs/tutorial-search-engineer docs/tutorial-agent-builder",
    "Measures": "docs/eval docs/measures docs/profiles docs/notes docs/whence docs/recommendation docs/screening",
    "Comparisons": "docs/decide docs/compare docs/all-pairs docs/collections docs/best docs/report",
    "Judgments": "docs/check docs/unjudged docs/judge docs/judges docs/people-and-model",
    "Data": "docs/files docs/frames docs/tensors docs/engines docs/spark docs/shards docs/fuse",
    "Automation": "docs/ci docs/scripts SKILL docs/extending docs/ranx docs/evaluate",
    "Python": "api/index",
    "中文": "README.zh-CN docs/README.zh-CN docs/eval.zh-CN docs/notes.zh-CN docs/decide.zh-CN docs/fuse.zh-CN "
    "docs/peers.zh-CN",
    "Project": "docs/README docs/how-it-works docs/peers docs/departures docs/dependencies docs/stability "
    "CONTRIBUTING CHANGELOG SECURITY examples/tea/README examples/golden/README",
}
"""The pages by the headings of the site's menu. Sphinx warns of a page that none of them lists."""

API = {
    "evaluation": "Scores",
    "comparison": "Comparisons",
    "planning": "Planning judgments",
    "selection": "The best of many runs",
    "several_collections": "Several collections",
    "estimation": "Incomplete judgments",
    "diagnosis": "Checks and explanations",
    "judges": "Judges",
    "fusion": "Fusion",
    "writing": "Writing runs",
    "reports": "Reports",
    "testing": "Gates and records",
    "inputs": "Runs and judgments",
    "conventions": "Policies and profiles",
    "measures": "Measures",
    "tensors": "Tensors",
    "output": "Errors",
}
"""The packages of the public names, with the headings of the reference's pages."""

_LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def menu(pages: str, caption: str = "") -> str:
    """Returns a list of pages for the site's menu."""
    option = f":caption: {caption}\n" if caption else ""
    return "\n".join(["\n```{toctree}", f":hidden:\n:titlesonly:\n{option}", *pages.split(), "```\n"])


def stage(source: Path) -> None:
    """Copies pages and the files that they link to into a folder of their own, and adds the reference and the menu."""
    site = CHECKOUT / "docs" / "site"
    (source / "_static").mkdir(parents=True)
    shutil.copy(site / "conf.py", source)
    for file in ("site.css", "site.js"):
        shutil.copy(site / file, source / "_static")
    named = [f"{page}.md" for pages in PAGES.values() for page in pages.split() if page != "api/index"]
    pages = {FIRST, *named, *(f"docs/{page.name}" for page in (CHECKOUT / "docs").glob("*.md"))}
    for page in pages:
        copy(page, pages, source)
    with (source / "index.md").open("a", encoding="utf-8") as index:
        index.writelines(menu(those, caption) for caption, those in PAGES.items())
    write_reference(source / "api")


def copy(page: str, pages: set[str], source: Path) -> None:
    """Copies a page, with its links to the first page changed, and the files that it links to."""
    here = CHECKOUT / page

    def led(link: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", link[2]):
            return link[0]
        target = (here.parent / link[2]).resolve()
        if target == CHECKOUT / FIRST:
            return f"{link[1]}{'../' * page.count('/')}index.md{link[3]}"
        name = target.relative_to(CHECKOUT).as_posix()
        if target.is_file() and name not in pages:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, source / name)
        return link[0]

    parts, end = [], 0
    text = here.read_text(encoding="utf-8")
    for fence in _FENCE.finditer(text):  # what a block shows is no link
        parts += [_LINK.sub(led, text[end : fence.start()]), fence[0]]
        end = fence.end()
    there = source / ("index.md" if page == FIRST else page)
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text("".join([*parts, _LINK.sub(led, text[end:])]), encoding="utf-8")


def write_reference(folder: Path) -> None:
    """Writes a page for the public names of each package, and the list of these pages."""
    folder.mkdir()
    names: dict[str, list[str]] = {package: [] for package in API}
    for module, those in carob.MODULES.items():
        if module != "carob":
            names[module.split(".")[1]] += those.split()
    for package, heading in API.items():
        lines = [heading, "=" * len(heading), ""]
        for name in sorted(names[package], key=lambda name: (name[0].isupper(), name)):
            kind = type(getattr(carob, name)) is type(stage)
            lines += [".. autofunction::" if kind else ".. autoclass::"]
            lines[-1] += f" carob.{name}"
            lines += [] if kind else ["   :members:"]
            lines += [""]
        (folder / f"{package}.rst").write_text("\n".join(lines), encoding="utf-8")
    first = "Every public name of `carob`, from its docstring. Each measure is also an attribute, as in"
    second = "`carob.nDCG @ 10`: see [the page of measures](../docs/measures.md)."
    lines = ["# Python reference\n", f"{first} {second}\n"]
    for package, those in names.items():
        lines.append(f"- [{API[package]}]({package}.rst): {', '.join(f'`{name}`' for name in those)}")
    text = "\n".join(lines)
    (folder / "index.md").write_text(text + "\n" + menu(" ".join(API)), encoding="utf-8")


def build(folder: Path) -> int:
    """Builds the site into ``folder/site``, and returns Sphinx's exit status."""
    from sphinx.cmd.build import main

    source, site = folder / "site-source", folder / "site"
    for old in (source, site):
        shutil.rmtree(old, ignore_errors=True)
    stage(source)
    strict = ["--fail-on-warning", "--keep-going", "--quiet", "--fresh-env"]
    return main([*strict, "-b", "html", "-d", str(folder / "site-doctrees"), str(source), str(site)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if sys.argv[1:] else CHECKOUT / "build"))
