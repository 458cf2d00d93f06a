"""The event loop of an asynchronous `execute`."""

import asyncio
import threading


class EventLoop:
    """A loop in a thread of its own. The main thread goes on reading, so executions of decoupled models overlap."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        # The loop holds tasks weakly; these live until they are done.
        self._running = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="triton-event-loop", daemon=True)
        self._thread.start()

    def run(self, coroutine):
        """Waits for the result of a coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def start(self, coroutine, failed):
        """Starts a coroutine; `failed` is called with its exception, if it has one."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._running.add(future)
        future.add_done_callback(lambda done: self._end(done, failed))

    def _end(self, future, failed):
        self._running.discard(future)
        error = None if future.cancelled() else future.exception()
        if error is not None:
            failed(error)

    def stop(self):
        """Ends the loop; what it runs does not go on."""
        self._loop.call_soon_threadsafe(self._loop.stop)
