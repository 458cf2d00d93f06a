"""Embeds text."""

import json

import numpy as np
import triton_python_backend_utils as pb_utils
from vllm import PoolingParams
from vllm.outputs import EmbeddingRequestOutput

from triton_vllm.inputs import first, flags


class Embedding:
    """A request for an embedding, in one response: JSON of its numbers as `text_output`."""

    task = "embed"
    streams = False

    def __init__(self, request, _loras):
        asked = json.loads(first(request, "embedding_request"))
        prompt = asked["input"]
        self._prompt = prompt if isinstance(prompt, str) else {"prompt_token_ids": prompt}
        dimensions = asked.get("pooling_params", {}).get("dimensions")
        self._pooling = PoolingParams(
            task="embed", dimensions=dimensions[0] if isinstance(dimensions, list) else dimensions
        )
        self._extras = flags(request, ("num_input_tokens", "num_output_tokens"))

    def start(self, llm, request_id):
        """An asynchronous iterator over what the engine gives."""
        return llm.encode(self._prompt, self._pooling, request_id)

    def response(self, output):
        """The response for the output of the engine."""
        embedding = EmbeddingRequestOutput.from_base(output).outputs.embedding
        tensors = [pb_utils.Tensor("text_output", np.array([json.dumps(embedding)], dtype=np.object_))]
        # An embedding generates nothing.
        counts = {"num_input_tokens": len(output.prompt_token_ids), "num_output_tokens": 0}
        for name in self._extras:
            tensors.append(pb_utils.Tensor(name, np.array([counts[name]], dtype=np.uint32)))
        return pb_utils.InferenceResponse(tensors)
