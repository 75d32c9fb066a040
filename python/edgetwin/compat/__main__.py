"""python3 -m edgetwin.compat SCRIPT ARGUMENTS...: runs a script with the modules of `install()`."""
import os
import runpy
import sys

from . import install


def main():
    if len(sys.argv) < 2:
        sys.stderr.write(__doc__ + "\n")
        return 2
    install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
