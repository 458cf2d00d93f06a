export { python } from './python.ts'
export type { PythonInternals, PythonOptions } from './python-options.ts'
