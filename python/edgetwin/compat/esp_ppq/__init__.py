"""`espdl_quantize_onnx` with the arguments of ESP-PPQ: an ONNX network to .espdl for the ESP32-S3, P4 and C."""
import itertools
import json
import os
import warnings

import numpy as np

from ... import _errors, _native

_TARGETS = {"c": "c", "esp32s3": "esp32s3", "esp32p4": "esp32p4", "esp32s31": "esp32p4"}
_SEED = 1
# Attributes of a setting that have an equivalent: name -> (value that changes nothing, option).
_METHODS = ("kl", "mse", "minmax", "percentile")
_PASSES = {"equalization": "equalization", "bias_correct": "bias-correction"}


def _array(value):
    for step in ("detach", "cpu", "numpy"):
        if hasattr(value, step) and not isinstance(value, np.ndarray):
            value = getattr(value, step)()
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind in "fiub" else array


def _batches(loader, steps, collate_fn):
    """`steps` batches, from the beginning again when the loader ends."""
    taken = 0
    while taken < steps:
        before = taken
        for batch in itertools.islice(iter(loader), steps - taken):
            yield batch if collate_fn is None else collate_fn(batch)
            taken += 1
        if taken == before:
            raise _errors.make(_errors.InputError, "the calibration loader gives no batches")


def _setting_options(setting):
    """Options of attributes with an equivalent; one warning for each of the others that is not default."""
    options = {}
    if setting is None:
        return options
    wanted = [option for name, option in _PASSES.items() if getattr(setting, name, False)]
    if wanted:
        options["with_"] = wanted
    activation = getattr(setting, "quantize_activation_setting", None)
    method = getattr(activation, "calib_algorithm", None)
    if isinstance(method, str) and method in _METHODS:
        options["method"] = method
    elif method is not None:
        warnings.warn("calib_algorithm %r has no equivalent here: kl is taken" % (method,))
    known = set(_PASSES) | {"quantize_activation_setting", "dispatching_table"}
    default = type(setting)() if _has_default(type(setting)) else None
    for name, value in vars(setting).items():
        if name in known or name.startswith("_") or default is None:
            continue
        if isinstance(value, (bool, int, float, str)) and value != getattr(default, name, value):
            warnings.warn("the setting %s = %r has no equivalent here and is left out" % (name, value))
    return options


def _has_default(kind):
    try:
        kind()
    except Exception:
        return False
    return True


def _layer_bits(dispatching_override, bits):
    wanted = []
    for name, platform in (dispatching_override or {}).items():
        text = str(getattr(platform, "name", platform)).upper()
        if "16" in text:
            wanted.append("%s=16" % name)
        elif "8" in text:
            wanted.append("%s=8" % name)
        else:
            warnings.warn("the operator %s stays at %d bits: %s has no equivalent here" % (name, bits, platform))
    return wanted


class _Object:
    def __init__(self, **members):
        self.__dict__.update(members)

    def __repr__(self):
        return "%s %r" % (getattr(self, "type", "variable"), self.name)


_MEMBERS = ["network", "report", "config", "operations", "variables"]


class QuantizedGraph:
    """The quantized network: callable with arrays, with the maps that loops over graphs use."""

    def __init__(self, network, report, config):
        self.network = network
        self.report = report
        self.config = config
        model = (network.info.get("models") or [{}])[0]
        values = {t["index"]: t for t in model.get("tensors", [])}
        self.variables = {t["name"]: _Object(name=t["name"], config=t) for t in values.values()}
        self.operations = {}
        for row in model.get("operators", []):
            names = [[values[i]["name"] for i in row[side] if i in values] for side in ("inputs", "outputs")]
            self.operations[row["name"]] = _Object(
                name=row["name"], type=row["type"], config=row,
                inputs=[self.variables[n] for n in names[0]], outputs=[self.variables[n] for n in names[1]]
            )

    def __call__(self, *inputs):
        if len(inputs) == 1 and isinstance(inputs[0], (list, tuple, dict)):
            inputs = inputs[0]
        given = {k: _array(v) for k, v in inputs.items()} if isinstance(inputs, dict) else [_array(v) for v in inputs]
        run = self.network.run(given)
        return [run.outputs[name].real.astype(np.float32) for name in run.outputs]

    def __getattr__(self, name):
        raise AttributeError("a QuantizedGraph has no %s; there are %s" % (name, ", ".join(_MEMBERS)))


