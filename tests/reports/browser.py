"""Drives a real Chromium over its debugging pipe: no driver program and no package is needed."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
KEYS = {
    "Tab": 9,
    "Enter": 13,
    " ": 32,
    "Home": 36,
    "End": 35,
    "Escape": 27,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    **{letter: ord(letter.upper()) for letter in "0123456789abcdefghijklmnopqrstuvwxyz"},
}


def chromium() -> str | None:
    """The program, if there is one that this file can drive."""
    if os.name != "posix" or not shutil.which("bash"):
        return None
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One page of a headless Chromium, with all that it asks of the network and says on its console.

    Args:
        profile: an empty folder for the browser's own files.
    """

    def __init__(self, profile: Path) -> None:
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()
        program = chromium()
        assert program
        # Chromium reads its commands from file 3 and answers on file 4.
        redirected = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        self.process = subprocess.Popen(
            ["bash", "-c", redirected, "bash", program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser, from_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.waiting = b""
        self.number = 0
        self.session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.events: list[str] = []
        pages = [each for each in self.ask("Target.getTargets")["targetInfos"] if each["type"] == "page"]
        found = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
        self.session = found["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol, and its answer."""
        self.number += 1
        message: dict[str, Any] = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        mine = self.number
        while True:
            answer = self.message(60)
            if answer.get("id") == mine:
                assert "error" not in answer, answer["error"]
                return answer["result"]

    def message(self, seconds: float) -> dict[str, Any]:
        """The next message of the browser; events are noted."""
        end = time.monotonic() + seconds
        while b"\0" not in self.waiting:
            ready, _, _ = select.select([self.reading], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser says nothing any more"
            part = os.read(self.reading, 1 << 20)
            assert part, "the browser has gone"
            self.waiting += part
        text, _, self.waiting = self.waiting.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        self.note(found.get("method", ""), found.get("params", {}))
        return found

    def note(self, event: str, what: dict[str, Any]) -> None:
        """Keep what the page asked for, and what it complained of."""
        self.events.append(event)
        if event == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([each.get("value") for each in what["args"]]))
        elif event == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(what["entry"]["text"])

    def open(self, path: Path | str) -> float:
        """Open a file or an address; the seconds until it says that everything is drawn."""
        start = time.monotonic()
        self.ask("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri())
        self.wait("document.documentElement?.dataset.drawn === 'yes'", 60)
        return time.monotonic() - start

    def run(self, expression: str) -> Any:
        """The value of an expression, or of its promise, in the page."""
        found = self.ask(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str, seconds: float = 60) -> None:
        """Until something is true in the page."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < end, f"never became true: {condition}"
            time.sleep(0.02)

    def press(self, key: str, *, shift: bool = False) -> None:
        """A key, as a keyboard sends it."""
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        what = {
            "key": key,
            "code": {" ": "Space"}.get(key, key),
            "windowsVirtualKeyCode": KEYS[key],
            "modifiers": 8 * shift,
        }
        self.ask("Input.dispatchKeyEvent", type="keyDown", text=text, **what)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **what)

    def click(self, x: float, y: float) -> None:
        """A click at a place of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = "none" if kind == "mouseMoved" else "left"
            self.ask(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button=button,
                clickCount=int(button == "left"),
            )

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """The window of a screen, or of a phone."""
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )

    def media(self, scheme: str = "light", kind: str = "screen") -> None:
        """What the reader prefers, and whether it is printed."""
        self.ask(
            "Emulation.setEmulatedMedia",
            media=kind,
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A screenshot of the window, or of the whole page."""
        found = self.ask(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self.clip(whole)
        )
        path.write_bytes(base64.b64decode(found["data"]))

    def clip(self, whole: bool) -> dict[str, Any]:
        """What of the page is taken."""
        if not whole:
            return {}
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def close(self) -> None:
        """End the browser."""
        os.close(self.writing)
        os.close(self.reading)
        self.process.terminate()
        self.process.wait(20)
