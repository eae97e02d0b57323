"""The chapter on Python says what is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import kalg

ROOT = Path(__file__).parents[2]


def test_the_examples_of_the_chapter_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "corpus").symlink_to(ROOT / "corpus")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KALG_CACHE", str(tmp_path / "cache"))
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 6
    # How long a search may take does not matter here.
    blocks = [block.replace("time=5", "time=0.5") for block in blocks]
    names: dict[str, Any] = {}
    for block in blocks:
        # The cluster has a test of its own.
        if "LocalCluster" not in block:
            exec(compile(block, "docs/python.md", "exec"), names)
    assert names["found"].compiled == 2 and names["blurred"].shape == (480, 640)


def test_the_lines_of_the_readme_run() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found is not None and len(found[1].splitlines()) == 3
    names: dict[str, Any] = {}
    exec(compile(found[1], "README.md", "exec"), names)
    assert names["program"].cycles == 5


def test_the_example_of_the_package_holds() -> None:
    assert doctest.testmod(kalg).attempted == 3
    assert doctest.testmod(kalg).failed == 0
