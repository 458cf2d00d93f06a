import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Exports metrics, and logs at every level."""

    def initialize(self, args):
        families = {
            "counter": pb_utils.MetricFamily("proof_calls", "Calls so far", pb_utils.MetricFamily.COUNTER),
            "gauge": pb_utils.MetricFamily("proof_last", "Last value", pb_utils.MetricFamily.GAUGE),
            "histogram": pb_utils.MetricFamily("proof_sizes", "Sizes of values", pb_utils.MetricFamily.HISTOGRAM),
        }
        # Its metrics live as long as a family does.
        self.families = families
        self.calls = families["counter"].Metric(labels={"model": "counts", "quoted": 'a"b'})
        self.last = families["gauge"].Metric(labels={"model": "counts"})
        self.sizes = families["histogram"].Metric(labels={"model": "counts"}, buckets=[1, 4])

    def execute(self, requests):
        logger = pb_utils.Logger
        responses = []
        for request in requests:
            value = float(pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()[0])
            self.calls.increment(1)
            self.last.set(value)
            self.sizes.observe(value)
            logger.log_info(f"info {value}")
            logger.log_warn("warn")
            logger.log_error("error")
            logger.log_verbose("verbose")
            responses.append(pb_utils.InferenceResponse([
                pb_utils.Tensor("OUT", np.array([self.calls.value()], np.float64))
            ]))
        return responses
