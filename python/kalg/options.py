"""The options of tasks: those of the command line, with underscores, as keyword arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from kalg import _native
from kalg.errors import BadInput, _positive, _whole
from kalg.rulesets import Rules
from kalg.sources import read

__all__ = ["CheckOptions", "OptimizeOptions", "RunOptions"]

Text: TypeAlias = "str | int | float"
"""The value of an option, as on the command line."""

Several: TypeAlias = "str | int | Sequence[str | int] | Mapping[str, str | int]"
"""Several values: ``"A,B"``, ``["A", "B"]``; or assignments, ``{"out": "B"}``."""


class _Sources(TypedDict, total=False):
    """What a source leaves open, and where its inputs and outputs are."""

    block: int
    function: str
    host: Several
    rounds: int


class _Listings(_Sources, total=False):
    """How a program is read that is not to be compiled."""

    assume_all: bool
    lenient: bool
    input: str
    inputs: Several
    output_register: str
    outputs: Several


class _Scans(TypedDict, total=False):
    """Machines in scan order."""

    type: str
    output_type: str
    border: str
    overflow: str
    width: int
    memory_weight: float
    float_recurrences: bool


class _Hardware(TypedDict, total=False):
    """Line-buffered hardware, besides ``width``."""

    height: int
    pixels_per_clock: int
    clocks_per_pixel: int
    halo: bool
    multiplier_price: Text
    buffer_price: Text


class OptimizeOptions(_Sources, _Scans, _Hardware, total=False):
    """The options of `kalg.optimize` for classes of machines; ``kalg optimize --help`` explains each."""

    isa: str
    minimise: str
    division: str
    input_range: Several
    weigh_noise: float
    pareto: bool
    noise: str
    registers: Several
    input: Several
    outputs: Several
    keep: Several
    keep_input: bool
    lift: Several
    free_registers: bool
    tile: str
    range: str
    tolerance: Text
    banks: str
    tune: bool
    without: Several


class CheckOptions(_Listings, total=False):
    """The options of `kalg.check` for classes of machines; ``kalg check --help`` explains each."""

    against_block: int
    against_outputs: Several
    input_range: Several
    noise: str
    tile: str
    anchor: Several
    rows: Several
    pitch: int
    output_pitch: int
    weights: Several
    define: Several


class RunOptions(_Listings, _Scans, total=False):
    """The options of `kalg.run` for classes of machines; ``kalg run --help`` explains each."""

    fit: str
    noise: str
    saturate: bool


@cache
def _names() -> dict[str, dict[str, list[str]]]:
    """Give the built-in targets and their options. They are read once: it takes milliseconds."""
    return dict(_native.names())


def targets() -> list[str]:
    """Give the names of the built-in targets.

    Returns
    -------
    list of str
        The names; `optimize` takes each as `target`.
    """
    return list(_names())


def arrays() -> list[str]:
    """Give the built-in arrays of processors: their programs are run on a simulated array."""
    return [name for name, tasks in _names().items() if "fit" in tasks["run"]]


def takes(target: str, task: str, option: str) -> bool:
    """Tell whether a built-in target has an option; of others nothing is known, and they are asked."""
    known = _names().get(target)
    return known is None or option in known[task]


def settings(
    target: str | os.PathLike[str] | None = None,
    *,
    rules: Rules | None = None,
    options: Mapping[str, Any] | None = None,
    **others: Any,
) -> str:
    """Write the settings of a task."""
    written: dict[str, Any] = {key: value for key, value in others.items() if value is not None}
    if "time" in written:
        written["time"] = _positive("time", written["time"])
    for name, least in (("nodes", 0), ("seed", 0), ("threads", 1)):
        if name in written:
            written[name] = _whole(name, written[name], least)
    if target is not None:
        name = os.fspath(target)
        if name not in targets() and (isinstance(target, os.PathLike) or Path(name).suffix):
            written["descriptor"] = read(Path(name))
        else:
            written["target"] = name
    if rules is not None:
        if not hasattr(rules, "_settings"):
            raise BadInput(f"rules={rules!r} cannot be used: kalg.Rules can")
        written["rules"] = rules._settings()
    if options:
        written["options"] = {
            key.replace("_", "-"): _values(key, value)
            for key, value in options.items()
            if value is not None and value is not False
        }
    return json.dumps(written)


def _values(key: str, value: Any) -> list[str]:
    """Give the values of an option as texts; a flag has none."""
    if value is True:
        return []
    if isinstance(value, Mapping):
        return [f"{name}={of}" for name, of in value.items()]
    if isinstance(value, (str, Real)):
        return [str(value)]
    if isinstance(value, Sequence):
        return [str(of) for of in value]
    raise BadInput(f"`{key}` cannot be {value!r}")
