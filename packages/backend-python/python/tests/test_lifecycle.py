"""The life of the process: hooks, completion of the configuration, readiness, its end."""

import json
import os
import sys
import unittest

from rig import Rig

WHOLE = """
    import triton_python_backend_utils as pb

    class TritonPythonModel:
        @staticmethod
        def auto_complete_config(config):
            config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": [4]})
            config.add_output({"name": "OUT", "data_type": "TYPE_FP32", "dims": [4]})
            config.set_max_batch_size(0)
            config.set_dynamic_batching()
            return config

        def initialize(self, args):
            import threading
            self.asked = threading.Event()
            print("initialized", args["model_name"])

        def execute(self, requests):
            self.asked.wait()
            return [pb.InferenceResponse() for _ in requests]

        def is_ready(self):
            self.asked.set()
            return True

        def finalize(self):
            print("finalized")
"""


class Lifecycle(unittest.TestCase):
    def test_a_whole_life(self):
        with Rig(WHOLE, initialize=False) as rig:
            completed = json.loads(rig.ask("complete", config=rig.config)["config"])
            self.assertEqual(completed["input"], [{"name": "IN", "data_type": "TYPE_FP32", "dims": [4]}])
            self.assertEqual(completed["dynamic_batching"], {})
            self.assertTrue(rig.ask("initialize", **rig.arguments())["is_ready"])
            rig.execute({})
            # Answered although execute waits for the answer.
            rig.send(k="ready", id=100)
            answers = {frame["k"]: frame for frame in (rig.receive(), rig.receive())}
            self.assertTrue(answers["done_call"]["ready"])
            self.assertEqual(answers["executed"]["r"], [{"out": []}])
            self.assertNotIn("error", rig.ask("finalize"))
            self.assertEqual(rig.wait(), 0)
            self.assertEqual(os.read(rig.output, 1000), b"initialized m\nfinalized\n")

    def test_a_model_without_hooks(self):
        with Rig("class TritonPythonModel: pass", initialize=False) as rig:
            self.assertEqual(rig.ask("complete", config=rig.config)["config"], rig.config)
            self.assertFalse(rig.ask("initialize", **rig.arguments())["is_ready"])
            self.assertTrue(rig.ask("ready")["ready"])
            self.assertIn("Python model %s does not implement `execute` method." % rig.file, rig.run({})["error"][1])
            rig.ask("finalize")
            self.assertEqual(rig.wait(), 0)

    def test_errors_of_hooks(self):
        for source, question, text in [
            ("import nothing_like_this", "complete", "ModuleNotFoundError: No module named 'nothing_like_this'\n\nAt:"),
            ("", "complete", "AttributeError: module '1.model' has no attribute 'TritonPythonModel'"),
            ("x = (", "initialize", "SyntaxError: "),
            (
                "class TritonPythonModel:\n    auto_complete_config = staticmethod(lambda config: 1)",
                "complete",
                "auto_complete_config function in model 'm' must return a valid pb.ModelConfig object.",
            ),
            (
                "class TritonPythonModel:\n    def initialize(self, args): raise RuntimeError('no')",
                "initialize",
                "RuntimeError: no\n\nAt:\n  FILE(2): initialize\n",
            ),
            (
                "class TritonPythonModel:\n    def initialize(self, args): raise SystemExit",
                "initialize",
                "SystemExit: <EMPTY MESSAGE>\n\nAt:\n  FILE(2): initialize\n",
            ),
        ]:
            with self.subTest(source), Rig(source, initialize=False) as rig:
                answer = rig.ask(question, **rig.arguments())
                self.assertTrue(answer["error"][1].startswith(text.replace("FILE", rig.file)), answer)
                self.assertIn("Traceback", answer["trace"])

    def test_a_model_that_is_not_ready_and_one_that_does_not_say(self):
        for returned, expected in [("False", {"ready": False}), ("1", None)]:
            source = "class TritonPythonModel:\n    async def is_ready(self): return %s" % returned
            with Rig(source) as rig:
                answer = rig.ask("ready")
                if expected is None:
                    self.assertEqual(answer["error"][1], "is_ready() must return a boolean value")
                else:
                    self.assertEqual(answer["ready"], False)

    def test_neighbours_are_imported_absolutely_and_relatively(self):
        source = "from . import near\nimport near as same\nclass TritonPythonModel: pass"
        with Rig(source, initialize=False) as rig:
            with open(os.path.join(rig.directory.name, "1", "near.py"), "w") as file:
                file.write("")
            self.assertNotIn("error", rig.ask("initialize", **rig.arguments()))
            self.assertEqual(sorted(os.listdir(os.path.join(rig.directory.name, "1"))), ["model.py", "near.py"])

    def test_the_process_ends_with_the_server(self):
        with Rig("class TritonPythonModel: pass") as rig:
            rig.socket.shutdown(2)
            self.assertEqual(rig.wait(), 1)

    def test_a_thread_of_the_model_does_not_keep_a_process_without_connection(self):
        source = """
            import os, threading, triton_python_backend_utils as pb

            class TritonPythonModel:
                def initialize(self, args):
                    threading.Thread(target=threading.Event().wait).start()

                def execute(self, requests):
                    os.closerange(3, 6)
                    return [pb.InferenceResponse() for _ in requests]
        """
        with Rig(source) as rig:
            rig.execute({})
            self.assertEqual(rig.wait(), 1)
            self.assertIn("Bad file descriptor", os.read(rig.output, 65536).decode())
            rig.pid = None

    def test_an_exception_without_text(self):
        source = """
            class Silent(Exception):
                def __str__(self):
                    raise ValueError

            class TritonPythonModel:
                def execute(self, requests):
                    raise Silent
        """
        with Rig(source) as rig:
            self.assertIn("Silent: <UNPRINTABLE MESSAGE>", rig.run({})["error"][1])

    def test_text_that_utf_8_has_not(self):
        source = r"""
            import triton_python_backend_utils as pb

            class TritonPythonModel:
                def initialize(self, args):
                    pb.Logger.log_info("file \udce4")
                    raise ValueError("file \udce4")
        """
        with Rig(source, initialize=False) as rig:
            rig.send(k="initialize", id=1, **rig.arguments())
            done, before = rig.until("done_call")
            self.assertEqual(before[0]["message"], "file \udce4")
            self.assertIn("ValueError: file \udce4", done["error"][1])

    def test_a_forked_child_leaves_the_connection_alone(self):
        source = """
            import multiprocessing, os, triton_python_backend_utils as pb

            class TritonPythonModel:
                def execute(self, requests):
                    with multiprocessing.get_context("fork").Pool(2) as pool:
                        assert pool.map(abs, [-1, -2]) == [1, 2]
                        # Nobody hears it; it must not disturb what the parent says.
                        pool.map(pb.Logger.log_info, ["from a child", "from a child"])
                    return [pb.InferenceResponse() for _ in requests]
        """
        with Rig(source) as rig:
            for _ in range(3):
                rig.execute({})
                executed, before = rig.until("executed")
                self.assertEqual((executed["r"], before), ([{"out": []}], []))

    def test_without_numpy(self):
        source = "class TritonPythonModel: pass"
        # `-I -S`-like: a directory that hides numpy.
        hidden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "without_numpy")
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = hidden
        try:
            with Rig(source, initialize=False) as rig:
                text = rig.ask("initialize", **rig.arguments())["error"][1]
        finally:
            del os.environ["PYTHONPATH"]
            if before is not None:
                os.environ["PYTHONPATH"] = before
        expected = "python3 at %s has no numpy: install it with '%s -m pip install numpy'"
        self.assertEqual(text, expected % (sys.executable, sys.executable))


if __name__ == "__main__":
    unittest.main()
