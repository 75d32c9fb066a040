"""The interface of ai_edge_litert."""
from ..._version import version as __edgetwin__

__version__ = "1.0.1"
