"""The same module as edgetwin.compat.pycoral.adapters.segment."""
import sys

from edgetwin.compat.pycoral.adapters import segment

sys.modules[__name__] = segment
