"""Runs tritonclient.http against a server and prints one line per check: `ok NAME` or `failed NAME: what went wrong`.

    http_client.py HOST:PORT MODEL_FILE

The server runs in explicit mode over the recorded repository with the models of tritonclient.test.ts loaded. MODEL_FILE is
an ONNX model to upload.
"""

import http.client
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from tritonclient.http import InferenceServerClient, InferInput, InferRequestedOutput
from tritonclient.utils import InferenceServerException

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def tensor(name, data, datatype, binary=True):
    made = InferInput(name, list(data.shape), datatype)
    made.set_data_from_numpy(data, binary_data=binary)
    return made


def pair(binary=True, rows=1):
    a = np.arange(rows * 16, dtype=np.int32).reshape(rows, 16)
    b = np.full((rows, 16), 3, dtype=np.int32)
    return a, b, [tensor("INPUT0", a, "INT32", binary), tensor("INPUT1", b, "INT32", binary)]


def expect_sum(result, a, b):
    np.testing.assert_array_equal(result.as_numpy("OUTPUT0"), a + b)
    np.testing.assert_array_equal(result.as_numpy("OUTPUT1"), a - b)


def expect_error(text, status, call):
    try:
        call()
    except InferenceServerException as error:
        assert text in error.message(), "message %r lacks %r" % (error.message(), text)
        assert error.status() == str(status), "status %r, want %r" % (error.status(), status)
        return
    raise AssertionError("no error, want %r" % text)


@check
def health(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("add_sub_int32")
    assert client.is_model_ready("ver_all", "2")
    assert not client.is_model_ready("ver_all", "7")
    assert not client.is_model_ready("no_such_model")


@check
def server_metadata(client):
    metadata = client.get_server_metadata()
    assert metadata["name"] == "triton", metadata
    assert {"classification", "model_repository", "model_configuration", "statistics", "binary_tensor_data"} <= set(metadata["extensions"])


@check
def model_metadata(client):
    assert client.get_model_metadata("add_sub_int32") == {
        "name": "add_sub_int32",
        "versions": ["1"],
        "platform": "onnxruntime_onnx",
        "inputs": [{"name": "INPUT%d" % i, "datatype": "INT32", "shape": [-1, 16]} for i in range(2)],
        "outputs": [{"name": "OUTPUT%d" % i, "datatype": "INT32", "shape": [-1, 16]} for i in range(2)],
    }
    assert client.get_model_metadata("ver_all", "2")["versions"] == ["2"]


@check
def model_config(client):
    config = client.get_model_config("add_sub_int32")
    assert config["name"] == "add_sub_int32" and config["max_batch_size"] == 8, config
    assert config["backend"] == "onnxruntime" and config["input"][0]["data_type"] == "TYPE_INT32", config


@check
def infer_json(client):
    a, b, inputs = pair(binary=False)
    outputs = [InferRequestedOutput("OUTPUT0", binary_data=False), InferRequestedOutput("OUTPUT1", binary_data=False)]
    result = client.infer("add_sub_int32", inputs, outputs=outputs, request_id="one")
    expect_sum(result, a, b)
    response = result.get_response()
    assert response["id"] == "one" and response["model_version"] == "1", response
    assert "data" in response["outputs"][0], response


@check
def infer_binary(client):
    a, b, inputs = pair(rows=5)
    result = client.infer("add_sub_int32", inputs)
    expect_sum(result, a, b)
    assert result.get_output("OUTPUT0")["parameters"]["binary_data_size"] == 5 * 16 * 4


@check
def infer_mixed(client):
    a, b, _ = pair()
    inputs = [tensor("INPUT0", a, "INT32", True), tensor("INPUT1", b, "INT32", False)]
    outputs = [InferRequestedOutput("OUTPUT1", binary_data=True), InferRequestedOutput("OUTPUT0", binary_data=False)]
    expect_sum(client.infer("add_sub_int32", inputs, outputs=outputs), a, b)


@check
def infer_one_output(client):
    a, b, inputs = pair()
    result = client.infer("add_sub_int32", inputs, outputs=[InferRequestedOutput("OUTPUT1")])
    np.testing.assert_array_equal(result.as_numpy("OUTPUT1"), a - b)
    assert result.as_numpy("OUTPUT0") is None


@check
def infer_version(client):
    data = tensor("INPUT0", np.ones((1, 4), dtype=np.int32), "INT32")
    for version in ("1", "2", "3"):
        assert client.infer("ver_all", [data], model_version=version).get_response()["model_version"] == version
    assert client.infer("ver_all", [data]).get_response()["model_version"] == "3"


@check
def data_types(client):
    values = [[0, 1, 2, 100]]
    for name in ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "fp16", "fp32", "fp64"):
        data = np.array(values, dtype=name.replace("fp", "float"))
        for binary in (True, False):
            if name == "fp16" and not binary:
                continue
            inputs = [tensor("INPUT0", data, name.upper(), binary)]
            outputs = [InferRequestedOutput("OUTPUT0", binary_data=binary)]
            answer = client.infer("identity_" + name, inputs, outputs=outputs).as_numpy("OUTPUT0")
            assert answer.dtype == data.dtype, "%s came back as %s" % (name, answer.dtype)
            np.testing.assert_array_equal(answer, data)
    for binary in (True, False):
        data = np.array([[True, False, True]])
        outputs = [InferRequestedOutput("OUTPUT0", binary_data=binary)]
        answer = client.infer("identity_bool", [tensor("INPUT0", data, "BOOL", binary)], outputs=outputs)
        np.testing.assert_array_equal(answer.as_numpy("OUTPUT0"), data)


