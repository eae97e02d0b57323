"""Thousands of filters: on this machine, or on a cluster of Dask."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias, Unpack
from uuid import uuid4

from kalg import _native
from kalg.errors import BadInput, KalgError, _flag, _whole
from kalg.filters import KernelLike, Rounding
from kalg.lines import Lines, failure, renamed
from kalg.options import OptimizeOptions, arrays, settings, takes, target_name
from kalg.progress import bar
from kalg.rulesets import Rules
from kalg.sources import Source, rounded

__all__ = ["Batch", "batch"]

Kernels: TypeAlias = "str | os.PathLike[str] | Mapping[str, KernelLike] | Iterable[tuple[str, KernelLike]]"
"""A folder of kernel files; or filters with the names of their lines."""

_COMMENT = re.compile(r";[^\n]*")
_FILTER = re.compile(r"\(filter ([^\s()]+)")

_PATIENCE = 1.0
"""After how many seconds a cluster is asked again how many threads it has."""

_AHEAD = 4
"""The groups of filters that wait for each thread of a cluster: so many that none is idle, so few that the scheduler forgets them soon."""

_WORTH = 2.0
"""How many seconds a group should take on a cluster: some hundred times what it costs to send it and its lines."""

_GROUP = 32
"""The most filters in a group. That many are compiled anew if a worker is lost."""


@dataclass
class Batch:
    """What came of a batch.

    Attributes
    ----------
    compiled, without, failed : int
        The filters with a program, without one, and those that failed.
    skipped : int
        Those that the output held before.
    shared : int
        Those that were not compiled, since another of them is the same but for names.
    lines : list of str
        The lines, by their names, if they were not written to a file.
    """

    compiled: int = 0
    without: int = 0
    failed: int = 0
    skipped: int = 0
    shared: int = 0
    lines: list[str] = field(default_factory=list, repr=False)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The lines as records."""
        return [json.loads(line) for line in self.lines]

    def _count(self, line: str) -> None:
        record = json.loads(line)
        if record.get("error") is not None:
            self.failed += 1
        elif record.get("no_program") is not None:
            self.without += 1
        else:
            self.compiled += 1


def batch(
    kernels: Kernels,
    *,
    client: Any = None,
    jobs: int | None = None,
    output: str | os.PathLike[str] | None = None,
    target: str | os.PathLike[str] = "scamp5",
    time: float | None = None,
    nodes: int | None = None,
    seed: int = 0,
    rules: Rules | None = None,
    explain: bool = False,
    max_error: float | None = None,
    depth: int | None = None,
    progress: bool = False,
    **options: Unpack[OptimizeOptions],
) -> Batch:
    """Compile many filters, each on one thread, to the lines that ``kalg optimize --batch`` writes.

    Parameters
    ----------
    kernels : path, mapping, or iterable of (str, KernelLike)
        A folder, below which all kernel files are compiled; or filters, each with a name for its line. An iterable is read
        as far as there are free workers.
    client : dask.distributed.Client, optional
        The cluster. A task is one filter, or a few that take two seconds, fewer at the end; its key says what it computes. A worker that is
        lost loses nothing: its tasks are done by others.
    jobs : int, optional
        Without a client: the number of filters compiled at a time; one per core by default.
    output : path, optional
        The file that lines are appended to, as they come. A later batch leaves out what the file holds. At the end the lines
        are sorted by their names.
    target, time, nodes, seed, rules, explain, max_error, depth, **options
        As in `optimize`.
    progress : bool
        Whether to show progress with tqdm.

    Returns
    -------
    Batch
        How many were compiled, and, without `output`, their lines.

    Raises
    ------
    BadInput
        The folder, the output, the target, an option or the rules cannot be used. What is wrong with a filter is said in its line.
    """
    rounding = Rounding(max_error, depth)
    itself = takes(target_name(target), "optimize", "max-error")

    def written(passed: dict[str, str]) -> str:
        given = {**options, **passed}
        return settings(target, rules=rules, time=time, nodes=nodes, seed=seed, threads=1, explain=explain, options=given)

    def task(name: str, of: Any) -> _Task:
        source, _, passed = rounded(of, rounding, itself)
        return _Task(name, (name, *source[1:]), written(passed))

    # What no filter can be compiled with is refused before the output is touched.
    shared = {plain: _native.Shared(plain) for plain in [written({})]}
    jobs = None if jobs is None else _whole("jobs", jobs, 1)
    show = _flag("progress", progress)
    found = Batch()
    with ExitStack() as stack:
        lines = stack.enter_context(Lines(None if output is None else Path(output)))
        named, total = _named(kernels)
        todo = _todo(named, task, lines, found)
        shown = stack.enter_context(bar(total=total, unit="filter")) if show else None
        run = _local(stack, jobs, shared) if client is None else _distributed(client)
        for line in _results(todo, run, (found, lines), total):
            lines.put(line)
            found._count(line)
            if shown is not None:
                shown.update()
        found.lines = lines.finish()
    return found


