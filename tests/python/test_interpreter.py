"""tflite_runtime.interpreter: what programs and the tests of TensorFlow rely on."""
import os
import unittest

import numpy as np
from support import DIGITS, case, main, shared

from tflite_runtime.interpreter import Interpreter, OpResolverType, load_delegate

import ai_edge_litert.interpreter
import edgetwin
import tflite_runtime


class Constructor(unittest.TestCase):
    def test_the_modules_have_the_same_objects(self):
        self.assertIs(ai_edge_litert.interpreter.Interpreter, Interpreter)
        self.assertEqual(tflite_runtime.__version__, "2.14.0")

    def check(self, text, kind=ValueError, **arguments):
        with self.assertRaises(kind) as caught:
            Interpreter(**arguments)
        self.assertEqual(str(caught.exception).split("\n")[0], text)
        return caught.exception

    def test_texts_of_errors(self):
        self.check("Could not open '/nothing.tflite'.", model_path="/nothing.tflite")
        self.check("The model is not a valid Flatbuffer buffer", model_content=b"abc")
        self.check("The model is not a valid Flatbuffer buffer", model_content=b"\0" * 100)
        self.check("The model is not a valid Flatbuffer buffer", model_content=b"\xff\xff\xff\x7fTFL3" + b"\xff" * 90)
        self.check("`model_path` or `model_content` must be specified.")
        self.check("Can't both provide `model_path` and `model_content`", model_path="a", model_content=b"b")
        self.check("type of num_threads should be int", model_path=DIGITS, num_threads=4.2)
        self.check("num_threads should >= 1", model_path=DIGITS, num_threads=-1)
        self.check("num_threads should >= 1", model_path=DIGITS, num_threads=0)
        self.check(
            "Unrecognized passed in op resolver type: 7", model_path=DIGITS, experimental_op_resolver_type=7
        )
        with open(case("lane.espdl"), "rb") as file:
            identifier = file.read(8)[4:8].decode("latin-1")
        wrong = self.check(
            "Model provided has model identifier '%s', should be 'TFL3'" % identifier, model_path=case("lane.espdl")
        )
        self.assertIsInstance(wrong, ValueError)

    def test_unknown_keywords_are_refused_as_python_does(self):
        with self.assertRaises(TypeError):
            Interpreter(model_path=DIGITS, nonsense=1)

    def test_content_and_trailing_bytes(self):
        with open(DIGITS, "rb") as file:
            data = file.read()
        for content in (data, bytearray(data), memoryview(data), data + b"PK\x03\x04 appended"):
            Interpreter(model_content=content).allocate_tensors()

    def test_a_path_object_and_resolvers(self):
        import pathlib

        for resolver in OpResolverType:
            Interpreter(pathlib.Path(DIGITS), experimental_op_resolver_type=resolver).allocate_tensors()

    def test_an_unknown_custom_operator(self):
        interpreter = Interpreter(case("unknown.tflite"))
        with self.assertRaisesRegex(RuntimeError, "^Encountered unresolved custom op: "):
            interpreter.allocate_tensors()


class Details(unittest.TestCase):
    def test_keys_and_types(self):
        interpreter = Interpreter(DIGITS)
        (d,) = interpreter.get_input_details()
        self.assertEqual(
            list(d),
            ["name", "index", "shape", "shape_signature", "dtype", "quantization", "quantization_parameters",
             "sparsity_parameters"],
        )
        self.assertIs(type(d["name"]), str)
        self.assertIs(type(d["index"]), int)
        self.assertEqual(d["shape"].dtype, np.int32)
        self.assertIs(d["dtype"], np.int8)
        self.assertTrue(np.issubdtype(d["dtype"], np.integer))
        self.assertIs(type(d["quantization"][0]), float)
        self.assertIs(type(d["quantization"][1]), int)
        self.assertEqual(d["quantization"][0], float(np.float32(d["quantization"][0])))
        self.assertEqual(d["quantization_parameters"]["scales"].dtype, np.float32)
        self.assertEqual(d["quantization_parameters"]["zero_points"].dtype, np.int32)
        self.assertEqual(d["sparsity_parameters"], {})

    def test_details_are_fresh(self):
        interpreter = Interpreter(DIGITS)
        interpreter.get_input_details()[0]["shape"][0] = 77
        self.assertEqual(interpreter.get_input_details()[0]["shape"][0], 1)

    def test_all_tensors_and_operators(self):
        interpreter = Interpreter(DIGITS)
        names = [d["name"] for d in interpreter.get_tensor_details()]
        self.assertIn(interpreter.get_input_details()[0]["name"], names)
        ops = interpreter._get_ops_details()
        self.assertEqual(
            list(ops[0]), ["index", "op_name", "inputs", "outputs", "operand_types", "result_types"]
        )
        self.assertEqual(ops[0]["inputs"].dtype, np.int32)
        with self.assertRaisesRegex(ValueError, "Invalid node index"):
            interpreter._get_op_details(1000)

    def test_constants_can_be_read_before_allocation(self):
        interpreter = Interpreter(DIGITS)
        weights = interpreter._get_op_details(0)["inputs"][1]
        self.assertEqual(interpreter.get_tensor(weights).dtype, np.int8)
        with self.assertRaises(ValueError):
            interpreter.tensor(weights)()[...] = 0


