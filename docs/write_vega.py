"""Writes src/karat/reports/templates/vega.js.gz, the drawing library of a report, from the installed vl-convert.

Every page carries these bytes. Bundling them anew for each page would take two seconds of a processor and 84 MB of
packages at the user's; so this program is run when a new Vega is wanted.
"""

from __future__ import annotations

import gzip
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "karat" / "reports" / "templates" / "vega.js.gz"
EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""Vega Embed alone is exposed; it brings Vega and Vega-Lite."""


def bundled() -> str:
    """The versions as a comment, then Vega, Vega-Lite and Vega Embed as one script."""
    import vl_convert

    versions = {
        "Vega": vl_convert.get_vega_version(),
        "Vega-Lite": vl_convert.get_vegalite_versions()[-1],
        "Vega-Embed": vl_convert.get_vega_embed_version(),
    }
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"/* {named}; bundled by vl-convert {vl_convert.__version__}; licences: vega.LICENSE */\n" + (
        vl_convert.javascript_bundle(EXPOSED)
    )


if __name__ == "__main__":
    TARGET.write_bytes(gzip.compress(bundled().encode("utf-8"), 9, mtime=0))
