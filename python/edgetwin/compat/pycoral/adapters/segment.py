"""Outputs of segmentation networks."""
import numpy as np

from . import common


def get_output(interpreter):
    """Class or probability of each pixel."""
    return common.output_tensor(interpreter, 0)[0].astype(np.uint8)
