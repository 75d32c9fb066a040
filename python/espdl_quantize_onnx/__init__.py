"""edgetwin.compat.esp_ppq under a name of its own."""
from edgetwin.compat.esp_ppq import QuantizedGraph, espdl_quantize_onnx

__all__ = ["QuantizedGraph", "espdl_quantize_onnx"]
