"""The HTML page of a report: a single file that loads nothing else and runs only its own scripts.

The charts are Vega-Lite specifications from ``templates/charts.json``. The page's script adds the data of the selected
pair. All charts mark the selected run (A) in blue, solid and round, the run that it is compared with (B) in orange,
dashed and square, and all other runs in grey. Nothing depends on colour alone, and even thirty runs need no legend.
Colours are CSS variables of the page, so switching to the dark theme redraws nothing. Runs are placed by row number and
labelled from the data, because a run may be named ``__proto__``, a property that every JavaScript object already has.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from carob._version import __version__
from carob.comparison.cautions import sentences_of
from carob.comparison.findings import FAMILY_WISE, facing_pairs
from carob.comparison.intervals import INTERVALS
from carob.evaluation.score_tables import conventions_of
from carob.output.errors import DataError
from carob.output.files import own_table
from carob.output.formats.html import FORMAT as HTML
from carob.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Traversable

    from carob.comparison.compare import Comparison
    from carob.comparison.findings import Settings


# ---------------------------------------------------------------- charts

MOST_BARS = 400
"""Up to this number of queries, each query has its own bar. More queries are shown as a curve and a histogram."""
MOST_DOTS = 2500
"""Up to this number of values, each value has its own dot."""
MOST_LABELS = 12
"""Up to this number of runs, charts have tall rows."""
MOST_IN_FOREST = 23
"""The maximum number of runs in the first chart (the best ones), besides the run that they are compared with."""
ROW, DENSE_ROW, BOX_ROW = 26, 18, 32
"""The row heights in pixels."""


def template(name: str) -> str:
    """Returns the content of a file in ``templates/``."""
    return (files("carob.reports") / "templates" / name).read_text(encoding="utf-8")


def charts(runs: int, queries: int, curves: Sequence[tuple[str, str, str]]) -> dict[str, dict[str, Any]]:
    """Returns all charts of a page by name.

    Args:
        runs: the number of runs.
        queries: the number of queries.
        curves: for each curve, its name and the titles of its two axes.
    """
    drawn = json.loads(template("charts.json"))
    parts = drawn.pop("parts")
    few = "" if queries <= MOST_BARS else " of many queries"
    found = {"bars": drawn["bars" + few]}
    if runs == 1:
        parts["difference"] = parts["any axis"]
        parts["along queries"] = parts["along values"]
        parts["pair tooltip"] = [*parts["pair tooltip"][:2], parts["pair tooltip"][2] | {"title": "value"}]
    else:
        found["scatter"] = drawn["scatter" + few]
        found["forest"] = drawn["forest"] | {
            "height": min(runs - 1, MOST_IN_FOREST) * (DENSE_ROW if runs - 1 > MOST_LABELS else ROW)
        }
    found["spread"] = drawn["spread"] | {"height": runs * (ROW if runs > MOST_LABELS else BOX_ROW)}
    if runs * queries > MOST_DOTS:
        found["spread"]["layer"].pop()
    for name, along, up in curves:
        x, y = parts["recall" if name == "recall" else "depth"], parts["value"]
        axes = {"along": titled(x, along), "value": titled(y, up)}
        found[name] = with_parts(drawn["curve"], parts | axes) | {"data": {"name": name}}
    shared = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "config": "@config",
    }
    return {name: with_parts(shared | each, parts) for name, each in found.items()}


def titled(encoding: dict[str, Any], title: str) -> dict[str, Any]:
    """Returns a Vega-Lite encoding with this title on its axis."""
    return encoding | {"axis": encoding["axis"] | {"title": title}}


def with_parts(value: Any, parts: dict[str, Any]) -> Any:
    """Returns a chart in which each reference, such as ``@color``, is replaced by the part with this name."""
    if isinstance(value, dict):
        return {key: with_parts(each, parts) for key, each in value.items()}
    if isinstance(value, list):
        return [with_parts(each, parts) for each in value]
    return parts[value[1:]] if isinstance(value, str) and value.startswith("@") else value


# ---------------------------------------------------------------- methods


def methods_paragraph(comparison: Comparison) -> str:
    """Returns a methods paragraph for a paper."""
    from carob.comparison.verdict import crowded_said, heading, method, resampled

    settings = comparison.settings
    counts = comparison.scores[0].counts
    measures = ", ".join(str(contest.measure) for contest in comparison.contests.values())
    conventions = conventions_of(comparison.scores[0])
    kind = INTERVALS[settings.interval]
    drawn = (
        ""
        if resampled(comparison) or not kind.draws
        else f" ({drawn_from(settings.bootstrap_resamples, settings.seed)})"
    )
    count = plural(len(comparison.ids), "query", "queries")
    what = f"compared {len(comparison.names)} runs" if len(comparison.names) > 1 else "evaluated one run"
    compared = f"We {what} on {count} by {measures}, computed with carob {__version__}"
    if comparison.judge is not None:
        judged = heading(comparison).split(" | ")[2]
        compared = compared.replace(
            f"on {count}", f"on queries for which people and a judge judged documents ({judged})"
        )
        return " ".join([f"{compared} ({said(conventions)}).", *method(comparison)[:-1]])
    level = f"{settings.confidence * 100:g}%"
    sentences = [f"{compared} ({said(conventions)})."]
    contests = comparison.contests.values()
    pairs = [pair for contest in contests for pair in contest.pairs]
    worst = " (where many values are equal, worst-point intervals"
    if pairs:
        drawn += f"{worst})" if any(pair.worst_point for pair in pairs) else ""
        effect = f"We report mean differences with {level} {kind.named} intervals{drawn} and d_z, the mean"
        sentences += [
            tested(comparison, settings),
            *filter(None, [crowded_said(comparison)]),
            f"{effect} difference divided by the standard deviation of the queries' differences.",
        ]
    else:
        drawn += f"{worst})" if any(any(contest.worst_point) for contest in contests) else ""
        sentences.append(f"We report means with {level} {kind.named} intervals{drawn}.")
    if counts.missing:
        sentences.append("Queries that are missing from a run are treated as the policy specifies.")
    depth = comparison.judged_depth
    shares = [share for share in comparison.judged if share == share]
    if shares:
        least, most = f"{min(shares):.1%}", f"{max(shares):.1%}"
        share = least if least == most else f"Between {least} and {most}"
        sentences.append(f"{share} of the first {depth} documents are judged.")
    return " ".join(sentences)


def said(conventions: str) -> str:
    """Returns a description of the conventions for the methods paragraph."""
    return (
        "trec_eval's conventions: documents with equal scores are sorted by descending id, missing queries count as 0, "
        "and unjudged documents count as not relevant"
        if conventions == "policy trec"
        else conventions
    )


@cache
def method_words() -> dict[str, Any]:
    """Returns the description of each test and correction and the works to cite, from ``methods.toml``."""
    return own_table(__file__, "templates/methods.toml")


def drawn_from(count: int, seed: int) -> str:
    """Returns text with the number of resamples and their seed."""
    return f"{plural(count, 'resample')} and seed {seed}"


def tested(comparison: Comparison, settings: Settings) -> str:
    """Returns a sentence about the test, its family of comparisons and its correction."""
    from carob.comparison.verdict import resampled

    words = method_words()
    pairs = (
        f"each run against {comparison.names[settings.baseline]}"
        if settings.baseline is not None
        else "the two runs"
        if len(comparison.names) == 2
        else "all pairs of runs"
    )
    drawn = ", over all assignments of signs" if settings.resamples else ""
    if resampled(comparison):
        drawn = f", with {drawn_from(settings.resamples, settings.seed)}"
    test = words["tests"][settings.test]["words"]
    sentence = f"We tested {pairs} with {test}{drawn} at α = {settings.alpha:g}"
    method = words["corrections"][settings.correction]["words"]
    if method and settings.comparisons > 1:
        family = "all measures together" if settings.family == "all" else "each measure"
        sentence += f", corrected by {method} over the {settings.comparisons} comparisons of {family}"
    elif settings.test not in FAMILY_WISE and settings.comparisons > 1:
        sentence += f", without correction for {settings.comparisons} comparisons"
    return f"{sentence}."


def bibtex_of(comparison: Comparison) -> str:
    """Returns the works that the paragraph cites, as BibTeX; empty for a single run."""
    settings, words = comparison.settings, method_words()
    if not comparison.primary.pairs:
        return ""
    correction = words["corrections"][settings.correction]["works"] if settings.comparisons > 1 else []
    written = template("works.bib")
    works = {each.partition("{")[2].partition(",")[0]: each for each in written.strip().split("\n\n")}
    keys = (*words["tests"][settings.test]["works"], *correction, "sakai2014statistical")
    return "\n\n".join(works[key] for key in keys) + "\n"


# ---------------------------------------------------------------- the page

EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""The script that exposes Vega Embed, which contains Vega and Vega-Lite."""
# Isolated (-I), because "-c" alone would import modules from the working folder, which may be untrusted. A separate
# process, because vl_convert holds Python's lock for two seconds, during which even Ctrl-C would have to wait.
PROGRAM = """
import sys
_, exposed, *sys.path = sys.argv
import vl_convert
made = f"/* Vega {vl_convert.get_vega_version()}, bundled by vl-convert */", vl_convert.javascript_bundle(exposed)
sys.stdout.buffer.write("\\n".join(made).encode())
"""
SCRIPTS = ("numbers.js", "drawing.js", "groups.js", "lists.js", "page.js")


