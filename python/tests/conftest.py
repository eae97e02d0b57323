"""What several files of tests need."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture
def ctrl_c_raises() -> Iterator[None]:
    # A shell has what it starts in the background ignore the signal, and Python leaves it so.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
