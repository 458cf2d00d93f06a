"""Runs tritonclient.http against servers of the modes of model control, and prints one line per check as http_client.py does.

    model_control_client.py POLLED_HOST:PORT POLLED_REPOSITORY NAMESPACED_HOST:PORT FIRST_REPOSITORY SECOND_REPOSITORY

The first server polls every second and serves identity_fp32. The second is in explicit mode with namespaces: FIRST has the
ensemble first_ensemble, SECOND second_ensemble, and both have a step `composing`, of version 1 and of version 2.
"""

import json
import os
import shutil
import sys
import time
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
from http_client import expect_error, tensor
from tritonclient.http import InferenceServerClient

POLLED, REPOSITORY, NAMESPACED, FIRST, SECOND = sys.argv[1:]
NOT_ALLOWED = "explicit model load / unload is not allowed if polling is enabled"
AMBIGUOUS = "There are 2 identifiers of model '%s' in global map, model namespace must be provided to resolve ambiguity."


def version_of(client, model):
    result = client.infer(model, [tensor("INPUT0", np.array([[1.5, 2.5]], dtype=np.float32), "FP32")])
    np.testing.assert_array_equal(result.as_numpy("OUTPUT0"), [[1.5, 2.5]])
    return result.get_response()["model_version"]


def index_of(client, model):
    entries = [entry for entry in client.get_model_repository_index() if entry["name"] == model]
    return sorted((entry.get("version"), entry.get("state"), entry.get("reason")) for entry in entries)


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "it did not happen within 30 seconds"
        time.sleep(0.1)


def encoded(repository):
    """The id of `composing` there, for a path; tritonclient itself leaves the slashes of a name as they are."""
    return quote("%s::composing" % repository, safe="")


def send(path, body=None):
    with urlopen("http://%s%s" % (NAMESPACED, path), data=body, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


def poll_refuses_control():
    with InferenceServerClient(POLLED) as client:
        expect_error(NOT_ALLOWED, 503, lambda: client.load_model("identity_fp32"))
        expect_error(NOT_ALLOWED, 503, lambda: client.load_model("identity_fp32", config="{}"))
        expect_error(NOT_ALLOWED, 503, lambda: client.unload_model("identity_fp32"))
        expect_error(NOT_ALLOWED, 503, lambda: client.unload_model("identity_fp32", unload_dependents=True))
        assert client.is_model_ready("identity_fp32")


def poll_adds_and_removes():
    with InferenceServerClient(POLLED) as client:
        model = os.path.join(REPOSITORY, "identity_fp32")
        shutil.copytree(os.path.join(model, "1"), os.path.join(model, "4"))
        wait_until(lambda: client.is_model_ready("identity_fp32", "4"))
        assert version_of(client, "identity_fp32") == "4"
        assert index_of(client, "identity_fp32") == [("1", "UNAVAILABLE", "unloaded"), ("4", "READY", None)]
        shutil.move(model, REPOSITORY + ".aside")
        wait_until(lambda: not client.is_model_ready("identity_fp32"))
        assert client.get_model_repository_index() == []
        assert client.is_server_ready()
        shutil.move(REPOSITORY + ".aside", model)
        wait_until(lambda: client.is_model_ready("identity_fp32"))
        shutil.rmtree(os.path.join(model, "4"))
        wait_until(lambda: client.is_model_ready("identity_fp32", "1"))


def namespaces_resolve_steps():
    with InferenceServerClient(NAMESPACED) as client:
        assert index_of(client, "composing") == [(None, None, None), (None, None, None)]
        client.load_model("first_ensemble")
        client.load_model("second_ensemble")
        assert index_of(client, "composing") == [("1", "READY", None), ("2", "READY", None)]
        expect_error(AMBIGUOUS % "composing", 400, lambda: version_of(client, "composing"))
        assert not client.is_model_ready("composing")
        version_of(client, "first_ensemble")
    assert send("/v2/models/%s" % encoded(FIRST))["versions"] == ["1"]
    assert send("/v2/models/%s" % encoded(SECOND))["versions"] == ["2"]


def namespaces_resolve_again():
    with InferenceServerClient(NAMESPACED) as client:
        composing, aside = os.path.join(FIRST, "composing"), FIRST + ".aside"
        send("/v2/repository/models/%s/unload" % encoded(FIRST), b"")
        shutil.move(composing, aside)
        client.load_model("first_ensemble")
        assert version_of(client, "composing") == "2"
        statistics = client.get_inference_statistics("composing")["model_stats"][0]["inference_count"]
        version_of(client, "first_ensemble")
        version_of(client, "second_ensemble")
        assert client.get_inference_statistics("composing")["model_stats"][0]["inference_count"] == statistics + 2
        shutil.move(aside, composing)
        client.load_model("first_ensemble")
        expect_error(AMBIGUOUS % "composing", 400, lambda: version_of(client, "composing"))
        version_of(client, "first_ensemble")


def namespaces_unload_all():
    with InferenceServerClient(NAMESPACED) as client:
        client.unload_model("first_ensemble", unload_dependents=True)
        assert version_of(client, "composing") == "2"
        version_of(client, "second_ensemble")
        client.load_model("composing")
        client.unload_model("composing")
        assert index_of(client, "composing") == [("1", "UNAVAILABLE", "unloaded"), ("2", "UNAVAILABLE", "unloaded")]
        expect_error("Identifier of model 'composing' is not found in global map", 404, lambda: version_of(client, "composing"))
        expect_error("Request for unknown model: 'other' is not found", 400, lambda: version_of(client, "other"))


def main():
    for function in [
        poll_refuses_control,
        poll_adds_and_removes,
        namespaces_resolve_steps,
        namespaces_resolve_again,
        namespaces_unload_all,
    ]:
        name = function.__name__
        try:
            function()
            print("ok %s" % name)
        except Exception as error:
            print("failed %s: %s: %s" % (name, type(error).__name__, " ".join(str(error).split())))


if __name__ == "__main__":
    main()
