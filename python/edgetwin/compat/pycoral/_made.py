"""Networks that the library makes of others."""
import ctypes
import os

from ... import _errors
from ..._abi import byref
from ..._handles import NetworkHandle, check


def open_model(path):
    """The file as a network."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        return NetworkHandle.open_bytes(data, os.fsdecode(os.fspath(path)))
    except (OSError, _errors.Error):
        raise _errors.make(_errors.InputError, "Failed to open file: {}".format(path)) from None


def made_by(function, *arguments, **how):
    """The bytes of the network that a function gives."""
    out, error = ctypes.c_void_p(), ctypes.c_void_p()
    check(function(*arguments, byref(out), byref(error)), error, **how)
    return NetworkHandle(out.value).bytes()
