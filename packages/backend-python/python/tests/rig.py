"""The server's side of the conversation, for tests: starts the process and speaks frames with it."""

import fcntl
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import tempfile
import textwrap

import numpy as np

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_STUB = os.path.join(_PACKAGE, "triton_ts", "stub.py")
_CONFIG = {"name": "m", "max_batch_size": 0, "input": [], "output": []}
_NUMPY = {"FP32": np.float32, "INT32": np.int32, "UINT16": np.uint16, "BF16": np.uint16, "INT64": np.int64}


class Rig:
    """One process with the model of a source text. Ends it as a context manager."""

    def __init__(self, source, shm=True, decoupled=False, initialize=True, version="1", config=None, limit=None):
        self.directory = tempfile.TemporaryDirectory()
        version_directory = os.path.join(self.directory.name, version)
        os.mkdir(version_directory)
        self.file = os.path.join(version_directory, "model.py")
        with open(self.file, "w") as file:
            file.write(textwrap.dedent(source))
        self.config = json.dumps(config or {**_CONFIG, "model_transaction_policy": {"decoupled": decoupled}})
        self.decoupled = decoupled
        self._blobs = {}
        self._numbers = iter(range(1, 1_000_000))
        self._start(shm, limit)
        self.send(
            k="hello",
            shm=shm,
            paths=[],
            file=self.file,
            name="m",
            version=version,
            model_repository=self.directory.name,
            instance="m_0_0",
            kind="CPU",
            device=0,
            config=self.config,
            backend_config={},
            decoupled=decoupled,
            verbose=0,
        )
        if initialize:
            self.initialized = self.ask("initialize", **self.arguments())
            assert "error" not in self.initialized, self.initialized

    def _start(self, shm, limit):
        self.socket, theirs = socket.socketpair()
        self.requests = os.memfd_create("requests")
        self.responses = os.memfd_create("responses")
        self._written = 0
        self.output, out = os.pipe()
        given = [theirs.fileno(), self.requests, self.responses] if shm else [theirs.fileno()]
        # Above the numbers that the process gets, so that handing one over does not hide another.
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in [out, out, *given]]
        actions = [(os.POSIX_SPAWN_DUP2, descriptor, index) for index, descriptor in enumerate(high, 1)]
        self.pid = os.posix_spawn(sys.executable, [sys.executable, _STUB], os.environ, file_actions=actions)
        if limit is not None:
            resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (limit, limit))
        theirs.close()
        for descriptor in [out, *high]:
            os.close(descriptor)
        self.socket.settimeout(30)
        self._file = self.socket.makefile("rb")

    def arguments(self):
        return {"config": self.config, "instance": "m_0_0", "kind": "CPU", "device": 0, "decoupled": self.decoupled}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid is not None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.close(self.output)
        self._file.close()
        self.socket.close()
        os.close(self.requests)
        os.close(self.responses)
        self.directory.cleanup()

    def wait(self):
        """Waits for the end of the process and returns its exit code, negative for a signal."""
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    # Frames

    def send(self, blobs=b"", **header):
        text = json.dumps(header).encode()
        padding = -(8 + len(text)) & 7 if blobs else 0
        self.socket.sendall(
            struct.pack("<II", 4 + len(text) + padding + len(blobs), len(text)) + text + bytes(padding) + blobs
        )

    def receive(self):
        """The next frame of the process; its blobs stand in `blobs`."""
        size, header_size = struct.unpack("<II", self._exactly(8))
        body = self._exactly(size - 4)
        header = json.loads(body[:header_size])
        header["blobs"] = body[header_size + (-(8 + header_size) & 7) :]
        return header

    def _exactly(self, count):
        content = self._file.read(count)
        if len(content) < count:
            raise EOFError("the process has ended: %s" % os.read(self.output, 65536).decode())
        return content

    def until(self, kind):
        """The next frame of a kind, and those before it."""
        before = []
        for _ in range(10_000):
            frame = self.receive()
            if frame["k"] == kind:
                return frame, before
            before.append(frame)
        raise AssertionError("no %s" % kind)

    def ask(self, question, **members):
        """Asks a question and waits for its answer."""
        self.send(k=question, id=next(self._numbers), **members)
        return self.until("done_call")[0]

    # Tensors

    def tensor(self, blobs, name, array, datatype, shared=False):
        """Describes a tensor, and puts its bytes into `blobs` (a bytearray) or shared memory."""
        content = array if isinstance(array, bytes) else array.tobytes()
        shape = [len(array)] if isinstance(array, bytes) else list(array.shape)
        if shared:
            offset = self._written
            os.pwrite(self.requests, content, offset)
            self._written += (len(content) + 63) & -64
            return [name, datatype, shape, 1, offset, len(content)]
        offset = len(blobs)
        blobs += content + bytes(-len(content) & 7)
        return [name, datatype, shape, 0, offset, len(content)]

    def execute(self, *requests, batch=1):
        """Sends a batch; a request is a dict of its members with `in` as `{name: (array, datatype)}`."""
        blobs = bytearray()
        sent = []
        for number, request in enumerate(requests, 1):
            tensors = [
                self.tensor(blobs, name, array, *rest) for name, (array, *rest) in request.get("in", {}).items()
            ]
            sent.append({"s": number, **request, "in": tensors})
        self.send(bytes(blobs), k="execute", b=batch, r=sent)

    def run(self, *requests):
        """Sends a batch and waits for its answers."""
        self.execute(*requests)
        return self.until("executed")[0]

    def bytes_of(self, frame, described):
        _, _, _, place, offset, size = described
        if place == 0:
            return frame["blobs"][offset : offset + size]
        with mmap.mmap(self.responses, 0, prot=mmap.PROT_READ) as mapping:
            return mapping[offset : offset + size]

    def array(self, frame, described):
        """The elements of a tensor that the process has sent."""
        return np.frombuffer(self.bytes_of(frame, described), _NUMPY[described[1]]).reshape(described[2])