def _shapes(input_shape):
    """One shape or several."""
    if input_shape and not isinstance(input_shape[0], (list, tuple)):
        return [list(input_shape)]
    return [list(s) for s in input_shape or []]


def _samples(loader, steps, collate_fn, names):
    for batch in _batches(loader, steps, collate_fn):
        if isinstance(batch, dict):
            yield {name: _array(value) for name, value in batch.items()}
        elif isinstance(batch, (list, tuple)) and len(names) > 1:
            yield {name: _array(value) for name, value in zip(names, batch)}
        else:
            yield _array(batch[0] if isinstance(batch, (list, tuple)) else batch)


def _warn_unused(unknown, **known):
    """One warning for each argument that is given and changes nothing."""
    given = list(unknown.items()) + list(known.items())
    for name, value in given:
        if value is not None:
            warnings.warn("the argument %s has no equivalent here and is left out" % name)


def espdl_quantize_onnx(
    onnx_import_file,
    espdl_export_file,
    calib_dataloader,
    calib_steps,
    input_shape,
    inputs=None,
    target="esp32p4",
    num_of_bits=8,
    collate_fn=None,
    dispatching_override=None,
    dispatching_method="allin",
    setting=None,
    device="cpu",
    error_report=True,
    skip_export=False,
    export_config=True,
    export_test_values=False,
    test_output_names=None,
    auto_streaming=False,
    streaming_table=None,
    streaming_input_shape=None,
    streaming_custom_passes=None,
    verbose=0,
    **kwargs
):
    """Quantizes as ESP-PPQ does, writes the files, and gives a QuantizedGraph. The ONNX file stays as it is."""
    if calib_dataloader is None or calib_steps is None:
        raise TypeError("Quantization needs a valid calib_dataloader and calib_steps setting.")
    if auto_streaming or streaming_table or streaming_custom_passes:
        raise NotImplementedError("streaming graphs are not made here")
    chip = _TARGETS.get(str(target).lower())
    if chip is None:
        raise _errors.make(
            _errors.InputError, "there is no target '%s'; there are %s" % (target, ", ".join(sorted(_TARGETS)))
        )
    if num_of_bits not in (8, 16):
        raise _errors.make(_errors.InputError, "num_of_bits is %r; it can be 8 or 16" % (num_of_bits,))
    float_network = _native.open(onnx_import_file)
    names = _native.input_names(float_network)
    samples = _samples(calib_dataloader, calib_steps, collate_fn, names)
    options = {"target": chip, "bits": num_of_bits, "like": "upstream", "samples": min(max(calib_steps, 1), 5000),
               "analyse": bool(error_report)}
    options.update(_setting_options(setting))
    table = getattr(getattr(setting, "dispatching_table", None), "dispatchings", None)
    bits = _layer_bits(dict(table or {}, **(dispatching_override or {})), num_of_bits)
    if bits:
        options["layer_bits"] = bits
    if kwargs.pop("hi_precision", False):
        options["high_precision"] = True
    _warn_unused(kwargs, inputs=inputs, test_output_names=test_output_names,
                 dispatching_method=None if dispatching_method == "allin" else dispatching_method)
    keep = dict(options)
    calibration = options.pop("samples")
    handle = _native.collect_samples(samples)
    report = float_network._verb(
        _native.lib.edgetwin_quantize, dict(options, samples=calibration), True, handle
    )
    if report.network is None:
        raise _errors.make(_errors.RunError, "nothing was made with %r" % (keep,))
    if error_report:
        print(report.text)
    config = _config(report)
    if not skip_export:
        _export(report, espdl_export_file, export_config)
    return QuantizedGraph(report.network, report, config)


def _config(report):
    for name, data in report.files.items():
        if name.endswith(".json"):
            return json.loads(data)
    return {}


def _export(report, path, export_config):
    """NAME.espdl, NAME.info and NAME.json."""
    path = os.fspath(path)
    stem = path[: -len(".espdl")] if path.endswith(".espdl") else path
    for name, data in report.files.items():
        ending = os.path.splitext(name)[1]
        if ending == ".json" and not export_config:
            continue
        if ending in (".espdl", ".info", ".json"):
            with open(path if ending == ".espdl" else stem + ending, "wb") as file:
                file.write(data)


__all__ = ["QuantizedGraph", "espdl_quantize_onnx"]
