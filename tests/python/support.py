"""Where models are, for all tests here."""
import os
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(SOURCE, "models", "digits", "digits_int8.tflite")
CASES = os.path.join(SOURCE, "tests", "cases", "files")
SHARED = os.environ.get("EDGETWIN_SHARED_DATA", "")


def case(name):
    return os.path.join(CASES, name)


def coral(name):
    """A model of the shared data; the test is skipped without it."""
    path = os.path.join(SHARED, "edgetpu", "models", "coral_test_data", name)
    if not SHARED or not os.path.exists(path):
        raise unittest.SkipTest("EDGETWIN_SHARED_DATA has no " + name)
    return path


def shared(name):
    """A file of the shared data wherever it is; the test is skipped without it."""
    import glob

    found = glob.glob(os.path.join(SHARED, "**", name), recursive=True) if SHARED else []
    if not found:
        raise unittest.SkipTest("EDGETWIN_SHARED_DATA has no " + name)
    return found[0]


def read_bmp(path):
    """A picture of 24 bits per pixel as an array of rows, columns, red green blue."""
    import numpy as np

    with open(path, "rb") as file:
        data = file.read()
    offset, width, height, bits = (
        int.from_bytes(data[at:at + size], "little", signed=True) for at, size in ((10, 4), (18, 4), (22, 4), (28, 2))
    )
    channels = bits // 8
    stride = (width * channels + 3) // 4 * 4
    rows = np.frombuffer(data, np.uint8, stride * abs(height), offset).reshape(abs(height), stride)
    if height > 0:
        rows = rows[::-1]
    pixels = rows[:, : width * channels].reshape(abs(height), width, channels)
    return pixels[:, :, 2::-1] if channels >= 3 else pixels


def resized(picture, size):
    """Bilinear, centres of pixels on centres; (width, height)."""
    import numpy as np

    width, height = size

    def places(count, of):
        at = np.clip((np.arange(count) + 0.5) * of / count - 0.5, 0, of - 1)
        low = at.astype(int)
        return low, np.minimum(low + 1, of - 1), at - low

    y0, y1, fy = places(height, picture.shape[0])
    x0, x1, fx = places(width, picture.shape[1])
    p = picture.astype(np.float64)
    fx = fx[None, :, None]
    top = p[y0][:, x0] * (1 - fx) + p[y0][:, x1] * fx
    low = p[y1][:, x0] * (1 - fx) + p[y1][:, x1] * fx
    fy = fy[:, None, None]
    return np.rint(top * (1 - fy) + low * fy).astype(np.uint8)


def main():
    unittest.main(verbosity=1)
