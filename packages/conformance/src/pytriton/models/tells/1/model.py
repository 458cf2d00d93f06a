import json
import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Tells what it was told, by Triton and by the request, and who it is."""

    def initialize(self, args):
        self.args = args

    def execute(self, requests):
        return [pb_utils.InferenceResponse([self.tell(request)]) for request in requests]

    def tell(self, request):
        # Long enough for another instance to take the next request.
        time.sleep(int(pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()[0]) / 1000)
        told = {
            "pid": os.getpid(),
            "instance": self.args["model_instance_name"],
            "kind": self.args["model_instance_kind"],
            "model": self.args["model_name"],
            "version": self.args["model_version"],
            "repository": self.args["model_repository"],
            "config": json.loads(self.args["model_config"]),
            "id": request.request_id(),
            "parameters": json.loads(request.parameters()),
            "correlation_id": request.correlation_id(),
            "flags": request.flags(),
            "timeout": request.timeout(),
            "outputs": list(request.requested_output_names()),
        }
        return pb_utils.Tensor("OUT", np.array([json.dumps(told)], np.object_))
