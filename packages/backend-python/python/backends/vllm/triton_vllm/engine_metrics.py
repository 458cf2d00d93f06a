"""Metrics of the engine among those of the server."""

import queue
import threading

import triton_python_backend_utils as pb_utils
from vllm.v1.metrics.loggers import StatLoggerBase

_LATENCIES = [0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0]
_TOKEN_TIMES = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5]
_REQUEST_TIMES = [1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0]
_COUNTS = [1.0, 2.0, 5.0, 10.0, 20.0]
_LARGEST_TOKENS = 1_000_000


class EngineMetrics:
    """Hands vLLM's statistics on, in a thread, so that the engine does not wait for the server."""

    def __init__(self, labels):
        self._counters = {
            "num_prompt_tokens": _counter("prompt_tokens_total", "Number of prefill tokens processed.", labels),
            "num_generation_tokens": _counter(
                "generation_tokens_total", "Number of generation tokens processed.", labels
            ),
        }
        tokens = _token_buckets()
        self._histograms = {
            name: _histogram(metric, description, labels, buckets)
            for name, metric, description, buckets in [
                (
                    "first_token",
                    "time_to_first_token_seconds",
                    "Histogram of time to first token in seconds.",
                    _LATENCIES,
                ),
                (
                    "each_token",
                    "time_per_output_token_seconds",
                    "Histogram of time per output token in seconds.",
                    _TOKEN_TIMES,
                ),
                (
                    "request",
                    "e2e_request_latency_seconds",
                    "Histogram of end to end request latency in seconds.",
                    _REQUEST_TIMES,
                ),
                ("prompt", "request_prompt_tokens", "Number of prefill tokens processed.", tokens),
                ("generated", "request_generation_tokens", "Number of generation tokens processed.", tokens),
                ("n", "request_params_n", "Histogram of the n request parameter.", _COUNTS),
            ]
        }
        self._queue = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._report, name="vllm-metrics", daemon=True)
        self._thread.start()

    def logger(self, vllm_config, engine_index):
        """What vLLM hands its statistics to."""
        return _StatLogger(self._queue)

    def stop(self):
        """Reports what is left."""
        self._queue.put(None)
        self._thread.join()

    def _report(self):
        while True:
            stats = self._queue.get()
            if stats is None:
                return
            for name, counter in self._counters.items():
                count = getattr(stats, name)
                if count:
                    counter.increment(count)
            finished = stats.finished_requests
            for name, values in {
                "first_token": stats.time_to_first_tokens_iter,
                "each_token": stats.inter_token_latencies_iter,
                "request": [request.e2e_latency for request in finished],
                "prompt": [request.num_prompt_tokens for request in finished],
                "generated": [request.num_generation_tokens for request in finished],
                "n": stats.n_params_iter,
            }.items():
                for value in values:
                    self._histograms[name].observe(value)


class _StatLogger(StatLoggerBase):
    def __init__(self, reports):
        self._reports = reports

    def record(self, scheduler_stats, iteration_stats, *_, **__):
        if iteration_stats is not None:
            self._reports.put(iteration_stats)

    def log_engine_initialized(self):
        pass


def _counter(name, description, labels):
    return pb_utils.MetricFamily("vllm:" + name, description, pb_utils.MetricFamily.COUNTER).Metric(labels)


def _histogram(name, description, labels, buckets):
    family = pb_utils.MetricFamily("vllm:" + name, description, pb_utils.MetricFamily.HISTOGRAM)
    return family.Metric(labels, buckets)


def _token_buckets():
    """1, 2, 5, 10, 20, 50 and so on."""
    buckets, power = [], 1.0
    while power <= _LARGEST_TOKENS:
        buckets += [power, 2 * power, 5 * power]
        power *= 10
    return [bucket for bucket in buckets if bucket <= _LARGEST_TOKENS]
