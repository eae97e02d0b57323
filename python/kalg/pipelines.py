"""Pipelines of stages."""

from __future__ import annotations

import json
from typing import Any

from kalg import _native
from kalg.arrays import Images, Result
from kalg.pages import framed
from kalg.programs import Program, optimize
from kalg.runs import run
from kalg.sources import Source, TextLike, text

__all__ = ["Pipeline"]


class Pipeline:
    """A pipeline: stages of filters with arithmetic, tables, rates and folds between them.

    Parameters
    ----------
    of : str or path
        The text of a pipeline, or its file.

    Attributes
    ----------
    text : str
        The pipeline's file.
    report : str
        The stages with their windows, intervals and rates, and what of them is merged.
    page : str
        The stages as a page for a browser, which notebooks show.
    record : dict
        The same, as ``kalg explain --json`` prints it.

    Raises
    ------
    BadInput
        What is wrong with the file, and where.
    """

    def __init__(self, of: TextLike) -> None:
        self._source: Source = text(of, "pipeline")
        self.text = self._source[1]
        self.report, record, self.page = _native.stages(self._source)
        self.record: dict[str, Any] = json.loads(record)

    @property
    def inputs(self) -> dict[str, str]:
        """The names of the inputs, with their types."""
        return {port["name"]: port["type"] for port in self.record["inputs"]}

    @property
    def outputs(self) -> dict[str, str]:
        """The names of the outputs, with their types."""
        return {port["name"]: port["type"] for port in self.record["outputs"]}

    def run(self, images: Images) -> Result:
        """Execute the pipeline by its definition: slow, and the reference that compilers are compared with.

        Parameters
        ----------
        images : array_like, or dict of array_like
            A picture of the shape ``(rows, columns)``, or one for each input by its name.

        Returns
        -------
        ndarray, or dict of ndarray
            The result, or each by the name of its output.
        """
        return run(self, images)

    def compile(self, target: str = "cpu", **options: Any) -> Program:
        """Compile the pipeline.

        Parameters
        ----------
        target : str
            The machine: ``"cpu"`` gives the fastest code.
        **options
            As in `optimize`.

        Returns
        -------
        Program
            A program that is called with pictures, as `run` is.
        """
        return optimize(self, target=target, **options)

    def __kalg_source__(self) -> Source:
        return self._source

    def __str__(self) -> str:
        return self.report

    def __repr__(self) -> str:
        return f"<Pipeline {self.record['pipeline']}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"

    def _repr_html_(self) -> str:
        return framed(self.page)
