"""Networks, runs and reports: the interface of edgetwin itself."""
import json
import os
import threading
from collections.abc import Mapping
from html import escape
from typing import Any, Dict, Iterable, List, Optional, Union

import numpy as np

from . import _errors
from ._abi import READABLE, lib
from ._handles import (
    DeviceHandle,
    Document,
    NetworkHandle,
    RunnerHandle,
    SamplesHandle,
    byref,
    ctypes,
    document,
    options,
)

_RUNNER_KEYS = {"on", "keep", "graph", "threads", "isa", "plain", "allow_undefined", "decode"}
_WAIT_SECONDS = 0.05


def _pairs(keywords):
    """Keywords as options: "_" for "-", lists repeat, True is a flag, None and False are left out."""
    pairs = []
    for key, value in keywords.items():
        if value is None or value is False:
            continue
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            pairs.append((key.rstrip("_").replace("_", "-"), "true" if one is True else os.fspath(one)
                          if isinstance(one, os.PathLike) else str(one)))
    return pairs


def _interruptible(work, cancel=None):
    """Runs `work` in a thread, so that Ctrl-C arrives here; `cancel` ends it then."""
    result: Dict[str, Any] = {}

    def body():
        try:
            result["value"] = work()
        except BaseException as error:  # goes on in the caller's thread
            result["error"] = error

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_WAIT_SECONDS)
    except KeyboardInterrupt:
        while cancel is not None and thread.is_alive():
            cancel()
            thread.join(_WAIT_SECONDS)
        raise
    if "error" in result:
        raise result["error"]
    return result["value"]


class Port:
    """An input or output: name, shape, dtype, quantization."""

    def __init__(self, row):
        self.name: str = row.name
        self.shape = tuple(int(s) for s in row.shape)
        self.dtype = row.dtype
        self.quantization = _quantization(row)

    def __repr__(self):
        return "Port(%r, %r, %s)" % (self.name, self.shape, np.dtype(self.dtype).name)


def _quantization(row):
    if row.scheme == 1:
        return {"scale": row.scales.copy(), "zero_point": row.zero_points.copy(), "axis": row.axis}
    if row.scheme == 2:
        return {"exponent": row.exponents.copy(), "axis": row.axis}
    return None


class Tensor:
    """Numbers of a run with what they stand for."""

    def __init__(self, row, array):
        self.name: str = row.name
        self.array = array
        self.quantization = _quantization(row)
        self._row = row

    @property
    def real(self):
        """float64, dequantized."""
        values = self.array.astype(np.float64)
        row = self._row
        if row.scheme == 0 or not len(row.scales):
            return values
        shape = [1] * values.ndim
        if len(row.scales) > 1:
            shape[row.axis] = len(row.scales)
        scale = row.scales.astype(np.float64).reshape(shape) if len(row.scales) > 1 else float(row.scales[0])
        zero = row.zero_points.reshape(shape) if len(row.scales) > 1 else int(row.zero_points[0])
        return (values - zero) * scale

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array) if dtype is None else np.asarray(self.array, dtype=dtype)

    def __repr__(self):
        a = self.array
        text = "Tensor(%r, %s %s" % (self.name, "x".join(map(str, a.shape)) or "scalar", a.dtype.name)
        if a.size and a.dtype.kind in "iufb":
            text += ", min %g max %g mean %g" % (a.min(), a.max(), a.mean())
        return text + ")"


class _Tensors(Mapping):
    """Name -> Tensor; numbers as keys count in order. Copied when they are first asked for."""

    def __init__(self, names, read):
        self._names = names  # name -> number of the tensor
        self._read = read
        self._made: Dict[str, Tensor] = {}

    def __getitem__(self, name):
        if isinstance(name, int):
            name = list(self._names)[name]
        if name not in self._names:
            raise KeyError("%s; there are %s" % (name, ", ".join(list(self._names)[:20])))
        if name not in self._made:
            self._made[name] = self._read(self._names[name])
        return self._made[name]

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return "{%s}" % ", ".join(repr(n) for n in self._names)