@check
def strings(client):
    texts = ["", "plain", "Grüße, 世界", 'quote " and \\', "line\nbreak"]
    data = np.array([[text.encode() for text in texts]], dtype=np.object_)
    for binary in (True, False):
        inputs = [tensor("INPUT0", data, "BYTES", binary)]
        outputs = [InferRequestedOutput("OUTPUT0", binary_data=binary)]
        answer = client.infer("identity_bytes", inputs, outputs=outputs).as_numpy("OUTPUT0")
        got = [text if isinstance(text, str) else text.decode() for text in answer[0]]
        assert got == texts, got


@check
def arbitrary_bytes(client):
    # No NUL: ONNX Runtime's strings end there.
    data = np.array([[bytes(range(1, 256)), b"\xff\xfe"]], dtype=np.object_)
    answer = client.infer("identity_bytes", [tensor("INPUT0", data, "BYTES")]).as_numpy("OUTPUT0")
    assert list(answer[0]) == list(data[0]), answer


@check
def empty_tensor(client):
    data = np.zeros((1, 0), dtype=np.float32)
    answer = client.infer("identity_fp32", [tensor("INPUT0", data, "FP32")]).as_numpy("OUTPUT0")
    assert answer.shape == (1, 0), answer.shape


@check
def classification(client):
    data = np.array([[0.1, 5.0, 0.2, 3.0, 0.3], [9.0, 0.1, 0.2, 0.3, 0.4]], dtype=np.float32)
    for binary in (True, False):
        outputs = [InferRequestedOutput("PROBS", binary_data=binary, class_count=2)]
        answer = client.infer("classify5", [tensor("INPUT0", data, "FP32")], outputs=outputs).as_numpy("PROBS")
        texts = [[text if isinstance(text, str) else text.decode() for text in row] for row in answer]
        classes = [[text.split(":")[1:] for text in row] for row in texts]
        assert classes == [[["1", "dog"], ["3", "fish"]], [["0", "cat"], ["4", "frog"]]], texts


@check
def async_infer(client):
    waiting = []
    for rows in range(1, 9):
        a, b, inputs = pair(rows=rows)
        waiting.append((client.async_infer("add_sub_int32", inputs, request_id=str(rows)), a, b, str(rows)))
    for pending, a, b, request_id in waiting:
        result = pending.get_result()
        expect_sum(result, a, b)
        assert result.get_response()["id"] == request_id


@check
def async_error(client):
    _, _, inputs = pair()
    pending = client.async_infer("no_such_model", inputs)
    expect_error("Request for unknown model: 'no_such_model' is not found", 404, pending.get_result)


