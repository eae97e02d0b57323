"""Rewrite rules."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kalg import _native
from kalg.errors import _flag, _whole
from kalg.sources import Source, TextLike, kernel, text

__all__ = ["Findings", "Rules"]


@dataclass(frozen=True)
class Findings:
    """What was found out about rules.

    Attributes
    ----------
    text : str
        A table for people.
    records : tuple of dict
        What ``kalg rules … --json`` prints: a record for each rule or identity, or a single one.
    holds : bool
        Whether no rule is refuted, and no example fails.
    warnings : tuple of str
        Why filters were left out.
    """

    text: str
    records: tuple[dict[str, Any], ...] = field(repr=False)
    holds: bool = True
    warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def _records(lines: str) -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in lines.splitlines())


@dataclass(frozen=True)
class Rules:
    """The rules of a task: the built-in ones, others in their place, and more.

    Attributes
    ----------
    base : Path or None
        A folder or a file that replaces the built-in rules.
    extra : tuple of Path
        Files with more rules.
    texts : tuple of (str, str)
        Texts with more rules, each with a name for messages.
    """

    base: Path | None = None
    extra: tuple[Path, ...] = ()
    texts: tuple[Source, ...] = ()

    @classmethod
    def of(cls, base: str | os.PathLike[str] | None = None, *extra: TextLike) -> Rules:
        """Choose rules.

        Parameters
        ----------
        base : path, optional
            A folder or a file that replaces the built-in rules.
        *extra : str or path
            More rules: texts or files.

        Returns
        -------
        Rules
            The rules, which are read when they are used.
        """
        files = tuple(Path(of) for of in extra if isinstance(of, os.PathLike))
        texts = tuple(text(of, "rules") for of in extra if not isinstance(of, os.PathLike))
        return cls(None if base is None else Path(base), files, texts)

    @classmethod
    def check(
        cls,
        *rules: TextLike,
        base: Rules | None = None,
        target: Iterable[TextLike] = (),
        trials: int = 400,
        seed: int = 1,
    ) -> Findings:
        """Prove rules, refute them with a counterexample, or report them as unknown; and warn of suspicious ones.

        Parameters
        ----------
        *rules : str or path
            Texts or files with rules; without any, the rules of `base` are checked.
        base : Rules, optional
            The rules that may already imply them; the built-in ones by default.
        target : iterable of str or path
            Texts or files that describe arrays, on which rules about instructions are decided, too.
        trials : int
            The random kernels for each rule and semiring.
        seed : int
            Their seed.

        Returns
        -------
        Findings
            A record for each rule.

        Raises
        ------
        BadInput
            A rule or a descriptor cannot be read; with its place.
        """
        trials, seed = _whole("trials", trials), _whole("seed", seed)
        own = None
        if rules:
            texts = [text(of, "rules") for of in rules]
            own = json.dumps({"texts": texts, "alone": True})
        written = json.dumps({"rules": (base or cls())._settings()})
        holds, shown, lines = _native.rules_check(written, own, [text(of, "target") for of in target], trials, seed)
        return Findings(shown, _records(lines), holds)

    @staticmethod
    def new(name: str) -> str:
        """Give the text of a rule file to start from, with a rule of this name."""
        return _native.rules_new(name)

    def list(self) -> Findings:
        """List the rules: name, group and effect."""
        shown, lines = _native.rules_list(json.dumps({"rules": self._settings()}))
        return Findings(shown, _records(lines))

    def stats(
        self,
        filters: Iterable[Any],
        *,
        target: str | None = None,
        nodes: int = 20_000,
        ablate: bool = False,
    ) -> Findings:
        """Measure what each rule does on some filters, and what it is worth.

        Parameters
        ----------
        filters : iterable of KernelLike
            The filters.
        target : str, optional
            Use the rules for this machine, and count those that its programs use.
        nodes : int
            E-nodes for each filter.
        ablate : bool
            Also count the additions that each group and each rule saves, by switching it off.

        Returns
        -------
        Findings
            One record.
        """
        written = {"rules": self._settings(), "nodes": _whole("nodes", nodes), "target": target}
        shown, record, warnings = _native.rules_stats(_filters(filters), json.dumps(written), _flag("ablate", ablate))
        return Findings(shown, (json.loads(record),), not warnings, tuple(warnings))

    def infer(
        self,
        filters: Iterable[Any] = (),
        *,
        semiring: str = "plus-times",
        size: int = 3,
        nodes: int = 2_000,
        seed: int = 1,
    ) -> Findings:
        """Find identities that the rules do not state.

        Parameters
        ----------
        filters : iterable of KernelLike
            Also count the additions that each identity would save on these.
        semiring : str
            The semiring in which identities hold.
        size : int
            The maximum number of operators in a term.
        nodes : int
            E-nodes for each filter.
        seed : int
            The seed of the random kernels.

        Returns
        -------
        Findings
            A record for each identity.
        """
        written = json.dumps({"rules": self._settings(), "nodes": _whole("nodes", nodes)})
        size, seed = _whole("size", size), _whole("seed", seed)
        shown, lines = _native.rules_infer(_filters(filters), written, semiring, size, seed)
        return Findings(shown, _records(lines))

    def _settings(self) -> dict[str, Any]:
        return {
            "base": None if self.base is None else str(self.base),
            "extra": [str(path) for path in self.extra],
            "texts": list(self.texts),
        }


def _filters(filters: Iterable[Any]) -> list[Source]:
    return [kernel(of)[0] for of in filters]