class Run:
    """What one inference gave."""

    def __init__(self, network, runner, inputs, keywords):
        self._network = network
        self._runner = runner
        self._inputs = inputs
        self._keywords = keywords
        facts = runner.statistics()
        self._facts = json.loads(facts.part("json"))
        self.seconds: float = self._facts["seconds"]
        self.findings: List[dict] = self._facts["findings"]
        self.outputs = self._named(runner.outputs())
        for name in self.outputs:
            self.outputs[name]  # they are few, and the next run may overwrite them
        self._layers: Optional[_Tensors] = None

    def _read(self, index):
        row = self._runner.row(index)
        array = np.empty(tuple(row.shape), row.dtype)
        self._runner.get(index, array)
        return Tensor(row, array)

    def _named(self, indices):
        names: Dict[str, int] = {}
        for index in indices:
            name = self._runner.row(index).name
            names[name if name not in names else "%s#%d" % (name, index)] = index
        return _Tensors(names, self._read)

    @property
    def layers(self):
        """All tensors of a run with trace=True."""
        if self._layers is None:
            if not self._keywords.get("trace"):
                return _Tensors({}, self._read)
            rows = (self._runner.row(i) for i in range(self._runner.count()))
            self._layers = self._named([r.index for r in rows if r.flags & READABLE and not r.flags & 1])
        return self._layers

    def __getitem__(self, key):
        return self.outputs[key]

    def diff(self, other):
        """Both are computed again with all layers; a Report with the first that differs."""
        a, b = self._again(), other._again()
        return Report(document(lib.edgetwin_verify, a.handle, b.handle, options([])[0], 0, kind=_errors.RunError))

    def _again(self):
        runner = self._network._runner(dict(self._keywords, trace=True))
        _set_inputs(runner, self._inputs)
        return runner

    def save(self, folder, force=False):
        """NNNN_NAME.npy for every tensor, which `edgetwin diff` reads."""
        if os.path.isdir(folder) and os.listdir(folder) and not force:
            raise _errors.make(_errors.InputError, "%s is not empty; force=True writes there" % folder)
        os.makedirs(folder, exist_ok=True)
        tensors = self.layers if len(self.layers) else self.outputs
        for i, name in enumerate(tensors):
            safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name)
            np.save(os.path.join(folder, "%04d_%s.npy" % (i, safe)), tensors[name].array)

    def __repr__(self):
        return "Run(%s)" % ", ".join(repr(self.outputs[n]) for n in self.outputs)

    def __reduce__(self):
        raise TypeError("a run cannot be pickled; save() writes its tensors")


