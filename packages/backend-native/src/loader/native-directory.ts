import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The file of the backend host in a native directory. */
export const hostFile = 'triton_host.node'

/** Names a directory to be used instead of all others. */
export const directoryVariable = 'TRITON_TS_NATIVE_DIR'

export interface FoundNative {
  /** Absolute path; it holds `triton_host.node` and `backends/<name>/libtriton_<name>.so`. */
  readonly directory: string
  readonly source: 'environment' | 'build' | 'package'
}

export interface MissingNative {
  /** One sentence for each place that was looked at. */
  readonly reasons: readonly string[]
}

/** Where to look; the defaults are this process's. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** A file of this package, from which the repository and other packages are found. */
  readonly file: string
  readonly platform: string
  readonly architecture: string
}

const here: Surroundings = {
  environment: process.env,
  file: fileURLToPath(import.meta.url),
  platform: process.platform,
  architecture: process.arch,
}

/**
 * The directory with the native parts of triton-ts: that of the environment variable `TRITON_TS_NATIVE_DIR`, else the
 * build of this repository, else the prebuilt package of the platform.
 */
export function nativeDirectory(surroundings: Surroundings = here): FoundNative | MissingNative {
  const named = surroundings.environment[directoryVariable]
  if (named !== undefined && named !== '') {
    const directory = resolve(named)
    return hasHost(directory)
      ? { directory, source: 'environment' }
      : { reasons: [`${directoryVariable} is set, but there is no ${hostFile} in '${directory}'`] }
  }
  const reasons: string[] = []
  const build = buildDirectory(surroundings.file, reasons)
  if (build !== undefined) return { directory: build, source: 'build' }
  const prebuilt = packageDirectory(surroundings, reasons)
  if (prebuilt !== undefined) return { directory: prebuilt, source: 'package' }
  return { reasons }
}

function buildDirectory(file: string, reasons: string[]): string | undefined {
  const root = repositoryRoot(file)
  if (root === undefined) return undefined
  const directory = join(root, 'native', 'build', 'Release')
  if (hasHost(directory)) return directory
  reasons.push(`this repository has no build of it: there is no ${hostFile} in '${directory}'`)
  return undefined
}

/** Undefined where this package is installed from a registry. */
function repositoryRoot(file: string): string | undefined {
  if (file.includes(`${sep}node_modules${sep}`)) return undefined
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'native', 'CMakeLists.txt'))) return folder
  }
  return undefined
}

function packageDirectory({ file, platform, architecture }: Surroundings, reasons: string[]): string | undefined {
  const name = `@triton-ts/native-${platform}-${architecture}`
  let directory: string
  try {
    directory = dirname(createRequire(file).resolve(`${name}/package.json`))
  } catch {
    reasons.push(`the package ${name} is not installed`)
    return undefined
  }
  if (hasHost(directory)) return directory
  reasons.push(`the package ${name} is incomplete: there is no ${hostFile} in '${directory}'`)
  return undefined
}

const hasHost = (directory: string): boolean => existsSync(join(directory, hostFile))
