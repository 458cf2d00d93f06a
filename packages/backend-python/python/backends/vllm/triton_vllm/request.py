"""Answers one request."""

import asyncio
import uuid

import triton_python_backend_utils as pb_utils

from triton_vllm.embedding import Embedding
from triton_vllm.generation import Generation

_FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


async def answer(engine, loras, request):
    """Sends the responses of a request, and in any case a last one."""
    sender = request.get_response_sender()
    work = asyncio.ensure_future(_run(engine, loras, request, sender))
    # The engine stops working for a client that has gone.
    gone = asyncio.ensure_future(sender.async_cancelled())
    try:
        await asyncio.wait([work, gone], return_when=asyncio.FIRST_COMPLETED)
        # Also ends the request in the engine, if it has not ended.
        work.cancel()
        await work
    except asyncio.CancelledError:
        _fail(sender, "Request was cancelled", pb_utils.TritonError.CANCELLED)
    except Exception as error:
        pb_utils.Logger.log_error("[vllm] Error generating stream: %s" % error)
        _fail(sender, "Error generating stream: %s" % error, pb_utils.TritonError.INTERNAL)
    finally:
        gone.cancel()


async def _run(engine, loras, request, sender):
    kind = Generation if pb_utils.get_input_tensor_by_name(request, "embedding_request") is None else Embedding
    if kind.task not in engine.tasks:
        raise ValueError("Model does not support '%s' request" % kind.task)
    asked = kind(request, loras)
    last = None
    async for output in asked.start(engine.llm, uuid.uuid4().hex):
        if asked.streams:
            await sender.async_send(asked.response(output), _FINAL if output.finished else 0)
        last = output
    if not asked.streams:
        await sender.async_send(asked.response(last), _FINAL)


def _fail(sender, message, code):
    response = pb_utils.InferenceResponse(error=pb_utils.TritonError(message, code))
    try:
        sender.send(response, _FINAL)
    except pb_utils.TritonModelException:
        # The last response had been sent already.
        pass
