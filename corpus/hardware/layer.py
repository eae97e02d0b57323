#!/usr/bin/env python3
"""Writes `layer.sexp`: 3×3 kernels from three channels to 64, a bias, a rescaling, ReLU, and the maxima of 2×2 pixels.

Weights and biases are random, from a fixed seed. With `--check`, nothing is written, and the exit status is 1 if the file is another.
"""

import random
import sys
from pathlib import Path

OUTPUTS = 64
CHANNELS = ("red", "green", "blue")
FILE = Path(__file__).with_name("layer.sexp")


def kernel(rng):
    rows = [[rng.randint(-31, 31) for _ in range(3)] for _ in range(3)]
    return "(kernel " + " ".join("(" + " ".join(map(str, row)) + ")" for row in rows) + ")"


def pixels(name):
    """The four pixels of which the greatest counts."""
    return " ".join(f"(phase {name} {x} {y})" for y in (0, 1) for x in (0, 1))


def text():
    rng = random.Random(2017)
    lines = [
        "; A layer of a neural network: 3×3 kernels from three channels to 64, a bias, a rescaling, ReLU, and the maxima of 2×2 pixels.",
        "; Source: the layer of simpleCNN of Halide-HLS (Pu et al. 2017); the weights are random, by corpus/hardware/layer.py.",
        "(pipeline layer",
        f"  (inputs {' '.join(f'({channel} uint8)' for channel in CHANNELS)})",
        "  (border zero)",
    ]
    for number in range(OUTPUTS):
        parts = [f"(from {channel} {kernel(rng)})" for channel in CHANNELS]
        bias = rng.randint(-1500, 1500)
        lines += [
            f"  (let sum{number}",
            f"    (filter (add {parts[0]}",
            f"                 {parts[1]}",
            f"                 {parts[2]})",
            f"            {' '.join(CHANNELS)}))",
            f"  (let scaled{number} (clamp 0 127 (floor-shift 6 (+ sum{number} {bias}))))",
        ]
    for number in range(OUTPUTS):
        last = ")" if number + 1 == OUTPUTS else ""
        lines.append(f"  (output out{number} int8 (rate 1/2 1/2) (max {pixels(f'scaled{number}')})){last}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if FILE.read_text() == text() else f"{FILE} is not what {Path(__file__).name} writes")
    FILE.write_text(text())
