"""The same module as edgetwin.compat.pycoral.pybind._pywrap_coral."""
import sys

from edgetwin.compat.pycoral.pybind import _pywrap_coral

sys.modules[__name__] = _pywrap_coral
