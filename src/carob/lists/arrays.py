"""Wraps the functions of an array library that ``Padded`` calls. All of them are in the array API standard.

Array libraries (NumPy, PyTorch, JAX, CuPy, ...) differ in the names of a few functions and in how they convert Python
numbers. array-api-compat hides the first difference, and ``Arrays`` hides the second.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from carob._numpy import np

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def arrays_of(array: Any, dtype: Any = None) -> Arrays:
    """Returns an ``Arrays`` with the library, the device and the floating type of an array.

    For half-precision floats, the type is single precision. For whole numbers, it is the default of the library.

    Args:
        array: an array of any library that supports the standard.
        dtype: the floating type to compute with, instead of the type of the array.

    Raises:
        TypeError: ``array`` is not an array.
    """
    if is_tensor(array):  # torch.compile cannot trace the check of array-api-compat
        from array_api_compat import torch

        return Arrays(torch, array.device, dtype or floating(torch, array), "torch")
    from array_api_compat import array_namespace, device, is_jax_namespace, is_numpy_array

    library = array_namespace(array)
    # JAX chooses the device of its arrays. Under jit, arrays have no device yet.
    place = None if is_jax_namespace(library) else device(array)
    kind = "numpy" if is_numpy_array(array) else ""
    return Arrays(library, place, dtype or floating(library, array), kind)


def is_tensor(array: Any) -> bool:
    """Returns whether an array is a PyTorch tensor."""
    return type(array).__module__.partition(".")[0] == "torch"


def host_view(array: Any) -> Any:
    """Returns a NumPy view of a tensor in host memory. Other arrays, and tensors under torch.compile, are unchanged.

    NumPy sorts faster than eager PyTorch, and its numbers can be read without waiting.
    """
    if not is_tensor(array):
        return array
    import torch

    if torch.compiler.is_compiling() or type(array) is not torch.Tensor or array.device.type != "cpu":
        return array
    short = array.dtype in (torch.bfloat16, torch.float16)
    return (array.detach().float() if short else array.detach()).numpy()


def floating(library: Any, array: Any) -> Any:
    """Returns the floating type for computations with ``array``."""
    if array.dtype in (library.float32, library.float64):
        return array.dtype
    if library.isdtype(array.dtype, ("bool", "integral")):
        return library.asarray([0.0]).dtype
    return library.float64 if getattr(array.dtype, "itemsize", 0) > 8 else library.float32  # long doubles


IN_CACHE = 2**15
"""The number of eight-byte keys that fit into the cache of a processor."""


class Arrays:
    """An array library on one device with one floating type: the ``xp`` of ``Padded``.

    Args:
        library: the namespace.
        device: the device of new arrays; None for the library's choice.
        dtype: the floating type of new arrays.
        kind: ``numpy``, ``torch``, or empty for any other library.
    """

    def __init__(self, library: Any, device: Any, dtype: Any, kind: str = "") -> None:
        """Stores the arguments."""
        self.library, self.device, self.dtype, self.kind = library, device, dtype, kind
        self.largest = 2.0**500 if dtype == library.float64 else 2.0**110  # the largest gain allowed

    def __getattr__(self, name: str) -> Any:
        """Returns a function of the library, such as ``log2``."""
        return getattr(self.library, name)

    # ------------------------------------------------------------ new arrays

    def asarray(self, number: Any) -> Any:
        """Converts a number to an array without axes. An array is returned unchanged."""
        if isinstance(number, (int, float)):
            return self.library.full((), float(number), dtype=self.dtype, device=self.device)
        return number

    def full(self, shape: tuple[int, ...], number: float) -> Any:
        """Returns an array in which every element is ``number``."""
        return self.library.full(shape, float(number), dtype=self.dtype, device=self.device)

    def count(self, width: int) -> Any:
        """Returns 1, 2, 3, … as floats [width]."""
        return self.library.arange(1, width + 1, dtype=self.dtype, device=self.device)

    def floats(self, array: Any) -> Any:
        """Converts an array to the floating type."""
        return self.library.astype(array, self.dtype, copy=False)

    def truth(self, mask: Any) -> Any:
        """Converts a mask of any type to booleans. None is returned unchanged."""
        return None if mask is None else self.library.astype(mask, self.library.bool, copy=False)

    # ------------------------------------------------------------ element by element

    def where(self, condition: Any, a: Any, b: Any) -> Any:
        """Returns ``a`` where the condition holds, and ``b`` elsewhere. Either argument may be a Python number."""
        if isinstance(a, (int, float)) and isinstance(b, (int, float)):
            if (a, b) == (1.0, 0.0):
                return self.floats(condition)
            a = self.asarray(a)
        return self.library.where(condition, a, b)

    def minimum(self, a: Any, b: Any) -> Any:
        """Returns the smaller of two numbers, element by element."""
        return self.library.minimum(self.asarray(a), self.asarray(b))

    def maximum(self, a: Any, b: Any) -> Any:
        """Returns the larger of two numbers, element by element."""
        return self.library.maximum(self.asarray(a), self.asarray(b))

    def exp2(self, x: Any) -> Any:
        """Returns 2 to the power of x."""
        return 2.0**x

    def counted(self, which: Any) -> Any:
        """Returns the number of true elements in each row, as floats."""
        return self.floats(self.library.count_nonzero(which, axis=1))

    def places(self, x: Any) -> Any:
        """Converts whole numbers to the library's index type."""
        return self.library.astype(x, self.library.arange(1, device=self.device).dtype)

    # ------------------------------------------------------------ along the documents of each query

    def take(self, x: Any, order: Any) -> Any:
        """Returns each row's values in the given order."""
        if self.kind == "torch":
            return x.gather(1, order)  # twice as fast as take_along_dim, which checks for negative indices
        return self.library.take_along_axis(x, order, axis=1)

    def running(self, x: Any) -> Any:
        """Returns the running sums of each row."""
        if self.kind == "torch":
            return x.cumsum(1)  # compilers cannot trace the function of array-api-compat
        return self.library.cumulative_sum(x, axis=1, dtype=self.dtype)

    def running_product(self, x: Any) -> Any:
        """Returns the running products of each row."""
        if self.kind == "torch":
            return x.cumprod(1)
        return self.library.cumulative_prod(x, axis=1, dtype=self.dtype)

    def running_largest(self, x: Any) -> Any:
        """Returns the running maximum of each row. The array API standard has no function for the running maximum."""
        reach = 1
        while reach < x.shape[1]:
            beyond = self.library.maximum(x[:, reach:], x[:, :-reach])
            x = self.library.concat([x[:, :reach], beyond], axis=1)
            reach *= 2
        return x

    def order_down(self, keys: Any) -> Any:
        """Returns the stable order of each row, with the largest key first and NaN last."""
        if self.on_host:
            return stable_order(keys)
        return self.library.argsort(-keys, axis=1, stable=True)

    def sorted_down(self, x: Any) -> Any:
        """Returns the values of each row, largest first. The values must not contain NaN."""
        if self.on_host:
            return -np.sort(-x, axis=1)
        return self.library.sort(x, axis=1, descending=True, stable=False)

    # ------------------------------------------------------------ numbers that can be read

    @property
    def on_host(self) -> bool:
        """Whether numbers can be read without waiting for a device or breaking a trace. This is true only for NumPy."""
        return self.kind == "numpy"

    def range_of(self, x: Any) -> tuple[float, float] | None:
        """Returns the smallest and the largest number (NaN if any number is NaN), or None if numbers cannot be read."""
        return (float(x.min()), float(x.max())) if self.on_host and x.size else None

    def is_whole(self, x: Any) -> bool:
        """Returns whether all numbers are known to be whole numbers. False if they cannot be read."""
        return self.on_host and bool((np.trunc(x) == x).all())

    def quiet(self) -> AbstractContextManager[Any]:
        """Returns a context that suppresses NumPy's warnings about division by 0. ``ratio`` handles these divisions."""
        if self.kind == "torch":
            return nullcontext()  # torch.compile cannot trace np.errstate
        return np.errstate(divide="ignore", invalid="ignore", over="ignore")


