"""Modules with the interfaces of other packages: tflite_runtime, ai_edge_litert, pycoral, esp_ppq.

`install()` puts the first three into `sys.modules` under their usual names, for this process:

>>> import edgetwin.compat
>>> edgetwin.compat.install()
>>> from tflite_runtime.interpreter import Interpreter
"""
import importlib
import sys

_PACKAGES = {
    "tflite_runtime": ["", ".interpreter"],
    "ai_edge_litert": ["", ".interpreter"],
    "pycoral": [
        "", ".utils", ".utils.edgetpu", ".utils.dataset", ".adapters", ".adapters.common", ".adapters.classify",
        ".adapters.detect", ".adapters.segment", ".pipeline", ".pipeline.pipelined_model_runner", ".learn",
        ".learn.backprop", ".learn.backprop.softmax_regression", ".learn.imprinting", ".learn.imprinting.engine",
        ".pybind", ".pybind._pywrap_coral",
    ],
}


def install():
    """tflite_runtime, ai_edge_litert and pycoral are those of edgetwin from now on."""
    for package, modules in _PACKAGES.items():
        for module in modules:
            sys.modules[package + module] = importlib.import_module("edgetwin.compat." + package + module)
