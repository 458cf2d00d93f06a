"""What a nested request says about itself."""

from triton_ts.outputs import tagged
from triton_ts.runtime import runtime


def nested_header(request, number, decoupled):
    """Members of the frame, without the input tensors."""
    given = request._given
    trace = request._trace
    header = {
        "k": "nested",
        "id": number,
        "s": trace.slot_number if trace is not None and trace.slot_number >= 0 else _only_slot(),
        "model": given.get("model", ""),
        "version": int(given.get("version", -1)),
        "out": list(given.get("out", ())),
        "rid": given.get("id", ""),
        "c": tagged({"c": given.get("c", 0)})["c"],
        "f": int(given.get("f", 0)),
        "t": int(given.get("t", 0)),
        "p": int(given.get("p", 0)),
        "params": tagged(given.get("params", {})),
        "decoupled": bool(decoupled),
    }
    batch = runtime.batch.get(None)
    if batch is not None:
        header["b"] = batch[0]
    return header


def _only_slot():
    """The request in whose service the model works, when it can be told: the only one of its batch."""
    batch = runtime.batch.get(None)
    return batch[1] if batch is not None else -1
