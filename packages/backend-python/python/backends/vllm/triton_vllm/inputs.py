"""Inputs of a request as plain values."""

import triton_python_backend_utils as pb_utils


def first(request, name, default=None):
    """The first element of an input, text decoded; the default when the input is absent."""
    tensor = pb_utils.get_input_tensor_by_name(request, name)
    if tensor is None or tensor.as_numpy().size == 0:
        return default
    element = tensor.as_numpy().reshape(-1)[0]
    return element.decode("utf-8") if isinstance(element, bytes) else element.item()


def flags(request, names):
    """Which of the boolean inputs are set."""
    return {name for name in names if first(request, "return_" + name, False)}
