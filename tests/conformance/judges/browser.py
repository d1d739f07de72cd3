"""A headless browser, driven through its DevTools protocol over a WebSocket of our own."""

import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def find():
    """The path of a browser, or None."""
    named = os.environ.get("HOTPLATE_BROWSER")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with one empty page. No request of it can reach the network: it has no names, and its proxy is nowhere."""

    def __init__(self, path, folder):
        profile = pathlib.Path(folder) / "profile"
        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio", "--force-color-profile=srgb",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9", "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.events, self.session = 0, [], None
        try:
            self.socket = _Socket(*self._endpoint(profile / "DevToolsActivePort"))
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except Exception:
            self.close()
            raise

    def _endpoint(self, file):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise RuntimeError(f"the browser ended with {self.process.returncode}")
            if file.exists() and len(lines := file.read_text().split()) == 2:
                return int(lines[0]), lines[1]
            time.sleep(0.05)
        raise RuntimeError("the browser did not start within a minute")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the browser."""
        if getattr(self, "socket", None):
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, **parameters):
        """Calls the protocol; events that come meanwhile are kept in `events`."""
        self.number += 1
        session = {"sessionId": self.session} if self.session else {}
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters, **session}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait(self, event):
        """Waits for an event that is not among `events` yet."""
        while not any(seen["method"] == event for seen in self.events):
            self.events.append(json.loads(self.socket.receive()))

    def evaluate(self, expression):
        """What a script's expression yields."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression[:80]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, url, width=1200, height=900, dark=False, media="screen", mobile=False, script=True):
        """Opens a page in a window of a size and a look; `events` are those since then."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark, media, mobile)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        for step in ("about:blank", url):
            self.events.clear()
            self.call("Page.navigate", url=step)
            self.wait("Page.loadEventFired")

    def look(self, width=1200, height=900, dark=False, media="screen", mobile=False):
        """Changes the size and the look of the window."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme, calm])

    def press(self, key, text="", code=0, modifiers=0):
        """Presses a key and lets it go."""
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def write(self, text):
        """Types a text."""
        self.call("Input.insertText", text=text)

    def screenshot(self, file, whole=False):
        """Writes a picture of the window, or of the whole page."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(data))


class _Socket:
    """The client's side of a WebSocket (RFC 6455), as much of it as the protocol needs."""

    def __init__(self, port, path):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self._read()
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(f"no WebSocket: {head[:200]}")

    def _read(self):
        part = self.connection.recv(1 << 20)
        if not part:
            raise RuntimeError("the browser closed the connection")
        return part

    def _take(self, count):
        while len(self.buffer) < count:
            self.buffer += self._read()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text, kind=1):
        """Sends a text in one masked frame."""
        payload, mask = text.encode() if isinstance(text, str) else text, os.urandom(4)
        length = len(payload)
        size = bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length)
        repeated = (mask * (length // 4 + 1))[:length]
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(repeated, "big")).to_bytes(length, "big")
        self.connection.sendall(bytes([0x80 | kind]) + size + mask + masked)

    def receive(self):
        """The next text."""
        whole = b""
        while True:
            first, second = self._take(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", self._take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self._take(8))
            payload = self._take(length)
            kind = first & 0x0F
            if kind == 8:
                raise RuntimeError("the browser closed the connection")
            if kind == 9:
                self.send(payload, 10)
            elif kind in (0, 1, 2):
                whole += payload
                if first & 0x80:
                    return whole.decode()

    def close(self):
        """Closes the connection."""
        self.connection.close()
