"""The same module as edgetwin.compat.pycoral.learn.imprinting.engine."""
import sys

from edgetwin.compat.pycoral.learn.imprinting import engine

sys.modules[__name__] = engine