@check
def compression(client):
    for algorithm in ("gzip", "deflate"):
        for binary in (True, False):
            a, b, inputs = pair(binary, rows=8)
            outputs = [InferRequestedOutput("OUTPUT%d" % i, binary_data=binary) for i in range(2)]
            result = client.infer(
                "add_sub_int32",
                inputs,
                outputs=outputs,
                request_compression_algorithm=algorithm,
                response_compression_algorithm=algorithm,
            )
            expect_sum(result, a, b)


@check
def large_tensor(client):
    data = np.random.default_rng(7).random((8, 100_000), dtype=np.float32)
    answer = client.infer("identity_fp32", [tensor("INPUT0", data, "FP32")]).as_numpy("OUTPUT0")
    np.testing.assert_array_equal(answer, data)


@check
def offline_body(client):
    a, b, inputs = pair()
    body, header_length = InferenceServerClient.generate_request_body(inputs)
    assert header_length is not None
    response = client._post("v2/models/add_sub_int32/infer", body, {"Inference-Header-Content-Length": header_length}, None)
    assert response.status_code == 200, response.status_code
    length = int(response.get("Inference-Header-Content-Length"))
    expect_sum(InferenceServerClient.parse_response_body(response.read(), header_length=length), a, b)


@check
def errors(client):
    _, _, inputs = pair()
    expect_error("Request for unknown model: 'no_such_model' is not found", 404, lambda: client.infer("no_such_model", inputs))
    expect_error("expected 2 inputs but got 1 inputs for model 'add_sub_int32'", 400, lambda: client.infer("add_sub_int32", inputs[:1]))
    wide = [tensor("INPUT0", np.zeros((1, 17), np.int32), "INT32"), inputs[1]]
    expect_error("unexpected shape for input 'INPUT0' for model 'add_sub_int32'", 400, lambda: client.infer("add_sub_int32", wide))
    floats = [tensor("INPUT0", np.zeros((1, 16), np.float32), "FP32"), inputs[1]]
    expect_error("inference input 'INPUT0' data-type is 'FP32'", 400, lambda: client.infer("add_sub_int32", floats))
    missing = [InferRequestedOutput("NO_SUCH_OUTPUT")]
    expect_error("NO_SUCH_OUTPUT", 400, lambda: client.infer("add_sub_int32", inputs, outputs=missing))
    batch = pair(rows=9)[2]
    expect_error("inference request batch-size must be <= 8 for 'add_sub_int32'", 400, lambda: client.infer("add_sub_int32", batch))
    expect_error("Request for unknown model: 'no_such_model' is not found", 404, lambda: client.get_model_metadata("no_such_model"))


@check
def statistics(client):
    def counts():
        stats = client.get_inference_statistics("identity_int16")["model_stats"][0]
        return stats["inference_count"], stats["execution_count"], stats["inference_stats"]["success"]["count"]

    before = counts()
    client.infer("identity_int16", [tensor("INPUT0", np.zeros((3, 2), np.int16), "INT16")])
    assert np.subtract(counts(), before).tolist() == [3, 1, 1]
    stats = client.get_inference_statistics("identity_int16")["model_stats"][0]
    assert 3 in [batch["batch_size"] for batch in stats["batch_stats"]], stats
    assert stats["inference_stats"]["compute_infer"]["ns"] > 0, stats
    assert len(client.get_inference_statistics()["model_stats"]) > 1


@check
def repository_index(client):
    index = {(entry["name"], entry.get("version")): entry for entry in client.get_model_repository_index()}
    assert index[("add_sub_int32", "1")]["state"] == "READY", index
    assert [index[("ver_all", version)]["state"] for version in "123"] == ["READY"] * 3
    assert index[("add_sub_nobatch", None)] == {"name": "add_sub_nobatch"}, index


@check
def load_and_unload(client):
    assert not client.is_model_ready("reshape_fp32")
    client.load_model("reshape_fp32")
    assert client.is_model_ready("reshape_fp32")
    client.unload_model("reshape_fp32")
    assert not client.is_model_ready("reshape_fp32")


