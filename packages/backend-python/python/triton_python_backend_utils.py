"""The library of Triton's Python models: `import triton_python_backend_utils as pb_utils`."""

import numpy as np

from triton_ts.byte_tensors import deserialize as deserialize_bytes_tensor
from triton_ts.byte_tensors import serialize as serialize_byte_tensor
from triton_ts.errors import TritonError, TritonModelException
from triton_ts.inference_request import InferenceRequest
from triton_ts.inference_response import InferenceResponse
from triton_ts.inference_trace import InferenceTrace
from triton_ts.logger import Logger
from triton_ts.memory import TRITONSERVER_MEMORY_CPU, TRITONSERVER_MEMORY_GPU, PreferredMemory
from triton_ts.metrics import Metric, MetricFamily
from triton_ts.model_config import ModelConfig
from triton_ts.model_control import is_model_ready, load_model, unload_model
from triton_ts.response_sender import InferenceResponseSender
from triton_ts.runtime import runtime as _runtime
from triton_ts.tensor import Tensor

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2

TRITON_STRING_TO_NUMPY = {
    "TYPE_BOOL": bool,
    "TYPE_UINT8": np.uint8,
    "TYPE_UINT16": np.uint16,
    "TYPE_UINT32": np.uint32,
    "TYPE_UINT64": np.uint64,
    "TYPE_INT8": np.int8,
    "TYPE_INT16": np.int16,
    "TYPE_INT32": np.int32,
    "TYPE_INT64": np.int64,
    "TYPE_FP16": np.float16,
    "TYPE_FP32": np.float32,
    "TYPE_FP64": np.float64,
    "TYPE_STRING": np.object_,
}

# By TRITONSERVER_DataType, from 1 on.
_NUMPY_TYPES = (
    np.bool_,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.float16,
    np.float32,
    np.float64,
    np.object_,
)


def get_input_tensor_by_name(inference_request, name):
    """The input of a request with this name, or None."""
    return _named(inference_request.inputs(), name)


def get_output_tensor_by_name(inference_response, name):
    """The output of a response with this name, or None."""
    return _named(inference_response.output_tensors(), name)


def _named(tensors, name):
    for tensor in tensors:
        if tensor.name() == name:
            return tensor
    return None


def get_input_config_by_name(model_config, name):
    """The properties of an input in a model configuration (a dict), or None."""
    return _configured(model_config.get("input", ()), name)


def get_output_config_by_name(model_config, name):
    """The properties of an output in a model configuration (a dict), or None."""
    return _configured(model_config.get("output", ()), name)


def _configured(properties, name):
    for tensor in properties:
        if tensor["name"] == name:
            return tensor
    return None


def using_decoupled_model_transaction_policy(model_config):
    """Whether a model configuration (a dict) is decoupled: any number of responses to a request."""
    return model_config.get("model_transaction_policy", {}).get("decoupled", False)


def triton_to_numpy_type(data_type):
    """The numpy type of a TRITONSERVER_DataType number; None where there is none."""
    return _NUMPY_TYPES[data_type - 1] if 1 <= data_type <= len(_NUMPY_TYPES) else None


def numpy_to_triton_type(data_type):
    """The TRITONSERVER_DataType number of a numpy type; None where there is none."""
    for number, numpy_type in enumerate(_NUMPY_TYPES, 1):
        if data_type == numpy_type:
            return number
    return 13 if data_type == np.bytes_ else None


def triton_string_to_numpy(triton_type_string):
    """The numpy type of a configuration's data type, `TYPE_FP32` for instance; KeyError for another text."""
    return TRITON_STRING_TO_NUMPY[triton_type_string]


def get_model_dir():
    """The version directory of the model."""
    return _runtime.model_directory
