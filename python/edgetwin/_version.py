"""The version of the library that is loaded."""
from ._abi import lib

version = lib.edgetwin_version().decode()
