"""Stands in for the model where numpy cannot be imported."""

import sys


class NoNumpy:
    """Answers every question with how to get numpy."""

    def __init__(self, error):
        python = sys.executable
        self._message = "python3 at %s has no numpy: install it with '%s -m pip install numpy'" % (python, python)
        if getattr(error, "name", None) != "numpy":
            # It is there, but does not load.
            self._message = "python3 at %s cannot load numpy: %s" % (python, error)

    def answer(self, kind, _header):
        return {} if kind == "finalize" else {"error": [1, self._message]}
