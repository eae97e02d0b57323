"""What can go wrong, as exceptions."""

from __future__ import annotations

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
