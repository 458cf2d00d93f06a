"""LoRA adapters that requests choose by name."""

import json
import os

import triton_python_backend_utils as pb_utils


class Loras:
    """The adapters of `multi_lora.json` (`{name: path}`), when `enable_lora` is set in `model.json`."""

    def __init__(self, directory, arguments):
        self._paths = None
        if str(arguments.get("enable_lora", False)).lower() != "true":
            return
        path = os.path.join(directory, "multi_lora.json")
        if not os.path.isfile(path):
            raise FileNotFoundError("Triton backend cannot find %s." % path)
        with open(path) as file:
            self._paths = json.load(file)

    def find(self, name):
        """vLLM's request for an adapter; None without a name."""
        if name is None:
            return None
        if self._paths is None:
            raise pb_utils.TritonModelException("LoRA feature is not enabled.")
        names = list(self._paths)
        if name not in names:
            raise pb_utils.TritonModelException(
                "LoRA %s is not supported, we currently support %s" % (name, names)
            )
        from vllm.lora.request import LoRARequest

        number = names.index(name) + 1
        return LoRARequest(str(number), number, self._paths[name])
