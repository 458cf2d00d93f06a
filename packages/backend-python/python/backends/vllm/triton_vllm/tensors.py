"""The tensors of a vllm model."""

_FLAGS = (
    "stream",
    "exclude_input_in_output",
    "return_finish_reason",
    "return_cumulative_logprob",
    "return_logprobs",
    "return_num_input_tokens",
    "return_num_output_tokens",
)

_INPUTS = [
    {"name": "text_input", "data_type": "TYPE_STRING", "dims": [1]},
    # Base64 of encoded images.
    {"name": "image", "data_type": "TYPE_STRING", "dims": [-1], "optional": True},
    # JSON of vLLM's SamplingParams; without it the parameters of the request are taken.
    {"name": "sampling_parameters", "data_type": "TYPE_STRING", "dims": [1], "optional": True},
    # JSON of a request for an embedding: `input` (text or token ids), `pooling_params`.
    {"name": "embedding_request", "data_type": "TYPE_STRING", "dims": [1], "optional": True},
    *({"name": name, "data_type": "TYPE_BOOL", "dims": [1], "optional": True} for name in _FLAGS),
]

_OUTPUTS = [
    {"name": "text_output", "data_type": "TYPE_STRING", "dims": [-1]},
    {"name": "finish_reason", "data_type": "TYPE_STRING", "dims": [-1]},
    {"name": "cumulative_logprob", "data_type": "TYPE_FP32", "dims": [-1]},
    {"name": "logprobs", "data_type": "TYPE_STRING", "dims": [-1]},
    {"name": "num_input_tokens", "data_type": "TYPE_UINT32", "dims": [1]},
    {"name": "num_output_tokens", "data_type": "TYPE_UINT32", "dims": [-1]},
]


def complete(config):
    """Adds the tensors that the configuration does not name itself."""
    given = config.as_dict()
    inputs = {tensor["name"] for tensor in given.get("input", ())}
    outputs = {tensor["name"] for tensor in given.get("output", ())}
    for tensor in _INPUTS:
        if tensor["name"] not in inputs:
            config.add_input(dict(tensor))
    for tensor in _OUTPUTS:
        if tensor["name"] not in outputs:
            config.add_output(dict(tensor))
