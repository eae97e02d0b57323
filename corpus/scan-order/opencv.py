#!/usr/bin/env python3
"""Times kalg's C for processors beside OpenCV, after comparing every pixel; no part of the tests.

    python3 -m pip install numpy opencv-python-headless
    python3 corpus/scan-order/opencv.py target/release/kalg [NAME…]

Compiles the C of `kalg optimize --cost cpu` with gcc, and with clang where it is installed, and calls it through ctypes. OpenCV has one
thread. Runs take turns; each figure is the least time of the thread, and only ratios mean something on a busy machine. A ratio above
one means that kalg is faster. `KALG_CC` names other compilers, separated by commas; `KALG_NODES` limits the search.
"""

import ctypes
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import cv2
import numpy

FLAGS = ["-std=c99", "-O3", "-march=native", "-fPIC", "-shared"]
SIZES = {512: 60, 2048: 12}
DENSE = [[1, -2, 3, 1, 2], [2, 3, -5, 4, 1], [-1, 7, 11, 6, 2], [3, 2, 5, -4, 1], [1, 3, 2, 1, 5]]
BINOMIALS = {3: [1, 2, 1], 5: [1, 4, 6, 4, 1], 7: [1, 6, 15, 20, 15, 6, 1]}


def rows(kernel):
    return " ".join("(" + " ".join(map(str, row)) + ")" for row in kernel)


def product(row, column):
    return f"(compose (kernel {rows([row])}) (kernel {rows([[weight] for weight in column])}))"


def sums(kernel, scale=1):
    taps = numpy.array(kernel, numpy.float32) / scale
    return lambda image: cv2.filter2D(image, -1, taps)


def filters():
    """Name, term, semiring, types of pixels and results, and what OpenCV calls."""
    for size in 3, 7, 15, 31:
        mean = f"(scale 1/{size * size} {product([1] * size, [1] * size)})"
        yield f"mean-{size}", mean, "", "uint8", "uint8", lambda image, n=size: cv2.blur(image, (n, n))
    for size, weights in BINOMIALS.items():
        gauss = f"(scale 1/{4 ** (size - 1)} {product(weights, weights)})"
        taps = numpy.array(weights, numpy.float32) / 2 ** (size - 1)
        yield f"gauss-{size}", gauss, "", "uint8", "uint8", lambda image, t=taps: cv2.sepFilter2D(image, -1, t, t)
    yield "gauss-5-own", f"(scale 1/256 {product(BINOMIALS[5], BINOMIALS[5])})", "", "uint8", "uint8", lambda image: cv2.GaussianBlur(image, (5, 5), 0)
    sobel = product([-1, 0, 1], [1, 2, 1])
    yield "sobel", sobel, "", "uint8", "uint8", lambda image: cv2.Sobel(image, cv2.CV_8U, 1, 0)
    yield "sobel-int16", sobel, "", "uint8", "int16", lambda image: cv2.Sobel(image, cv2.CV_16S, 1, 0)
    for name, kernel, scale in (
        ("laplacian", [[0, 1, 0], [1, -4, 1], [0, 1, 0]], 1),
        ("sharpen", [[0, -1, 0], [-1, 5, -1], [0, -1, 0]], 1),
        ("dense-5", DENSE, 64),
    ):
        yield name, f"(scale 1/{scale} (kernel {rows(kernel)}))", "", "uint8", "uint8", sums(kernel, scale)
    for size in 3, 7, 15, 31:
        dilation = product([0] * size, [0] * size)
        window = numpy.ones((size, size), numpy.uint8)
        border = cv2.BORDER_REFLECT_101
        yield f"dilate-{size}", dilation, "(semiring max-plus)", "uint8", "uint8", lambda image, w=window: cv2.dilate(image, w, borderType=border)
    for size in 3, 15:
        mean = f"(scale 1/{size * size} {product([1] * size, [1] * size)})"
        yield f"float-mean-{size}", mean, "", "float32", "float32", lambda image, n=size: cv2.blur(image, (n, n))
    gauss = f"(scale 1/256 {product(BINOMIALS[5], BINOMIALS[5])})"
    yield "float-gauss-5", gauss, "", "float32", "float32", lambda image: cv2.GaussianBlur(image, (5, 5), 0)
    yield "float-dense-5", f"(scale 1/64 (kernel {rows(DENSE)}))", "", "float32", "float32", sums(DENSE, 64)


def compilers():
    named = os.environ.get("KALG_CC")
    found = named.split(",") if named else [name for name in ("gcc", "clang") if shutil.which(name)]
    return found or ["cc"]


def compiled(kalg, folder, name, term, semiring, types):
    """The functions of a filter, one for each compiler."""
    kernel = folder / f"{name}.sexp"
    kernel.write_text(f"(filter f {semiring} (inputs image) (output out {term}))\n")
    command = [kalg, "optimize", "--cost", "cpu", "--emit", "c", "--type", types[0], "--output-type", types[1], str(kernel)]
    command += ["--nodes", os.environ["KALG_NODES"]] if "KALG_NODES" in os.environ else ["--time", "60s"]
    source = folder / f"{name}.c"
    source.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    functions = []
    for number, compiler in enumerate(compilers()):
        library = folder / f"{name}-{number}.so"
        subprocess.run([*shlex.split(compiler), *FLAGS, "-o", library, source], check=True)
        functions.append(ctypes.CDLL(str(library)).f)
        functions[-1].restype = ctypes.c_size_t
    return functions


def timed(functions, called, image, types, runs):
    """The least times in milliseconds, of each function and of OpenCV, and the greatest difference of pixels."""
    size = ctypes.c_ssize_t(image.shape[0])
    pointer = lambda array: ctypes.c_void_p(array.ctypes.data if array is not None else None)
    expected, zero = called(image), ctypes.c_ssize_t(0)
    found = numpy.zeros(image.shape, types[1])
    bytes_needed = functions[0](None, zero, None, zero, size, size, zero, size, None)
    work = numpy.zeros(max(bytes_needed, 1) + 4096, numpy.uint8)
    arguments = (pointer(image), size, pointer(found), size, size, size, zero, size, pointer(work))
    calls = [lambda f=function: f(*arguments) for function in functions] + [lambda: called(image)]
    best, worst = [float("inf")] * len(calls), 0.0
    for _ in range(runs):
        for number, call in enumerate(calls):
            begun = time.thread_time_ns()
            call()
            best[number] = min(best[number], (time.thread_time_ns() - begun) / 1e6)
            if number < len(functions):
                worst = max(worst, numpy.abs(found.astype(float) - expected.astype(float)).max())
    return best, worst


def main(kalg, only):
    cv2.setNumThreads(1)
    noise = numpy.random.default_rng(1)
    print(f"OpenCV {cv2.__version__}, {' and '.join(compilers())}, {' '.join(FLAGS[:3])}")
    print("filter          size  kalg, ms          OpenCV, ms   times as fast   greatest difference")
    with tempfile.TemporaryDirectory() as name:
        for filter_, term, semiring, pixel, result, called in filters():
            if only and not any(part in filter_ for part in only):
                continue
            functions = compiled(kalg, pathlib.Path(name), filter_, term, semiring, (pixel, result))
            for size, runs in SIZES.items():
                image = noise.integers(0, 256, (size, size)).astype(pixel)
                best, worst = timed(functions, called, image, (pixel, result), runs)
                *own, other = best
                times, ratios = (" ".join(f"{value:7.3f}" for value in values) for values in (own, [other / t for t in own]))
                print(f"{filter_:14} {size:5}  {times:16} {other:9.3f}     {ratios:16} {worst:9.3g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
