#!/usr/bin/env python3
"""Writes the random kernels of this folder, always the same ones.

The kernels follow the experiments of the Cain paper (Stow, Murai, Saeedi, Kelly 2020, section 4): 3×3, every
coefficient k/8 with k drawn uniformly from 0..8. The draws are those of Python's `random.Random(2021)`, one
`randint(0, 8)` per coefficient, rows from north to south and in a row from west to east, kernel after kernel.

    python3 corpus/cain-style/generate.py            writes the files
    python3 corpus/cain-style/generate.py --check    exits with 1 where a file differs from what would be written
"""

import pathlib
import random
import sys

SEED = 2021
COUNT = 16
SIZE = 3
DENOMINATOR = 8


def kernels():
    """The matrices, in order."""
    draw = random.Random(SEED)
    for _ in range(COUNT):
        yield [[draw.randint(0, DENOMINATOR) for _ in range(SIZE)] for _ in range(SIZE)]


def text(number, matrix):
    """The kernel file that holds one matrix."""
    name = f"random-{number:02}"
    opening = f"  (output out (scale 1/{DENOMINATOR} (kernel "
    rows = [f"({' '.join(str(k) for k in row)})" for row in matrix]
    body = ("\n" + " " * len(opening)).join(rows)
    return (
        f"; Random 3×3 kernel with coefficients k/{DENOMINATOR}, k in 0..{DENOMINATOR}: number {number} of seed {SEED}.\n"
        "; Source: corpus/cain-style/generate.py, after Cain, section 4.\n"
        f"(filter {name}\n  (inputs image)\n{opening}{body}))))\n"
    )


def main():
    folder = pathlib.Path(__file__).resolve().parent
    differing = []
    for number, matrix in enumerate(kernels()):
        path = folder / f"random-{number:02}.sexp"
        expected = text(number, matrix)
        if sys.argv[1:] != ["--check"]:
            path.write_text(expected, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != expected:
            differing.append(path.name)
    if differing:
        sys.exit(f"not as generated: {', '.join(differing)}")


if __name__ == "__main__":
    main()
