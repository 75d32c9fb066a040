"""Owned handles of the C interface as objects."""
import ctypes
import json

import numpy as np

from . import _abi, _errors
from ._abi import Option, TensorInfo, byref, lib

# By the numbers of EDGETWIN_DTYPE_*; int4 is unpacked to int8.
NUMPY_TYPES = {
    0: np.void, 1: np.float32, 2: np.int32, 3: np.uint8, 4: np.int64, 5: np.bytes_, 6: np.bool_, 7: np.int16,
    8: np.complex64, 9: np.int8, 10: np.float16, 11: np.float64, 12: np.complex128, 13: np.uint64, 14: np.void,
    15: np.void, 16: np.uint32, 17: np.uint16, 18: np.int8,
}
STRING = 5
_NUMBERS = {np.dtype(t): n for n, t in NUMPY_TYPES.items() if n not in (0, 5, 14, 15, 18)}


def dtype_number(dtype):
    """EDGETWIN_DTYPE_* of a numpy type; 0: it has none."""
    dtype = np.dtype(dtype)
    if dtype.kind in "SUO":
        return STRING
    return _NUMBERS.get(dtype.newbyteorder("="), 0)


def options(pairs):
    """Pairs of texts as the C interface takes them."""
    pairs = list(pairs)
    array = (Option * max(1, len(pairs)))()
    for i, (key, value) in enumerate(pairs):
        array[i].key = str(key).encode()
        array[i].value = str(value).encode("utf-8", "surrogateescape")
    return array, len(pairs)


def check(code, error, kind=_errors.InputError, compatible=None):
    if code != 0:
        raise _errors.take(error, kind, compatible)


def int_list(pointer, count):
    return [pointer[i] for i in range(count)]


class Handle:
    """Frees its handle once."""

    _free = None

    def __init__(self, handle):
        self.handle = handle

    def close(self):
        handle, self.handle = self.handle, None
        if handle:
            type(self)._free(handle)

    def __del__(self):
        try:
            self.close()
        except (AttributeError, TypeError):
            pass  # the interpreter ends


class Document(Handle):
    _free = lib.edgetwin_document_free

    def part(self, name):
        text = lib.edgetwin_document_part(self.handle, name.encode())
        return None if text is None else text.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.part("json") or "{}")

    def verdict(self):
        return lib.edgetwin_document_verdict(self.handle)

    def files(self):
        made = {}
        for i in range(lib.edgetwin_document_file_count(self.handle)):
            name, data, size = ctypes.c_char_p(), ctypes.c_void_p(), ctypes.c_size_t()
            lib.edgetwin_document_file(self.handle, i, byref(name), byref(data), byref(size))
            made[name.value.decode()] = ctypes.string_at(data.value, size.value) if size.value else b""
        return made


def document(function, *arguments, kind=_errors.InputError):
    """Calls a function whose last two arguments give a document and an error."""
    out, error = ctypes.c_void_p(), ctypes.c_void_p()
    check(function(*arguments, byref(out), byref(error)), error, kind)
    return Document(out.value)


class NetworkHandle(Handle):
    _free = lib.edgetwin_network_free

    @classmethod
    def open_file(cls, path, pairs=(), **how):
        array, n = options(pairs)
        out, error = ctypes.c_void_p(), ctypes.c_void_p()
        name = path.encode("utf-8", "surrogateescape") if isinstance(path, str) else path
        check(lib.edgetwin_network_open_file(name, array, n, byref(out), byref(error)), error, **how)
        return cls(out.value)

    @classmethod
    def open_bytes(cls, data, name=None, pairs=(), **how):
        array, n = options(pairs)
        out, error = ctypes.c_void_p(), ctypes.c_void_p()
        data = bytes(data)
        called = None if name is None else str(name).encode("utf-8", "surrogateescape")
        check(
            lib.edgetwin_network_open_bytes(data, len(data), called, array, n, byref(out), byref(error)), error, **how
        )
        return cls(out.value)

    def bytes(self):
        data, size, error = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p()
        check(lib.edgetwin_network_bytes(self.handle, byref(data), byref(size), byref(error)), error)
        return ctypes.string_at(data.value, size.value) if size.value else b""

    def describe(self):
        return document(lib.edgetwin_network_describe, self.handle)


class DeviceHandle(Handle):
    _free = lib.edgetwin_device_free

    @classmethod
    def open(cls, where, pairs=(), **how):
        array, n = options(pairs)
        out, error = ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.edgetwin_device_open(where.encode(), array, n, byref(out), byref(error)), error, **how)
        return cls(out.value)


