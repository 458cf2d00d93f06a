"""A tensor with a name."""

import numpy as np

from triton_ts import byte_tensors
from triton_ts.datatypes import BF16, BYTES, NUMBERS, TO_NUMPY, datatype_of
from triton_ts.errors import TritonModelException


class Tensor:
    """A named tensor in the memory of the CPU.

    `Tensor(name, array)` takes a numpy array, or what numpy makes one of. An array that is contiguous is not copied.
    """

    __slots__ = ("_array", "_datatype", "_name", "_shape", "_source", "_start")

    def __init__(self, name, numpy_array):
        if not isinstance(numpy_array, np.ndarray):
            numpy_array = np.asarray(numpy_array)
        datatype = datatype_of(numpy_array.dtype)
        if name == "":
            raise TritonModelException("Tensor name cannot be an empty string.")
        if datatype is None:
            raise TritonModelException("NumPy dtype is not supported.")
        if not numpy_array.flags.c_contiguous:
            numpy_array = np.ascontiguousarray(numpy_array)
        self._name = name
        self._datatype = datatype
        self._shape = numpy_array.shape
        self._array = numpy_array

    @classmethod
    def received(cls, name, datatype, shape, source, start):
        """A tensor that came in a frame: bytes of `source` from `start` on, viewed when the model asks for them."""
        tensor = cls.__new__(cls)
        tensor._name = name
        tensor._datatype = datatype
        tensor._shape = shape
        tensor._array = None
        tensor._source = source
        tensor._start = start
        return tensor

    @classmethod
    def of_bits(cls, name, datatype, array):
        """A tensor of `datatype` whose elements are the bits of a contiguous array."""
        tensor = cls.received(name, datatype, array.shape, None, 0)
        tensor._array = array
        return tensor

    def name(self):
        return self._name

    def triton_dtype(self):
        """The number of the datatype, as `triton_to_numpy_type` takes it."""
        return NUMBERS[self._datatype]

    def shape(self):
        return list(self._shape)

    def is_cpu(self):
        """True: the server hands tensors to Python in the memory of the CPU."""
        return True

    def as_numpy(self):
        """The elements as an array; BYTES as an array of `bytes` objects. A view where that is possible, not a copy."""
        if self._datatype == BF16:
            raise TritonModelException(
                "Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and from_dlpack() instead."
            )
        return self.elements()

    def elements(self):
        """The array behind the tensor; of BF16 its bits."""
        if self._array is None:
            if self._datatype == BYTES:
                self._array = self._strings()
            else:
                self._array = np.ndarray(self._shape, TO_NUMPY[self._datatype], self._source, self._start)
            self._source = None
        return self._array

    def _strings(self):
        try:
            return byte_tensors.deserialize(memoryview(self._source)[self._start :]).reshape(self._shape)
        except ValueError as error:
            raise TritonModelException(str(error)) from None

    def to_dlpack(self):
        """A DLPack capsule that views the tensor."""
        from triton_ts import dlpack

        return dlpack.to_capsule(self.elements(), self._datatype)

    @staticmethod
    def from_dlpack(name, tensor):
        """A tensor that views a DLPack capsule, or an object that offers one, in the memory of the CPU."""
        from triton_ts import dlpack

        if name == "":
            raise TritonModelException("Tensor name cannot be an empty string.")
        datatype, array = dlpack.from_object(tensor)
        return Tensor.of_bits(name, datatype, array)

    def __dlpack__(self, *, stream=None, **_):
        return self.to_dlpack()

    def __dlpack_device__(self):
        """kDLCPU, device 0."""
        return (1, 0)
