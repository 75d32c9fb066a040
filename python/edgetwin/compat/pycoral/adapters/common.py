"""Inputs and outputs of interpreters."""
import numpy as np


def output_tensor(interpreter, i):
    """A view of the i-th output."""
    return interpreter.tensor(interpreter.get_output_details()[i]["index"])()


def input_details(interpreter, key):
    """One entry of the first input's details."""
    return interpreter.get_input_details()[0][key]


def input_size(interpreter):
    """(width, height) of the first input."""
    _, height, width, _ = input_details(interpreter, "shape")
    return width, height


def input_tensor(interpreter):
    """A view of the first input without its batch."""
    return interpreter.tensor(input_details(interpreter, "index"))()[0]


def set_input(interpreter, data):
    """Copies anything that numpy can assign."""
    input_tensor(interpreter)[:, :] = data


def set_resized_input(interpreter, size, resize):
    """Resizes with the same scale in both directions, the picture at the top left, the rest 0.

    `resize` gets (width, height) and gives the picture. Returns its result and (scale, scale).
    """
    width, height = input_size(interpreter)
    w, h = size
    scale = min(width / w, height / h)
    w, h = int(w * scale), int(h * scale)
    tensor = input_tensor(interpreter)
    tensor.fill(0)
    _, _, channel = tensor.shape
    result = resize((w, h))
    tensor[:h, :w] = np.reshape(result, (h, w, channel))
    return result, (scale, scale)
