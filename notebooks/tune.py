"""Fits the weights of the search's estimate to the programs that are found with them, for one instruction set of SCAMP-5.

    pip install cma
    python3 notebooks/tune.py bus quick,compensated --minutes 40

CMA-ES (the package `cma`) varies the weights; each candidate compiles the same random filters within a number of nodes, and the
logarithms of the programs' costs are what it minimises. Filters and seeds are drawn anew for each generation, so that weights
do not fit a few filters. At the end the mean of the distribution is compared with the weights of the start on filters that were
not drawn before, with several numbers of nodes. It prints the clause `(estimate …)` for the descriptor after each generation.
"""

import argparse
import json
import math
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DESCRIPTOR = (ROOT / "rules/scamp5/target.sexp").read_text()
QUANTITIES = ["shared", "taps", "pixels", "largest", "span", "way", "inputs", "steps", "signs", "twins", "halvings", "doublings",
              "wide", "reach", "copies", "lines", "kernels", "digits", "magnitude", "weights"]
# How far a weight may reasonably move: less for quantities that are large.
SCALES = [0.1, 0.6, 0.06, 0.4, 0.12, 0.05, 0.3, 0.1, 0.15, 0.2, 0.2, 0.15, 0.2, 0.1, 0.2, 0.2, 0.3, 0.04, 0.4, 0.1]
UNSOLVED = 90  # The cost of a filter without a program.


def dense(draw, width, height, largest, share=1.0, least=None):
    low = -largest if least is None else least
    return [[draw.randint(low, largest) if draw.random() < share else 0 for _ in range(width)] for _ in range(height)]


def line(draw, length, largest):
    values = [draw.randint(1, largest) * draw.choice([1, 1, 1, -1]) for _ in range(length)]
    return [values[min(i, length - 1 - i)] for i in range(length)] if draw.random() < 0.5 else values


def plus(a, b, factor):
    return [[p + factor * q for p, q in zip(row, other)] for row, other in zip(a, b)]


def rectangle(draw, width, height):
    w, h = draw.randint(1, width), draw.randint(1, height)
    x, y = draw.randint(0, width - w), draw.randint(0, height - h)
    return [[int(x <= column < x + w and y <= row < y + h) for column in range(width)] for row in range(height)]


def symmetric(draw):
    size = draw.choice([3, 5, 5])
    middle, least, largest = size // 2, -1 if draw.random() < 0.2 else 0, draw.choice([4, 8])
    rings = {}
    for y in range(size):
        for x in range(size):
            rings.setdefault(tuple(sorted((abs(x - middle), abs(y - middle)))), draw.randint(least, largest))
    return [[rings[tuple(sorted((abs(x - middle), abs(y - middle))))] for x in range(size)] for y in range(size)]


def filters(draw):
    """A random filter: its matrices, and how often it is halved."""
    kind = draw.choices(["positive", "small", "pair", "middle", "separable", "symmetric", "rectangles"], [4, 2, 1, 2, 2, 2, 1])[0]
    if kind == "positive":
        return [dense(draw, 3, 3, 8, least=0)], 3
    if kind == "small":
        return [dense(draw, 3, 3, draw.choice([2, 4, 8]), draw.choice([1, 0.7]))], draw.choice([0, 0, 1, 2, 3])
    if kind == "pair":
        return [dense(draw, 3, 3, 2), dense(draw, 3, 3, 2)], draw.choice([0, 0, 1, 2])
    if kind == "middle":
        return [dense(draw, draw.randint(2, 5), draw.randint(2, 5), draw.choice([1, 2, 3]), 0.8)], draw.choice([0, 0, 1, 2, 3])
    if kind == "separable":
        column, row = line(draw, draw.randint(3, 6), 3), line(draw, draw.randint(3, 6), 3)
        product = [[a * b for b in row] for a in column]
        extra = dense(draw, len(row), len(column), 1, 0.1)
        return [plus(product, extra, draw.choice([1, 2])) if draw.random() < 0.4 else product], draw.choice([0, 1, 2, 3, 4])
    if kind == "symmetric":
        return [symmetric(draw)], draw.choice([0, 3, 4, 5, 6])
    width, height = draw.randint(3, 8), draw.randint(3, 8)
    matrix = rectangle(draw, width, height)
    for _ in range(draw.randint(0, 2)):
        matrix = plus(matrix, rectangle(draw, width, height), draw.choice([-3, -2, -1, -1, 1]))
    return [matrix], draw.choice([0, 0, 0, 2])


