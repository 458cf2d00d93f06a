"""Metrics of the model's own."""

import enum
import math

from triton_ts.errors import TritonModelException
from triton_ts.runtime import runtime


class MetricKind(enum.IntEnum):
    COUNTER = 0
    GAUGE = 1
    HISTOGRAM = 2


class MetricFamily:
    """Metrics of one name. Instances of a model that ask for the same name share it."""

    COUNTER = MetricKind.COUNTER
    GAUGE = MetricKind.GAUGE
    HISTOGRAM = MetricKind.HISTOGRAM

    def __init__(self, name, description, kind):
        self._kind = MetricKind(kind)
        args = {"name": name, "description": description, "kind": self._kind.name}
        self._handle = runtime.calls.call("metric_family", args, "Error when creating MetricFamily: ")

    def Metric(self, labels=None, buckets=None):
        """The metric with these labels (a dict of str). A histogram needs `buckets`, rising upper bounds."""
        if labels is not None and not isinstance(labels, dict):
            raise TritonModelException("Failed to create metric. Labels must be a dictionary.")
        for label in (text for pair in (labels or {}).items() for text in pair):
            if not isinstance(label, str):
                raise TritonModelException("Failed to create metric. Labels must be text, found %r." % (label,))
        if buckets is None:
            if self._kind is MetricKind.HISTOGRAM:
                raise TritonModelException("Failed to create metric. Missing required buckets.")
        elif not isinstance(buckets, list):
            raise TritonModelException("Failed to create metric. Buckets must be a list.")
        elif self._kind is not MetricKind.HISTOGRAM:
            raise TritonModelException("Failed to create metric. Unexpected buckets found.")
        args = {"family": self._handle, "labels": labels or {}}
        if buckets is not None:
            # That of all observations is there in any case.
            args["buckets"] = [float(bucket) for bucket in buckets if bucket != math.inf]
        return Metric(runtime.calls.call("metric", args, "Error when creating Metric: "), self._kind)


class Metric:
    """One metric; made by `MetricFamily.Metric`."""

    __slots__ = ("_handle", "_kind")

    def __init__(self, handle, kind):
        self._handle = handle
        self._kind = kind

    def increment(self, value):
        """Adds to a counter (nothing negative) or a gauge."""
        failure = "Failed to increment metric value: TRITONSERVER_METRIC_KIND_"
        if self._kind is MetricKind.HISTOGRAM:
            raise TritonModelException(failure + "HISTOGRAM does not support Increment")
        if self._kind is MetricKind.COUNTER and value < 0:
            raise TritonModelException(
                failure + "COUNTER can only be incremented monotonically by non-negative values."
            )
        self._send("increment", value)

    def set(self, value):
        """Sets a gauge."""
        if self._kind is not MetricKind.GAUGE:
            raise TritonModelException(
                "Failed to set metric value: TRITONSERVER_METRIC_KIND_%s does not support Set" % self._kind.name
            )
        self._send("set", value)

    def observe(self, value):
        """Adds an observation to a histogram."""
        if self._kind is not MetricKind.HISTOGRAM:
            raise TritonModelException(
                "Failed to observe metric value: TRITONSERVER_METRIC_KIND_%s does not support Observe"
                % self._kind.name
            )
        self._send("observe", value)

    def value(self):
        """The value of a counter or a gauge, over all instances of the model."""
        failure = "Failed to get metric value: "
        if self._kind is MetricKind.HISTOGRAM:
            raise TritonModelException(failure + "TRITONSERVER_METRIC_KIND_HISTOGRAM does not support Value")
        value = runtime.calls.call("metric_value", {"metric": self._handle}, failure)
        return float(value["f"] if isinstance(value, dict) else value)

    def _send(self, operation, value):
        runtime.connection.send_object({"k": "metric", "ops": [[self._handle, operation, _number(value)]]})


def _number(value):
    """A number as it stands in a frame; JSON has no others than finite ones."""
    number = float(value)
    if math.isfinite(number):
        return number
    return {"f": "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"}
