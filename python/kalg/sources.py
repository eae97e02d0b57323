"""Inputs of tasks: a name for messages, and a text; for sources in C and C++ also the files that they include."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from kalg import _native
from kalg.errors import BadInput, _whole
from kalg.filters import IMPORTED, Filter, Rounding, approximated, bound, decimal

__all__ = ["Folders", "Source", "TextLike"]

Source: TypeAlias = "tuple[str, str] | tuple[str, str, list[tuple[str, str]], list[tuple[int, int]]]"

TextLike: TypeAlias = "str | os.PathLike[str]"
"""A text, or the path of a file: a `pathlib.Path`, or a text of one line that ends in an extension, such as ``a.scamp``."""

Folders: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
"""A folder, or several."""

_INCLUDES = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)"', re.MULTILINE)


def read(path: Path) -> tuple[str, str]:
    """Read a file as text."""
    try:
        return str(path), path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"cannot read `{path}`: {error}") from error


def text(of: TextLike, name: str) -> tuple[str, str]:
    """Give a text, or that of a file."""
    path = _path(of, name)
    return (name, str(of)) if path is None else read(path)


def folders(include: Folders, *inputs: Any) -> list[str]:
    """Give the folders for included files, if one of the inputs is a file."""
    try:
        found = [os.fspath(folder) for folder in ([include] if isinstance(include, (str, os.PathLike)) else include)]
    except TypeError:
        raise BadInput(f"include={include!r} cannot be used: folders can") from None
    if found and not any(isinstance(of, os.PathLike) or isinstance(of, str) and _path(of, "") is not None for of in inputs):
        raise BadInput("include= is for files: texts include none; give the path of the source")
    return found


def program(of: TextLike, include: Sequence[str] = ()) -> Source:
    """Give the text of a program, or that of a file with the files that it includes."""
    path = _path(of, "program")
    if path is None:
        if (names := _INCLUDES.findall(str(of))) and str(of).lstrip()[:1] not in ("(", ";"):
            _warn(f"a text includes no files, so `{names[0]}` is not read: give the path of the source")
        return "program", str(of)
    own = read(path)
    files, directives, unread = _native.included(*own, list(include))
    for why in unread:
        _warn(f"{path}: {why}")
    return (*own, files, directives) if files else own


def _warn(message: str) -> None:
    """Warn where this package was called."""
    level = 1
    while sys._getframe(level).f_globals.get("__name__", "").startswith("kalg."):
        level += 1
    warnings.warn(message, stacklevel=level + 1)


def _path(of: Any, name: str) -> Path | None:
    """Give the path that is given instead of a text."""
    if isinstance(of, os.PathLike):
        return Path(of)
    if not isinstance(of, str):
        code = "; its `code` is one" if isinstance(getattr(of, "code", None), str) else ""
        raise BadInput(f"an object of the type {type(of).__name__} is no {name}: a text or a path is{code}")
    line = of.strip()
    is_path = "\n" not in line and "(" not in line and ";" not in line and Path(line).suffix != ""
    return Path(line) if is_path else None


def kernel(
    of: Any, *, name: str | None = None, rounding: Rounding | None = None, include: Sequence[str] = ()
) -> tuple[Source, Filter | None]:
    """Give the text of a filter, a program or a pipeline, and the filter if it was made of an array or rounded."""
    rounding = rounding or Rounding()
    if hasattr(of, "__kalg_source__"):
        source: Source = of.__kalg_source__()
        return _rounded(source, rounding)
    if isinstance(of, str) and of.lstrip()[:1] not in ("(", ";") or isinstance(of, os.PathLike):
        path = Path(of)
        if "\n" in os.fspath(of) or path.suffix not in FILTERS:
            return _rounded(program(of, include), rounding)
    made = Filter.of(of, name=name, max_error=rounding.max_error, depth=rounding.depth)
    return (made.name, made.text), made


def _rounded(source: Source, rounding: Rounding) -> tuple[Source, Filter | None]:
    """Round the coefficients of a kernel file, if that is asked for."""
    if not rounding:
        return source, None
    if _native.holds_pipeline(source) or source[1].lstrip()[:1] not in ("(", ";"):
        raise BadInput(f"max_error= and depth= are for filters, and `{source[0]}` is none")
    made = approximated(Filter(source[1], source[0]), max_error=rounding.max_error, depth=rounding.depth)
    return (made.name, made.text), made


def rounded(
    of: Any, rounding: Rounding, itself: bool, *, name: str | None = None, include: Sequence[str] = ()
) -> tuple[Source, Filter | None, dict[str, str]]:
    """Read what is compiled, and give the options for its coefficients to a target that approximates by itself."""
    if not itself or not rounding:
        return *kernel(of, name=name, rounding=rounding, include=include), {}
    is_array = not isinstance(of, (str, os.PathLike, Filter)) and not hasattr(of, "__kalg_source__")
    if is_array or not isinstance(of, Filter) and str(of).endswith(".npy"):
        if rounding.max_error is None:
            return *kernel(of, name=name, rounding=rounding), {}
        # Floats are rounded finely, so that most of the error is left to the search.
        most = bound(rounding.max_error)
        source, made = kernel(of, name=name, rounding=Rounding(float(most / _FINELY)))
        is_exact = made is None or made.approximation is None
        return source, made, {"max-error": decimal(most if is_exact else most - most / _FINELY)}
    source, made = kernel(of, name=name, include=include)
    if rounding.max_error is None:
        return source, made, {"depth": str(_whole("depth", rounding.depth))}
    return source, made, {"max-error": decimal(bound(rounding.max_error))}


_FINELY = 16
"""What part of an error is for floats that are no small fractions."""

FILTERS = (*IMPORTED, ".npy")
"""The extensions of files that are made into kernel files."""
