import asyncio
import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Asks other models: `sync`, `async`, `stream` or `async_stream`, or loads and unloads: `load`, `unload`, `ready`."""

    async def execute(self, requests):
        return [pb_utils.InferenceResponse([await answer(request)]) for request in requests]


async def answer(request):
    way, model = [
        pb_utils.get_input_tensor_by_name(request, name).as_numpy()[0].decode() for name in ["WAY", "MODEL"]
    ]
    values = pb_utils.get_input_tensor_by_name(request, "VALUES").as_numpy()
    try:
        told = await WAYS[way](model, values)
    except Exception as error:
        told = {"error": str(error)}
    return pb_utils.Tensor("OUT", np.array([json.dumps(told)], np.object_))


def ask(model, values, name="VALUES", output="VALUE"):
    return pb_utils.InferenceRequest(
        model_name=model,
        inputs=[pb_utils.Tensor(name, values)],
        requested_output_names=[output],
        request_id="asked",
        parameters={"whole": 1, "yes": True, "text": "t"},
        correlation_id=7,
        flags=pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START,
        timeout=5_000_000,
    )


def told(response, output="VALUE"):
    if response.has_error():
        return {"error": response.error().message(), "code": int(response.error().code())}
    tensor = pb_utils.get_output_tensor_by_name(response, output)
    return None if tensor is None else [plain(value) for value in tensor.as_numpy()]


def plain(value):
    return value.decode() if isinstance(value, bytes) else value.item()


async def sync(model, values):
    return told(ask(model, values, "IN", "OUT").exec(), "OUT")


async def concurrently(model, values):
    asked = [ask(model, np.array([value], np.int32), "IN", "OUT").async_exec() for value in values]
    return [told(response, "OUT") for response in await asyncio.gather(*asked)]


async def stream(model, values):
    return [told(response) for response in ask(model, values).exec(decoupled=True)]


async def async_stream(model, values):
    return [told(response) for response in await ask(model, values).async_exec(decoupled=True)]


async def load(model, values):
    pb_utils.load_model(model_name=model)
    return pb_utils.is_model_ready(model_name=model)


async def unload(model, values):
    pb_utils.unload_model(model_name=model)
    return pb_utils.is_model_ready(model_name=model)


async def ready(model, values):
    return pb_utils.is_model_ready(model_name=model)


WAYS = {
    "sync": sync,
    "async": concurrently,
    "stream": stream,
    "async_stream": async_stream,
    "load": load,
    "unload": unload,
    "ready": ready,
}
