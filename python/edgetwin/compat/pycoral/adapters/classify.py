"""Outputs of classifiers."""
import collections
import operator

import numpy as np

Class = collections.namedtuple("Class", ["id", "score"])


def num_classes(interpreter):
    return int(np.prod(interpreter.get_output_details()[0]["shape"]))


def get_scores(interpreter):
    """Real numbers, whatever the type of the output."""
    details = interpreter.get_output_details()[0]
    data = interpreter.tensor(details["index"])().flatten()
    if np.issubdtype(details["dtype"], np.integer):
        scale, zero_point = details["quantization"]
        return scale * (data.astype(np.int64) - zero_point)
    return data.copy()


def get_classes_from_scores(scores, top_k=float("inf"), score_threshold=-float("inf")):
    """The best classes above a threshold, the best first."""
    top_k = min(top_k, len(scores))
    if top_k <= 0:
        return []
    best = np.argpartition(scores, -top_k)[-top_k:]
    classes = [Class(i, scores[i]) for i in best if scores[i] >= score_threshold]
    return sorted(classes, key=operator.itemgetter(1), reverse=True)


def get_classes(interpreter, top_k=float("inf"), score_threshold=-float("inf")):
    return get_classes_from_scores(get_scores(interpreter), top_k, score_threshold)
