"""The build backend that pip calls: scikit-build-core, plus a compiler if the machine has none."""

import sys

# pip checks requires-python only after running this file, which an older Python cannot parse to the end.
if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit(
        f"carob needs Python 3.10 or newer, and this is Python {sys.version_info[0]}.{sys.version_info[1]}."
    )

import tempfile
from pathlib import Path
from typing import TypeAlias

from scikit_build_core import build
from scikit_build_core.build import (
    build_sdist,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

import compiler

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings: TypeAlias = dict[str, str | list[str]]


def get_requires_for_build_wheel(config_settings: Settings | None = None) -> list[str]:
    """Return scikit-build-core's requirements, and a compiler if there is none."""
    return [*build.get_requires_for_build_wheel(config_settings), *_missing_compiler()]


def get_requires_for_build_editable(config_settings: Settings | None = None) -> list[str]:
    """Return scikit-build-core's requirements, and a compiler if there is none."""
    return [*build.get_requires_for_build_editable(config_settings), *_missing_compiler()]


def _missing_compiler() -> list[str]:
    return [] if compiler.find_compiler() else [compiler.ZIG_PACKAGE]


def build_wheel(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    """Build a wheel with the machine's compiler, or with Zig."""
    with tempfile.TemporaryDirectory(prefix="carob-build-") as folder:
        settings = _with_compiler(config_settings, Path(folder))
        return build.build_wheel(wheel_directory, settings, metadata_directory)


def build_editable(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    """Build an editable wheel with the machine's compiler, or with Zig."""
    with tempfile.TemporaryDirectory(prefix="carob-build-") as folder:
        settings = _with_compiler(config_settings, Path(folder))
        return build.build_editable(wheel_directory, settings, metadata_directory)


def _with_compiler(config_settings: Settings | None, folder: Path) -> Settings:
    """Return the settings including the compiler to use; the user's own settings take precedence."""
    found = compiler.definitions(folder / "tools")
    settings: Settings = {f"cmake.define.{variable}": value for variable, value in found.items()}
    if "CMAKE_AR" in found:
        # CMake stores the paths of its tools in the build folder, and Zig's tools disappear with this temporary folder.
        settings["build-dir"] = str(folder / "build")
    return settings | (config_settings or {})