class Row:
    """One tensor of a runner."""

    __slots__ = (
        "index", "number", "dtype", "name", "shape", "signature", "bytes", "scheme", "axis", "scales", "zero_points",
        "exponents", "flags", "sizes", "numpy_dtype",
    )

    def __init__(self, index, info):
        self.index = index
        self.number = info.dtype
        self.dtype = NUMPY_TYPES.get(info.dtype, np.void)
        self.name = (info.name or b"").decode("utf-8", "surrogateescape")
        rank = max(0, info.rank)
        self.shape = np.array(int_list(info.shape, rank), dtype=np.int32)
        self.signature = np.array(int_list(info.shape_signature, rank), dtype=np.int32)
        self.bytes = info.bytes
        self.scheme = info.scheme
        self.axis = info.axis
        self.scales = np.array([info.scales[i] for i in range(info.channels)], dtype=np.float32)
        self.zero_points = np.array([info.zero_points[i] for i in range(info.channels)], dtype=np.int64)
        powers = info.channels if info.exponents else 0
        self.exponents = np.array([info.exponents[i] for i in range(powers)], dtype=np.int32)
        self.flags = info.flags
        # What arrays are compared with and made of.
        self.sizes = tuple(int(s) for s in self.shape)
        self.numpy_dtype = np.dtype(self.dtype)


def _address(array):
    """Where its numbers are; `array.ctypes` makes an object at every call."""
    return array.__array_interface__["data"][0]


class RunnerHandle(Handle):
    _free = lib.edgetwin_runner_free

    @classmethod
    def create(cls, network, pairs=(), device=None, **how):
        array, n = options(pairs)
        out, error = ctypes.c_void_p(), ctypes.c_void_p()
        place = None if device is None else device.handle
        check(lib.edgetwin_runner_create(network.handle, array, n, place, byref(out), byref(error)), error, **how)
        runner = cls(out.value)
        runner.device = device
        return runner

    def _numbers(self, function):
        pointer, count = ctypes.POINTER(ctypes.c_int32)(), ctypes.c_size_t()
        function(self.handle, byref(pointer), byref(count))
        return int_list(pointer, count.value)

    def inputs(self):
        return self._numbers(lib.edgetwin_runner_inputs)

    def outputs(self):
        return self._numbers(lib.edgetwin_runner_outputs)

    def count(self):
        return lib.edgetwin_runner_tensor_count(self.handle)

    def row(self, index):
        info, error = TensorInfo(), ctypes.c_void_p()
        info.size = ctypes.sizeof(TensorInfo)
        check(lib.edgetwin_runner_tensor_info(self.handle, index, byref(info), byref(error)), error)
        return Row(index, info)

    def resize(self, index, shape, strict=False, **how):
        error = ctypes.c_void_p()
        sizes = (ctypes.c_int32 * max(1, len(shape)))(*[int(s) for s in shape])
        check(lib.edgetwin_runner_resize(self.handle, index, sizes, len(shape), int(strict), byref(error)), error, **how)

    def allocate(self, **how):
        error = ctypes.c_void_p()
        check(lib.edgetwin_runner_allocate(self.handle, byref(error)), error, **how)

    def set(self, index, array, **how):
        error = ctypes.c_void_p()
        check(
            lib.edgetwin_runner_set(self.handle, index, _address(array), array.nbytes, byref(error)), error, **how
        )

    def get(self, index, array, **how):
        error = ctypes.c_void_p()
        check(
            lib.edgetwin_runner_get(self.handle, index, _address(array), array.nbytes, byref(error)), error, **how
        )

    def data(self, index, **how):
        data, size, error = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p()
        writable = ctypes.c_int32()
        check(
            lib.edgetwin_runner_data(self.handle, index, byref(data), byref(size), byref(writable), byref(error)),
            error, **how
        )
        return data.value, size.value, bool(writable.value)

    def invoke(self, **how):
        error = ctypes.c_void_p()
        check(lib.edgetwin_runner_invoke(self.handle, byref(error)), error, **how)

    def cancel(self):
        if self.handle:
            lib.edgetwin_runner_cancel(self.handle)

    def reset_variables(self, **how):
        error = ctypes.c_void_p()
        check(lib.edgetwin_runner_reset_variables(self.handle, byref(error)), error, **how)

    def statistics(self):
        return document(lib.edgetwin_runner_statistics, self.handle)

    def structure(self):
        """Subgraphs, signatures and operators of the network."""
        return json.loads(self.statistics().part("structure"))


class SamplesHandle(Handle):
    _free = lib.edgetwin_samples_free

    @classmethod
    def create(cls):
        out, error = ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.edgetwin_samples_create(byref(out), byref(error)), error)
        return cls(out.value)

    def add(self, array, name=None):
        array = np.asarray(array, order="C")
        error = ctypes.c_void_p()
        sizes = (ctypes.c_int32 * max(1, array.ndim))(*array.shape)
        called = None if name is None else name.encode()
        check(
            lib.edgetwin_samples_add(
                self.handle, called, dtype_number(array.dtype), sizes, array.ndim, array.ctypes.data, array.nbytes,
                byref(error)
            ),
            error,
        )


__all__ = ["_abi"]
