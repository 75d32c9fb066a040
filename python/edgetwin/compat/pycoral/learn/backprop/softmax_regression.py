"""A dense layer with softmax, trained by gradient descent on embeddings."""
import numpy as np

from ..... import _errors
from ....._abi import lib
from ..._made import made_by, open_model


class SoftmaxRegression:
    """Weights `W` (features x classes) and biases `b`."""

    def __init__(self, feature_dim=None, num_classes=None, weight_scale=0.01, reg=0.0, seed=None):
        self.reg = reg
        self.feature_dim = feature_dim
        self.num_classes = num_classes
        self._random = np.random.default_rng(seed)
        self._low = None
        self._high = None
        self.params = {}
        if feature_dim is not None and num_classes is not None:
            self.params["mat_w"] = self._random.standard_normal((feature_dim, num_classes)) * weight_scale
            self.params["vec_b"] = np.zeros(num_classes)

    @property
    def W(self):
        return self.params["mat_w"]

    @property
    def b(self):
        return self.params["vec_b"]

    def _rows(self, x):
        x = np.asarray(x)
        if x.ndim != 2 or x.dtype != np.float32:
            raise _errors.make(_errors.RunError, "The embeddings have to be float32 with two dimensions.")
        if self.feature_dim is not None and x.shape[1] != self.feature_dim:
            raise _errors.make(
                _errors.RunError, "The embeddings have {} features, and {} are expected.".format(
                    x.shape[1], self.feature_dim)
            )
        return x

    def _logits(self, x):
        logits = x @ self.W + self.b
        low, high = float(np.min(logits)), float(np.max(logits))
        self._low = low if self._low is None else min(self._low, low)
        self._high = high if self._high is None else max(self._high, high)
        return logits

    @staticmethod
    def _softmax(logits):
        e = np.exp(logits - np.max(logits, axis=1, keepdims=True))
        return e / np.sum(e, axis=1, keepdims=True)

    def _step(self, x, labels, learning_rate):
        """The loss before the step."""
        probabilities = self._softmax(self._logits(x))
        rows = np.arange(len(labels))
        loss = -np.mean(np.log(np.maximum(probabilities[rows, labels], 1e-30)))
        loss += self.reg * np.sum(self.W * self.W)
        gradient = probabilities
        gradient[rows, labels] -= 1.0
        gradient /= len(labels)
        self.W[...] -= learning_rate * (x.T @ gradient)
        self.b[...] -= learning_rate * gradient.sum(axis=0)
        return loss

    def train_with_sgd(self, data, num_iter, learning_rate, batch_size=100, print_every=100):
        """`data` has data_train, labels_train, data_val, labels_val."""
        x, labels = self._rows(data["data_train"]), np.asarray(data["labels_train"]).astype(np.int64)
        if len(x) != len(labels):
            raise _errors.make(_errors.RunError, "There are {} embeddings and {} labels.".format(len(x), len(labels)))
        for i in range(num_iter):
            chosen = self._random.integers(0, len(x), batch_size)
            loss = self._step(x[chosen], labels[chosen], learning_rate)
            if print_every > 0 and i % print_every == 0:
                print("Loss {:.2f}, train acc {:.2f}%, val acc {:.2f}%".format(
                    loss, 100 * self.get_accuracy(x, labels),
                    100 * self.get_accuracy(data["data_val"], data["labels_val"])))

    def get_accuracy(self, x, labels):
        """The part of the embeddings whose class is the label."""
        return float(np.mean(np.argmax(self._logits(self._rows(x)), axis=1) == np.asarray(labels)))

    def serialize_model(self, in_model_path):
        """The network of the file with this layer behind it, as .tflite bytes."""
        network = open_model(in_model_path)
        weights = np.ascontiguousarray(self.W.T, dtype=np.float32)
        bias = np.ascontiguousarray(self.b, dtype=np.float32)
        low = 0.0 if self._low is None else self._low
        high = 1.0 if self._high is None else self._high
        return made_by(
            lib.edgetwin_append_softmax_x, network.handle, weights.ctypes.data, bias.ctypes.data, weights.shape[0],
            weights.shape[1], low, high, kind=_errors.RunError
        )
