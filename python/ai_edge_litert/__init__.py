from edgetwin.compat.ai_edge_litert import __edgetwin__, __version__

__all__ = ["__edgetwin__", "__version__"]