def stable_order(keys: Any) -> Any:
    """Returns the stable order of each row of a NumPy array, largest key first, NaN last.

    NumPy sorts whole numbers with vector instructions, but the sort is not stable. A single-precision key and its index
    fit into one whole number, and these whole numbers are all distinct, so the sort need not be stable. For double
    precision, the keys are first sorted unstably, and then the rows with equal keys are sorted again.
    """
    if keys.dtype == np.float32:
        return order_of_singles(keys)
    keys = -keys
    order = np.argsort(keys, axis=1)
    placed = np.take_along_axis(keys, order, axis=1)
    equal = (placed[:, 1:] == placed[:, :-1]) | np.isnan(placed[:, 1:])
    tied = np.flatnonzero(equal.any(axis=1))
    order[tied] = np.argsort(keys[tied], axis=1, kind="stable")
    return order


def order_of_singles(keys: Any) -> Any:
    """Computes ``stable_order`` for single precision, a few rows at a time to stay in the cache."""
    queries, width = keys.shape
    order = np.empty(keys.shape, np.int64)
    places = np.arange(width, dtype=np.int64)
    step = max(1, IN_CACHE // max(width, 1))
    for first in range(0, queries, step):
        part = order[first : first + step]
        bits = np.subtract(np.float32(0), keys[first : first + step]).view(
            np.int32
        )  # 0 - x makes -0 and 0 equal
        bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)  # the bits of negative numbers are in reverse order
        part[...] = bits
        part <<= 32
        part += places
        part.sort(axis=1)
        part &= 0xFFFFFFFF
    return order
