#!/usr/bin/env python3
"""Times kalg's C for processors beside OpenCV, after comparing results; no part of the tests.

    python3 -m pip install numpy opencv-python-headless
    python3 corpus/scan-order/opencv.py target/release/kalg [--json] [NAME…]

`kalg bench --set cpu` runs this script where Python finds OpenCV. Filters and the pipelines of corpus/pipelines are compiled with gcc,
and with clang where it is installed, and called through ctypes. OpenCV has one thread. Runs take turns; each figure is the least time
of the thread, and only ratios mean something on a busy machine. A ratio above one means that kalg is faster.

Filters differ from OpenCV's by a rounding at most. The chains of calls that pipelines are compared with do the same steps with other
roundings: OpenCV's edges of each call, single precision in harris and unsharp, hysteresis in canny, another demosaicing in camera;
their mean difference is printed. `KALG_CC` names other compilers, separated by commas; `KALG_NODES` limits the search.
"""

import ctypes
import json
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
SQUARE = numpy.ones((3, 3), numpy.uint8)
CROSS = numpy.array([[0, 0, 1, 0, 0], [0] * 5, [1, 0, 0, 0, 1], [0] * 5, [0, 0, 1, 0, 0]], numpy.uint8)
NINE = numpy.array([1, 9, 27, 54, 67, 54, 27, 9, 1], numpy.float32) / 256
MATRIX = numpy.array([[427, -69, -103], [-92, 272, 408], [-56, -480, 1783]], numpy.float32) / 1024
CURVE = numpy.array([int((65025 * max(v * 4 - 25, 0) / 998) ** 0.5) for v in range(256)]).clip(0, 255).astype(numpy.uint8)


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


def compiled(kalg, folder, name, file, options):
    """The functions of a file, one for each compiler."""
    command = [kalg, "optimize", "--cost", "cpu", "--emit", "c", *options, str(file)]
    source = folder / f"{name}.c"
    source.write_text(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for number, compiler in enumerate(compilers()):
        library = folder / f"{name}-{number}.so"
        subprocess.run([*shlex.split(compiler), *FLAGS, "-o", library, source], check=True)
        function = getattr(ctypes.CDLL(str(library)), name.replace("-", "_"))
        function.restype = ctypes.c_size_t
        yield function


def timed(functions, called, images, results, runs):
    """The least times in milliseconds, of each function and of OpenCV, and the greatest and the mean difference of pixels."""
    size, zero = ctypes.c_ssize_t(images[0].shape[0]), ctypes.c_ssize_t(0)
    pictures = [argument for array in images + results for argument in (ctypes.c_void_p(array.ctypes.data), ctypes.c_ssize_t(array.shape[1]))]
    work = numpy.zeros(functions[0](*pictures, size, size, zero, size, None) + 4096, numpy.uint8)
    arguments = (*pictures, size, size, zero, size, ctypes.c_void_p(work.ctypes.data))
    calls = [lambda f=function: f(*arguments) for function in functions] + [lambda: called(*images)]
    best = [float("inf")] * len(calls)
    for _ in range(runs):
        for number, call in enumerate(calls):
            begun = time.thread_time_ns()
            call()
            best[number] = min(best[number], (time.thread_time_ns() - begun) / 1e6)
    expected = [array for found in called(*images) for array in (cv2.split(found) if found.ndim == 3 else [found])]
    apart = [numpy.abs(found.astype(float) - other.astype(float)) for found, other in zip(results, expected, strict=True)]
    return best, max(one.max() for one in apart), sum(one.sum() for one in apart) / sum(one.size for one in apart)


def aligned(array):
    """A copy that begins at a line of the cache, as OpenCV's own pictures do."""
    memory = numpy.zeros(array.nbytes + 64, numpy.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[:] = array
    return copy


def smooth(noise, size, most):
    """A smooth picture with noise: on noise alone, every step of OpenCV's canny is at its dearest."""
    picture = cv2.GaussianBlur(noise.integers(0, most + 1, (size, size)).astype("uint16"), (0, 0), 3)
    return cv2.normalize(picture, None, 0, most, cv2.NORM_MINMAX)


def tasks(kalg, folder, wanted):
    """Name, types, functions, what OpenCV calls, and makers of inputs and of results for a size."""
    nodes = os.environ.get("KALG_NODES")
    limit = ["--nodes", nodes] if nodes else ["--time", "60s"]
    for name, term, semiring, pixel, result, called in filters():
        if wanted(name):
            file = folder / f"{name}.sexp"
            file.write_text(f"(filter {name} {semiring} (inputs image) (output out {term}))\n")
            functions = list(compiled(kalg, folder, name, file, ["--type", pixel, "--output-type", result, *limit]))
            inputs = lambda noise, size, of=pixel: [noise.integers(0, 256, (size, size)).astype(of)]
            results = lambda size, of=result: [numpy.zeros((size, size), of)]
            yield name, f"{pixel} → {result}", functions, lambda image, f=called: [f(image)], inputs, results
    for name, (chain, sources, targets) in PIPELINES.items():
        if wanted(name):
            file = pathlib.Path(__file__).parent.with_name("pipelines") / f"{name}.sexp"
            functions = list(compiled(kalg, folder, name, file, ["--nodes", nodes or "50"]))
            inputs = lambda noise, size, all=sources: [smooth(noise, size, most).astype(of) for of, most in all]
            results = lambda size, all=targets: [numpy.zeros((size // by, size // by), of) for of, by in all]
            yield name, "pipeline", functions, chain, inputs, results


def main(kalg, arguments):
    as_json, only = "--json" in arguments, [word for word in arguments if word != "--json"]
    cv2.setNumThreads(1)
    noise = numpy.random.default_rng(1)
    if not as_json:
        print(f"OpenCV {cv2.__version__}, {' and '.join(compilers())}, {' '.join(FLAGS[:3])}")
        print("name           types              size  kalg, ms          OpenCV, ms   times as fast    differences: greatest, mean")
    with tempfile.TemporaryDirectory() as folder:
        wanted = lambda name: not only or any(part in name for part in only)
        for name, types, functions, called, inputs, results in tasks(kalg, pathlib.Path(folder), wanted):
            for size, runs in SIZES.items():
                images, pictures = ([aligned(array) for array in made] for made in (inputs(noise, size), results(size)))
                best, greatest, mean = timed(functions, called, images, pictures, runs)
                *own, other = best
                if as_json:
                    record = {"name": name, "types": types, "size": size, "compilers": compilers(), "opencv": cv2.__version__}
                    record |= {"kalg_ms": own, "opencv_ms": other, "greatest_difference": float(greatest), "mean_difference": float(mean)}
                    print(json.dumps(record), flush=True)
                    continue
                times, ratios = (" ".join(f"{value:7.3f}" for value in values) for values in (own, [other / t for t in own]))
                print(f"{name:14} {types:17} {size:5}  {times:16} {other:9.3f}     {ratios:16} {greatest:9.3g} {mean:9.3g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
