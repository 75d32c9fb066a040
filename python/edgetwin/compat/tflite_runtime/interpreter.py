"""`Interpreter` and `load_delegate` with the interface of tflite_runtime, computed by edgetwin."""
import enum
import os
import re
import sys
import weakref

import numpy as np

from ... import _errors
from ..._handles import STRING, NetworkHandle, RunnerHandle, dtype_number
from .. import _hardware

__all__ = [
    "Delegate", "Interpreter", "InterpreterWithCustomOps", "OpResolverType", "SignatureRunner", "load_delegate",
]

_LIBEDGETPU = {
    "libedgetpu.so.1", "libedgetpu.so.1.0", "libedgetpu.so", "libedgetpu.1.dylib", "libedgetpu.1.0.dylib",
    "edgetpu.dll",
}
_POSENET_DECODER = "posenet_decoder.so"  # its operator is built in
_COMPILED_OP = "edgetpu-custom-op"
_TYPE_NAMES = {
    0: "NOTYPE", 1: "FLOAT32", 2: "INT32", 3: "UINT8", 4: "INT64", 5: "STRING", 6: "BOOL", 7: "INT16",
    8: "COMPLEX64", 9: "INT8", 10: "FLOAT16", 11: "FLOAT64", 12: "COMPLEX128", 13: "UINT64", 16: "UINT32",
    17: "UINT16", 18: "INT4",
}
_INT4, _INT8 = 18, 9
_NOT_READY = "Invoke called on model that is not ready."
_UNALLOCATED = "Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first"
_NO_DATA = "Tensor data is null. Run allocate_tensors() first"
_REFERENCE = """There is at least 1 reference to internal data
      in the interpreter in the form of a numpy array or slice. Be sure to
      only hold the function returned from tensor() if you are using raw
      data access."""
_IDENTIFIER = b"TFL3"
_FREE_REFERENCES = 2  # of the arena: the attribute and the argument of getrefcount

# By the numbers of `_native_handle`.
_LIVE = weakref.WeakValueDictionary()


def _value_error(text):
    return _errors.make(_errors.InputError, text)


def _run_error(text):
    return _errors.make(_errors.RunError, text)


class Delegate:
    """What `load_delegate` gives: a device, which closes with the last of delegate and interpreters."""

    def __init__(self, library, options=None):
        self._library = None
        self._hardware = None
        self._options = dict(options or {})
        name = re.split(r"[/\\]", os.fspath(library))[-1]
        if name == _POSENET_DECODER:
            return
        if name not in _LIBEDGETPU:
            raise ValueError("edgetwin stands for libedgetpu; it loads no other delegates")
        self._hardware = _hardware.open_device(self._options)

    def _get_native_delegate_pointer(self):
        return id(self)


def load_delegate(library, options=None):
    """The Edge TPU that EDGETWIN_DEVICE stands for; nothing is loaded from `library`."""
    try:
        return Delegate(library, options)
    except ValueError as error:
        failed = _value_error("Failed to load delegate from {}\n{}".format(library, error))
        if isinstance(error, _errors.Error):
            failed.id, failed.exit_code, failed.json = error.id, error.exit_code, error.json
        raise failed from None


@enum.unique
class OpResolverType(enum.Enum):
    """All of them compute the same bits here."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


class _Arena:
    """The memory of a runner, which views keep alive."""

    __slots__ = ("runner", "__weakref__")

    def __init__(self, runner):
        self.runner = runner


class _View:
    """One tensor's memory, for numpy."""

    __slots__ = ("arena", "__array_interface__")

    def __init__(self, arena, address, shape, dtype, writable):
        self.arena = arena
        self.__array_interface__ = {
            "data": (address, not writable), "shape": tuple(int(s) for s in shape), "typestr": np.dtype(dtype).str,
            "version": 3,
        }


def _details(row):
    per_tensor = row.scheme == 1 and len(row.scales) == 1
    return {
        "name": row.name,
        "index": row.index,
        "shape": row.shape.copy(),
        "shape_signature": row.signature.copy(),
        "dtype": row.dtype,
        "quantization": (float(row.scales[0]), int(row.zero_points[0])) if per_tensor else (0.0, 0),
        "quantization_parameters": {
            "scales": row.scales.copy(),
            "zero_points": row.zero_points.astype(np.int32),
            "quantized_dimension": int(row.axis),
        },
        "sparsity_parameters": {},
    }


