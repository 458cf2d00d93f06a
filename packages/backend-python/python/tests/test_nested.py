"""Requests to other models, and the other questions to the server."""

import unittest

import numpy as np
from rig import Rig

ASKS = """
    import numpy as np, triton_python_backend_utils as pb

    def ask(value=1):
        return pb.InferenceRequest(
            model_name="other", requested_output_names=["OUT"], inputs=[pb.Tensor("IN", np.array([value], np.int32))],
            request_id="asked", correlation_id=2**60, flags=1, timeout=5, parameters={"a": True},
        )

    def told(responses):
        texts = [
            r.error().message() if r.has_error() else str([t.as_numpy().tolist() for t in r.output_tensors()])
            for r in responses
        ]
        return pb.InferenceResponse([pb.Tensor("TOLD", np.array(texts, dtype=np.object_))])

    class TritonPythonModel:
        %s
"""


class Nested(unittest.TestCase):
    def answer(self, rig, asked, value, final=True, **members):
        blobs = bytearray()
        outputs = [] if value is None else [rig.tensor(blobs, "OUT", np.array([value], np.int32), "INT32")]
        rig.send(bytes(blobs), k="nested", id=asked["id"], outputs=outputs, final=final, **members)

    def texts(self, rig):
        frame, _ = rig.until("executed")
        self.assertNotIn("error", frame)
        content = rig.bytes_of(frame, frame["r"][0]["out"][0])
        texts = []
        while content:
            size = int.from_bytes(content[:4], "little")
            texts.append(content[4 : 4 + size].decode())
            content = content[4 + size :]
        return texts

    def test_exec(self):
        with Rig(ASKS % "def execute(self, requests): return [told([ask().exec()])]") as rig:
            rig.execute({}, batch=4)
            asked, _ = rig.until("nested")
            expected = {
                "s": 1,
                "b": 4,
                "model": "other",
                "version": -1,
                "out": ["OUT"],
                "rid": "asked",
                "c": {"u": str(2**60)},
                "f": 1,
                "t": 5,
                "params": {"a": True},
                "decoupled": False,
            }
            self.assertEqual({key: asked[key] for key in expected}, expected)
            self.assertEqual(rig.array(asked, asked["in"][0]).tolist(), [1])
            self.answer(rig, asked, 42)
            self.assertEqual(self.texts(rig), ["[[42]]"])
            rig.execute({})
            asked, _ = rig.until("nested")
            self.answer(rig, asked, None, error=[2, "no such model"])
            self.assertEqual(self.texts(rig), ["no such model"])

    def test_many_at_once_in_an_event_loop(self):
        body = """async def execute(self, requests):
            import asyncio
            return [told(await asyncio.gather(*[ask(n).async_exec() for n in range(5)]))]"""
        with Rig(ASKS % body) as rig:
            for _ in range(3):
                rig.execute({})
                asked = [rig.until("nested")[0] for _ in range(5)]
                self.assertEqual({frame["s"] for frame in asked}, {1})
                for frame in reversed(asked):
                    self.answer(rig, frame, int(rig.array(frame, frame["in"][0])[0]) * 2)
                self.assertEqual(self.texts(rig), ["[[0]]", "[[2]]", "[[4]]", "[[6]]", "[[8]]"])

    def test_an_event_loop_of_the_model_in_the_main_thread(self):
        body = """def execute(self, requests):
            import asyncio
            async def both():
                return await asyncio.gather(ask(1).async_exec(), ask(2).async_exec())
            return [told(asyncio.run(both()))]"""
        with Rig(ASKS % body) as rig:
            rig.execute({})
            for _ in range(2):
                self.answer(rig, rig.until("nested")[0], 3)
            self.assertEqual(self.texts(rig), ["[[3]]", "[[3]]"])

    def test_many_threads(self):
        body = """def execute(self, requests):
            from concurrent.futures import ThreadPoolExecutor
            with ThreadPoolExecutor(8) as pool:
                return [told(list(pool.map(lambda n: ask(n).exec(), range(50))))]"""
        with Rig(ASKS % body) as rig:
            rig.execute({})
            for _ in range(50):
                frame, _ = rig.until("nested")
                self.answer(rig, frame, int(rig.array(frame, frame["in"][0])[0]))
            self.assertEqual(self.texts(rig), ["[[%d]]" % n for n in range(50)])

    def test_a_stream_with_credit(self):
        body = "def execute(self, requests): return [told(ask().exec(decoupled=True))]"
        with Rig(ASKS % body) as rig:
            rig.execute({})
            asked, _ = rig.until("nested")
            self.assertTrue(asked["decoupled"])
            for value in range(16):
                self.answer(rig, asked, value, final=False)
            granted = [rig.until("nested_credit")[0]["n"] for _ in range(2)]
            self.assertEqual(granted, [8, 8])
            self.answer(rig, asked, None)
            self.assertEqual(self.texts(rig), ["[[%d]]" % n for n in range(16)] + ["[]"])

    def test_a_stream_goes_on_after_an_error(self):
        with Rig(ASKS % "def execute(self, requests): return [told(ask().exec(decoupled=True))]") as rig:
            rig.execute({})
            asked, _ = rig.until("nested")
            self.answer(rig, asked, None, final=False, error=[1, "a word is bad"])
            self.answer(rig, asked, 2, final=True)
            self.assertEqual(self.texts(rig), ["a word is bad", "[[2]]"])

    def test_cancelling_and_dropping_a_stream(self):
        body = """def execute(self, requests):
            stream = ask().exec(decoupled=True)
            first = next(stream)
            stream.cancel()
            rest = list(stream)
            dropped = iter(ask().exec(decoupled=True))
            next(dropped)
            del dropped
            return [told([first, *rest])]"""
        with Rig(ASKS % body) as rig:
            rig.execute({})
            asked, _ = rig.until("nested")
            self.answer(rig, asked, 1, final=False)
            self.assertEqual(rig.until("nested_cancel")[0]["id"], asked["id"])
            self.answer(rig, asked, None, error=[7, "cancelled"])
            dropped, _ = rig.until("nested")
            self.answer(rig, dropped, 1, final=False)
            self.assertEqual(rig.until("nested_cancel")[0]["id"], dropped["id"])
            self.answer(rig, dropped, None)
            self.assertEqual(self.texts(rig), ["[[1]]", "cancelled"])

    def test_not_outside_of_execute(self):
        source = ASKS % "def initialize(self, args): ask().exec()"
        with Rig(source, initialize=False) as rig:
            text = rig.ask("initialize", **rig.arguments())["error"][1]
            self.assertIn("TritonModelException: BLS is only supported during the 'execute' function.", text)

    def test_models_metrics_and_messages(self):
        body = """def initialize(self, args):
            family = pb.MetricFamily("requests", "What came", pb.MetricFamily.COUNTER)
            self.counter = family.Metric({"a": "b"})
            self.histogram = pb.MetricFamily("h", "", pb.MetricFamily.HISTOGRAM).Metric({}, [1.0, 2.0])

        def execute(self, requests):
            self.counter.increment(2)
            self.histogram.observe(1.5)
            pb.Logger.log_warn("careful")
            pb.load_model("other", config="{}", files={"file:1/x": b"y"})
            texts = []
            for fails in (lambda: self.counter.increment(-1), lambda: self.counter.set(1),
                          lambda: pb.unload_model("x"), lambda: pb.is_model_ready("x", "y")):
                try:
                    fails()
                except pb.TritonModelException as error:
                    texts.append(pb.InferenceResponse(error=pb.TritonError(str(error))))
            texts.append(pb.InferenceResponse(error=pb.TritonError(str(self.counter.value()))))
            return [told(texts)]"""
        with Rig(ASKS % body, initialize=False) as rig:
            rig.send(k="initialize", id=9, **rig.arguments())
            calls = []
            for value in (11, 12, 13, 14):
                call, _ = rig.until("call")
                calls.append((call["method"], call["args"]))
                rig.send(k="result", id=call["id"], value=value)
            family = {"name": "requests", "description": "What came", "kind": "COUNTER"}
            self.assertEqual(calls[0], ("metric_family", family))
            self.assertEqual(calls[1], ("metric", {"family": 11, "labels": {"a": "b"}}))
            self.assertEqual(calls[3], ("metric", {"family": 13, "labels": {}, "buckets": [1.0, 2.0]}))
            rig.until("done_call")
            rig.execute({})
            load, before = rig.until("call")
            self.assertEqual(
                [frame["ops"] for frame in before if frame["k"] == "metric"],
                [[[12, "increment", 2.0]], [[14, "observe", 1.5]]],
            )
            log = before[-1]
            self.assertEqual((log["level"], log["message"], log["file"]), ("WARNING", "careful", rig.file))
            self.assertEqual(load["args"], {"name": "other", "config": "{}", "files": {"file:1/x": "eQ=="}})
            rig.send(k="result", id=load["id"], value=None)
            rig.send(k="result", id=rig.until("call")[0]["id"], error=[2, "unknown model"])
            rig.send(k="result", id=rig.until("call")[0]["id"], value=2)
            counter = "TRITONSERVER_METRIC_KIND_COUNTER "
            monotonic = "can only be incremented monotonically by non-negative values."
            self.assertEqual(
                self.texts(rig),
                [
                    "Failed to increment metric value: " + counter + monotonic,
                    "Failed to set metric value: " + counter + "does not support Set",
                    "Failed to unload model: unknown model",
                    "Failed to check model readiness: failed to get model version from specified version string 'y' "
                    "(details: stol), version should be an integral value > 0",
                    "2.0",
                ],
            )

    def test_numbers_and_labels_of_metrics(self):
        body = """def initialize(self, args):
            family = pb.MetricFamily("g", "", pb.MetricFamily.GAUGE)
            self.gauge = family.Metric()
            pb.MetricFamily("h", "", pb.MetricFamily.HISTOGRAM).Metric({}, [1, float("inf")])
            try:
                family.Metric({"a": 1})
            except pb.TritonModelException as error:
                self.text = str(error)

        def execute(self, requests):
            for value in (float("nan"), float("inf"), -float("inf")):
                self.gauge.set(value)
            return [told([pb.InferenceResponse(error=pb.TritonError("%s %s" % (self.gauge.value(), self.text)))])]"""
        with Rig(ASKS % body, initialize=False) as rig:
            rig.send(k="initialize", id=9, **rig.arguments())
            for value in (1, 2, 3, 4):
                call, _ = rig.until("call")
                rig.send(k="result", id=call["id"], value=value)
            self.assertEqual(call["args"]["buckets"], [1.0])
            rig.until("done_call")
            rig.execute({})
            call, before = rig.until("call")
            self.assertEqual(
                [frame["ops"][0][2] for frame in before], [{"f": "NaN"}, {"f": "Infinity"}, {"f": "-Infinity"}]
            )
            rig.send(k="result", id=call["id"], value={"f": "-Infinity"})
            self.assertEqual(
                self.texts(rig), ["-inf Failed to create metric. Labels must be text, found 1."]
            )


if __name__ == "__main__":
    unittest.main()
