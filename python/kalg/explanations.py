"""How the rules decompose a filter."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from kalg import _native, sources
from kalg.filters import KernelLike, Rounding
from kalg.options import settings
from kalg.pages import framed
from kalg.rulesets import Rules
from kalg.sources import Source, TextLike, text

__all__ = ["Explanation", "Proof", "explain", "replay_proof"]


@dataclass(frozen=True)
class Explanation:
    """The steps from a filter's kernels to the decomposition with the fewest additions.

    Attributes
    ----------
    text : str
        The steps for people.
    record : dict
        The steps as a record, which `replay_proof` checks.
    page : str
        The steps and the chosen kernels in the e-graph as a page for a browser, which notebooks show.
    additions, at_least : int
        The additions of the decomposition, and a bound that no term of the e-graph is below.
    """

    text: str
    record: dict[str, Any] = field(repr=False)
    page: str = field(repr=False)
    additions: int
    at_least: int
    _source: Source = field(repr=False)
    _settings: str = field(repr=False)
    _svg: str = field(repr=False)

    def form(self, name: str, *, chosen: bool = False) -> str:
        """Give the explanation in another form.

        Parameters
        ----------
        name : str
            ``"sexp"``, the filter as written and its decomposition as one expression; or the e-graph: ``"graph"`` (JSON of
            the crate egraph-serialize), ``"dot"``, ``"svg"`` or ``"html"``.
        chosen : bool
            Only the chosen part of the e-graph.

        Returns
        -------
        str
            The form. The e-graph is grown again; with the same number of nodes it is the same.
        """
        return _native.explain(self._source, self._settings, [f"{name}-chosen" if chosen else name])[0]

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return framed(self.page)

    def _repr_svg_(self) -> str:
        return self._svg


def explain(
    kernel: KernelLike,
    *,
    target: str | os.PathLike[str] | None = None,
    time: float | None = None,
    nodes: int | None = None,
    rules: Rules | None = None,
    max_error: float | None = None,
    depth: int | None = None,
) -> Explanation:
    """Show how the rules decompose a filter.

    Parameters
    ----------
    kernel : KernelLike
        The filter, as `optimize` takes it. The stages of pipelines are shown by `Pipeline`.
    target : str or path, optional
        Use the rules for this machine; those for all machines without memory by default.
    time : float, optional
        The time limit in seconds: ten, unless `nodes` is given.
    nodes : int, optional
        The maximum number of e-nodes.
    rules : Rules, optional
        Other rules than the built-in ones.
    max_error, depth : float, int, optional
        How coefficients may be rounded: see `Filter.of`.

    Returns
    -------
    Explanation
        The steps.
    """
    source, _ = sources.kernel(kernel, rounding=Rounding(max_error, depth))
    written = settings(target, rules=rules, time=time, nodes=nodes)
    shown, proof, page, svg = _native.explain(source, written, ["text", "json", "html", "svg-chosen"])
    record = json.loads(proof)
    return Explanation(shown, record, page, record["additions"], record["at_least"], source, written, svg)


@dataclass(frozen=True)
class Proof:
    """Whether a proof holds.

    Attributes
    ----------
    holds : bool
        Whether every step does.
    text : str
        The findings.
    """

    holds: bool
    text: str

    def __bool__(self) -> bool:
        return self.holds


def replay_proof(proof: Explanation | TextLike, about: KernelLike | None = None) -> Proof:
    """Check an explanation by evaluating every step, without an e-graph.

    Parameters
    ----------
    proof : Explanation, str or path
        An explanation, or the output of ``kalg explain --json``.
    about : KernelLike, optional
        The filter that it must be about.

    Returns
    -------
    Proof
        The findings.
    """
    source = ("proof", json.dumps(proof.record)) if isinstance(proof, Explanation) else text(proof, "proof")
    filter_ = None if about is None else sources.kernel(about)[0]
    return Proof(*_native.prove(source, filter_))
