import { fileURLToPath } from 'node:url'

/** The Python part of this package; this file and the bundle are both one directory below the package. */
const directory = fileURLToPath(new URL('../python/', import.meta.url))

/** What the interpreter of an instance runs. */
export const stubFile = `${directory}triton_ts/stub.py`

/** Python-based backends that come with this package: `<name>/model.py`. */
export const builtInBackends = `${directory}backends`