def _named(kernels: Kernels) -> tuple[Iterable[tuple[str, Any]], int | None]:
    """Give the filters with the names of their lines, and how many there are, if that is known."""
    if isinstance(kernels, (str, os.PathLike)):
        folder = Path(kernels)
        if not folder.is_dir():
            raise BadInput(f"`{folder}` is not a folder")
        paths = sorted(path for path in folder.rglob("*.sexp") if path.is_file())
        if not paths:
            raise BadInput(f"there are no kernel files (`.sexp`) below `{folder}`")
        return ((str(path), path) for path in paths), len(paths)
    if isinstance(kernels, Mapping):
        return kernels.items(), len(kernels)
    if not isinstance(kernels, Iterable):
        raise BadInput(f"kernels={kernels!r} cannot be used: a folder, a dictionary, and pairs of a name and a filter can")
    return kernels, len(kernels) if isinstance(kernels, Sized) else None


def _todo(
    named: Iterable[Any], task: Callable[[str, Any], _Task], lines: Lines, found: Batch
) -> Iterator[_Task | tuple[str, str]]:
    """Give the task of each filter that is not done yet, or its name with what is wrong with it."""
    given = set()
    for pair in named:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise BadInput("each filter has a name for its line: give a dictionary, or pairs of a text and a filter")
        name, of = pair
        if name in given:
            raise BadInput(f"two filters have the name `{name}`")
        given.add(name)
        if name in lines:
            found.skipped += 1
            continue
        try:
            yield task(name, of)
        except KalgError as error:
            yield name, str(error)


@dataclass(frozen=True)
class _Task:
    """A filter to compile: the name of its line, the file, and the settings."""

    name: str
    source: Source
    written: str


@dataclass(frozen=True)
class _Run:
    """How groups of tasks are run: at most so many groups at a time, each of so many tasks if so many are left."""

    submit: Callable[[list[_Task]], Any]
    wait: Callable[[set[Any]], set[Any]]
    result: Callable[[Any], list[str]]
    most: Callable[[], int]
    size: Callable[[int | None], int]


def _results(
    todo: Iterator[_Task | tuple[str, str]], run: _Run, kept: tuple[Batch, Lines], total: int | None
) -> Iterator[str]:
    """Give the lines as they come. The caller adds each before it asks for the next."""
    found, lines = kept
    running: dict[Any, list[_Task]] = {}
    waiting: dict[str, deque[tuple[_Task, str]]] = {}
    done: dict[str, str] = {}
    left, taken = True, 0

    def submit(group: list[_Task]) -> None:
        running[run.submit(group)] = group

    def finished(task: _Task, line: str) -> Iterator[str]:
        yield line
        key, _ = _key(task)
        same = waiting.pop(key)
        if '"error":{' not in line:
            done[key] = task.name
            found.shared += len(same)
            yield from (renamed(line, other.name, title) for other, title in same)
        elif same:
            # Messages show the lines of the file, comments and names included.
            other, _ = same.popleft()
            waiting[key] = same
            submit([other])

    while left or running:
        while left and len(running) < run.most():
            group: list[_Task] = []
            size = run.size(None if total is None else total - found.skipped - taken)
            while len(group) < size:
                if (task := next(todo, None)) is None:
                    left = False
                    break
                taken += 1
                if not isinstance(task, _Task):
                    yield failure(task[0], "bad-input", task[1])
                    continue
                key, title = _key(task)
                if key in done:
                    found.shared += 1
                    yield renamed(lines.of(done[key]), task.name, title)
                elif key in waiting:
                    waiting[key].append((task, title))
                else:
                    waiting[key] = deque()
                    group.append(task)
            if group:
                submit(group)
        if not running:
            continue
        for future in run.wait(set(running)):
            group = running.pop(future)
            try:
                made = run.result(future)
            except Exception as error:  # noqa: BLE001 (whatever a cluster raises is the failure of these filters alone)
                if len(group) > 1:
                    # One of them may be to blame.
                    for task in group:
                        submit([task])
                    continue
                made = [failure(group[0].name, "internal", f"{type(error).__name__}: {error}")]
            for task, line in zip(group, made, strict=True):
                yield from finished(task, line)


