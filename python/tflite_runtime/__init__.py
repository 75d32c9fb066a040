from edgetwin.compat.tflite_runtime import __edgetwin__, __version__

__all__ = ["__edgetwin__", "__version__"]
