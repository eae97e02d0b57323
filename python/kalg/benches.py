"""Measurements, as ``kalg bench`` makes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from kalg.errors import BadInput, InternalError

__all__ = ["bench"]


def bench(*files: str | os.PathLike[str], **options: Any) -> list[dict[str, Any]]:
    """Measure kalg against other compilers, without some of its parts, or on a set of workloads.

    A measurement takes every core for minutes, so it runs in a process of its own: the command line's.

    Parameters
    ----------
    *files : path
        Kernel files or folders.
    **options
        The options of ``kalg bench``, with underscores: ``set="cpu"``, ``ablate=True``, ``nodes=300``.

    Returns
    -------
    list of dict
        What ``kalg bench --json`` prints: a record for each result, then a summary.

    Raises
    ------
    BadInput
        An option cannot be used.
    """
    arguments = [os.fspath(file) for file in files]
    for name, value in options.items():
        option = f"--{name.replace('_', '-')}"
        if value is True:
            arguments.append(option)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            arguments += [part for one in value for part in (option, str(one))]
        elif value is not None and value is not False:
            arguments += [option, str(value)]
    command = [sys.executable, "-m", "kalg", "bench", "--json", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode == 2:
        raise BadInput(ran.stderr.strip())
    if ran.returncode not in (0, 1):
        raise InternalError(ran.stderr.strip())
    return [json.loads(line) for line in ran.stdout.splitlines()]
