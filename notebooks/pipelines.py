"""Compares the pipelines of corpus/pipelines/ with independent programs in NumPy, pixel by pixel.

    python3 notebooks/pipelines.py [KALG]

Each function below computes the outputs of the pipeline of its name from padded arrays, without reading the pipeline. KALG is
the command, target/release/kalg by default. The exit code is 1 if any pixel differs. If OpenCV is installed, three pipelines are
compared with it, too; otherwise that is said.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MARGIN = 64  # more than any window


def padded(image, border):
    """The image in 64-bit integers, continued on all sides. numpy's names: edge, reflect (101), constant."""
    return np.pad(image.astype(np.int64), MARGIN, mode=border)


def cut(image, scale=1):
    """The picture itself of an array that was padded, at 1/scale of the rate."""
    margin = MARGIN // scale
    return image[margin:-margin, margin:-margin]


def at(image, east, north):
    """image at an offset. What wraps around at the ends of the array is within the margin."""
    return np.roll(image, (north, -east), (0, 1))


def weighted(image, rows, origin=None):
    """The sum of pixels with weights, given as rows from the north."""
    rows = np.asarray(rows)
    y0, x0 = origin or (rows.shape[0] // 2, rows.shape[1] // 2)
    total = np.zeros_like(image)
    for y, x in np.ndindex(rows.shape):
        if rows[y, x]:
            total = total + rows[y, x] * at(image, x - x0, y0 - y)
    return total


def blur9(image):
    w = np.array([1, 9, 27, 54, 67, 54, 27, 9, 1])
    return weighted(image, np.outer(w, w)) >> 16


def smooth5(image):
    w = np.array([1, 4, 6, 4, 1])
    return weighted(image, np.outer(w, w))


def gaussian(image):
    return {"out": cut(blur9(padded(image, "edge")))}


def harris(image):
    a = padded(image, "edge")
    gx = weighted(a, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gy = weighted(a, [[1, 2, 1], [0, 0, 0], [-1, -2, -1]])
    box = np.ones((3, 3), int)
    xx, yy, xy = (weighted(p, box) // 12 // 12 for p in (gx * gx, gy * gy, gx * gy))
    measure = xx * yy - xy * xy - (xx + yy) ** 2 // 25
    others = [at(measure, x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    corner = (measure > np.max(others, axis=0)) & (measure >= 100)
    return {"out": cut(np.where(corner, 255, 0))}


def unsharp_padded(red, green, blue):
    gray = (77 * red + 150 * green + 29 * blue) >> 8
    sharp = np.clip(2 * gray - blur9(gray), 0, 255)
    ratio = np.clip(32 * sharp // np.maximum(gray, 1), 0, 255)
    colours = {"red": red, "green": green, "blue": blue}
    return {name: cut(np.clip(ratio * colour >> 5, 0, 255)) for name, colour in colours.items()}


def unsharp(red, green, blue):
    return unsharp_padded(*(padded(colour, "edge") for colour in (red, green, blue)))


def stereo(left, right):
    # Disparities and windows reach far beyond the margin of the others.
    l, r = (np.pad(p.astype(np.int64), 128, mode="edge") for p in (left, right))
    costs = []
    for d in range(64):
        difference = np.abs(r - at(l, d + 20, 0))
        # Eight columns from four west of the pixel, eight rows from four north of it.
        costs.append(weighted(difference, np.ones((8, 8), int), origin=(4, 4)))
    best = np.argmin(costs, axis=0)
    return {"out": (255 * best // 64)[128:-128, 128:-128]}


def bilateral_grid(image):
    height, width = image.shape
    a = padded(image, "edge")
    # One more cell on each side than blurring and looking up need.
    cells_y, cells_x = height // 8 + 8, width // 8 + 8
    grids = np.zeros((2, 9, cells_y, cells_x), np.int64)
    for cy in range(cells_y):
        for cx in range(cells_x):
            top, west = MARGIN + (cy - 4) * 8 - 4, MARGIN + (cx - 4) * 8 - 4
            cell = a[top : top + 8, west : west + 8].ravel()
            for value in cell:
                grids[:, (value + 16) >> 5, cy, cx] += (value, 1)
    w = (1, 4, 6, 4, 1)

    def blurred(grid, axis):
        size = grid.shape[axis]
        out = np.zeros_like(grid)
        for tap, weight in zip(range(-2, 3), w):
            for place in range(size):
                if 0 <= place + tap < size:
                    to, source = [slice(None)] * 3, [slice(None)] * 3
                    to[axis], source[axis] = place, place + tap
                    out[tuple(to)] += weight * grid[tuple(source)]
        return out >> 4

    result = np.zeros((height, width), np.int64)
    grids = [blurred(blurred(blurred(grid, 0), 2), 1) for grid in grids]
    for y, x in np.ndindex(height, width):
        z, part = divmod(int(image[y, x]), 32)
        total = [0, 0]
        for which, grid in enumerate(grids):
            for dy, wy in ((0, 8 - y % 8), (1, y % 8)):
                for dx, wx in ((0, 8 - x % 8), (1, x % 8)):
                    cell = grid[:, y // 8 + 4 + dy, x // 8 + 4 + dx]
                    total[which] += wy * wx * ((32 - part) * cell[z] + part * cell[z + 1])
        result[y, x] = min(255, total[0] // max(total[1], 1))
    return {"out": result}


def half(a, b):
    return (a + b + 1) >> 1


def camera_padded(raw):
    """The colours, padded: the four phases of the pattern as in Halide's camera_pipe, in coordinates of its own."""
    a = padded(raw, "reflect")
    around = [at(a, *offset) for offset in ((-2, 0), (2, 0), (0, -2), (0, 2))]
    a = np.maximum(np.min(around, axis=0), np.minimum(np.max(around, axis=0), a))
    gr, r, b, gb = a[0::2, 0::2], a[0::2, 1::2], a[1::2, 0::2], a[1::2, 1::2]

    def s(p, x, y):  # pixel x columns east and y rows SOUTH
        return np.roll(p, (-y, -x), (0, 1))

    g_at_r = np.where(np.abs(s(gr, 1, 0) - gr) < np.abs(s(gb, 0, -1) - gb), half(s(gr, 1, 0), gr), half(s(gb, 0, -1), gb))
    g_at_b = np.where(np.abs(s(gb, -1, 0) - gb) < np.abs(s(gr, 0, 1) - gr), half(s(gb, -1, 0), gb), half(s(gr, 0, 1), gr))

    def guided(green, near, colour, one, two):
        return green - half(s(near, *one), s(near, *two)) + half(s(colour, *one), s(colour, *two))

    r_at_gr, b_at_gr = guided(gr, g_at_r, r, (0, 0), (-1, 0)), guided(gr, g_at_b, b, (0, 0), (0, -1))
    r_at_gb, b_at_gb = guided(gb, g_at_r, r, (0, 0), (0, 1)), guided(gb, g_at_b, b, (0, 0), (1, 0))

    def diagonal(green, near, colour, first, second):
        change = [np.abs(s(colour, *one) - s(colour, *two)) for one, two in (first, second)]
        return np.where(change[0] < change[1], guided(green, near, colour, *first), guided(green, near, colour, *second))

    r_at_b = diagonal(g_at_b, g_at_r, r, ((0, 0), (-1, 1)), ((-1, 0), (0, 1)))
    b_at_r = diagonal(g_at_r, g_at_b, b, ((0, 0), (1, -1)), ((1, 0), (0, -1)))

    def woven(p00, p01, p10, p11):
        out = np.zeros_like(a)
        out[0::2, 0::2], out[0::2, 1::2], out[1::2, 0::2], out[1::2, 1::2] = p00, p01, p10, p11
        return out

    red = woven(r_at_gr, r, r_at_b, r_at_gb)
    green = woven(gr, g_at_r, g_at_b, gb)
    blue = woven(b_at_gr, b_at_r, b, b_at_gb)
    matrix = ((427, -69, -103, -10863), (-92, 272, 408, -9502), (-56, -480, 1783, -6834))
    curve = np.array([math.isqrt(65025 * (1024 * max(v - 25, 0) // 998)) >> 5 for v in range(1024)])
    return [curve[np.clip((m[0] * red + m[1] * green + m[2] * blue + m[3]) >> 8, 0, 1023)] for m in matrix]


def camera(raw):
    return dict(zip(("red", "green", "blue"), map(cut, camera_padded(raw))))


def camera_unsharp(raw):
    return unsharp_padded(*camera_padded(raw))


def canny(image):
    a = (smooth5(padded(image, "edge")) + 128) >> 8
    gx = weighted(a, [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    gy = weighted(a, [[-1, -2, -1], [0, 0, 0], [1, 2, 1]])
    size = np.abs(gx) + np.abs(gy)
    x, y = np.abs(gx) * 13573, np.abs(gy) << 15
    out = np.zeros_like(size)
    for row in range(1, size.shape[0] - 1):
        for column in range(1, size.shape[1] - 1):
            m = size[row, column]
            if m <= 40:
                continue
            if y[row, column] < x[row, column]:
                thin = m > size[row, column - 1] and m >= size[row, column + 1]
            elif y[row, column] > x[row, column] + (abs(gx[row, column]) << 16):
                thin = m > size[row - 1, column] and m >= size[row + 1, column]
            else:
                s = 1 if gx[row, column] * gy[row, column] >= 0 else -1
                thin = m > size[row - 1, column - s] and m > size[row + 1, column + s]
            out[row, column] = (255 if m > 120 else 128) if thin else 0
    return {"out": cut(out)}


def zeros_between(image):
    out = np.zeros((2 * image.shape[0], 2 * image.shape[1]), np.int64)
    out[::2, ::2] = image
    return out


def pyramid(image):
    a = padded(image, "reflect")
    levels = [a]
    for _ in range(4):
        levels.append(((smooth5(levels[-1]) + 128) >> 8)[::2, ::2])
    out = {f"gauss-{k}": cut(levels[k], 2**k) for k in range(1, 5)}
    for k in range(4):
        # 1 4 6 4 1 along both axes on pixels with zeros between them, by 64.
        spread = (smooth5(zeros_between(levels[k + 1])) + 32) >> 6
        out[f"laplace-{k}"] = cut(levels[k] - spread, 2**k)
    return out


def difference_of_gaussians(image):
    one = smooth5(padded(image, "edge")) >> 4
    two = smooth5(one) >> 8
    three = smooth5(smooth5(two)) >> 16
    four = smooth5(smooth5(smooth5(smooth5(three)))) >> 32
    layers = [one - two, two - three, three - four]
    offsets = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    others = [at(layer, x, y) for n, layer in enumerate(layers) for x, y in offsets if n != 1 or x or y]
    maxima = (layers[1] > np.max(others, axis=0)) & (layers[1] > 24)
    return {"difference": cut(layers[1]), "maxima": cut(np.where(maxima, 255, 0))}


def bilateral(image):
    a = padded(image, "edge")
    near = [round(64 * math.exp(-d / 4.5)) for d in range(9)]
    alike = np.array([round(255 * math.exp(-d * d / 1152)) for d in range(256)])
    weights, weighed = np.zeros_like(a), np.zeros_like(a)
    for i in range(-2, 3):
        for j in range(-2, 3):
            other = at(a, i, j)
            weight = near[i * i + j * j] * alike[np.abs(a - other)]
            weights, weighed = weights + weight, weighed + weight * other
    return {"out": cut(np.clip((weighed + weights // 2) // weights, 0, 255))}


def local_contrast(image):
    a = padded(image, "reflect")
    box = np.ones((7, 7), int)
    total, squares = weighted(a, box), weighted(a * a, box)
    deviation = np.vectorize(math.isqrt, otypes=[np.int64])(49 * squares - total**2)
    return {"out": cut(np.clip(128 + 64 * (49 * a - total) // (deviation + 98), 0, 255))}


def morphological_gradient(image):
    a = padded(image, "reflect")
    disc = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x) + abs(y) < 4]
    layers = [at(a, x, y) for x, y in disc]
    return {"out": cut(np.max(layers, axis=0) - np.min(layers, axis=0))}


def median(image):
    a = padded(image, "edge")
    layers = [at(a, x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    return {"out": cut(np.sort(layers, axis=0)[4])}


def haar(image):
    a = padded(image, "edge")

    def box(x, y, width, height):  # the sum of pixels whose first is x columns east, y rows south
        return weighted(a, np.ones((height, width), int), origin=(-y, -x))

    eyes = box(0, 4, 12, 4) - box(0, 0, 12, 4)
    nose = 2 * box(4, 0, 4, 12) - box(0, 0, 4, 12) - box(8, 0, 4, 12)
    board = box(0, 0, 6, 6) + box(6, 6, 6, 6) - box(6, 0, 6, 6) - box(0, 6, 6, 6)
    votes = np.where(eyes > 500, 3, -1) + np.where(nose > 200, 2, -2) + np.where(np.abs(board) < 2000, 1, -2)
    outputs = {"eyes": eyes, "nose": nose, "board": board, "face": np.where(votes >= 2, 255, 0)}
    return {name: cut(value) for name, value in outputs.items()}


def convolution_layer(red, green, blue):
    colours = [np.pad(colour.astype(np.int64), MARGIN) for colour in (red, green, blue)]
    layers = {
        "first": (
            [[23, -41, 7], [88, 12, -63], [-5, 37, -19]],
            [[-14, 52, 31], [-77, 64, 9], [18, -2, -46]],
            [[61, -8, -33], [4, -90, 27], [11, 45, -3]],
            1500,
        ),
        "second": (
            [[-9, 16, -58], [71, -24, 33], [2, -49, 12]],
            [[44, -3, -17], [26, -81, 50], [-38, 7, 29]],
            [[-66, 21, 5], [13, 57, -42], [34, -11, -28]],
            -700,
        ),
    }
    out = {}
    for name, (*kernels, bias) in layers.items():
        total = sum(weighted(colour, kernel) for colour, kernel in zip(colours, kernels))
        values = cut(np.clip((total + bias) >> 7, 0, 127))
        out[name] = values.reshape(values.shape[0] // 2, 2, values.shape[1] // 2, 2).max(axis=(1, 3))
    return out


def analognet2(image):
    image = np.pad(image.astype(np.int64), MARGIN)
    kernels = {
        "a": [[0, 0, 0], [-3, 1, 0], [-3, 0, 2]],
        "b": [[-4, -1, 1], [-1, 2, 0], [1, 1, 0]],
        "c": [[-1, 2, 0], [-1, 1, -3], [0, -3, 0]],
    }
    out = {}
    for name, kernel in kernels.items():
        values = cut(np.maximum(weighted(image, kernel), 0))
        out[name] = values.reshape(values.shape[0] // 8, 8, values.shape[1] // 8, 8).sum(axis=(1, 3)) >> 2
    return out


def conv2d(image):
    w = np.array([30, 59, 74, 59, 30])
    once = weighted(padded(image, "edge"), np.outer(w, w)) >> 16
    quarter = np.array([[1, 3, 6], [3, 15, 25], [6, 25, 44]])
    half = np.hstack([quarter, quarter[:, 1::-1]])
    return {"out": cut(weighted(once, np.vstack([half, half[1::-1]])) >> 8)}


def binomial(image):
    return {"out": cut(weighted(padded(image, "edge"), [[1, 2, 1], [2, 4, 2], [1, 2, 1]]) >> 4)}


def fanout(image):
    a = padded(image, "edge")
    return {"out": cut(at(a, -1, 0) + 3 * a + 3 * at(a, 1, 0)) % 256}


def histogram(image):
    rows, columns = (length - length % 8 for length in image.shape)
    cells = (image[:rows, :columns] // 32).reshape(rows // 8, 8, columns // 8, 8)
    return {f"level{level}": (cells == level).sum(axis=(1, 3)) for level in range(8)}


def box(image):
    return weighted(image, np.ones((3, 3), int))


def cross(image):
    return weighted(image, [[0, 1, 0], [1, 1, 1], [0, 1, 0]])


def blur(image):
    return {"out": cut(box(padded(image, "edge")) // 9)}


def seidel2d(field):
    return {"out": cut(box(box(padded(field, "edge")) // 9) // 9)}


def jacobi2d(field):
    return {"out": cut(cross(cross(padded(field, "edge")) // 5) // 5)}


def jacobi3d(before, here, behind):
    return {"out": (cut(cross(padded(here, "edge"))) + before + behind) // 7}


def heat3d(before, here, behind):
    around = cut(cross(padded(here, "edge"))) - here
    return {"out": (around + before + behind + 2 * here.astype(np.int64)) // 8}


def sobel2d(image):
    rows = np.array([[-1, 0, 1], [-3, 0, 3], [-1, 0, 1]])
    x, y = (weighted(padded(image, "edge"), kernel) for kernel in (rows, rows.T))
    return {"out": cut(65535 - (x * x + y * y)) % 65536}


def erosion(image):
    image = padded(image, "edge")
    places = [(x, y) for x in range(-9, 10) for y in range(-9, 10)]
    return {"out": cut(np.min([at(image, *place) for place in places], axis=0))}


def contrast(image):
    """The weights depend on the distance from the middle alone."""
    weights = {
        0: 127, 1: 122, 2: 117, 4: 108, 5: 103, 8: 89, 9: 84, 10: 80, 13: 67, 16: 54, 17: 50, 18: 46, 20: 37,
        25: 18, 26: 14, 29: 3, 32: -8, 34: -15, 36: -22, 37: -26, 40: -36, 41: -39, 45: -52, 49: -64, 50: -67,
        52: -73, 53: -76, 58: -90, 61: -98, 64: -106,
    }
    image = padded(image, "edge")
    places = [(x, y) for x in range(-8, 9) for y in range(-8, 9) if x * x + y * y <= 64]
    return {"out": cut(sum(weights[x * x + y * y] * at(image, x, y) for x, y in places))}


INPUTS = {
    "camera": (("raw", np.uint16, 1024),),
    "camera-unsharp": (("raw", np.uint16, 1024),),
    "stereo": (("left", np.uint8, 256), ("right", np.uint8, 256)),
    "unsharp": tuple((name, np.uint8, 256) for name in ("red", "green", "blue")),
    "blur": (("image", np.uint16, 65536),),
    "erosion": (("image", np.uint16, 65536),),
    "sobel2d": (("image", np.int16, 32768),),
    "seidel2d": (("field", np.uint16, 65536),),
    "jacobi2d": (("field", np.uint16, 65536),),
    "jacobi3d": tuple((name, np.uint16, 65536) for name in ("before", "here", "behind")),
    "heat3d": tuple((name, np.uint16, 65536) for name in ("before", "here", "behind")),
    "convolution-layer": tuple((name, np.uint8, 256) for name in ("red", "green", "blue")),
}


def pictures(random, name, size):
    """A picture for each input: blocks, a slope and noise."""
    height, width = size
    found = {}
    for number, (input_name, kind, values) in enumerate(INPUTS.get(name, (("image", np.uint8, 256),))):
        blocks = np.kron(random.integers(0, values, (height // 4, width // 4)), np.ones((4, 4), int))
        slope = np.add.outer(np.arange(height), np.arange(width)) * values // (2 * (height + width))
        noise = random.integers(0, values // 8, size)
        mixed = (blocks // 2 + slope + noise) if number % 2 == 0 else np.roll(blocks, 3, 1) * 3 // 4 + noise
        found[input_name] = np.minimum(mixed, values - 1).astype(kind)
    return found


def run(kalg, name, inputs, folder):
    """The outputs of a pipeline, as `kalg run` computes them."""
    arguments = [kalg, "run", str(ROOT / f"corpus/pipelines/{name}.sexp"), "--out", str(folder / "out.npy")]
    for input_name, image in inputs.items():
        np.save(folder / f"{input_name}.npy", image)
        arguments += ["--image", f"{input_name}={folder / input_name}.npy"]
    for old in folder.glob("out*.npy"):
        old.unlink()
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    return {path.stem.removeprefix("out-"): np.load(path) for path in folder.glob("out*.npy")}


def with_opencv(inputs):
    """Pipelines that OpenCV has as they are."""
    try:
        import cv2
    except ImportError:
        print("OpenCV is not installed: median, morphological-gradient and pyramid were not compared with it")
        return {}
    image = inputs["image"]
    disc = np.ones((5, 5), np.uint8)
    disc[[0, 0, -1, -1], [0, -1, 0, -1]] = 0
    gradient = cv2.morphologyEx(image, cv2.MORPH_GRADIENT, disc, borderType=cv2.BORDER_REFLECT_101)
    return {
        "median": {"out": cv2.medianBlur(image, 3)},
        "morphological-gradient": {"out": gradient},
        "pyramid": {"gauss-1": cv2.pyrDown(image)},
    }


def main():
    kalg = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/kalg")
    random = np.random.default_rng(20)
    wrong = compared = 0
    names = sorted(path.stem for path in (ROOT / "corpus/pipelines").glob("*.sexp"))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def compare(name, peer, found, expected):
            nonlocal wrong, compared
            for output, value in expected.items():
                own = found[output]
                same = own.shape == value.shape
                differing = int((own.astype(np.int64) != value).sum()) if same else own.size
                print(f"{name} {output}: {own.dtype} {own.shape[1]}×{own.shape[0]}, {differing} pixels differ from {peer}")
                wrong, compared = wrong + differing, compared + own.size

        for name in names:
            peer = globals().get(name.replace("-", "_"))
            if peer is None:
                sys.exit(f"no independent program for {name}")
            for size in ((32, 48), (48, 32)):
                inputs = pictures(random, name, size)
                found = run(kalg, name, inputs, folder)
                expected = peer(**inputs)
                assert set(found) == set(expected), f"{name} has the outputs {sorted(found)}"
                compare(name, "NumPy", found, expected)
        inputs = pictures(random, "median", (64, 64))
        for name, expected in with_opencv(inputs).items():
            found = run(kalg, name, inputs, folder)
            compare(name, "OpenCV", found, expected)
    print(f"{len(names)} pipelines, {compared} pixels, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
