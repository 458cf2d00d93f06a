"""Runs tritonclient.grpc against a server and prints one line per check: `ok NAME` or `failed NAME: what went wrong`.

    grpc_client.py HOST:PORT MODEL_FILE

The server runs in explicit mode over the recorded repository and the models of src/grpc/client-models.ts, with those of
grpc-client.test.ts loaded, with shared memory for clients, and with the logging API behind the header admin-key: secret.
MODEL_FILE is an ONNX model to upload.
"""

import asyncio
import json
import queue
import sys
import threading
import time
import uuid

import grpc
import numpy as np
import tritonclient.grpc.aio as aio
import tritonclient.utils.shared_memory as shm
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from tritonclient.grpc import InferenceServerClient, InferInput, InferRequestedOutput, service_pb2
from tritonclient.utils import InferenceServerException

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def tensor(name, data, datatype):
    made = InferInput(name, list(data.shape), datatype)
    made.set_data_from_numpy(data)
    return made


def pair(rows=1):
    a = np.arange(rows * 16, dtype=np.int32).reshape(rows, 16)
    b = np.full((rows, 16), 3, dtype=np.int32)
    return a, b, [tensor("INPUT0", a, "INT32"), tensor("INPUT1", b, "INT32")]


def expect_sum(result, a, b):
    np.testing.assert_array_equal(result.as_numpy("OUTPUT0"), a + b)
    np.testing.assert_array_equal(result.as_numpy("OUTPUT1"), a - b)


def expect_error(text, status, call):
    try:
        call()
    except InferenceServerException as error:
        assert text in error.message(), "message %r lacks %r" % (error.message(), text)
        assert error.status() == "StatusCode.%s" % status, "status %r, want %r" % (error.status(), status)
        return
    raise AssertionError("no error, want %r" % text)


def slow(milliseconds):
    return [tensor("DELAY", np.array([[milliseconds]], dtype=np.int32), "INT32")]


def repeat(count, milliseconds=0):
    return [
        tensor("COUNT", np.array([count], dtype=np.int32), "INT32"),
        tensor("DELAY", np.array([milliseconds], dtype=np.int32), "INT32"),
    ]


def failures(client, model):
    return int(client.get_inference_statistics(model).model_stats[0].inference_stats.fail.count)


