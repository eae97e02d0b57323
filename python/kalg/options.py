"""The options of tasks: those of the command line, with underscores, as keyword arguments."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from fractions import Fraction
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

import numpy as np

from kalg import _native
from kalg.errors import BadInput, _flag, _positive, _whole
from kalg.rulesets import Rules
from kalg.sources import read

__all__ = ["CheckOptions", "OptimizeOptions", "RunOptions"]

Text: TypeAlias = "str | int | float | Fraction"
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


@cache
def _flags() -> frozenset[str]:
    """Give the options without values."""
    return frozenset(name for tasks in _names().values() for name in tasks["flags"])


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


def target_name(target: Any) -> str:
    """Give the name of a target or of its file."""
    if isinstance(target, (str, os.PathLike)):
        return os.fspath(target)
    raise BadInput(f"target={target!r} cannot be used: a name of `kalg.targets()` or a path can")


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
    for name in ("explain", "certificate"):
        if name in written:
            written[name] = _flag(name, written[name])
    if target is not None:
        name = target_name(target)
        if name not in targets() and (isinstance(target, os.PathLike) or Path(name).suffix):
            written["descriptor"] = read(Path(name))
        else:
            written["target"] = name
    if rules is not None:
        if not hasattr(rules, "_settings"):
            raise BadInput(f"rules={rules!r} cannot be used: kalg.Rules can")
        written["rules"] = rules._settings()
    if options:
        all_values = {key: _values(key, value) for key, value in options.items() if value is not None}
        written["options"] = {key.replace("_", "-"): values for key, values in all_values.items() if values is not None}
    return json.dumps(written)


def _values(key: str, value: Any) -> list[str] | None:
    """Give the values of an option as texts. A flag has none; it is not given if it says no."""
    if key.replace("_", "-") in _flags():
        return [] if _flag(key, value) else None
    if isinstance(value, (str, Real)) and not isinstance(value, (bool, np.bool_)):
        return [str(value)]
    if isinstance(value, Mapping):
        values = [f"{name}={of}" for name, of in value.items()]
    elif isinstance(value, Sequence) or isinstance(value, np.ndarray) and value.ndim == 1:
        values = [str(of) for of in value]
    else:
        raise BadInput(f"{key}={value!r} cannot be used: {key} has a value, or several in a list or a dictionary")
    if not values:
        raise BadInput(f"{key}={value!r} cannot be used: give at least one value, or None")
    return values
