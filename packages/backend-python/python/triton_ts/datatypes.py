"""Triton's datatypes: protocol names, numbers of TRITONSERVER_DataType, and numpy's types."""

import numpy as np

BYTES = "BYTES"
BF16 = "BF16"

# TRITONSERVER_DataType of each name.
NUMBERS = {
    "BOOL": 1,
    "UINT8": 2,
    "UINT16": 3,
    "UINT32": 4,
    "UINT64": 5,
    "INT8": 6,
    "INT16": 7,
    "INT32": 8,
    "INT64": 9,
    "FP16": 10,
    "FP32": 11,
    "FP64": 12,
    "BYTES": 13,
    "BF16": 14,
}

TO_NUMPY = {
    "BOOL": np.dtype(np.bool_),
    "UINT8": np.dtype(np.uint8),
    "UINT16": np.dtype(np.uint16),
    "UINT32": np.dtype(np.uint32),
    "UINT64": np.dtype(np.uint64),
    "INT8": np.dtype(np.int8),
    "INT16": np.dtype(np.int16),
    "INT32": np.dtype(np.int32),
    "INT64": np.dtype(np.int64),
    "FP16": np.dtype(np.float16),
    "FP32": np.dtype(np.float32),
    "FP64": np.dtype(np.float64),
    # numpy has no bfloat16: the bits, which only DLPack hands out.
    "BF16": np.dtype(np.uint16),
}

_FROM_NUMPY = {dtype: name for name, dtype in TO_NUMPY.items() if name != BF16}
_FROM_NUMPY[np.dtype(np.object_)] = BYTES


def datatype_of(dtype):
    """The protocol name of a numpy dtype, or None where Triton has none. Any fixed-length bytes are BYTES."""
    name = _FROM_NUMPY.get(dtype)
    return BYTES if name is None and dtype.kind == "S" else name
