from edgetwin.compat.pycoral import __edgetwin__, __version__

__all__ = ["__edgetwin__", "__version__"]
