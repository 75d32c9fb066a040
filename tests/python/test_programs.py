"""Programs of the kinds that users have, with their imports and calls as they are: what answers is a device of software."""
import csv
import multiprocessing
import os
import unittest

import numpy as np
from support import DIGITS, case, coral, main, read_bmp, resized

os.environ.setdefault("EDGETWIN_DEVICE", "twin:2")  # a process of a test has its own


def detector_process(model, device, requests, results):
    """A process of a camera recorder: it says whether it has its stick, then a list of arrays for each frame."""
    from tflite_runtime.interpreter import Interpreter, load_delegate

    try:
        delegate = load_delegate("libedgetpu.so.1.0", {"device": device} if device else {})
        interpreter = Interpreter(model_path=model, experimental_delegates=[delegate])
    except ValueError as error:
        results.put(str(error))
        return
    interpreter.allocate_tensors()
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    results.put("ready")
    while True:
        frame = requests.get()
        if frame is None:
            return
        if inputs[0]["dtype"] == np.int8:
            frame = np.bitwise_xor(frame, 128).view(np.int8)
        interpreter.set_tensor(inputs[0]["index"], frame)
        interpreter.invoke()
        results.put([interpreter.tensor(d["index"])()[0].copy() for d in outputs])


class Recorder(unittest.TestCase):
    def run_detector(self, kind, device, model, frames):
        context = multiprocessing.get_context("spawn")
        requests, results = context.Queue(), context.Queue()
        before = os.environ["EDGETWIN_DEVICE"]
        os.environ["EDGETWIN_DEVICE"] = kind
        try:
            process = context.Process(target=detector_process, args=(model, device, requests, results))
            process.start()
        finally:
            os.environ["EDGETWIN_DEVICE"] = before
        first = results.get(timeout=120)
        answers = []
        if first == "ready":
            for frame in frames:
                requests.put(frame)
                answers.append(results.get(timeout=120))
            requests.put(None)
        process.join(60)
        self.assertEqual(process.exitcode, 0)
        return first, answers

    def test_a_process_with_a_stick_of_software_and_with_the_virtual_stick(self):
        import tempfile

        import edgetwin

        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "dense_edgetpu.tflite")
            edgetwin.open(case("dense256.tflite")).compile("edgetpu").network.save(model)
            frames = [np.full((1, 256), v, np.uint8) for v in (0, 90, 255)]
            answers = {}
            for kind in ("twin", "virtual"):
                first, answers[kind] = self.run_detector(kind, "usb", model, frames)
                self.assertEqual(first, "ready")
            for one, other in zip(answers["twin"], answers["virtual"]):
                np.testing.assert_array_equal(one[0], other[0])
            self.assertFalse(np.array_equal(answers["twin"][0][0], answers["twin"][2][0]))

    def test_without_a_stick_it_hears_a_value_error(self):
        first, _ = self.run_detector("device", "usb", DIGITS, [])
        self.assertTrue(first.startswith("Failed to load delegate from libedgetpu.so.1.0\n"), first)
        self.assertIn("EDGETWIN_DEVICE=twin", first)


