"""Stands in for numpy where a test wants it to be missing."""

raise ModuleNotFoundError("No module named 'numpy'", name="numpy")
