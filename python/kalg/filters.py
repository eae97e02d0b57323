"""Filters: kernels from arrays, files, layers of networks and texts."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from kalg import _native
from kalg.errors import BadInput, _positive, _whole

__all__ = ["Approximation", "Filter", "KernelLike", "approximated"]

KernelLike: TypeAlias = "Filter | str | os.PathLike[str] | ArrayLike | Mapping[str, ArrayLike] | Any"
"""What is taken for a filter.

* a `Filter`;
* the text of a kernel file, which begins with ``(`` or ``;``;
* a path: a kernel file (``.sexp``), a configuration of Cain (``.json``), a matrix (``.csv``, ``.txt``, ``.npy``);
* an array: see `Filter.of`;
* a dictionary of arrays, one for each output;
* a layer: anything with a ``weight`` of four dimensions, such as ``torch.nn.Conv2d``.
"""

IMPORTED = (".json", ".csv", ".txt")
"""The extensions of files of other formats."""

_DYADIC = 1 << 16
"""Floats with at most this denominator are taken as they are."""

_DENSE = 2.0**53
"""Below it every integer is a float."""

_DENOMINATOR = 10**18
"""The greatest denominator of a bound."""

_DEEPEST = 30
"""The greatest depth that kalg takes."""


@dataclass(frozen=True)
class Approximation:
    """How coefficients were rounded.

    Attributes
    ----------
    depth : int or None
        All coefficients are multiples of ``2**-depth``; `None` where a compiler chose others, such as thirds.
    max_error : float
        No coefficient is off by more from the one given. It is the greatest difference, unless floats were rounded before a
        compiler chose coefficients near them: then it is the sum of both differences.
    rms_error : float
        The root mean square difference, or such a sum.
    """

    depth: int | None
    max_error: float
    rms_error: float


@dataclass(frozen=True)
class Filter:
    """A filter with exact coefficients, as the text of a kernel file.

    Attributes
    ----------
    text : str
        The kernel file.
    name : str
        The name for messages.
    approximation : Approximation or None
        How the coefficients were rounded; `None` if they are those that were given.
    """

    text: str
    name: str = "filter"
    approximation: Approximation | None = None

    @classmethod
    def of(
        cls,
        kernel: KernelLike,
        *,
        name: str | None = None,
        max_error: float | None = None,
        depth: int | None = None,
    ) -> Filter:
        """Read a filter.

        Parameters
        ----------
        kernel : KernelLike
            What to read. Arrays have the shape ``(rows, columns)``, or ``(columns,)`` for a single row; ``(inputs, rows,
            columns)`` is a kernel for each input, and ``(outputs, inputs, rows, columns)`` are the weights of a layer. Row
            0 is in the north. The result is a correlation, as with ``cv2.filter2D``, ``scipy.ndimage.correlate`` and layers
            of networks: ``out[y, x] = sum(kernel[i, j] * image[y + i - rows // 2, x + j - columns // 2])``.
        name : str, optional
            The name of the filter: a word without brackets, quotes, commas and semicolons.
        max_error : float, optional
            Round coefficients that are not exact to multiples of the largest power of two with which none is off by more.
        depth : int, optional
            Round all coefficients to multiples of ``2**-depth``.

        Returns
        -------
        Filter
            Coefficients are exact if they are integers, fractions, floats with a denominator of at most 65536, or as near
            to a small fraction as their type can be (``1/9``).

        Raises
        ------
        BadInput
            The kernel cannot be read, or a coefficient is not exact and neither `max_error` nor `depth` is given.
        """
        rounding = Rounding(max_error, depth)
        if isinstance(kernel, Filter):
            return approximated(kernel, max_error=max_error, depth=depth)
        if isinstance(kernel, str) and not kernel.strip():
            raise BadInput("an empty text is no filter")
        if isinstance(kernel, str) and kernel.lstrip()[:1] in ("(", ";"):
            return approximated(cls(kernel, "filter" if name is None else _symbol(name)), max_error=max_error, depth=depth)
        if isinstance(kernel, (str, os.PathLike)):
            return _of_file(Path(kernel), name, rounding)
        return _of_arrays(_outputs(kernel), "filter" if name is None else name, rounding)


def _of_file(path: Path, name: str | None, rounding: Rounding) -> Filter:
    """Read a file of kernels, by its extension."""
    try:
        if path.suffix == ".npy":
            array: Any = np.load(path, allow_pickle=False)
            return _of_arrays(_outputs(array), _stem(path) if name is None else name, rounding)
        text = path.read_text(encoding="utf-8")
    except BadInput:
        raise
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(f"cannot read `{path}`: {error}") from error
    if path.suffix in IMPORTED:
        text = _native.imported((str(path), text), None if name is None else _symbol(name))
    return approximated(Filter(text, str(path)), max_error=rounding.max_error, depth=rounding.depth)


def _stem(path: Path) -> str:
    """Give the name of a filter whose file has none."""
    try:
        return _native.named(path.stem)
    except BadInput:
        return _native.named(f"filter-{path.stem}")


def approximated(of: KernelLike, *, max_error: float | None = None, depth: int | None = None) -> Filter:
    """Round the coefficients of a filter to multiples of a power of two.

    Parameters
    ----------
    of : KernelLike
        The filter, or what `Filter.of` reads.
    max_error : float, optional
        No coefficient may be off by more.
    depth : int, optional
        Round to multiples of ``2**-depth``.

    Returns
    -------
    Filter
        The filter that was given, if neither is.
    """
    if not isinstance(of, Filter):
        return Filter.of(of, max_error=max_error, depth=depth)
    if not Rounding(max_error, depth):
        return of
    depth = None if depth is None else _whole("depth", depth)
    written = None if max_error is None else decimal(bound(max_error))
    record = json.loads(_native.approx((of.name, of.text), depth, written))
    lost = Approximation(record["depth"], record["max_error"], record["rms_error"])
    return Filter(record["text"], of.name, lost)


def bound(max_error: Any) -> Fraction:
    """Give a bound as it is written: a tenth, not the float next to it."""
    return Fraction(repr(_positive("max_error", max_error)))


def decimal(exact: Fraction) -> str:
    """Write a bound as kalg reads it, with numbers of 64 bits; it does not become greater."""
    return str(exact if exact.denominator <= _DENOMINATOR else Fraction(math.floor(exact * _DENOMINATOR), _DENOMINATOR))


@dataclass(frozen=True)
class Rounding:
    """What to do with coefficients that are not exact."""

    max_error: float | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if self.max_error is not None and self.depth is not None:
            raise BadInput("give either max_error= or depth=, not both")

    def __bool__(self) -> bool:
        return self.max_error is not None or self.depth is not None

    def apply(self, values: dict[str, np.ndarray[Any, Any]]) -> tuple[dict[str, list[Fraction]], Approximation | None]:
        """Give exact coefficients for each output, in the order of its array."""
        given = {name: [_value(value, name) for value in array.flat] for name, array in values.items()}
        if self.depth is not None:
            return self._rounded(given, _whole("depth", self.depth))
        exact = {name: [_exact(value, array.dtype) for value in array.flat] for name, array in values.items()}
        if all(value is not None for all_of in exact.values() for value in all_of):
            return {name: [value for value in all_of if value is not None] for name, all_of in exact.items()}, None
        if self.max_error is None:
            name, value = next(
                (name, value)
                for name, all_of in exact.items()
                for value, found in zip(given[name], all_of, strict=True)
                if found is None
            )
            raise BadInput(
                f"the coefficient {float(value)!r} of `{name}` is not a small fraction: "
                "give max_error= or depth= to round the coefficients"
            )
        limit = _positive("max_error", self.max_error)
        for depth in range(_DEEPEST + 1):
            rounded, lost = self._rounded(given, depth)
            if lost.max_error <= limit:
                return rounded, lost
        raise BadInput(f"no multiples of 2**-{_DEEPEST} are within {self.max_error} of the coefficients")

    @staticmethod
    def _rounded(given: dict[str, list[Fraction]], depth: int) -> tuple[dict[str, list[Fraction]], Approximation]:
        if not 0 <= depth <= _DEEPEST:
            raise BadInput(f"the depth {depth} is not from 0 to {_DEEPEST}")
        unit = 1 << depth
        # Halves go away from zero, as in kalg's own rounding.
        rounded = {
            name: [Fraction(int(abs(v) * unit + Fraction(1, 2)) * (1 if v >= 0 else -1), unit) for v in all_of]
            for name, all_of in given.items()
        }
        errors = [abs(a - b) for name in given for a, b in zip(given[name], rounded[name], strict=True)]
        rms = math.sqrt(sum(float(error) ** 2 for error in errors) / max(len(errors), 1))
        return rounded, Approximation(depth, float(max(errors, default=Fraction(0))), rms)


def _value(value: Any, name: str) -> Fraction:
    """Give a coefficient exactly as it is stored."""
    try:
        if isinstance(value, np.floating):
            # Those of more than double precision are no floats of Python.
            return Fraction(*value.as_integer_ratio())
        return Fraction(value.item() if isinstance(value, np.generic) else value)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"`{name}` has the coefficient {value}, which is not a finite number") from None


def _exact(value: Any, dtype: np.dtype[Any]) -> Fraction | None:
    """Give the number that a float stands for, or `None` if that is not clear."""
    stored = _value(value, "the kernel")
    if isinstance(value, float):
        # Arrays of objects hold floats beside fractions.
        dtype = np.dtype(np.float64)
    if dtype.kind != "f" or stored.denominator <= _DYADIC:
        return stored
    # The denominators are so few that hardly any other number is as near to one of their fractions.
    most, slack = {2: (12, 1), 4: (64, 2), 8: (4096, 4)}.get(dtype.itemsize, (4096, 4))
    near = stored.limit_denominator(most)
    step = Fraction(float(np.spacing(np.abs(np.asarray(value, dtype=dtype)))))
    # The numbers next to zero are as near to it as all are to their neighbours.
    return near if near and abs(near - stored) <= slack * step else None


def _outputs(kernel: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Give an array of the shape (inputs, rows, columns) for each output."""
    if isinstance(kernel, Mapping):
        found = {str(name): _planes(_array(value)) for name, value in kernel.items()}
        if len(found) != len(kernel):
            raise BadInput(f"two outputs have the same name, of {', '.join(map(repr, kernel))}")
        return found
    if hasattr(kernel, "weight"):
        return _layer(kernel)
    array = _array(kernel)
    if array.ndim == 4:
        return {f"out{number}": _planes(plane) for number, plane in enumerate(array)}
    return {"out": _planes(array)}


def _array(value: Any) -> np.ndarray[Any, Any]:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        array = np.asarray(value)
        if array.dtype.kind == "f" and not hasattr(value, "dtype") and np.any(np.abs(array) >= _DENSE):
            # Among these floats some integers of a list are missing.
            array = np.asarray(value, dtype=object)
    except (ValueError, OverflowError) as error:
        raise BadInput(f"an array that is not rectangular is no kernel: {error}") from None
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        raise BadInput("a masked array is no kernel: fill it, such as by `.filled(0)`")
    if array.dtype.kind not in "biufO":
        raise BadInput(f"a kernel of the type {array.dtype} cannot be used: numbers can")
    if array.dtype.kind == "b":
        array = array.astype(np.int64)
    return array


def _planes(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.ndim == 1:
        array = array[np.newaxis, :]
    if array.ndim == 2:
        array = array[np.newaxis]
    if array.ndim != 3 or array.size == 0:
        raise BadInput(
            f"an array of the shape {array.shape} is no kernel: (rows, columns), (inputs, rows, columns) and "
            "(outputs, inputs, rows, columns) are"
        )
    return array


def _layer(layer: Any) -> dict[str, np.ndarray[Any, Any]]:
    """Give the kernels of a convolution of two dimensions."""
    weight = _array(layer.weight)
    if weight.ndim != 4:
        raise BadInput(f"weights of the shape {weight.shape} are no layer: (outputs, inputs, rows, columns) are")
    if (stride := _pair(getattr(layer, "stride", 1))) != (1, 1):
        raise BadInput(f"the layer has the stride {stride}: filters compute every pixel")
    if _pair(dilation := getattr(layer, "dilation", 1)) != (1, 1):
        down, across = _pair(dilation)
        spread = np.zeros((*weight.shape[:2], (weight.shape[2] - 1) * down + 1, (weight.shape[3] - 1) * across + 1))
        spread = spread.astype(weight.dtype)
        spread[:, :, ::down, ::across] = weight
        weight = spread
    groups = int(getattr(layer, "groups", 1))
    outputs, inputs = weight.shape[0], weight.shape[1]
    bias = getattr(layer, "bias", None)
    if bias is not None and np.any(_array(bias)):
        warnings.warn("the layer's bias is left out: filters are linear; add it to the results", stacklevel=4)
    found = {}
    for number, kernel in enumerate(weight):
        planes = np.zeros((inputs * groups, *weight.shape[2:]), dtype=weight.dtype)
        first = number // (outputs // groups) * inputs
        planes[first : first + inputs] = kernel
        found[f"out{number}"] = planes
    return found


def _pair(value: Any) -> tuple[int, int]:
    """Give a setting of a layer for rows and for columns."""
    down, across = value if isinstance(value, Sequence) else (value, value)
    return int(down), int(across)


def _of_arrays(arrays: dict[str, np.ndarray[Any, Any]], name: str, rounding: Rounding) -> Filter:
    """Write a kernel file."""
    if not arrays:
        raise BadInput("a filter has at least one output")
    counts = {planes.shape[0] for planes in arrays.values()}
    if len(counts) != 1:
        raise BadInput(f"the outputs are of {', '.join(map(str, sorted(counts)))} inputs: each needs a kernel for every input")
    inputs = ["image"] if counts == {1} else [f"in{number}" for number in range(counts.pop())]
    exact, approximation = rounding.apply(arrays)
    lines = [f"(filter {_symbol(name)}", f"  (inputs {' '.join(inputs)})"]
    for output, planes in arrays.items():
        values = np.array(exact[output], dtype=object).reshape(planes.shape)
        terms = [_term(plane) for plane in values]
        if len(inputs) == 1:
            term = terms[0] or "(kernel (.))"
        else:
            read = [f"(from {of} {term})" for of, term in zip(inputs, terms, strict=True) if term is not None]
            term = "(add " + " ".join(read) + ")" if len(read) > 1 else "".join(read) or f"(from {inputs[0]} (kernel (.)))"
        lines.append(f"  (output {_symbol(output)} {term})")
    return Filter("\n".join(lines) + ")\n", name, approximation)


def _term(plane: np.ndarray[Any, Any]) -> str | None:
    """Write a kernel, scaled to integers; `None` if it reads nothing. Its middle is the pixel itself."""
    if not plane.any():
        return None
    # Rows and columns are odd in number: the middle of an even number is the second of its two.
    rows, columns = (size + 1 - size % 2 for size in plane.shape)
    taps = [list(row) + [0] * (columns - len(row)) for row in plane] + [[0] * columns] * (rows - len(plane))
    divisor = math.lcm(*(value.denominator for row in taps for value in row))
    shown = " ".join("(" + " ".join(str(value * divisor) if value else "." for value in row) + ")" for row in taps)
    return f"(kernel {shown})" if divisor == 1 else f"(scale 1/{divisor} (kernel {shown}))"


def _symbol(name: str) -> str:
    """Give a name as kernel files write it."""
    if not isinstance(name, str):
        raise BadInput(f"name={name!r} cannot be used: a text can")
    if not name or any(c.isspace() or c in "()[];\"'`=," for c in name):
        raise BadInput(f"`{name}` is not a name: a word without brackets, quotes, commas, semicolons and `=` is")
    return name
