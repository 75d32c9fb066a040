"""pycoral: adapters, inference of buffers, pipelines, learning."""
import ctypes
import os
import unittest

import numpy as np
from support import DIGITS, case, coral, main, read_bmp, resized

os.environ["EDGETWIN_DEVICE"] = "twin:2"

import edgetwin
import pycoral
from pycoral.adapters import classify, common, segment
from pycoral.adapters.detect import BBox
from pycoral.learn.backprop.softmax_regression import SoftmaxRegression
from pycoral.learn.imprinting.engine import ImprintingEngine
from pycoral.pipeline.pipelined_model_runner import PipelinedModelRunner
from pycoral.pybind import _pywrap_coral
from pycoral.utils import edgetpu
from pycoral.utils.dataset import read_label_file
from pycoral.utils.edgetpu import make_interpreter, run_inference


def ready(model, **how):
    interpreter = make_interpreter(model, **how)
    interpreter.allocate_tensors()
    return interpreter


class Devices(unittest.TestCase):
    def test_names(self):
        self.assertEqual(pycoral.__version__, "2.0.0")
        self.assertEqual(
            edgetpu.list_edge_tpus(),
            [{"type": "usb", "path": "edgetwin:0"}, {"type": "usb", "path": "edgetwin:1"}],
        )
        self.assertRegex(edgetpu.get_runtime_version(), r"^BuildLabel\(edgetwin .*\), RuntimeVersion\(14\)$")
        self.assertIs(_pywrap_coral.SetVerbosity(0), True)
        self.assertFalse(edgetpu.supports_dmabuf(ready(DIGITS)._native_handle()))

    def test_places(self):
        for device in (None, "usb", ":0", ":1", "usb:1"):
            make_interpreter(DIGITS, device=device)
        for device in ("pci", ":2"):
            with self.assertRaisesRegex(ValueError, "^Failed to load delegate from libedgetpu.so.1\n"):
                make_interpreter(DIGITS, device=device)
        with open(DIGITS, "rb") as file:
            make_interpreter(file.read())


class Buffers(unittest.TestCase):
    def setUp(self):
        self.interpreter = ready(DIGITS)
        self.size = int(np.prod(common.input_details(self.interpreter, "shape")))
        self.data = np.arange(self.size).astype(np.uint8)
        run_inference(self.interpreter, self.data)
        self.wanted = classify.get_scores(self.interpreter)

    def test_all_kinds(self):
        longer = np.concatenate([self.data, self.data])
        pointer = ctypes.c_void_p(self.data.ctypes.data)
        for data in (self.data.tobytes(), longer, longer.tobytes(), (pointer, self.size)):
            common.input_tensor(self.interpreter)[...] = 0
            run_inference(self.interpreter, data)
            np.testing.assert_array_equal(classify.get_scores(self.interpreter), self.wanted)

    def test_too_small_or_of_another_kind(self):
        for data in (self.data[:-1], self.data[:-1].tobytes()):
            with self.assertRaisesRegex(ValueError, r"^input size=%d, expected=%d\.$" % (self.size - 1, self.size)):
                run_inference(self.interpreter, data)
        for data in (self.data.reshape(1, -1), self.data.astype(np.int8), "text", [1, 2], 7):
            with self.assertRaisesRegex(TypeError, r"^input data type is not supported\.$"):
                run_inference(self.interpreter, data)

    def test_a_view_shows_the_newest_result(self):
        view = common.output_tensor(self.interpreter, 0)
        before = view.copy()
        for fill in (0, 90, 200):
            run_inference(self.interpreter, bytes([fill]) * self.size)
        self.assertFalse(np.array_equal(before, view))

    def test_not_allocated(self):
        handle = make_interpreter(DIGITS)
        number = handle._native_handle()
        for call in (
            lambda: edgetpu.invoke_with_bytes(number, b""),
            lambda: edgetpu.invoke_with_membuffer(number, self.data.ctypes.data, 1),
            lambda: edgetpu.invoke_with_dmabuffer(number, 99, 1),
        ):
            with self.assertRaisesRegex(RuntimeError, r"Invoke called on model that is not ready\."):
                call()

    def test_a_buffer_that_cannot_be_mapped(self):
        with self.assertRaises(RuntimeError):
            edgetpu.invoke_with_dmabuffer(self.interpreter._native_handle(), 9999, self.size)


