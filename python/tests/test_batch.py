"""Batches: on threads, and on a cluster of which a worker is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kalg

SOBEL = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "kernels"
    (made / "a").mkdir(parents=True)
    random = np.random.default_rng(3)
    for number in range(6):
        kernel = kalg.Filter.of(random.integers(0, 3, (1, 3)), name=f"k{number}")
        (made / ("a" if number % 2 else ".") / f"k{number}.sexp").write_text(kernel.text)
    (made / "a-wrong.sexp").write_text("(filter f (output out (kernel (1 x 1))))")
    return made


def without_times(line: str) -> Any:
    """Give a line as a record, without what differs from run to run."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strip(of) for key, of in value.items() if not key.startswith("seconds")}
        return [strip(of) for of in value] if isinstance(value, list) else value

    return strip(json.loads(line))


def test_lines_are_those_of_the_command_line(folder: Path, tmp_path: Path) -> None:
    command, own = tmp_path / "command.jsonl", tmp_path / "own.jsonl"
    words = ["optimize", "--cost", "scamp5", "--nodes", "50", "--batch", str(folder), "--output", str(command)]
    subprocess.run([sys.executable, "-m", "kalg", *words], check=False, capture_output=True)
    found = kalg.batch(folder, nodes=50, output=own)
    assert (found.compiled, found.failed, found.skipped) == (6, 1, 0)
    lines = [path.read_text().splitlines() for path in (command, own)]
    assert [without_times(line) for line in lines[0]] == [without_times(line) for line in lines[1]]


def test_a_batch_goes_on_where_one_ended(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    kalg.batch(folder, target="ops", nodes=50, output=output)
    whole = output.read_text()
    lines = whole.splitlines(keepends=True)
    output.write_text("".join(lines[:3]) + lines[3][:40])
    found = kalg.batch(folder, target="ops", nodes=50, output=output)
    assert (found.skipped, found.compiled + found.failed) == (3, 4)
    assert [without_times(line) for line in output.read_text().splitlines()] == [without_times(line) for line in lines]
    output.write_text("notes\n")
    with pytest.raises(kalg.BadInput, match="line 1 of"):
        kalg.batch(folder, target="ops", output=output)
    assert output.read_text() == "notes\n"


def test_equal_filters_are_compiled_once_and_failures_are_lines() -> None:
    kernels = {f"copy-{number}": SOBEL for number in range(5)} | {"even": [[np.nan]], "other": SOBEL.T}
    found = kalg.batch(kernels, target="ops", nodes=50)
    assert (found.compiled, found.failed, found.shared) == (6, 1, 4)
    assert [record["file"] for record in found.records] == sorted(kernels)
    none = kalg.batch({"none": SOBEL}, nodes=20, registers="A")
    assert none.without == 1 and none.records[0]["no_program"]
    texts = {f"{name}.sexp": f"; {name}\n" + kalg.Filter.of(SOBEL, name=name).text for name in ("one", "two")}
    named = kalg.batch(texts, nodes=50)
    assert named.shared == 1 and [record["filter"] for record in named.records] == ["one", "two"]
    alone = kalg.batch({"two.sexp": texts["two.sexp"]}, nodes=50)
    assert without_times(alone.lines[0]) == without_times(named.lines[1])
    wrong = {name: f"; {name}\n(filter {name} (output out (kernel (x))))" for name in ("one", "two")}
    assert [f"(filter {r['file']}" in r["error"]["message"] for r in kalg.batch(wrong).records] == [True, True]
    with pytest.raises(kalg.BadInput, match="two filters"):
        kalg.batch([("a", SOBEL), ("a", SOBEL)], target="ops", nodes=10)


def test_images_of_a_filter_share_a_search() -> None:
    images = {"a": SOBEL, "b": SOBEL.T, "c": np.rot90(SOBEL), "d": np.flipud(SOBEL).T}
    turned = kalg.batch(images, nodes=50).records
    assert len({json.dumps(record["attempts"]) for record in turned}) == 1
    assert len({json.dumps(record["program"]) for record in turned}) > 1
    for name, kernel in images.items():
        alone = kalg.batch({name: kernel}, nodes=50).lines[0]
        assert without_times(alone) == without_times(json.dumps(turned.pop(0)))


def test_each_batch_reads_the_rules(tmp_path: Path) -> None:
    own = tmp_path / "own.rules"
    rules = kalg.Rules.of(own)
    used = []
    for name in ("first", "second"):
        own.write_text(f"(rule {name} (add ?a ?a) => (scale 2 ?a))")
        used += [rule["rule"] for rule in kalg.batch({"a": SOBEL}, nodes=20, rules=rules).records[0]["per_rule"]]
    assert used == ["first", "second"]
    own.write_text("(rule")
    with pytest.raises(kalg.BadInput, match="own.rules"):
        kalg.batch({"a": SOBEL}, nodes=20, rules=rules)


def test_what_fits_no_filter_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"isa": "buss"}, "no instruction set `buss`"),
        ({"border": "zero"}, "does not apply"),
        ({"jobs": 0}, "jobs=0"),
        ({"jobs": -1}, "jobs=-1"),
        ({"target": None}, "target=None"),
        ({"max_error": 0.1, "depth": 2}, "either"),
    ]
    for options, why in wrong:
        with pytest.raises(kalg.BadInput, match=why):
            kalg.batch({"a": SOBEL}, nodes=5, output=output, **options)
    assert not output.exists()
    unnamed: list[Any] = [{1: SOBEL}, [SOBEL, SOBEL], ["ab"], 5]
    for kernels in unnamed:
        with pytest.raises(kalg.BadInput):
            kalg.batch(kernels, nodes=5)


