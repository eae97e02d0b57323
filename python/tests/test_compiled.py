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


def test_numbers_that_a_type_does_not_hold_are_refused() -> None:
    identity = "(filter f (inputs image) (output out (kernel (1))))"
    with pytest.raises(kalg.BadInput, match="uint8, which does not hold 3"):
        kalg.run(identity, [[-6, -1, 0, 7, 300]], target="cpu")
    assert np.array_equal(kalg.run(identity, [[0, 255]], target="cpu"), [[0, 255]])
    assert np.array_equal(kalg.run(identity, [[16777217.0]], target="cpu", type="int32"), [[16777217]])
    floats = kalg.optimize(identity, target="cpu", type="float32")
    refused: list[Any] = [[[2**24 + 1]], [[2**53 + 1]], [[1e300]], np.array([[2**64 - 1]], np.uint64), np.ma.array([[1]], mask=[[True]])]
    for image in refused:
        with pytest.raises(kalg.BadInput, match="does not hold|masked"):
            floats(image)
    assert np.array_equal(floats([[0.1, 2**30, np.inf]]), np.array([[0.1, 2**30, np.inf]], np.float32))
    simulated = kalg.optimize([[1]], nodes=5)
    assert np.array_equal(simulated(np.array([[3]], ">i4")), [[3]])
    with pytest.raises(kalg.BadInput, match="does not hold"):
        simulated([[1e300]])


def test_pipelines_run_by_their_definition_take_no_options() -> None:
    pipeline = kalg.Pipeline("; a comment\n(pipeline e (inputs (image uint8)) (output out uint8 (clamp 0 255 (filter (kernel (1 0 -1)) image))))")
    image = picture(3, 4)
    wrong: list[dict[str, Any]] = [{"target": "nope"}, {"saturate": True}, {"seed": 1}, {"bogus": 3}]
    for options in wrong:
        with pytest.raises(kalg.BadInput, match=f"{next(iter(options))}= cannot be used for a pipeline"):
            kalg.run(pipeline, image, **options)
    circuit = pipeline.compile("fpga", nodes=5)
    # The waveforms of pictures of this size have 400 megabytes.
    assert "systemverilog" in circuit.forms and "vcd" not in circuit.forms
    assert np.array_equal(circuit(image), pipeline.run(image))
    with pytest.raises(kalg.BadInput, match="noise="):
        circuit(image, noise="cpa-sim")
    with pytest.raises(kalg.BadInput, match="floats"):
        pipeline.run(image * 0.5)


def test_the_cache_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kalg.compiled import library

    program = kalg.optimize([[3]], target="cpu", nodes=5)
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    for place in (".", "file", ""):
        monkeypatch.setenv("KALG_CACHE", place)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
        library.cache_clear()
        if place == "file":
            with pytest.raises(kalg.KalgError, match="set KALG_CACHE to a folder"):
                program([[1]])
        else:
            assert np.array_equal(program([[1]]), [[3]])
    assert len(list(tmp_path.glob("*.so"))) == len(list((tmp_path / "user").rglob("*.so"))) == 1


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
