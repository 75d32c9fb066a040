"""Outputs of detectors."""
import collections

from . import common

Object = collections.namedtuple("Object", ["id", "score", "bbox"])


class BBox(collections.namedtuple("BBox", ["xmin", "ymin", "xmax", "ymax"])):
    """A box with its corners."""

    __slots__ = ()

    @property
    def width(self):
        return self.xmax - self.xmin

    @property
    def height(self):
        return self.ymax - self.ymin

    @property
    def area(self):
        return self.width * self.height

    @property
    def valid(self):
        """Neither width nor height is negative."""
        return self.width >= 0 and self.height >= 0

    def scale(self, sx, sy):
        return BBox(xmin=sx * self.xmin, ymin=sy * self.ymin, xmax=sx * self.xmax, ymax=sy * self.ymax)

    def translate(self, dx, dy):
        return BBox(xmin=dx + self.xmin, ymin=dy + self.ymin, xmax=dx + self.xmax, ymax=dy + self.ymax)

    def map(self, f):
        return BBox(xmin=f(self.xmin), ymin=f(self.ymin), xmax=f(self.xmax), ymax=f(self.ymax))

    @staticmethod
    def intersect(a, b):
        """Not valid where they do not meet."""
        return BBox(
            xmin=max(a.xmin, b.xmin), ymin=max(a.ymin, b.ymin), xmax=min(a.xmax, b.xmax), ymax=min(a.ymax, b.ymax)
        )

    @staticmethod
    def union(a, b):
        """The smallest box around both."""
        return BBox(
            xmin=min(a.xmin, b.xmin), ymin=min(a.ymin, b.ymin), xmax=max(a.xmax, b.xmax), ymax=max(a.ymax, b.ymax)
        )

    @staticmethod
    def iou(a, b):
        """Intersection over union; 0.0 where they do not meet."""
        intersection = BBox.intersect(a, b)
        if not intersection.valid:
            return 0.0
        area = intersection.area
        return area / (a.area + b.area - area)


def _outputs_of(interpreter):
    """Boxes, classes, scores and count of the one picture."""
    signatures = interpreter._get_full_signature_list()
    if signatures:
        if len(signatures) > 1:
            raise ValueError("Only support model with one signature.")
        outputs = signatures[next(iter(signatures))]["outputs"]
        count = int(interpreter.tensor(outputs["output_0"])()[0])
        scores = interpreter.tensor(outputs["output_1"])()[0]
        classes = interpreter.tensor(outputs["output_2"])()[0]
        boxes = interpreter.tensor(outputs["output_3"])()[0]
    elif common.output_tensor(interpreter, 3).size == 1:
        boxes = common.output_tensor(interpreter, 0)[0]
        classes = common.output_tensor(interpreter, 1)[0]
        scores = common.output_tensor(interpreter, 2)[0]
        count = int(common.output_tensor(interpreter, 3)[0])
    else:
        scores = common.output_tensor(interpreter, 0)[0]
        boxes = common.output_tensor(interpreter, 1)[0]
        count = int(common.output_tensor(interpreter, 2)[0])
        classes = common.output_tensor(interpreter, 3)[0]
    return boxes, classes, scores, count


def get_objects(interpreter, score_threshold=-float("inf"), image_scale=(1.0, 1.0)):
    """All slots above the threshold, in pixels of the picture before it was scaled."""
    boxes, classes, scores, _ = _outputs_of(interpreter)
    width, height = common.input_size(interpreter)
    scale_x, scale_y = image_scale
    sx, sy = width / scale_x, height / scale_y

    def make(i):
        ymin, xmin, ymax, xmax = boxes[i]
        box = BBox(xmin=xmin, ymin=ymin, xmax=xmax, ymax=ymax).scale(sx, sy).map(int)
        return Object(id=int(classes[i]), score=float(scores[i]), bbox=box)

    return [make(i) for i in range(len(scores)) if scores[i] >= score_threshold]
