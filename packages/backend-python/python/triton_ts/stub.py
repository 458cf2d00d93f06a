"""Entry of the process: `python stub.py`, started by triton-ts with its socket as descriptor 3."""

import os
import sys

if __name__ == "__main__":
    # The directory of this package instead of this file's own, whose modules must not hide those of a model.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from triton_ts.process import main

    main()