def test_coefficients_of_a_batch_may_be_rounded(tmp_path: Path) -> None:
    file = tmp_path / "thirds.sexp"
    file.write_text("(filter f (inputs image) (output out (scale 1/3 (kernel (1 2 1)))))")
    kernels: dict[str, Any] = {"array": [[0.3333, 0.21, 0.1234]], "exact": SOBEL, "file": file}
    for target in ("scamp5", "ops"):
        for options in ({"max_error": 0.1}, {"depth": 3}):
            found = kalg.batch(kernels, target=target, nodes=20, **options)
            assert (found.compiled, found.failed) == (3, 0)
    found = kalg.batch(kernels, nodes=20, max_error=0.1)
    for record in found.records:
        alone = kalg.optimize(kernels[record["file"]], nodes=20, max_error=0.1)
        assert record["program"] == alone.record["program"] and record["approximation"] == alone.record["approximation"]
    assert found.records[1]["approximation"]["max_error"] == 0 and found.records[2]["approximation"]["max_error"] > 0


@pytest.mark.usefixtures("ctrl_c_raises")
def test_ctrl_c_ends_a_batch_at_once() -> None:
    random = np.random.default_rng(2)
    kernels = {f"k{number}": random.integers(-99, 99, (7, 7)) for number in range(3)}
    began = time.monotonic()
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        kalg.batch(kernels, time=60, jobs=2)
    assert time.monotonic() - began < 10


def test_filters_are_read_as_far_as_there_are_workers(tmp_path: Path) -> None:
    output, read, most = tmp_path / "out.jsonl", 0, 0

    def kernels() -> Any:
        nonlocal read, most
        for number in range(40):
            read += 1
            written = len(output.read_text().splitlines()) if output.exists() else 0
            most = max(most, read - written)
            yield f"k{number}", [[1, number, 2]]

    assert kalg.batch(kernels(), target="ops", nodes=20, jobs=2, output=output).compiled == 40
    assert most <= 6


def test_a_lost_worker_loses_nothing(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    output = tmp_path / "out.jsonl"
    random = np.random.default_rng(1)
    kernels = {f"k{number}": random.integers(-8, 9, (3, 3)) / 8 for number in range(60)}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())
        killed = threading.Event()

        def kill() -> None:
            while not output.exists() or len(output.read_text().splitlines()) < 15:
                killed.wait(0.01)
            os.kill(pids[0], signal.SIGKILL)
            killed.set()

        killer = threading.Thread(target=kill)
        killer.start()
        found = kalg.batch(kernels, target="ops", nodes=50, client=client, output=output)
        killer.join()
    assert killed.is_set() and found.compiled == 60 and found.failed == 0
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert [record["file"] for record in records] == sorted(kernels)
    local = kalg.batch(kernels, target="ops", nodes=50)
    assert [without_times(line) for line in output.read_text().splitlines()] == [without_times(line) for line in local.lines]


def test_groups_become_small_where_few_filters_are_left() -> None:
    pytest.importorskip("distributed")
    from kalg.batches import _distributed

    client: Any = SimpleNamespace(nthreads=lambda: {"a": 1, "b": 1})
    run = _distributed(client)
    assert run.most() == 8
    assert run.size(100) == 1, "nothing is known yet"
    assert run.result(SimpleNamespace(result=lambda: (["line"] * 8, 0.8))) == ["line"] * 8
    assert [run.size(left) for left in (None, 10_000, 40, 12, 1)] == [20, 20, 10, 3, 1]
