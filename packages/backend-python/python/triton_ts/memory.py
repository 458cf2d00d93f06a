"""Where the outputs of a nested request should be."""

import enum


class MemoryType(enum.IntEnum):
    TRITONSERVER_MEMORY_GPU = 0
    TRITONSERVER_MEMORY_CPU = 1


TRITONSERVER_MEMORY_GPU = MemoryType.TRITONSERVER_MEMORY_GPU
TRITONSERVER_MEMORY_CPU = MemoryType.TRITONSERVER_MEMORY_CPU


class PreferredMemory:
    """A wish of the model. The server hands outputs out in the memory of the CPU."""

    __slots__ = ("memory_type", "device_id")

    def __init__(self, preferred_memory_type, preferred_device_id=0):
        self.memory_type = MemoryType(preferred_memory_type)
        self.device_id = preferred_device_id
