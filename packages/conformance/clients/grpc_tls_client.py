"""Runs tritonclient.grpc against a server with mutual TLS; prints a line per check, as grpc_client.py.

    grpc_tls_client.py HOST:PORT FOLDER

FOLDER has ca.crt, client.crt and client.key, and of another authority other.crt and other.key.
"""

import asyncio
import sys

import grpc
import numpy as np
import tritonclient.grpc.aio as aio
from tritonclient.grpc import InferenceServerClient, InferInput

CHECKS = []
URL, FOLDER = sys.argv[1], sys.argv[2]


def check(function):
    CHECKS.append(function)
    return function


def file(name):
    return "%s/%s" % (FOLDER, name)


def credentials(owner):
    return {"ssl": True, "root_certificates": file("ca.crt"), "private_key": file(owner + ".key"), "certificate_chain": file(owner + ".crt")}


def inputs():
    made = InferInput("INPUT0", [1, 2], "FP32")
    made.set_data_from_numpy(np.array([[1.5, 2.5]], dtype=np.float32))
    return [made]


def expect_no_connection(client):
    call = client._channel.unary_unary("/inference.GRPCInferenceService/ServerLive", lambda x: x, lambda x: x)
    try:
        call(b"", timeout=10)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE, error
        return
    finally:
        client.close()
    raise AssertionError("it was let in")


@check
def with_a_certificate():
    with InferenceServerClient(URL, **credentials("client")) as client:
        assert client.infer("identity_fp32", inputs()).as_numpy("OUTPUT0").tolist() == [[1.5, 2.5]]


@check
def with_a_certificate_aio():
    async def run():
        async with aio.InferenceServerClient(URL, **credentials("client")) as client:
            assert (await client.infer("identity_fp32", inputs())).as_numpy("OUTPUT0").tolist() == [[1.5, 2.5]]

    asyncio.run(run())


@check
def without_a_certificate():
    expect_no_connection(InferenceServerClient(URL, ssl=True, root_certificates=file("ca.crt")))


@check
def with_a_certificate_of_another_authority():
    expect_no_connection(InferenceServerClient(URL, **credentials("other")))


@check
def without_tls():
    expect_no_connection(InferenceServerClient(URL))


def main():
    for function in CHECKS:
        try:
            function()
            print("ok %s" % function.__name__, flush=True)
        except Exception as error:
            print("failed %s: %s: %s" % (function.__name__, type(error).__name__, " ".join(str(error).split())), flush=True)


if __name__ == "__main__":
    main()
