"""The C interface of libedgetwin, by ctypes. One table has all functions; a test compares it with the header."""
import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

ABI_MAJOR = 0


class Option(ctypes.Structure):
    _fields_ = [("key", c_char_p), ("value", c_char_p)]


class TensorInfo(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("dtype", c_int32),
        ("name", c_char_p),
        ("rank", c_int32),
        ("shape", POINTER(c_int32)),
        ("shape_signature", POINTER(c_int32)),
        ("bytes", c_uint64),
        ("scheme", c_int32),
        ("channels", c_int32),
        ("axis", c_int32),
        ("scales", POINTER(c_float)),
        ("zero_points", POINTER(c_int64)),
        ("exponents", POINTER(c_int32)),
        ("flags", c_uint32),
    ]


CONSTANT, INPUT, OUTPUT, VARIABLE, READABLE, WRITABLE = 1, 2, 4, 8, 16, 32

_H = c_void_p  # a handle
_OUT = POINTER(c_void_p)  # where one is given
_OPTIONS = POINTER(Option)
_I32S = POINTER(POINTER(c_int32))

# name: (result, arguments)
FUNCTIONS = {
    "edgetwin_version": (c_char_p, []),
    "edgetwin_abi_version": (c_uint32, []),
    "edgetwin_build_json": (c_char_p, []),
    "edgetwin_error_id": (c_char_p, [_H]),
    "edgetwin_error_exit_code": (c_int32, [_H]),
    "edgetwin_error_message": (c_char_p, [_H]),
    "edgetwin_error_text": (c_char_p, [_H]),
    "edgetwin_error_json": (c_char_p, [_H]),
    "edgetwin_error_free": (None, [_H]),
    "edgetwin_document_verdict": (c_int32, [_H]),
    "edgetwin_document_part": (c_char_p, [_H, c_char_p]),
    "edgetwin_document_file_count": (c_size_t, [_H]),
    "edgetwin_document_file": (c_int32, [_H, c_size_t, POINTER(c_char_p), POINTER(c_void_p), POINTER(c_size_t)]),
    "edgetwin_document_free": (None, [_H]),
    "edgetwin_network_open_file": (c_int32, [c_char_p, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_network_open_bytes": (c_int32, [c_char_p, c_size_t, c_char_p, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_network_describe": (c_int32, [_H, _OUT, _OUT]),
    "edgetwin_network_bytes": (c_int32, [_H, POINTER(c_void_p), POINTER(c_size_t), _OUT]),
    "edgetwin_network_free": (None, [_H]),
    "edgetwin_runner_create": (c_int32, [_H, _OPTIONS, c_size_t, _H, _OUT, _OUT]),
    "edgetwin_runner_inputs": (c_int32, [_H, _I32S, POINTER(c_size_t)]),
    "edgetwin_runner_outputs": (c_int32, [_H, _I32S, POINTER(c_size_t)]),
    "edgetwin_runner_tensor_count": (c_size_t, [_H]),
    "edgetwin_runner_tensor_info": (c_int32, [_H, c_int32, POINTER(TensorInfo), _OUT]),
    "edgetwin_runner_resize": (c_int32, [_H, c_int32, POINTER(c_int32), c_int32, c_int32, _OUT]),
    "edgetwin_runner_allocate": (c_int32, [_H, _OUT]),
    "edgetwin_runner_set": (c_int32, [_H, c_int32, c_void_p, c_size_t, _OUT]),
    "edgetwin_runner_get": (c_int32, [_H, c_int32, c_void_p, c_size_t, _OUT]),
    "edgetwin_runner_data": (c_int32, [_H, c_int32, POINTER(c_void_p), POINTER(c_size_t), POINTER(c_int32), _OUT]),
    "edgetwin_runner_invoke": (c_int32, [_H, _OUT]),
    "edgetwin_runner_cancel": (None, [_H]),
    "edgetwin_runner_reset_variables": (c_int32, [_H, _OUT]),
    "edgetwin_runner_statistics": (c_int32, [_H, _OUT, _OUT]),
    "edgetwin_runner_free": (None, [_H]),
    "edgetwin_samples_create": (c_int32, [_OUT, _OUT]),
    "edgetwin_samples_add": (
        c_int32, [_H, c_char_p, c_int32, POINTER(c_int32), c_int32, c_void_p, c_size_t, _OUT]),
    "edgetwin_samples_free": (None, [_H]),
    "edgetwin_check": (c_int32, [_H, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_verify": (c_int32, [_H, _H, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_diff": (c_int32, [c_char_p, c_char_p, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_quantize": (c_int32, [_H, _H, _OPTIONS, c_size_t, _OUT, _OUT, _OUT]),
    "edgetwin_compile": (c_int32, [_H, _OPTIONS, c_size_t, _OUT, _OUT, _OUT]),
    "edgetwin_decompile": (c_int32, [_H, _OPTIONS, c_size_t, _OUT, _OUT, _OUT]),
    "edgetwin_report": (c_int32, [_H, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_explain": (c_int32, [c_char_p, _OUT, _OUT]),
    "edgetwin_device_list": (c_int32, [_OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_device_open": (c_int32, [c_char_p, _OPTIONS, c_size_t, _OUT, _OUT]),
    "edgetwin_device_free": (None, [_H]),
    # Experimental: EDGETWIN_EXPERIMENTAL in the header.
    "edgetwin_append_softmax_x": (
        c_int32, [_H, c_void_p, c_void_p, c_int32, c_int32, c_float, c_float, _OUT, _OUT]),
    "edgetwin_extractor_x": (c_int32, [_H, _OUT, _OUT]),
    "edgetwin_imprinting_layout_x": (c_int32, [_H, POINTER(c_int32), POINTER(c_int32), POINTER(c_int32), _OUT]),
    "edgetwin_imprint_x": (c_int32, [_H, c_void_p, c_int32, c_int32, c_int32, c_char_p, _OUT, _OUT]),
}


def _candidates():
    named = os.environ.get("EDGETWIN_LIBRARY")
    if named:
        return [named]
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib", "libedgetwin.so.0")
    return ([beside] if os.path.exists(beside) else []) + ["libedgetwin.so.0"]


def _load():
    path = _candidates()[0]
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(
            "the library of edgetwin cannot be loaded from %s (%s); EDGETWIN_LIBRARY names the file" % (path, error)
        ) from None
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError("%s is not a libedgetwin of this version: it lacks %s" % (path, name)) from None
        function.restype = result
        function.argtypes = arguments
    major = library.edgetwin_abi_version() >> 16
    if major != ABI_MAJOR:
        raise ImportError("%s has the interface of major version %d, this package needs %d" % (path, major, ABI_MAJOR))
    return library


lib = _load()

__all__ = ["FUNCTIONS", "Option", "TensorInfo", "byref", "lib"]
