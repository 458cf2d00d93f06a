"""Sampling parameters of a request."""

import json

from vllm.sampling_params import SamplingParams, StructuredOutputsParams


def sampling_parameters(given):
    """vLLM's parameters and the name of a LoRA, from a dict; ValueError for a name that vLLM does not have.

    Numbers may be strings, as a client that only has string parameters sends them.
    """
    lora_name = given.pop("lora_name", None)
    # Parameters of the server that reach the model too.
    members = {name: value for name, value in given.items() if not name.startswith("triton_")}
    structured = members.get("structured_outputs")
    if structured is not None:
        members["structured_outputs"] = StructuredOutputsParams(
            **(json.loads(structured) if isinstance(structured, str) else structured)
        )
    for name, value in members.items():
        if name not in SamplingParams.__annotations__:
            raise ValueError("unknown sampling parameter '%s'" % name)
        if isinstance(value, str):
            members[name] = _typed(name, value)
    return SamplingParams(**members), lora_name


def _typed(name, text):
    kind = str(SamplingParams.__annotations__[name])
    if "str" in kind or not any(word in kind for word in ("int", "float", "bool", "list")):
        return text
    try:
        return json.loads(text.lower())
    except ValueError:
        raise ValueError("sampling parameter '%s' cannot be '%s'" % (name, text)) from None