class Tensors(unittest.TestCase):
    def setUp(self):
        self.interpreter = Interpreter(DIGITS)
        self.input = self.interpreter.get_input_details()[0]
        self.output = self.interpreter.get_output_details()[0]

    def raises(self, kind, text, call, *arguments):
        with self.assertRaises(kind) as caught:
            call(*arguments)
        self.assertTrue(str(caught.exception).startswith(text), str(caught.exception))

    def test_before_allocation(self):
        zeros = np.zeros(self.input["shape"], self.input["dtype"])
        index = self.input["index"]
        self.raises(RuntimeError, "Invoke called on model that is not ready.", self.interpreter.invoke)
        self.raises(
            ValueError, "Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first",
            self.interpreter.set_tensor, index, zeros
        )
        null = "Tensor data is null. Run allocate_tensors() first"
        self.raises(ValueError, null, self.interpreter.get_tensor, index)
        self.raises(ValueError, null, self.interpreter.tensor(index))

    def test_wrong_types_and_shapes(self):
        self.interpreter.allocate_tensors()
        set_tensor, index, shape = self.interpreter.set_tensor, self.input["index"], tuple(self.input["shape"])
        with self.assertRaises(ValueError) as caught:
            set_tensor(index, np.zeros(shape, np.float32))
        self.assertEqual(
            str(caught.exception),
            "Cannot set tensor: Got value of type FLOAT32 but expected type INT8 for input %d, name: %s "
            % (index, self.input["name"]),
        )
        self.raises(
            ValueError, "Cannot set tensor: Dimension mismatch. Got 1 but expected 4 for input %d." % index,
            set_tensor, index, np.zeros(3, np.int8)
        )
        wrong = (shape[0], shape[1] + 1) + shape[2:]
        self.raises(
            ValueError,
            "Cannot set tensor: Dimension mismatch. Got %d but expected %d for dimension 1 of input %d."
            % (wrong[1], shape[1], index),
            set_tensor, index, np.zeros(wrong, np.int8)
        )
        count = 1000
        with self.assertRaisesRegex(ValueError, "Invalid tensor index 1000 exceeds max tensor index "):
            set_tensor(count, np.zeros(1, np.int8))
        with self.assertRaisesRegex(ValueError, "Invalid tensor index -1 exceeds max tensor index "):
            self.interpreter.get_tensor(-1)
        self.raises(
            ValueError, "subgraph_index is out of range: 3 for the model, which has 1 subgraphs.",
            self.interpreter.get_tensor, 0, 3
        )

    def test_copies_and_views(self):
        self.interpreter.allocate_tensors()
        index = self.input["index"]
        self.interpreter.tensor(index)()[...] = 5
        copy = self.interpreter.get_tensor(index)
        self.assertTrue((copy == 5).all() and copy.flags.writeable and copy.flags.owndata)
        self.interpreter.invoke()
        first = self.interpreter.get_tensor(self.output["index"])
        self.interpreter.set_tensor(index, np.full(self.input["shape"], 100, np.int8)[:, :, ::-1])
        self.interpreter.invoke()
        self.assertFalse(np.array_equal(first, self.interpreter.get_tensor(self.output["index"])))
        self.interpreter.allocate_tensors()
        self.assertTrue((self.interpreter.get_tensor(index) == 100).all())

    def test_the_guard(self):
        self.interpreter.allocate_tensors()
        text = "There is at least 1 reference to internal data"
        view = self.interpreter.tensor(self.output["index"])()
        for call in (self.interpreter.invoke, self.interpreter.allocate_tensors):
            self.raises(RuntimeError, text, call)
        part = view.reshape(-1)[2:]
        del view
        self.raises(RuntimeError, text, self.interpreter.invoke)
        kept = part.astype(np.float32), part.copy(), part.flatten()
        del part
        self.interpreter.invoke()
        self.assertEqual(len(kept), 3)
        self.assertTrue(self.interpreter._safe_to_run())

    def test_a_view_outlives_its_interpreter(self):
        self.interpreter.allocate_tensors()
        view = self.interpreter.tensor(self.input["index"])()
        view[...] = 3
        del self.interpreter
        self.assertTrue((view == 3).all())

    def test_resizing(self):
        index = self.input["index"]
        shape = [2] + list(self.input["shape"][1:])
        self.raises(
            RuntimeError, "Attempting to resize dimension 0 of tensor %d with value 1 to 2. "
            "ResizeInputTensorStrict only allows mutating unknown dimensions identified by -1." % index,
            self.interpreter.resize_tensor_input, index, shape, True
        )
        self.interpreter.allocate_tensors()
        self.interpreter.resize_tensor_input(index, shape)
        self.assertEqual(list(self.interpreter.get_input_details()[0]["shape"]), shape)
        self.assertEqual(self.interpreter.get_input_details()[0]["shape_signature"][0], 1)
        self.raises(RuntimeError, "Invoke called on model that is not ready.", self.interpreter.invoke)

    def test_intermediate_tensors(self):
        self.interpreter.allocate_tensors()
        self.interpreter.invoke()
        inner = self.interpreter._get_op_details(0)["outputs"][0]
        self.raises(ValueError, "Tensor data is null. Run allocate_tensors() first; intermediate",
                    self.interpreter.get_tensor, inner)
        with Interpreter(DIGITS, experimental_preserve_all_tensors=True) as keeping:
            keeping.allocate_tensors()
            keeping.invoke()
            self.assertEqual(keeping.get_tensor(inner).ndim, 4)
        with self.assertRaises(ValueError):
            keeping.invoke()

    def test_threads_can_be_set_late(self):
        self.interpreter.set_num_threads(4)
        self.interpreter.allocate_tensors()
        self.interpreter.set_num_threads(2)
        self.interpreter.invoke()

    def test_no_signatures(self):
        self.assertIsInstance(self.interpreter.get_signature_list(), dict)
        with self.assertRaises(ValueError):
            self.interpreter.get_signature_runner("nothing")


