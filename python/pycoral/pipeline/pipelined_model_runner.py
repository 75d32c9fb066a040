"""The same module as edgetwin.compat.pycoral.pipeline.pipelined_model_runner."""
import sys

from edgetwin.compat.pycoral.pipeline import pipelined_model_runner

sys.modules[__name__] = pipelined_model_runner
