"""The vllm backend on a real engine."""

import importlib.util
import tempfile
import unittest

from vllm_rig import VllmRig, tiny_llama

_MISSING = None if importlib.util.find_spec("vllm") else "vllm is not installed in this Python"
_GREEDY = {"temperature": 0, "ignore_eos": True}


@unittest.skipIf(_MISSING, _MISSING)
class Vllm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        tiny_llama(cls.directory.name)
        cls.engine = {
            "model": cls.directory.name,
            "max_model_len": 256,
            "enforce_eager": True,
            "dtype": "float32",
            "gpu_memory_utilization": 0.2,
        }

    @classmethod
    def tearDownClass(cls):
        cls.directory.cleanup()

    def test_generation(self):
        with VllmRig(self.engine, ["REPORT_CUSTOM_METRICS", "ENABLE_VLLM_HEALTH_CHECK"]) as rig:
            self.assertNotIn("error", rig.initialized)
            self.whole_and_streamed(rig)
            self.refused(rig)
            self.cancelled(rig)
            self.slow_client(rig)
            self.assertTrue(rig.ask("ready")["ready"])
            self.assertNotIn("error", rig.ask("finalize"))
            self.assertEqual(rig.wait(), 0)

    def whole_and_streamed(self, rig):
        rig.generate("Licensed", {**_GREEDY, "max_tokens": "8"}, return_finish_reason=True)
        (whole,) = rig.answers()
        self.assertTrue(whole["text_output"][0].startswith("Licensed"))
        self.assertEqual(whole["finish_reason"], ["length"])
        extras = ["finish_reason", "cumulative_logprob", "logprobs", "num_input_tokens", "num_output_tokens"]
        flags = {"return_" + name: True for name in extras}
        rig.generate("Licensed", {**_GREEDY, "max_tokens": 8, "logprobs": 1}, stream=True, **flags)
        streamed = rig.answers()
        self.assertEqual("Licensed" + "".join(part["text_output"][0] for part in streamed), whole["text_output"][0])
        self.assertEqual(sum(part["num_output_tokens"][0] for part in streamed), 8)
        self.assertEqual(streamed[-1]["finish_reason"], ["length"])
        rig.generate("Licensed", {"n": 2, "seed": 1, "max_tokens": 4}, exclude_input_in_output=True)
        (both,) = rig.answers()
        self.assertEqual(len(both["text_output"]), 2)

    def refused(self, rig):
        for sampling, flags, text in [
            ({"nonsense": 1}, {}, "unknown sampling parameter 'nonsense'"),
            ({"max_tokens": "many"}, {}, "sampling parameter 'max_tokens' cannot be 'many'"),
            ({"lora_name": "x"}, {}, "LoRA feature is not enabled."),
            ({}, {"stream": True, "exclude_input_in_output": False}, "When streaming, `exclude_input_in_output` ="),
        ]:
            rig.generate("a", sampling, **flags)
            (response,) = rig.answers()
            self.assertIn("Error generating stream: " + text, response["error"][1])
        rig.ask_model({"embedding_request": '{"input": "a"}'})
        self.assertIn("Model does not support 'embed' request", rig.answers()[0]["error"][1])

    def cancelled(self, rig):
        for streams in (True, False):
            rig.generate("a", {**_GREEDY, "max_tokens": 250}, stream=streams)
            if streams:
                rig.until("send")
            rig.send(k="cancel", s=1)
            self.assertEqual(rig.answers()[-1], {"error": [7, "Request was cancelled"]})

    def slow_client(self, rig):
        """The engine goes on while a client takes nothing; it gets the rest in few responses."""
        rig.generate("a", {**_GREEDY, "max_tokens": 60}, window=1, stream=True, return_num_output_tokens=True)
        rig.until("send")
        # Another request has ended when the engine has made all of the first one's tokens.
        rig.generate("a", {**_GREEDY, "max_tokens": 80}, slot=2)
        rig.until("release")
        rig.send(k="credit", s=1, n=1000)
        self.assertLess(len(rig.answers()), 30)

    def test_embedding(self):
        with VllmRig({**self.engine, "runner": "pooling", "convert": "embed"}) as rig:
            self.assertNotIn("error", rig.initialized)
            request = {"text_input": "", "embedding_request": '{"input": "Licensed"}'}
            rig.ask_model(request, {"return_num_input_tokens": True})
            (response,) = rig.answers()
            self.assertEqual(len(response["text_output"][0].split(",")), 128)
            self.assertGreater(response["num_input_tokens"][0], 0)

    def test_what_keeps_it_from_loading(self):
        with VllmRig({**self.engine, "enable_lora": True}) as rig:
            self.assertIn("Triton backend cannot find", rig.initialized["error"][1])
        with VllmRig({"model": "/nowhere"}) as rig:
            self.assertIn("error", rig.initialized)


class WithoutEngine(unittest.TestCase):
    def test_the_configuration_is_completed_without_vllm(self):
        import json

        with VllmRig({"model": "x"}) as rig:
            config = json.loads(rig.config)
            self.assertEqual(config["model_transaction_policy"], {"decoupled": True})
            self.assertEqual([tensor["name"] for tensor in config["output"]][:2], ["text_output", "finish_reason"])
            if _MISSING:
                self.assertIn("No module named 'vllm'", rig.initialized["error"][1])


if __name__ == "__main__":
    unittest.main()
