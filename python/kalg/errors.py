"""What can go wrong, as exceptions."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

__all__ = ["BadInput", "InternalError", "KalgError", "NoProgram"]


class KalgError(Exception):
    """An error of kalg.

    Attributes
    ----------
    file : str or None
        The name of the input that the error is about.
    line, column : int or None
        The place of the first mistake in it, both counted from 1.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None


class BadInput(KalgError, ValueError):
    """An input or an option cannot be used; the message says why, with the lines concerned."""


class NoProgram(KalgError):
    """No program was found within the limits, or none exists.

    Attributes
    ----------
    record : str or None
        The report of the search, as JSON.
    """

    record: str | None = None


class InternalError(KalgError):
    """kalg failed a check of its own result: a mistake in kalg, please report it."""


_KINDS: dict[str, type[KalgError]] = {
    "bad-input": BadInput,
    "no-program": NoProgram,
    "internal": InternalError,
}


def _error(kind: str, message: str, place: tuple[str, int, int] | None) -> KalgError:
    """Make the exception that the native module raises."""
    error = _KINDS[kind](message)
    if place is not None:
        error.file, error.line, error.column = place
    return error


def _whole(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    """Give an argument that is a whole number."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{name}={value!r} cannot be used: a whole number can") from None
    if number < least:
        raise BadInput(f"{name}={number} cannot be used: {least} is the least")
    if number > most:
        raise BadInput(f"{name}={number} cannot be used: {most} is the most")
    return number


def _flag(name: str, value: Any) -> bool:
    """Give an argument that says yes or no."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise BadInput(f"{name}={value!r} cannot be used: True and False can")


def _positive(name: str, value: Any) -> float:
    """Give an argument that is a number, finite and not negative."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, (str, bytes)) or not 0 <= number < math.inf:
        raise BadInput(f"{name}={value!r} cannot be used: a finite number that is not negative can")
    return number
