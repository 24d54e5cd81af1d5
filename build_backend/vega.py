"""Writes the drawing library of reports for inclusion in a wheel: ``python build_backend/vega.py``; needs vl-convert.

vl-convert takes two seconds of processor time to bundle Vega, Vega-Lite and Vega Embed. A wheel built after this
program has run contains the bundle; without it, carob calls vl-convert for each page. The bundle is not stored in the
repository.
"""

from __future__ import annotations

import lzma
from importlib.metadata import files, version
from importlib.util import find_spec
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "carob" / "reports" / "templates" / "vega.js.xz"
EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""Only Vega Embed is exposed, as in ``carob.reports.page``."""
LIBRARIES = {
    "Vega, Vega-Lite, Vega-Embed": "University of Washington Interactive Data Lab, BSD-3-Clause",
    "D3": "Mike Bostock, ISC",
    "topojson-client": "Michael Bostock, ISC",
    "delaunator": "Mapbox, ISC",
    "node-semver": "Isaac Z. Schlueter and contributors, ISC",
    "fast-json-patch": "Joachim Wester, MIT",
    "json-stringify-pretty-compact": "Simon Lydell, MIT",
}
"""The components of the bundle, with their authors and licences."""


def bundled() -> str:
    """Vega's version and the notices as comments, followed by the script."""
    import vl_convert

    notices = "\n".join(f"{name}: {owner}" for name, owner in LIBRARIES.items())
    licence = next(each for each in files("vl-convert-python") or [] if each.name == "LICENSE").read_text()
    script: str = vl_convert.javascript_bundle(EXPOSED)
    made = f"Vega {vl_convert.get_vega_version()}, bundled by vl-convert {version('vl-convert-python')}"
    return (
        f"/* {made}. It holds:\n{notices}\n"
        f"The terms of vl-convert and, with the names above, of BSD-3-Clause:\n{licence} */\n" + script
    )


def main() -> None:
    """Write the bundle for the next wheel and, if carob is already installed here, for that installation."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "pb": 0}]  # text is not aligned
    bundle = lzma.compress(bundled().encode("utf-8"), filters=filters)
    TARGET.write_bytes(bundle)
    found = find_spec("carob")
    for folder in found.submodule_search_locations or () if found else ():
        Path(folder, *TARGET.parts[-3:]).write_bytes(bundle)


if __name__ == "__main__":
    main()
