"""A client of `hotplate lsp`: messages over pipes, as an editor sends them."""

import json
import pathlib
import queue
import subprocess
import threading
import time
import urllib.parse

import house

# What an editor says that it can do; without it, the server keeps to the oldest clients.
CLIENT = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "completion": {"completionItem": {"snippetSupport": True}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source", "refactor"]}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
}


def uri(path):
    """The URI of a path, as editors write it."""
    return "file://" + urllib.parse.quote(str(path))


def units(text):
    """The number of UTF-16 units of a text."""
    return len(text.encode("utf-16-le")) // 2


def position(text, offset):
    """The position of an offset (in characters) in a text whose lines end with `\\n` or `\\r\\n`."""
    before = text[:offset]
    return {"line": before.count("\n"), "character": units(before.rpartition("\n")[2])}


class Client:
    """One server with one folder."""

    def __init__(self, folder, settings=None, log=None, process=None):
        command = [house.BINARY, "--no-discovery", "lsp", *(["--log", str(log)] if log else [])]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
        self._numbers = 0
        self._answers = {}
        self._told = queue.Queue()
        self._refusals = queue.Queue()
        # The times at which files have had diagnostics.
        self._published = {}
        self._arrived = threading.Condition()
        self.raw = []
        self.errors = b""
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()
        self.announced = self.ask("initialize", {"processId": process, "rootUri": uri(folder), "capabilities": CLIENT, "initializationOptions": settings or {}})["capabilities"]
        self.tell("initialized", {})

    def _read_errors(self):
        for line in self.process.stderr:
            self.errors += line

    def _read(self):
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            body = stream.read(length) if length else b""
            if not body:
                break
            message = json.loads(body)
            with self._arrived:
                if message.get("id", 0) is None:
                    self._refusals.put(message)
                elif "id" in message and "method" not in message:
                    self._answers[message["id"]] = message
                elif message.get("method") == "textDocument/publishDiagnostics":
                    self._published.setdefault(message["params"]["uri"], time.perf_counter())
                    self._told.put(message["params"])
                self._arrived.notify_all()
        with self._arrived:
            self._answers[None] = True
            self._arrived.notify_all()

    def send(self, message):
        """Sends a message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def send_bytes(self, data):
        """Sends bytes, which need not be a message."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def refusal(self, seconds=10):
        """The next answer to something that is not a message."""
        try:
            return self._refusals.get(timeout=seconds)
        except queue.Empty:
            raise RuntimeError("no answer to something that is not a message") from None

    def tell(self, method, params):
        """Sends a notification."""
        self.send({"method": method, "params": params})

    def start(self, method, params):
        """Sends a request; the number with which its answer is awaited."""
        self._numbers += 1
        self.send({"id": self._numbers, "method": method, "params": params})
        return self._numbers

    def wait(self, number, seconds=60):
        """The whole answer to a request."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: number in self._answers or None in self._answers, seconds):
                raise RuntimeError("no answer in time")
            if number not in self._answers:
                raise RuntimeError(f"the server ended: {self.errors[-500:]!r}")
            return self._answers.pop(number)

    def ask(self, method, params):
        """The result of a request, which must not fail."""
        answer = self.wait(self.start(method, params))
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, text, version=1):
        """Opens a file."""
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri(path), "languageId": "yaml", "version": version, "text": text}})

    def edit(self, path, version, text, part=None):
        """Replaces the text of a file, or a part of it."""
        change = {"text": text, **({"range": part} if part else {})}
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": version}, "contentChanges": [change]})

    def close_file(self, path):
        """Closes a file."""
        self.tell("textDocument/didClose", {"textDocument": {"uri": uri(path)}})

    def diagnostics(self, path, version, seconds=60):
        """The diagnostics of a version of a file."""
        while True:
            told = self._told.get(timeout=seconds)
            if told["uri"] == uri(path) and told.get("version") == version:
                return told["diagnostics"]

    def published(self, path, until):
        """Whether a file has had diagnostics until a time."""
        with self._arrived:
            self._arrived.wait_for(lambda: uri(path) in self._published, max(0, until - time.perf_counter()))
            return self._published.get(uri(path), until + 1) <= until

    def memory(self):
        """The resident memory, in MB; None where the system does not say it."""
        try:
            status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return None
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def close(self):
        """Ends the server as an editor does; its exit status."""
        self.ask("shutdown", None)
        return self.exit()

    def exit(self):
        """Ends the server without shutting it down; its exit status."""
        self.tell("exit", None)
        return self.process.wait(20)
