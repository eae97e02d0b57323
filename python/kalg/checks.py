"""Checks of programs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Unpack

from kalg import _native
from kalg.filters import KernelLike
from kalg.options import CheckOptions, settings
from kalg.pages import framed
from kalg.sources import Folders, TextLike, folders, kernel, text
from kalg.sources import program as read_program

__all__ = ["Checked", "check", "replay"]


@dataclass(frozen=True)
class Checked:
    """What a program computes, compared with a filter or another program.

    Attributes
    ----------
    verdict : str or None
        ``"equal"``, ``"equal-up-to"`` a translation, a sign or a scale, ``"equal-where"`` in some elements only,
        ``"different"``, ``"unknown"`` or ``"undecided"``; `None` if there is nothing to compare with.
    text : str
        The report: both kernels, and the smallest picture that shows a difference.
    record : dict
        All of it, as ``kalg check --json`` prints it.
    page : str
        The report as a page for a browser, which notebooks show.
    certificate : str or None
        The evaluation, instruction by instruction, if it was asked for.
    """

    verdict: str | None
    text: str
    record: dict[str, Any] = field(repr=False)
    page: str = field(repr=False, default="")
    certificate: str | None = field(repr=False, default=None)

    @property
    def equal(self) -> bool:
        """Whether the program computes exactly what it is compared with."""
        return self.verdict == "equal"

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return framed(self.page)


def check(
    program: TextLike,
    against: KernelLike | None = None,
    *,
    target: str | os.PathLike[str] | None = None,
    include: Folders = (),
    certificate: bool = False,
    **options: Unpack[CheckOptions],
) -> Checked:
    """Check a program against a filter or another program, or show what it computes.

    Parameters
    ----------
    program : str or path
        The program: a text or a file.
    against : KernelLike, optional
        What it should compute: a filter, as `optimize` takes it, or another program.
    target : str or path, optional
        The machine, by its name or by the file that describes it.
    include : path, or sequence of path
        More folders with files that a source includes; those below its own are read anyway.
    certificate : bool
        Whether to also write a certificate, which `replay` checks with a separate evaluator.
    **options
        The options of ``kalg check``.

    Returns
    -------
    Checked
        The verdict and the report.

    Raises
    ------
    BadInput
        The program, what it is compared with, or an option cannot be used.
    """
    within = folders(include, program, against)
    source = read_program(program, within)
    other = None if against is None else kernel(against, include=within)[0]
    written = settings(target, certificate=certificate, options=options)
    shown, record, page, made = _native.check(source, other, written)
    found = json.loads(record)
    return Checked(found.get("verdict"), shown, found, page, made)


def replay(certificate: TextLike, *, target: str | os.PathLike[str] | None = None) -> str:
    """Check a certificate with a separate evaluator.

    Parameters
    ----------
    certificate : str or path
        The certificate of a check.
    target : str or path, optional
        The machine, by its name or by the file that describes it.

    Returns
    -------
    str
        The findings.

    Raises
    ------
    BadInput
        It is not a certificate, or makes a false statement.
    """
    return _native.replay(text(certificate, "certificate"), settings(target))
