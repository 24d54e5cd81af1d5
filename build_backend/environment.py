"""Installs pip into the environment of the running Python, twenty times faster than ``ensurepip``.

``ensurepip`` makes pip install itself and compile all of its modules. This program unpacks the wheel that Python
bundles, which is all that installing a pure Python wheel requires, and Python compiles modules when it imports them.
https://packaging.python.org/en/latest/specifications/binary-distribution-format/#installing-a-wheel-distribution-1-0-py32-none-any-whl
"""

from __future__ import annotations

import ensurepip
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

__all__: list[str] = []

_COMMAND = """#!/bin/sh
exec "$(dirname "$0")/python" -m pip "$@"
"""


def main() -> None:
    """Unpack pip and write its command; leave both to ``ensurepip`` if the wheel is not where it is expected."""
    wheels = sorted(_folder().glob("pip-*.whl"))
    if not wheels:
        subprocess.run([sys.executable, "-m", "ensurepip", "--upgrade", "--default-pip"], check=True)
        return
    with zipfile.ZipFile(wheels[-1]) as wheel:
        wheel.extractall(sysconfig.get_path("purelib"))
    command = Path(sysconfig.get_path("scripts"), "pip")
    command.write_text(_COMMAND, encoding="utf-8")
    command.chmod(0o755)


def _folder() -> Path:
    """Return the folder of Python's bundled wheels, which distributions may choose with ``--with-wheel-pkg-dir``."""
    chosen = sysconfig.get_config_var("WHEEL_PKG_DIR")
    return Path(chosen) if chosen else Path(ensurepip.__file__).with_name("_bundled")


if __name__ == "__main__":
    main()
