"""vLLM's engine in an event loop of its own."""

import asyncio
import threading

import triton_python_backend_utils as pb_utils
from vllm.engine.arg_utils import AsyncEngineArgs
from vllm.v1.engine.async_llm import AsyncLLM

_DRAIN_SECONDS = 30


class Engine:
    """Starts an AsyncLLM with the arguments of `model.json`, and runs coroutines beside it."""

    def __init__(self, arguments, metric_labels):
        engine_arguments = AsyncEngineArgs(**arguments)
        self._metrics = None
        if metric_labels is not None and not engine_arguments.disable_log_stats:
            from triton_vllm.engine_metrics import EngineMetrics

            self._metrics = EngineMetrics(metric_labels)
        self._running = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="vllm-engine", daemon=True)
        self._thread.start()
        self.llm = self._wait(self._open(engine_arguments))
        self.tasks = self._wait(self.llm.get_supported_tasks())

    async def _open(self, engine_arguments):
        factories = None if self._metrics is None else [self._metrics.logger]
        return AsyncLLM.from_engine_args(engine_arguments, stat_loggers=factories)

    def _wait(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def start(self, coroutine):
        """Starts what answers a request."""
        self._loop.call_soon_threadsafe(self._add, coroutine)

    def _add(self, coroutine):
        task = self._loop.create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def is_healthy(self):
        """Whether the engine can answer."""
        try:
            self._wait(self.llm.check_health())
        except Exception as error:
            pb_utils.Logger.log_error("[vllm] Engine is not healthy: %s" % error)
            return False
        return True

    def stop(self):
        """Lets running requests end, for half a minute at most, and ends the engine."""
        self._wait(self._drain())
        self.llm.shutdown()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        if self._metrics is not None:
            self._metrics.stop()

    async def _drain(self):
        if self._running:
            await asyncio.wait(list(self._running), timeout=_DRAIN_SECONDS)
        for task in list(self._running):
            task.cancel()
