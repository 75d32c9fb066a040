"""The same module as edgetwin.compat.pycoral.utils.dataset."""
import sys

from edgetwin.compat.pycoral.utils import dataset

sys.modules[__name__] = dataset
