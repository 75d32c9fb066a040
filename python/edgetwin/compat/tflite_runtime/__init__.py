"""The interface of tflite_runtime."""
from ..._version import version as __edgetwin__

__version__ = "2.14.0"
