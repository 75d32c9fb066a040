"""The same module as edgetwin.compat.pycoral.adapters.classify."""
import sys

from edgetwin.compat.pycoral.adapters import classify

sys.modules[__name__] = classify
