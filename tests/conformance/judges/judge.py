"""Questions to Heat's engine, which two processes answer at once, and a memory of earlier answers."""

import atexit
import hashlib
import json
import os
import queue
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import zlib
from concurrent import futures

import house

WORKERS = 2
# Seconds for another part that writes its answers.
_PATIENCE = 600


class Judge:
    """Asks the oracle many questions at once; the answers come in the order of the questions.

    Questions asked with `remember` are kept in `target/conformance/answers.db`, keyed
    by the whole question and by the text of the judge, so that a second run asks Heat only
    about what hotplate made. `heat` is the folder of another release of Heat, whose answers are not kept.
    """

    def __init__(self, memory=True, heat=None):
        self._memory, self._heat = None, heat
        if memory and not heat:
            house.WORK.mkdir(parents=True, exist_ok=True)
            self._memory = sqlite3.connect(house.WORK / "answers.db", timeout=_PATIENCE)
            self._memory.execute("create table if not exists answers (question blob primary key, answer blob)")
            self._memory.execute("pragma synchronous = off")
            texts = b"".join(path.read_bytes() for path in self.texts())
            self._identity = hashlib.sha256(texts).digest()
        self._workers = []

    def texts(self):
        """The files on which an answer rests, beside the question."""
        return (house.HERE / "judges" / "judge_worker.py", house.HERE / "judges" / "judge_deployment.py", house.tool("heat_oracle.py"))

    def worker(self):
        """A process that answers."""
        return _Worker(self._heat)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self._workers:
            worker.close()
        if self._memory:
            self._memory.close()

    def ask(self, requests, remember=False, depends=b""):
        """Answers of the oracle. `depends` names what else an answer rests on (the files of a folder)."""
        requests = [json.dumps(request, sort_keys=True) for request in requests]
        answers = [None] * len(requests)
        open_questions = range(len(requests))
        if remember and self._memory:
            keys = [hashlib.sha256(self._identity + depends + r.encode()).digest() for r in requests]
            open_questions = []
            for number, key in enumerate(keys):
                row = self._memory.execute("select answer from answers where question = ?", (key,)).fetchone()
                if row:
                    answers[number] = json.loads(zlib.decompress(row[0]))
                else:
                    open_questions.append(number)
        self._ask_workers(requests, answers, open_questions)
        if remember and self._memory:
            rows = ((keys[n], zlib.compress(json.dumps(answers[n]).encode(), 1)) for n in open_questions)
            self._memory.executemany("insert or replace into answers values (?, ?)", rows)
            self._memory.commit()
        return answers

    def _ask_workers(self, requests, answers, numbers):
        todo = queue.SimpleQueue()
        for number in numbers:
            todo.put(number)
        while len(self._workers) < min(WORKERS, len(numbers)):
            self._workers.append(self.worker())

        def serve(slot):
            while True:
                try:
                    number = todo.get_nowait()
                except queue.Empty:
                    return
                answers[number] = self._exchange(slot, requests[number])

        with futures.ThreadPoolExecutor(WORKERS) as threads:
            list(threads.map(serve, range(len(self._workers))))

    def _exchange(self, slot, request):
        try:
            return json.loads(self._workers[slot].ask(request))
        except (OSError, ValueError):
            # The engine can die of deep recursion: that is an answer about this one question.
            self._workers[slot].close()
            self._workers[slot] = self.worker()
            return {"ok": False, "errors": [{"type": "WorkerDied", "message": "the judge's process ended"}]}


class _Worker:
    """A process of the engine that answers one question after the other."""

    def __init__(self, heat=None):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(engine(heat))
        self._answers = self._socket.makefile("r", encoding="utf-8")
        if not self.ask('{"op": "ping"}'):
            raise RuntimeError("the judge does not start")

    def ask(self, request):
        self._socket.sendall(request.encode() + b"\n")
        return self._answers.readline()

    def close(self):
        self._answers.close()
        self._socket.close()


def engine(heat=None):
    """Where the engine listens. It is loaded once for all parts of a run, by whichever process asks for it first; for each `heat` once."""
    name = f"HOTPLATE_ENGINE_{heat.name}" if heat else "HOTPLATE_ENGINE"
    if name not in os.environ:
        place = os.path.join(tempfile.mkdtemp(prefix="hotplate-"), "engine")
        searched = os.pathsep.join(str(folder) for folder in (heat, house.HERE) if folder)
        process = subprocess.Popen([house.PYTHON, house.HERE / "judges" / "judge_worker.py", place], env=house.environment(PYTHONPATH=searched), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not process.stdout.readline():
            raise RuntimeError("the judge does not start")
        atexit.register(_end, process, place)
        os.environ[name] = place
    return os.environ[name]


def _end(process, place):
    process.stdin.close()
    process.wait()
    shutil.rmtree(os.path.dirname(place), ignore_errors=True)
