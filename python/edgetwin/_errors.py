"""Errors of the library as exceptions that are also of the types which programs of others catch."""
import json

from . import _abi


class Error(Exception):
    """What went wrong, with an id that `explain` knows.

    >>> import edgetwin
    >>> try:
    ...     edgetwin.open("/nothing/here.tflite")
    ... except edgetwin.Error as error:
    ...     print(error.id, error.exit_code)
    BASE-FILE-01 3
    """

    id = ""
    exit_code = 2
    text = ""
    json = None

    def explain(self):
        """The document about this error's id."""
        from . import _native

        return _native.explain(self.id)

    def _repr_html_(self):
        from html import escape

        return "<pre>%s</pre>" % escape(self.text or str(self))


class InputError(Error, ValueError):
    pass


class RunError(Error, RuntimeError):
    pass


class TypeMismatch(Error, TypeError):
    pass


def make(kind, text):
    """An exception of this package alone: its text is known to programs of others."""
    error = kind(text)
    error.text = text
    return error


def _text(pointer):
    return (pointer or b"").decode("utf-8", "replace")


def take(handle, kind=InputError, compatible=None):
    """The exception of an owned error handle. `compatible` is how its text begins."""
    lib = _abi.lib
    message = _text(lib.edgetwin_error_message(handle))
    text = _text(lib.edgetwin_error_text(handle))
    begin = message if compatible is None else compatible
    error = kind(begin if text.strip() == begin.strip() else begin + "\n\n" + text.rstrip("\n"))
    error.id = _text(lib.edgetwin_error_id(handle))
    error.exit_code = lib.edgetwin_error_exit_code(handle)
    error.text = text
    error.json = json.loads(_text(lib.edgetwin_error_json(handle)) or "{}")
    error.message = message
    lib.edgetwin_error_free(handle)
    return error
