"""Imports the model."""

import importlib
import os
import sys
import types

from triton_ts.errors import TritonModelException


def import_model(file, version, paths):
    """The class TritonPythonModel of a `model.py`.

    A file in a version directory is the module `<version>.<name>`, so that it can import its neighbours relatively.
    """
    if not file.endswith(".py"):
        raise TritonModelException(
            "Model name must end with '.py'. Model name is \"%s\"." % os.path.basename(file)
        )
    if not os.path.exists(file):
        raise TritonModelException("Python model file not found in '%s'" % file)
    directory = os.path.dirname(file)
    sys.path.append(directory)
    name = os.path.basename(file)[:-3]
    if os.path.basename(directory) == version:
        sys.path.append(os.path.dirname(directory))
        package = sys.modules[version] = types.ModuleType(version)
        package.__path__ = [directory]
        name = "%s.%s" % (version, name)
    sys.path.extend(path for path in paths if path not in sys.path)
    return importlib.import_module(name).TritonPythonModel
