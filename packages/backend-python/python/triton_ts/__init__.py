"""The process that runs one instance of a Python model for triton-ts."""
