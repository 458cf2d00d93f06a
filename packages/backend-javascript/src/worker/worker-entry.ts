const here = import.meta.url

/** The file that the worker threads run. From the package's sources it is the built one. */
export const workerEntry: URL = new URL(here.endsWith('.ts') ? '../../dist/worker-main.js' : './worker-main.js', here)
