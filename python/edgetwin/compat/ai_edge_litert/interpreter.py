"""The same objects as in tflite_runtime.interpreter."""
from ..tflite_runtime.interpreter import *  # noqa: F401,F403
from ..tflite_runtime.interpreter import __all__  # noqa: F401
