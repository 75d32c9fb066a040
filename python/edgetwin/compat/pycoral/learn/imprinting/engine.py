"""Classes from a few embeddings each: their mean direction becomes a row of the last kernel."""
import ctypes

import numpy as np

from ..... import _errors
from ....._abi import byref, lib
from ....._handles import RunnerHandle, check
from ..._made import made_by, open_model


def _trained_classes(description):
    """{class: length of the sum} of the lines that `serialize_model` writes."""
    found = {}
    for line in description.splitlines():
        parts = line.split()
        try:
            if len(parts) == 2:
                found[int(parts[0])] = float(parts[1])
        except ValueError:
            continue
    return found


class ImprintingEngine:
    """Trains the last layer of a network with an L2_NORMALIZATION."""

    def __init__(self, model_path, keep_classes=False):
        self._network = open_model(model_path)
        kernel, classes, features, error = (ctypes.c_int32(), ctypes.c_int32(), ctypes.c_int32(), ctypes.c_void_p())
        check(
            lib.edgetwin_imprinting_layout_x(
                self._network.handle, byref(kernel), byref(classes), byref(features), byref(error)
            ),
            error,
            compatible="Unsupported model architecture. Input model must have an L2Norm layer.",
        )
        self._features = features.value
        self._rows = []  # of a base class None, else the sum of its embeddings
        self._base = 0
        if keep_classes:
            self._take_classes(kernel.value, classes.value)

    def _take_classes(self, kernel, classes):
        runner = RunnerHandle.create(self._network, [("on", "twin")])
        row = runner.row(kernel)
        weights = np.empty(tuple(row.shape), row.dtype)
        runner.get(kernel, weights)
        real = (weights.reshape(classes, -1).astype(np.float64) - row.zero_points[0]) * float(row.scales[0])
        trained = _trained_classes(runner.structure().get("description", ""))
        for c in range(classes):
            self._rows.append(real[c] * trained[c] if c in trained else None)
        while self._base < classes and self._rows[self._base] is None:
            self._base += 1

    @property
    def embedding_dim(self):
        return self._features

    @property
    def num_classes(self):
        return len(self._rows)

    def serialize_extractor_model(self):
        """The network up to the normalized embedding, as .tflite bytes."""
        return made_by(lib.edgetwin_extractor_x, self._network.handle)

    def train(self, embedding, class_id):
        """Adds an embedding to a class; the first free number makes a new one."""
        embedding = np.asarray(embedding, dtype=np.float64).ravel()
        if len(embedding) != self._features:
            raise _errors.make(
                _errors.RunError, "The embedding has {} numbers, and {} are expected.".format(
                    len(embedding), self._features)
            )
        if class_id > len(self._rows) or class_id < 0:
            raise _errors.make(_errors.RunError, "The class index of a new category is too large!")
        if class_id == len(self._rows):
            self._rows.append(np.zeros(self._features))
        if self._rows[class_id] is None:
            raise _errors.make(
                _errors.RunError, "Cannot change the base model classes not trained with imprinting method!"
            )
        self._rows[class_id] = self._rows[class_id] + embedding

    def serialize_model(self):
        """The network with the trained classes, as .tflite bytes."""
        if all(row is None for row in self._rows):
            raise _errors.make(_errors.RunError, "Model is not trained.")
        weights = np.zeros((len(self._rows), self._features), dtype=np.float32)
        lines = []
        for c, row in enumerate(self._rows):
            if row is None:
                continue
            length = float(np.linalg.norm(row))
            weights[c] = row / length if length > 0 else 0
            lines.append("%d %r\n" % (c, length))
        return made_by(
            lib.edgetwin_imprint_x, self._network.handle, weights.ctypes.data, len(self._rows), self._features,
            self._base, "".join(lines).encode(), kind=_errors.RunError
        )
