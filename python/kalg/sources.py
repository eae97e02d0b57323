"""Inputs of tasks: a name for messages, and a text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

from kalg.errors import BadInput
from kalg.filters import IMPORTED, Filter

__all__ = ["Source", "TextLike"]

Source: TypeAlias = tuple[str, str]

TextLike: TypeAlias = "str | os.PathLike[str]"
"""A text, or the path of a file: a `pathlib.Path`, or a text of one line that ends in an extension, such as ``a.scamp``."""


def read(path: Path) -> Source:
    """Read a file as text."""
    try:
        return str(path), path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise BadInput(f"cannot read `{path}`: {error}") from error


def text(of: TextLike, name: str) -> Source:
    """Give a text, or that of a file."""
    if isinstance(of, os.PathLike):
        return read(Path(of))
    line = of.strip()
    is_path = "\n" not in line and "(" not in line and ";" not in line and Path(line).suffix != ""
    return read(Path(line)) if is_path else (name, of)


def kernel(of: Any, **rounding: Any) -> tuple[Source, Filter | None]:
    """Give the text of a filter, a program or a pipeline, and the filter if it was made of an array."""
    if hasattr(of, "__kalg_source__"):
        source: Source = of.__kalg_source__()
        return source, None
    if isinstance(of, str) and of.lstrip()[:1] not in ("(", ";") or isinstance(of, os.PathLike):
        path = Path(of)
        if "\n" not in os.fspath(of) and path.suffix in FILTERS:
            made = Filter.of(path, **rounding)
            return (made.name, made.text), made
        return text(of, "program"), None
    made = Filter.of(of, **rounding)
    return (made.name, made.text), made


FILTERS = (*IMPORTED, ".npy")
"""The extensions of files that are made into kernel files."""
