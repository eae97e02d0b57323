"""Filters from arrays."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kalg
from kalg import Filter


def test_exact_coefficients_stay_exact() -> None:
    assert "(kernel (1 . -1) (2 . -2) (1 . -1))" in Filter.of([[1, 0, -1], [2, 0, -2], [1, 0, -1]]).text
    assert "(scale 1/16 (kernel (1 2 1)))" in Filter.of(np.array([1, 2, 1]) / 16).text
    for dtype in (np.float32, np.float64):
        assert "(scale 1/9 (kernel (1 1 1) (1 1 1) (1 1 1)))" in Filter.of(np.full((3, 3), 1 / 9, dtype)).text
    assert "(scale 1/10 (kernel (1 2 3)))" in Filter.of([0.1, 0.2, 0.1 + 0.2]).text
    assert "(scale 1/7 (kernel (1 . 3)))" in Filter.of([[Fraction(1, 7), 0, Fraction(3, 7)]]).text
    assert "(kernel (1 1 1))" in Filter.of(np.array([[True, True, True]])).text


def test_other_floats_are_refused_or_rounded_with_their_error() -> None:
    gauss = np.exp(-np.arange(-2, 3) ** 2 / 2)
    gauss /= gauss.sum()
    with pytest.raises(kalg.BadInput, match="max_error="):
        Filter.of(gauss)
    rounded = Filter.of(gauss, max_error=0.01)
    assert rounded.approximation is not None and rounded.approximation.max_error <= 0.01
    assert rounded.approximation.depth is not None
    coarser = Filter.of(gauss, depth=rounded.approximation.depth - 1).approximation
    assert coarser is not None and coarser.max_error > 0.01
    with pytest.raises(kalg.BadInput, match="within"):
        Filter.of(gauss, max_error=1e-12)
    program = kalg.optimize(gauss, target="ops", max_error=0.01)
    assert program.approximation == rounded.approximation and "off by at most" in program._repr_html_()
    with pytest.raises(kalg.BadInput, match="either max_error= or depth="):
        Filter.of(gauss, max_error=0.01, depth=3)
    for value in (np.nan, np.inf):
        with pytest.raises(kalg.BadInput, match="not a finite number"):
            Filter.of([[1, value, 1]])


def test_no_coefficient_becomes_another() -> None:
    assert "(kernel (9223372036854775808 18446744073709551615 .))" in Filter.of(np.array([[2**63, 2**64 - 1]], np.uint64)).text
    assert "(kernel (9223372036854775809 -1 .))" in Filter.of([[2**63 + 1, -1]]).text
    assert "(scale 1/10 (kernel (1 5 .)))" in Filter.of([[0.1, Fraction(1, 2)]]).text
    assert "(scale 1/3 (kernel (1)))" in Filter.of(np.array([[np.longdouble(1) / 3]])).text
    for dtype, tiny in ((np.float16, 6e-8), (np.float32, 1e-45), (np.float64, 5e-324)):
        with pytest.raises(kalg.BadInput, match="small fraction"):
            Filter.of(np.array([[tiny, 1]], dtype))
    with pytest.raises(kalg.BadInput, match="masked"):
        Filter.of(np.ma.array([[1, 2]], mask=[[False, True]]))
    with pytest.raises(kalg.BadInput, match="same name"):
        Filter.of({1: [1], "1": [2]})


def test_filters_have_names(tmp_path: Path) -> None:
    np.save(tmp_path / "3x3.npy", np.ones((3, 3)))
    assert Filter.of(tmp_path / "3x3.npy").text.startswith("(filter filter-3x3")
    assert kalg.optimize(tmp_path / "3x3.npy", nodes=10).record["filter"] == "filter-3x3"
    named: list[tuple[Any, str]] = [(3, "name=3"), ("", "is not a name"), ("a b", "without brackets")]
    for name, why in named:
        with pytest.raises(kalg.BadInput, match=why):
            Filter.of([[1]], name=name)
    with pytest.raises(kalg.BadInput, match="empty text"):
        Filter.of("")


def test_random_floats_are_never_taken_for_fractions() -> None:
    random = np.random.default_rng(5)
    for dtype in (np.float32, np.float64):
        for value in random.random(300).astype(dtype):
            try:
                Filter.of([[value]])
            except kalg.BadInput:
                continue
            exact = Fraction(float(value))
            assert exact.denominator <= 1 << 16 or exact.limit_denominator(64) == exact


def test_the_middle_of_an_even_number_is_its_second() -> None:
    assert "(kernel (1 2 .) (3 4 .) (. . .))" in Filter.of([[1, 2], [3, 4]]).text


def test_layers_are_filters() -> None:
    weight = np.arange(2 * 2 * 3 * 3).reshape(2, 2, 3, 3)
    layer = SimpleNamespace(weight=weight, bias=None, stride=(1, 1), dilation=(1, 1), groups=1)
    made = Filter.of(layer, name="layer")
    assert "(inputs in0 in1)" in made.text and made.text.count("(output") == 2
    assert made.text == Filter.of(weight, name="layer").text
    grouped = SimpleNamespace(weight=weight, bias=None, stride=1, dilation=1, groups=2)
    text = Filter.of(grouped).text
    assert "(inputs in0 in1 in2 in3)" in text and "(from in2" in text.splitlines()[3]
    wide = Filter.of(SimpleNamespace(weight=np.ones((1, 1, 2, 2)), dilation=(2, 2)))
    assert "(kernel (1 . 1) (. . .) (1 . 1))" in wide.text
    with pytest.raises(kalg.BadInput, match="stride"):
        Filter.of(SimpleNamespace(weight=weight, stride=(2, 2)))
    with pytest.warns(UserWarning, match="bias"):
        Filter.of(SimpleNamespace(weight=weight, bias=np.array([0.5, 0])))


def test_channels_are_added() -> None:
    kernels = np.array([[[1, 0, -1]], [[0, 2, 0]]])
    program = kalg.optimize(kernels, nodes=100)
    images = {name: np.random.default_rng(i).integers(-20, 20, (6, 9)) for i, name in enumerate(("in0", "in1"))}
    result: Any = program(images)
    expected = images["in0"][:, :-2] - images["in0"][:, 2:] + 2 * images["in1"][:, 1:-1]
    assert np.array_equal(result[:, 1:-1], expected)


@pytest.mark.parametrize("wrong", [np.zeros((0, 3)), np.zeros((1, 1, 1, 1, 1)), np.array(["a"]), [[1j]], {"a b": [[1]]}, {}])
def test_what_is_no_kernel_is_refused(wrong: Any) -> None:
    with pytest.raises(kalg.BadInput):
        Filter.of(wrong)