def _strings(data, shape):
    """Texts of a tensor: their number, their offsets, their bytes."""
    count = int(np.frombuffer(data, np.int32, 1)[0]) if len(data) >= 4 else 0
    offsets = np.frombuffer(data, np.int32, count + 1, 4) if len(data) >= 8 + 4 * count else [0] * (count + 1)
    texts = np.empty(count, dtype=object)
    for i in range(count):
        texts[i] = bytes(data[offsets[i]:offsets[i + 1]])
    return texts.reshape(shape) if int(np.prod(shape)) == count else texts


class _Tensors:
    """One subgraph with its runner; rows are read once and again after a change of sizes."""

    def __init__(self, runner, grows):
        self.runner = runner
        self.grows = grows  # layers become further tensors after a run
        self.rows = {}
        self.opens = False
        self.allocated = False
        self.inputs = runner.inputs()
        self.outputs = runner.outputs()
        self.count = runner.count()
        self.addresses = {}

    def row(self, index):
        found = self.rows.get(index)
        if found is None:
            found = self.rows[index] = self.runner.row(index)
        return found

    def changed(self):
        self.rows.clear()
        self.addresses.clear()
        self.count = self.runner.count()

    def check_index(self, index):
        index = int(index)
        if not 0 <= index < self.count:
            raise _value_error("Invalid tensor index {} exceeds max tensor index {}".format(index, self.count))
        return index

    def allocate(self):
        if self.allocated:
            return
        self.runner.allocate(kind=_errors.RunError)
        self.allocated = True
        self.changed()
        # Outputs without a shape may get one by a run.
        self.opens = any(not len(self.row(i).shape) for i in self.outputs)

    def resize(self, index, shape, strict):
        before = self.row(index).shape
        self.runner.resize(index, shape, strict, kind=_errors.RunError)
        if not np.array_equal(before, shape):
            self.allocated = False
            self.changed()

    def set(self, index, value):
        row = self.row(index)
        array = np.asarray(value, order="C")
        if self.allocated and array.dtype == row.numpy_dtype and array.shape == row.sizes and row.number != STRING:
            self.runner.set(index, array)
            return
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        given = dtype_number(array.dtype)
        if given != row.number and not (row.number == _INT4 and given == _INT8):
            raise _value_error(
                "Cannot set tensor: Got value of type {} but expected type {} for input {}, name: {} ".format(
                    _TYPE_NAMES.get(given, "NOTYPE"), _TYPE_NAMES.get(row.number, "NOTYPE"), index, row.name
                )
            )
        if array.ndim != len(row.shape):
            raise _value_error(
                "Cannot set tensor: Dimension mismatch. Got {} but expected {} for input {}.".format(
                    array.ndim, len(row.shape), index
                )
            )
        for d, (got, expected) in enumerate(zip(array.shape, row.shape)):
            if got != expected:
                raise _value_error(
                    "Cannot set tensor: Dimension mismatch. Got {} but expected {} for dimension {} of input "
                    "{}.".format(got, expected, d, index)
                )
        if not self.allocated:
            raise _value_error(_UNALLOCATED)
        self.runner.set(index, array)

    def address(self, index):
        """(address, bytes, writable); constants are there before allocation."""
        found = self.addresses.get(index)
        if found is not None:
            return found
        row = self.row(index)
        constant = row.flags & 1
        if not constant and not self.allocated:
            raise _value_error(_NO_DATA)
        try:
            found = self.runner.data(index)
        except _errors.Error:
            more = "; intermediate tensors need experimental_preserve_all_tensors=True"
            raise _value_error(_NO_DATA + more) from None
        if constant or self.allocated:
            self.addresses[index] = found
        return found

    def get(self, index):
        row = self.row(index)
        address, size, _ = self.address(index)
        if row.number == STRING:
            raw = np.empty(size, np.uint8)
            self.runner.get(index, raw)
            return _strings(raw.tobytes(), row.shape)
        array = np.empty(row.sizes, row.numpy_dtype)
        self.runner.get(index, array)
        return array

    def invoke(self):
        if not self.allocated:
            raise _run_error(_NOT_READY)
        self.runner.invoke(kind=_errors.RunError)
        if self.opens or (self.grows and self.runner.count() != self.count):
            self.changed()


