"""What the functions of the library that belong to no object work on: the one process."""

from contextvars import ContextVar


class Runtime:
    """The parts of the process. They are set once, before the model is imported."""

    __slots__ = (
        "attendant",
        "batch",
        "calls",
        "connection",
        "decoupled",
        "finalizing",
        "initialized",
        "inputs",
        "instance",
        "model_directory",
        "nested",
        "outputs",
        "region",
        "slots",
        "verbose",
    )

    def __init__(self):
        self.attendant = None
        # Number and slot of the batch that the running code works for.
        self.batch = ContextVar("batch")
        self.calls = None
        self.connection = None
        self.decoupled = False
        self.finalizing = False
        self.initialized = False
        self.inputs = None
        self.instance = ""
        self.model_directory = None
        self.nested = None
        self.outputs = None
        self.region = None
        self.slots = None
        self.verbose = False


runtime = Runtime()
