"""The same module as edgetwin.compat.pycoral.utils.edgetpu."""
import sys

from edgetwin.compat.pycoral.utils import edgetpu

sys.modules[__name__] = edgetpu
