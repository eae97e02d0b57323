#!/usr/bin/env python3
"""Times kalg's C for pipelines beside a chain of OpenCV calls; no part of the tests.

    python3 -m pip install numpy opencv-python-headless
    python3 corpus/scan-order/opencv_pipelines.py target/release/kalg [NAME…]

Compiles the C of `kalg optimize --cost cpu` with gcc, and with clang where it is installed, and calls it through ctypes. OpenCV has one
thread. Runs take turns; each figure is the least time of the thread, and only ratios mean something on a busy machine. A ratio above
one means that kalg is faster. The chains do the same steps, not with the same roundings: OpenCV's edges of each call, single precision
in harris and unsharp, hysteresis in canny, another demosaicing in camera. `KALG_CC` names other compilers; `KALG_NODES` limits the search.
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
SIZES = {512: 40, 2048: 8}
SQUARE = numpy.ones((3, 3), numpy.uint8)
CROSS = numpy.array([[0, 0, 1, 0, 0], [0] * 5, [1, 0, 0, 0, 1], [0] * 5, [0, 0, 1, 0, 0]], numpy.uint8)
NINE = numpy.array([1, 9, 27, 54, 67, 54, 27, 9, 1], numpy.float32) / 256
MATRIX = numpy.array([[427, -69, -103], [-92, 272, 408], [-56, -480, 1783]], numpy.float32) / 1024
CURVE = numpy.array([int((65025 * max(v * 4 - 25, 0) / 998) ** 0.5) for v in range(256)]).clip(0, 255).astype(numpy.uint8)


def harris(image):
    gx, gy = cv2.Sobel(image, cv2.CV_16S, 1, 0), cv2.Sobel(image, cv2.CV_16S, 0, 1)
    sums = [
        cv2.boxFilter(cv2.multiply(a, b, scale=1 / 144, dtype=cv2.CV_32F), -1, (3, 3), normalize=False)
        for a, b in ((gx, gx), (gy, gy), (gx, gy))
    ]
    trace = cv2.add(sums[0], sums[1])
    measure = cv2.subtract(cv2.multiply(sums[0], sums[1]), cv2.multiply(sums[2], sums[2]))
    measure = cv2.subtract(measure, cv2.multiply(trace, trace, scale=1 / 25))
    greatest = cv2.compare(measure, cv2.dilate(measure, SQUARE), cv2.CMP_GE)
    return [cv2.bitwise_and(greatest, cv2.compare(measure, 100.0, cv2.CMP_GE))]


def unsharp(red, green, blue):
    gray = cv2.addWeighted(cv2.addWeighted(red, 77 / 256, green, 150 / 256, 0), 1, blue, 29 / 256, 0)
    blur = cv2.sepFilter2D(gray, -1, NINE, NINE, borderType=cv2.BORDER_REPLICATE)
    sharp = cv2.addWeighted(gray, 2, blur, -1, 0)
    ratio = cv2.divide(sharp, gray, scale=32)
    return [cv2.multiply(ratio, colour, scale=1 / 32) for colour in (red, green, blue)]


def camera(raw):
    low, high = cv2.erode(raw, CROSS), cv2.dilate(raw, CROSS)
    colours = cv2.cvtColor(cv2.min(cv2.max(raw, low), high), cv2.COLOR_BayerGR2RGB_EA)
    return [cv2.LUT(cv2.convertScaleAbs(cv2.transform(colours, MATRIX)), CURVE)]


def canny(image):
    return [cv2.Canny(cv2.GaussianBlur(image, (5, 5), 0, borderType=cv2.BORDER_REPLICATE), 40, 120)]


def pyramid(image):
    gauss = [image]
    for _ in range(4):
        gauss.append(cv2.pyrDown(gauss[-1]))
    return gauss[1:] + [cv2.subtract(a, cv2.pyrUp(b), dtype=cv2.CV_16S) for a, b in zip(gauss, gauss[1:])]


# The chain, the greatest sample and type of inputs, the type and the divisor of the size of outputs.
PIPELINES = {
    "harris": (harris, [("uint8", 255)], [("uint8", 1)]),
    "unsharp": (unsharp, [("uint8", 255)] * 3, [("uint8", 1)] * 3),
    "camera": (camera, [("uint16", 1023)], [("uint8", 1)] * 3),
    "canny": (canny, [("uint8", 255)], [("uint8", 1)]),
    "pyramid": (
        pyramid,
        [("uint8", 255)],
        [("uint8", 2), ("uint8", 4), ("uint8", 8), ("uint8", 16), ("int16", 1), ("int16", 2), ("int16", 4), ("int16", 8)],
    ),
}


def compilers():
    named = os.environ.get("KALG_CC")
    found = named.split(",") if named else [name for name in ("gcc", "clang") if shutil.which(name)]
    return found or ["cc"]


def compiled(kalg, folder, name):
    """The functions of a pipeline, one for each compiler."""
    file = pathlib.Path(__file__).parent.with_name("pipelines") / f"{name}.sexp"
    command = [kalg, "optimize", "--cost", "cpu", "--emit", "c", str(file), "--nodes", os.environ.get("KALG_NODES", "50")]
    source = folder / f"{name}.c"
    source.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    functions = []
    for number, compiler in enumerate(compilers()):
        library = folder / f"{name}-{number}.so"
        subprocess.run([*shlex.split(compiler), *FLAGS, "-o", library, source], check=True)
        functions.append(getattr(ctypes.CDLL(str(library)), name))
        functions[-1].restype = ctypes.c_size_t
    return functions


def timed(functions, chain, images, outputs, runs):
    """The least times in milliseconds, of each function and of OpenCV."""
    size = ctypes.c_ssize_t(images[0].shape[0])
    zero, pointer = ctypes.c_ssize_t(0), lambda array: ctypes.c_void_p(array.ctypes.data)
    pictures = [argument for array in images + outputs for argument in (pointer(array), ctypes.c_ssize_t(array.shape[1]))]
    work = numpy.zeros(functions[0](*pictures, size, size, zero, size, None), numpy.uint8)
    arguments = (*pictures, size, size, zero, size, pointer(work))
    calls = [lambda f=function: f(*arguments) for function in functions] + [lambda: chain(*images)]
    best = [float("inf")] * len(calls)
    for _ in range(runs):
        for number, call in enumerate(calls):
            begun = time.thread_time_ns()
            call()
            best[number] = min(best[number], (time.thread_time_ns() - begun) / 1e6)
    return best


def main(kalg, only):
    cv2.setNumThreads(1)
    noise = numpy.random.default_rng(1)
    print(f"OpenCV {cv2.__version__}, {' and '.join(compilers())}, {' '.join(FLAGS[:3])}")
    print("pipeline        size  kalg, ms          OpenCV, ms   times as fast")
    with tempfile.TemporaryDirectory() as folder:
        for name, (chain, inputs, results) in PIPELINES.items():
            if only and name not in only:
                continue
            functions = compiled(kalg, pathlib.Path(folder), name)
            for size, runs in SIZES.items():
                # Smooth pictures with noise: on noise alone, every step of OpenCV's canny is at its dearest.
                smooth = lambda most: cv2.GaussianBlur(noise.integers(0, most + 1, (size, size)).astype("uint16"), (0, 0), 3)
                images = [cv2.normalize(smooth(most), None, 0, most, cv2.NORM_MINMAX).astype(pixel) for pixel, most in inputs]
                outputs = [numpy.zeros((size // by, size // by), pixel) for pixel, by in results]
                *own, other = timed(functions, chain, images, outputs, runs)
                times, ratios = (" ".join(f"{value:7.3f}" for value in values) for values in (own, [other / t for t in own]))
                print(f"{name:14} {size:5}  {times:16} {other:9.3f}     {ratios:16}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
