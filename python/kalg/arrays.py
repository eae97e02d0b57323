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


def packed(images: Images) -> list[tuple[str, bytes]]:
    """Write pictures; the only one has no name."""
    named = images if isinstance(images, Mapping) else {"": images}
    return [(str(name), _bytes(image)) for name, image in named.items()]


def _bytes(image: Any) -> bytes:
    array = np.asarray(image)
    if array.ndim != 2 or array.size == 0:
        raise BadInput(f"a picture of the shape {array.shape} cannot be used: (rows, columns) can")
    if array.dtype.kind == "f":
        array = array.astype("<f4")
    elif array.dtype.kind not in "biu":
        raise BadInput(f"a picture of the type {array.dtype} cannot be used: integers and floats can")
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array))
    return buffer.getvalue()


def unpacked(files: list[tuple[str, bytes]]) -> Result:
    """Read results: the only one as it is, several by their names."""
    arrays = {name: np.load(io.BytesIO(data), allow_pickle=False) for name, data in files}
    return next(iter(arrays.values())) if len(arrays) == 1 else arrays
