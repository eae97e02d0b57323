#!/usr/bin/env python3
"""Keep the best programs of searches: `collect.py FILE.json RESULTS.jsonl…` writes FILE.json anew.

RESULTS are what `kalg bench --against … --json` and `kalg bench --best-known … --json` print. A program is kept where it costs less than
the one in FILE, and a proved bound where it is higher. Filters that FILE does not have are taken over from KERNELS, a file of the same
format (`--kernels`), or are kernel files (`--add`), named as seen from the folder of FILE.
"""

import argparse
import json
import os
from pathlib import Path

# The comparisons that cost cycles; the others cost instructions.
CYCLES = "bus"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("results", type=Path, nargs="*")
    parser.add_argument("--kernels", type=Path)
    parser.add_argument("--add", type=Path, nargs="*", default=[])
    given = parser.parse_intermixed_args()
    known = json.loads(given.file.read_text()) if given.file.exists() else {"about": "", "kernels": []}
    if given.kernels:
        for kernel in json.loads(given.kernels.read_text())["kernels"]:
            add(known, {"name": kernel["name"], "outputs": kernel["outputs"]})
    for path in given.add:
        add(known, {"name": path.stem, "file": os.path.relpath(path, given.file.parent)})
    for path in given.results:
        for line in path.read_text().splitlines():
            record = json.loads(line)
            if "kernel" in record:
                keep(known, record)
    write(given.file, known)


def add(known: dict, kernel: dict) -> None:
    """Add a filter whose name is new."""
    if all(own["name"] != kernel["name"] for own in known["kernels"]):
        known["kernels"].append({**kernel, "results": {}})


def keep(known: dict, record: dict) -> None:
    """Keep the program of a record if it is better, and its bound if that is higher."""
    title, result = record["comparison"], record["result"]
    kernel = next(own for own in known["kernels"] if own["name"] == record["kernel"])
    if record["cost"] is None or not all(result["verified"].values()):
        return
    measure = "cycles" if title.startswith(CYCLES) else "instructions"
    own = kernel["results"].get(title)
    bounds = [bound for bound in (result["lower_bound"], own and own["bound"]) if bound is not None]
    if own is None or record["cost"] < own[measure]:
        own = {
            "instructions": result["instructions"],
            "cycles": result["cycles"],
            "correct_and_legal": True,
            "inputs": [port["register"] for port in result["inputs"]],
            "outputs": [port["register"] for port in result["outputs"]],
            "program": result["program"],
            "found": {
                "version": result["version"],
                "seed": result["seed"],
                "nodes": result["nodes_searched"],
                "method": method(result, record["cost"]),
            },
        }
    own["bound"] = max(bounds, default=None)
    kernel["results"][title] = own


def method(result: dict, cost: int) -> str:
    """The attempt that found the program first."""
    for attempt in result["attempts"]:
        if cost in (attempt["cycles"], attempt["instructions"]):
            return attempt["method"]
    return "unknown"


def write(path: Path, known: dict) -> None:
    """Write one line for each result, so that a change is seen."""
    lines = [f'{{"about": {json.dumps(known["about"])},\n "kernels": [']
    for index, kernel in enumerate(known["kernels"]):
        head = json.dumps({key: value for key, value in kernel.items() if key != "results"})
        results = ",\n    ".join(
            f"{json.dumps(title)}: {json.dumps(kernel['results'][title])}" for title in sorted(kernel["results"])
        )
        end = "," if index + 1 < len(known["kernels"]) else ""
        lines.append(f'  {head[:-1]}, "results": {{\n    {results} }} }}{end}')
    lines.append("]}\n")
    new = path.with_suffix(".new")
    new.write_text("\n".join(lines))
    new.replace(path)


if __name__ == "__main__":
    main()
