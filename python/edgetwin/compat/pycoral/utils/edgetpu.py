"""Interpreters for the Edge TPU; EDGETWIN_DEVICE says which hardware answers."""
import contextlib
import ctypes

import numpy as np

from ...tflite_runtime.interpreter import Interpreter, load_delegate
from ..pybind._pywrap_coral import GetRuntimeVersion as get_runtime_version
from ..pybind._pywrap_coral import InvokeWithBytes as invoke_with_bytes
from ..pybind._pywrap_coral import InvokeWithDmaBuffer as invoke_with_dmabuffer
from ..pybind._pywrap_coral import InvokeWithMemBuffer as invoke_with_membuffer
from ..pybind._pywrap_coral import ListEdgeTpus as list_edge_tpus
from ..pybind._pywrap_coral import SetVerbosity as set_verbosity
from ..pybind._pywrap_coral import SupportsDmabuf as supports_dmabuf
from ..._gst import gst_buffer

_EDGETPU_SHARED_LIB = "libedgetpu.so.1"

__all__ = [
    "get_runtime_version", "invoke_with_bytes", "invoke_with_dmabuffer", "invoke_with_membuffer", "list_edge_tpus",
    "load_edgetpu_delegate", "make_interpreter", "run_inference", "set_verbosity", "supports_dmabuf",
]


def load_edgetpu_delegate(options=None):
    return load_delegate(_EDGETPU_SHARED_LIB, options or {})


def make_interpreter(model_path_or_content, device=None, delegate=None):
    """An interpreter with an Edge TPU; a delegate makes `device` ignored."""
    delegates = [delegate if delegate else load_edgetpu_delegate({"device": device} if device else {})]
    if isinstance(model_path_or_content, bytes):
        return Interpreter(model_content=model_path_or_content, experimental_delegates=delegates)
    return Interpreter(model_path=model_path_or_content, experimental_delegates=delegates)


def _check_input_size(size, expected):
    if size < expected:
        raise ValueError("input size={}, expected={}.".format(size, expected))


def _is_pointer(data):
    return (
        isinstance(data, tuple) and len(data) == 2 and isinstance(data[0], ctypes.c_void_p) and isinstance(data[1], int)
    )


def _is_array(data):
    return isinstance(data, np.ndarray) and data.ndim == 1 and data.dtype == np.uint8


def run_inference(interpreter, input_data):
    """One inference of a buffer: bytes, a 1-D uint8 array, (c_void_p, size) or a Gst.Buffer."""
    expected = int(np.prod(interpreter.get_input_details()[0]["shape"]))
    handle = interpreter._native_handle()
    if isinstance(input_data, bytes):
        _check_input_size(len(input_data), expected)
        invoke_with_bytes(handle, input_data)
    elif _is_pointer(input_data):
        pointer, size = input_data
        _check_input_size(size, expected)
        invoke_with_membuffer(handle, pointer.value, expected)
    elif _is_array(input_data):
        _check_input_size(len(input_data), expected)
        data = np.ascontiguousarray(input_data)
        invoke_with_membuffer(handle, data.ctypes.data, expected)
    else:
        with contextlib.ExitStack() as stack:
            data = gst_buffer(input_data, stack)
            if data is None:
                raise TypeError("input data type is not supported.")
            _check_input_size(len(data), expected)
            invoke_with_bytes(handle, data)
