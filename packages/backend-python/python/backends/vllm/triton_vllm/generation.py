"""Generates text."""

import base64
import io
import json

import numpy as np
import triton_python_backend_utils as pb_utils
from vllm.sampling_params import RequestOutputKind

from triton_vllm.inputs import first, flags
from triton_vllm.sampling import sampling_parameters

_EXTRAS = ("finish_reason", "cumulative_logprob", "logprobs", "num_input_tokens", "num_output_tokens")


class Generation:
    """A request for text: streamed with only what is new in each response, or in one response."""

    task = "generate"

    def __init__(self, request, loras):
        self.streams = bool(first(request, "stream", False))
        excludes = first(request, "exclude_input_in_output", self.streams)
        if self.streams and not excludes:
            raise ValueError("When streaming, `exclude_input_in_output` = False is not allowed.")
        self._prepends = not excludes
        self._extras = flags(request, _EXTRAS)
        self._text = first(request, "text_input")
        self._images = _images(request)
        text = first(request, "sampling_parameters") or request.parameters()
        self._sampling, lora_name = sampling_parameters(json.loads(text))
        self._sampling.output_kind = RequestOutputKind.DELTA if self.streams else RequestOutputKind.FINAL_ONLY
        self._lora = loras.find(lora_name)

    def start(self, llm, request_id):
        """An asynchronous iterator over what the engine gives."""
        prompt = self._text
        if self._images:
            prompt = {"prompt": prompt, "multi_modal_data": {"image": self._images}}
        return llm.generate(prompt, self._sampling, request_id, lora_request=self._lora)

    def response(self, output):
        """The response for an output of the engine."""
        before = self._text if self._prepends else ""
        tensors = [_strings("text_output", [before + part.text for part in output.outputs])]
        for name in self._extras:
            tensors.append(_EXTRA_TENSORS[name](output))
        return pb_utils.InferenceResponse(tensors)


def _strings(name, texts):
    return pb_utils.Tensor(name, np.array([text.encode("utf-8") for text in texts], dtype=np.object_))


def _logprobs_json(logprobs):
    """JSON of the candidates at each position; null when they were not asked for."""
    if logprobs is None:
        return "null"
    return json.dumps(
        [
            {
                token: {"logprob": one.logprob, "rank": one.rank, "decoded_token": one.decoded_token}
                for token, one in position.items()
            }
            for position in logprobs
        ]
    )


def _numbers(name, values, dtype):
    return pb_utils.Tensor(name, np.array(values, dtype=dtype))


_EXTRA_TENSORS = {
    "finish_reason": lambda output: _strings("finish_reason", [str(part.finish_reason) for part in output.outputs]),
    "cumulative_logprob": lambda output: _numbers(
        "cumulative_logprob", [part.cumulative_logprob for part in output.outputs], np.float32
    ),
    "logprobs": lambda output: _strings("logprobs", [_logprobs_json(part.logprobs) for part in output.outputs]),
    "num_input_tokens": lambda output: _numbers("num_input_tokens", [len(output.prompt_token_ids)], np.uint32),
    "num_output_tokens": lambda output: _numbers(
        "num_output_tokens", [len(part.token_ids) for part in output.outputs], np.uint32
    ),
}


def _images(request):
    tensor = pb_utils.get_input_tensor_by_name(request, "image")
    if tensor is None:
        return []
    from PIL import Image

    return [Image.open(io.BytesIO(base64.b64decode(image))).convert("RGB") for image in tensor.as_numpy().reshape(-1)]