@check
def load_with_config(client):
    config = client.get_model_config("add_sub_fp32")
    config["max_batch_size"] = 3
    client.load_model("add_sub_fp32", config=json.dumps(config))
    assert client.get_model_config("add_sub_fp32")["max_batch_size"] == 3
    rows = np.zeros((4, 16), np.float32)
    inputs = [tensor("INPUT0", rows, "FP32"), tensor("INPUT1", rows, "FP32")]
    expect_error("batch-size must be <= 3", 400, lambda: client.infer("add_sub_fp32", inputs))
    # A load without a configuration keeps the one that was given, as long as no file is newer.
    client.load_model("add_sub_fp32")
    assert client.get_model_config("add_sub_fp32")["max_batch_size"] == 3
    config["max_batch_size"] = 8
    client.load_model("add_sub_fp32", config=json.dumps(config))
    client.infer("add_sub_fp32", inputs)


@check
def load_with_files(client):
    with open(sys.argv[2], "rb") as file:
        model = file.read()
    config = '{"backend": "onnxruntime"}'
    client.load_model("uploaded", config=config, files={"file:1/model.onnx": model})
    data = np.array([[1.5, 2.5]], dtype=np.float32)
    answer = client.infer("uploaded", [tensor("INPUT0", data, "FP32")]).as_numpy("OUTPUT0")
    np.testing.assert_array_equal(answer, data)


@check
def unload_with_steps(client):
    """A step goes with its ensemble when it is told to, unless somebody asked for it."""
    client.unload_model("add_sub_fp32")
    client.load_model("ens_chain")
    assert client.is_model_ready("add_sub_fp32")
    client.unload_model("ens_chain")
    assert client.is_model_ready("add_sub_fp32") and not client.is_model_ready("ens_chain")
    client.load_model("ens_chain")
    client.unload_model("ens_chain", unload_dependents=True)
    assert not client.is_model_ready("add_sub_fp32")
    client.load_model("add_sub_fp32")
    client.load_model("ens_chain")
    client.unload_model("ens_chain", unload_dependents=True)
    assert client.is_model_ready("add_sub_fp32")
    client.unload_model("no_such_model", unload_dependents=True)


@check
def load_errors(client):
    expect_error("failed to load 'no_such_model', failed to poll from model repository", 500, lambda: client.load_model("no_such_model"))
    expect_error("load failed for model 'bad_dims'", 400, lambda: client.load_model("bad_dims"))
    not_polled = "failed to load 'add_sub_fp32', failed to poll from model repository"
    for config in ["{", "[]", '{"name": "other"}', '{"no_such_field": 1}']:
        expect_error(not_polled, 500, lambda: client.load_model("add_sub_fp32", config=config))
    expect_error(not_polled, 500, lambda: client.load_model("add_sub_fp32", config="{}", files={"file:../x": b"x"}))
    expect_error("unexpected error on creating Triton parameter", 500, lambda: client.load_model("add_sub_fp32", config="{}", files={"x": b"x"}))
    assert client.is_model_ready("add_sub_fp32")
    assert client.is_server_live()


def step(client, model, sequence, value, **flags):
    inputs = [tensor("INPUT", np.array([[value]], dtype=np.int32), "INT32")]
    result = client.infer(model, inputs, sequence_id=sequence, **flags)
    assert result.as_numpy("CORRID_OUT").item() == sequence
    return result.as_numpy("OUTPUT").item(), result.as_numpy("FLAGS").reshape(-1).tolist()


@check
def sequences(client):
    assert step(client, "seq_direct", 7, 10, sequence_start=True) == (10, [1, 0, 1])
    assert step(client, "seq_direct", 7, 1) == (11, [0, 0, 1])
    assert step(client, "seq_direct", 7, 2, sequence_end=True) == (13, [0, 1, 1])
    assert step(client, "seq_direct", 7, 4, sequence_start=True, sequence_end=True) == (4, [1, 1, 1])


@check
def interleaved_sequences(client):
    big = 2**63 + 5
    assert step(client, "seq_oldest", 7, 10, sequence_start=True) == (10, [1, 0, 1])
    assert step(client, "seq_oldest", big, 100, sequence_start=True) == (100, [1, 0, 1])
    assert step(client, "seq_oldest", 7, 1) == (11, [0, 0, 1])
    assert step(client, "seq_oldest", big, 1, sequence_end=True) == (101, [0, 1, 1])
    assert step(client, "seq_oldest", 7, 2, sequence_end=True) == (13, [0, 1, 1])


