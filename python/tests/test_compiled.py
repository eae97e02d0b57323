"""Programs in C in this process, and pipelines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalg

GAUSS = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("cache")
    os.environ["KALG_CACHE"] = str(folder)
    yield folder
    del os.environ["KALG_CACHE"]


def picture(rows: int, columns: int, dtype: Any = np.uint8) -> Any:
    return np.random.default_rng(rows).integers(0, 256, (rows, columns)).astype(dtype)


def filtered(image: Any, kernel: Any) -> Any:
    """Correlate, with the border of OpenCV, to the nearest integer, halves up."""
    kernel = np.asarray(kernel)
    down, across = kernel.shape[0] // 2, kernel.shape[1] // 2
    padded = np.pad(np.asarray(image, float), ((down, down), (across, across)), mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel.shape)
    return np.clip(np.floor((windows * kernel).sum(axis=(2, 3)) + 0.5), 0, 255).astype(np.uint8)


def test_a_filter_runs_in_this_process_in_bands_over_threads(cache: Path) -> None:
    program = kalg.optimize(GAUSS, target="cpu")
    image = picture(300, 217)
    result: Any = program(image, threads=4)
    assert result.dtype == np.uint8 and np.array_equal(result, filtered(image, GAUSS))
    assert np.array_equal(program(image, threads=1), result)
    assert len(list(cache.iterdir())) == 1, "nothing but the library stays"
    # Views are taken as they are: rows with a stride, and columns that are copied.
    wide = picture(300, 500)
    assert np.array_equal(program(wide[:, 30:247]), filtered(wide[:, 30:247], GAUSS))
    assert np.array_equal(program(wide[::2, ::-1]), filtered(wide[::2, ::-1], GAUSS))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    program = kalg.optimize(GAUSS, target="cpu")
    image = picture(300, 90)
    expected = program(image, threads=2)
    if (child := os.fork()) == 0:
        signal.alarm(20)
        os._exit(0 if np.array_equal(program(image, threads=2), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_threads_may_call_one_program() -> None:
    program = kalg.optimize([[1, 1, 1]], target="cpu", overflow="wrap")
    images = [picture(100 + n, 90) for n in range(6)]
    expected = [program(image) for image in images]
    found: list[Any] = [None] * 6
    workers = [threading.Thread(target=lambda n=n: found.__setitem__(n, program(images[n]))) for n in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_types_borders_and_several_pictures() -> None:
    kernels = {"dx": np.array([[-1, 0, 1]]), "dy": np.array([[-1], [0], [1]])}
    program = kalg.optimize(kernels, target="cpu", output_type="int16", border="valid")
    image = picture(20, 30)
    results: Any = program(image)
    assert results["dx"].dtype == np.int16 and results["dx"].shape == (18, 28)
    wide = image.astype(int)
    assert np.array_equal(results["dx"], (wide[:, 2:] - wide[:, :-2])[1:-1])
    assert np.array_equal(results["dy"], (wide[2:] - wide[:-2])[:, 1:-1])
    two = kalg.optimize(np.array([[[1]], [[-1]]]), target="cpu", type="float32")
    a, b = picture(5, 6, np.float32), picture(6, 6, np.float32)[:5]
    assert np.array_equal(two({"in0": a, "in1": b}), a - b)


def test_pictures_that_do_not_fit_are_refused() -> None:
    program = kalg.optimize(GAUSS, target="cpu")
    with pytest.raises(kalg.BadInput, match="does not hold"):
        program(picture(9, 9, np.int16) * 3)
    with pytest.raises(kalg.BadInput, match="shape"):
        program(np.zeros((2, 3, 4), np.uint8))
    with pytest.raises(kalg.BadInput, match="the inputs are image"):
        program({"other": picture(9, 9)})
    valid = kalg.optimize(GAUSS, target="cpu", border="valid")
    with pytest.raises(kalg.BadInput, match="too small"):
        valid(picture(2, 9))


def test_random_filters_equal_the_reference() -> None:
    random = np.random.default_rng(7)
    for _ in range(4):
        kernel = random.integers(-4, 5, tuple(random.integers(1, 6, 2))) / 8
        program = kalg.optimize(kernel, target="cpu", border="replicate", nodes=300)
        image = picture(17, 23)
        reference = kalg.run(kalg.Filter.of(kernel), image, target="cpu", border="replicate")
        assert np.array_equal(program(image), reference)


def test_a_missing_compiler_is_said() -> None:
    code = "import kalg; kalg.optimize([[1, 2, 1]], target='cpu')([[1, 2]])"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "CC": "no-such-compiler"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "there is no C compiler: `no-such-compiler`" in ran.stderr


def test_pipelines_compile_and_equal_their_definition() -> None:
    pipeline = kalg.Pipeline(
        """(pipeline edges (inputs (image uint8))
             (let gx (filter (kernel (1 0 -1) (2 0 -2) (1 0 -1)) image))
             (let gy (filter (kernel (1 2 1) (0 0 0) (-1 -2 -1)) image))
             (output out uint8 (clamp 0 255 (+ (abs gx) (abs gy))))
             (output half (down 2 2 image)))"""
    )
    assert pipeline.inputs == {"image": "uint8"} and set(pipeline.outputs) == {"out", "half"}
    image = picture(40, 50)
    compiled: Any = pipeline.compile("cpu")(image)
    reference: Any = pipeline.run(image)
    for name in ("out", "half"):
        assert np.array_equal(compiled[name], reference[name]) and compiled[name].dtype == np.uint8
    assert compiled["half"].shape == (20, 25)
    large = picture(302, 70)
    whole, bands = (pipeline.compile("cpu")(large, threads=threads) for threads in (1, 3))
    assert all(np.array_equal(whole[name], bands[name]) for name in whole)
    with pytest.raises(kalg.BadInput, match="rate"):
        pipeline.compile("cpu")(picture(41, 50))
    with pytest.raises(kalg.BadInput) as caught:
        kalg.Pipeline("(pipeline p (inputs (a uint8)) (output o (quotient a 0)))")
    assert caught.value.line == 1