class Adapters(unittest.TestCase):
    def test_labels(self):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "labels.txt")
            with open(path, "w") as file:
                file.write("0 a cat\n7: b dog\n\nplain\n")
            self.assertEqual(read_label_file(path), {0: "a cat", 7: "b dog", 2: "", 3: "plain"})

    def test_boxes(self):
        a, b = BBox(0, 0, 4, 2), BBox(2, 1, 6, 3)
        self.assertEqual((a.width, a.height, a.area, a.valid), (4, 2, 8, True))
        self.assertEqual(a.scale(2, 3), BBox(0, 0, 8, 6))
        self.assertEqual(a.translate(1, 2), BBox(1, 2, 5, 4))
        self.assertEqual(BBox(0.9, 1.9, 2.9, 3.9).map(int), BBox(0, 1, 2, 3))
        self.assertEqual(BBox.intersect(a, b), BBox(2, 1, 4, 2))
        self.assertEqual(BBox.union(a, b), BBox(0, 0, 6, 3))
        self.assertAlmostEqual(BBox.iou(a, b), 2 / 14)
        self.assertEqual(BBox.iou(a, BBox(10, 10, 11, 11)), 0.0)

    def test_best_classes(self):
        scores = np.array([0.1, 0.5, 0.4, 0.0])
        found = classify.get_classes_from_scores(scores, 2, 0.2)
        self.assertEqual([c.id for c in found], [1, 2])
        self.assertEqual(classify.get_classes_from_scores(scores, 0), [])
        self.assertEqual(len(classify.get_classes_from_scores(scores)), 4)

    def test_resizing_keeps_the_proportions(self):
        interpreter = ready(DIGITS)
        width, height = common.input_size(interpreter)
        common.input_tensor(interpreter)[...] = 5
        sizes = []
        _, scale = common.set_resized_input(
            interpreter, (2 * width, height), lambda size: sizes.append(size) or np.ones((size[1], size[0], 1))
        )
        self.assertEqual(scale, (0.5, 0.5))
        self.assertEqual(sizes, [(width, height // 2)])
        self.assertTrue((common.input_tensor(interpreter)[height // 2:] == 0).all())

    def test_a_cat_is_classified(self):
        for model in ("mobilenet_v1_0.5_160_quant_edgetpu.tflite", "mobilenet_v1_0.5_160_quant.tflite"):
            interpreter = ready(coral(model))
            picture = resized(read_bmp(coral("cat.bmp")), common.input_size(interpreter))
            common.set_input(interpreter, picture)
            interpreter.invoke()
            (best,) = classify.get_classes(interpreter, 1)
            self.assertEqual(best.id, 286)
            self.assertGreater(best.score, 0.5)

    def test_a_bird_is_segmented(self):
        interpreter = ready(coral("deeplabv3_mnv2_dm05_pascal_quant.tflite"))
        picture = resized(read_bmp(coral("bird_segmentation.bmp")), common.input_size(interpreter))
        common.set_input(interpreter, picture)
        interpreter.invoke()
        classes = segment.get_output(interpreter)
        self.assertEqual(classes.dtype, np.uint8)
        self.assertIn(3, classes)


class Pipelines(unittest.TestCase):
    def test_wrong_use(self):
        with self.assertRaisesRegex(ValueError, "^At least one interpreter expected$"):
            PipelinedModelRunner([])
        with self.assertRaisesRegex(ValueError, "^Interpreter 1 can not get its input tensors$"):
            PipelinedModelRunner([ready(DIGITS), ready(case("dense.tflite"))])

    def test_order_types_and_the_end(self):
        interpreter = ready(DIGITS)
        runner = PipelinedModelRunner([interpreter])
        name = interpreter.get_input_details()[0]["name"]
        shape = interpreter.get_input_details()[0]["shape"]
        with self.assertRaisesRegex(ValueError, "^Expected input of length 1, but got 2$"):
            runner.push({name: np.zeros(shape, np.int8), "more": np.zeros(1)})
        with self.assertRaisesRegex(ValueError, "^Input should be a list of numpy array of type "):
            runner.push({name: np.zeros(shape, np.float32)})
        inputs = [np.full(shape, v, np.int8) for v in (0, 50, 100)]
        for value in inputs:
            runner.push({name: value})
        runner.push({})
        results = []
        for result in iter(runner.pop, None):
            results.append(next(iter(result.values())))
        self.assertEqual(len(results), 3)
        alone = ready(DIGITS)
        for value, result in zip(inputs, results):
            alone.set_tensor(alone.get_input_details()[0]["index"], value)
            alone.invoke()
            np.testing.assert_array_equal(alone.get_tensor(alone.get_output_details()[0]["index"]), result)
        with self.assertRaisesRegex(RuntimeError, r"^Pipeline was turned off before\.$"):
            runner.push({name: inputs[0]})

    def test_a_segment_that_fails(self):
        interpreter = ready(DIGITS)
        details = interpreter.get_input_details()[0]
        runner = PipelinedModelRunner([interpreter])
        runner.push({details["name"]: np.zeros((1, 1, 1, 1), np.int8)})
        with self.assertRaisesRegex(RuntimeError, "^Segment 0 runner error: "):
            runner.pop()
        with self.assertRaisesRegex(RuntimeError, "^Segment 0 runner error: "):
            runner.push({details["name"]: np.zeros(details["shape"], np.int8)})

    def test_queues_have_a_limit(self):
        import threading

        interpreter = ready(DIGITS)
        details = interpreter.get_input_details()[0]
        runner = PipelinedModelRunner([interpreter])
        runner.set_input_queue_size(1)
        runner.set_output_queue_size(1)
        pushed = []

        def push():
            for i in range(4):
                runner.push({details["name"]: np.zeros(details["shape"], np.int8)})
                pushed.append(i)

        thread = threading.Thread(target=push, daemon=True)
        thread.start()
        thread.join(0.3)
        self.assertEqual(len(pushed), 3)  # 2n + 1
        runner.pop()
        thread.join(5)
        self.assertEqual(len(pushed), 4)

    def test_two_segments_of_a_detector(self):
        names = ["pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_%d_of_2_edgetpu.tflite" % i for i in (0, 1)]
        interpreters = [ready(coral(n), device=":%d" % i) for i, n in enumerate(names)]
        runner = PipelinedModelRunner(interpreters)
        details = interpreters[0].get_input_details()[0]
        picture = resized(read_bmp(coral("cat.bmp")), common.input_size(interpreters[0]))
        runner.push({details["name"]: picture[None]})
        runner.push({})
        boxes, classes, scores, _ = runner.pop().values()
        self.assertEqual(classes[0][0], 16)
        self.assertGreater(scores[0][0], 0.7)
        self.assertEqual(boxes.shape[2], 4)


class Learning(unittest.TestCase):
    def test_softmax_regression(self):
        rng = np.random.default_rng(0)
        labels = np.arange(240) % 4
        data = rng.standard_normal((240, 10)).astype(np.float32)
        data[np.arange(240), labels] += 8
        model = SoftmaxRegression(10, 4, seed=1)
        sets = {
            "data_train": data[:200], "labels_train": labels[:200], "data_val": data[200:], "labels_val": labels[200:],
        }
        model.train_with_sgd(sets, 200, 0.05, print_every=-1)
        self.assertGreater(model.get_accuracy(data, labels), 0.99)
        with self.assertRaises(RuntimeError):
            model.get_accuracy(data.astype(np.float64), labels)
        with self.assertRaisesRegex(ValueError, "^Failed to open file: /nothing"):
            model.serialize_model("/nothing")
        interpreter = ready(model.serialize_model(DIGITS))
        self.assertEqual(
            [op["op_name"] for op in interpreter._get_ops_details()][-2:], ["FULLY_CONNECTED", "SOFTMAX"]
        )
        interpreter.invoke()
        self.assertAlmostEqual(float(classify.get_scores(interpreter).sum()), 1.0, delta=0.05)

    def test_imprinting_needs_its_architecture(self):
        with self.assertRaisesRegex(
            ValueError, "^Unsupported model architecture. Input model must have an L2Norm layer."
        ):
            ImprintingEngine(DIGITS)
        with self.assertRaisesRegex(ValueError, "^Failed to open file: /nothing"):
            ImprintingEngine("/nothing")


class Compiled(unittest.TestCase):
    def test_interpreters_of_several_threads_share_a_device(self):
        import threading

        content = edgetwin.open(case("dense256.tflite")).compile("edgetpu").network.bytes()
        os.environ["EDGETWIN_DEVICE"] = "virtual"
        try:
            delegate = edgetpu.load_edgetpu_delegate()
            results = []

            def compute():
                interpreter = make_interpreter(content, delegate=delegate)
                interpreter.allocate_tensors()
                for _ in range(2):
                    run_inference(interpreter, bytes(range(256)))
                results.append(common.output_tensor(interpreter, 0).copy())

            threads = [threading.Thread(target=compute) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(results), 3)
            for result in results:
                np.testing.assert_array_equal(result, results[0])
        finally:
            os.environ["EDGETWIN_DEVICE"] = "twin:2"


if __name__ == "__main__":
    main()