@check
def many_sequences(client):
    """More callers than the model has slots; each has its own sum."""
    def caller(sequence):
        own = InferenceServerClient(sys.argv[1])
        sums = [
            step(own, "seq_oldest", sequence, n * sequence, sequence_start=n == 1, sequence_end=n == 3)[0]
            for n in (1, 2, 3)
        ]
        own.close()
        return sums

    with ThreadPoolExecutor(11) as pool:
        for sequence, sums in zip(range(501, 512), pool.map(caller, range(501, 512))):
            assert sums == [sequence, 3 * sequence, 6 * sequence], sums


@check
def sequence_errors(client):
    inputs = [tensor("INPUT", np.array([[1]], dtype=np.int32), "INT32")]
    expect_error("must specify a non-zero or non-empty correlation ID", 400, lambda: client.infer("seq_direct", inputs))
    text = "inference request for sequence 99 to model 'seq_direct' must specify the START flag on the first request of the sequence"
    expect_error(text, 400, lambda: client.infer("seq_direct", inputs, sequence_id=99))


@check
def update_instances(client):
    """Another number of instances is taken up in place: the statistics go on."""
    a, b, inputs = pair()
    client.load_model("add_sub_int32")
    before = client.get_inference_statistics("add_sub_int32")["model_stats"][0]["inference_count"]
    config = client.get_model_config("add_sub_int32")
    config["instance_group"][0]["count"] = 3
    client.load_model("add_sub_int32", config=json.dumps(config))
    assert client.get_model_config("add_sub_int32")["instance_group"][0]["count"] == 3
    expect_sum(client.infer("add_sub_int32", inputs), a, b)
    after = client.get_inference_statistics("add_sub_int32")["model_stats"][0]["inference_count"]
    assert after == before + 1, (before, after)


def post(path, body):
    host, port = sys.argv[1].split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body))
    return connection.getresponse()


def events(response):
    """The values of server-sent events, as they come."""
    for line in response:
        if line.startswith(b"data: "):
            yield json.loads(line[len(b"data: "):])
        else:
            assert line == b"\n", line


def sums(count):
    return {"INPUT0": list(range(count)), "INPUT1": [1] * count}


@check
def generate(client):
    with post("/v2/models/add_sub_int32/generate", {**sums(16), "id": "mine", "parameters": {"temperature": 0.5}}) as answer:
        assert answer.status == 200 and answer.getheader("content-type") == "application/json"
        assert json.load(answer) == {
            "id": "mine",
            "model_name": "add_sub_int32",
            "model_version": "1",
            "OUTPUT0": list(range(1, 17)),
            "OUTPUT1": list(range(-1, 15)),
        }
    with post("/v2/models/identity_bytes/versions/1/generate", {"INPUT0": "héllo\n"}) as answer:
        assert json.load(answer)["OUTPUT0"] == "héllo\n"


@check
def generate_stream(client):
    with post("/v2/models/identity_bytes/generate_stream", {"INPUT0": ["a", "日本"]}) as answer:
        assert answer.status == 200 and answer.getheader("content-type") == "text/event-stream; charset=utf-8"
        assert [event["OUTPUT0"] for event in events(answer)] == [["a", "日本"]]


@check
def generate_errors(client):
    for action in ["generate", "generate_stream"]:
        for model, body, status, text in [
            ("nobody", {}, 404, "Request for unknown model: 'nobody' is not found"),
            ("add_sub_int32", sums(15), 400, "The schema can not convert input 'INPUT0' to tensor with proper shape"),
            ("add_sub_int32", b"{", 500, "failed to parse the request JSON buffer: Missing a name for object member. at 1"),
        ]:
            with post("/v2/models/%s/%s" % (model, action), body) as answer:
                assert answer.status == status, answer.status
                assert json.load(answer) == {"error": text}


def main():
    client = InferenceServerClient(sys.argv[1], concurrency=4)
    for function in CHECKS:
        name = function.__name__
        try:
            function(client)
            print("ok %s" % name)
        except Exception as error:
            print("failed %s: %s: %s" % (name, type(error).__name__, " ".join(str(error).split())))
    client.close()


if __name__ == "__main__":
    main()