def _key(task: _Task) -> tuple[str, str]:
    """Give the key of a task, what is compiled, how, and by which version; and the name of the filter.

    Filters for arrays of processors are the same if they differ in their names, spaces and comments alone. Other code has the
    names of filters in it.
    """
    text, title = task.source[1], ""
    settings_ = json.loads(task.written)
    if settings_.get("target") in arrays() and (named := _FILTER.match(plain := " ".join(_COMMENT.sub("", text).split()))):
        title = named[1]
        text = plain[: named.start(1)] + plain[named.end(1) :]
    content = "\0".join([text, json.dumps(task.source[2:]), task.written, _native.VERSION])
    return f"kalg-{hashlib.sha256(content.encode()).hexdigest()}", title


def _local(stack: ExitStack, jobs: int | None, shared: dict[str, _native.Shared]) -> _Run:
    count = jobs or os.cpu_count() or 1
    pool = stack.enter_context(ThreadPoolExecutor(count))
    stack.callback(pool.shutdown, wait=False, cancel_futures=True)

    @stack.callback
    def stop() -> None:
        # After Ctrl-C nobody waits for the filters that are being compiled.
        for of in shared.values():
            of.stop()

    def submit(group: list[_Task]) -> Any:
        for task in group:
            if task.written not in shared:
                shared[task.written] = _native.Shared(task.written)
        return pool.submit(_lines, [(task.source, shared[task.written]) for task in group])

    def first(running: set[Future[Any]]) -> set[Future[Any]]:
        return wait(running, return_when=FIRST_COMPLETED).done

    return _Run(
        submit=submit,
        wait=first,
        result=lambda future: list(future.result()),
        most=lambda: 2 * count,
        size=lambda _: 1,
    )


def _distributed(client: Any) -> _Run:
    from distributed import wait as finished

    def first(running: set[Any]) -> set[Any]:
        done: set[Any] = finished(running, return_when="FIRST_COMPLETED").done
        return done

    number = uuid4().hex
    asked, count = 0.0, 1
    made, seconds = 0, 0.0

    def most() -> int:
        nonlocal asked, count
        # The scheduler is asked now and then: workers come and go.
        if (now := monotonic()) - asked > _PATIENCE:
            asked, count = now, max(1, sum(client.nthreads().values()))
        return _AHEAD * count

    def submit(group: list[_Task]) -> Any:
        # A key that says what is computed; another batch of the same client may want the same.
        tasks = [(task.source, task.written) for task in group]
        content = json.dumps([tasks, _native.VERSION])
        key = f"kalg-{hashlib.sha256(content.encode()).hexdigest()}"
        return client.submit(compiled, tasks, number, key=key, retries=2)

    def result(future: Any) -> list[str]:
        nonlocal made, seconds
        lines, took = future.result()
        made, seconds = made + len(lines), seconds + took
        return list(lines)

    def size(left: int | None) -> int:
        """Give the number of filters that take long enough to be worth a message to the scheduler, and leave some for every thread."""
        most = _GROUP if left is None else min(_GROUP, left // (2 * count))
        return max(1, min(most, int(_WORTH * made / seconds))) if seconds else 1

    return _Run(submit=submit, wait=first, result=result, most=most, size=size)


def compiled(tasks: list[tuple[Source, str]], number: str) -> tuple[list[str], float]:
    """Compile filters of the batch with a number to lines, and say how many seconds it took: the task of a worker."""
    began = monotonic()
    lines = _lines([(source, _shared(written, number)) for source, written in tasks])
    return lines, monotonic() - began


@lru_cache(maxsize=4)
def _shared(written: str, number: str) -> _native.Shared:
    """Give what the filters of a batch with these settings share in this process. The next batch reads the rules again."""
    return _native.Shared(written)


def _lines(tasks: list[tuple[Source, _native.Shared]]) -> list[str]:
    return [_line(source, shared) for source, shared in tasks]


def _line(source: Source, shared: _native.Shared) -> str:
    try:
        return shared.line(source).rstrip("\n")
    except KalgError as error:
        kind = "bad-input" if isinstance(error, BadInput) else "internal"
        return failure(source[0], kind, str(error))