def _read_model(model_path, model_content):
    """(bytes, name)"""
    if model_path is not None and model_content is not None and not model_path:
        model_path = None
    if model_content is not None and not isinstance(model_content, (bytes, bytearray, memoryview)):
        model_content = bytes(model_content)
    if model_path and model_content:
        raise _value_error("Can't both provide `model_path` and `model_content`")
    if not model_path and not model_content:
        raise _value_error("`model_path` or `model_content` must be specified.")
    if model_content:
        data = bytes(model_content)
        if len(data) < 8 or data[4:8] != _IDENTIFIER:
            raise _value_error("The model is not a valid Flatbuffer buffer")
        return data, None
    path = os.fsdecode(os.fspath(model_path))
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        raise _value_error("Could not open '{}'.".format(path)) from None
    if len(data) < 8:
        raise _value_error("The model is not a valid Flatbuffer buffer")
    if data[4:8] != _IDENTIFIER:
        shown = data[4:8].decode("latin-1")
        raise _value_error("Model provided has model identifier '{}', should be 'TFL3'".format(shown))
    return data, path


class SignatureRunner:
    """Computes one signature: keyword arguments in, a dictionary out."""

    def __init__(self, interpreter=None, signature_key=None):
        if not interpreter:
            raise _value_error("None interpreter provided.")
        if not signature_key:
            raise _value_error("None signature_key provided.")
        self._interpreter = interpreter
        self._signature_key = signature_key
        found = [s for s in interpreter._structure()["signatures"] if s["key"] == signature_key]
        if not found:
            raise _value_error("Invalid signature_key provided.")
        self._subgraph_index = found[0]["graph"]
        self._inputs = dict(sorted(found[0]["inputs"].items()))
        self._outputs = sorted(found[0]["outputs"].items())
        self._output_names = [name for name, _ in self._outputs]

    def __call__(self, **kwargs):
        if len(kwargs) != len(self._inputs):
            raise _value_error(
                "Invalid number of inputs provided for running a SignatureDef, expected {} vs provided {}".format(
                    len(self._inputs), len(kwargs)
                )
            )
        tensors = self._interpreter._subgraph(self._subgraph_index)
        arrays = {}
        for name, value in kwargs.items():
            if name not in self._inputs:
                raise _value_error("Invalid Input name ({}) for SignatureDef".format(name))
            arrays[name] = np.asarray(value)
            tensors.resize(self._inputs[name], arrays[name].shape, False)
        tensors.allocate()
        for name, array in arrays.items():
            tensors.set(self._inputs[name], array)
        tensors.invoke()
        return {name: tensors.get(index) for name, index in self._outputs}

    def get_input_details(self):
        tensors = self._interpreter._subgraph(self._subgraph_index)
        return {name: _details(tensors.row(index)) for name, index in self._inputs.items()}

    def get_output_details(self):
        tensors = self._interpreter._subgraph(self._subgraph_index)
        return {name: _details(tensors.row(index)) for name, index in self._outputs}


