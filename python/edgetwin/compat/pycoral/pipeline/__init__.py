"""Part of the interface of pycoral."""
