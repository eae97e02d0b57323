"""A browser without a window, driven by the DevTools protocol."""

from __future__ import annotations

import asyncio
import base64
import io
import itertools
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClientConnection, websocket_connect

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """One tab. What goes wrong in pages is collected in `errors`."""

    def __init__(self, process: subprocess.Popen[bytes], socket: WebSocketClientConnection) -> None:
        self.process, self.socket = process, socket
        self.errors: list[str] = []
        self.loaded = asyncio.Event()
        self.numbers = itertools.count(1)
        self.answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.reader = asyncio.ensure_future(self._read())

    @staticmethod
    def found() -> str | None:
        """Give the browser's command, or `None` if there is no browser."""
        return next(filter(None, map(shutil.which, NAMES)), None)

    @classmethod
    async def start(cls, command: str, folder: Path) -> Browser:
        """Start a browser that keeps its files in `folder`."""
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"]
        where = ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1200,900"]
        process = subprocess.Popen([command, *flags, *where, "about:blank"], stderr=subprocess.DEVNULL)
        active = folder / "DevToolsActivePort"
        for _ in range(200):
            if active.exists() and len(active.read_text().split()) == 2:
                break
            await asyncio.sleep(0.05)
        port = active.read_text().split()[0]
        tabs = json.loads((await AsyncHTTPClient().fetch(f"http://127.0.0.1:{port}/json")).body)
        tab = next(tab for tab in tabs if tab["type"] == "page")
        socket = await websocket_connect(tab["webSocketDebuggerUrl"], max_message_size=1 << 27)
        browser = cls(process, socket)
        for domain in ("Page", "Runtime", "Log"):
            await browser.call(f"{domain}.enable")
        return browser

    async def _read(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            message = json.loads(text)
            method, told = message.get("method"), message.get("params", {})
            if "id" in message:
                self.answers.pop(message["id"]).set_result(message)
            elif method == "Page.loadEventFired":
                self.loaded.set()
            elif method == "Runtime.exceptionThrown":
                self.errors.append(json.dumps(told["exceptionDetails"]))
            elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
                self.errors.append(told["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
                self.errors.append(json.dumps(told["args"]))

    async def call(self, method: str, **options: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        number = next(self.numbers)
        self.answers[number] = asyncio.get_running_loop().create_future()
        await self.socket.write_message(json.dumps({"id": number, "method": method, "params": options}))
        answer = await asyncio.wait_for(self.answers[number], 20)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    async def open(self, file: Path) -> None:
        """Open a page and wait until it is there."""
        self.loaded.clear()
        await self.call("Page.navigate", url=file.resolve().as_uri())
        await asyncio.wait_for(self.loaded.wait(), 20)

    async def value(self, expression: str) -> Any:
        """Evaluate an expression in the page, and wait for promises."""
        answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    async def point(self, selector: str) -> None:
        """Move the pointer to the middle of an element."""
        x, y = await self.value(
            f"(() => {{ const found = document.querySelector({json.dumps(selector)}); found.scrollIntoView({{ block: 'center' }});"
            " const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        await self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    async def press(self, key: str) -> None:
        """Press a key."""
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=key)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    async def media(self, *, medium: str = "screen", scheme: str = "light") -> None:
        """Show the page on a medium, light or dark."""
        await self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def screenshot(self) -> np.ndarray:
        """Give what is seen, as rows of red, green and blue."""
        shot = await self.call("Page.captureScreenshot", format="png")
        return np.asarray(Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB"))

    async def close(self) -> None:
        """End the browser."""
        self.reader.cancel()
        self.socket.close()
        self.process.terminate()
        self.process.wait(10)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Give a folder for a browser's files, some of which it may still write when the folder is removed."""
    return tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
