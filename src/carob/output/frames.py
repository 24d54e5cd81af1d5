"""Creates data frames of any supported library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from carob.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf")
"""The libraries whose frames ``to_frame`` creates, other than the engines."""


class DataFrame(Protocol):
    """A data frame of any library: the attributes that all libraries share, and any others of its own library."""

    @property
    def columns(self) -> Any:
        """The names of the columns or, in PyArrow, the columns themselves."""

    def __getitem__(self, name: Any, /) -> Any:
        """Returns a column by its name."""

    def __getattr__(self, name: str, /) -> Any:
        """Returns the attribute of the library's frames with this name."""


def frame_of(columns: Mapping[str, Any], library: str | None) -> DataFrame:
    """Returns a data frame of the columns, made by a library such as ``pandas``; by default, the first installed.

    Raises:
        DataError: the library is not installed or has no data frames, or no data frame library is installed.
    """
    from importlib.util import find_spec

    found = library or next(filter(find_spec, FRAMES[:3]), None)
    if found is None:
        raise DataError("No data frame library is installed: install pandas, polars or pyarrow.")
    if found not in FRAMES:
        hint = did_you_mean(found, FRAMES, f"The choices are {', '.join(FRAMES)}.")
        raise DataError(f"'{found}' is not a library of data frames that carob can write. {hint}")
    if not find_spec(found):
        raise DataError(f"{found} is not installed: install it, or specify another library.")
    import narwhals as nw

    maker: Any = nw.from_dict
    made: DataFrame = maker(columns, backend=found).to_native()
    return made
