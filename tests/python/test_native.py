"""The package edgetwin itself, and espdl_quantize_onnx."""
import copy
import ctypes
import doctest
import os
import pickle
import re
import tempfile
import unittest

import numpy as np
from support import DIGITS, SOURCE, case, main

import edgetwin
from edgetwin import _abi, _native
from espdl_quantize_onnx import espdl_quantize_onnx

KINDS = {
    "int32_t": ctypes.c_int32, "size_t": ctypes.c_size_t, "uint32_t": ctypes.c_uint32, "float": ctypes.c_float,
}


class Abi(unittest.TestCase):
    def test_the_table_is_that_of_the_header(self):
        with open(os.path.join(SOURCE, "include", "edgetwin", "edgetwin.c.h")) as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        declared = dict()
        for result, name, arguments in re.findall(r"([a-z_0-9 ]+?[ *]+)(edgetwin_\w+)\(([^()]*)\);", text):
            declared[name] = (result.strip(), [a.strip() for a in arguments.split(",") if a.strip() != "void"])
        self.assertEqual(sorted(declared), sorted(_abi.FUNCTIONS))
        for name, (result, arguments) in declared.items():
            kinds = _abi.FUNCTIONS[name][1]
            self.assertEqual(len(arguments), len(kinds), name)
            for text, kind in zip(arguments, kinds):
                plain = KINDS.get(text.rsplit(" ", 1)[0])
                if plain is not None:
                    self.assertIs(plain, kind, name)
                else:
                    self.assertEqual(ctypes.sizeof(kind), ctypes.sizeof(ctypes.c_void_p), name)

    def test_the_struct_has_the_layout_of_c(self):
        self.assertEqual(ctypes.sizeof(_abi.TensorInfo), 96)


class Networks(unittest.TestCase):
    def setUp(self):
        self.network = edgetwin.open(DIGITS)
        self.zeros = np.zeros(self.network.inputs[0].shape, np.int8)

    def test_ports_and_facts(self):
        self.assertEqual(self.network.kind, "tflite")
        self.assertEqual(self.network.outputs[0].shape, (1, 10))
        self.assertIn("operators", self.network.info)
        self.assertIn("<table>", self.network._repr_html_())

    def test_runs(self):
        run = self.network.run(self.zeros, trace=True)
        self.assertGreater(len(run.layers), 3)
        self.assertEqual(run[0].array.shape, (1, 10))
        np.testing.assert_allclose(
            run[0].real, (run[0].array.astype(float) - run[0].quantization["zero_point"]) *
            run[0].quantization["scale"]
        )
        self.assertTrue(run.diff(self.network.run(self.zeros, on="plain")))
        with self.assertRaises(KeyError):
            run.outputs["nothing"]
        with self.assertRaises(TypeError):
            pickle.dumps(run)
        self.assertEqual(len(self.network.run(self.zeros).layers), 0)

    def test_wrong_inputs(self):
        for value in (self.zeros.astype(np.int16), {"nothing": self.zeros}, [self.zeros, self.zeros]):
            with self.assertRaises(edgetwin.Error):
                self.network.run(value)
        with self.assertRaises(edgetwin.Error) as caught:
            self.network.run(self.zeros, nonsense=1)
        self.assertEqual(caught.exception.exit_code, 2)

    def test_saving_copies_and_pickles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.tflite")
            self.network.save(path)
            with self.assertRaises(edgetwin.Error):
                self.network.save(path)
            with open(path, "rb") as file:
                self.assertEqual(file.read(), self.network.bytes())
            run = self.network.run(self.zeros, trace=True)
            run.save(os.path.join(folder, "a"))
            run.save(os.path.join(folder, "b"))
            self.assertTrue(edgetwin.diff(os.path.join(folder, "a"), os.path.join(folder, "b")))
        self.assertEqual(pickle.loads(pickle.dumps(self.network)).bytes(), self.network.bytes())
        self.assertIs(copy.deepcopy(self.network), self.network)

    def test_reports_and_verdicts(self):
        self.assertTrue(self.network.verify())
        report = self.network.report(self.zeros)
        self.assertIn("<html", report.html)
        self.assertTrue(report._repr_html_().startswith("<iframe srcdoc="))
        self.assertNotIn("/tmp/", report.text)

    def test_verbs_that_make_networks(self):
        compiled = edgetwin.open(case("dense256.tflite")).compile("edgetpu")
        self.assertEqual(compiled.network.run(np.zeros((1, 256), np.uint8))[0].array.size, 256)
        again = compiled.network.decompile()
        self.assertTrue(again.network.run(np.zeros((1, 256), np.uint8))[0].array.size)

    def test_texts(self):
        self.assertIn("edgetpu", edgetwin.versions()["targets"])
        self.assertEqual(edgetwin.explain("EXEC-IN-01").json["explained"]["id"], "EXEC-IN-01")
        self.assertIsInstance(edgetwin.devices(device="virtual"), list)

    def test_examples_in_the_documentation(self):
        for module in (_native, edgetwin._errors, edgetwin):
            self.assertEqual(doctest.testmod(module).failed, 0)


class Quantizing(unittest.TestCase):
    def test_samples_are_files_or_arrays(self):
        samples = np.load(case("net_samples.npy"))
        one = edgetwin.quantize(case("net.onnx"), target="esp32p4", calibrate=case("net_samples.npy"))
        two = edgetwin.quantize(case("net.onnx"), target="esp32p4", samples=samples[:, None])
        self.assertEqual(one.network.bytes(), two.network.bytes())
        self.assertEqual(sorted(one.files), ["net.espdl", "net.info", "net.json"])

    def test_the_function_of_esp_ppq(self):
        import contextlib
        import io

        samples = np.load(case("net_samples.npy"))
        with tempfile.TemporaryDirectory() as folder:
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                graph = espdl_quantize_onnx(
                    case("net.onnx"), os.path.join(folder, "net.espdl"), [s[None] for s in samples], 4, [1, 3, 8, 8],
                    target="ESP32P4"
                )
            self.assertEqual(sorted(os.listdir(folder)), ["net.espdl", "net.info", "net.json"])
            self.assertIn("noise", shown.getvalue())
        self.assertEqual(graph(samples[:1])[0].shape, (1, 4))
        self.assertIn("conv1", graph.operations)
        with self.assertRaisesRegex(AttributeError, "there are network, report"):
            graph.nothing
        with self.assertRaises(TypeError):
            espdl_quantize_onnx(case("net.onnx"), "x.espdl", None, None, [1, 3, 8, 8])


if __name__ == "__main__":
    main()
