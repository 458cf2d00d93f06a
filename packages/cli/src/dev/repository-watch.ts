import { relative, resolve, sep } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'

/** Tells when something below model repositories has changed. */
export class RepositoryWatch {
  readonly #watcher: FSWatcher

  private constructor(watcher: FSWatcher) {
    this.#watcher = watcher
  }

  /**
   * Begins to watch; what changes from then on is told.
   * @param onChange gets the name of the model's directory, or '' for the repository, and is called for every file.
   * @param onError something cannot be watched.
   */
  static async open(
    repositories: readonly string[],
    onChange: (model: string) => void,
    onError: (error: Error) => void,
  ): Promise<RepositoryWatch> {
    const roots = repositories.map((path) => resolve(path))
    const watcher = watch(roots, { ignoreInitial: true, ignored: (path) => path.endsWith(`${sep}__pycache__`) })
    watcher.on('error', (error) => onError(error instanceof Error ? error : new Error(String(error))))
    watcher.on('all', (event, path) => {
      // A build may replace the whole repository. What is not there is waited for.
      if (event === 'unlinkDir' && roots.includes(path)) watcher.add(path)
      for (const root of roots) {
        const model = relative(root, path).split(sep)[0]
        if (model !== undefined && model !== '..') onChange(model)
      }
    })
    await new Promise<void>((resolve) => watcher.once('ready', resolve))
    return new RepositoryWatch(watcher)
  }

  async close(): Promise<void> {
    await this.#watcher.close()
  }
}