class Pictures(unittest.TestCase):
    def test_classify(self):
        """The classification example: model@device, scores by the output's quantization."""
        from pycoral.adapters import classify, common
        from pycoral.utils.dataset import read_label_file
        from pycoral.utils.edgetpu import make_interpreter

        path = coral("mobilenet_v1_0.25_128_quant_edgetpu.tflite")
        interpreter = make_interpreter(*(path + "@:1").split("@"))
        interpreter.allocate_tensors()
        params = common.input_details(interpreter, "quantization_parameters")
        self.assertEqual(len(params["scales"]), 1)
        self.assertAlmostEqual(float(params["scales"][0]), 1 / 128, places=4)
        common.set_input(interpreter, resized(read_bmp(coral("cat.bmp")), common.input_size(interpreter)))
        interpreter.invoke()
        labels = read_label_file(coral("imagenet_labels.txt"))
        best = classify.get_classes(interpreter, 5, 0.0)
        self.assertEqual(len(best), 5)
        self.assertIn("cat", " ".join(labels.get(c.id, "") for c in best))

    def test_detect(self):
        """Two segments in a row, the objects of the second by the adapter."""
        from pycoral.adapters import common, detect
        from pycoral.utils.edgetpu import make_interpreter, run_inference

        name = "pipeline/ssd_mobilenet_v1_coco_quant_postprocess_segment_%d_of_2_edgetpu.tflite"
        first, second = (make_interpreter(coral(name % i), device=":%d" % i) for i in (0, 1))
        for interpreter in (first, second):
            interpreter.allocate_tensors()
        width, height = common.input_size(first)
        run_inference(first, resized(read_bmp(coral("cat.bmp")), (width, height)).tobytes())
        made = {d["name"]: first.get_tensor(d["index"]) for d in first.get_output_details()}
        for d in second.get_input_details():
            second.set_tensor(d["index"], made[d["name"]])
        second.invoke()
        # Boxes are parts of the picture: in units of a thousandth.
        w, h = common.input_size(second)
        objects = detect.get_objects(second, 0.5, (w / 1000, h / 1000))
        self.assertEqual([o.id for o in objects], [16])
        self.assertGreater(objects[0].score, 0.7)
        box = objects[0].bbox
        self.assertTrue(box.valid)
        self.assertGreater(detect.BBox.iou(box, detect.BBox(57, 114, 736, 1000)), 0.8)
        self.assertEqual(detect.get_objects(second, 0.99), [])

    def test_segment(self):
        from pycoral.adapters import common, segment
        from pycoral.utils.edgetpu import make_interpreter

        interpreter = make_interpreter(coral("deeplabv3_mnv2_dm05_pascal_quant_edgetpu.tflite"))
        interpreter.allocate_tensors()
        common.set_input(interpreter, resized(read_bmp(coral("bird_segmentation.bmp")), common.input_size(interpreter)))
        interpreter.invoke()
        classes = segment.get_output(interpreter)
        if classes.ndim == 3:
            classes = np.argmax(classes, axis=-1)
        mask = read_bmp(coral("bird_segmentation_mask.bmp"))[:, :, 0]
        mask = mask[
            (np.arange(classes.shape[0]) * mask.shape[0] // classes.shape[0])[:, None],
            np.arange(classes.shape[1]) * mask.shape[1] // classes.shape[1],
        ]
        bird = classes == 3
        wanted = mask > 0
        iou = (bird & wanted).sum() / (bird | wanted).sum()
        self.assertGreater(iou, 0.8)  # of pixels by their places, without a common frame

    def points(self, name):
        with open(coral(name)) as file:
            rows = [r for r in csv.DictReader(file) if r["pose_id"] == "0"]
        return np.array([[float(r["keypoint_score"]), float(r["keypoint_y"]), float(r["keypoint_x"])] for r in rows])

    def test_key_points(self):
        """MoveNet: 17 rows of y, x, score."""
        from tflite_runtime.interpreter import Interpreter, load_delegate

        interpreter = Interpreter(
            coral("movenet_single_pose_lightning_ptq_edgetpu.tflite"),
            experimental_delegates=[load_delegate("libedgetpu.so.1")],
        )
        interpreter.allocate_tensors()
        (details,) = interpreter.get_input_details()
        _, height, width, _ = details["shape"]
        picture = resized(read_bmp(coral("squat.bmp")), (width, height))
        interpreter.set_tensor(details["index"], np.expand_dims(picture, 0).astype(details["dtype"]))
        interpreter.invoke()
        found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).reshape(17, 3)
        wanted = self.points("movenet_single_pose_lightning_ptq_edgetpu_reference.csv")
        sure = wanted[:, 0] > 0.4
        self.assertGreater(sure.sum(), 5)
        apart = np.abs(found[sure][:, :2] - wanted[sure][:, 1:])
        self.assertLess(apart.max(), 0.05)

    def test_pose(self):
        """PoseNet with its decoder as a second delegate, as the project's example loads it."""
        from tflite_runtime.interpreter import Interpreter, load_delegate

        interpreter = Interpreter(
            coral("posenet/posenet_mobilenet_v1_075_353_481_16_quant_decoder_edgetpu.tflite"),
            experimental_delegates=[
                load_delegate("libedgetpu.so.1"), load_delegate("posenet_lib/x86_64/posenet_decoder.so"),
            ],
        )
        interpreter.allocate_tensors()
        (details,) = interpreter.get_input_details()
        _, height, width, _ = details["shape"]
        picture = resized(read_bmp(coral("squat.bmp")), (width, height))
        interpreter.set_tensor(details["index"], np.expand_dims(picture, 0))
        interpreter.invoke()
        points, scores, pose_scores, count = (
            interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()
        )
        self.assertGreaterEqual(int(np.squeeze(count)), 1)
        self.assertGreater(pose_scores[0][0], 0.5)
        # The same person as MoveNet sees it.
        wanted = self.points("movenet_single_pose_lightning_ptq_edgetpu_reference.csv")
        found = points[0][0] / np.array([height, width])
        sure = (wanted[:, 0] > 0.5) & (scores[0][0] > 0.8)
        self.assertGreater(sure.sum(), 3)
        self.assertLess(np.abs(found[sure] - wanted[sure][:, 1:]).max(), 0.1)


if __name__ == "__main__":
    main()
