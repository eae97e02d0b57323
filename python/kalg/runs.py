"""Programs, filters and pipelines on pictures."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Unpack

from kalg import _native
from kalg.arrays import Images, Result, packed, unpacked
from kalg.filters import KernelLike
from kalg.options import RunOptions, arrays, settings
from kalg.sources import kernel

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
        taken as they are.
    target : str or path, optional
        The machine, by its name or by the file that describes it.
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
    return outcome(program, image, target=target, seed=seed, **options)[0]


def outcome(
    program: KernelLike, image: Images, *, target: str | os.PathLike[str] | None, seed: int, **options: Any
) -> tuple[Result, dict[str, Any]]:
    """Run a program, and give the record, too."""
    source, _ = kernel(program)
    if target is None or os.fspath(target) in arrays():
        options.setdefault("fit", "grow")
    if source[1].lstrip().startswith("(pipeline"):
        options = {}
    written = settings(target, seed=seed, options=options)
    _, record, pictures, _ = _native.run(source, packed(image), written)
    return unpacked(pictures), json.loads(record)
