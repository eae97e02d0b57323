"""Programs, filters and pipelines on pictures."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Unpack

from kalg import _native
from kalg.arrays import Images, Result, packed, unpacked
from kalg.filters import KernelLike
from kalg.errors import BadInput
from kalg.options import RunOptions, arrays, settings, target_name
from kalg.sources import Folders, folders, kernel

__all__ = ["Noisy", "run"]


@dataclass(frozen=True)
class Noisy:
    """What a program makes of a picture on a noisy machine.

    Attributes
    ----------
    image : ndarray or dict of ndarray
        The result, or each by the name of its output.
    rms_error : float or dict of float
        The root mean square difference from the result without noise.
    ssim : float or None, or dict of them
        The structural similarity to it; `None` for pictures below 11 × 11 pixels.
    """

    image: Result
    rms_error: float | dict[str, float]
    ssim: float | None | dict[str, float | None]


def run(
    program: KernelLike,
    image: Images,
    *,
    target: str | os.PathLike[str] | None = None,
    include: Folders = (),
    seed: int = 0,
    **options: Unpack[RunOptions],
) -> Result:
    """Run a program, a filter or a pipeline on a picture, on the simulator or by its definition.

    Parameters
    ----------
    program : KernelLike
        A program as text or a file; a filter, for machines in scan order; or a pipeline.
    image : array_like, or dict of array_like
        A picture of the shape ``(rows, columns)``, row 0 in the north; or one for each input, by its name. Numbers are
        taken as they are; those that the type of an input does not hold are refused.
    target : str or path, optional
        The machine, by its name or by the file that describes it. Pipelines are run by their definition, without a machine
        and without options.
    include : path, or sequence of path
        More folders with files that a source includes; those below its own are read anyway.
    seed : int
        The seed of the noise.
    **options
        The options of ``kalg run``: `noise`, a model by its name in the target, `saturate` and others. For arrays of processors `fit` is ``"grow"`` unless it is given: the simulated array is
        as large as the picture.

    Returns
    -------
    ndarray, or dict of ndarray
        The result, or each by the name of its output. Registers are ``float32``.

    Raises
    ------
    BadInput
        The program, a picture or an option cannot be used.
    """
    return outcome(program, image, target=target, include=include, seed=seed, **options)[0]


def outcome(
    program: KernelLike,
    image: Images,
    *,
    target: str | os.PathLike[str] | None,
    include: Folders = (),
    seed: int,
    **options: Any,
) -> tuple[Result, dict[str, Any]]:
    """Run a program, and give the record, too."""
    source, _ = kernel(program, include=folders(include, program))
    if _native.holds_pipeline(source):
        given = {"target": target, "seed": seed or None, **options}
        if refused := [f"{name}=" for name, value in given.items() if value is not None]:
            raise BadInput(f"{', '.join(refused)} cannot be used for a pipeline: it is run by its definition")
    elif target is None or target_name(target) in arrays():
        options.setdefault("fit", "grow")
    written = settings(target, seed=seed, options=options)
    _, record, pictures, _ = _native.run(source, packed(image), written)
    found = json.loads(record)
    _refuse_limited(found)
    return unpacked(pictures), found


def _refuse_limited(record: dict[str, Any]) -> None:
    """Refuse pictures of which the type of an input does not hold every number, as compiled programs do."""
    for port in record.get("inputs") or []:
        if isinstance(port, dict) and (count := port.get("clipped")):
            type_ = record.get("pixel")
            raise BadInput(f"the input `{port['name']}` is of the type {type_}, which does not hold {count} of the picture's numbers")
