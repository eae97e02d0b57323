#!/usr/bin/env python3
"""Compares what kalg takes for the filters of this folder with da4ml and with known optima; no part of the tests.

    python3 -m pip install da4ml
    python3 corpus/constants/measure.py target/release/kalg

For every filter it prints the additions, multiplications and shifts of `kalg optimize --cost ops`, the additions where nothing is worth a
multiplication, and the adders of da4ml (https://pypi.org/project/da4ml/) without and with the decomposition of its matrix. da4ml sees
the taps of a kernel as inputs of their own: it shares nothing between places. The last line is the sum over the 60 single constants,
beside the optimum: the least number of adders of any graph, right shifts included.
"""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent
MOST = 1 << 13


def optimize(kalg, target, files):
    """The records of kalg, by file."""
    command = [kalg, "optimize", "--json", *target, *map(str, files)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [json.loads(line)["cost"] for line in lines]


def matrices(path):
    """The kernels of a file."""
    for kernel in re.findall(r"\(kernel((?:\s*\([-.\d\s]+\))+)\)", path.read_text(encoding="utf-8")):
        rows = re.findall(r"\(([-.\d\s]+)\)", kernel)
        yield [[0 if weight == "." else int(weight) for weight in row.split()] for row in rows]


def columns(kernels):
    """Kernels about a common middle, each as one column."""
    height, width = max(len(k) for k in kernels), max(len(k[0]) for k in kernels)
    for kernel in kernels:
        wide = [[0] * width for _ in range(height)]
        down, right = (height - len(kernel)) // 2, (width - len(kernel[0])) // 2
        for y, row in enumerate(kernel):
            for x, weight in enumerate(row):
                wide[y + down][x + right] = weight
        yield [weight for row in wide for weight in row]


def da4ml(kernels):
    """The adders of da4ml, without and with decomposition; nothing where it is not installed."""
    if importlib.util.find_spec("da4ml") is None:
        return ["-", "-"]
    import numpy
    from da4ml.cmvm import solve

    matrix = numpy.array(list(columns(kernels)), dtype=numpy.float32).T
    plain = solve(matrix, decompose_dc=-1, search_all_decompose_dc=False)
    adders = [sum(op.opcode in (0, 1) for stage in p.solutions for op in stage.ops) for p in (plain, solve(matrix))]
    return adders


def made(x, y):
    """What one adder makes of two odd values, as odd values."""
    found = set()
    for shift in range(14):
        for value in (x + (y << shift), abs(x - (y << shift)), (x << shift) + y, abs((x << shift) - y)):
            while value and value % 2 == 0:
                value //= 2
            if 0 < value < MOST:
                found.add(value)
    return found


def optimum():
    """The least adders for each odd value below 2^12: up to three by all graphs, and four for the others (A. G. Dempster,
    M. D. Macleod, "Constant integer multiplication using minimum adders", 1994)."""
    one = made(1, 1) - {1}
    least = {1: 0}
    pairs = {(a, b) for a in one for b in made(a, 1) | made(a, a) | made(1, 1)}
    three = set()
    for a, b in pairs:
        three |= made(b, 1) | made(b, a) | made(b, b)
    for cost, values in ((1, one), (2, {b for _, b in pairs}), (3, three)):
        for value in values:
            least.setdefault(value, cost)
    return lambda value: least.get(value // (value & -value), 4)


def main(kalg):
    with tempfile.TemporaryDirectory() as folder:
        dear = pathlib.Path(folder) / "adders.sexp"
        ops = FOLDER.parents[1] / "rules" / "ops" / "target.sexp"
        dear.write_text(ops.read_text(encoding="utf-8").replace("(multiplication 3)", "(multiplication 1000)"), "utf-8")
        files = sorted(FOLDER.glob("*.sexp"))
        print(f"{'filter':18} {'ops: + * <<':>14} {'adders':>7} {'da4ml':>10}")
        rows = zip(files, optimize(kalg, ["--cost", "ops"], files), optimize(kalg, ["--target", str(dear)], files))
        sets = [0, 0]
        for path, cost, adders in rows:
            both = da4ml(list(matrices(path)))
            what = f"{cost['additions']} {cost['multiplications']} {cost['shifts']}"
            print(f"{path.stem:18} {what:>14} {adders['additions']:7} {both[0]:>5} {both[1]:>4}")
            if path.stem.startswith("set-"):
                sets = [sets[0] + adders["additions"], sets[1] + (min(both) if both[0] != "-" else 0)]
        print(f"sets together      {'':14} {sets[0]:7} {sets[1]:>5}")
        script = [sys.executable, str(FOLDER / "generate.py"), "--single", folder + "/single"]
        subprocess.run(script, check=True)
        files = sorted(pathlib.Path(folder, "single").glob("*.sexp"))
        found = [cost["additions"] for cost in optimize(kalg, ["--target", str(dear)], files)]
        least = optimum()
        best = [least(next(matrices(path))[0][0]) for path in files]
        print(f"{len(files)} constants: {sum(found)} adders, optimum {sum(best)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else print(__doc__, file=sys.stderr) or 2)
