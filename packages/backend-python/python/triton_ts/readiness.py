"""Asks the model whether it is ready, also while it executes."""

import threading
from collections import deque

from triton_ts.connection import Waiter
from triton_ts.errors import TritonModelException, describe
from triton_ts.runtime import runtime


class Readiness:
    """A thread for models that have `is_ready`: it waits for the question and answers it beside a long execution."""

    def __init__(self, run):
        # Runs the coroutine of an asynchronous `is_ready`.
        self._run = run
        self._is_ready = None
        self._questions = deque()
        self._waiter = Waiter()

    def watch(self, model):
        """Whether the model has `is_ready`, which is then answered from now on."""
        self._is_ready = getattr(model, "is_ready", None)
        if self._is_ready is None:
            return False
        threading.Thread(target=self._answer_all, name="triton-readiness", daemon=True).start()
        return True

    def asked(self, header, _blobs):
        """Takes a question, in the thread that has read it."""
        if self._is_ready is None:
            runtime.connection.send_object({"k": "done_call", "id": header["id"], "ready": True})
            return
        self._questions.append(header["id"])
        runtime.connection.finish(self._waiter)

    def _answer_all(self):
        while True:
            while not self._questions:
                self._waiter.done = False
                if not self._questions:
                    runtime.connection.wait(self._waiter)
            answer = {"k": "done_call", "id": self._questions.popleft()}
            try:
                answer["ready"] = self._ask()
            except BaseException as error:
                answer["error"] = [1, describe(error)]
            runtime.connection.send_object(answer)

    def _ask(self):
        ready = self._run(self._is_ready())
        if not isinstance(ready, bool):
            raise TritonModelException("is_ready() must return a boolean value")
        return ready
