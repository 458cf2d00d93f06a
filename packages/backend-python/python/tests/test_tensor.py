"""Tensors and the helpers around them."""

import gc
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import triton_python_backend_utils as pb


class Tensors(unittest.TestCase):
    def test_properties(self):
        tensor = pb.Tensor("a", np.zeros([2, 3], np.float16))
        self.assertEqual((tensor.name(), tensor.shape(), tensor.is_cpu()), ("a", [2, 3], True))
        self.assertIs(pb.triton_to_numpy_type(tensor.triton_dtype()), np.float16)

    def test_what_is_refused(self):
        with self.assertRaisesRegex(pb.TritonModelException, "Tensor name cannot be an empty string."):
            pb.Tensor("", np.zeros(1))
        for array in (np.array(["text"]), np.zeros(1, np.complex64), np.zeros(1, ">f4")):
            with self.assertRaisesRegex(pb.TritonModelException, "NumPy dtype is not supported."):
                pb.Tensor("a", array)

    def test_views_and_copies(self):
        array = np.arange(6, dtype=np.int32).reshape(2, 3)
        self.assertIs(pb.Tensor("a", array).as_numpy(), array)
        turned = pb.Tensor("a", array.T)
        self.assertTrue(turned.as_numpy().flags.c_contiguous)
        self.assertEqual(turned.shape(), [3, 2])

    def test_byte_strings(self):
        array = np.array([[b"a\0", "ü"], ["", 12]], dtype=np.object_)
        wire = pb.serialize_byte_tensor(array)
        self.assertEqual(pb.deserialize_bytes_tensor(wire).tolist(), [b"a\0", "ü".encode(), b"", b"12"])
        self.assertEqual(pb.serialize_byte_tensor(np.array([b"ab", b"c"])), b"\2\0\0\0ab\1\0\0\0c")
        for cut in (wire[:-1], wire[:2]):
            with self.assertRaises(ValueError):
                pb.deserialize_bytes_tensor(cut)

    def test_dlpack_to_and_from_numpy(self):
        for dtype in (np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64):
            array = np.arange(6).astype(dtype).reshape(2, 3)
            tensor = pb.Tensor.from_dlpack("a", array)
            np.testing.assert_array_equal(tensor.as_numpy(), array)
            self.assertEqual(tensor.as_numpy().ctypes.data, array.ctypes.data)
            back = np.from_dlpack(tensor)
            self.assertEqual(back.ctypes.data, array.ctypes.data)
            np.testing.assert_array_equal(back, array)
        # Which not every numpy exports itself.
        truths = pb.Tensor.from_dlpack("a", pb.Tensor("b", np.array([True, False])).to_dlpack())
        self.assertEqual(truths.as_numpy().tolist(), [True, False])

    def test_dlpack_keeps_and_frees_memory(self):
        from triton_ts import dlpack

        tensor = pb.Tensor("a", np.arange(1000))
        view = np.from_dlpack(tensor)
        capsule = tensor.to_dlpack()
        del tensor
        self.assertEqual(len(dlpack._exported), 2)
        self.assertEqual(view.sum(), 499500)
        del view, capsule
        gc.collect()
        self.assertEqual(len(dlpack._exported), 0)
        again = pb.Tensor.from_dlpack("b", pb.Tensor("a", np.arange(1000)).to_dlpack())
        self.assertEqual(again.as_numpy().sum(), 499500)
        del again
        gc.collect()
        self.assertEqual(len(dlpack._exported), 0)

    def test_what_dlpack_refuses(self):
        for source, text in [
            (1, "Provided tensor is not supported"),
            (np.zeros([3, 2], np.float32).T, "DLPack tensor is not contiguous"),
            (np.zeros(2, np.complex64), "data type"),
        ]:
            with self.assertRaisesRegex(pb.TritonModelException, text):
                pb.Tensor.from_dlpack("a", source)
        with self.assertRaisesRegex(pb.TritonModelException, "DLPack does not have support for string tensors."):
            pb.Tensor("a", np.array([b"x"], dtype=np.object_)).to_dlpack()

    def test_bfloat16_only_through_dlpack(self):
        from triton_ts.tensor import Tensor

        tensor = Tensor.received("a", "BF16", [2], bytearray(b"\x80\x3f\x00\x40"), 0)
        with self.assertRaisesRegex(pb.TritonModelException, "Use to_dlpack\\(\\) and from_dlpack\\(\\) instead"):
            tensor.as_numpy()
        again = pb.Tensor.from_dlpack("b", tensor.to_dlpack())
        self.assertEqual(again.elements().tolist(), [0x3F80, 0x4000])
        self.assertEqual(again.triton_dtype(), 14)


class Configurations(unittest.TestCase):
    def config(self, **members):
        import json

        return pb.ModelConfig(json.dumps({"name": "m", "max_batch_size": 4, "input": [], "output": [], **members}))

    def test_contradictions(self):
        given = [{"name": "IN", "data_type": "TYPE_FP32", "dims": [4], "optional": False}]
        where = "in auto-complete-config function for model 'm'"
        tensor = {"name": "IN", "data_type": "TYPE_FP32", "dims": [4]}
        for change, text in [
            (lambda c: c.set_max_batch_size(2), "configuration specified max_batch_size 4, but " + where),
            (lambda c: c.add_input({"name": "X"}), "input 'X' %s is missing 'data_type' property." % where),
            (lambda c: c.add_input({}), "input %s is missing 'name' property." % where),
            (
                lambda c: c.add_output({"name": "X", "optional": True}),
                "output 'X' %s contains property other than 'name', 'data_type' and 'dims'." % where,
            ),
            (
                lambda c: c.add_input({**tensor, "data_type": "TYPE_INT8"}),
                "unable to load model 'm', configuration expects datatype TYPE_FP32 for input 'IN', model provides "
                "TYPE_INT8",
            ),
            (
                lambda c: c.add_input({**tensor, "dims": [5]}),
                "model 'm', tensor 'IN': the model expects dims [5] but the model configuration specifies dims [4]",
            ),
            (lambda c: c.add_input({**tensor, "optional": True}), "the model expects optional True but the model"),
            (lambda c: c.set_model_transaction_policy({"x": 1}), "contains property other than 'decoupled'."),
            (
                lambda c: c.set_model_transaction_policy({"decoupled": True}),
                "trying to change decoupled property in auto-complete-config for model 'm', which is already set to "
                "'False'.",
            ),
            (
                lambda c: c.set_dynamic_batching(),
                "Configuration specified scheduling_choice as 'sequence_batching', but auto-complete-config function",
            ),
        ]:
            config = self.config(
                input=given, sequence_batching={}, model_transaction_policy={"decoupled": False}
            )
            with self.assertRaises(ValueError) as raised:
                change(config)
            self.assertIn(text, str(raised.exception))

    def test_what_is_added(self):
        config = self.config(input=[{"name": "IN", "data_type": "TYPE_INVALID", "dims": []}])
        config.add_input({"name": "IN", "data_type": "TYPE_FP32", "dims": [4], "optional": True})
        config.set_model_transaction_policy({"decoupled": True})
        config.set_max_batch_size(8)
        self.assertTrue(pb.using_decoupled_model_transaction_policy(config.as_dict()))
        self.assertTrue(pb.get_input_config_by_name(config.as_dict(), "IN")["optional"])
        self.assertIsNone(pb.get_output_config_by_name(config.as_dict(), "IN"))


if __name__ == "__main__":
    unittest.main()
