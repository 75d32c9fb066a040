from edgetwin.compat.tflite_runtime.interpreter import *  # noqa: F401,F403
from edgetwin.compat.tflite_runtime.interpreter import __all__  # noqa: F401
