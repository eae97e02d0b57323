"""Arrays as the native module takes and gives them: files of NumPy."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from kalg.errors import BadInput

__all__ = ["Array", "Images", "Result"]

Array: TypeAlias = "np.ndarray[Any, Any]"

Result: TypeAlias = Any
"""An array of the shape ``(rows, columns)``; of several outputs, a dictionary of arrays."""

Images: TypeAlias = "ArrayLike | Mapping[str, ArrayLike]"
"""A picture of the shape ``(rows, columns)``, or one for each input, by its name."""


_DENSE = 2.0**24
"""Up to it, single precision holds every integer."""


def packed(images: Images) -> list[tuple[str, bytes]]:
    """Write pictures; the only one has no name."""
    named = images if isinstance(images, Mapping) else {"": images}
    if any(not isinstance(name, str) for name in named):
        raise BadInput(f"pictures are given by the names of inputs, and {', '.join(map(repr, named))} are not all texts")
    return [(name, _bytes(image)) for name, image in named.items()]


def _bytes(image: Any) -> bytes:
    array = plain(image)
    if array.dtype.kind == "f":
        array = _floats(array)
    elif array.dtype.kind not in "biu":
        raise BadInput(f"a picture of the type {array.dtype} cannot be used: integers and floats can")
    array = array.astype(array.dtype.newbyteorder("<"), copy=False)
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array))
    return buffer.getvalue()


def plain(image: Any) -> Array:
    """Give a picture as an array."""
    if np.ma.is_masked(image):
        raise BadInput("a masked array is no picture: fill it, such as by `.filled(0)`")
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0:
        raise BadInput(f"a picture of the shape {array.shape} cannot be used: (rows, columns) can")
    return array


def single(array: Array) -> Array:
    """Give numbers in single precision: integers must be the same, floats may be rounded."""
    with np.errstate(over="ignore"):
        found = array.astype("<f4")
    if array.dtype.kind == "f":
        if np.any(np.isinf(found) & np.isfinite(array)):
            raise BadInput(f"single precision does not hold {array[np.isinf(found) & np.isfinite(array)][0]!s}")
    elif array.dtype.itemsize > 2:
        for value in array[np.abs(array.astype(np.float64)) > _DENSE].tolist():
            if int(np.float32(value)) != value:
                raise BadInput(f"single precision does not hold {value}")
    return found


def _floats(array: Array) -> Array:
    """Give floats in single precision; integers that it does not hold as integers."""
    with np.errstate(over="ignore"):
        found = array.astype("<f4")
    if not np.array_equal(found, array, equal_nan=True) and np.all(np.floor(array) == array) and np.all(np.abs(array) < 2.0**63):
        return array.astype("<i8")
    return single(array)


def unpacked(files: list[tuple[str, bytes]]) -> Result:
    """Read results: the only one as it is, several by their names."""
    arrays = {name: np.load(io.BytesIO(data), allow_pickle=False) for name, data in files}
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays
