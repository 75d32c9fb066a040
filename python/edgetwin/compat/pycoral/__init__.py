"""The interface of pycoral."""
from ..._version import version as __edgetwin__

__version__ = "2.0.0"
