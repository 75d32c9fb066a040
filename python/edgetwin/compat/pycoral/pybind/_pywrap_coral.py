"""The functions of pycoral's compiled module that scripts import."""
import ctypes
import mmap
import os

import numpy as np

from .... import _errors
from ...._version import version
from ... import _hardware
from ...tflite_runtime.interpreter import _NOT_READY, _interpreter_of

_RUNTIME = 14


def GetRuntimeVersion():
    return "BuildLabel(edgetwin {}), RuntimeVersion({})".format(version, _RUNTIME)


def ListEdgeTpus():
    return _hardware.list_devices()


def SetVerbosity(verbosity):
    """Messages of libedgetpu, of which there are none."""
    return 0 <= int(verbosity) <= 10


def SupportsDmabuf(interpreter_handle):
    return False


def _ready(interpreter_handle):
    tensors = _interpreter_of(interpreter_handle)._tensors()
    if not tensors.allocated:
        raise _errors.make(_errors.RunError, _NOT_READY)
    return tensors


def _check_size(tensors, size):
    expected = tensors.row(tensors.inputs[0]).bytes
    if size < expected:
        raise _errors.make(
            _errors.RunError, "Input buffer has {} bytes, and the model takes {}.".format(size, expected)
        )
    return expected


def _invoke(tensors, address, size):
    expected = _check_size(tensors, size)
    target, _, _ = tensors.address(tensors.inputs[0])
    ctypes.memmove(target, address, expected)
    tensors.invoke()


def InvokeWithMemBuffer(interpreter_handle, buffer, size):
    tensors = _ready(interpreter_handle)
    address = buffer.value if isinstance(buffer, ctypes.c_void_p) else buffer
    if not address:
        raise _errors.make(_errors.RunError, "The input buffer is NULL.")
    _invoke(tensors, address, int(size))


def InvokeWithBytes(interpreter_handle, input_data):
    tensors = _ready(interpreter_handle)
    array = np.frombuffer(input_data, dtype=np.uint8)
    _invoke(tensors, array.ctypes.data, array.size)


def InvokeWithDmaBuffer(interpreter_handle, dma_fd, size):
    tensors = _ready(interpreter_handle)
    expected = _check_size(tensors, int(size))
    try:
        with mmap.mmap(dma_fd, expected, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
            data = memory[:expected]
    except (OSError, ValueError, OverflowError) as error:
        raise _errors.make(_errors.RunError, "The buffer cannot be mapped: {}".format(os.strerror(
            getattr(error, "errno", None) or 22))) from None
    InvokeWithBytes(interpreter_handle, data)