class Report:
    """A document: verdict, texts, files, and the network that was made."""

    def __init__(self, made: Document, network: Optional["Network"] = None):
        self.network = network
        self.text: str = made.part("text") or ""
        self.json: dict = made.json()
        self.html: Optional[str] = made.part("html")
        self.files: Dict[str, bytes] = made.files()
        self._verdict = made.verdict()

    def __bool__(self):
        return self._verdict == 0

    def save(self, folder):
        for name, data in self.files.items():
            path = os.path.join(folder, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open_file(path, "wb") as file:
                file.write(data)
        if self.html is not None:
            os.makedirs(folder, exist_ok=True)
            with open_file(os.path.join(folder, "page.html"), "w", encoding="utf-8") as file:
                file.write(self.html)

    def __repr__(self):
        return self.text or "Report(%s)" % ("yes" if self else "no")

    def _repr_html_(self):
        if self.html is None:
            return "<pre>%s</pre>" % escape(self.text)
        return '<iframe srcdoc="%s" style="width:100%%;height:600px;border:0"></iframe>' % escape(self.html, quote=True)


open_file = open  # the name is ours below


def _picture(value, row):
    """A PIL image as an array of the input's size."""
    shape = [int(s) for s in row.shape]
    if len(shape) == 4 and hasattr(value, "resize"):
        value = value.convert("L" if shape[3] == 1 else "RGB").resize((shape[2], shape[1]))
    return np.asarray(value)


def _array_for(value, row):
    if hasattr(value, "convert") and hasattr(value, "size"):
        value = _picture(value, row)
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    if isinstance(value, Tensor):
        value = value.array
    array = np.asarray(value)
    shape = tuple(int(s) for s in row.shape)
    if array.shape != shape and array.size == int(np.prod(shape)):
        array = array.reshape(shape)
    wanted = np.dtype(row.dtype)
    if array.dtype == wanted:
        return np.asarray(array, order="C")
    if array.dtype.kind == "f" and wanted.kind in "iu" and row.scheme:
        scale = max(float(row.scales[0]), 1e-9)
        real = np.rint(array.astype(np.float32) / np.float32(scale) + row.zero_points[0])
        limits = np.iinfo(wanted)
        return np.clip(real, limits.min, limits.max).astype(wanted)
    if array.dtype.kind == "f" and wanted.kind == "f":
        return array.astype(wanted, order="C")
    if array.dtype == np.uint8 and wanted == np.int8 and row.scheme == 1:
        return (array.astype(np.int16) - 128).astype(np.int8)
    raise _errors.make(
        _errors.InputError,
        "input '%s' takes %s, and %s was given; integers are taken as they are, floats are quantized"
        % (row.name, wanted.name, array.dtype.name),
    )


def _given_inputs(runner, x):
    """[(number, value)] of an array, a list in order, or a dictionary by name."""
    numbers = runner.inputs()
    if x is None:
        return []
    if isinstance(x, Mapping):
        by_name = {runner.row(i).name: i for i in numbers}
        unknown = [name for name in x if name not in by_name]
        if unknown:
            raise _errors.make(
                _errors.InputError, "there is no input '%s'; there are %s" % (unknown[0], ", ".join(by_name))
            )
        return [(by_name[name], value) for name, value in x.items()]
    if isinstance(x, (list, tuple)) and len(x) == len(numbers) and not np.isscalar(x[0]):
        return list(zip(numbers, x))
    if len(numbers) != 1:
        raise _errors.make(
            _errors.InputError, "the network has %d inputs: give a list or a dictionary" % len(numbers)
        )
    return [(numbers[0], x)]


def _set_inputs(runner, arrays):
    for number, array in arrays:
        row = runner.row(number)
        if tuple(row.shape) != array.shape:
            runner.resize(number, array.shape)
    runner.allocate(kind=_errors.RunError)
    for number, array in arrays:
        runner.set(number, array)


def _picture_file(path):
    """A picture as an array, through Pillow where the caller has it."""
    if str(path).endswith(".npy"):
        return np.load(path)
    try:
        from PIL import Image
    except ImportError:
        raise _errors.make(
            _errors.InputError, "pictures need Pillow; %s can be given as an array instead" % path
        ) from None
    return Image.open(path)


class Network:
    """A network of any file that edgetwin reads."""

    def __init__(self, handle: NetworkHandle, keywords: dict, name: str):
        self._handle = handle
        self._keywords = keywords
        self._name = name
        self._info: Optional[dict] = None
        self._first: Optional[RunnerHandle] = None
        self._document: Optional[Document] = None

    def _description(self):
        if self._document is None:
            self._document = self._handle.describe()
        return self._document

    @property
    def info(self) -> dict:
        """What `edgetwin info --json` says of the file."""
        if self._info is None:
            files = self._description().json().get("files", [])
            self._info = files[0] if files else {}
        return self._info

    @property
    def kind(self) -> str:
        return self.info.get("kind", "unknown")

    @property
    def target(self) -> Optional[str]:
        models = self.info.get("models")
        return self._keywords.get("target") or (models[0].get("target") if models else self.info.get("target"))

    def _runner(self, keywords, device=None):
        keywords = dict(keywords)
        if keywords.pop("trace", False):
            keywords["keep"] = "all"
        place = keywords.pop("device", None)
        if place is not None:
            device = place if isinstance(place, DeviceHandle) else DeviceHandle.open(str(place))
        return RunnerHandle.create(self._handle, _pairs(keywords), device)

    def _ports(self):
        if self._first is None:
            self._first = self._runner({})
        return self._first

    @property
    def inputs(self) -> List[Port]:
        runner = self._ports()
        return [Port(runner.row(i)) for i in runner.inputs()]

    @property
    def outputs(self) -> List[Port]:
        runner = self._ports()
        return [Port(runner.row(i)) for i in runner.outputs()]

    def bytes(self):
        return self._handle.bytes()

    def save(self, path, force=False):
        if os.path.exists(path) and not force:
            raise _errors.make(_errors.InputError, "%s exists; force=True replaces it" % path)
        with open_file(path, "wb") as file:
            file.write(self.bytes())

    def run(self, x=None, **keywords) -> Run:
        """One inference. Keywords: trace, device, on, numerics, threads and other options of `run`."""
        runner = self._runner(keywords)
        if isinstance(x, (str, os.PathLike)):
            x = _picture_file(x)
        arrays = [(n, _array_for(v, runner.row(n))) for n, v in _given_inputs(runner, x)]
        _set_inputs(runner, arrays)
        _interruptible(lambda: runner.invoke(kind=_errors.RunError), runner.cancel)
        return Run(self, runner, arrays, keywords)

    def _verb(self, function, keywords, makes=False, samples=None):
        pairs, n = options(_pairs(keywords))
        made = ctypes.c_void_p()
        first = [self._handle.handle] if samples is None else [self._handle.handle, samples.handle]
        arguments = first + [pairs, n] + ([byref(made)] if makes else [])
        found = _interruptible(lambda: document(function, *arguments))
        network = None
        if made.value:
            handle = NetworkHandle(made.value)
            network = Network(handle, {k: v for k, v in keywords.items() if k == "target"}, self._name)
        return Report(found, network)

    def check(self, target=None, **keywords) -> Report:
        return self._verb(lib.edgetwin_check, dict(keywords, target=target))

    def compile(self, target=None, **keywords) -> Report:
        return self._verb(lib.edgetwin_compile, dict(keywords, target=target or self._keywords.get("target")), True)

    def decompile(self, **keywords) -> Report:
        return self._verb(lib.edgetwin_decompile, keywords, True)

    def verify(self, x=None, **keywords) -> Report:
        """The fast operators against the plain ones; of a compiled model the program against its network."""
        runner = self._runner(dict(keywords, trace=True))
        if x is None:
            rng = np.random.default_rng(1)
            x = [_random(rng, runner.row(i)) for i in runner.inputs()]
        arrays = [(n, _array_for(v, runner.row(n))) for n, v in _given_inputs(runner, x)]
        _set_inputs(runner, arrays)
        if self.kind == "edgetpu" or '"edgetpu-custom-op"' in json.dumps(self.info.get("operator_counts", {})):
            other = self.decompile().network._runner({"numerics": "edgetpu", "trace": True})
        else:
            other = self._runner(dict(keywords, trace=True, on="plain"))
        pairs, n = options([])
        return Report(document(lib.edgetwin_verify, runner.handle, other.handle, pairs, n, kind=_errors.RunError))

    def report(self, x=None, **keywords) -> Report:
        """The page about one run."""
        how = {k: keywords.pop(k) for k in list(keywords) if k in _RUNNER_KEYS}
        runner = self._runner(how)
        if isinstance(x, (str, os.PathLike)):
            x = _picture_file(x)
        if x is None:
            rng = np.random.default_rng(1)
            x = [_random(rng, runner.row(i)) for i in runner.inputs()]
        _set_inputs(runner, [(n, _array_for(v, runner.row(n))) for n, v in _given_inputs(runner, x)])
        pairs, n = options(_pairs(keywords))
        return Report(document(lib.edgetwin_report, runner.handle, pairs, n))

    def __repr__(self):
        return "Network(%r, %s)" % (self._name, self.kind)

    def _repr_html_(self):
        rows = self.info.get("operators") or (self.info.get("models") or [{}])[0].get("operators") or []
        cells = "".join(
            "<tr><td>%d</td><td>%s</td><td>%s</td><td>%s</td></tr>"
            % (r.get("index", 0), escape(str(r.get("type"))), escape(str(r.get("name"))), escape(str(r.get("macs"))))
            for r in rows[:200]
        )
        more = "" if len(rows) <= 200 else "<p>%d more</p>" % (len(rows) - 200)
        return (
            '<div style="max-height:400px;overflow:auto"><table><tr><th>#</th><th>operator</th><th>name</th>'
            "<th>macs</th></tr>%s</table>%s</div>" % (cells, more)
        )

    def __reduce__(self):
        return _from_bytes, (self.bytes(), self._name, self._keywords)

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self


def _random(rng, row):
    shape = tuple(int(s) for s in row.shape)
    kind = np.dtype(row.dtype)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
    return rng.uniform(-1, 1, shape).astype(kind)


def _from_bytes(data, name, keywords):
    return Network(NetworkHandle.open_bytes(data, name, _pairs(keywords)), keywords, name)


def open(source: Union[str, bytes, "os.PathLike[str]"], **keywords) -> Network:  # noqa: A001
    """A network from a file or from bytes. Keywords are options of the command line with _ for -.

    >>> import edgetwin
    >>> edgetwin.open(b"not a network")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    edgetwin._errors.InputError: ...
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(source), "bytes", keywords)
    path = os.fsdecode(os.fspath(source))
    return Network(NetworkHandle.open_file(path, _pairs(keywords)), keywords, path)


def _as_array(value):
    for step in ("detach", "cpu", "numpy"):
        if hasattr(value, step) and not isinstance(value, np.ndarray):
            value = getattr(value, step)()
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind == "f" else array


def input_names(network) -> List[str]:
    """Of a float network, in its order."""
    tensors = {t["index"]: t["name"] for t in network.info.get("tensors", [])}
    return [tensors[i] for i in network.info.get("inputs", []) if i in tensors]


def collect_samples(samples: Iterable, limit: Optional[int] = None, names: Iterable[str] = ()) -> SamplesHandle:
    """Arrays, lists of arrays (one for each of `names`, the inputs) or dictionaries by name."""
    names = list(names)
    handle = SamplesHandle.create()
    for i, batch in enumerate(samples):
        if limit is not None and i >= limit:
            break
        if isinstance(batch, Mapping):
            for name, value in batch.items():
                handle.add(_as_array(value), name)
        elif isinstance(batch, (list, tuple)) and len(batch) == 1:
            handle.add(_as_array(batch[0]))
        elif isinstance(batch, (list, tuple)) and len(names) > 1:
            if len(batch) != len(names):
                raise _errors.make(
                    _errors.InputError,
                    "sample %d has %d arrays, and the network has %d inputs: %s"
                    % (i, len(batch), len(names), ", ".join(names)),
                )
            for name, value in zip(names, batch):
                handle.add(_as_array(value), name)
        else:
            handle.add(_as_array(batch))
    return handle


def quantize(source, samples: Optional[Iterable] = None, **keywords) -> Report:
    """A float network to integers; `samples` gives calibration arrays, or calibrate= names files."""
    network = source if isinstance(source, Network) else open(source)
    if samples is None:
        handle = SamplesHandle.create()
    else:
        handle = collect_samples(samples, names=input_names(network))
    return network._verb(lib.edgetwin_quantize, keywords, True, handle)


def diff(a, b, **keywords) -> Report:
    """Two files or folders."""
    pairs, n = options(_pairs(keywords))
    return Report(document(lib.edgetwin_diff, os.fsencode(a), os.fsencode(b), pairs, n))


def verify(a: Network, b: Network, x=None) -> Report:
    """Two networks on the same inputs, layer by layer."""
    first, second = a._runner({"trace": True}), b._runner({"trace": True})
    rng = np.random.default_rng(1)
    values = [_random(rng, first.row(i)) for i in first.inputs()] if x is None else x
    _set_inputs(first, [(n, _array_for(v, first.row(n))) for n, v in _given_inputs(first, values)])
    pairs, n = options([])
    return Report(document(lib.edgetwin_verify, first.handle, second.handle, pairs, n, kind=_errors.RunError))


def explain(id: str) -> Report:  # noqa: A002
    return Report(document(lib.edgetwin_explain, id.encode()))


def devices(**keywords) -> List[dict]:
    pairs, n = options(_pairs(keywords))
    return document(lib.edgetwin_device_list, pairs, n).json().get("devices", [])


def versions() -> dict:
    """Version, compiler, instruction sets, formats, targets."""
    return json.loads(lib.edgetwin_build_json().decode())
