"""What execute gets and returns."""

import unittest

import numpy as np
from rig import Rig

IDENTITY = """
    import triton_python_backend_utils as pb

    class TritonPythonModel:
        def execute(self, requests):
            return [
                pb.InferenceResponse([pb.Tensor("OUT", pb.get_input_tensor_by_name(r, "IN").as_numpy())])
                for r in requests
            ]
"""


class Execute(unittest.TestCase):
    def test_identity_of_small_and_shared_tensors(self):
        with Rig(IDENTITY) as rig:
            small = np.arange(16, dtype=np.float32)
            large = np.arange(150_000, dtype=np.int32).reshape(2, -1)
            frame = rig.run({"in": {"IN": (small, "FP32")}}, {"in": {"IN": (large, "INT32", True)}})
            (first,), (second,) = [entry["out"] for entry in frame["r"]]
            self.assertEqual(first[:4], ["OUT", "FP32", [16], 0])
            self.assertEqual(second[:4], ["OUT", "INT32", [2, 75_000], 1])
            np.testing.assert_array_equal(rig.array(frame, first), small)
            np.testing.assert_array_equal(rig.array(frame, second), large)
            # The input is not viewed any more: its block comes back with the answer.
            self.assertEqual(frame["free"], [0])
            self.assertEqual(len(frame["ns"]), 3)

    def test_without_shared_memory_everything_is_in_the_frame(self):
        with Rig(IDENTITY, shm=False) as rig:
            large = np.arange(500_000, dtype=np.int32)
            frame = rig.run({"in": {"IN": (large, "INT32")}})
            described = frame["r"][0]["out"][0]
            self.assertEqual(described[3], 0)
            np.testing.assert_array_equal(rig.array(frame, described), large)

    def test_a_full_file_system_falls_back_to_the_frame(self):
        with Rig(IDENTITY, limit=1024) as rig:
            large = np.arange(100_000, dtype=np.int32)
            frame = rig.run({"in": {"IN": (large, "INT32", True)}})
            described = frame["r"][0]["out"][0]
            self.assertEqual(described[3], 0)
            np.testing.assert_array_equal(rig.array(frame, described), large)

    def test_a_file_system_without_room_for_twice_as_much(self):
        with Rig(IDENTITY, limit=4 << 20) as rig:
            values = np.arange(1 << 20, dtype=np.int32)
            # 2.5 MB and 1 MB are in shared memory, of which there is none left for another 1 MB.
            for count, place in ((640_000, 1), (250_000, 1), (250_000, 0)):
                frame = rig.run({"in": {"IN": (values[:count], "INT32", True)}})
                described = frame["r"][0]["out"][0]
                self.assertEqual(described[3], place)
                np.testing.assert_array_equal(rig.array(frame, described), values[:count])

    def test_blocks_of_responses_are_used_again(self):
        with Rig(IDENTITY) as rig:
            large = np.arange(100_000, dtype=np.int32)
            offsets = set()
            for _ in range(20):
                frame = rig.run({"in": {"IN": (large, "INT32")}})
                described = frame["r"][0]["out"][0]
                offsets.add(described[4])
                rig.send(k="free", free=[described[4]])
            self.assertEqual(len(offsets), 1)

    def test_the_elements_of_byte_strings_and_of_nothing(self):
        with Rig(IDENTITY) as rig:
            wire = b"\x02\0\0\0hi\0\0\0\0\x01\0\0\0\xff"
            frame = rig.run({"in": {"IN": (wire, "BYTES")}, "out": ["OUT"]})
            # The rig says as many elements as bytes: the model must fail clearly.
            self.assertIn("cannot reshape array", frame["error"][1])
            empty = np.zeros([0, 3], np.float32)
            frame = rig.run({"in": {"IN": (empty, "FP32")}})
            self.assertEqual(frame["r"][0]["out"][0][:3], ["OUT", "FP32", [0, 3]])

    def test_only_requested_outputs_are_sent(self):
        with Rig(IDENTITY) as rig:
            frame = rig.run({"in": {"IN": (np.zeros(1, np.float32), "FP32")}, "out": ["OTHER"]})
            self.assertEqual(frame["r"], [{"out": []}])

    def test_what_a_model_keeps_stays_valid(self):
        source = """
            import triton_python_backend_utils as pb

            class TritonPythonModel:
                kept = None
                def execute(self, requests):
                    given = requests[0].inputs()[0].as_numpy()[10:20]
                    answer = self.kept if self.kept is not None else given
                    self.kept = given
                    return [pb.InferenceResponse([pb.Tensor("OUT", answer)])]
        """
        with Rig(source) as rig:
            arrays = [np.arange(n, n + 50_000, dtype=np.int32) for n in (0, 7, 9)]
            values, freed = [], []
            for array in arrays:
                rig.execute({"in": {"IN": (array, "INT32", True)}})
                frame, before = rig.until("executed")
                values.append(int(rig.array(frame, frame["r"][0]["out"][0])[0]))
                freed.append([offset for each in [*before, frame] for offset in each.get("free", [])])
            self.assertEqual(values, [10, 10, 17])
            # The first block is viewed until the second answer has been written.
            self.assertEqual(freed, [[], [], [0]])

    def test_the_properties_of_a_request(self):
        source = """
            import json, numpy as np, triton_python_backend_utils as pb

            class TritonPythonModel:
                def initialize(self, args):
                    self.args = args
                def execute(self, requests):
                    told = [[r.request_id(), r.correlation_id(), r.flags(), r.timeout(), r.priority(),
                             r.parameters(), sorted(r.requested_output_names()), r.is_cancelled(),
                             r.trace().get_context()] for r in requests]
                    text = json.dumps([self.args, told, pb.get_model_dir()])
                    return [pb.InferenceResponse([pb.Tensor("OUT", np.array([text], dtype=np.object_))],
                                                 parameters={"big": 2**63, "yes": True}) for r in requests]
        """
        with Rig(source) as rig:
            import json

            frame = rig.run(
                {
                    "id": "a",
                    "c": 2**64 - 1,
                    "f": 3,
                    "t": 5,
                    "p": 2,
                    "params": {"n": 1.5, "x": {"f": "NaN"}, "s": "ü"},
                    "out": ["OUT"],
                    "cancelled": True,
                    "trace": "{}",
                }
            )
            args, (told,), directory = json.loads(rig.bytes_of(frame, frame["r"][0]["out"][0])[4:])
            self.assertEqual(args["model_instance_name"], "m_0_0")
            self.assertEqual(args["model_instance_device_id"], "0")
            self.assertEqual(args["model_repository"], rig.directory.name)
            self.assertEqual(directory, rig.directory.name + "/1")
            parameters = '{"n":1.5,"x":NaN,"s":"\\u00fc"}'
            self.assertEqual(told, ["a", 2**64 - 1, 3, 5, 2, parameters, ["OUT"], True, "{}"])
            self.assertEqual(frame["r"][0]["params"], {"big": {"u": str(2**63)}, "yes": True})


if __name__ == "__main__":
    unittest.main()
