"""Networks for small accelerators, computed bit for bit as the chip does.

>>> import edgetwin
>>> edgetwin.explain("EXEC-IN-01").json["explained"]["id"]
'EXEC-IN-01'
"""
from ._errors import Error
from ._native import Network, Port, Report, Run, Tensor, devices, diff, explain, open, quantize, verify, versions
from ._version import version as __version__

__all__ = [
    "Error", "Network", "Port", "Report", "Run", "Tensor", "__version__", "devices", "diff", "explain", "open",
    "quantize", "verify", "versions",
]
