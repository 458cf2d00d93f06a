"""Tensors as DLPack capsules, without copies. Through ctypes, for numpy knows neither BF16 nor capsules of its own."""

import ctypes

import numpy as np

from triton_ts.datatypes import BYTES, TO_NUMPY
from triton_ts.errors import TritonModelException

_CPU, _CUDA, _CUDA_HOST = 1, 2, 3
_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
_BFLOAT = 4
_NAME = b"dltensor"
_USED = b"used_dltensor"

_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]

# What capsules that somebody holds point to, by address: the struct, its shape, and the array.
_exported = {}


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete_unused(capsule):
    # A raw address and not the object, which is being freed.
    if _is_valid(capsule, _NAME):
        _exported.pop(_pointer(capsule, _NAME), None)


_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))


def to_capsule(array, datatype):
    """A capsule that keeps the array for as long as it, or whoever took it, lives."""
    if datatype == BYTES:
        raise TritonModelException("DLPack does not have support for string tensors.")
    code = _BFLOAT if datatype == "BF16" else _CODES[array.dtype.kind]
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    managed = _Managed()
    managed.tensor = _Tensor(
        array.ctypes.data, _CPU, 0, array.ndim, code, array.dtype.itemsize * 8, 1, shape, None, 0
    )
    managed.deleter = _delete
    address = ctypes.addressof(managed)
    _exported[address] = (managed, shape, array)
    return _python.PyCapsule_New(address, _NAME, ctypes.cast(_delete_unused, ctypes.c_void_p))


def from_object(source):
    """Datatype and array of a capsule, or of an object with `__dlpack__`; the array keeps what it views."""
    if type(source).__name__ != "PyCapsule":
        source = _capsule_of(source)
    pointer = _python.PyCapsule_GetPointer(source, _NAME)
    managed = _Managed.from_address(pointer)
    tensor = managed.tensor
    if tensor.device_type not in (_CPU, _CUDA_HOST):
        raise _unsupported_device(tensor.device_type)
    shape = tensor.shape[: tensor.dimensions] if tensor.dimensions else []
    _check_order(tensor, shape)
    datatype = _datatype_of(tensor)
    _python.PyCapsule_SetName(source, _USED)
    return datatype, np.asarray(_Owner(managed, tensor, shape)).view(TO_NUMPY[datatype]).reshape(shape)


class _Owner:
    """Memory that another library has handed over, and gets back when the last view of it is gone."""

    __slots__ = ("__array_interface__", "_managed")

    def __init__(self, managed, tensor, shape):
        self._managed = managed
        size = tensor.bits // 8
        for length in shape:
            size *= length
        self.__array_interface__ = {
            "version": 3,
            "typestr": "|u1",
            "shape": (size,),
            "data": ((tensor.data or 0) + tensor.offset, False),
        }

    def __del__(self):
        if self._managed.deleter:
            self._managed.deleter(ctypes.byref(self._managed))


def _capsule_of(source):
    if not hasattr(source, "__dlpack__") or not hasattr(source, "__dlpack_device__"):
        raise TritonModelException(
            "Provided tensor is not supported. Tensor must be a DLPack capsule or have `__dlpack__` and "
            "`__dlpack_device__` attributes"
        )
    device = int(source.__dlpack_device__()[0])
    if device not in (_CPU, _CUDA_HOST):
        raise _unsupported_device(device)
    return source.__dlpack__(stream=None)


def _unsupported_device(device):
    if device == _CUDA:
        return TritonModelException(
            "DLPack capsule passed pointer to memory allocated on GPU device: copy the tensor to the CPU first, "
            "for instance with `tensor.cpu()`"
        )
    return TritonModelException("DLDevice type %d is not support by Python backend." % device)


def _check_order(tensor, shape):
    expected = 1
    for axis in reversed(range(len(shape)) if tensor.strides else ()):
        if shape[axis] != 1 and tensor.strides[axis] != expected:
            raise TritonModelException(
                "DLPack tensor is not contiguous. Only contiguous DLPack tensors that are stored in C-Order are "
                "supported."
            )
        expected *= shape[axis]


def _datatype_of(tensor):
    for datatype, dtype in TO_NUMPY.items():
        code = _BFLOAT if datatype == "BF16" else _CODES[dtype.kind]
        if (tensor.code, tensor.bits, tensor.lanes) == (code, dtype.itemsize * 8, 1):
            return datatype
    raise TritonModelException("DLPack tensor has a data type that Triton does not have.")
