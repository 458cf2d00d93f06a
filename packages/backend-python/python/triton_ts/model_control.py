"""Loads and unloads models of the server."""

import base64

from triton_ts.errors import TritonModelException
from triton_ts.runtime import runtime


def load_model(model_name, config="", files=None):
    """Loads a model and waits until it is ready. `config` is JSON; `files` maps `file:<path>` to bytes."""
    args = {"name": model_name}
    if config:
        args["config"] = config
    if files is not None:
        if not isinstance(files, dict):
            raise TritonModelException(
                "failed to load model '%s', files should be a dictionary of file paths and file contents" % model_name
            )
        args["files"] = {path: base64.b64encode(content).decode("ascii") for path, content in files.items()}
    runtime.calls.call("load_model", args, "Failed to load model: ")


def unload_model(model_name, unload_dependents=False):
    """Begins to unload a model. Its requests in flight end first; this function does not wait for that."""
    args = {"name": model_name, "unload_dependents": bool(unload_dependents)}
    runtime.calls.call("unload_model", args, "Failed to unload model: ")


def is_model_ready(model_name, model_version=""):
    """Whether a version of a model, or any with an empty `model_version`, takes requests."""
    version = str(model_version)
    if version:
        _check_version(version)
    args = {"name": model_name, "version": version}
    return bool(runtime.calls.call("is_model_ready", args, "Failed to check model readiness: "))


def _check_version(version):
    text = "Failed to check model readiness: failed to get model version from specified version string '%s'" % version
    try:
        number = int(version)
    except ValueError:
        raise TritonModelException(text + " (details: stol), version should be an integral value > 0") from None
    if number < 0:
        raise TritonModelException(text + ", version should be an integral value > 0")
