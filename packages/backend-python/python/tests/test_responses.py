"""Responses through senders: decoupled models, credit, and the rules of both kinds of models."""

import os
import tempfile
import textwrap
import unittest

import numpy as np
from rig import Rig

COUNTS = """
    import numpy as np, threading, triton_python_backend_utils as pb

    class TritonPythonModel:
        def execute(self, requests):
            for request in requests:
                count = int(request.inputs()[0].as_numpy()[0])
                threading.Thread(target=self.send, args=(request.get_response_sender(), count)).start()

        def send(self, sender, count):
            for value in range(count):
                sender.send(pb.InferenceResponse([pb.Tensor("OUT", np.array([value], np.int32))]))
            sender.send(flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
"""


def model(body):
    lines = "\n".join(" " * 12 + line for line in body.strip().splitlines())
    return (
        "import json, numpy as np, triton_python_backend_utils as pb\n"
        "def response(value=1):\n"
        "    return pb.InferenceResponse([pb.Tensor('OUT', np.array([value], np.int32))])\n"
        "class TritonPythonModel:\n"
        "        def execute(self, requests):\n" + lines + "\n"
    )


class Responses(unittest.TestCase):
    def test_a_stream_waits_for_credit(self):
        with Rig(COUNTS, decoupled=True) as rig:
            rig.execute({"in": {"IN": (np.array([40], np.int32), "INT32")}, "w": 3})
            sent = 0
            for _ in range(100):
                frame = rig.receive()
                if frame["k"] == "executed":
                    self.assertNotIn("r", frame)
                    continue
                if frame["k"] == "release":
                    break
                if not frame["final"]:
                    self.assertEqual(rig.array(frame, frame["out"][0]).tolist(), [sent])
                    sent += 1
                    if sent % 3 == 0:
                        rig.send(k="credit", s=1, n=3)
            self.assertEqual(sent, 40)

    def test_a_cancelled_stream_waits_no_longer(self):
        with Rig(COUNTS, decoupled=True) as rig:
            rig.execute({"in": {"IN": (np.array([5], np.int32), "INT32")}, "w": 1})
            rig.until("send")
            rig.send(k="cancel", s=1)
            _, before = rig.until("release")
            self.assertTrue(before[-1]["final"])

    def test_is_cancelled_sees_what_lies_in_the_socket(self):
        source = model(
            """
            while not requests[0].is_cancelled():
                pass
            requests[0].get_response_sender().send(flags=1)
            """.replace(" " * 12, "")
        )
        with Rig(source, decoupled=True) as rig:
            rig.execute({})
            rig.send(k="cancel", s=1)
            self.assertTrue(rig.until("send")[0]["final"])

    def test_a_cancellation_overtakes_a_batch_that_waits(self):
        source = model(
            """
            if self.first:
                self.first = False
                threading.Thread(target=lambda: pb.is_model_ready("x")).start()
                while not requests[0].is_cancelled(): pass
            sender = requests[0].get_response_sender()
            sender.send(pb.InferenceResponse(error=pb.TritonError(str(requests[0].is_cancelled()))), 1)
            """.replace(" " * 12, "")
        ).replace("class TritonPythonModel:", "import threading\nclass TritonPythonModel:\n        first = True")
        with Rig(source, decoupled=True) as rig:
            rig.execute({})
            # From here on the thread of the model reads, and the main thread is busy.
            call, _ = rig.until("call")
            rig.execute({"s": 2}, batch=2)
            rig.send(k="cancel", s=2)
            rig.send(k="cancel", s=1)
            for _ in range(2):
                self.assertEqual(rig.until("send")[0]["error"][1], "True")
            rig.send(k="result", id=call["id"], value=True)

    def test_a_dropped_sender_gives_the_request_up(self):
        with Rig(model("pass"), decoupled=True) as rig:
            rig.execute({})
            self.assertEqual(rig.until("release")[0]["s"], 1)

    def test_what_a_thread_or_a_coroutine_drops_is_told_at_once(self):
        thread = """
            import threading
            def hold(senders):
                open(path).read()
                senders.clear()
            threading.Thread(target=hold, args=([requests[0].get_response_sender()],)).start()
        """
        coroutine = """
            import asyncio
            await asyncio.get_running_loop().run_in_executor(None, lambda: open(path).read())
            raise ValueError("in the background")
        """
        for body in (thread, coroutine):
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "let_go")
                os.mkfifo(path)
                source = model(textwrap.dedent(body)).replace("path", repr(path))
                if body is coroutine:
                    source = source.replace("def execute", "async def execute")
                with Rig(source, decoupled=True) as rig:
                    rig.execute({})
                    rig.until("executed")
                    # The main thread waits for frames, of which none comes.
                    with open(path, "w"):
                        pass
                    self.assertEqual(rig.until("release")[0]["s"], 1)

    def test_a_sender_answers_in_a_model_that_is_not_decoupled(self):
        source = model("requests[0].get_response_sender().send(response(7), flags=1)\nreturn [None]")
        with Rig(source) as rig:
            rig.execute({})
            executed, before = rig.until("executed")
            self.assertEqual([frame["k"] for frame in before], ["send", "release"])
            self.assertEqual(rig.array(before[0], before[0]["out"][0]).tolist(), [7])
            self.assertEqual(executed["r"], [None])

    def test_reschedule(self):
        source = model("requests[0].set_release_flags(pb.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)\nreturn [None]")
        with Rig(source) as rig:
            rig.execute({})
            _, before = rig.until("executed")
            self.assertEqual([(frame["k"], frame["s"]) for frame in before], [("reschedule", 1)])

    def test_errors_and_their_codes(self):
        source = model('return [pb.InferenceResponse(error=pb.TritonError("gone", pb.TritonError.NOT_FOUND))]')
        with Rig(source) as rig:
            self.assertEqual(rig.run({})["r"], [{"error": [2, "gone"]}])

    def test_what_must_not_be_returned_or_sent(self):
        number = "Number of InferenceResponse objects do not match the number of InferenceRequest objects. "
        sizes = "InferenceRequest(s) size is:1, and InferenceResponse(s) size is:0\n"
        refused = "TritonModelException: Unable to send response. "
        for decoupled, body, text in [
            (False, "return 1", "Expected a list in the execute return, found type '<class 'int'>'."),
            (False, "return []", number + sizes),
            (False, "return [1]", "Expected an 'InferenceResponse' object in the execute function return list, "),
            (
                False,
                "requests[0].set_release_flags(2)\nreturn [response()]",
                "Expected a None object in the execute function return list for reschduled request, found type",
            ),
            (False, "s = requests[0].get_response_sender()\ns.send(flags=1)", refused + "Non-decoupled model cannot"),
            (
                False,
                "s = requests[0].get_response_sender()\ns.send(response(), 1)\ns.send(response(), 1)",
                refused + "Non-decoupled model cannot send more than one response.",
            ),
            (
                False,
                "requests[0].get_response_sender().send(response(), 1)\nreturn [response()]",
                "Unable to send response. Non-decoupled model cannot send more than one response.",
            ),
            (True, "return [response()]", "Python model 'm_0_0' is using the decoupled mode and the execute"),
            (
                True,
                "s = requests[0].get_response_sender()\ns.send(flags=1)\ns.send(response())",
                refused + "Response sender has been closed.",
            ),
            (True, "requests[0].get_response_sender().send(flags=4)", refused + "Unsupported flag provided."),
            (True, "requests[0].get_response_sender().send()", "TritonModelException: Inference Response object must"),
            (False, "raise SystemExit(3)", "SystemExit: 3\n\nAt:\n"),
            (False, "raise KeyboardInterrupt", "KeyboardInterrupt: <EMPTY MESSAGE>\n\nAt:\n"),
            (False, "return [response(), missing]", "NameError: name 'missing' is not defined\n\nAt:\n"),
        ]:
            with self.subTest(body), Rig(model(body), decoupled=decoupled) as rig:
                frame = rig.run({})
                self.assertIn("Failed to process the request(s) for model 'm_0_0', message: " + text, frame["error"][1])
                self.assertEqual(frame["error"][0], 1)
                # It goes on.
                self.assertIn("error", rig.run({}))

    def test_the_line_of_an_error(self):
        with Rig(model("raise ValueError('raised on purpose')")) as rig:
            expected = "ValueError: raised on purpose\n\nAt:\n  %s(6): execute\n" % rig.file
            self.assertTrue(rig.run({})["error"][1].endswith("message: " + expected))

    def test_asynchronous_executions_of_a_decoupled_model_overlap(self):
        source = """
            import asyncio, triton_python_backend_utils as pb

            class TritonPythonModel:
                waiting = []
                async def execute(self, requests):
                    self.waiting.append(asyncio.get_running_loop().create_future())
                    if len(self.waiting) == 2:
                        for future in self.waiting:
                            future.set_result(None)
                    await self.waiting[-1]
                    requests[0].get_response_sender().send(flags=1)
        """
        with Rig(source, decoupled=True) as rig:
            rig.execute({}, batch=1)
            rig.execute({"s": 2}, batch=2)
            ended = {rig.until("release")[0]["s"] for _ in range(2)}
            self.assertEqual(ended, {1, 2})

    def test_an_event_loop_awaits_credit_and_cancellation(self):
        source = model(
            "import asyncio\n"
            "sender = requests[0].get_response_sender()\n"
            "gone = asyncio.ensure_future(sender.async_cancelled())\n"
            "for value in range(5):\n"
            "    await sender.async_send(response(value))\n"
            "await gone\n"
            "await sender.async_send(flags=1)"
        ).replace("def execute", "async def execute")
        with Rig(source, decoupled=True) as rig:
            rig.execute({"w": 2})
            for value in range(5):
                frame, _ = rig.until("send")
                self.assertEqual(rig.array(frame, frame["out"][0]).tolist(), [value])
                if value % 2 == 1:
                    rig.send(k="credit", s=1, n=2)
            rig.send(k="cancel", s=1)
            self.assertTrue(rig.until("send")[0]["final"])

    def test_an_asynchronous_execute_returns_its_responses(self):
        source = model("return [response(3)]").replace("def execute", "async def execute")
        with Rig(source) as rig:
            frame = rig.run({})
            self.assertEqual(rig.array(frame, frame["r"][0]["out"][0]).tolist(), [3])


if __name__ == "__main__":
    unittest.main()
