"""Stores the ids of many queries in one piece of memory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, overload

from carob._cached import cached_property
from carob._numpy import np
from carob.inputs.ids import bytes_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray


class Names(Sequence[bytes]):
    """Many ids in one piece of memory. If each of a million ids were an object, they would fill most of carob's memory.

    Args:
        joined: the ids, one after the other.
        offsets: the id with number ``n`` is ``joined[offsets[n] : offsets[n + 1]]`` [ids + 1].

    Example:
        >>> from carob.inputs.names import Names
        >>> Names.of(["q1", "q2"])[1], Names.of(["q1", "q2"]).texts
        (b'q2', ('q1', 'q2'))
    """

    def __init__(self, joined: bytes, offsets: NDArray[np.int64]) -> None:
        """Stores the ids."""
        self.joined, self.offsets = joined, offsets

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Returns the given texts as ids."""
        return cls.of_bytes([bytes_of(name) for name in names])

    @classmethod
    def of_bytes(cls, names: Sequence[bytes]) -> Names:
        """Returns the given ids, stored in one piece of memory."""
        return cls(b"".join(names), np.append(0, np.cumsum(list(map(len, names)))).astype(np.int64))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The ids as text."""
        bounds = self.offsets.tolist()
        if self.joined.isascii():
            text = self.joined.decode("ascii")
            return tuple([text[first:last] for first, last in pairwise(bounds)])
        return tuple(map(text_of, self))

    def chosen(self, kept: NDArray[np.bool_]) -> Names:
        """Returns the ids that are marked as kept."""
        return (
            self if kept.all() else Names.of_bytes([self[place] for place in np.flatnonzero(kept).tolist()])
        )

    def places_in(self, other: Names) -> NDArray[np.int64]:
        """Returns the position of each id in ``other``, or -1 if ``other`` does not contain the id."""
        if self == other:
            return np.arange(len(self))
        place = {name: number for number, name in enumerate(other)}
        return np.array([place.get(name, -1) for name in self], np.int64)

    def __iter__(self) -> Iterator[bytes]:
        """Yields the ids."""
        return (self.joined[first:last] for first, last in pairwise(self.offsets.tolist()))

    def __len__(self) -> int:
        """Returns the number of ids."""
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        """Returns an id, or a list of ids."""
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        number = range(len(self))[place]
        return self.joined[self.offsets[number] : self.offsets[number + 1]]

    def __eq__(self, other: object) -> bool:
        """Returns whether the other object contains the same ids in the same order."""
        if not isinstance(other, Names):
            return NotImplemented
        return self is other or (self.joined == other.joined and np.array_equal(self.offsets, other.offsets))

    __hash__ = object.__hash__
