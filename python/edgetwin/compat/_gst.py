"""Buffers of GStreamer, where the program of the caller uses it."""
import sys


def gst_buffer(data, stack):
    """The bytes of a Gst.Buffer, mapped as long as `stack` is open; None: it is something else."""
    if "gi" not in sys.modules:
        return None
    try:
        import gi

        gi.require_version("Gst", "1.0")
        from gi.repository import Gst
    except (ImportError, ValueError):
        return None
    if not isinstance(data, Gst.Buffer):
        return None
    mapped, info = data.map(Gst.MapFlags.READ)
    if not mapped:
        raise RuntimeError("the Gst.Buffer cannot be mapped")
    stack.callback(data.unmap, info)
    return bytes(info.data)
