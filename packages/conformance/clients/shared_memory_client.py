"""Runs tritonclient's shared memory over HTTP and gRPC against a server and prints one line per check: `ok NAME` or `failed NAME: what
went wrong`.

    shared_memory_client.py HTTP_HOST:PORT GRPC_HOST:PORT

The server has the models add_sub_int32 and identity_bytes.
"""

import os
import sys

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.http as http
import tritonclient.utils.shared_memory as shm
from tritonclient.utils import InferenceServerException, serialize_byte_tensor

CHECKS = []
KEY = "/triton_ts_client_%d" % os.getpid()
A = np.arange(16, dtype=np.int32).reshape(1, 16)
B = np.full((1, 16), 3, dtype=np.int32)


def check(function):
    CHECKS.append(function)
    return function


class Region:
    """Shared memory that is registered while the block runs."""

    def __init__(self, client, name, byte_size):
        self.client, self.name, self.byte_size = client, name, byte_size

    def __enter__(self):
        self.memory = shm.create_shared_memory_region(self.name, KEY + self.name, self.byte_size)
        self.client.register_system_shared_memory(self.name, KEY + self.name, self.byte_size)
        return self.memory

    def __exit__(self, *_):
        self.client.unregister_system_shared_memory(self.name)
        shm.destroy_shared_memory_region(self.memory)


def inputs(module, region="in"):
    made = [module.InferInput("INPUT%d" % i, [1, 16], "INT32") for i in range(2)]
    made[0].set_shared_memory(region, 64)
    made[1].set_shared_memory(region, 64, offset=64)
    return made


def outputs(module, region="out", byte_size=64):
    made = [module.InferRequestedOutput("OUTPUT%d" % i) for i in range(2)]
    made[0].set_shared_memory(region, byte_size)
    made[1].set_shared_memory(region, 64, offset=64)
    return made


def json_form(module):
    return {} if module is http else {"as_json": True}


def expect_error(text, call):
    try:
        call()
    except InferenceServerException as error:
        assert text in error.message(), "message %r lacks %r" % (error.message(), text)
        return
    raise AssertionError("no error, want %r" % text)


@check
def inputs_and_outputs(client, module):
    with Region(client, "in", 128) as source, Region(client, "out", 128) as target:
        shm.set_shared_memory_region(source, [A, B])
        result = client.infer("add_sub_int32", inputs(module), outputs=outputs(module))
        output = result.get_output("OUTPUT0")
        if module is http:
            assert output == {"name": "OUTPUT0", "datatype": "INT32", "shape": [1, 16]}, output
        else:
            assert list(output.shape) == [1, 16] and list(result.get_response().raw_output_contents) == [b"", b""], output
        np.testing.assert_array_equal(shm.get_contents_as_numpy(target, np.int32, [1, 16]), A + B)
        np.testing.assert_array_equal(shm.get_contents_as_numpy(target, np.int32, [1, 16], offset=64), A - B)


@check
def one_side_only(client, module):
    with Region(client, "in", 128) as source, Region(client, "out", 128) as target:
        shm.set_shared_memory_region(source, [A, B])
        result = client.infer("add_sub_int32", inputs(module))
        np.testing.assert_array_equal(result.as_numpy("OUTPUT0"), A + B)
        sent = [module.InferInput("INPUT%d" % i, [1, 16], "INT32") for i in range(2)]
        for tensor, data in zip(sent, (B, A)):
            tensor.set_data_from_numpy(data)
        client.infer("add_sub_int32", sent, outputs=outputs(module))
        np.testing.assert_array_equal(shm.get_contents_as_numpy(target, np.int32, [1, 16], offset=64), B - A)


@check
def strings(client, module):
    texts = np.array([["", "plain", "Grüße, 世界"]], dtype=np.object_)
    packed = serialize_byte_tensor(texts)
    size = len(packed.item())
    with Region(client, "texts", 2 * size) as memory:
        shm.set_shared_memory_region(memory, [packed])
        tensor = module.InferInput("INPUT0", [1, 3], "BYTES")
        tensor.set_shared_memory("texts", size)
        output = module.InferRequestedOutput("OUTPUT0")
        output.set_shared_memory("texts", size, offset=size)
        client.infer("identity_bytes", [tensor], outputs=[output])
        answer = shm.get_contents_as_numpy(memory, np.object_, [1, 3], offset=size)
        assert [text.decode() for text in answer[0]] == list(texts[0]), answer


@check
def status(client, module):
    def regions():
        listed = client.get_system_shared_memory_status(**json_form(module))
        entries = listed if module is http else list(listed.get("regions", {}).values())
        return sorted((entry["name"], entry["key"], int(entry["byte_size"])) for entry in entries)

    assert regions() == []
    with Region(client, "in", 128), Region(client, "out", 64):
        assert regions() == [("in", KEY + "in", 128), ("out", KEY + "out", 64)]
        client.unregister_system_shared_memory()
        assert regions() == []


@check
def mistakes(client, module):
    with Region(client, "in", 128) as source, Region(client, "out", 128):
        shm.set_shared_memory_region(source, [A, B])
        register = client.register_system_shared_memory
        expect_error("shared memory region 'in' already in manager", lambda: register("in", KEY + "in", 128))
        expect_error("Unable to open shared memory region: '/nobody_has_this'", lambda: register("x", "/nobody_has_this", 1))
        for size, offset in [(129, 0), (128, 1), (1, 128), (0, 129)]:
            expect_error("failed to register shared memory region 'x': invalid args", lambda: register("x", KEY + "in", size, offset=offset))
        for key in ["triton_python_backend_shm_region_x", "///triton_python_backend_shm_region_x"]:
            expect_error("as the key contains the reserved prefix", lambda: register("x", key, 1))
        for key in ["/", "///"]:
            expect_error("cannot register shared memory region 'x' - invalid shm key '%s'" % key, lambda: register("x", key, 1))
        infer = lambda tensors, wanted: lambda: client.infer("add_sub_int32", tensors, outputs=wanted)
        expect_error("Unable to find shared memory region: 'nope'", infer(inputs(module, "nope"), outputs(module)))
        expect_error("Unable to find shared memory region: 'nope'", infer(inputs(module), outputs(module, "nope")))
        small = "shared memory size specified with the request for output 'OUTPUT0' (32 bytes) should be at least 64 bytes to hold the results"
        expect_error(small, infer(inputs(module), outputs(module, byte_size=32)))
        expect_error("Invalid offset + byte size for shared memory region: 'out'", infer(inputs(module), outputs(module, byte_size=129)))
        client.unregister_system_shared_memory("nope")
    expect_error("Unable to find system shared memory region: 'in'", lambda: client.get_system_shared_memory_status("in"))


@check
def memory_of_gpus(client, module):
    """What a machine without GPUs answers."""
    assert client.get_cuda_shared_memory_status(**json_form(module)) == ([] if module is http else {})
    expect_error("Unable to find cuda shared memory region: 'nope'", lambda: client.get_cuda_shared_memory_status("nope"))
    client.unregister_cuda_shared_memory()
    client.unregister_cuda_shared_memory("nope")


def clients():
    yield "http", http, http.InferenceServerClient(sys.argv[1])
    yield "grpc", grpc, grpc.InferenceServerClient(sys.argv[2])


def main():
    for protocol, module, client in clients():
        for function in CHECKS:
            name = "%s_%s" % (protocol, function.__name__)
            try:
                function(client, module)
                print("ok %s" % name)
            except Exception as error:
                print("failed %s: %s: %s" % (name, type(error).__name__, " ".join(str(error).split())))
        client.close()


if __name__ == "__main__":
    main()
