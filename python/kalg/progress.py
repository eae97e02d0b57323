"""Progress by tqdm, where it is asked for and there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np

from kalg.errors import BadInput

__all__ = ["watching"]

Watch: TypeAlias = Callable[[str, int, int], object]


@contextmanager
def watching(progress: bool | Watch, name: str) -> Iterator[Watch | None]:
    """Give what is called with progress: nothing, what was given, or a line of tqdm."""
    if isinstance(progress, np.bool_):
        progress = bool(progress)
    if not isinstance(progress, bool) and not callable(progress):
        raise BadInput(f"progress={progress!r} cannot be used: True, False and what can be called can")
    if progress is False:
        yield None
        return
    if progress is not True:
        yield progress
        return
    with bar(desc=name, bar_format="{desc}: {postfix} [{elapsed}]") as line:

        def watch(kind: str, first: int, second: int) -> None:
            shown = {
                "saturated": f"e-graph of {first} nodes in {second} classes",
                "better": f"cost {first} so far",
                "tried": f"{first} of {second} ways tried",
            }
            line.set_postfix_str(shown[kind])

        yield watch


def bar(**options: Any) -> Any:
    """Give a bar of tqdm."""
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise BadInput("progress is shown by tqdm, which is not installed: pip install tqdm") from error
    return tqdm(**options)