class Signatures(unittest.TestCase):
    def test_a_batch_through_a_signature(self):
        interpreter = Interpreter(shared("dense_256.tflite"))
        (details,) = interpreter.get_input_details()
        self.assertEqual(list(details["shape"]), [1, 256])
        self.assertEqual(list(details["shape_signature"]), [-1, 256])
        self.assertEqual(
            interpreter.get_signature_list(), {"serving_default": {"inputs": ["keras_tensor"], "outputs": ["output_0"]}}
        )
        runner = interpreter.get_signature_runner()
        values = np.arange(5 * 256).reshape(5, 256).astype(details["dtype"])
        (batch,) = runner(keras_tensor=values).values()
        single = [runner(keras_tensor=values[i:i + 1])["output_0"] for i in range(5)]
        np.testing.assert_array_equal(batch, np.concatenate(single))
        interpreter.resize_tensor_input(details["index"], [3, 256], strict=True)
        for arguments, text in (
            ({}, "Invalid number of inputs provided for running a SignatureDef, expected 1 vs provided 0"),
            ({"x": values}, "Invalid Input name (x) for SignatureDef"),
        ):
            with self.assertRaises(ValueError) as caught:
                runner(**arguments)
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(ValueError, "^Invalid signature_key provided.$"):
            interpreter.get_signature_runner("nothing")


class Delegates(unittest.TestCase):
    def setUp(self):
        self.before = os.environ.pop("EDGETWIN_DEVICE", None)

    def tearDown(self):
        os.environ.pop("EDGETWIN_DEVICE", None)
        if self.before is not None:
            os.environ["EDGETWIN_DEVICE"] = self.before

    def test_other_delegates_are_refused(self):
        for library in ("/usr/lib/teflon/libteflon.so", "libnothing.so"):
            with self.assertRaisesRegex(ValueError, "^Failed to load delegate from " + library + "\n."):
                load_delegate(library)

    def test_no_stick_says_how_to_compute_without(self):
        with self.assertRaisesRegex(ValueError, "EDGETWIN_DEVICE=twin"):
            load_delegate("libedgetpu.so.1.0", {"device": "usb"})

    def test_software_devices(self):
        os.environ["EDGETWIN_DEVICE"] = "twin:2"
        for where in ("", "usb", "usb:0", ":1"):
            load_delegate("/usr/lib/aarch64-linux-gnu/libedgetpu.so.1", {"device": where, "unknown": "x"})
        for where in ("pci", ":2", "usb:2"):
            with self.assertRaises(ValueError):
                load_delegate("libedgetpu.so.1", options={"device": where})

    def test_a_compiled_model(self):
        content = edgetwin.open(case("dense256.tflite")).compile("edgetpu").network.bytes()
        with self.assertRaisesRegex(RuntimeError, "^Encountered unresolved custom op: edgetpu-custom-op."):
            Interpreter(model_content=content).allocate_tensors()
        results = []
        for device in ("twin", "virtual"):
            os.environ["EDGETWIN_DEVICE"] = device
            interpreter = Interpreter(None, content, [load_delegate("libedgetpu.so.1")])
            interpreter.allocate_tensors()
            d = interpreter.get_input_details()[0]
            value = np.arange(np.prod(d["shape"])).reshape(d["shape"]).astype(d["dtype"])
            interpreter.set_tensor(d["index"], value)
            interpreter.invoke()
            results.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]))
            self.assertEqual(interpreter._get_op_details(0)["op_name"], "edgetpu-custom-op")
        self.assertTrue(np.array_equal(*results))


if __name__ == "__main__":
    main()