def refuse_absent() -> None:
    """Checks that the required packages are installed before any work begins.

    Raises:
        DataError: a package is not installed.
    """
    needed = {"jinja2": "jinja2"} if carried() else {"jinja2": "jinja2", "vl_convert": "vl-convert-python"}
    absent = [package for module, package in needed.items() if find_spec(module) is None]
    if absent:
        are = "is" if len(absent) == 1 else "are"
        raise DataError(
            f"A report needs {' and '.join(absent)}, which {are} not installed. Run pip install 'carob[report]'."
        )


def page(data: dict[str, Any], **parts: Any) -> str:
    """Returns the HTML of a report's page.

    Args:
        data: the data for the script, which also serves as variables of the template.
        parts: the other variables of the template.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    bundle, vega = drawing_library()
    early, own = template("early.js"), f'"use strict";\n(() => {{\n{"".join(map(template, SCRIPTS))}}})();\n'
    scripts = [inert(each) for each in (early, bundle, own)]
    comparison = parts["comparison"]
    tables = [] if comparison.unjudged is None else comparison.unjudged.tables(facing_pairs(comparison))
    text = environment.from_string(template("page.html")).render(
        **data | parts,
        version=__version__,
        warnings=sentences_of(parts["comparison"]),
        bounds=[Markup(each.written(HTML)) for each in tables],  # noqa: S704 - escaped by the table
        data=Markup(script_json(data)),  # noqa: S704 - escaped by script_json
        style=Markup(template("style.css")),  # noqa: S704 - ours
        early=Markup(scripts[0]),  # noqa: S704 - ours
        bundle=Markup(scripts[1]),  # noqa: S704 - Vega's, made inert
        own=Markup(scripts[2]),  # noqa: S704 - ours
        security=security(scripts),
        vega=vega,
    )
    # A UTF-8 page cannot contain the invalid bytes of an id that is not valid UTF-8.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def carried() -> Traversable | None:
    """Returns the path of the drawing library that ``build_backend/vega.py`` adds to a wheel.

    The result is None if the library is not included, or if Python was built without lzma, which is needed to read it.
    """
    path = files("carob.reports") / "templates" / "vega.js.xz"
    return path if path.is_file() and find_spec("_lzma") else None


def drawing_library() -> tuple[str, str]:
    """Returns Vega, Vega-Lite and Vega Embed as one script, and the version of Vega."""
    if path := carried():
        import lzma

        script = lzma.decompress(path.read_bytes()).decode("utf-8")
    else:
        program = [sys.executable, "-I", "-c", PROGRAM, EXPOSED, *filter(None, sys.path)]
        script = subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")  # noqa: S603 - ours
    return script, script.partition(",")[0].removeprefix("/* Vega ")


def security(scripts: Sequence[str]) -> str:
    """Returns a content security policy that lets the page run only its own scripts and load nothing."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def inert(script: str) -> str:
    """Escapes a script so that it cannot close the HTML element around it."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def script_json(data: dict[str, Any]) -> str:
    """Returns JSON that is safe in a script element, because it can neither open nor close a tag."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # "<" before a digit, as in the p-values of many pairs, does not open a tag, so it stays short.
    return re.sub("<(?![0-9])|[>&\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)


def title_of(comparison: Comparison) -> str:
    """Returns the title: the name of the run, or the number of runs, and the name of the qrels."""
    name = os.path.basename(comparison.qrels_name)
    where = f" on {name}" if name and not name.startswith("<") else ""
    return f"{comparison.names[0] if len(comparison.names) == 1 else f'{len(comparison.names)} runs'}{where}"


def portable(words: Sequence[str]) -> list[str]:
    """Removes private folders from the words of a command, because the page may be shared.

    Relative paths are kept. An absolute path is made relative to the working folder or, if it is outside that folder,
    shortened to its last part.
    """
    return [f"{before}{equals}{near(path)}" for before, equals, path in map(parted, words)]


def parted(word: str) -> tuple[str, str, str]:
    """Splits ``name=path`` or ``--option=path`` into its parts if the path is absolute."""
    before, equals, after = word.partition("=")
    return (before, equals, after) if equals and os.path.isabs(after) else ("", "", word)


def near_part(part: str) -> str:
    """Removes private folders from a part of the heading, such as ``people: path``."""
    before, colon, path = part.partition(": ")
    return f"{before}{colon}{near(path)}" if colon else part


def near(path: str) -> str:
    """Returns the path relative to the working folder, or its last part if it is outside the folder."""
    if not os.path.isabs(path):
        return path
    here = os.path.join(os.path.realpath(os.getcwd()), "")
    whole = os.path.realpath(path)
    return (
        os.path.relpath(whole, here)
        if whole.startswith(here)
        else os.path.basename(path.rstrip(os.sep)) or path
    )
