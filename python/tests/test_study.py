"""Explanations, rules and files of other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalg

SOBEL = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
RULE = """(rule doubled
  (doc "a + a = 2a")
  (group mine)
  (add ?a ?a) => (scale 2 ?a))
"""


def test_explanations_replay() -> None:
    shown = kalg.explain(SOBEL, nodes=200)
    assert shown.additions == 3 and "3 additions" in shown.text and "<iframe" in shown._repr_html_()
    assert shown.form("sexp").startswith("(") and shown.form("dot", chosen=True).startswith("digraph")
    assert shown._repr_svg_() == shown.form("svg", chosen=True) and "<svg" in shown._repr_svg_()
    assert json.loads(shown.form("graph"))
    assert kalg.replay_proof(shown) and kalg.replay_proof(shown, about=SOBEL)
    assert not kalg.replay_proof(shown, about=SOBEL.T)
    with pytest.raises(kalg.BadInput, match="no form"):
        shown.form("pdf")


def test_rules_are_checked() -> None:
    found = kalg.Rules.check(RULE)
    assert found.holds and found.records[0]["name"] == "doubled"
    wrong = kalg.Rules.check(RULE.replace("scale 2", "scale 3"))
    assert not wrong.holds and wrong.records[0]["counterexample"]
    with pytest.raises(kalg.BadInput) as caught:
        kalg.Rules.check("(rule a (dox 1) ?a => ?a)")
    assert (caught.value.file, caught.value.line) == ("rules", 1)
    with pytest.raises(kalg.BadInput, match="expected `\\(target …\\)`"):
        kalg.Rules.check(RULE, target=["(machine m)"])
    assert kalg.Rules.check(kalg.Rules.new("my-rule")).records[0]["verdict"] != "refuted"


def test_numbers_of_trials_are_whole() -> None:
    wrong: list[dict[str, Any]] = [{"trials": -1}, {"seed": -1}, {"trials": 1.5}]
    for options in wrong:
        with pytest.raises(kalg.BadInput, match=f"{next(iter(options))}="):
            kalg.Rules.check(RULE, **options)
    with pytest.raises(kalg.BadInput, match="size=-1"):
        kalg.Rules().infer(size=-1)
    with pytest.raises(kalg.BadInput, match="nodes=-1"):
        kalg.Rules().stats([SOBEL], nodes=-1)


def test_rules_are_listed_measured_and_used(tmp_path: Path) -> None:
    names = [record["name"] for record in kalg.Rules().list().records]
    more = kalg.Rules.of(None, kalg.Rules.new("my-rule"))
    assert [name for name in (r["name"] for r in more.list().records) if name not in names] == ["my-rule"]
    stats = kalg.Rules().stats([SOBEL, SOBEL.T], nodes=300)
    assert stats.holds and stats.records[0]["filters"] == 2 and stats.records[0]["additions"] > 0
    assert kalg.Rules().infer(size=1).records is not None
    none = tmp_path / "none"
    none.mkdir()
    (none / "none.rules").write_text("")
    assert kalg.Rules.of(none).list().records == ()
    program = kalg.optimize(SOBEL, target="ops", rules=kalg.Rules.of(none), nodes=200)
    assert program.record["rules_used"] == []


def test_files_of_other_formats(tmp_path: Path) -> None:
    cain = tmp_path / "sobel.json"
    cain.write_text(json.dumps({"filter": {"A": SOBEL.tolist(), "B": {"depth": -2, "array": SOBEL.T.tolist()}}}))
    program = kalg.optimize(cain, nodes=100)
    assert {port["name"] for port in program.record["outputs"]} == {"A", "B"}
    assert kalg.check(program.code, against=cain, outputs={"A": "A", "B": "B"}).verdict is not None
    np.savetxt(tmp_path / "kernel.csv", SOBEL / 16, delimiter=",")
    np.save(tmp_path / "kernel.npy", SOBEL / 16)
    for path in (tmp_path / "kernel.csv", tmp_path / "kernel.npy"):
        found = kalg.optimize(path, target="ops", nodes=100)
        assert found.record["cost"] == kalg.optimize(SOBEL / 16, target="ops", nodes=100).record["cost"]
    gauss = tmp_path / "gauss.txt"
    np.savetxt(gauss, np.exp(-np.arange(-2.0, 3) ** 2)[np.newaxis])
    with pytest.raises(kalg.BadInput, match="small fraction"):
        kalg.Filter.of(gauss)


def test_texts_are_approximated() -> None:
    third = "(filter f (output out (kernel (1/3 2/3))))".replace("(1/3 2/3)", "(1/3 2/3 1/3)")
    near = kalg.approximated(kalg.Filter.of(third), max_error=0.01)
    assert near.approximation is not None and near.approximation.max_error <= 0.01
    program = kalg.optimize(third, target="ops", depth=2)
    assert program.approximation is not None and program.approximation.depth == 2
