"""The wheel: pure Python and libedgetwin, one for every CPython of a kind of machine. tests/packages/wheel.sh builds it."""
import os

from setuptools import Distribution, find_packages, setup
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="edgetwin",
    version=os.environ["EDGETWIN_VERSION"],
    description="Bit-exact twins of neural network accelerators",
    license="Apache-2.0",
    python_requires=">=3.9",
    install_requires=["numpy>=1.21"],
    packages=find_packages(include=["edgetwin", "edgetwin.*", "espdl_quantize_onnx"]),
    package_data={"edgetwin": ["py.typed", "_lib/*", "_lib/edgetwin/*"]},
    distclass=Binary,
    cmdclass={"bdist_wheel": AnyPython},
)
