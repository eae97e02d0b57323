"""Compiled filters."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Unpack

from kalg import _native, sources
from kalg.arrays import Images, Result
from kalg.compiled import Compiled
from kalg.errors import NoProgram
from kalg.filters import Approximation, KernelLike, Rounding
from kalg.options import OptimizeOptions, settings, takes, target_name
from kalg.pages import framed
from kalg.progress import watching
from kalg.rulesets import Rules
from kalg.runs import Noisy, outcome
from kalg.sources import Folders, Source

__all__ = ["Program", "optimize"]


_UNIT = re.compile(r"multiples of (?:2\^-(\d+)|1(?:/(\d+))?)$")
"""Of what coefficients are multiples, as records say it."""


@dataclass(frozen=True)
class Program:
    """A compiled filter or pipeline. It passed all checks.

    Attributes
    ----------
    code : str
        The program, ready to paste.
    cost : float or None
        What the target or the options minimise: cycles, instructions, weighted operations.
    optimal : bool
        Whether it is proved that no program costs less.
    text : str
        The report for people; ``forms["verbose"]`` is longer.
    record : dict
        All of it, as ``kalg optimize --json`` prints it.
    forms : dict of str
        The program in all forms that ``--emit`` takes: ``"code"``, ``"c"``, ``"svg"``, ``"html"``, … as the target has them.
        Records of simulations, ``vcd`` and ``depths`` of circuits, are left to the command line: they may have hundreds of megabytes.
    target : str
        The machine.
    approximation : Approximation or None
        How far the program's coefficients are from those that were given; `None` if they are the same.
    warnings : tuple of str
        What users of the code should know.
    source : tuple
        The name and the text of what was compiled, and the files that it includes.
    """

    code: str
    cost: float | None
    optimal: bool
    text: str = field(repr=False)
    record: dict[str, Any] = field(repr=False)
    forms: dict[str, str] = field(repr=False)
    target: str
    approximation: Approximation | None
    warnings: tuple[str, ...]
    source: Source = field(repr=False)

    @property
    def cycles(self) -> int | None:
        """The cycles that the program takes; `None` for machines that count otherwise."""
        cycles = self.record.get("cycles")
        return None if cycles is None else int(cycles)

    def __call__(self, image: Images, **options: Any) -> Result:
        """Run the program on a picture: in this process, compiled by the system's C compiler, or on the simulator.

        Parameters
        ----------
        image : array_like, or dict of array_like
            A picture of the shape ``(rows, columns)``, row 0 in the north; or one for each input, by its name. Numbers
            are taken as they are. Registers of SCAMP-5 hold -128 to 127; the simulator holds more, unless it saturates.
        **options
            Options of `run`; for programs in C, `threads`: by default one per core for large pictures, in bands of rows.

        Returns
        -------
        ndarray, or dict of ndarray
            The result, of the shape of the picture but for its border; or each by the name of its output.
        """
        if self.compiled is not None:
            return self.compiled(image, **options)
        if "c" in self.forms or "pipeline" in self.record:
            target = None if "pipeline" in self.record else self.target
            return outcome(_Text(self.source), image, target=target, seed=0, **options)[0]
        return self._outcome(image, **options)[0]

    def noise(self, image: Images, model: str = "cpa-sim", *, seed: int = 0, saturate: bool = False) -> Noisy:
        """Run the program on a noisy machine.

        Parameters
        ----------
        image : array_like, or dict of array_like
            As in a call.
        model : str
            The noise model, by its name in the target.
        seed : int
            The seed of the noise.
        saturate : bool
            Whether register values saturate, as on the machine.

        Returns
        -------
        Noisy
            The result, and how far it is from the one without noise.
        """
        result, record = self._outcome(image, noise=model, seed=seed, saturate=saturate)
        outputs = record["outputs"]
        if len(outputs) == 1:
            return Noisy(result, outputs[0]["rms_error"], outputs[0]["ssim"])
        return Noisy(
            result,
            {output["name"]: output["rms_error"] for output in outputs},
            {output["name"]: output["ssim"] for output in outputs},
        )

    @cached_property
    def compiled(self) -> Compiled | None:
        """The function in C, for machines whose programs are functions in C; otherwise `None`."""
        code, header = self.forms.get("c"), self.forms.get("header")
        if not code or not header:
            return None
        if "pipeline" in self.record:
            stages = json.loads(_native.stages(self.source)[1])
            inputs, outputs = ([_rated(port) for port in stages[key]] for key in ("inputs", "outputs"))
            return Compiled.of(code, header, inputs=inputs, outputs=outputs)
        one = (Fraction(1), Fraction(1))
        west, east, south, north = self.record["reach"] if self.record["border"] == "valid" else (0, 0, 0, 0)
        return Compiled.of(
            code,
            header,
            inputs=[(name, one) for name in self.record["inputs"]],
            outputs=[(output["name"], one) for output in self.record["outputs"]],
            lost=(west + east, south + north),
            bands=not any(output["table"] for output in self.record["outputs"]),
        )

    def _outcome(self, image: Images, *, seed: int = 0, **options: Any) -> tuple[Result, dict[str, Any]]:
        ports = {key: _registers(self.record.get(key)) for key in ("inputs", "outputs")}
        if ports["outputs"]:
            options.setdefault("outputs", ports["outputs"])
        if ports["inputs"]:
            options.setdefault("inputs", ports["inputs"])
        return outcome(_Text(("program", self.code)), image, target=self.target, seed=seed, **options)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        rounded = "" if self.approximation is None else f"<p>Coefficients are off by at most {self.approximation.max_error:g}.</p>"
        page = self.forms.get("html")
        return rounded + (framed(page) if page else f"<pre>{html.escape(self.text)}</pre>")

    def _repr_svg_(self) -> str | None:
        return self.forms.get("svg")


class _Text:
    """A text in memory."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __kalg_source__(self) -> Source:
        return self.source


