"""Which hardware answers when a program asks for an Edge TPU: the variable EDGETWIN_DEVICE.

unset, "device"   real sticks only
"twin", "twin:N"  devices made of software, computed from the file's own instructions
"virtual[:N]"     the same through the driver and the virtual stick's USB protocol
"auto"            sticks if there are any, else "twin"
"""
import os
import re
import sys

from .. import _errors
from .._abi import lib
from .._handles import DeviceHandle, document, options

_SOFTWARE = ("twin", "virtual")


def wanted():
    """(kind, number of software devices) of the environment."""
    word = os.environ.get("EDGETWIN_DEVICE", "") or "device"
    match = re.fullmatch(r"(device|auto|twin|virtual)(?::(\d+))?", word)
    if not match or (match.group(2) and match.group(1) not in _SOFTWARE) or match.group(2) == "0":
        raise _errors.make(
            _errors.InputError,
            "EDGETWIN_DEVICE is '%s'; it can be device, twin, twin:N, virtual, virtual:N or auto" % word,
        )
    return match.group(1), int(match.group(2) or 1)


def sticks():
    """What `edgetwin devices` lists, and its text."""
    array, n = options([])
    try:
        found = document(lib.edgetwin_device_list, array, n)
    except _errors.Error as error:
        return [], str(error)
    return found.json().get("devices", []), (found.part("text") or "").strip()


def kind_now():
    """The kind that answers: "device", "twin" or "virtual", and how many of them."""
    kind, count = wanted()
    if kind == "auto":
        if sticks()[0]:
            return "device", 0
        print("edgetwin: no Edge TPU is attached; it is computed in software", file=sys.stderr)
        return "twin", 1
    return kind, count


def list_devices():
    kind, count = wanted()
    if kind in _SOFTWARE:
        return [{"type": "usb", "path": "edgetwin:%d" % i} for i in range(count)]
    found = [{"type": "usb", "path": "/sys/bus/usb/devices/%s" % d["path"]} for d in sticks()[0]]
    if not found and kind == "auto":
        return [{"type": "usb", "path": "edgetwin:0"}]
    return found


class Hardware:
    """A device that was opened: in software without the driver it has no handle."""

    def __init__(self, kind, handle=None):
        self.kind = kind
        self.handle = handle

    def runner_options(self):
        return [("on", "machine")] if self.kind == "twin" else []


_PERFORMANCE = {"low": "low", "medium": "medium", "high": "high", "max": "max"}


def _software_number(where, count):
    match = re.fullmatch(r"(usb)?(?::(\d+))?", where)
    if match is None:
        raise _errors.make(_errors.InputError, "there is no device '%s': devices of software are of type usb" % where)
    number = int(match.group(2) or 0)
    if number >= count:
        raise _errors.make(
            _errors.InputError, "there is no device '%s': EDGETWIN_DEVICE makes %d" % (where, count)
        )
    return number


def _open_stick(where, pairs):
    if where.startswith("pci"):
        raise _errors.make(
            _errors.InputError, "there is no driver for devices on PCI; EDGETWIN_DEVICE=twin computes without one"
        )
    try:
        return Hardware("device", DeviceHandle.open(where, pairs))
    except _errors.Error as error:
        text = sticks()[1]
        again = type(error)(
            "%s\n%s\nEDGETWIN_DEVICE=twin computes without one." % (str(error).split("\n")[0], text or error.text)
        )
        again.id, again.exit_code, again.text, again.json = error.id, error.exit_code, error.text, error.json
        raise again from None


def open_device(settings):
    """The device that a dictionary of libedgetpu's options names."""
    settings = {str(k).lower(): str(v) for k, v in (settings or {}).items()}
    where = settings.get("device", "")
    kind, count = kind_now()
    pairs = []
    if settings.get("performance", "").lower() in _PERFORMANCE:
        pairs.append(("performance", settings["performance"].lower()))
    if kind == "device":
        return _open_stick(where, pairs)
    number = _software_number(where, count)
    if kind == "twin":
        return Hardware("twin")
    return Hardware("virtual", DeviceHandle.open("virtual:%d" % number, pairs))
