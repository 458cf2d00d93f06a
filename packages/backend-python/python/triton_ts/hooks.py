"""The functions of a model that the server calls: completing the configuration, initialize, finalize."""

import inspect
import json
import traceback

from triton_ts.errors import TritonModelException, describe
from triton_ts.execution import Execution
from triton_ts.model_config import ModelConfig
from triton_ts.model_file import import_model
from triton_ts.readiness import Readiness
from triton_ts.runtime import runtime


class Hooks:
    """One model, from its import on."""

    def __init__(self, hello):
        self._hello = hello
        self._class = None
        self._model = None
        self._event_loop = None
        self.execution = None
        self.readiness = Readiness(self._run)

    def answer(self, kind, header):
        """Members of the answer to a question of the server: results, or the error of the model."""
        try:
            return getattr(self, "_" + kind)(header)
        except BaseException as error:
            return {"error": [1, describe(error)], "trace": traceback.format_exc()}

    def _complete(self, header):
        config = ModelConfig(header["config"])
        complete = getattr(self._import(), "auto_complete_config", None)
        if complete is None:
            return {"config": header["config"]}
        config = complete(config)
        if not isinstance(config, ModelConfig):
            raise TritonModelException(
                "auto_complete_config function in model '%s' must return a valid pb.ModelConfig object."
                % self._hello["name"]
            )
        return {"config": json.dumps(config.as_dict())}

    def _initialize(self, header):
        runtime.decoupled = runtime.slots.decoupled = header.get("decoupled", False)
        runtime.instance = header["instance"]
        self._model = self._import()()
        initialize = getattr(self._model, "initialize", None)
        if initialize is not None:
            self._run(
                initialize(
                    {
                        "model_config": header["config"],
                        "model_instance_kind": header["kind"],
                        "model_instance_name": header["instance"],
                        "model_instance_device_id": str(header["device"]),
                        "model_repository": self._hello["model_repository"],
                        "model_version": self._hello["version"],
                        "model_name": self._hello["name"],
                    }
                )
            )
        self.execution = Execution(self._model, runtime.instance, self._hello["file"], self._loop)
        runtime.initialized = True
        return {"is_ready": self.readiness.watch(self._model)}

    def _finalize(self, _header):
        runtime.finalizing = True
        finalize = getattr(self._model, "finalize", None)
        try:
            if finalize is not None:
                self._run(finalize())
        finally:
            if self._event_loop is not None:
                self._event_loop.stop()
        return {}

    def _import(self):
        if self._class is None:
            hello = self._hello
            self._class = import_model(hello["file"], hello["version"], hello.get("paths", ()))
        return self._class

    def _loop(self):
        if self._event_loop is None:
            from triton_ts.event_loop import EventLoop

            self._event_loop = EventLoop()
        return self._event_loop

    def _run(self, result):
        """What a hook has returned, after it has run when it is asynchronous."""
        return self._loop().run(result) if inspect.iscoroutine(result) else result