def _rated(port: dict[str, Any]) -> tuple[str, tuple[Fraction, Fraction]]:
    """Give the name and the rate of a picture of a pipeline."""
    return port["name"], (Fraction(port["rate"][0]), Fraction(port["rate"][1]))


def _registers(ports: Any) -> list[str]:
    """Give the registers of inputs or outputs with their names, where the machine has registers."""
    named = isinstance(ports, list) and all(isinstance(port, dict) and port.get("register") for port in ports)
    return [f"{port['name']}={port['register']}" for port in ports] if named else []


def optimize(
    kernel: KernelLike,
    *,
    target: str | os.PathLike[str] = "scamp5",
    time: float | None = None,
    nodes: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    rules: Rules | None = None,
    explain: bool = False,
    max_error: float | None = None,
    depth: int | None = None,
    name: str | None = None,
    include: Folders = (),
    progress: bool | Callable[[str, int, int], object] = False,
    **options: Unpack[OptimizeOptions],
) -> Program:
    """Compile a filter to the shortest checked program for a target.

    Parameters
    ----------
    kernel : KernelLike
        A filter: an array of the shape ``(rows, columns)``, a dictionary of them, a layer, a text, a file: see `Filter.of`.
        Also a program, which is shortened, or a pipeline.
    target : str or path
        The machine, by its name (see `targets`) or by the file that describes it.
    time : float, optional
        The time limit of the search in seconds. Ten seconds, unless `nodes` is given or the search ends by itself.
    nodes : int, optional
        The number of search nodes; the same number gives the same program on every machine.
    seed : int
        The seed of the random numbers.
    threads : int, optional
        The number of threads; they change the time, not the result. One per core by default.
    rules : Rules, optional
        Other rules than the built-in ones.
    explain : bool
        Whether the report explains how the decomposition was derived.
    max_error, depth : float, int, optional
        How coefficients may be rounded: see `Filter.of`. For arrays of processors, coefficients may also be off by up to
        `max_error` where that makes the program cheaper.
    name : str, optional
        The name of a filter that is given as an array.
    include : path, or sequence of path
        More folders with files that a source includes; those below its own are read anyway.
    progress : bool or callable
        Whether to show progress with tqdm; or what to call with the kind of progress and two numbers.
    **options
        The options of ``kalg optimize``, with underscores.

    Returns
    -------
    Program
        The program.

    Raises
    ------
    BadInput
        The filter or an option cannot be used.
    NoProgram
        No program was found within the limits.
    KeyboardInterrupt
        Ctrl-C ended the search.
    """
    rounding = Rounding(max_error, depth)
    itself = takes(target_name(target), "optimize", "max-error")
    within = sources.folders(include, kernel)
    source, made, passed = sources.rounded(kernel, rounding, itself, name=name, include=within)
    written = settings(
        target,
        rules=rules,
        time=time,
        nodes=nodes,
        seed=seed,
        threads=threads,
        explain=explain,
        options={**options, **passed},
    )
    with watching(progress, source[0]) as watch:
        forms, cost, optimal, no_program, warnings = _native.optimize(source, written, watch)
    if no_program is not None:
        error = NoProgram(no_program)
        error.record = forms["json"]
        raise error
    record = json.loads(forms["json"])
    return Program(
        code=forms.get("code", ""),
        cost=cost,
        optimal=optimal,
        text=forms["text"],
        record=record,
        forms=forms,
        target=target_name(target),
        approximation=_approximation(None if made is None else made.approximation, record),
        warnings=tuple(warnings),
        source=source,
    )


def _approximation(before: Approximation | None, record: dict[str, Any]) -> Approximation | None:
    """Give the errors of a program: those before it was compiled, and those that the target chose."""
    chosen = record.get("approximation")
    if not chosen or not chosen["max_error"]:
        return before
    depth = None
    if unit := _UNIT.search(chosen["method"]):
        power = int(unit[2] or 1).bit_length() - 1
        depth = int(unit[1]) if unit[1] else power if 1 << power == int(unit[2] or 1) else None
    lost = before or Approximation(depth, 0.0, 0.0)
    return Approximation(depth, lost.max_error + chosen["max_error"], lost.rms_error + chosen["rms_error"])
