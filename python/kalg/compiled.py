"""Programs for processors: C that the system's compiler makes into a library of this process."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from kalg.arrays import Array, Images, Result, plain, single
from kalg.errors import BadInput, KalgError, _whole

__all__ = ["Compiled"]

_FLAGS = ("-O3", "-march=native", "-std=c99", "-fPIC", "-shared")

_ROWS = 64
"""The least number of rows of a band: neighbouring bands compute some rows twice."""

_PIXELS = 1 << 19
"""The least number of pixels of a band, unless a number of threads is asked for: below that a thread costs more than it saves."""

_C_TYPES = {
    "int8_t": np.int8,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "uint16_t": np.uint16,
    "int32_t": np.int32,
    "uint32_t": np.uint32,
    "int64_t": np.int64,
    "uint64_t": np.uint64,
    "float": np.float32,
    "double": np.float64,
}

_SIGNATURE = re.compile(r"^size_t (\w+)\((.*)\);?$", re.MULTILINE)
_PERIOD = re.compile(r"y0 and y1 are multiples of (\d+)")
_POINTER = re.compile(r"^(const )?(\w+) \*(?:restrict )?(in|out)_(\w+)$")


@dataclass(frozen=True)
class Port:
    """A picture that a function reads or writes.

    Attributes
    ----------
    name : str
        The name in the filter's file.
    type : dtype
        The type of its pixels.
    rate : (Fraction, Fraction)
        Its columns for each column of the base grid, and its rows.
    """

    name: str
    type: np.dtype[Any]
    rate: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class Compiled:
    """A function in C, and how it is called.

    Attributes
    ----------
    code : str
        The source.
    function : str
        The name of the function.
    inputs, outputs : tuple of Port
        The pictures, in the order of the parameters.
    lost : (int, int)
        The columns and rows by which results are smaller than pictures.
    bands : bool
        Whether bands of rows can be computed by themselves.
    period : int
        Bands begin and end at multiples of it.
    """

    code: str
    function: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    lost: tuple[int, int]
    bands: bool
    period: int = 1

    @classmethod
    def of(
        cls,
        code: str,
        header: str,
        *,
        inputs: Sequence[tuple[str, tuple[Fraction, Fraction]]],
        outputs: Sequence[tuple[str, tuple[Fraction, Fraction]]],
        lost: tuple[int, int] = (0, 0),
        bands: bool = True,
    ) -> Compiled:
        """Read the header of a function.

        Parameters
        ----------
        code, header : str
            The source, and the header that declares its function.
        inputs, outputs : sequence of (str, (Fraction, Fraction))
            The names and rates of the pictures, in the order of the parameters.
        lost : (int, int)
            The columns and rows by which results are smaller than pictures.
        bands : bool
            Whether bands of rows may be computed at the same time.
        """
        found = _SIGNATURE.search(header)
        if found is None:
            raise KalgError("the header of the function cannot be read")
        pointers = [match for part in found[2].split(", ") if (match := _POINTER.match(part.strip()))]
        read = [np.dtype(_C_TYPES[match[2]]) for match in pointers if match[3] == "in"]
        written = [np.dtype(_C_TYPES[match[2]]) for match in pointers if match[3] == "out"]
        return cls(
            code,
            found[1],
            tuple(Port(name, type_, rate) for (name, rate), type_ in zip(inputs, read, strict=True)),
            tuple(Port(name, type_, rate) for (name, rate), type_ in zip(outputs, written, strict=True)),
            lost,
            bands,
            int(period[1]) if (period := _PERIOD.search(header)) is not None else 1,
        )

    def __call__(self, images: Images, *, threads: int | None = None) -> Result:
        """Compute the results.

        Parameters
        ----------
        images : array_like, or dict of array_like
            A picture of the shape ``(rows, columns)``, or one for each input by its name, of a type that the input's holds.
        threads : int, optional
            The number of threads; by default one per core for large pictures, and one for small ones.

        Returns
        -------
        ndarray, or dict of ndarray
            The result, or each by the name of its output.

        Raises
        ------
        BadInput
            A picture is missing, of another type, or of a size that does not fit.
        """
        pictures = self._pictures(images)
        height, width = _base(self.inputs, pictures)
        results = {port.name: np.zeros(self._shape(port, width, height), port.type) for port in self.outputs}
        rows = height - self.lost[1]
        if width <= self.lost[0] or rows <= 0:
            raise BadInput(f"pictures of {width} × {height} pixels are too small for a result: it loses {self.lost[0]} × {self.lost[1]}")
        most = rows // max(_ROWS, self.period) if self.bands else 1
        worth = min(os.cpu_count() or 1, rows * width // _PIXELS) if threads is None else _whole("threads", threads, 1)
        count = max(1, min(worth, most))
        ends = [rows * number // count // self.period * self.period for number in range(count)] + [rows]
        bands = list(zip(ends[:-1], ends[1:], strict=True))
        if count == 1:
            self._band(pictures, results, (width, height), bands[0])
        else:
            list(_pool(count).map(lambda band: self._band(pictures, results, (width, height), band), bands))
        return next(iter(results.values())) if len(results) == 1 else results

    def _pictures(self, images: Images) -> list[Array]:
        named: Mapping[str, Any]
        if isinstance(images, Mapping):
            named = images
        else:
            named = {self.inputs[0].name: images} if len(self.inputs) == 1 else {}
        names = [port.name for port in self.inputs]
        if set(named) != set(names):
            raise BadInput(f"the inputs are {', '.join(names)}: give a dictionary with a picture for each")
        return [_picture(named[port.name], port) for port in self.inputs]

    def _shape(self, port: Port, width: int, height: int) -> tuple[int, int]:
        columns, rows = (width - self.lost[0]) * port.rate[0], (height - self.lost[1]) * port.rate[1]
        if columns.denominator != 1 or rows.denominator != 1:
            raise BadInput(f"pictures of {width} × {height} pixels do not fit the rate of the output `{port.name}`")
        return max(int(rows), 0), max(int(columns), 0)

    def _band(self, pictures: list[Array], results: dict[str, Array], size: tuple[int, int], band: tuple[int, int]) -> None:
        """Compute some rows of the results. The call leaves the interpreter to other threads."""
        call = _function(library(self.code), self.function)
        ports: list[Any] = []
        for picture in pictures:
            ports += [ctypes.c_void_p(picture.ctypes.data), ctypes.c_ssize_t(picture.strides[0] // picture.itemsize)]
        for port in self.outputs:
            result = results[port.name]
            place = result.ctypes.data + int(band[0] * port.rate[1]) * result.strides[0]
            ports += [ctypes.c_void_p(place), ctypes.c_ssize_t(result.shape[1])]
        sizes = [ctypes.c_ssize_t(side) for side in (*size, *band)]
        needed = call(*ports, *sizes, None)
        if needed == 0:
            raise BadInput(f"pictures of {size[0]} × {size[1]} pixels do not fit the rates of all stages")
        work = np.empty(needed, np.uint8)
        call(*ports, *sizes, ctypes.c_void_p(work.ctypes.data))


@lru_cache(maxsize=4)
def _pool(count: int) -> ThreadPoolExecutor:
    """Give threads that stay: to start them anew takes longer than many a filter."""
    return ThreadPoolExecutor(count, thread_name_prefix="kalg")


if hasattr(os, "register_at_fork"):
    # A forked process has no threads but its own.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def _picture(image: Any, port: Port) -> Array:
    """Give a picture in the type of its input, each row contiguous."""
    array = plain(image)
    if array.dtype != port.type:
        if port.type == np.float32 and array.dtype.kind in "iuf":
            array = single(array)
        elif not np.can_cast(array.dtype, port.type, "safe") and not _fits(array, port.type):
            raise BadInput(f"the input `{port.name}` is of the type {port.type}, which does not hold this picture of the type {array.dtype}")
        array = array.astype(port.type)
    step = array.strides[1]
    whole = array.strides[0] % array.itemsize == 0 and array.strides[0] > 0
    return array if step == array.itemsize and whole else np.ascontiguousarray(array)


def _fits(array: Array, type_: np.dtype[Any]) -> bool:
    """Tell whether every value is one of an integer type."""
    if type_.kind not in "iu" or array.dtype.kind not in "biuf":
        return type_.kind == "f" and array.dtype.kind in "iuf"
    if array.dtype.kind == "f" and not np.array_equal(array, np.floor(array)):
        return False
    limits = np.iinfo(type_)
    return bool(array.min() >= limits.min and array.max() <= limits.max)


def _base(inputs: Sequence[Port], pictures: Sequence[Array]) -> tuple[int, int]:
    """Give the rows and columns of the base grid."""
    found = set()
    for port, picture in zip(inputs, pictures, strict=True):
        columns, rows = Fraction(picture.shape[1]) / port.rate[0], Fraction(picture.shape[0]) / port.rate[1]
        if columns.denominator != 1 or rows.denominator != 1:
            raise BadInput(f"a picture of {picture.shape[1]} × {picture.shape[0]} pixels does not fit the rate of the input `{port.name}`")
        found.add((int(rows), int(columns)))
    if len(found) != 1:
        raise BadInput("the pictures are of different sizes")
    return found.pop()


def cache() -> Path:
    """Give the folder of compiled libraries: ``KALG_CACHE``, or one in the user's cache folder."""
    if own := os.environ.get("KALG_CACHE"):
        # Libraries without a folder are looked for elsewhere.
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "kalg"


