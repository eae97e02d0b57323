"""Everything that the command line does has its call."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, get_type_hints

import pytest

import kalg
from kalg import _native
from kalg.options import CheckOptions, OptimizeOptions, RunOptions

CALLS: dict[str, list[Any]] = {
    "approx": [kalg.approximated],
    "bench": [kalg.bench],
    "check": [kalg.check, kalg.replay, CheckOptions],
    "explain": [kalg.explain, kalg.replay_proof, kalg.Explanation.form],
    "import": [kalg.Filter.of],
    "optimize": [kalg.optimize, OptimizeOptions],
    "rules check": [kalg.Rules.check],
    "rules infer": [kalg.Rules.infer],
    "rules list": [kalg.Rules.list],
    "rules new": [kalg.Rules.new],
    "rules stats": [kalg.Rules.stats],
    "run": [kalg.run, RunOptions],
}
"""The functions that do what a subcommand does, and the options that they take besides."""

NAMES = {
    "file": {"of", "kernel"},
    "files": {"kernel", "rules", "files"},
    "corpus": {"filters"},
    "filters": {"filters"},
    "cost": {"target"},
    "emit": {"name"},
    "replay": {"certificate", "proof"},
}
"""Other names of options here."""

EVERYWHERE = {
    "json": "results are objects with the attribute `record`",
    "output": "results are returned; Python writes files",
    "rules": "an attribute of `Rules`",
    "extra_rules": "an attribute of `Rules`",
}

EXCEPTIONS = {
    ("optimize", "emit"): "`Program.forms` has all forms of the program",
    ("check", "emit"): "`Checked.page` is the page",
    ("optimize", "verbose"): '`Program.forms` has "verbose"',
    ("optimize", "batch"): "`kalg.batch`",
    ("optimize", "jobs"): "`kalg.batch`: the workers of the client",
    ("run", "out"): "results are returned",
    ("rules new", "output"): "results are returned",
}
"""What has no counterpart, with the reason."""


def taken(calls: list[Any]) -> tuple[set[str], bool]:
    """Give the names of all parameters, and whether any others are passed on to the command line."""
    names: set[str] = set()
    passes_on = False
    for call in calls:
        if isinstance(call, type):
            names |= set(get_type_hints(call))
            continue
        for parameter in inspect.signature(call).parameters.values():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                passes_on |= parameter.annotation == "Any"
            else:
                names.add(parameter.name)
    return names, passes_on


@pytest.mark.parametrize(("command", "options"), _native.commands())
def test_every_option_has_a_counterpart(command: str, options: list[str]) -> None:
    names, passes_on = taken(CALLS[command])
    missing = [
        option
        for option in options
        if not passes_on
        and not ({option.replace("-", "_")} | NAMES.get(option, set())) & names
        and option not in EVERYWHERE
        and (command, option) not in EXCEPTIONS
    ]
    assert not missing, f"`kalg {command}` has {missing}: give {CALLS[command]} parameters for them, or say why not"


def test_nothing_is_excepted_that_is_not_there() -> None:
    known = {(command, option) for command, options in _native.commands() for option in options}
    assert not set(EXCEPTIONS) - known
    assert set(CALLS) == {command for command, _ in _native.commands()}


def test_options_of_machines_are_those_of_the_native_module() -> None:
    """Also those that the command line does not have would be refused by it."""
    for task, options in (("optimize", OptimizeOptions), ("check", CheckOptions), ("run", RunOptions)):
        known = {name.replace("-", "_") for _, tasks in _native.names() for name in tasks[task]}
        own = {"max_error", "depth"} if task == "optimize" else set()
        assert set(get_type_hints(options)) == known - own


def test_the_command_line_comes_with_the_package() -> None:
    for words, code in ((["--version"], 0), (["optimize"], 2), (["rules", "new", "a-rule"], 0)):
        ran = subprocess.run([sys.executable, "-m", "kalg", *words], capture_output=True, text=True, check=False)
        assert ran.returncode == code
    assert ran.stdout == kalg.Rules.new("a-rule")
    with pytest.raises(kalg.BadInput, match="colour"):
        kalg.bench(colour="red")