def expect_soon(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in 10 s"
        time.sleep(0.01)


class Stream:
    """A stream whose answers wait in a queue."""

    def __init__(self, client, **options):
        self.client = client
        self.answers = queue.Queue()
        client.start_stream(lambda result, error: self.answers.put((result, error)), **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.stop_stream()

    def send(self, model, inputs, **options):
        self.client.async_stream_infer(model, inputs, **options)

    def result(self):
        result, error = self.answers.get(timeout=10)
        if error is not None:
            raise error
        return result


@check
def health(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("add_sub_int32")
    assert client.is_model_ready("ver_all", "2")
    # No error, though Triton answers with one: the client takes that for "not ready".
    assert not client.is_model_ready("ver_all", "7")
    assert not client.is_model_ready("no_such_model")
    stub = health_pb2_grpc.HealthStub(client._channel)
    assert stub.Check(health_pb2.HealthCheckRequest()).status == health_pb2.HealthCheckResponse.SERVING


@check
def server_metadata(client):
    metadata = client.get_server_metadata()
    assert metadata.name == "triton", metadata
    assert {"classification", "model_repository", "statistics"} <= set(metadata.extensions)


@check
def model_metadata(client):
    metadata = client.get_model_metadata("add_sub_int32", as_json=True)
    assert metadata == {
        "name": "add_sub_int32",
        "versions": ["1"],
        "platform": "onnxruntime_onnx",
        "inputs": [{"name": "INPUT%d" % i, "datatype": "INT32", "shape": ["-1", "16"]} for i in range(2)],
        "outputs": [{"name": "OUTPUT%d" % i, "datatype": "INT32", "shape": ["-1", "16"]} for i in range(2)],
    }, metadata
    assert list(client.get_model_metadata("ver_all", "2").versions) == ["2"]


@check
def model_config(client):
    config = client.get_model_config("add_sub_int32").config
    assert config.name == "add_sub_int32" and config.max_batch_size == 8, config
    assert config.backend == "onnxruntime" and config.input[0].dims == [16], config


@check
def infer(client):
    a, b, inputs = pair(rows=5)
    result = client.infer("add_sub_int32", inputs, request_id="one")
    expect_sum(result, a, b)
    response = result.get_response()
    assert (response.id, response.model_version) == ("one", "1"), response
    only = client.infer("add_sub_int32", inputs, outputs=[InferRequestedOutput("OUTPUT1")])
    assert only.as_numpy("OUTPUT0") is None
    np.testing.assert_array_equal(only.as_numpy("OUTPUT1"), a - b)


@check
def data_types(client):
    for name in ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "fp16", "fp32", "fp64"):
        data = np.array([[0, 1, 2, 100]], dtype=name.replace("fp", "float"))
        answer = client.infer("identity_" + name, [tensor("INPUT0", data, name.upper())]).as_numpy("OUTPUT0")
        assert answer.dtype == data.dtype, "%s came back as %s" % (name, answer.dtype)
        np.testing.assert_array_equal(answer, data)
    flags = np.array([[True, False, True]])
    answer = client.infer("identity_bool", [tensor("INPUT0", flags, "BOOL")]).as_numpy("OUTPUT0")
    np.testing.assert_array_equal(answer, flags)


@check
def strings(client):
    texts = ["", "plain", "Grüße, 世界", 'quote " and \\', "line\nbreak"]
    data = np.array([[text.encode() for text in texts]], dtype=np.object_)
    answer = client.infer("identity_bytes", [tensor("INPUT0", data, "BYTES")]).as_numpy("OUTPUT0")
    assert [text.decode() for text in answer[0]] == texts, answer


@check
def typed_contents(client):
    """Values in the message instead of bytes, which tritonclient never sends."""
    request = service_pb2.ModelInferRequest(model_name="identity_fp32")
    values = request.inputs.add(name="INPUT0", datatype="FP32", shape=[1, 3])
    values.contents.fp32_contents.extend([1.5, -2, 3])
    response = client._client_stub.ModelInfer(request)
    assert np.frombuffer(response.raw_output_contents[0], np.float32).tolist() == [1.5, -2, 3]
    assert not response.outputs[0].HasField("contents")


@check
def classification(client):
    data = np.array([[0.1, 5.0, 0.2, 3.0, 0.3], [9.0, 0.1, 0.2, 0.3, 0.4]], dtype=np.float32)
    outputs = [InferRequestedOutput("PROBS", class_count=2)]
    answer = client.infer("classify5", [tensor("INPUT0", data, "FP32")], outputs=outputs).as_numpy("PROBS")
    classes = [[text.decode().split(":")[1:] for text in row] for row in answer]
    assert classes == [[["1", "dog"], ["3", "fish"]], [["0", "cat"], ["4", "frog"]]], classes


@check
def async_infer(client):
    answers = queue.Queue()
    for rows in range(1, 9):
        _, _, inputs = pair(rows=rows)
        client.async_infer("add_sub_int32", inputs, lambda result, error: answers.put((result, error)), request_id=str(rows))
    for _ in range(8):
        result, error = answers.get(timeout=10)
        assert error is None, error
        a, b, _ = pair(rows=int(result.get_response().id))
        expect_sum(result, a, b)


@check
def compression(client):
    a, b, inputs = pair(rows=8)
    for algorithm in ("gzip", "deflate"):
        expect_sum(client.infer("add_sub_int32", inputs, compression_algorithm=algorithm), a, b)
        with Stream(client, compression_algorithm=algorithm) as stream:
            stream.send("add_sub_int32", inputs)
            expect_sum(stream.result(), a, b)


@check
def large_tensor(client):
    data = np.random.default_rng(7).random((8, 1_000_000), dtype=np.float32)
    answer = client.infer("identity_fp32", [tensor("INPUT0", data, "FP32")]).as_numpy("OUTPUT0")
    np.testing.assert_array_equal(answer, data)


@check
def errors(client):
    _, _, inputs = pair()
    unknown = "Request for unknown model: 'no_such_model' is not found"
    expect_error(unknown, "NOT_FOUND", lambda: client.infer("no_such_model", inputs))
    expect_error(unknown, "NOT_FOUND", lambda: client.get_model_metadata("no_such_model"))
    expect_error("expected 2 inputs but got 1 inputs", "INVALID_ARGUMENT", lambda: client.infer("add_sub_int32", inputs[:1]))
    batch = pair(rows=9)[2]
    expect_error("batch-size must be <= 8", "INVALID_ARGUMENT", lambda: client.infer("add_sub_int32", batch))
    decoupled = "ModelInfer RPC doesn't support models with decoupled transaction policy"
    expect_error(decoupled, "UNIMPLEMENTED", lambda: client.infer("repeat", repeat(1)))


@check
def statistics(client):
    def counts():
        stats = client.get_inference_statistics("identity_int16").model_stats[0]
        return stats.inference_count, stats.execution_count, stats.inference_stats.success.count

    before = counts()
    client.infer("identity_int16", [tensor("INPUT0", np.zeros((3, 2), np.int16), "INT16")])
    assert np.subtract(counts(), before).tolist() == [3, 1, 1]
    assert len(client.get_inference_statistics().model_stats) > 1


@check
def repository(client):
    index = {(model.name, model.version): model.state for model in client.get_model_repository_index().models}
    assert index[("add_sub_int32", "1")] == "READY", index
    assert not client.is_model_ready("reshape_fp32")
    client.load_model("reshape_fp32")
    assert client.is_model_ready("reshape_fp32")
    client.unload_model("reshape_fp32")
    assert not client.is_model_ready("reshape_fp32")
    config = json.dumps({"backend": "onnxruntime", "max_batch_size": 3})
    with open(sys.argv[2], "rb") as file:
        client.load_model("uploaded", config=config, files={"file:1/model.onnx": file.read()})
    assert client.get_model_config("uploaded").config.max_batch_size == 3
    not_polled = "failed to load 'no_such_model', failed to poll from model repository"
    expect_error(not_polled, "INTERNAL", lambda: client.load_model("no_such_model"))


@check
def stream(client):
    with Stream(client) as streaming:
        for rows in range(1, 9):
            streaming.send("add_sub_int32", pair(rows=rows)[2], request_id=str(rows))
        for rows in range(1, 9):
            result = streaming.result()
            response = result.get_response()
            assert response.id == str(rows), response.id
            assert response.parameters["triton_final_response"].bool_param
            expect_sum(result, *pair(rows=rows)[:2])


@check
def stream_errors(client):
    a, b, inputs = pair()
    with Stream(client) as streaming:
        streaming.send("no_such_model", inputs, request_id="lost")
        result, error = streaming.answers.get(timeout=10)
        assert result is None and "no_such_model" in error.message(), error
        streaming.send("add_sub_int32", inputs)
        expect_sum(streaming.result(), a, b)


@check
def strict_stream_errors(client):
    """As in Triton the failure of an inference ends the stream, and a request that is not taken does not."""
    with Stream(client, headers={"triton_grpc_error": "true"}) as streaming:
        streaming.send("no_such_model", pair()[2])
        result, error = streaming.answers.get(timeout=10)
        assert result is None and "no_such_model" in error.message() and error.status() is None, error
        streaming.send("repeat", repeat(-1))
        result, error = streaming.answers.get(timeout=10)
        assert result is None and error.status() == "StatusCode.INTERNAL", error


@check
def decoupled(client):
    with Stream(client) as streaming:
        for sender, count in (("a", 3), ("b", 5)):
            streaming.send("repeat", repeat(count, 1), request_id=sender, enable_empty_final_response=True)
        seen = {"a": [], "b": []}
        for _ in range(3 + 5 + 2):
            result = streaming.result()
            response = result.get_response()
            if response.parameters["triton_final_response"].bool_param:
                seen[response.id].append("end")
            else:
                seen[response.id].append(int(result.as_numpy("INDEX")[0]))
        assert seen == {"a": [0, 1, 2, "end"], "b": [0, 1, 2, 3, 4, "end"]}, seen


@check
def decoupled_without_end(client):
    """No answer tells of the end unless it is asked for."""
    with Stream(client) as streaming:
        streaming.send("repeat", repeat(2))
        assert [int(streaming.result().as_numpy("INDEX")[0]) for _ in range(2)] == [0, 1]
        streaming.send("repeat", repeat(0))
        streaming.send("repeat", repeat(1), request_id="next")
        assert streaming.result().get_response().id == "next"


@check
def sequences(client):
    with Stream(client) as streaming:
        for sequence, start in ((11, 100), (2**62 + 5, 1000)):
            for n, flags in ((start, {"sequence_start": True}), (1, {}), (2, {"sequence_end": True})):
                inputs = [tensor("INPUT", np.array([[n]], dtype=np.int32), "INT32")]
                streaming.send("seq_oldest", inputs, request_id=str(sequence), sequence_id=sequence, **flags)
        sums = {}
        for _ in range(6):
            result = streaming.result()
            sums.setdefault(result.get_response().id, []).append(result.as_numpy("OUTPUT").item())
        assert sums == {"11": [100, 101, 103], str(2**62 + 5): [1000, 1001, 1003]}, sums


@check
def client_timeout(client):
    """L0_client_timeout: the deadline of the client cancels the request, unary, asynchronous and in a stream."""
    before = failures(client, "slow")
    expect_error("Deadline Exceeded", "DEADLINE_EXCEEDED", lambda: client.infer("slow", slow(20_000), client_timeout=0.2))
    answers = queue.Queue()
    client.async_infer("slow", slow(20_000), lambda result, error: answers.put(error), client_timeout=0.2)
    assert answers.get(timeout=10).status() == "StatusCode.DEADLINE_EXCEEDED"
    with Stream(client, stream_timeout=0.2) as streaming:
        streaming.send("slow", slow(20_000))
        result, error = streaming.answers.get(timeout=10)
        assert result is None and "Deadline Exceeded" in error.message(), error
    expect_soon(lambda: failures(client, "slow") == before + 3)
    assert client.infer("slow", slow(1), client_timeout=10).as_numpy("OUT").item() == 1


@check
def cancellation(client):
    """L0_request_cancellation: a call that is given up gives the request up, and a closed stream all of its own."""
    before = failures(client, "slow")
    answers = queue.Queue()
    context = client.async_infer("slow", slow(20_000), lambda result, error: answers.put(error))
    time.sleep(0.1)
    context.cancel()
    error = answers.get(timeout=10)
    assert "Locally cancelled by application!" in error.message(), error
    streaming = Stream(client)
    streaming.send("slow", slow(20_000))
    time.sleep(0.1)
    client.stop_stream(cancel_requests=True)
    assert "Locally cancelled by application!" in streaming.answers.get(timeout=10)[1].message()
    expect_soon(lambda: failures(client, "slow") == before + 2)


@check
def queue_timeout(client):
    """The timeout of a request, which is the server's affair: it waits behind one that runs."""
    blocker = threading.Thread(target=lambda: client.infer("narrow", slow(1000)))
    blocker.start()
    time.sleep(0.2)
    expect_error("Request timeout expired", "UNAVAILABLE", lambda: client.infer("narrow", slow(1), timeout=1000))
    blocker.join()


@check
def aio_client(client):
    async def run():
        async with aio.InferenceServerClient(sys.argv[1]) as server:
            assert await server.is_server_ready()
            sums = [pair(rows=rows) for rows in range(1, 9)]
            results = await asyncio.gather(*(server.infer("add_sub_int32", inputs) for _, _, inputs in sums))
            for result, (a, b, _) in zip(results, sums):
                expect_sum(result, a, b)

            async def requests():
                for count in (2, 3):
                    yield {"model_name": "repeat", "inputs": repeat(count), "request_id": str(count)}

            seen = []
            async for result, error in server.stream_infer(requests()):
                assert error is None, error
                seen.append((result.get_response().id, int(result.as_numpy("INDEX")[0])))
            assert sorted(seen) == [("2", 0), ("2", 1), ("3", 0), ("3", 1), ("3", 2)], seen

    asyncio.run(run())


@check
def aio_cancellation(client):
    before = failures(client, "slow")

    async def run():
        async with aio.InferenceServerClient(sys.argv[1]) as server:
            task = asyncio.create_task(server.infer("slow", slow(20_000)))
            await asyncio.sleep(0.2)
            task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                pass

            async def requests():
                yield {"model_name": "slow", "inputs": slow(20_000)}

            answers = server.stream_infer(requests())
            waiting = asyncio.create_task(answers.__anext__())
            await asyncio.sleep(0.2)
            answers.cancel()
            await asyncio.wait([waiting])

    asyncio.run(run())
    expect_soon(lambda: failures(client, "slow") == before + 2)


@check
def system_shared_memory(client):
    a, b, _ = pair()
    size = a.nbytes
    name = uuid.uuid4().hex
    inputs, outputs = (shm.create_shared_memory_region(n + name, "/" + n + name, 2 * size) for n in ("in", "out"))

    def expect_outputs():
        written = shm.get_contents_as_numpy(outputs, np.int32, [2, 16])
        np.testing.assert_array_equal(written, np.concatenate([a + b, a - b]))

    try:
        shm.set_shared_memory_region(inputs, [a, b])
        for n in ("in", "out"):
            client.register_system_shared_memory(n + name, "/" + n + name, 2 * size)
        assert set(client.get_system_shared_memory_status().regions) >= {"in" + name, "out" + name}
        given = [InferInput("INPUT%d" % i, [1, 16], "INT32") for i in range(2)]
        wanted = [InferRequestedOutput("OUTPUT%d" % i) for i in range(2)]
        for i in range(2):
            given[i].set_shared_memory("in" + name, size, i * size)
            wanted[i].set_shared_memory("out" + name, size, i * size)
        client.infer("add_sub_int32", given, outputs=wanted)
        expect_outputs()
        shm.set_shared_memory_region(outputs, [np.zeros((2, 16), np.int32)])
        with Stream(client) as streaming:
            streaming.send("add_sub_int32", given, outputs=wanted)
            streaming.result()
        expect_outputs()
        given[0].set_shared_memory("nowhere", size)
        text = "Unable to find shared memory region: 'nowhere'"
        expect_error(text, "NOT_FOUND", lambda: client.infer("add_sub_int32", given))
        client.unregister_system_shared_memory("in" + name)
        client.unregister_system_shared_memory("out" + name)
        assert not {"in" + name, "out" + name} & set(client.get_system_shared_memory_status().regions)
    finally:
        shm.destroy_shared_memory_region(inputs)
        shm.destroy_shared_memory_region(outputs)


@check
def trace_settings(client):
    settings = client.get_trace_settings().settings
    assert settings["trace_level"].value == ["OFF"] and settings["trace_rate"].value == ["1000"], settings
    changed = client.update_trace_settings(settings={"trace_rate": "7"}).settings
    assert changed["trace_rate"].value == ["7"], changed
    assert client.update_trace_settings(settings={"trace_rate": None}).settings["trace_rate"].value == ["1000"]


@check
def restricted_headers(client):
    text = "This protocol is restricted, expecting header 'triton-grpc-protocol-admin-key'"
    expect_error(text, "UNAVAILABLE", client.get_log_settings)
    expect_error(text, "UNAVAILABLE", lambda: client.get_log_settings(headers={"triton-grpc-protocol-admin-key": "wrong"}))
    assert client.get_log_settings(headers={"triton-grpc-protocol-admin-key": "secret"}).settings["log_info"].bool_param


@check
def log_settings(client):
    """L0_logging: what is changed is shown, also what is set to the same again."""
    headers = {"triton-grpc-protocol-admin-key": "secret"}
    change = {"log_verbose_level": 1, "log_format": "ISO8601", "log_warning": False}
    changed = client.update_log_settings(settings=change, headers=headers).settings
    assert changed["log_verbose_level"].uint32_param == 1 and changed["log_format"].string_param == "ISO8601", changed
    assert not changed["log_warning"].bool_param
    back = {"log_verbose_level": 0, "log_format": "default", "log_warning": True}
    assert client.update_log_settings(settings=back, headers=headers).settings["log_warning"].bool_param
    text = "log file location can not be updated through network protocol"
    expect_error(text, "UNIMPLEMENTED", lambda: client.update_log_settings(settings={"log_file": "x"}, headers=headers))


@check
def reflection(client):
    database = ProtoReflectionDescriptorDatabase(client._channel)
    assert {"inference.GRPCInferenceService", "grpc.health.v1.Health"} <= set(database.get_services())
    file = database.FindFileContainingSymbol("inference.GRPCInferenceService")
    methods = {method.name for method in file.service[0].method}
    assert methods == set(service_pb2.DESCRIPTOR.services_by_name["GRPCInferenceService"].methods_by_name), methods


@check
def schema_is_wire_compatible(client):
    """Each field of the client's messages has the number and type that the server tells by reflection."""
    database = ProtoReflectionDescriptorDatabase(client._channel)
    told = {message.name: message for message in database.FindFileContainingSymbol("inference.GRPCInferenceService").message_type}
    for name, descriptor in service_pb2.DESCRIPTOR.message_types_by_name.items():
        ours = {field.name: (field.number, field.type, field.label) for field in told[name].field}
        theirs = {field.name: (field.number, field.type, field.label) for field in descriptor.fields}
        assert {key: ours.get(key) for key in theirs} == theirs, (name, ours, theirs)


@check
def unknown_method(client):
    call = client._channel.unary_unary("/inference.GRPCInferenceService/Nope", lambda x: x, lambda x: x)
    try:
        call(b"")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error.code()
        return
    raise AssertionError("no error")


def main():
    client = InferenceServerClient(sys.argv[1])
    for function in CHECKS:
        name = function.__name__
        try:
            function(client)
            print("ok %s" % name, flush=True)
        except Exception as error:
            print("failed %s: %s: %s" % (name, type(error).__name__, " ".join(str(error).split())), flush=True)
    client.close()


if __name__ == "__main__":
    main()
