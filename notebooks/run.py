"""Run all notebooks from top to bottom: ``python notebooks/run.py [FOLDER OF LOGS]``.

Each has a process of its own, forked when all packages are loaded: to load them takes longer than most notebooks. Readers run the same cells in
Jupyter. What a failing notebook printed goes to standard error, and the exit status is 1.
"""

import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path

# No window, and no picture in the text.
os.environ["MPLBACKEND"] = "agg"

# What notebooks import.
import cv2  # noqa: F401
import distributed  # noqa: F401
import halide  # noqa: F401
import kalg  # noqa: F401
import matplotlib.pyplot  # noqa: F401
import skimage.metrics  # noqa: F401
from IPython.core.interactiveshell import InteractiveShell
from skimage import color, data, transform  # noqa: F401

FOLDER = Path(__file__).resolve().parent

AT_A_TIME = 2

SECONDS = 300
"""After how many seconds a notebook has failed."""


def cells(notebook):
    """Give the code of a notebook, cell by cell."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield "".join(cell["source"])


def run(notebook, log):
    """Run the cells of a notebook in this process, which then ends."""
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(FOLDER)
    signal.alarm(SECONDS)
    shell = InteractiveShell.instance()
    good = all(shell.run_cell(cell, store_history=True).success for cell in cells(notebook))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0 if good else 1)


def main():
    """Run the notebooks, and say how long each took."""
    logs = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="kalg-notebooks-"))
    waiting = sorted(FOLDER.glob("*.ipynb"))
    running, failed = {}, []
    while waiting or running:
        while waiting and len(running) < AT_A_TIME:
            notebook = waiting.pop(0)
            log = logs / f"{notebook.name}.log"
            child = os.fork()
            if child == 0:
                run(notebook, log)
            running[child] = (notebook, log, time.monotonic())
        child, status = os.wait()
        notebook, log, began = running.pop(child)
        print(f"{notebook.name}: {time.monotonic() - began:.0f} s", flush=True)
        if status != 0:
            failed.append(notebook.name)
            print(log.read_text(), file=sys.stderr)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
