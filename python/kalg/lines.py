"""The lines of batches: files of JSON that one batch at a time appends to."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from kalg import _native
from kalg.errors import BadInput

__all__ = ["Lines", "failure", "renamed"]

_BEGINNING = b'{"file":'


def failure(name: str, kind: str, message: str) -> str:
    """Write the line of a filter that failed, as the command line does."""
    return _json({"file": name, "error": {"kind": kind, "message": message}, "version": _native.VERSION})


def renamed(line: str, name: str, title: str) -> str:
    """Write the line of a filter that is the same as another, but for its file and perhaps for its own name."""
    record = json.loads(line)
    record["file"] = name
    if title:
        record["filter"] = title
    return _json(record)


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


class Lines:
    """Lines in memory, or in a file that is locked until they are finished.

    Parameters
    ----------
    path : Path or None
        The file.

    Raises
    ------
    BadInput
        The file cannot be written, has other contents, or belongs to another batch.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._names: list[str] = []
        self._known: set[str] = set()
        self._lines: dict[str, str] = {}
        self._places: dict[str, tuple[int, int]] = {}
        self._file = -1

    def __enter__(self) -> Lines:
        if self._path is not None:
            self._file = self._locked(self._path)
            try:
                self._read(self._path)
            except BaseException:
                os.close(self._file)
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def put(self, line: str) -> None:
        """Add a line, at once: only a full disk can leave half of one."""
        name = json.loads(line)["file"]
        self._names.append(name)
        self._known.add(name)
        if self._file < 0:
            self._lines[name] = line
            return
        data = f"{line}\n".encode()
        self._places[name] = (os.fstat(self._file).st_size, len(data))
        while data:
            data = data[os.write(self._file, data) :]

    def of(self, name: str) -> str:
        """Give a line that was added."""
        if self._file < 0:
            return self._lines[name]
        start, length = self._places[name]
        return os.pread(self._file, length, start).decode().rstrip("\n")

    def finish(self) -> list[str]:
        """Sort the lines by their names, and give them if they are not in a file."""
        order = sorted(range(len(self._names)), key=lambda number: Path(self._names[number]).parts)
        if self._path is None:
            return [self._lines[self._names[number]] for number in order]
        if order != list(range(len(order))):
            lines = [line for line in self._path.read_bytes().splitlines(keepends=True) if line.strip()]
            self._replace(self._path, b"".join(lines[number] for number in order))
        return []

    @staticmethod
    def _locked(path: Path) -> int:
        import fcntl

        while True:
            try:
                file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
            except OSError as error:
                raise BadInput(f"cannot write `{path}`: {error}") from error
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The last holder may have replaced the file by its sorted version.
                if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                    return file
            except BlockingIOError:
                os.close(file)
                raise BadInput(f"another process writes to `{path}`") from None
            os.close(file)

    def _read(self, path: Path) -> None:
        """Read the lines of earlier batches, and remove an incomplete last one."""
        begin = 0
        data = path.read_bytes()
        for number, line in enumerate(data.splitlines(keepends=True), start=1):
            ended = line.endswith(b"\n")
            try:
                record = json.loads(line) if line.strip() else None
                if record is not None:
                    self._names.append(record["file"])
            except (ValueError, KeyError, TypeError) as error:
                if not ended and (line.startswith(_BEGINNING) or _BEGINNING.startswith(line)):
                    os.ftruncate(self._file, begin)
                    break
                raise BadInput(
                    f"line {number} of `{path}` is not a result of a batch: {error}; nothing is added to such a file"
                ) from error
            if not ended:
                os.write(self._file, b"\n")
            begin += len(line)
        self._known = set(self._names)

    @staticmethod
    def _replace(path: Path, data: bytes) -> None:
        """Replace a file whole or not at all."""
        path = path.resolve()
        file, part = tempfile.mkstemp(prefix=".kalg-", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(file, "wb") as written:
                written.write(data)
                os.fchmod(written.fileno(), path.stat().st_mode & 0o7777)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
