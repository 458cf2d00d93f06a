import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Completes its own configuration."""

    @staticmethod
    def auto_complete_config(config):
        config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": [3]})
        config.add_output({"name": "OUT", "data_type": "TYPE_FP32", "dims": [3]})
        config.set_max_batch_size(16)
        config.set_dynamic_batching()
        return config

    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([
                pb_utils.Tensor("OUT", pb_utils.get_input_tensor_by_name(request, "IN").as_numpy() * 2)
            ])
            for request in requests
        ]
