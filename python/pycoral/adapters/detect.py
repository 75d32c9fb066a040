"""The same module as edgetwin.compat.pycoral.adapters.detect."""
import sys

from edgetwin.compat.pycoral.adapters import detect

sys.modules[__name__] = detect
