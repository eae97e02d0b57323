#!/usr/bin/env python3
"""Turns the features of a Haar cascade into kernel files, one for each distinct shape.

The cascade is OpenCV's frontal face (R. Lienhart, 2013), as the PyPI package opencv-python-headless carries it up to
version 4:

    pip download --no-deps 'opencv-python-headless<5'
    unzip -j opencv_python_headless-*.whl cv2/data/haarcascade_frontalface_default.xml
    python3 corpus/haar/extract.py haarcascade_frontalface_default.xml target/haar
    kalg optimize --batch target/haar --jobs 2 --cost scamp5 --time 1s --output target/haar.jsonl

A feature is a weighted sum over rectangles (x, y, width, height, weight) in a window of 24×24 pixels. Every pixel of
the array computes it at once, so where in the window it stands does not matter: shapes are equal where one is the
other moved, and the kernel's origin is put in the middle of what it covers. Weights are integers; where the
rectangles overlap they add up. What is written depends on the cascade alone.

    extract.py CASCADE FOLDER               writes all shapes, and says how many
    extract.py CASCADE FOLDER --sample N    every so manieth of them, N in all
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree


def features(path):
    """The rectangles of each feature: (x, y, width, height, weight)."""
    for feature in xml.etree.ElementTree.parse(path).getroot().iter("rects"):
        yield [rectangle(text.text) for text in feature]


def rectangle(text):
    *box, weight = text.split()
    x, y, width, height = map(int, box)
    if float(weight) != int(float(weight)):
        sys.exit(f"`{text.strip()}` has a weight that is no integer")
    return x, y, width, height, int(float(weight))


def matrix(rectangles):
    """The weights, first row north, cut to what is not zero; a tuple, so that equal shapes are equal."""
    right = max(x + width for x, _, width, _, _ in rectangles)
    bottom = max(y + height for _, y, _, height, _ in rectangles)
    cells = [[0] * right for _ in range(bottom)]
    for x, y, width, height, weight in rectangles:
        for row in cells[y : y + height]:
            for column in range(x, x + width):
                row[column] += weight
    rows = [index for index, row in enumerate(cells) if any(row)]
    columns = [index for index in range(right) if any(row[index] for row in cells)]
    return tuple(tuple(row[columns[0] : columns[-1] + 1]) for row in cells[rows[0] : rows[-1] + 1])


def shapes(path):
    """Each distinct shape with how many features have it, in the order of the cascade; and the number of features."""
    counts = {}
    for feature in features(path):
        shape = matrix(feature)
        counts[shape] = counts.get(shape, 0) + 1
    return counts, sum(counts.values())


def text(number, shape, count):
    """The kernel file that holds one shape."""
    height, width = len(shape), len(shape[0])
    origin = f"(origin {width // 2} {height // 2})"
    digits = max(len(str(weight)) for row in shape for weight in row)
    opening = "  (output out (kernel "
    rows = ["(" + " ".join(str(weight).rjust(digits) for weight in row) + ")" for row in shape]
    body = ("\n" + " " * len(opening)).join([origin, *rows])
    features = "1 feature" if count == 1 else f"{count} features"
    return (
        f"; Haar shape {number} of OpenCV's frontal face cascade, {width}×{height}: {features}.\n"
        "; Source: corpus/haar/extract.py, from haarcascade_frontalface_default.xml (R. Lienhart).\n"
        f"(filter haar-{number:04}\n  (inputs image)\n{opening}{body})))\n"
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("cascade", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--sample", type=int, metavar="N")
    given = arguments.parse_args()
    counts, total = shapes(given.cascade)
    chosen = list(enumerate(counts.items()))
    if given.sample:
        chosen = [chosen[index * len(chosen) // given.sample] for index in range(given.sample)]
    given.folder.mkdir(parents=True, exist_ok=True)
    for number, (shape, count) in chosen:
        path = given.folder / f"haar-{number:04}.sexp"
        path.write_text(text(number, shape, count), encoding="utf-8")
    print(f"{total} features, {len(counts)} distinct shapes; {len(chosen)} written to {given.folder}")


if __name__ == "__main__":
    main()
