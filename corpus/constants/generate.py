#!/usr/bin/env python3
"""Writes the filters of this folder, always the same ones: sums of products with constants, for machines with memory.

The random ones are draws of Python's `random.Random(SEED)`, in this order: two dense 5×5 kernels with coefficients of -128 to 127; eleven
sets of two, three and four constants of 1 to 1023, each constant an output of one tap; 60 constants of 1 to 4095. The others are
textbook filters. The disc is not written here: its coefficients are those of an example of SODA.

    python3 corpus/constants/generate.py                    writes the files
    python3 corpus/constants/generate.py --check            exits with 1 where a file differs from what would be written
    python3 corpus/constants/generate.py --single FOLDER    writes the 60 constants, one file each, to a folder
"""

import math
import pathlib
import random
import sys

SEED = 2025
SOURCE = "corpus/constants/generate.py"


def text(name, what, outputs):
    """The kernel file of a filter: outputs are pairs of a name and a matrix."""
    lines = [f"; {what}", f"; Source: {SOURCE}.", f"(filter {name}", "  (inputs image)"]
    for output, matrix in outputs:
        opening = f"  (output {output} (kernel "
        rows = [f"({' '.join(str(weight) for weight in row)})" for row in matrix]
        lines.append(opening + ("\n" + " " * len(opening)).join(rows) + "))")
    return "\n".join(lines) + ")\n"


def compass():
    """The eight Kirsch masks: three neighbours in a row weigh 5, the others -3."""
    ring = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0)]
    for turn, direction in enumerate(["nw", "n", "ne", "e", "se", "s", "sw", "w"]):
        mask = [[0] * 3 for _ in range(3)]
        for step, (row, column) in enumerate(ring):
            mask[row][column] = 5 if (step - turn + 1) % 8 < 3 else -3
        yield direction, mask


def textbook():
    """The filters that are no draws."""
    yield "kirsch", "The eight Kirsch masks: the edges of a compass.", list(compass())
    sobel = {
        "x": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
        "falling": [[-2, -1, 0], [-1, 0, 1], [0, 1, 2]],
        "y": [[1, 2, 1], [0, 0, 0], [-1, -2, -1]],
        "rising": [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]],
    }
    yield "sobel-directions", "Sobel in four directions: along both axes and both diagonals.", list(sobel.items())
    binomials = [(n, [math.comb(n - 1, i) for i in range(n)]) for n in (3, 5, 7, 9)]
    squares = [(f"b{n}", [[a * b for b in row] for a in row]) for n, row in binomials]
    yield "binomials", "Binomial filters of 3×3, 5×5, 7×7 and 9×9, a scale space; sums, not means.", squares
    boxes = [(f"box{n}", [[1] * n] * n) for n in (5, 9, 13, 17)]
    yield "boxes", "Boxes of 5×5, 9×9, 13×13 and 17×17; sums, not means.", boxes


def draws():
    """The random filters but for the single constants, and those."""
    draw = random.Random(SEED)
    found = []
    for letter in "ab":
        dense = [[draw.randint(-128, 127) for _ in range(5)] for _ in range(5)]
        what = f"A dense 5×5 kernel with random coefficients of -128 to 127: {letter} of seed {SEED}."
        found.append((f"dense-{letter}", what, [("out", dense)]))
    for number in range(11):
        outputs = [(f"out{i}", [[draw.randint(1, 1023)]]) for i in range(2 + number % 3)]
        what = f"Products with {len(outputs)} random constants of 1 to 1023: number {number} of seed {SEED}."
        found.append((f"set-{number:02}", what, outputs))
    single = []
    for number in range(60):
        what = f"The product with a random constant of 1 to 4095: number {number} of seed {SEED}."
        single.append((f"constant-{number:02}", what, [("out", [[draw.randint(1, 4095)]])]))
    return found, single


def main(arguments):
    found, single = draws()
    if arguments[:1] == ["--single"] and len(arguments) == 2:
        folder = pathlib.Path(arguments[1])
        folder.mkdir(parents=True, exist_ok=True)
        for name, what, outputs in single:
            (folder / f"{name}.sexp").write_text(text(name, what, outputs), encoding="utf-8")
        return 0
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    different = []
    for name, what, outputs in [*textbook(), *found]:
        path = pathlib.Path(__file__).parent / f"{name}.sexp"
        if not arguments:
            path.write_text(text(name, what, outputs), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text(name, what, outputs):
            different.append(str(path))
    print(*different, sep="\n", end="\n" if different else "")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
