"""The same module as edgetwin.compat.pycoral.learn.backprop.softmax_regression."""
import sys

from edgetwin.compat.pycoral.learn.backprop import softmax_regression

sys.modules[__name__] = softmax_regression
