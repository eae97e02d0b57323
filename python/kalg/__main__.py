"""The command line, as ``python -m kalg`` and as the script ``kalg``."""

from __future__ import annotations

import signal
import sys

from kalg import _native


def main() -> int:
    """Run the command line with the arguments of this process.

    Returns
    -------
    int
        The exit code.
    """
    # kalg has handlers of its own; those of Python would wait for the interpreter.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["kalg", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
