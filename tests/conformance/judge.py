"""Questions to Heat's engine: two worker processes, and a memory of earlier answers."""

import hashlib
import json
import queue
import sqlite3
import subprocess
import zlib
from concurrent import futures

import house

WORKERS = 2


class Judge:
    """Asks the oracle many questions at once; the answers come in the order of the questions.

    Questions asked with `remember` are kept in `target/conformance/answers.db`, keyed
    by the whole question and by the text of the judge, so that a second run asks Heat only
    about what hotplate made.
    """

    def __init__(self, memory=True):
        self._memory = None
        if memory:
            house.WORK.mkdir(parents=True, exist_ok=True)
            self._memory = sqlite3.connect(house.WORK / "answers.db")
            self._memory.execute("create table if not exists answers (question blob primary key, answer blob)")
            self._memory.execute("pragma synchronous = off")
            judges = (house.HERE / "judge_worker.py", house.HERE / "judge_deployment.py", house.tool("heat_oracle.py"))
            texts = b"".join(path.read_bytes() for path in judges)
            self._identity = hashlib.sha256(texts).digest()
        self._workers = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for worker in self._workers:
            worker.stdin.close()
            worker.wait()
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
            self._workers.append(self._start())

        def serve(slot):
            while True:
                try:
                    number = todo.get_nowait()
                except queue.Empty:
                    return
                answers[number] = self._exchange(slot, requests[number])

        with futures.ThreadPoolExecutor(WORKERS) as threads:
            list(threads.map(serve, range(len(self._workers))))

    def _start(self):
        worker = subprocess.Popen([house.PYTHON, house.HERE / "judge_worker.py"], env=house.environment(),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        worker.stdin.write('{"op": "ping"}\n')
        worker.stdin.flush()
        if not worker.stdout.readline():
            raise RuntimeError("the judge does not start")
        return worker

    def _exchange(self, slot, request):
        worker = self._workers[slot]
        try:
            worker.stdin.write(request + "\n")
            worker.stdin.flush()
            return json.loads(worker.stdout.readline())
        except (OSError, ValueError):
            # The engine can die of deep recursion: that is an answer about this one question.
            worker.kill()
            worker.wait()
            self._workers[slot] = self._start()
            return {"ok": False, "errors": [{"type": "WorkerDied", "message": "the judge's process ended"}]}
