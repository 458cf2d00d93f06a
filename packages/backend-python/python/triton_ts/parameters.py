"""Parameters of requests and responses."""

from triton_ts.errors import TritonModelException


def checked(parameters):
    """The parameters, when their keys and values have types that Triton sends."""
    if not isinstance(parameters, dict):
        raise TritonModelException("Expect dict, got %s" % type(parameters))
    for key, value in parameters.items():
        if not isinstance(key, str):
            raise TritonModelException("Expect parameters keys to have type str, found type %s" % type(key))
        if not isinstance(value, (bool, int, str)):
            raise TritonModelException(
                "Expect parameters values to have type bool/int/str, found type %s" % type(value)
            )
    return parameters


def received(parameters):
    """Parameters of a frame, with the numbers that JSON lacks."""
    return {key: float(value["f"]) if type(value) is dict else value for key, value in parameters.items()}
