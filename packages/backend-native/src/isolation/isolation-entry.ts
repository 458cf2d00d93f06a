const here = import.meta.url

/** The file that the processes of models run. From the package's sources it is the built one. */
export const isolationEntry: URL = new URL(
  here.endsWith('.ts') ? '../../dist/isolation-main.js' : './isolation-main.js',
  here,
)
