"""Triton's `vllm` backend on vLLM's asynchronous engine. `model.json` in the version directory says what it serves."""

import json
import os

import triton_python_backend_utils as pb_utils

from triton_vllm.tensors import complete


class TritonPythonModel:
    """One engine. Requests run side by side in it; the server does not batch them."""

    @staticmethod
    def auto_complete_config(config):
        """Adds the tensors that vLLM takes and gives; decoupled, without batches."""
        complete(config)
        config.set_model_transaction_policy({"decoupled": True})
        config.set_max_batch_size(0)
        return config

    def initialize(self, args):
        config = json.loads(args["model_config"])
        if not pb_utils.using_decoupled_model_transaction_policy(config):
            raise pb_utils.TritonModelException(
                "vLLM Triton backend must be configured to use decoupled model transaction policy"
            )
        arguments = _engine_arguments(pb_utils.get_model_dir())
        _choose_device(args, arguments)

        # vLLM takes seconds to import, and must find the device chosen.
        from triton_vllm.engine import Engine
        from triton_vllm.loras import Loras
        from triton_vllm.request import answer

        parameters = config.get("parameters", {})
        self._checks_health = _is_true(parameters, "ENABLE_VLLM_HEALTH_CHECK")
        labels = {"model": args["model_name"], "version": args["model_version"]}
        self._loras = Loras(pb_utils.get_model_dir(), arguments)
        self._answer = answer
        self._engine = Engine(arguments, labels if _is_true(parameters, "REPORT_CUSTOM_METRICS") else None)

    def execute(self, requests):
        for request in requests:
            self._engine.start(self._answer(self._engine, self._loras, request))

    def is_ready(self):
        """Whether the engine lives; asked by the server when a client asks for the model's readiness."""
        return not self._checks_health or self._engine.is_healthy()

    def finalize(self):
        self._engine.stop()


def _engine_arguments(directory):
    path = os.path.join(directory, "model.json")
    if not os.path.isfile(path):
        raise pb_utils.TritonModelException(
            "'model.json' containing vllm engine args must be provided in '%s'" % directory
        )
    with open(path) as file:
        return json.load(file)


def _choose_device(args, arguments):
    """One GPU for an instance of KIND_GPU. An engine over several is of KIND_MODEL and chooses itself."""
    if args["model_instance_kind"] != "GPU":
        return
    devices = int(arguments.get("tensor_parallel_size", 1)) * int(arguments.get("pipeline_parallel_size", 1))
    if devices > 1:
        raise ValueError(
            "KIND_GPU is currently for single-GPU models, please specify KIND_MODEL in the model's config.pbtxt for "
            "multi-GPU models"
        )
    os.environ["CUDA_VISIBLE_DEVICES"] = args["model_instance_device_id"]


def _is_true(parameters, name):
    return parameters.get(name, {}).get("string_value", "").lower() == "true"
