"""Compiling and checking."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kalg

SOBEL = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
GAUSS = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
HARD = np.random.default_rng(1).integers(-128, 128, (7, 7)) / 256


def correlated(image: Any, kernel: Any) -> Any:
    """Correlate, without the pixels whose windows leave the picture."""
    windows = np.lib.stride_tricks.sliding_window_view(np.asarray(image, dtype=float), np.shape(kernel))
    return (windows * kernel).sum(axis=(2, 3))


@pytest.fixture(scope="module")
def picture() -> Any:
    return np.random.default_rng(0).integers(-60, 60, (40, 50)).astype(np.float32)


@pytest.fixture(scope="module")
def gauss() -> kalg.Program:
    return kalg.optimize(GAUSS, target="scamp5", nodes=2000, name="gauss")


def test_a_program_says_what_it_costs(gauss: kalg.Program) -> None:
    assert (gauss.cycles, gauss.cost, gauss.optimal) == (5, 5.0, True)
    assert "bus" in gauss.code and gauss.forms["svg"].startswith("<svg")
    assert gauss.record["filter"] == "gauss" and gauss.approximation is None
    assert "gauss" in str(gauss) and "<iframe" in gauss._repr_html_() and "&lt;!DOCTYPE html&gt;" in gauss._repr_html_()
    assert pickle.loads(pickle.dumps(gauss)) == gauss


def test_programs_with_conditions_show_themselves() -> None:
    program = kalg.optimize("mov(B, A); WHERE(R5); mov(B, A); sub(B, B, A); all();", nodes=20)
    assert program.cycles is not None and program.cycles <= 8
    assert "<iframe" in program._repr_html_() and "&lt;!DOCTYPE html&gt;" in program._repr_html_()
    checked = kalg.check(program.code, against="mov(B, A); WHERE(R5); res(B); all();")
    assert checked.equal and "class GuardedSteps" in checked.page and "<iframe" in checked._repr_html_()


def test_the_same_nodes_give_the_same_program_on_any_number_of_threads(gauss: kalg.Program) -> None:
    again = kalg.optimize(GAUSS, nodes=2000, threads=1, name="gauss")
    assert again.code == gauss.code


def test_programs_run_on_the_simulator(gauss: kalg.Program, picture: Any) -> None:
    assert np.array_equal(gauss(picture)[1:-1, 1:-1], correlated(picture, GAUSS).astype(np.float32))
    lopsided = np.array([[0, 1, 2], [0, 0, 0], [3, 0, 0]])
    program = kalg.optimize(lopsided, nodes=100)
    # On its way a value may go one pixel farther than the kernel does, and is lost there at the edge.
    assert np.array_equal(program(picture)[2:-2, 2:-2], correlated(picture, lopsided)[1:-1, 1:-1])


def test_noise_is_repeatable_and_measured(gauss: kalg.Program, picture: Any) -> None:
    noisy = gauss.noise(picture, model="cpa-sim", seed=3)
    difference = np.asarray(noisy.image) - gauss(picture)
    assert noisy.rms_error == pytest.approx(np.sqrt((difference**2).mean()), rel=1e-3)
    assert np.array_equal(gauss.noise(picture, seed=3).image, noisy.image)
    assert not np.array_equal(gauss.noise(picture, seed=4).image, noisy.image)


def test_several_outputs_have_names(picture: Any) -> None:
    program = kalg.optimize({"gx": SOBEL, "gy": SOBEL.T}, nodes=100)
    results = program(picture)
    assert set(results) == {"gx", "gy"}
    for name, kernel in (("gx", SOBEL), ("gy", SOBEL.T)):
        assert np.array_equal(results[name][1:-1, 1:-1], correlated(picture, kernel))


def test_programs_are_checked(gauss: kalg.Program) -> None:
    assert kalg.check(gauss.code, against=GAUSS).equal
    wrong = kalg.check(gauss.code, against=GAUSS * 2)
    assert wrong.verdict == "equal-up-to" and "1/2" in wrong.text
    different = kalg.check(gauss.code, against=SOBEL)
    assert different.verdict == "different" and different.record["outputs"][0]["differs_at"]
    shown = kalg.check("bus(A, B);", certificate=True)
    assert shown.verdict is None and shown.certificate is not None
    assert kalg.replay(shown.certificate)


def test_options_are_those_of_the_command_line() -> None:
    program = kalg.optimize(SOBEL, nodes=50, isa="macro", registers=["A", "B", "C"], keep_input=True)
    assert program.record["isa"] == "macro" and program.record["registers"] == ["A", "B", "C"]
    assert kalg.optimize(SOBEL, nodes=50, input_range=(-10, 10)).record["input_range"] == [-10.0, 10.0]
    with pytest.raises(kalg.BadInput, match="does not apply to `cpu`"):
        kalg.optimize(SOBEL, target="cpu", isa="macro")
    with pytest.raises(kalg.BadInput, match="time=-1"):
        kalg.optimize(SOBEL, time=-1)
    with pytest.raises(kalg.BadInput, match="did you mean `scamp5`"):
        kalg.optimize(SOBEL, target="scamp")


def test_flags_say_yes_or_no() -> None:
    program = kalg.optimize([[2]], nodes=20)
    image = np.array([[100.0]])
    assert [program(image, saturate=value)[0, 0] for value in (False, True, np.False_, np.True_, None)] == [200, 127, 200, 127, 200]
    wrong: list[dict[str, Any]] = [{"saturate": 0}, {"saturate": "no"}, {"noise": True}]
    for options in wrong:
        with pytest.raises(kalg.BadInput, match="cannot be used"):
            program(image, **options)
    unusable: list[dict[str, Any]] = [{"keep_input": 0}, {"explain": 1}, {"registers": []}, {"registers": True}, {"progress": 5}]
    for options in unusable:
        with pytest.raises(kalg.BadInput, match=f"{next(iter(options))}="):
            kalg.optimize(SOBEL, nodes=20, **options)
    with pytest.raises(kalg.BadInput, match="is the most"):
        kalg.optimize(SOBEL, nodes=20, seed=2**64)


def test_prices_are_numbers() -> None:
    dear, cheap = (kalg.optimize(GAUSS, target="fpga", multiplier_price=price) for price in (Fraction(1, 2), "1/2"))
    assert dear.forms["text"] == cheap.forms["text"]


THIRDS = "(filter f (inputs image) (output out (scale 1/3 (kernel (1 2 1)))))"


def test_programs_say_how_far_their_coefficients_are_off() -> None:
    given = np.array([[0.3333, 0.21, 0.1234]])
    for options in ({"max_error": 0.1}, {"max_error": 0.02}, {"depth": 3}):
        program = kalg.optimize(given, nodes=50, **options)
        impulse = np.zeros((9, 9))
        impulse[4, 4] = 1
        made = program(impulse)[4, 3:6][::-1]
        off = np.abs(made - given[0])
        near = program.approximation
        assert near is not None and near.max_error >= off.max() - 1e-9 and near.rms_error >= np.sqrt((off**2).mean()) - 1e-9
        assert near.max_error <= options.get("max_error", 1 / 16) and f"at most {near.max_error:g}" in program._repr_html_()
    for kernel in (THIRDS, kalg.Filter.of(THIRDS)):
        third = kalg.optimize(kernel, nodes=50, depth=2).approximation
        assert third is not None and third.depth == 2 and third.max_error == pytest.approx(1 / 12)
    exact = kalg.optimize(GAUSS, nodes=50, max_error=0.001)
    assert exact.approximation is None


def test_coefficients_are_rounded_however_a_filter_is_given(tmp_path: Path) -> None:
    file = tmp_path / "thirds.sexp"
    file.write_text(THIRDS)
    given: list[Any] = [file, str(file), THIRDS, kalg.Filter.of(file)]
    for target in ("cpu", "scamp5"):
        for kernel in given:
            program = kalg.optimize(kernel, target=target, nodes=50, depth=2)
            assert program.approximation is not None and program.approximation.depth == 2
    assert kalg.explain(file, nodes=50, depth=2).record["source"] == kalg.explain(THIRDS, nodes=50, depth=2).record["source"]
    pipeline = kalg.Pipeline("(pipeline e (inputs (image uint8)) (output out uint8 image))")
    for options in ({"max_error": 0.5}, {"depth": 2}):
        with pytest.raises(kalg.BadInput, match="for filters"):
            pipeline.compile("cpu", **options)
    with pytest.raises(kalg.BadInput, match="either max_error= or depth="):
        kalg.optimize(SOBEL, nodes=5, max_error=0.1, depth=1)


def test_sources_in_files_include_others(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "more").mkdir()
    file = tmp_path / "own" / "twice.cpp"
    body = "void f() {\n  scamp5_kernel_begin();\n  bus(B, A);\n  fix();\n  scamp5_kernel_end();\n}\n"
    file.write_text('#include "part.hpp"\n#include "far.hpp"\n' + body)
    (tmp_path / "own" / "part.hpp").write_text("#define fix() bus(C, B); bus(B, C, A)\n")
    (tmp_path / "own" / "other.cpp").write_text('#include "far.hpp"\n' + body.replace("fix()", "twice()"))
    (tmp_path / "more" / "far.hpp").write_text("#define twice() bus(C, B); bus(B, C, A)\n")
    for path, include in ((file, ()), (str(file), ()), (tmp_path / "own" / "other.cpp", tmp_path / "more")):
        checked = kalg.check(path, [[-1]], outputs={"out": "B"}, include=include)
        assert checked.verdict == "equal-up-to" and "-2" in checked.text
        result = kalg.run(path, np.ones((1, 2)), outputs={"out": "B"}, include=include)
        assert np.array_equal(result, [[-2, -2]])
        program = kalg.optimize(path, nodes=20, outputs={"out": "B"}, include=include)
        assert kalg.check(program.code, [[-2]], outputs={"out": "B"}).equal
    with pytest.warns(UserWarning, match="`part.hpp` is not read"):
        kalg.check(file.read_text())
    with pytest.raises(kalg.BadInput, match="include= is for files"):
        kalg.check("bus(A, B);", include=tmp_path)
    (tmp_path / "own" / "twice.cpp").write_text('#include "../more/far.hpp"\nvoid f() { scamp5_kernel_begin(); bus(B, A); scamp5_kernel_end(); }\n')
    with pytest.warns(UserWarning, match="far.hpp` is not read: it is not below"):
        kalg.check(file)


def test_what_is_no_program_is_refused(gauss: kalg.Program) -> None:
    wrong: list[Any] = [gauss, None, 3]
    for program in wrong:
        with pytest.raises(kalg.BadInput, match="is no program"):
            kalg.check(program, GAUSS)
    with pytest.raises(kalg.BadInput, match="is no pipeline"):
        kalg.Pipeline(wrong[1])
    with pytest.raises(kalg.BadInput, match="target=3"):
        kalg.optimize(SOBEL, target=wrong[2])


def test_errors_have_a_place() -> None:
    with pytest.raises(kalg.BadInput) as caught:
        kalg.optimize("(filter f\n  (output out (kernel (1 x 1))))")
    assert (caught.value.file, caught.value.line, caught.value.column) == ("filter", 2, 26)
    with pytest.raises(kalg.BadInput) as caught:
        kalg.check("bus(A, B);\nbus(A, Q);")
    assert caught.value.line == 2
    with pytest.raises(kalg.NoProgram) as none:
        kalg.optimize(SOBEL, nodes=20, registers=["A"])
    assert none.value.record is not None and isinstance(none.value, kalg.KalgError)


def test_descriptors_and_programs_are_files(tmp_path: Any) -> None:
    file = tmp_path / "sobel.sexp"
    file.write_text("(filter sobel (output out (kernel (1 0 -1) (2 0 -2) (1 0 -1))))")
    assert kalg.optimize(file, nodes=100).cycles == kalg.optimize(SOBEL, nodes=100).cycles
    shortened = kalg.optimize("bus(B, A);\nbus(A, B);\nbus(B, A);\nbus(A, B);", nodes=100)
    assert shortened.cycles is not None and shortened.cycles < 4
    with pytest.raises(kalg.BadInput, match="cannot read"):
        kalg.optimize(tmp_path / "gone.sexp")


def test_the_interpreter_is_free_while_kalg_works() -> None:
    ticks = 0
    done = threading.Event()

    def count() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.005)

    counter = threading.Thread(target=count)
    counter.start()
    began = time.perf_counter()
    kalg.optimize(HARD, time=0.4)
    elapsed = time.perf_counter() - began
    done.set()
    counter.join()
    assert ticks > 10 * elapsed


@pytest.mark.usefixtures("ctrl_c_raises")
def test_ctrl_c_ends_a_search() -> None:
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    began = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        kalg.optimize(HARD, time=60)
    assert time.perf_counter() - began < 5


def test_progress_is_told() -> None:
    heard: list[tuple[str, int, int]] = []
    kalg.optimize(SOBEL, nodes=100, progress=lambda *news: heard.append(news))
    assert "better" in {kind for kind, _, _ in heard}

    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        kalg.optimize(HARD, time=60, progress=fail)


def test_forked_processes_compile(gauss: kalg.Program) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0 if kalg.optimize(GAUSS, nodes=2000, name="gauss").code == gauss.code else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"time": "abc"},
        {"time": -1.0},
        {"nodes": 1.5},
        {"threads": 0},
        {"threads": -1},
        {"seed": "1"},
        {"depth": 3.5},
        {"max_error": "little"},
        {"rules": 5},
    ],
)
def test_settings_that_cannot_be_used_are_bad_input(settings: dict[str, Any]) -> None:
    with pytest.raises(kalg.BadInput, match=f"{next(iter(settings))}="):
        kalg.optimize([[1, 2, 1]], **settings)


def test_what_is_no_kernel_is_bad_input() -> None:
    with pytest.raises(kalg.BadInput, match="not rectangular"):
        kalg.optimize([[1, 2], [1]])
    with pytest.raises(kalg.BadInput, match="`nowhere` is not a folder"):
        kalg.batch("nowhere")


def test_arrays_are_approximated_as_filters_are() -> None:
    assert kalg.approximated([[0.3, 0.7]], depth=4).text == kalg.Filter.of([[0.3, 0.7]], depth=4).text
