/** What runs the Python of a model. */
export interface Interpreter {
  /** A path, or a name to look for on the `PATH`. */
  readonly file: string
  /** Environment variables of its processes. */
  readonly variables: NodeJS.ProcessEnv
}

/** The interpreter of models that bring no environment of their own. @param executable of the options. */
export const defaultInterpreter = (executable: string | undefined): Interpreter => ({
  file: executable ?? (process.env.TRITON_TS_PYTHON || 'python3'),
  variables: process.env,
})