class Interpreter:
    """A TensorFlow Lite model, plain or compiled for the Edge TPU, computed bit for bit.

    >>> Interpreter(model_path="/nothing/here.tflite")
    Traceback (most recent call last):
    ...
    edgetwin._errors.InputError: Could not open '/nothing/here.tflite'.
    """

    def __init__(
        self,
        model_path=None,
        model_content=None,
        experimental_delegates=None,
        num_threads=None,
        experimental_op_resolver_type=OpResolverType.AUTO,
        experimental_preserve_all_tensors=False,
        experimental_disable_delegate_clustering=False,
        experimental_default_delegate_latest_features=False,
    ):
        self._closed = False
        self._main = None
        self._arena = None
        if experimental_op_resolver_type not in list(OpResolverType):
            raise _value_error("Unrecognized passed in op resolver type: {}".format(experimental_op_resolver_type))
        if num_threads is not None:
            if not isinstance(num_threads, int):
                raise _value_error("type of num_threads should be int")
            if num_threads < 1:
                raise _value_error("num_threads should >= 1")
        data, name = _read_model(model_path, model_content)
        self._delegates = list(experimental_delegates or [])
        self._threads = min(num_threads or 1, 256)
        self._keep = bool(experimental_preserve_all_tensors)
        self._network = self._open(data, name)
        self._further = {}
        self._structure_ = None
        self._hardware = self._choose_hardware(data)
        self._main = _Tensors(self._make_runner(0), self._keep)
        self._arena = _Arena(self._main.runner)
        _LIVE[id(self)] = self

    @staticmethod
    def _open(data, name):
        pairs = []
        if os.environ.get("EDGETWIN_NUMERICS"):
            pairs.append(("numerics", os.environ["EDGETWIN_NUMERICS"]))
        compatible = None if name else "The model is not a valid Flatbuffer buffer"
        return NetworkHandle.open_bytes(data, name or "model_content", pairs, compatible=compatible)

    def _choose_hardware(self, data):
        for delegate in self._delegates:
            hardware = getattr(delegate, "_hardware", None)
            if hardware is not None:
                return hardware
        if _COMPILED_OP.encode() in data and _hardware.wanted()[0] != "device":
            return _hardware.open_device({})
        return None

    def _make_runner(self, graph):
        pairs = [("threads", self._threads)]
        if self._keep:
            pairs.append(("keep", "all"))
        if graph:
            pairs.append(("graph", graph))
        device = None
        compiled = self._is_compiled()
        if compiled and self._hardware is not None and graph == 0:
            pairs += self._hardware.runner_options()
            device = self._hardware.handle
        else:
            pairs.append(("on", "twin"))
        return RunnerHandle.create(self._network, pairs, device)

    def _is_compiled(self):
        if not hasattr(self, "_compiled"):
            probe = RunnerHandle.create(self._network, [("on", "twin")])
            self._structure_ = probe.structure()
            self._compiled = any(op["op_name"] == _COMPILED_OP for op in self._structure_["operators"])
        return self._compiled

    # What upstream has, in the order of its documentation.

    def allocate_tensors(self):
        self._ensure_safe()
        self._tensors().allocate()

    def get_input_details(self):
        tensors = self._tensors()
        return [_details(tensors.row(i)) for i in tensors.inputs]

    def get_output_details(self):
        tensors = self._tensors()
        return [_details(tensors.row(i)) for i in tensors.outputs]

    def get_tensor_details(self, subgraph_index=0):
        tensors = self._subgraph(subgraph_index)
        rows = [tensors.row(i) for i in range(tensors.count)]
        return [_details(row) for row in rows if row.name]

    def set_tensor(self, tensor_index, value):
        tensors = self._tensors()
        tensors.set(tensors.check_index(tensor_index), value)

    def get_tensor(self, tensor_index, subgraph_index=0):
        tensors = self._subgraph(subgraph_index)
        return tensors.get(tensors.check_index(tensor_index))

    def tensor(self, tensor_index):
        """A function that gives a view of the tensor's memory at every call."""
        return lambda: self._view(tensor_index)

    def invoke(self):
        self._ensure_safe()
        self._tensors().invoke()

    def resize_tensor_input(self, input_index, tensor_size, strict=False):
        self._ensure_safe()
        tensors = self._tensors()
        shape = [int(s) for s in np.asarray(tensor_size, dtype=np.int32).ravel()]
        tensors.resize(tensors.check_index(input_index), shape, strict)

    def get_signature_list(self):
        return {
            key: {"inputs": list(s["inputs"]), "outputs": list(s["outputs"])}
            for key, s in self._get_full_signature_list().items()
        }

    def _get_full_signature_list(self):
        self._tensors()
        signatures = sorted(self._structure()["signatures"], key=lambda s: s["key"])
        return {
            s["key"]: {"inputs": dict(sorted(s["inputs"].items())), "outputs": dict(sorted(s["outputs"].items()))}
            for s in signatures
        }

    def get_signature_runner(self, signature_key=None):
        signatures = self._get_full_signature_list()
        if signature_key is None:
            if len(signatures) != 1:
                raise _value_error(
                    "SignatureDef signature_key is None and model has {} Signatures. None is only allowed when the "
                    "model has 1 SignatureDef".format(len(signatures))
                )
            signature_key = next(iter(signatures))
        return SignatureRunner(interpreter=self, signature_key=signature_key)

    def num_subgraphs(self):
        self._tensors()
        return self._structure()["subgraphs"]

    def reset_all_variables(self):
        self._tensors().runner.reset_variables(kind=_errors.RunError)

    def set_num_threads(self, num_threads):
        """For programs of private builds; the number never changes a result, and later calls are kept only."""
        if not isinstance(num_threads, int):
            raise _value_error("type of num_threads should be int")
        if num_threads < 1:
            raise _value_error("num_threads should >= 1")
        self._tensors()
        self._threads = min(num_threads, 256)

    def _get_op_details(self, op_index):
        operators = self._structure()["operators"]
        if not 0 <= int(op_index) < len(operators):
            raise _value_error("Invalid node index")
        op = operators[int(op_index)]
        tensors = self._tensors()

        def types(indices):
            return [tensors.row(i).dtype if i >= 0 else np.void for i in indices]

        return {
            "index": op["index"],
            "op_name": op["op_name"],
            "inputs": np.array(op["inputs"], dtype=np.int32),
            "outputs": np.array(op["outputs"], dtype=np.int32),
            "operand_types": types(op["inputs"]),
            "result_types": types(op["outputs"]),
        }

    def _get_ops_details(self):
        return [self._get_op_details(i) for i in range(len(self._structure()["operators"]))]

    def _native_handle(self):
        self._tensors()
        return id(self)

    def _safe_to_run(self):
        getrefcount = getattr(sys, "getrefcount", None)
        return getrefcount is None or getrefcount(self._arena) == _FREE_REFERENCES

    def _ensure_safe(self):
        self._tensors()
        if not self._safe_to_run():
            raise _run_error(_REFERENCE)

    # Ours.

    def close(self):
        """Frees the memory, at once where no view of it lives; afterwards every call raises ValueError."""
        self._closed = True
        self._arena = self._main = self._network = self._hardware = None
        self._further = {}
        self._delegates = []

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def _tensors(self):
        if self._closed:
            raise _value_error("The interpreter was closed.")
        return self._main

    def _structure(self):
        if self._structure_ is None:
            self._structure_ = self._tensors().runner.structure()
        return self._structure_

    def _subgraph(self, index):
        main = self._tensors()
        if index == 0:
            return main
        count = self._structure()["subgraphs"]
        if not 0 <= index < count:
            raise _value_error(
                "subgraph_index is out of range: {} for the model, which has {} subgraphs.".format(index, count)
            )
        if index not in self._further:
            self._further[index] = _Tensors(self._make_runner(index), self._keep)
        return self._further[index]

    def _view(self, index):
        tensors = self._tensors()
        index = tensors.check_index(index)
        address, _, writable = tensors.address(index)
        row = tensors.row(index)
        return np.asarray(_View(self._arena, address, row.shape, row.dtype, writable))


class InterpreterWithCustomOps(Interpreter):
    """Registerers of custom operators are symbols of other libraries, which are not loaded."""

    def __init__(self, custom_op_registerers=None, **kwargs):
        self._custom_op_registerers = custom_op_registerers or []
        for registerer in self._custom_op_registerers:
            name = registerer if isinstance(registerer, str) else getattr(registerer, "__name__", str(registerer))
            raise _value_error("Looking up symbol '{}' failed: edgetwin loads no operators of others".format(name))
        super().__init__(**kwargs)


def _interpreter_of(handle):
    """The interpreter of `_native_handle`."""
    interpreter = _LIVE.get(handle)
    if interpreter is None:
        raise _value_error("{} is not the handle of an interpreter".format(handle))
    return interpreter
