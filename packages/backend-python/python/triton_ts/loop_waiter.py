"""Waiting in an event loop for what another thread brings."""


class LoopWaiter:
    """A future of the running loop. `finish` may be called by any thread, and when nobody awaits it any more."""

    __slots__ = ("_loop", "future")

    def __init__(self):
        import asyncio

        self._loop = asyncio.get_running_loop()
        self.future = self._loop.create_future()

    def finish(self):
        try:
            self._loop.call_soon_threadsafe(self._settle)
        except RuntimeError:
            # The loop has been closed meanwhile.
            pass

    def _settle(self):
        if not self.future.done():
            self.future.set_result(None)
