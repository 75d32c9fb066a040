"""The same module as edgetwin.compat.pycoral.adapters.common."""
import sys

from edgetwin.compat.pycoral.adapters import common

sys.modules[__name__] = common
