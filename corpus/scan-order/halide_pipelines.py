#!/usr/bin/env python3
"""Times kalg's C for pipelines beside Halide's autoschedulers, after comparing every pixel; no part of the tests.

    python3 -m pip install numpy opencv-python-headless halide
    python3 corpus/scan-order/halide_pipelines.py target/release/kalg [--cores N] [SCHEDULER…] [NAME…]

The same arithmetic is written in Halide, and scheduled by Mullapudi2016 and by Adams2019 for the size and the number of cores (Adams2019 takes
many minutes for pyramid). kalg's C
is compiled with gcc and computes a band of rows on each core. Runs take turns; each figure is the least time, and only ratios mean something on
a busy machine. A ratio above one means that kalg is faster. `KALG_CC` names another compiler.
"""

import ctypes
import importlib.metadata
import os
import pathlib
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

CORES = int(sys.argv[sys.argv.index("--cores") + 1]) if "--cores" in sys.argv else 1
os.environ["HL_NUM_THREADS"] = str(CORES)
os.environ.setdefault("KALG_CC", "gcc")

import halide as hl  # noqa: E402  (reads the number of threads)
import numpy  # noqa: E402
import opencv  # noqa: E402

SIZES = {512: 60, 2048: 12}
SCHEDULERS = {"Mullapudi2016": {"parallelism": CORES}, "Adams2019": {"parallelism": CORES}}
# The curve of camera: a buffer does not keep the array alive that it is over.
CURVE = numpy.array([int((65025 * (1024 * max(v - 25, 0) // 998)) ** 0.5) >> 5 for v in range(1024)], numpy.uint8)
x, y = hl.Var("x"), hl.Var("y")


def func(value):
    """A stage: what it is at (x, y)."""
    stage = hl.Func()
    stage[x, y] = value
    return stage


def mirrored(image):
    """A picture that is continued by `reflect101`, near its edges."""
    def inside(place, side):
        last = side - 1
        return hl.clamp(last - hl.i32(hl.abs(last - hl.i32(hl.abs(place)))), 0, last)
    return func(image[inside(x, image.width()), inside(y, image.height())])


def int32(image, at=(x, y)):
    return hl.i32(image[at[0], at[1]])


def sobel(image):
    at = lambda dx, dy: int32(image, (x + dx, y + dy))
    east = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
    south = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
    return func(east), func(south)


def harris(image):
    east, south = sobel(image)
    # Towards the north: rounding down is not symmetrical.
    north = func(-south[x, y])
    def summed(a, b):
        product = func(a[x, y] * b[x, y])
        rows = func(product[x, y - 1] + product[x, y] + product[x, y + 1])
        return func((rows[x - 1, y] + rows[x, y] + rows[x + 1, y]) // 12 // 12)
    xx, yy, xy = summed(east, east), summed(north, north), summed(east, north)
    xx, yy, xy = (hl.i64(stage[x, y]) for stage in (xx, yy, xy))
    measure = func(xx * yy - xy * xy - (xx + yy) * (xx + yy) // 25)
    around = [measure[x + dx, y + dy] for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
    greatest = around[0]
    for other in around[1:]:
        greatest = hl.max(greatest, other)
    is_corner = (measure[x, y] > greatest) & (measure[x, y] >= 100)
    return [func(hl.select(is_corner, hl.u8(255), hl.u8(0)))]


def weighted(stage, weights, dx, dy):
    middle = len(weights) // 2
    terms = [weight * int32(stage, (x + dx * (n - middle), y + dy * (n - middle))) for n, weight in enumerate(weights)]
    return func(sum(terms[1:], terms[0]))


def unsharp(red, green, blue):
    colours = [func(hl.u16(colour[x, y])) for colour in (red, green, blue)]
    gray = func((77 * colours[0][x, y] + 150 * colours[1][x, y] + 29 * colours[2][x, y]) >> 8)
    nine = [1, 9, 27, 54, 67, 54, 27, 9, 1]
    blur = func(weighted(weighted(gray, nine, 0, 1), nine, 1, 0)[x, y] >> 16)
    sharp = hl.clamp(2 * int32(gray) - blur[x, y], 0, 255)
    ratio = func(hl.clamp(32 * sharp // hl.max(int32(gray), 1), 0, 255))
    return [func(hl.u8(hl.clamp(ratio[x, y] * int32(colour) >> 5, 0, 255))) for colour in colours]


def canny(image):
    binomial = [1, 4, 6, 4, 1]
    smooth = func((weighted(weighted(image, binomial, 0, 1), binomial, 1, 0)[x, y] + 128) >> 8)
    gx, gy = sobel(smooth)
    ax, ay = hl.i32(hl.abs(gx[x, y])), hl.i32(hl.abs(gy[x, y]))
    size = func(ax + ay)
    here, at = size[x, y], lambda dx, dy: size[x + dx, y + dy]
    level, steep = (ay << 15) < 13573 * ax, (ay << 15) > 13573 * ax + (ax << 16)
    falling = gx[x, y] * gy[x, y] >= 0
    thin = hl.select(
        level, (here > at(-1, 0)) & (here >= at(1, 0)),
        hl.select(
            steep, (here > at(0, -1)) & (here >= at(0, 1)),
            hl.select(falling, (here > at(-1, -1)) & (here > at(1, 1)), (here > at(1, -1)) & (here > at(-1, 1))),
        ),
    )
    strong = hl.select(here > 120, hl.u8(255), hl.u8(128))
    return [func(hl.select(thin & (here > 40), strong, hl.u8(0)))]


def camera(raw):
    r = func(hl.i16(raw[x, y]))
    cross = [r[x - 2, y], r[x + 2, y], r[x, y - 2], r[x, y + 2]]
    low, high = (hl.min, hl.max)
    least, greatest = low(low(low(cross[0], cross[1]), cross[2]), cross[3]), high(high(high(cross[0], cross[1]), cross[2]), cross[3])
    clean = func(hl.max(least, hl.min(greatest, r[x, y])))
    gr, rr, bb, gb = (func(clean[2 * x + i, 2 * y + j]) for j in (0, 1) for i in (0, 1))
    mean = lambda a, b: (a + b + 1) >> 1
    apart = lambda a, b: hl.abs(a - b)
    g_r = func(hl.select(apart(gr[x + 1, y], gr[x, y]) < apart(gb[x, y - 1], gb[x, y]), mean(gr[x + 1, y], gr[x, y]), mean(gb[x, y - 1], gb[x, y])))
    g_b = func(hl.select(apart(gb[x - 1, y], gb[x, y]) < apart(gr[x, y + 1], gr[x, y]), mean(gb[x - 1, y], gb[x, y]), mean(gr[x, y + 1], gr[x, y])))
    corrected = lambda at, green, green_there, colour, colour_there: at - mean(green, green_there) + mean(colour, colour_there)
    r_gr = func(corrected(gr[x, y], g_r[x, y], g_r[x - 1, y], rr[x - 1, y], rr[x, y]))
    b_gr = func(corrected(gr[x, y], g_b[x, y], g_b[x, y - 1], bb[x, y], bb[x, y - 1]))
    r_gb = func(corrected(gb[x, y], g_r[x, y], g_r[x, y + 1], rr[x, y], rr[x, y + 1]))
    b_gb = func(corrected(gb[x, y], g_b[x, y], g_b[x + 1, y], bb[x, y], bb[x + 1, y]))
    r_b = func(hl.select(
        apart(rr[x, y], rr[x - 1, y + 1]) < apart(rr[x - 1, y], rr[x, y + 1]),
        corrected(g_b[x, y], g_r[x, y], g_r[x - 1, y + 1], rr[x, y], rr[x - 1, y + 1]),
        corrected(g_b[x, y], g_r[x - 1, y], g_r[x, y + 1], rr[x - 1, y], rr[x, y + 1]),
    ))
    b_r = func(hl.select(
        apart(bb[x, y], bb[x + 1, y - 1]) < apart(bb[x + 1, y], bb[x, y - 1]),
        corrected(g_r[x, y], g_b[x, y], g_b[x + 1, y - 1], bb[x, y], bb[x + 1, y - 1]),
        corrected(g_r[x, y], g_b[x + 1, y], g_b[x, y - 1], bb[x + 1, y], bb[x, y - 1]),
    ))
    def interleaved(a, b, c, d):
        half = lambda stage: stage[x // 2, y // 2]
        return func(hl.select(y % 2 == 0, hl.select(x % 2 == 0, half(a), half(b)), hl.select(x % 2 == 0, half(c), half(d))))
    red, green, blue = interleaved(r_gr, rr, r_b, r_gb), interleaved(gr, g_r, g_b, gb), interleaved(b_gr, b_r, bb, b_gb)
    curve = hl.Buffer(CURVE)
    colours = []
    for (a, b, c), constant in ((427, -69, -103), -10863), ((-92, 272, 408), -9502), ((-56, -480, 1783), -6834):
        matrix = (a * int32(red) + b * int32(green) + c * int32(blue) + constant) >> 8
        colours.append(func(curve[hl.clamp(matrix, 0, 1023)]))
    return colours


def pyramid(image):
    binomial = [1, 4, 6, 4, 1]
    levels = [image]
    for _ in range(4):
        rows = weighted(levels[-1], binomial, 0, 1)
        tall = func(rows[x, 2 * y])
        wide = weighted(tall, binomial, 1, 0)
        levels.append(func(hl.u8((wide[2 * x, y] + 128) >> 8)))
    outputs = [func(level[x, y]) for level in levels[1:]]
    for fine, coarse in zip(levels, levels[1:]):
        # 1 3 3 1 on repeated pixels: 1 6 1 on even ones, 4 4 on odd ones.
        at = lambda dy: int32(coarse, (x, y // 2 + dy))
        tall = func(hl.select(y % 2 == 0, at(-1) + 6 * at(0) + at(1), 4 * (at(0) + at(1))))
        wide = lambda dx: tall[x // 2 + dx, y]
        spread = hl.select(x % 2 == 0, wide(-1) + 6 * wide(0) + wide(1), 4 * (wide(0) + wide(1)))
        outputs.append(func(hl.i16(int32(fine) - ((spread + 32) >> 6))))
    return outputs


# The stages, how pictures are continued.
PIPELINES = {
    "harris": (harris, hl.BoundaryConditions.repeat_edge),
    "unsharp": (unsharp, hl.BoundaryConditions.repeat_edge),
    "camera": (camera, mirrored),
    "canny": (canny, hl.BoundaryConditions.repeat_edge),
    "pyramid": (pyramid, mirrored),
}
TYPES = {"uint8": hl.UInt(8), "uint16": hl.UInt(16)}


def scheduled(name, scheduler, images, results):
    """A function that computes a pipeline as a scheduler arranges it."""
    stages, continued = PIPELINES[name]
    inputs = [hl.ImageParam(TYPES[image.dtype.name], 2) for image in images]
    for parameter, image in zip(inputs, images):
        parameter.set_estimates([(0, side) for side in image.shape[::-1]])
    outputs = stages(*(continued(parameter) for parameter in inputs))
    for stage, result in zip(outputs, results, strict=True):
        stage.set_estimates([(0, side) for side in result.shape[::-1]])
    pipeline = hl.Pipeline(outputs)
    target = hl.get_jit_target_from_environment()
    [plugin] = pathlib.Path(hl.__file__).parent.glob(f"lib*/libautoschedule_{scheduler.lower()}.so")
    hl.load_plugin(str(plugin))
    try:
        pipeline.apply_autoscheduler(target, hl.AutoschedulerParams(scheduler, SCHEDULERS[scheduler]))
        pipeline.compile_jit(target)
    except hl.HalideError as error:
        print(f"{name}: {scheduler} makes no program: {str(error).splitlines()[0]}", flush=True)
        return None
    for parameter, image in zip(inputs, images):
        parameter.set(hl.Buffer(image))
    into = [hl.Buffer(result) for result in results]
    return lambda: pipeline.realize(into)


def banded(function, images, results, pool):
    """A function that computes a pipeline by kalg's C, a band of rows on each core."""
    height, width = images[0].shape
    ends = [height * core // CORES // 16 * 16 for core in range(CORES)] + [height]
    def arguments(first, end, work):
        pictures = [(image.ctypes.data, image.shape[1]) for image in images]
        pictures += [(r.ctypes.data + first * r.shape[0] // height * r.strides[0], r.shape[1]) for r in results]
        flat = [word for place, stride in pictures for word in (ctypes.c_void_p(place), ctypes.c_ssize_t(stride))]
        return [*flat, *map(ctypes.c_ssize_t, (width, height, first, end)), work]
    calls = []
    for first, end in zip(ends, ends[1:]):
        work = numpy.zeros(function(*arguments(first, end, None)) + 64, numpy.uint8)
        calls.append((arguments(first, end, ctypes.c_void_p(work.ctypes.data)), work))
    if CORES == 1:
        return lambda: function(*calls[0][0])
    return lambda: list(pool.map(lambda call: function(*call[0]), calls))


def main(kalg, arguments):
    only = [word for word in arguments if word in PIPELINES]
    schedulers = [word for word in arguments if word in SCHEDULERS] or list(SCHEDULERS)
    noise, clock = numpy.random.default_rng(1), time.thread_time_ns if CORES == 1 else time.perf_counter_ns
    print(f"Halide {importlib.metadata.version('halide')}, {CORES} cores, {' '.join(opencv.FLAGS[:3])}")
    print("name      size   kalg, ms  " + "  ".join(f"{scheduler}, ms and times as fast" for scheduler in schedulers))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(CORES) as pool:
        for name in only or PIPELINES:
            _, sources, targets = opencv.PIPELINES[name]
            file = pathlib.Path(__file__).parent.with_name("pipelines") / f"{name}.sexp"
            [function] = opencv.compiled(kalg, pathlib.Path(folder), name, file, ["--nodes", os.environ.get("KALG_NODES", "50")])
            for size, runs in SIZES.items():
                images = [opencv.smooth(noise, size, most).astype(of) for of, most in sources]
                made = lambda: [numpy.zeros((size // by, size // by), of) for of, by in targets]
                own, others = made(), {scheduler: made() for scheduler in schedulers}
                calls = [banded(function, images, own, pool)]
                programs = {scheduler: scheduled(name, scheduler, images, others[scheduler]) for scheduler in schedulers}
                others = {scheduler: results for scheduler, results in others.items() if programs[scheduler]}
                calls += [programs[scheduler] for scheduler in others]
                best = [float("inf")] * len(calls)
                for _ in range(runs):
                    for number, call in enumerate(calls):
                        begun = clock()
                        call()
                        best[number] = min(best[number], (clock() - begun) / 1e6)
                for scheduler, results in others.items():
                    for a, b in zip(own, results, strict=True):
                        assert numpy.array_equal(a, b), f"{name} by {scheduler}: {(a != b).sum()} of {a.size} pixels differ"
                times = dict(zip(others, best[1:]))
                figures = "  ".join(f"{times[s]:10.3f} {times[s] / best[0]:5.2f}" if s in times else f"{'–':>10} {'–':>5}" for s in schedulers)
                print(f"{name:8} {size:5} {best[0]:10.3f}  {figures}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