def write_filters(draw, folder, count):
    folder.mkdir(parents=True)
    for index in range(count):
        matrices = []
        while not matrices or any(sum(weight != 0 for row in matrix for weight in row) < 3 for matrix in matrices):
            matrices, halvings = filters(draw)
        outputs = []
        for number, matrix in enumerate(matrices):
            rows = " ".join("(" + " ".join(map(str, row)) + ")" for row in matrix)
            kernel = f"(kernel (origin {len(matrix[0]) // 2} {len(matrix) // 2}) {rows})"
            outputs.append(f"(output out{number} (scale 1/{2 ** halvings} {kernel}))")
        text = f"(filter f{index} (inputs image) {' '.join(outputs)})\n"
        (folder / f"f{index:03}.sexp").write_text(text)


def clause(weights):
    parts = " ".join(f"({name} {weight:.3f})" for name, weight in zip(QUANTITIES, weights))
    return f"(estimate {parts})"


def descriptor(isa, weights):
    """The descriptor with these weights for an instruction set."""
    own = re.compile(rf'(\(isa {isa} \w+ "[^"]*")(\s*\(estimate[^"]*?\)\))?\)')
    return own.sub(lambda found: f"{found.group(1)} {clause(weights)})", DESCRIPTOR, count=1)


class Trials:
    def __init__(self, kalg, isa, divisions, scratch):
        self.kalg, self.isa, self.divisions, self.scratch = kalg, isa, divisions, scratch

    def cost(self, weights, folder, nodes, seed):
        """The mean logarithm of the costs of the programs for a folder's filters."""
        target = self.scratch / "target.sexp"
        target.write_text(descriptor(self.isa, weights))
        logarithms = []
        for division in self.divisions:
            command = [self.kalg, "optimize", "--batch", folder, "--target", target, "--isa", self.isa, "--division", division,
                       "--nodes", nodes, "--seed", seed, "--json"]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
            records = [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]
            costs = [record["cycles" if record["objective"] == "cycles" else "instructions"] or UNSOLVED
                     for record in records if "objective" in record]
            missing = len(list(folder.iterdir())) - len(costs)
            logarithms += [math.log(cost) for cost in costs + [UNSOLVED] * missing]
        return sum(logarithms) / len(logarithms)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("isa")
    arguments.add_argument("divisions", type=lambda text: text.split(","))
    arguments.add_argument("--minutes", type=float, default=40)
    arguments.add_argument("--filters", type=int, default=60, help="in each generation")
    arguments.add_argument("--nodes", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--start", type=json.loads, required=True, help="the weights to begin with, by name, in JSON")
    arguments.add_argument("--kalg", default=ROOT / "target/release/kalg")
    given = arguments.parse_args()
    import cma

    start = [given.start.get(name, 0.0) for name in QUANTITIES]
    at = lambda point: [weight + scale * step for weight, scale, step in zip(start, SCALES, point)]
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        trials = Trials(given.kalg, given.isa, given.divisions, scratch)
        strategy = cma.CMAEvolutionStrategy([0] * len(start), 0.5, {"popsize": 12, "seed": given.seed, "verbose": -9})
        began, generation = time.time(), 0
        while time.time() - began < 60 * given.minutes:
            folder = scratch / f"generation-{generation}"
            write_filters(draw, folder, given.filters)
            points = strategy.ask()
            strategy.tell(points, [trials.cost(at(point), folder, given.nodes, generation) for point in points])
            weights = at(strategy.mean)
            before, after = (trials.cost(some, folder, given.nodes, generation) for some in (start, weights))
            generation += 1
            print(f"generation {generation}: {math.exp(after - before):.4f} of the start's costs {clause(weights)}", flush=True)
        fresh = scratch / "fresh"
        write_filters(draw, fresh, 100)
        for nodes in (given.nodes, 5 * given.nodes):
            before, after = (trials.cost(some, fresh, nodes, 0) for some in (start, weights))
            print(f"fresh filters, {nodes} nodes: {math.exp(after - before):.4f} of the start's costs")


if __name__ == "__main__":
    main()