@lru_cache(maxsize=None)
def _compiler() -> tuple[tuple[str, ...], str]:
    """Give the system's compiler, ``CC`` or ``cc``, and what it says of itself: `-march=native` depends on the processor, too."""
    words = tuple(shlex.split(os.environ.get("CC", "cc")))
    try:
        version = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True).stdout
        native = subprocess.run([*words, *_FLAGS[:3], "-dM", "-E", "-x", "c", os.devnull], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise KalgError(f"there is no C compiler: `{' '.join(words)}` cannot be run ({error}); set CC") from error
    return words, version + native.stdout


@lru_cache(maxsize=256)
def library(code: str) -> ctypes.CDLL:
    """Compile a source, or take what an earlier process compiled of the same source with the same compiler."""
    words, version = _compiler()
    key = hashlib.sha256("\0".join([code, *words, *_FLAGS, version]).encode()).hexdigest()
    folder = cache()
    path = folder / f"{key[:32]}.so"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise KalgError(f"libraries cannot be kept in `{folder}`: {error}; set KALG_CACHE to a folder") from error
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise KalgError(f"`{folder}` belongs to somebody else: libraries in it are not loaded; set KALG_CACHE")
    if not path.exists():
        with tempfile.TemporaryDirectory(prefix="part-", dir=folder) as scratch:
            source, made = Path(scratch) / "code.c", Path(scratch) / "code.so"
            source.write_text(code, encoding="utf-8")
            ran = subprocess.run([*words, *_FLAGS, "-o", str(made), str(source), "-lm"], capture_output=True, text=True, check=False)
            if ran.returncode != 0:
                raise KalgError(f"the C compiler failed:\n{ran.stderr}")
            # Others that compile the same at the same time make the same file; the last one stays.
            os.replace(made, path)
    return ctypes.CDLL(str(path))


def _function(of: ctypes.CDLL, name: str) -> Any:
    function = getattr(of, name)
    function.restype = ctypes.c_size_t
    return function
